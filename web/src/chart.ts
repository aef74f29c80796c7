// One chart: a frame with two axes, and marks within it.
import { scaleLinear, scaleLog } from 'd3-scale';
import { line as d3line, area as d3area, curveStepAfter } from 'd3-shape';
import { range } from './data';
import { newId, s } from './dom';
import { num, power, short } from './format';
import { tip } from './tip';

export interface Axis {
    label: string;
    domain?: [number, number] | undefined;
    isLog?: boolean;
    /** The largest value stands left (or below). */
    isReversed?: boolean;
    /** Ends at ticks. */
    isNice?: boolean;
    /** Names of the places 0, 1, 2 ... in place of numbers. */
    names?: string[];
    format?: (value: number) => string;
    /** At whole numbers alone. */
    isWhole?: boolean;
}

export interface Key {
    class: string;
    label: string;
    kind?: 'line' | 'dot' | 'area' | 'bar';
}

interface Options {
    width: number;
    height: number;
    /** What a screen reader says of the picture. */
    label: string;
    x: Axis;
    y: Axis;
    legend?: Key[];
    /** One unit is as long on both axes. */
    isSquare?: boolean;
    grid?: 'y' | 'both' | 'none';
}

/** A place in pixels; NaN where there is none. */
interface Scale {
    (value: number): number;
    ticks: { at: number; label: string }[];
}

const letter = 6.4; // the mean width of a letter of an axis

/** The width of a label of an axis in pixels, at most. */
function wide(label: string): number {
    let sum = 0;
    for (const c of label) sum += /[mwMW%@\u2014]/.test(c) ? 11 : /[ijltfrI .,:;'|!()\u00b7\u2070-\u209f\u00b2\u00b3\u00b9]/.test(c) ? 4.6 : 7.3;
    return sum;
}

function padded(domain: [number, number] | undefined, isLog: boolean): [number, number] {
    let [a, b] = domain ?? (isLog ? [0.1, 1] : [0, 1]);
    if (a === b) [a, b] = isLog ? [a / 2, a * 2] : [a - (Math.abs(a) / 10 || 1), b + (Math.abs(b) / 10 || 1)];
    return [a, b];
}

/** Powers of ten where they span decades, else 1, 2, 5; all plain or all as powers. */
function logTicks(a: number, b: number, most: number): { at: number; label: string }[] {
    const least = Math.ceil(Math.log10(a) - 1e-9);
    const largest = Math.floor(Math.log10(b) + 1e-9);
    const arePlain = least >= -2 && largest <= 4;
    const label = (k: number): string => (arePlain ? num(10 ** k) : power(k));
    if (largest - least >= 2) {
        const step = Math.max(1, Math.ceil((largest - least + 1) / most));
        const ticks = [];
        for (let k = Math.ceil(least / step) * step; k <= largest; k += step) ticks.push({ at: 10 ** k, label: label(k) });
        return ticks;
    }
    const ticks = [];
    for (let k = least - 1; k <= largest; k++)
        for (const m of b / a > 4 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 6, 8]) {
            const at = m * 10 ** k;
            if (at >= a * 0.999 && at <= b * 1.001) ticks.push({ at, label: num(at, 3) });
        }
    return ticks.length > 1 ? ticks : [{ at: a, label: num(a, 2) }, { at: b, label: num(b, 2) }];
}

function scaleOf(axis: Axis, from: number, to: number, most: number): Scale {
    const [a, b] = padded(axis.domain, axis.isLog ?? false);
    const isLog = (axis.isLog ?? false) && a > 0;
    const ends = axis.isReversed ? [to, from] : [from, to];
    if (axis.names) {
        const names = axis.names;
        const scale = scaleLinear([-0.5, names.length - 0.5], ends);
        const step = Math.max(1, Math.ceil(names.length / most));
        const ticks = names.map((label, at) => ({ at, label })).filter((_, i) => i % step === 0);
        return Object.assign((v: number) => Number(scale(v)), { ticks });
    }
    if (isLog) {
        const scale = scaleLog([a, b], ends);
        return Object.assign((v: number) => (v > 0 ? Number(scale(v)) : NaN), { ticks: logTicks(a, b, most) });
    }
    const scale = scaleLinear([a, b], ends);
    if (axis.isNice) scale.nice(most);
    let at = scale.ticks(most);
    if (axis.isWhole) at = at.filter(Number.isInteger);
    const step = at.length > 1 ? Math.abs(at[1]! - at[0]!) : 1;
    const label = axis.format ?? ((v: number) => num(Math.abs(v) < step / 1e6 ? 0 : v, 6));
    return Object.assign((v: number) => Number(scale(v)), { ticks: at.map(v => ({ at: v, label: label(v) })) });
}

