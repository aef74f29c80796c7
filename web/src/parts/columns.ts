// Which columns matter: permutation importance, and partial dependence of the first few.
import { Chart, roomy, type Key } from '../chart';
import { seriesClass } from '../colours';
import { fields, known, list, matrix, number, numbers, text, texts, type Fields } from '../data';
import { choice, s } from '../dom';
import { figureOf, type Figure } from '../figure';
import { measure, num, plural, short } from '../format';
import { ranked } from '../ranked';
import type { Report } from '../report';

function importance(report: Report): Figure | undefined {
    const part = fields(report.raw.importance);
    const columns = list(part.columns).map(fields).filter(c => known(number(c.mean)));
    if (!columns.length) return undefined;
    columns.sort((a, b) => number(b.mean) - number(a.mean));
    const m = measure(text(part.criterion));
    const shown = columns.slice(0, 20);
    const spread = (c: Fields): number => number(c.stddev) || 0;
    const of = `of ${plural(number(part.n), 'row')}${known(number(part.repeats)) ? `, ${plural(number(part.repeats), 'permutation')} each` : ''}`;
    return {
        name: `importance-${report.index}`,
        title: columns.length > shown.length ? `Importance of the first ${shown.length} of ${columns.length} columns` : 'Importance of the columns',
        look: 'How much the error grows when a column is shuffled: those whose whiskers reach zero may not matter at all.',
        note: known(number(part.baseline)) ? `Without shuffling: ${m.title} ${m.show(number(part.baseline))} ${of}.` : undefined,
        draw: width => ranked({
            width, kind: 'bar', label: `Increase of the ${m.title} by shuffling; ${text(shown[0]!.name)} matters most.`,
            axis: { label: `increase of the ${m.title}`, ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
            rows: shown.map(c => ({
                name: text(c.name), value: number(c.mean), low: number(c.mean) - spread(c), high: number(c.mean) + spread(c),
                say: `${short(text(c.name), 40)}\n+ ${m.show(number(c.mean))} \u00b1 ${m.show(spread(c))}`,
            })),
        }),
        table: () => ({ columns: ['column', 'increase', 'deviation'], rows: columns.map(c => [text(c.name), number(c.mean), number(c.stddev)]), show: { 1: m.show, 2: m.show } }),
    };
}

interface Dependence {
    name: string;
    isCategory: boolean;
    grid: number[];
    labels: string[];
    outputs: string[];
    mean: number[][];
    low: number[][];
    high: number[][];
}

/** By output, whichever way round the lists are. */
function byOutput(value: unknown, points: number, outputs: number): number[][] {
    const found = matrix(value);
    if (found.length !== points && found.length === outputs) return found;
    return Array.from({ length: outputs }, (_, k) => Array.from({ length: points }, (_v, i) => found[i]?.[k] ?? NaN));
}

function dependenceOf(value: unknown): Dependence {
    const part = fields(value);
    const grid = list(part.grid);
    const labels = texts(grid);
    const isCategory = text(part.kind) === 'category' || grid.some(v => typeof v === 'string');
    const outputs = texts(part.outputs).length ? texts(part.outputs) : [''];
    const of = (v: unknown): number[][] => byOutput(v, grid.length, outputs.length);
    return { name: text(part.name), isCategory, grid: numbers(part.grid), labels, outputs, mean: of(part.mean), low: of(part.low), high: of(part.high) };
}

function dependence(report: Report, d: Dependence, at: number, which: () => number): Figure {
    const areFew = d.outputs.length <= 4;
    const shown = (): number[] => (areFew ? d.outputs.map((_, k) => k) : [which()]);
    const colour = (k: number): string => (areFew ? seriesClass(k) : 'c0');
    const say = (k: number, i: number): string => `${d.isCategory ? short(d.labels[i] ?? '') : num(d.grid[i]!)}${d.outputs.length > 1 ? `\n${short(d.outputs[k]!)}` : ''}\n${num(d.mean[k]![i]!)}`;
    const values = (): number[] => shown().flatMap(k => [...d.mean[k]!, ...d.low[k]!, ...d.high[k]!]);
    return {
        name: `partial-${report.index}-${at}`,
        title: `Dependence on ${short(d.name, 32) || `column ${at + 1}`}`,
        look: d.isCategory
            ? 'The mean prediction if every row had this value; whiskers hold the middle 80\u202f% of the rows.'
            : 'The mean prediction as this column alone changes; the band holds the middle 80\u202f% of the rows.',
        draw: width => {
            const legend: Key[] | undefined = d.outputs.length > 1 ? shown().map(k => ({ class: colour(k), label: d.outputs[k]! })) : undefined;
            const chart = new Chart({
                width, height: 270, label: `Mean prediction over ${d.name}.`, ...(legend ? { legend } : {}),
                x: d.isCategory ? { label: short(d.name, 40), names: d.labels } : { label: short(d.name, 40), domain: roomy(false, d.grid) },
                y: { label: d.outputs.length > 1 ? 'prediction' : short(d.outputs[0]!, 40) || 'prediction', isNice: true, domain: roomy(false, values()) },
            });
            const x = d.isCategory ? d.labels.map((_, i) => i) : d.grid;
            for (const k of shown()) {
                const shift = d.isCategory && areFew ? (k - (d.outputs.length - 1) / 2) * 0.12 : 0;
                const places = x.map(v => v + shift);
                if (d.isCategory) {
                    x.forEach((_, i) => chart.line([places[i]!, places[i]!], [d.low[k]![i]!, d.high[k]![i]!], colour(k)));
                    places.forEach((v, i) => {
                        const [cx, cy] = [chart.x(v), chart.y(d.mean[k]![i]!)];
                        if (Number.isFinite(cx) && Number.isFinite(cy)) chart.add(s('circle', { class: `bar ${colour(k)}`, cx, cy, r: 4.5 }));
                    });
                } else {
                    chart.band(x, d.low[k]!, d.high[k]!, colour(k));
                    chart.line(x, d.mean[k]!, colour(k));
                }
                places.forEach((v, i) => chart.say(v, d.mean[k]![i]!, say(k, i)));
            }
            return chart.svg;
        },
        table: () => ({
            columns: [d.name || 'value', ...shown().flatMap(k => [`${d.outputs[k]} mean`, '10 %', '90 %'])],
            rows: (d.isCategory ? d.labels : d.grid).map((v, i) => [v, ...shown().flatMap(k => [d.mean[k]![i], d.low[k]![i], d.high[k]![i]])]),
        }),
    };
}

export function columnsPart(report: Report): (Figure | HTMLElement)[] {
    const first = importance(report);
    const parts = list(report.raw.partial).map(dependenceOf).filter(d => d.mean.some(m => m.some(known))).slice(0, 8);
    const state = { k: 0 };
    const outputs = Math.max(0, ...parts.map(d => d.outputs.length));
    const figures = parts.map((d, i) => dependence(report, d, i, () => Math.min(state.k, d.outputs.length - 1)));
    const before = first ? [first] : [];
    if (outputs <= 4) return [...before, ...figures];
    const drawn = figures.map(figureOf);
    const pick = choice('Output', parts.find(d => d.outputs.length === outputs)!.outputs.map(o => short(o, 40)), 0, k => {
        state.k = k;
        for (const d of drawn) d.redraw();
    });
    pick.classList.add('bar-of-choices');
    return [pick, ...before, ...drawn.map(d => d.element)];
}
