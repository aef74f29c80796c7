// A chart with a line for each name: dots with whiskers, or bars.
import { Chart, roomy, type Axis, type Key } from './chart';
import { known, range } from './data';
import { s } from './dom';

export interface Ranked {
    name: string;
    value: number;
    low?: number;
    high?: number;
    class?: string;
    say: string;
}

interface Options {
    width: number;
    label: string;
    rows: Ranked[];
    axis: Axis;
    kind: 'dot' | 'bar';
    legend?: Key[];
    /** To be level with the chart beside it; rows are no further apart than 56 pixels. */
    height?: number;
    /** What stands over the names. */
    head?: string;
}

export function ranked({ width, label, rows, axis, kind, legend, head, height }: Options): SVGSVGElement {
    const values = rows.flatMap(r => [r.value, r.low ?? NaN, r.high ?? NaN]);
    const found = roomy(axis.isLog ?? false, values) ?? [0, 1];
    const [least, largest] = range(values) ?? [0, 1];
    const domain: [number, number] = axis.isLog ? found
        : kind === 'bar' ? [Math.min(0, least) * 1.04, Math.max(0, largest) * 1.04] : found;
    if (domain[0] === domain[1]) domain[1] = domain[0] + 1;
    const count = Math.max(1, rows.length);
    const each = height ? Math.min(56, Math.max(24, (height - 66) / count)) : Math.min(40, Math.max(24, 170 / count));
    const chart = new Chart({
        width, height: 66 + each * count + (legend ? 18 : 0), label, grid: 'both',
        x: { isNice: false, ...axis, domain: axis.domain ?? domain },
        y: { label: head ?? '', names: rows.map(r => r.name), isReversed: true },
        ...(legend ? { legend } : {}),
    });
    const zero = chart.x(0);
    rows.forEach((row, i) => {
        const [x, y] = [chart.x(row.value), chart.y(i)];
        const name = row.class ?? 'c0';
        if (kind === 'bar' && Number.isFinite(x)) {
            const from = Number.isFinite(zero) ? Math.max(chart.left, zero) : chart.left;
            chart.add(s('rect', { class: `bar ${name}`, x: Math.min(x, from), width: Math.max(1, Math.abs(x - from)), y: y - 7, height: 14, rx: 2 }));
        }
        const [low, high] = [chart.x(row.low ?? NaN), chart.x(row.high ?? NaN)];
        if (Number.isFinite(low) && Number.isFinite(high))
            chart.add(s('path', { class: `line ${kind === 'bar' ? 'ink' : name}`, d: `M${low},${y}H${high}` }));
        if (kind === 'dot' && known(x)) chart.add(s('circle', { class: `bar ${name}`, cx: x, cy: y, r: 4.5 }));
        chart.say(row.value, i, row.say);
    });
    return chart.svg;
}