/** The ticks of an axis along x that do not run into each other. */
function apart(ticks: { at: number; label: string }[], place: Scale, limit: number): { at: number; label: string }[] {
    let step = 1;
    for (; step < ticks.length; step++) {
        const some = ticks.filter((_, i) => i % step === 0);
        const near = some.some((t, i) => i > 0 &&
            Math.abs(place(t.at) - place(some[i - 1]!.at)) < (wide(t.label) + wide(some[i - 1]!.label)) / 2 + limit);
        if (!near) break;
    }
    return ticks.filter((_, i) => i % step === 0);
}

export class Chart {
    readonly svg: SVGSVGElement;
    readonly x: Scale;
    readonly y: Scale;
    readonly left: number;
    readonly right: number;
    readonly top: number;
    readonly bottom: number;
    private readonly marks: SVGGElement;
    private readonly above: SVGGElement;
    private readonly tips: { x: number; y: number; text: string }[] = [];

    constructor(options: Options) {
        const { width, height } = options;
        const legend = legendOf(options.legend ?? [], width - 8);
        this.top = (options.y.label ? 26 : 10) + legend.height;
        this.bottom = height - 40;
        const most = Math.max(3, Math.floor((this.bottom - this.top) / (options.y.names ? 13 : 44)));
        const trial = scaleOf(options.y, this.bottom, this.top, most);
        this.left = Math.min(width * 0.42, Math.max(28, ...trial.ticks.map(t => wide(t.label) + 12)));
        this.right = width - 14;
        if (options.isSquare) { // leave room on the right or below
            const side = Math.min(this.right - this.left, this.bottom - this.top);
            this.right = this.left + side;
            this.bottom = this.top + side;
        }
        this.y = scaleOf(options.y, this.bottom, this.top, most);
        this.x = scaleOf(options.x, this.left, this.right, Math.max(2, Math.floor((this.right - this.left) / 64)));
        const high = this.bottom + 40;
        this.svg = s('svg', {
            viewBox: `0 0 ${width} ${high}`, width, height: high, role: 'img', 'aria-label': options.label, class: 'chart',
        });
        const clip = newId('clip');
        this.svg.append(s('defs', {}, s('clipPath', { id: clip },
            s('rect', { x: this.left - 1, y: this.top - 3, width: this.right - this.left + 2, height: this.bottom - this.top + 6 }))));
        this.drawAxes(options);
        this.marks = s('g', { class: 'marks', 'clip-path': `url(#${clip})` });
        this.above = s('g', { class: 'above' });
        this.svg.append(this.marks, this.above);
        if (options.legend) this.svg.append(s('g', { transform: `translate(4,${options.y.label ? 18 : 2})` }, legend.group));
        this.svg.addEventListener('pointermove', e => this.point(e));
        this.svg.addEventListener('pointerleave', () => this.unpoint());
    }

    private drawAxes({ width, x, y, grid }: Options): void {
        const g = s('g', { class: 'axes' });
        const along = apart(this.x.ticks, this.x, 10);
        for (const t of this.y.ticks) {
            const at = this.y(t.at);
            if (grid !== 'none' && !y.names) g.append(s('line', { class: 'grid', x1: this.left, x2: this.right, y1: at, y2: at }));
            g.append(s('text', { x: this.left - 7, y: at + 4, class: 'end' }, short(t.label, Math.floor((this.left - 8) / letter))));
        }
        const room = (this.right - this.left) / Math.max(1, along.length) / letter;
        for (const t of along) {
            const at = this.x(t.at);
            if (grid === 'both') g.append(s('line', { class: 'grid', x1: at, x2: at, y1: this.top, y2: this.bottom }));
            if (!x.names) g.append(s('line', { class: 'tick', x1: at, x2: at, y1: this.bottom, y2: this.bottom + 4 }));
            const label = x.names ? short(t.label, Math.max(3, Math.floor(room))) : t.label;
            const inside = Math.min(at, width - wide(label) / 2); // a label at the end is not cut
            g.append(s('text', { x: inside, y: this.bottom + 16, class: 'middle' }, label));
        }
        g.append(s('line', { class: 'base', x1: this.left, x2: this.right, y1: this.bottom, y2: this.bottom }));
        g.append(s('text', { class: 'label', x: 4, y: 12 }, y.label));
        g.append(s('text', { class: 'label end', x: this.right, y: this.bottom + 34 }, x.label));
        this.svg.append(g);
    }

