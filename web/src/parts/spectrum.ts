// The spectrum: eigenvalues, effective dimension, and how the targets lie along the eigenvectors.
import { Chart, roomy } from '../chart';
import { fields, known, list, number, range, sum } from '../data';
import type { Figure } from '../figure';
import { num, percent } from '../format';
import type { Portrait, Spectrum } from '../portrait';
import { pathParameters, type Report } from '../report';

function eigenvalueFigure(report: Report, spectrum: Spectrum, lambda: number): Figure | undefined {
    const { index, eigenvalues } = spectrum;
    const largest = range(eigenvalues)?.[1] ?? 0;
    if (!(largest > 0)) return undefined;
    const shown = eigenvalues.map(v => (v > largest * 1e-17 ? v : NaN));
    const isLog = Math.max(...index) > 60;
    return {
        name: `spectrum-${report.index}`,
        title: 'Eigenvalues of K/n',
        look: 'The faster they fall, the fewer directions the kernel can tell apart in these rows, and the easier the problem is for it.',
        note: spectrum.isThinned ? 'Beyond the first, only some of the eigenvalues are kept for this picture.' : undefined,
        draw: width => {
            const chart = new Chart({
                width, height: 300,
                label: `Eigenvalues from ${num(largest, 3)} downwards.`,
                x: { label: 'number of the eigenvalue', isLog, isWhole: true, domain: roomy(isLog, index) },
                y: { label: 'eigenvalue', isLog: true, domain: roomy(true, shown, [lambda]) },
            });
            chart.line(index, shown, 'faint');
            chart.dots(index, shown, 'c0');
            if (known(lambda)) chart.horizontal(lambda, 'now', `\u03bb = ${num(lambda, 3)}`);
            index.forEach((k, i) => chart.say(k, shown[i]!, `number ${k}\neigenvalue ${num(eigenvalues[i]!)}`));
            return chart.svg;
        },
        table: () => ({ columns: ['number', 'eigenvalue', 'share of |y|\u00b2'], rows: index.map((k, i) => [k, eigenvalues[i], spectrum.share[i]]) }),
    };
}

/** Effective dimension from the eigenvalues; those left out are taken from a line between their neighbours. */
function dimensions(spectrum: Spectrum, chosen: number): { lambda: number[]; df: number[] } {
    const { index, eigenvalues } = spectrum;
    const [least, largest] = range(eigenvalues.filter(v => v > 0)) ?? [1e-10, 1];
    const to = Math.max(least, largest * 1e-12);
    const last = chosen > 0 ? Math.min(to, Math.max(chosen / 10, 1e-16 * largest)) : to;
    const first = chosen > 0 ? Math.max(largest, chosen * 10) : largest;
    const lambda = Array.from({ length: 61 }, (_, k) => first * (last / first) ** (k / 60));
    const df = lambda.map(l => sum(eigenvalues.map((v, i) => {
        const gap = (index[i + 1] ?? index[i]! + 1) - index[i]!;
        const here = Math.max(0, v) / (Math.max(0, v) + l);
        const next = Math.max(0, eigenvalues[i + 1] ?? v);
        return gap === 1 ? here : (gap * (here + next / (next + l))) / 2;
    })));
    return { lambda, df };
}

