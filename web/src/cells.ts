// Cells of a heat map: those of one colour are one path, so that a million cost no more than a few hundred.
import type { Chart } from './chart';
import { s } from './dom';

interface Cell {
    x0: number;
    x1: number;
    y0: number;
    y1: number;
    /** The name of its colour: cells of one name are drawn together. */
    colour: string;
}

export function cells(chart: Chart, list: Iterable<Cell>, paint: (colour: string) => Record<string, string | number | undefined>): void {
    const paths = new Map<string, string[]>();
    for (const cell of list) {
        const [a, b, c, d] = [chart.x(cell.x0), chart.x(cell.x1), chart.y(cell.y0), chart.y(cell.y1)];
        if (![a, b, c, d].every(Number.isFinite)) continue;
        const [left, right, top, bottom] = [Math.min(a, b), Math.max(a, b), Math.min(c, d), Math.max(c, d)];
        let path = paths.get(cell.colour);
        if (!path) paths.set(cell.colour, (path = []));
        path.push(`M${left.toFixed(1)},${top.toFixed(1)}H${right.toFixed(1)}V${bottom.toFixed(1)}H${left.toFixed(1)}Z`);
    }
    for (const [colour, path] of paths) chart.add(s('path', { d: path.join(''), 'shape-rendering': 'crispEdges', ...paint(colour) }));
}
