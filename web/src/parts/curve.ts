// The fitted function itself at one point of the path: a curve over one input, a surface over two.
import { contours } from 'd3-contour';
import { Chart, roomy, type Axis } from '../chart';
import { css, seriesClass, seriesRgb, viridisAt, type Rgb } from '../colours';
import { known, largestAt, quantile, range } from '../data';
import { h, s } from '../dom';
import type { Figure } from '../figure';
import { num, short, symbol } from '../format';
import type { Curve, Portrait } from '../portrait';
import { isClassification, type Report } from '../report';

interface State {
    report: Report;
    portrait: Portrait;
    at: number;
}

/** Which of the kept points is nearest to the slider. */
function place(curve: Curve, at: number): number {
    return Math.max(0, largestAt(curve.points.map(p => -Math.abs(p - at))));
}

function where({ portrait, at }: State, curve: Curve): string {
    const point = portrait.points[curve.points[place(curve, at)] ?? at];
    return `${symbol(portrait.parameter)} = ${num(point?.at ?? NaN, 3)}`;
}

function lineFigure(state: State, curve: Curve, output: number): Figure {
    const { report } = state;
    const name = curve.outputs[output] ?? `output ${output + 1}`;
    const input = curve.inputs[0] ?? 'x';
    const targets = curve.targets[output] ?? [];
    const isClass = curve.classes.some(known);
    const chosen = curve.values[place(curve, state.portrait.chosen)]?.[output] ?? [];
    return {
        name: `curve-${report.index}-${output}`,
        title: curve.outputs.length > 1 ? `Fitted curve: ${short(name)}` : 'Fitted curve',
        look: 'The curve should pass through the middle of the dots: flat where it ignores them, ragged where it follows each of them.',
        draw: width => {
            const f = curve.values[place(curve, state.at)]?.[output] ?? [];
            const chart = new Chart({
                width, height: 320,
                label: `Fitted curve of ${name} over ${input} at ${where(state, curve)}.`,
                legend: [{ class: 'c1', label: `fit at ${where(state, curve)}` }, { class: 'faint', label: 'chosen fit' }, { class: 'c0', label: 'rows', kind: 'dot' }],
                x: { label: input, domain: roomy(false, curve.x) },
                y: { label: isClass ? `score of ${name}` : name, isNice: true, domain: roomy(false, targets, chosen) },
            });
            if (isClass) {
                const [least, largest] = range(chosen) ?? [0, 1];
                curve.outputs.forEach((_, k) => {
                    const xs = curve.rowsX.filter((_x, i) => curve.classes[i] === k);
                    chart.dots(xs, xs.map(() => (k === output || (curve.outputs.length === 1 && k === 1) ? largest : least)), seriesClass(k));
                });
            } else {
                chart.dots(curve.rowsX, targets, 'c0');
                curve.rowsX.forEach((x, i) => chart.say(x, targets[i] ?? NaN, `${short(input)} ${num(x)}\n${short(name)} ${num(targets[i] ?? NaN)}`));
            }
            chart.line(curve.x, chosen, 'faint');
            chart.line(curve.x, f, 'c1 strong');
            return chart.svg;
        },
        table: () => ({
            columns: [input, `fitted ${name}`],
            rows: curve.x.map((x, i) => [x, curve.values[place(curve, state.at)]?.[output]?.[i]]),
            note: `At ${where(state, curve)}.`,
        }),
    };
}

/** A small picture of a grid of colours, stretched over the frame. */
function image(chart: Chart, curve: Curve, colour: (cell: number) => [...Rgb, number]): void {
    const [nx, ny] = [curve.x.length, curve.y.length];
    const canvas = h('canvas', { width: nx, height: ny });
    const context = canvas.getContext('2d');
    if (!context || nx < 2 || ny < 2) return;
    const pixels = context.createImageData(nx, ny);
    for (let row = 0; row < ny; row++)
        for (let k = 0; k < nx; k++) pixels.data.set(colour(row * nx + k), 4 * ((ny - 1 - row) * nx + k));
    context.putImageData(pixels, 0, 0);
    const [dx, dy] = [(curve.x[nx - 1]! - curve.x[0]!) / (nx - 1), (curve.y[ny - 1]! - curve.y[0]!) / (ny - 1)];
    const [left, right] = [chart.x(curve.x[0]! - dx / 2), chart.x(curve.x[nx - 1]! + dx / 2)];
    const [low, high] = [chart.y(curve.y[0]! - dy / 2), chart.y(curve.y[ny - 1]! + dy / 2)];
    if (![left, right, low, high].every(Number.isFinite)) return;
    chart.add(s('image', {
        href: canvas.toDataURL('image/png'), x: left, y: high, width: right - left, height: low - high, preserveAspectRatio: 'none',
    }));
}

