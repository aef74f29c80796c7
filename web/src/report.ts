// One of the reports of the page, and what is said of its settings.
import { fields, isFields, known, list, number, text, texts, type Fields } from './data';
import { num, symbol } from './format';

export interface Report {
    title: string;
    source: string;
    command: string;
    version: string;
    record: Fields;
    raw: Fields;
    /** Sentences about what cannot be shown, and why. */
    cannot: string[];
    index: number;
}

export function reportOf(value: unknown, index: number, version: string): Report {
    const raw = fields(value);
    const record = fields(raw.record);
    const report: Report = {
        title: text(raw.title) || text(record.file) || `report ${index + 1}`,
        source: text(raw.source) || text(record.command),
        command: text(raw.command),
        version: text(record.specreg) || version,
        record,
        raw,
        cannot: texts(raw.cannot).filter(t => t),
        index,
    };
    if (!isFields(raw.record)) report.cannot.push('There is no record of this run.');
    return report;
}

/** `name = value` for each number or word of a kernel, filter or rule, but those in `without`. */
function settings(part: Fields, without: readonly string[]): string {
    const said: string[] = [];
    for (const [name, value] of Object.entries(part)) {
        if (without.includes(name)) continue;
        if (typeof value === 'number') said.push(`${symbol(name)} = ${num(value)}`);
        else if (typeof value === 'string') said.push(`${symbol(name)} = ${value}`);
    }
    return said.join(', ');
}

const named = (part: Fields, without: readonly string[]): string =>
    [text(part.name), settings(part, ['name', ...without])].filter(t => t).join(', ');

export function kernelText(value: unknown): string {
    const kernel = fields(value);
    const terms = list(kernel.terms).map(fields);
    if (!terms.length) return named(kernel, ['columns']);
    return terms.map((term, i) => {
        const weight = number(term.weight);
        const sign = i === 0 ? '' : term.times === true ? ' \u00d7 ' : ' + ';
        const inner = settings(term, ['name', 'weight', 'columns']);
        return `${sign}${known(weight) && weight !== 1 ? `${num(weight, 3)}\u00a0` : ''}${text(term.name)}${inner ? ` (${inner})` : ''}`;
    }).join('');
}

export function filterText(value: unknown): string {
    return named(fields(value), ['per_output']);
}

/** The parameter of the path and its value in a row of a table or a filter. */
export const pathParameters = ['lambda', 't', 'components', 'order'];

export function parameterOf(rows: readonly Fields[]): string {
    return pathParameters.find(name => rows.some(row => known(number(row[name])))) ?? 'lambda';
}

/** How the axis of a path is called, and whether it is logarithmic and reversed. */
export function pathAxis(parameter: string, at: readonly number[]): { label: string; isLog: boolean; isReversed: boolean } {
    const found = at.filter(known);
    const isLog = found.length > 1 && found.every(v => v > 0) && Math.max(...found) / Math.min(...found) > 20;
    const words: Record<string, string> = { t: 'steps t', components: 'components', order: 'order' };
    const name = words[parameter] ?? symbol(parameter);
    return { label: `${name}, less regularization to the right \u2192`, isLog, isReversed: parameter === 'lambda' };
}

export function isClassification(report: Report): boolean {
    const data = fields(report.record.data);
    return text(data.problem) === 'classification' || list(data.classes).length > 0 ||
        Array.isArray(fields(report.raw.rows).labels);
}

export function criterionOf(report: Report): string {
    return text(fields(report.record.selection).criterion) || (isClassification(report) ? 'error_rate' : 'mse');
}
