// The search: error over the kernels' widths and the path, what was chosen, what was left early.
import { cells } from '../cells';
import { Chart, roomy, type Key } from '../chart';
import { css, viridisAt } from '../colours';
import { fields, known, list, number, quantile, text, type Fields } from '../data';
import { choice } from '../dom';
import { figureOf, type Figure } from '../figure';
import { measure, num, short, symbol } from '../format';
import { ranked } from '../ranked';
import { criterionOf, filterText, kernelText, parameterOf, pathAxis, type Report } from '../report';

interface Candidate {
    at: number;
    value: number;
    stderr: number;
    df: number;
    reason: string;
}

interface Kernel {
    name: string;
    /** The one number in which the kernels of its family differ, if there is one. */
    width: number;
    candidates: Candidate[];
}

interface Family {
    name: string;
    /** What `width` is. */
    of: string;
    kernels: Kernel[];
    best: number;
}

const best = (candidates: readonly Candidate[]): Candidate | undefined =>
    candidates.reduce<Candidate | undefined>((a, c) => (known(c.value) && (!a || c.value < a.value) ? c : a), undefined);

/** The kind of kernel, and the coupling and the filter's settings, which have no axis of their own. */
function familyName(row: Fields, parameter: string): string {
    const kernel = fields(row.kernel);
    const terms = list(kernel.terms).map(t => text(fields(t).name));
    return [terms.length ? terms.join(' + ') : text(kernel.name) || 'kernel', ...settingsOf(row, parameter)].join('; ');
}

function settingsOf(row: Fields, parameter: string): string[] {
    const outputs = fields(row.outputs);
    const filter = Object.fromEntries(Object.entries(fields(row.filter)).filter(([name]) => name !== parameter));
    const said = Object.keys(filter).length > 1 ? filterText(filter) : '';
    return [text(outputs.name) && text(outputs.name) !== 'independent' ? kernelText(outputs) : '', said].filter(t => t);
}

/** The numbers of a kernel or sum by name; those of the second term on have its number before them. */
function parametersOf(row: Fields): Map<string, number> {
    const kernel = fields(row.kernel);
    const terms = list(kernel.terms).length ? list(kernel.terms).map(fields) : [kernel];
    const found = new Map<string, number>();
    terms.forEach((term, i) => {
        for (const [name, value] of Object.entries(term))
            if (typeof value === 'number') found.set(i ? `${i + 1}.${name}` : name, value);
    });
    return found;
}

const settingText = (row: Fields, parameter: string): string => [kernelText(row.kernel), ...settingsOf(row, parameter)].join('; ');

/** In which numbers the kernels of some rows differ: the one with the most values first. */
function varyingOf(rows: readonly Fields[]): string[] {
    const values = new Map<string, Set<number>>();
    for (const row of rows) for (const [p, v] of parametersOf(row)) (values.get(p) ?? values.set(p, new Set()).get(p)!).add(v);
    return [...values].filter(([, set]) => set.size > 1).sort((a, b) => b[1].size - a[1].size || (a[0] === 'sigma' ? -1 : 1)).map(([p]) => p);
}

function grouped(rows: readonly Fields[], name: (row: Fields) => string): Map<string, Fields[]> {
    const found = new Map<string, Fields[]>();
    for (const row of rows) {
        const mine = found.get(name(row));
        if (mine) mine.push(row);
        else found.set(name(row), [row]);
    }
    return found;
}

function familyOf(name: string, rows: readonly Fields[], parameter: string): Family {
    const varying = varyingOf(rows);
    const kernels = new Map<string, Kernel>();
    for (const row of rows) {
        const label = settingText(row, parameter);
        let kernel = kernels.get(label);
        if (!kernel) kernels.set(label, (kernel = { name: label, width: parametersOf(row).get(varying[0] ?? '') ?? NaN, candidates: [] }));
        kernel.candidates.push({
            at: number(row[parameter]), value: number(row.value), stderr: number(row.stderr), df: number(row.df), reason: text(row.reason),
        });
    }
    const all = [...kernels.values()];
    if (varying.length) all.sort((a, b) => a.width - b.width);
    for (const kernel of all) kernel.candidates.sort((a, b) => a.at - b.at);
    const isAlone = varying.length === 1 && new Set(all.map(k => k.width)).size === all.length;
    return { name, of: isAlone ? symbol(varying[0]!) : '', kernels: all, best: Math.min(...all.map(k => best(k.candidates)?.value ?? Infinity)) };
}

