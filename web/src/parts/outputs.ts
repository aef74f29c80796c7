// Outputs and tasks: the matrix between them, and the error of each.
import { cells } from '../cells';
import { Chart } from '../chart';
import { fields, known, list, matrix, number, range, text, texts, type Fields } from '../data';
import { s } from '../dom';
import type { Figure } from '../figure';
import { measure, num, plural, short } from '../format';
import { ranked } from '../ranked';
import type { Report } from '../report';

function between(report: Report): Figure | undefined {
    const part = fields(report.raw.matrix);
    const values = matrix(part.values);
    const names = texts(part.names);
    const most = Math.max(...(range(...values) ?? [0, 0]).map(Math.abs));
    if (!values.length || !(most > 0)) return undefined;
    while (names.length < values.length) names.push(String(names.length + 1));
    const what = text(part.what) === 'tasks' ? 'tasks' : 'outputs';
    const isSmall = names.length <= 12;
    return {
        name: `matrix-${report.index}`,
        title: `The matrix between ${what}`,
        look: `Strong cells off the diagonal are ${what} that learn from each other; orange ones pull in opposite directions.`,
        draw: width => {
            const chart = new Chart({
                width, height: Math.min(560, Math.max(240, 110 + names.length * 28)), grid: 'none',
                label: `Matrix between ${names.length} ${what}, values up to ${num(most, 3)}.`,
                legend: [{ class: 'c0', label: `positive, up to ${num(most, 3)}`, kind: 'bar' }, { class: 'c1', label: 'negative', kind: 'bar' }],
                x: { label: '', names }, y: { label: '', names, isReversed: true },
            });
            const gap = names.length > 40 ? 0.5 : 0.48;
            cells(chart, values.flatMap((row, i) => row.map((v, j) => ({
                x0: j - gap, x1: j + gap, y0: i - gap, y1: i + gap,
                colour: known(v) ? `${v < 0 ? 'c1' : 'c0'} ${Math.ceil((Math.abs(v) / most) * 20)}` : 'none 20',
            }))), colour => {
                const [name, level] = colour.split(' ');
                return { class: `bar ${name}`, 'fill-opacity': 0.06 + 0.94 * (Number(level) / 20) };
            });
            values.forEach((row, i) => row.forEach((v, j) => {
                if (isSmall && (chart.right - chart.left) / names.length > 38)
                    chart.add(s('text', { class: `middle ${Math.abs(v) / most > 0.55 ? 'on' : 'cell'}`, x: chart.x(j), y: chart.y(i) + 4 }, num(v, 2)));
                if (names.length <= 60) chart.say(j, i, `${short(names[i]!)}, ${short(names[j]!)}\n${num(v)}`);
            }));
            return chart.svg;
        },
        table: () => ({ columns: ['', ...names.slice(0, 40)], rows: values.map((row, i) => [names[i]!, ...row.slice(0, 40)]) }),
    };
}

function errors(report: Report, value: unknown, what: string, of: string): Figure | undefined {
    const rows = list(value).map(fields);
    const measureName = rows.some(r => known(number(r.error_rate))) ? 'error_rate' : 'mse';
    const found = rows.filter(r => known(number(r[measureName]))).sort((a, b) => number(b[measureName]) - number(a[measureName]));
    if (found.length < 2) return undefined;
    const m = measure(measureName);
    const shown = found.slice(0, 24);
    const name = (r: Fields): string => text(r.name) || 'unknown';
    return {
        name: `errors-${what}-${report.index}`,
        title: found.length > shown.length ? `The ${shown.length} hardest of ${found.length} ${what}s` : `Error by ${what}`,
        look: `The largest error first; ${what === 'output' ? 'an' : 'a'} ${what} far from the others may have few rows, or be of another kind.`,
        note: of,
        draw: width => ranked({
            width, kind: 'bar', label: `${m.title} of ${found.length} ${what}s, the largest ${m.show(number(found[0]![measureName]))}.`,
            axis: { label: m.title, ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
            rows: shown.map(r => ({ name: name(r), value: number(r[measureName]), say: `${short(name(r), 40)}\n${m.show(number(r[measureName]))}\n${plural(number(r.n), 'row')}` })),
        }),
        table: () => ({
            columns: [what, 'rows', m.title, 'mean absolute error', 'R\u00b2'],
            rows: found.map(r => [name(r), number(r.n), number(r[measureName]), number(r.mae), number(r.r2)]), show: { 2: m.show },
        }),
    };
}

export function outputsPart(report: Report, test: Fields): Figure[] {
    const train = fields(report.record.train);
    const of = (key: string): [unknown, string] =>
        list(test[key]).length ? [test[key], 'Of the rows that did not train.'] : [train[key], 'Of the training rows.'];
    return [between(report), errors(report, ...argument('task', of('per_task'))), errors(report, ...argument('output', of('per_output')))]
        .filter(f => f !== undefined);
}

const argument = (what: string, [value, of]: [unknown, string]): [unknown, string, string] => [value, what, of];
