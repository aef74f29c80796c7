// The regularization path with its slider: errors, effective dimension, the filter on the spectrum, the
// eigenvalues that it keeps, and the fitted curve or surface.
import { Chart, roomy, type Key } from '../chart';
import { known, range } from '../data';
import { h, newId } from '../dom';
import { figureOf, type Drawn, type Figure } from '../figure';
import { measure, num, symbol } from '../format';
import { keptAt, type Portrait } from '../portrait';
import { criterionOf, pathAxis, type Report } from '../report';
import { curveFigures } from './curve';

interface State {
    report: Report;
    portrait: Portrait;
    at: number;
}

const heldOut = 'c1';
const train = 'c0';

function atText({ portrait, at }: State): string {
    return `${symbol(portrait.parameter)} = ${num(portrait.points[at]!.at, 3)}`;
}

function errorFigure(state: State): Figure | undefined {
    const { portrait, report } = state;
    const { points } = portrait;
    const m = measure(criterionOf(report));
    const value = points.map(p => p.value);
    const isOther = portrait.trainMeasure !== '' && portrait.trainMeasure !== criterionOf(report); // another unit
    const fitted = points.map(p => (isOther ? NaN : p.train));
    const low = points.map(p => p.value - p.stderr);
    const high = points.map(p => p.value + p.stderr);
    if (points.length < 2 || !range(value, fitted)) return undefined;
    const at = points.map(p => p.at);
    const axis = pathAxis(portrait.parameter, at);
    const positive = [...value, ...fitted].filter(known);
    const isLog = positive.every(v => v > 0) && Math.max(...positive) / Math.min(...positive) > 20;
    const legend: Key[] = [];
    if (value.some(known)) legend.push({ class: heldOut, label: high.some(known) ? 'held-out, \u00b1 one standard error' : 'held-out' });
    if (fitted.some(known)) legend.push({ class: `${train} dash`, label: 'training' });
    return {
        name: `path-error-${report.index}`,
        title: 'Error along the path',
        look: value.some(known)
            ? 'The best fit is where the held-out error is lowest; to its left the fit is too stiff, to its right it follows the noise.'
            : 'The training error falls along the whole path; no held-out error is known here.',
        draw: width => {
            const chart = new Chart({
                width, legend,
                height: portrait.curve ? (portrait.curve.inputs.length > 1 ? 400 : 320) : 300, // level with the curve
                label: `${m.title} along the path, lowest held-out error at ${symbol(portrait.parameter)} = ${num(points[portrait.chosen]?.at ?? NaN, 3)}.`,
                x: { ...axis, domain: roomy(axis.isLog, at) },
                y: { label: m.title, isLog, isNice: true, domain: roomy(isLog, value, fitted, (range(high)?.[1] ?? 0) < 1.6 * range(value, fitted)![1] ? high : []), ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
            });
            chart.band(at, low, high, heldOut);
            chart.line(at, fitted, `${train} dash`);
            chart.line(at, value, heldOut);
            chart.vertical(at[state.at]!, 'now', atText(state));
            const chosen = points[portrait.chosen];
            if (chosen && known(chosen.value)) chart.ring(chosen.at, chosen.value);
            points.forEach((p, i) => {
                if (known(p.value)) chart.say(p.at, p.value, `${symbol(portrait.parameter)} ${num(p.at, 3)}\nheld-out ${m.show(p.value)}${known(p.stderr) ? ` \u00b1 ${m.show(p.stderr)}` : ''}${i === portrait.chosen ? '\nchosen' : ''}`);
                if (known(fitted[i]!)) chart.say(p.at, p.train, `${symbol(portrait.parameter)} ${num(p.at, 3)}\ntraining ${m.show(p.train)}`);
            });
            return chart.svg;
        },
        table: () => ({
            columns: [symbol(portrait.parameter), 'df', `training ${isOther ? measure(portrait.trainMeasure).title : m.title}`, `held-out ${m.title}`, 'standard error', ''],
            rows: points.map((p, i) => [p.at, p.df, p.train, p.value, p.stderr, i === portrait.chosen ? 'chosen' : '']),
            ...(m.isShare ? { show: { 2: m.show, 3: m.show, 4: m.show } } : {}),
        }),
    };
}

function dimensionFigure(state: State): Figure | undefined {
    const { portrait, report } = state;
    const { points } = portrait;
    const df = points.map(p => p.df);
    if (points.length < 2 || !range(df)) return undefined;
    const at = points.map(p => p.at);
    const axis = pathAxis(portrait.parameter, at);
    return {
        name: `path-df-${report.index}`,
        title: 'Effective dimension along the path',
        look: 'How many directions the fit uses: a steep rise near the chosen point means that its place matters.',
        draw: width => {
            const chart = new Chart({
                width, height: 300,
                label: `Effective dimension along the path, ${num(df[portrait.chosen] ?? NaN, 3)} at the chosen point.`,
                x: { ...axis, domain: roomy(axis.isLog, at) },
                y: { label: 'effective dimension', isNice: true, domain: [0, Math.max(1, range(df)![1])] },
            });
            chart.line(at, df, 'c2');
            chart.vertical(at[state.at]!, 'now', known(df[state.at]!) ? `df = ${num(df[state.at]!, 3)}` : '');
            const chosen = points[portrait.chosen];
            if (chosen && known(chosen.df)) chart.ring(chosen.at, chosen.df);
            points.forEach(p => chart.say(p.at, p.df, `${symbol(portrait.parameter)} ${num(p.at, 3)}\ndf ${num(p.df, 3)}`));
            return chart.svg;
        },
        table: () => ({ columns: [symbol(portrait.parameter), 'effective dimension'], rows: points.map(p => [p.at, p.df]) }),
    };
}

function filterFigure(state: State): Figure | undefined {
    const { portrait, report } = state;
    const s = portrait.filterAt;
    const largest = range(s)?.[1] ?? NaN;
    const at = portrait.points.map(p => p.at).filter(v => v > 0);
    const smallest = portrait.parameter === 'lambda' ? Math.min(largest, ...at) * 1e-3 : 0;
    const domain = roomy(true, s.filter(v => v >= largest * 1e-15 && v >= smallest)); // below it is rounding
    if (s.length < 2 || !domain || !portrait.kept.length) return undefined;
    const eigenvalues = (portrait.spectrum?.eigenvalues ?? []).filter(v => v >= domain[0]);
    return {
        name: `filter-${report.index}`,
        title: 'The filter on the spectrum',
        look: 'Of each eigenvalue s the filter keeps the share s\u202fg(s): large ones pass, small ones, which carry noise, are held back.',
        draw: width => {
            const kept = portrait.kept[state.at] ?? [];
            const chart = new Chart({
                width, height: 300,
                label: `Share kept of each eigenvalue by the filter at ${atText(state)}.`,
                legend: [{ class: 'c0', label: `filter at ${atText(state)}` }, { class: 'faint', label: 'rest of the path' }, { class: 'ink', label: 'eigenvalues' }],
                x: { label: 'eigenvalue s, large ones on the left', isLog: true, isReversed: true, domain },
                y: { label: 'share kept, s\u202fg(s)', domain: [Math.min(0, ...kept), Math.max(1.02, ...kept.filter(known))] },
            });
            const step = Math.max(1, Math.floor(portrait.kept.length / 14));
            portrait.kept.forEach((other, i) => { if (i % step === 0) chart.line(s, other, 'faint thin'); });
            for (const v of eigenvalues) chart.rect(v, v, 0, 0.03, { class: 'rug' });
            chart.band(s, s.map(() => 0), kept, 'c0');
            chart.line(s, kept, 'c0 strong');
            s.forEach((v, i) => chart.say(v, kept[i] ?? NaN, `s ${num(v, 3)}\nkept ${num(kept[i] ?? NaN, 3)}`));
            return chart.svg;
        },
        table: () => ({
            columns: ['eigenvalue s', 'share kept'],
            rows: s.map((v, i) => [v, portrait.kept[state.at]?.[i]]),
            note: `At ${atText(state)}.`,
        }),
    };
}

function keptFigure(state: State): Figure | undefined {
    const { portrait, report } = state;
    const { spectrum } = portrait;
    if (!spectrum || !portrait.kept.length || portrait.filterAt.length < 2) return undefined;
    const { index, eigenvalues } = spectrum;
    const last = Math.max(...index);
    const isLog = last > 60;
    const keptOf = (i: number): number => Math.min(1, Math.max(0, keptAt(portrait.filterAt, portrait.kept[state.at] ?? [], eigenvalues[i]!)));
    return {
        name: `kept-${report.index}`,
        title: 'Eigenvalues it keeps',
        look: 'Each bar is an eigenvalue, filled as far as the filter keeps it; move the slider and see how many take part.',
        draw: width => {
            const shares = eigenvalues.map((_, i) => keptOf(i));
            const chart = new Chart({
                width, height: 300,
                label: `Eigenvalues kept at ${atText(state)}: ${shares.filter(v => v > 0.5).length} of those shown by more than half.`,
                legend: [{ class: 'c0', label: 'kept', kind: 'bar' }, { class: 'none', label: 'held back', kind: 'bar' }],
                x: { label: 'number of the eigenvalue', isLog, isWhole: true, domain: isLog ? [0.9, last * 1.1] : [0.4, last + 0.6] },
                y: { label: 'share kept', domain: [0, 1.02] },
            });
            index.forEach((k, i) => {
                const half = isLog ? 0 : 0.4;
                const [a, b] = isLog ? [k * 0.985, Math.max(k * 1.015, (index[i + 1] ?? k * 1.05) * 0.98)] : [k - half, k + half];
                chart.rect(a, b, 0, 1, { class: 'bar none' });
                if (shares[i]! > 0.002) chart.rect(a, b, 0, shares[i]!, { class: 'bar c0' });
                chart.say(k, shares[i]!, `number ${k}\neigenvalue ${num(eigenvalues[i]!, 3)}\nkept ${num(shares[i]!, 3)}`);
            });
            return chart.svg;
        },
        table: () => ({
            columns: ['number', 'eigenvalue', 'share kept'],
            rows: index.map((k, i) => [k, eigenvalues[i], keptOf(i)]),
            note: `At ${atText(state)}.`,
        }),
    };
}

/** The slider, and one line that says where it stands. */
function sliderOf(state: State, moved: () => void): HTMLElement {
    const { portrait, report } = state;
    const m = measure(criterionOf(report));
    const id = newId('slider');
    const says = h('output', { for: id, class: 'where' });
    const input = h('input', { type: 'range', id, min: 0, max: portrait.points.length - 1, step: 1, value: state.at });
    const say = (): void => {
        const p = portrait.points[state.at]!;
        const parts = [atText(state)];
        if (known(p.df)) parts.push(`df ${num(p.df, 3)}`);
        if (known(p.value)) parts.push(`held-out ${m.show(p.value)}`);
        if (known(p.train)) parts.push(`training ${(portrait.trainMeasure ? measure(portrait.trainMeasure) : m).show(p.train)}`);
        if (state.at === portrait.chosen) parts.push('chosen');
        input.setAttribute('aria-valuetext', parts.join(', '));
        says.replaceChildren(...parts.map(part => h('span', {}, part)));
        back.disabled = state.at === portrait.chosen;
    };
    const go = (to: number): void => {
        state.at = to;
        input.value = String(to);
        say();
        moved();
    };
    const back = h('button', { type: 'button', click: () => go(portrait.chosen) }, 'Back to the choice');
    input.addEventListener('input', () => go(Number(input.value)));
    say();
    return h('div', { class: 'slider' },
        h('label', { for: id }, 'Move along the path'), input, says, back);
}

export function pathPart(report: Report, portrait: Portrait | undefined): HTMLElement[] {
    if (!portrait?.points.length) return [];
    const state: State = { report, portrait, at: portrait.chosen };
    const figures = [errorFigure(state), ...curveFigures(state), filterFigure(state), keptFigure(state), dimensionFigure(state)]
        .filter(f => f !== undefined);
    if (!figures.length) return [];
    const drawn: Drawn[] = figures.map(figureOf);
    const elements = drawn.map(d => d.element);
    if (portrait.points.length < 2) return elements;
    let isWaiting = false;
    const moved = (): void => { // at most once for each picture that the screen shows
        if (isWaiting) return;
        isWaiting = true;
        requestAnimationFrame(() => {
            isWaiting = false;
            for (const d of drawn) d.redraw();
        });
    };
    return [sliderOf(state, moved), ...elements];
}