    /** Adds an element in pixels to the marks, cut at the frame. */
    add(element: SVGElement): void {
        this.marks.append(element);
    }

    /** Adds an element that may reach over the frame. */
    over(element: SVGElement): void {
        this.above.append(element);
    }

    line(xs: readonly number[], ys: readonly number[], name: string, isStep = false): void {
        const places = xs.map((x, i): [number, number] => [this.x(x), this.y(ys[i] ?? NaN)]);
        const draw = d3line().defined(p => Number.isFinite(p[0]) && Number.isFinite(p[1])).digits(1);
        if (isStep) draw.curve(curveStepAfter);
        const d = draw(places.length > 2000 ? thinned(places) : places);
        if (d) this.add(s('path', { class: `line ${name}`, d }));
    }

    band(xs: readonly number[], low: readonly number[], high: readonly number[], name: string): void {
        const draw = d3area<number>().digits(1)
            .defined(i => [xs[i], low[i], high[i]].every(v => Number.isFinite(v)))
            .x(i => this.x(xs[i]!)).y0(i => this.clamp(low[i]!)).y1(i => this.clamp(high[i]!));
        const d = draw(xs.map((_, i) => i));
        if (d) this.add(s('path', { class: `band ${name}`, d }));
    }

    /** A height in pixels; what a logarithmic axis does not have is at the bottom. */
    private clamp(value: number): number {
        const y = this.y(value);
        return Number.isFinite(y) ? y : this.bottom;
    }

    /** Dots: a few paths, whose overlaps are darker, rather than thousands of elements. */
    dots(xs: readonly number[], ys: readonly number[], name: string): void {
        const paths: string[][] = [];
        const count = Math.min(60, xs.length);
        xs.forEach((x, i) => {
            const px = this.x(x);
            const py = this.y(ys[i] ?? NaN);
            if (Number.isFinite(px) && Number.isFinite(py)) (paths[i % count] ??= []).push(`M${px.toFixed(1)},${py.toFixed(1)}h0`);
        });
        for (const path of paths) if (path) this.add(s('path', { class: `dots ${name}`, d: path.join('') }));
    }

    rect(x0: number, x1: number, y0: number, y1: number, attributes: Record<string, string | number>): void {
        const [a, b, c, d] = [this.x(x0), this.x(x1), this.y(y0), this.y(y1)];
        if (![a, b, c, d].every(Number.isFinite)) return;
        this.add(s('rect', {
            x: Math.min(a, b).toFixed(1), y: Math.min(c, d).toFixed(1),
            width: Math.max(0.5, Math.abs(b - a)).toFixed(1), height: Math.max(0.5, Math.abs(d - c)).toFixed(1), ...attributes,
        }));
    }

    vertical(x: number, name: string, label = ''): void {
        const at = this.x(x);
        if (!Number.isFinite(at)) return;
        this.add(s('line', { class: `rule ${name}`, x1: at, x2: at, y1: this.top, y2: this.bottom }));
        if (label) {
            const isRight = at > (this.left + this.right) / 2;
            this.over(s('text', { class: `note ${isRight ? 'end' : ''}`, x: at + (isRight ? -5 : 5), y: this.top + 10 }, label));
        }
    }

    horizontal(y: number, name: string, label = ''): void {
        const at = this.y(y);
        if (!Number.isFinite(at) || at < this.top - 3 || at > this.bottom + 3) return;
        this.add(s('line', { class: `rule ${name}`, x1: this.left, x2: this.right, y1: at, y2: at }));
        if (label) this.over(s('text', { class: 'note', x: this.left + 4, y: at + 14 > this.bottom ? at - 5 : at + 14 }, label));
    }