/** The kernels that differ in one number alone are a family, best first. */
function familiesOf(rows: readonly Fields[], parameter: string): Family[] {
    const found: Family[] = [];
    for (const [name, mine] of grouped(rows, row => familyName(row, parameter))) {
        const others = varyingOf(mine).slice(1);
        const parts = grouped(mine, row => others.map(p => `${symbol(p)} = ${num(parametersOf(row).get(p) ?? NaN, 3)}`).join(', '));
        if (parts.size > 60) found.push(familyOf(name, mine, parameter));
        else for (const [part, rest] of parts) found.push(familyOf(part ? `${name}, ${part}` : name, rest, parameter));
    }
    return found.sort((a, b) => a.best - b.best);
}

/** The edges of cells around places: half way between neighbours, on a logarithmic axis if it is one. */
function edges(at: readonly number[], isLog: boolean): [number, number][] {
    const to = (v: number): number => (isLog ? Math.log(v) : v);
    const from = (v: number): number => (isLog ? Math.exp(v) : v);
    return at.map((v, i) => {
        const before = i > 0 ? to(v) - to(at[i - 1]!) : i + 1 < at.length ? to(at[i + 1]!) - to(v) : 1;
        const after = i + 1 < at.length ? to(at[i + 1]!) - to(v) : before;
        return [from(to(v) - before / 2), from(to(v) + after / 2)];
    });
}

interface Search {
    report: Report;
    families: Family[];
    parameter: string;
    chosen: { kernel: string; family: string; at: number };
}

const rowName = (family: Family, kernel: Kernel): string => (family.of ? num(kernel.width, 3) : kernel.name.split('; ')[0]!);

const heatHeight = (family: Family): number => 110 + Math.min(420, Math.max(140, 24 * family.kernels.length));

function heat(search: Search, family: Family, width: number): SVGSVGElement {
    const { report, chosen } = search;
    const m = measure(criterionOf(report));
    const all = family.kernels.flatMap(k => k.candidates);
    const axis = pathAxis(search.parameter, all.map(c => c.at));
    const sorted = all.map(c => c.value).filter(known).sort((a, b) => a - b);
    const [least, largest] = [sorted[0] ?? 0, quantile(sorted, 0.95)];
    const isLog = least > 0 && largest / least > 10;
    const share = (v: number): number => (isLog ? Math.log(v / least) / Math.log(largest / least) : Math.sqrt(Math.max(0, v - least) / (largest - least || 1)));
    const isLeft = all.some(c => !known(c.value));
    const legend: Key[] = [{ class: 'high', kind: 'dot', label: `best, ${m.show(least)}` },
        { class: 'middle-value', kind: 'dot', label: m.show(isLog ? Math.sqrt(least * largest) : least + (largest - least) / 4) },
        { class: 'low', kind: 'dot', label: `${m.show(largest)} or more` }];
    if (isLeft) legend.push({ class: 'none', kind: 'bar', label: 'left early' });
    const bounds = family.kernels.map(k => edges(k.candidates.map(c => c.at), axis.isLog));
    const ends = bounds.flat(2).filter(known);
    const chart = new Chart({
        width, height: heatHeight(family), legend, grid: 'none',
        label: `${m.title} over ${family.kernels.length} kernels and ${symbol(search.parameter)}; the best is ${m.show(least)}.`,
        x: { ...axis, domain: [Math.min(...ends), Math.max(...ends)] },
        y: { label: family.of ? `${family.of} of ${family.name}` : family.name, names: family.kernels.map(k => rowName(family, k)) },
    });
    cells(chart, family.kernels.flatMap((kernel, j) => kernel.candidates.map((c, i) => ({
        x0: bounds[j]![i]![0], x1: bounds[j]![i]![1], y0: j - 0.5, y1: j + 0.5,
        colour: known(c.value) ? String(Math.round(63 * (1 - Math.min(1, Math.max(0, share(c.value)))))) : 'none',
    }))), colour => (colour === 'none' ? { class: 'bar none' } : { fill: css(viridisAt(Number(colour) / 63)) }));
    family.kernels.forEach((kernel, j) => {
        for (const c of kernel.candidates) {
            chart.say(c.at, j, `${kernel.name}\n${symbol(search.parameter)} ${num(c.at, 3)}\n${known(c.value)
                ? `${m.title} ${m.show(c.value)}${known(c.stderr) ? ` \u00b1 ${m.show(c.stderr)}` : ''}` : c.reason || 'left early'}`);
        }
        if (family.name === chosen.family && kernel.name === chosen.kernel) chart.mark(chosen.at, j);
    });
    return chart.svg;
}