function contour(chart: Chart, curve: Curve, values: readonly number[], level: number, name: string): void {
    const [nx, ny] = [curve.x.length, curve.y.length];
    if (values.length !== nx * ny || nx < 2 || ny < 2) return;
    const [dx, dy] = [(curve.x[nx - 1]! - curve.x[0]!) / (nx - 1), (curve.y[ny - 1]! - curve.y[0]!) / (ny - 1)];
    const found = contours().size([nx, ny]).contour(values.map(v => (known(v) ? v : -1e300)), level);
    const edge = (at: number, count: number): boolean => at <= 0.5 + 1e-9 || at >= count - 0.5 - 1e-9;
    let d = '';
    for (const polygon of found.coordinates)
        for (const ring of polygon) {
            let isDown = false;
            ring.forEach(([gx, gy], i) => {
                const before = ring[i - 1];
                const alongEdge = before !== undefined && ((edge(gx!, nx) && edge(before[0]!, nx)) || (edge(gy!, ny) && edge(before[1]!, ny)));
                const px = chart.x(curve.x[0]! + (gx! - 0.5) * dx);
                const py = chart.y(curve.y[0]! + (gy! - 0.5) * dy);
                const isPlace = Number.isFinite(px) && Number.isFinite(py);
                if (isPlace) d += `${isDown && !alongEdge ? 'L' : 'M'}${px.toFixed(1)},${py.toFixed(1)}`;
                isDown = isPlace;
            });
        }
    if (d) chart.add(s('path', { class: `line ${name}`, d }));
}

function axes(curve: Curve): { x: Axis; y: Axis } {
    return {
        x: { label: curve.inputs[0] ?? 'x', domain: range(curve.x) },
        y: { label: curve.inputs[1] ?? 'y', domain: range(curve.y) },
    };
}

function valueSurface(state: State, curve: Curve, output: number): Figure {
    const { report } = state;
    const name = curve.outputs[output] ?? `output ${output + 1}`;
    const targets = curve.targets[output] ?? [];
    const chosen = curve.values[place(curve, state.portrait.chosen)]?.[output] ?? [];
    const sorted = [...chosen, ...targets].filter(known).sort((a, b) => a - b);
    const [least, largest] = [quantile(sorted, 0.01), quantile(sorted, 0.99)];
    const share = (v: number): number => (v - least) / (largest - least || 1);
    return {
        name: `surface-${report.index}-${output}`,
        title: curve.outputs.length > 1 ? `Fitted surface: ${short(name)}` : 'Fitted surface',
        look: 'Dots are rows in the colour of their target: where a dot stands out from the ground, the fit is off there.',
        draw: width => {
            const f = curve.values[place(curve, state.at)]?.[output] ?? [];
            const chart = new Chart({
                width, height: 400, grid: 'none',
                label: `Fitted surface of ${name} over ${curve.inputs.join(' and ')} at ${where(state, curve)}, from ${num(least, 3)} (dark) to ${num(largest, 3)} (light).`,
                ...axes(curve),
                legend: [{ class: 'low', kind: 'dot', label: num(least, 3) }, { class: 'middle-value', kind: 'dot', label: num((least + largest) / 2, 3) },
                    { class: 'high', kind: 'dot', label: `${num(largest, 3)}, ${short(name)} at ${where(state, curve)}` }],
            });
            image(chart, curve, cell => (known(f[cell] ?? NaN) ? [...viridisAt(share(f[cell]!)), 255] : [0, 0, 0, 0]));
            for (let k = 1; k < 8; k++) contour(chart, curve, f, least + (k / 8) * (largest - least), 'contour');
            curve.rowsX.forEach((x, i) => {
                const [cx, cy] = [chart.x(x), chart.y(curve.rowsY[i] ?? NaN)];
                if (!Number.isFinite(cx) || !Number.isFinite(cy)) return;
                const z = targets[i] ?? NaN;
                chart.add(s('circle', { class: 'row', cx, cy, r: 3.2, fill: known(z) ? css(viridisAt(share(z))) : 'none' }));
                chart.say(x, curve.rowsY[i]!, `${curve.inputs[0]} ${num(x)}\n${curve.inputs[1]} ${num(curve.rowsY[i]!)}\n${short(name)} ${num(z)}`);
            });
            return chart.svg;
        },
        table: () => surfaceTable(state, curve),
    };
}

/** Scores of each class at a cell: two for a single output, whose sign decides. */
function scoresAt(f: readonly (readonly number[])[], cell: number): number[] {
    if (f.length === 1) {
        const v = f[0]![cell] ?? NaN;
        return [-v, v];
    }
    return f.map(output => output[cell] ?? NaN);
}

