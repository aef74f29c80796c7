// A vector field over the plane: arrows, and its curl-free and divergence-free parts.
import { Chart } from '../chart';
import { fields, known, matrix, numbers, range, type Fields } from '../data';
import { choice, s } from '../dom';
import { figureOf, type Figure } from '../figure';
import { num } from '../format';
import type { Report } from '../report';

interface Arrows {
    x: number[];
    y: number[];
    u: number[];
    v: number[];
}

/** The arrows of a grid, row by row of y; every second or third one if there are too many. */
function ofGrid(x: number[], y: number[], part: Fields): Arrows | undefined {
    const [u, v] = [matrix(part.u), matrix(part.v)];
    if (!u.some(row => row.some(known))) return undefined;
    const step = Math.max(1, Math.ceil(Math.max(x.length, y.length) / 22));
    const found: Arrows = { x: [], y: [], u: [], v: [] };
    for (let j = 0; j < y.length; j += step)
        for (let i = 0; i < x.length; i += step) {
            found.x.push(x[i]!);
            found.y.push(y[j]!);
            found.u.push(u[j]?.[i] ?? NaN);
            found.v.push(v[j]?.[i] ?? NaN);
        }
    return found;
}

function draw(chart: Chart, arrows: Arrows, scale: number, name: string): void {
    let d = '';
    arrows.x.forEach((x, i) => {
        const [px, py] = [chart.x(x), chart.y(arrows.y[i]!)];
        const [dx, dy] = [arrows.u[i]! * scale, -arrows.v[i]! * scale];
        const long = Math.hypot(dx, dy);
        if (!Number.isFinite(px) || !Number.isFinite(py) || !known(long)) return;
        const [ax, ay] = [px - dx / 2, py - dy / 2];
        const [bx, by] = [px + dx / 2, py + dy / 2];
        const head = Math.min(5, long * 0.45);
        const angle = Math.atan2(dy, dx);
        const wing = (turn: number): string => `${(bx - head * Math.cos(angle + turn)).toFixed(1)},${(by - head * Math.sin(angle + turn)).toFixed(1)}`;
        d += `M${ax.toFixed(1)},${ay.toFixed(1)}L${bx.toFixed(1)},${by.toFixed(1)}`;
        if (long > 2) d += `M${wing(0.5)}L${bx.toFixed(1)},${by.toFixed(1)}L${wing(-0.5)}`;
        chart.say(x, arrows.y[i]!, `at ${num(x, 3)}, ${num(arrows.y[i]!, 3)}\n(${num(arrows.u[i]!, 3)}, ${num(arrows.v[i]!, 3)})`);
    });
    if (d) chart.add(s('path', { class: `line arrow ${name}`, d }));
}

const longest = (a: Arrows | undefined): number => {
    const lengths = (a?.u ?? []).map((u, i) => Math.hypot(u, a!.v[i]!)).filter(known);
    return Math.max(0, ...lengths);
};

export function fieldPart(report: Report): (Figure | HTMLElement)[] {
    const part = fields(report.raw.field);
    const [x, y] = [numbers(part.x), numbers(part.y)];
    const whole = ofGrid(x, y, part);
    if (!whole) return [];
    const given = fields(part.points);
    const rows: Arrows = { x: numbers(given.x), y: numbers(given.y), u: numbers(given.u), v: numbers(given.v) };
    const parts = [
        { name: 'curl-free part', arrows: ofGrid(x, y, fields(part.curlfree)), colour: 'c1' },
        { name: 'divergence-free part', arrows: ofGrid(x, y, fields(part.divfree)), colour: 'c2' },
    ].filter(p => p.arrows);
    const most = Math.max(longest(whole), ...parts.map(p => longest(p.arrows))) || 1;
    const frame = (width: number, label: string, legend: { class: string; label: string }[]): { chart: Chart; scale: number } => {
        const xs = range(x, rows.x) ?? [0, 1];
        const ys = range(y, rows.y) ?? [0, 1];
        const half = Math.max(xs[1] - xs[0], ys[1] - ys[0]) * 0.54;
        const around = ([a, b]: [number, number]): [number, number] => [(a + b) / 2 - half, (a + b) / 2 + half];
        const chart = new Chart({
            width, height: Math.min(520, width + 40), grid: 'none', isSquare: true, label, legend,
            x: { label: 'x', domain: around(xs) }, y: { label: 'y', domain: around(ys) },
        });
        const count = Math.sqrt(whole.x.length) || 1;
        return { chart, scale: (1.15 * (chart.right - chart.left)) / count / most };
    };
    const table = (a: Arrows) => (): ReturnType<Figure['table']> => ({ columns: ['x', 'y', 'u', 'v'], rows: a.x.map((v, i) => [v, a.y[i], a.u[i], a.v[i]]) });
    const first: Figure = {
        name: `field-${report.index}`,
        title: 'The field',
        look: 'Grey arrows are the rows: where they cross the fitted ones, the fit disagrees with what was measured.',
        draw: width => {
            const { chart, scale } = frame(width, 'Arrows of the fitted field over the plane.', [{ class: 'c0', label: 'fitted' }, { class: 'muted', label: 'rows' }]);
            draw(chart, rows, scale, 'muted');
            draw(chart, whole, scale, 'c0');
            return chart.svg;
        },
        table: table(whole),
    };
    if (!parts.length) return [first];
    const all = [...parts, { name: 'both', arrows: whole, colour: 'c0' }];
    const state = { k: 0 };
    const second = figureOf({
        name: `field-parts-${report.index}`,
        title: 'Its parts',
        look: 'Sources and sinks are in the curl-free part, swirls in the divergence-free one; arrows of both figures have one scale.',
        controls: [choice('Show', all.map(p => p.name), 0, k => {
            state.k = k;
            second.redraw();
        })],
        draw: width => {
            const { name, arrows, colour } = all[state.k]!;
            const { chart, scale } = frame(width, `Arrows: ${name} of the fitted field.`, [{ class: colour, label: name }]);
            draw(chart, arrows!, scale, colour);
            return chart.svg;
        },
        table: () => table(all[state.k]!.arrows!)(),
    });
    return [first, second.element];
}