function table(search: Search, family: Family): ReturnType<Figure['table']> {
    const m = measure(criterionOf(search.report));
    const rows = family.kernels.flatMap(k => k.candidates.map(c => ({ k, c })));
    rows.sort((a, b) => (known(a.c.value) ? a.c.value : Infinity) - (known(b.c.value) ? b.c.value : Infinity));
    return {
        columns: ['kernel', symbol(search.parameter), m.title, 'standard error', 'df', 'left because'],
        rows: rows.map(({ k, c }) => [k.name, c.at, c.value, c.stderr, c.df, c.reason]),
        note: 'Best first.',
        show: { 2: m.show, 3: m.show },
    };
}

/** The error of one kernel along its path. */
function lineFigure(search: Search, family: Family): Figure {
    const { report } = search;
    const m = measure(criterionOf(report));
    const { candidates } = family.kernels[0]!;
    const at = candidates.map(c => c.at);
    const value = candidates.map(c => c.value);
    return {
        name: `search-${report.index}`,
        title: 'The search',
        look: 'One kernel was tried: the lower and wider the valley, the surer the choice.',
        isWide: true,
        draw: width => {
            const axis = pathAxis(search.parameter, at);
            const low = candidates.map(c => c.value - c.stderr);
            const high = candidates.map(c => c.value + c.stderr);
            const chart = new Chart({
                width, height: 300, label: `${m.title} along ${symbol(search.parameter)}.`,
                x: { ...axis, domain: roomy(axis.isLog, at) },
                y: { label: m.title, isNice: true, domain: roomy(false, value, high), ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
            });
            chart.band(at, low, high, 'c1');
            chart.line(at, value, 'c1');
            const least = candidates.find(c => c.at === search.chosen.at) ?? best(candidates);
            if (least) chart.ring(least.at, least.value);
            candidates.forEach(c => chart.say(c.at, c.value, `${symbol(search.parameter)} ${num(c.at, 3)}\n${m.show(c.value)}`));
            return chart.svg;
        },
        table: () => table(search, family),
    };
}

/** The best of each kernel, or of each family where there are several. */
function bestFigure(search: Search): Figure | undefined {
    const { report, families } = search;
    const m = measure(criterionOf(report));
    const isByFamily = families.length > 1;
    const rows = isByFamily
        ? families.map(f => ({ name: f.name, best: best(f.kernels.flatMap(k => k.candidates)), isChosen: f.name === search.chosen.family }))
        : families[0]!.kernels.map(k => ({ name: rowName(families[0]!, k), best: best(k.candidates), isChosen: k.name === search.chosen.kernel }));
    const found = rows.filter(r => r.best);
    if (found.length < 2) return undefined;
    const shown = found.length > 24 ? [...found].sort((a, b) => a.best!.value - b.best!.value).slice(0, 24) : found;
    const of = families[0]!.of;
    return {
        name: `best-${report.index}`,
        title: isByFamily ? 'The best of each kind of kernel' : `The best of each ${of || 'kernel'}`,
        look: 'Where the whiskers, one standard error, overlap, the data cannot tell the kernels apart.',
        draw: width => ranked({
            width, kind: 'dot', height: heatHeight(families.find(f => f.name === search.chosen.family) ?? families[0]!) + (isByFamily ? 36 : 0),
            label: `Best ${m.title} of ${found.length} ${isByFamily ? 'kinds of kernels' : 'kernels'}; ${m.show(Math.min(...found.map(r => r.best!.value)))} is the lowest.`,
            axis: { label: m.title, ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
            head: isByFamily ? '' : of,
            rows: shown.map(({ name, best: b, isChosen }) => ({
                name, value: b!.value, low: b!.value - b!.stderr, high: b!.value + b!.stderr, class: isChosen ? 'c1' : 'c0',
                say: `${name}\n${m.show(b!.value)} \u00b1 ${m.show(b!.stderr)}\n${symbol(search.parameter)} ${num(b!.at, 3)}`,
            })),
        }),
        table: () => ({
            columns: ['kernel', m.title, 'standard error', symbol(search.parameter)],
            rows: found.map(r => [r.name, r.best!.value, r.best!.stderr, r.best!.at]), show: { 1: m.show, 2: m.show },
        }),
    };
}

/** What was extended or left, in words. */
function remarks(report: Report, families: readonly Family[]): string {
    const said: string[] = [];
    const left = families.flatMap(f => f.kernels.flatMap(k => k.candidates)).filter(c => !known(c.value)).length;
    if (left) said.push(`${num(left)} candidates were left early, because they could no longer be the best.`);
    for (const searched of list(fields(report.record.selection).searched).map(fields))
        if (searched.at_edge === true)
            said.push(`${symbol(text(searched.name))} is at the edge of the values tried (${num(number(searched.least), 3)} to ${num(number(searched.largest), 3)}).`);
    return said.join(' ');
}

export function searchPart(report: Report): (Figure | HTMLElement)[] {
    const { record } = report;
    const inSelection = list(fields(record.selection).table);
    const rows = (inSelection.length ? inSelection : list(record.table)).map(fields);
    const parameter = parameterOf(rows);
    const families = familiesOf(rows.filter(row => known(number(row[parameter]))), parameter)
        .filter(f => f.kernels.some(k => k.candidates.some(c => known(c.value))));
    if (!families.length) return [];
    const named = Object.keys(fields(rows.find(row => row.filter)?.filter));
    const own = { kernel: record.kernel, outputs: record.outputs,
        filter: Object.fromEntries(named.map(name => [name, fields(record.filter)[name]])) };
    const search: Search = {
        report, families, parameter,
        chosen: { kernel: settingText(own, parameter), family: '', at: number(fields(record.filter)[parameter]) },
    };
    search.chosen.family = families.find(f => f.kernels.some(k => k.name === search.chosen.kernel))?.name ?? '';
    const note = remarks(report, families);
    if (families.length === 1 && families[0]!.kernels.length === 1)
        return [{ ...lineFigure(search, families[0]!), note }];
    let at = Math.max(0, families.findIndex(f => f.name === search.chosen.family));
    const m = measure(criterionOf(report));
    const controls = families.length > 1
        ? [choice('Kernel', families.map(f => `${short(f.name, 40)} (${m.show(f.best)})`), at, k => {
            at = k;
            map.redraw();
        })] : [];
    const map = figureOf({
        name: `search-${report.index}`,
        title: 'The search',
        look: 'Bright is good, and the cross is the choice: look whether it lies inside a bright valley or at an edge.',
        note, controls,
        draw: width => heat(search, families[at]!, width),
        table: () => table(search, families[at]!),
    });
    const second = bestFigure(search);
    return second ? [map.element, second] : [map.element];
}