function classSurface(state: State, curve: Curve, labels: string[]): Figure {
    const { report } = state;
    return {
        name: `surface-${report.index}`,
        title: 'Regions of the classes',
        look: 'The ground says which class is predicted, paler where it is close; dots on the wrong ground are errors.',
        draw: width => {
            const f = curve.values[place(curve, state.at)] ?? [];
            const cells = curve.x.length * curve.y.length;
            const margins = Array.from({ length: cells }, (_, cell) => {
                const scores = scoresAt(f, cell);
                const best = largestAt(scores);
                const second = Math.max(...scores.filter((v, k) => k !== best && known(v)));
                return { best, margin: best < 0 || !known(second) ? NaN : scores[best]! - second };
            });
            const sorted = margins.map(m => m.margin).filter(known).sort((a, b) => a - b);
            const sure = quantile(sorted, 0.8) || 1;
            const chart = new Chart({
                width, height: 400, grid: 'none',
                label: `Predicted class over ${curve.inputs.join(' and ')} at ${where(state, curve)}.`,
                ...axes(curve),
                legend: [...labels.slice(0, 10).map((label, k) => ({ class: seriesClass(k), label, kind: 'dot' as const })),
                    { class: 'ink', label: `border at ${where(state, curve)}` }],
            });
            const grounds = labels.map((_, k) => seriesRgb(k));
            image(chart, curve, cell => {
                const { best, margin } = margins[cell]!;
                const [r, g, b] = grounds[best] ?? [128, 128, 128];
                return [r, g, b, best < 0 ? 0 : Math.round(30 + 110 * Math.min(1, margin / sure))];
            });
            labels.slice(f.length === 1 || labels.length === 2 ? 1 : 0, 12).forEach((_, k) => {
                const of = f.length === 1 || labels.length === 2 ? 1 : k;
                const lead = margins.map((_m, cell) => {
                    const scores = scoresAt(f, cell);
                    const others = Math.max(...scores.filter((v, j) => j !== of && known(v)));
                    return (scores[of] ?? NaN) - others;
                });
                contour(chart, curve, lead, 0, 'ink');
            });
            labels.forEach((label, k) => {
                const mine = curve.rowsX.map((_, i) => i).filter(i => curve.classes[i] === k);
                const [xs, ys] = [mine.map(i => curve.rowsX[i]!), mine.map(i => curve.rowsY[i] ?? NaN)];
                chart.dots(xs, ys, 'ground');
                chart.dots(xs, ys, `${seriesClass(k)} solid`);
                xs.forEach((x, i) => chart.say(x, ys[i]!, `${short(label)}\n${curve.inputs[0]} ${num(x)}\n${curve.inputs[1]} ${num(ys[i]!)}`));
            });
            return chart.svg;
        },
        table: () => surfaceTable(state, curve),
    };
}

function surfaceTable(state: State, curve: Curve): ReturnType<Figure['table']> {
    const f = curve.values[place(curve, state.at)] ?? [];
    const step = Math.max(1, Math.ceil(Math.sqrt((curve.x.length * curve.y.length) / 200)));
    const rows: number[][] = [];
    for (let j = 0; j < curve.y.length; j += step)
        for (let i = 0; i < curve.x.length; i += step)
            rows.push([curve.x[i]!, curve.y[j]!, ...f.map(output => output[j * curve.x.length + i] ?? NaN)]);
    return {
        columns: [curve.inputs[0] ?? 'x', curve.inputs[1] ?? 'y', ...f.map((_, k) => curve.outputs[k] ?? `output ${k + 1}`)],
        rows, note: `Every ${step === 1 ? '' : `${step}th `}point of the grid, at ${where(state, curve)}.`,
    };
}

export function curveFigures(state: State): Figure[] {
    const { curve } = state.portrait;
    const { report } = state;
    if (!curve) {
        const p = Number((report.record.data as { p?: unknown } | undefined)?.p);
        if (p > 2 && state.portrait.of === 'model')
            report.cannot.push(`The fitted function is not drawn: the data have ${p} columns, and a curve or surface takes one or two.`);
        return [];
    }
    const labels = Array.isArray((report.record.data as { classes?: unknown } | undefined)?.classes)
        ? ((report.record.data as { classes: unknown[] }).classes).map(String) : curve.outputs;
    if (curve.inputs.length > 1)
        return isClassification(report) || curve.classes.some(known)
            ? [classSurface(state, curve, labels.length > 1 ? labels : ['negative', 'positive'])]
            : curve.outputs.slice(0, 4).map((_, k) => valueSurface(state, curve, k));
    return curve.outputs.slice(0, 4).map((_, k) => lineFigure(state, curve, k));
}