function dimensionFigure(report: Report, spectrum: Spectrum, lambda: number): Figure | undefined {
    const given = list(report.record.effective_dimension).map(fields);
    const found = given.length > 1
        ? { lambda: given.map(v => number(v.lambda)), df: given.map(v => number(v.df)) }
        : dimensions(spectrum, lambda);
    if (!range(found.df)) return undefined;
    return {
        name: `dimension-${report.index}`,
        title: 'Effective dimension of the kernel',
        look: 'How many directions are left at each \u03bb: where the curve is flat, a change of \u03bb changes little.',
        note: spectrum.isThinned && given.length < 2 ? 'Computed from the eigenvalues that are kept, so it is approximate.' : undefined,
        draw: width => {
            const chart = new Chart({
                width, height: 300,
                label: `Effective dimension, the sum of s over s plus \u03bb, up to ${num(Math.max(...found.df.filter(known)), 3)}.`,
                x: { label: '\u03bb, less regularization to the right \u2192', isLog: true, isReversed: true, domain: roomy(true, found.lambda) },
                y: { label: 'effective dimension', isNice: true, domain: [0, range(found.df)![1]] },
            });
            chart.line(found.lambda, found.df, 'c2');
            if (known(lambda)) chart.vertical(lambda, 'now', `\u03bb = ${num(lambda, 3)}`);
            found.lambda.forEach((l, i) => chart.say(l, found.df[i]!, `\u03bb ${num(l, 3)}\ndf ${num(found.df[i]!, 3)}`));
            return chart.svg;
        },
        table: () => ({ columns: ['\u03bb', 'effective dimension'], rows: found.lambda.map((l, i) => [l, found.df[i]]) }),
    };
}

function targetFigure(report: Report, spectrum: Spectrum): Figure | undefined {
    const { index, share } = spectrum;
    if (!range(share)) return undefined;
    let total = 0;
    const added = share.map(v => (total += known(v) ? v : 0));
    const cumulative = added.map((v, i) => (known(spectrum.cumulative[i] ?? NaN) ? spectrum.cumulative[i]! : v));
    const last = Math.max(...index);
    const isLog = last > 60;
    const half = index[cumulative.findIndex(v => v >= 0.9)];
    return {
        name: `target-${report.index}`,
        title: 'How y lies along the spectrum',
        look: 'A curve that rises early means the targets lie along the large eigenvalues: little regularization error is left to pay.',
        note: spectrum.isThinned && !spectrum.cumulative.length ? 'Shares of eigenvalues that are not kept are missing from the sum.' : undefined,
        draw: width => {
            const chart = new Chart({
                width, height: 300,
                label: `Share of the targets along the eigenvectors${half ? `; the first ${half} carry 90 per cent` : ''}.`,
                legend: [{ class: 'c3', label: 'up to this one' }, { class: 'c0', label: 'each', kind: 'bar' }],
                x: { label: 'number of the eigenvalue', isLog, isWhole: true, domain: isLog ? [0.9, last * 1.1] : [0.4, last + 0.6] },
                y: { label: 'share of |y|\u00b2', domain: [0, Math.max(1.02, ...cumulative)], format: v => percent(v, 0) },
            });
            index.forEach((k, i) => {
                const [a, b] = isLog ? [k * 0.985, Math.max(k * 1.015, (index[i + 1] ?? k * 1.05) * 0.98)] : [k - 0.4, k + 0.4];
                chart.rect(a, b, 0, Math.max(0, share[i] ?? 0), { class: 'bar c0' });
                chart.say(k, cumulative[i]!, `number ${k}\nthis one ${percent(share[i] ?? NaN, 2)}\nup to it ${percent(cumulative[i]!, 2)}`);
            });
            chart.line(index, cumulative, 'c3');
            return chart.svg;
        },
        table: () => ({
            columns: ['number', 'share', 'up to this one'],
            rows: index.map((k, i) => [k, share[i], cumulative[i]]),
            show: { 1: v => percent(v, 3), 2: v => percent(v, 3) },
        }),
    };
}

export function spectrumPart(report: Report, portrait: Portrait | undefined, spectrum: Spectrum | undefined): Figure[] {
    if (!spectrum) return [];
    const filter = fields(report.record.filter);
    const parameter = portrait?.parameter ?? pathParameters.find(name => known(number(filter[name]))) ?? '';
    const lambda = parameter === 'lambda' ? number(filter.lambda) : NaN;
    if (portrait && portrait.rowsUsed < portrait.n)
        report.cannot.push(`Spectrum and fitted curves are of ${num(portrait.rowsUsed)} of the ${num(portrait.n)} rows.`);
    return [eigenvalueFigure(report, spectrum, lambda), dimensionFigure(report, spectrum, lambda), targetFigure(report, spectrum)]
        .filter(f => f !== undefined);
}