    ring(x: number, y: number, name = ''): void {
        const [cx, cy] = [this.x(x), this.y(y)];
        if (Number.isFinite(cx) && Number.isFinite(cy)) this.over(s('circle', { class: `ring ${name}`, cx, cy, r: 5.5 }));
    }

    /** A cross in a ring that shows on any ground. */
    mark(x: number, y: number): void {
        const [cx, cy] = [this.x(x), this.y(y)];
        if (!Number.isFinite(cx) || !Number.isFinite(cy)) return;
        const d = `M${cx - 6},${cy}h12M${cx},${cy - 6}v12`;
        this.over(s('path', { class: 'cross under', d }));
        this.over(s('path', { class: 'cross', d }));
    }

    /** What is said where the pointer is near. */
    say(x: number, y: number, text: string): void {
        const [px, py] = [this.x(x), this.y(y)];
        if (Number.isFinite(px) && Number.isFinite(py)) this.tips.push({ x: px, y: py, text });
    }

    private halo: SVGCircleElement | undefined;

    private point(e: PointerEvent): void {
        const box = this.svg.getBoundingClientRect();
        const scale = this.svg.viewBox.baseVal.width / (box.width || 1);
        const [x, y] = [(e.clientX - box.left) * scale, (e.clientY - box.top) * scale];
        let best: { x: number; y: number; text: string } | undefined;
        let least = 30 ** 2;
        for (const t of this.tips) {
            const far = (t.x - x) ** 2 + (t.y - y) ** 2;
            if (far < least) [least, best] = [far, t];
        }
        this.halo?.remove();
        if (!best) return tip.hide();
        this.halo = s('circle', { class: 'halo', cx: best.x, cy: best.y, r: 5 });
        this.svg.append(this.halo);
        tip.show(best.text, box.left + best.x / scale, box.top + best.y / scale);
    }

    private unpoint(): void {
        this.halo?.remove();
        tip.hide();
    }
}

/** The points without those that lie on the one before them. */
function thinned(places: readonly [number, number][]): [number, number][] {
    let [x, y] = [NaN, NaN];
    return places.filter((p, i) => {
        if (i + 1 < places.length && Math.abs(p[0] - x) < 0.4 && Math.abs(p[1] - y) < 0.4) return false;
        [x, y] = p;
        return true;
    });
}

function legendOf(keys: Key[], width: number): { group: SVGGElement; height: number } {
    const group = s('g', { class: 'legend' });
    let [x, y] = [0, 12];
    for (const key of keys) {
        const label = short(key.label, 44);
        const long = 26 + wide(label) + 14;
        if (x > 0 && x + long > width) [x, y] = [0, y + 17];
        const mark = key.kind === 'dot' ? s('path', { class: `dots ${key.class}`, d: `M${x + 8},${y - 4}h0` })
            : key.kind === 'area' || key.kind === 'bar' ? s('rect', { class: `${key.kind === 'bar' ? 'bar' : 'band'} ${key.class}`, x, y: y - 9, width: 16, height: 10 })
            : s('path', { class: `line ${key.class}`, d: `M${x},${y - 4}h16` });
        if (key.kind === 'dot') group.append(s('path', { class: 'dots rim', d: `M${x + 8},${y - 4}h0` }));
        group.append(mark, s('text', { x: x + 21, y }, label));
        x += long;
    }
    return { group, height: keys.length ? y + 4 : 0 };
}

/** The range of all lists, a little larger so that marks do not touch the frame. */
export function roomy(isLog: boolean, ...lists: readonly (readonly number[])[]): [number, number] | undefined {
    const found = range(...(isLog ? lists.map(values => values.map(v => (v > 0 ? v : NaN))) : lists));
    if (!found) return undefined;
    const [a, b] = found;
    if (a === b) return isLog ? [a / 3, a * 3] : [a - (Math.abs(a) * 0.1 || 1), b + (Math.abs(b) * 0.1 || 1)];
    if (isLog) {
        const part = (b / a) ** 0.04;
        return [a / part, b * part];
    }
    const low = a - 0.04 * (b - a);
    return [a >= 0 && low < 0 ? 0 : low, b + 0.04 * (b - a)];
}
