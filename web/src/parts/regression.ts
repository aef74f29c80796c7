// Regression: predicted against measured, residuals, and what the intervals cover.
import { Chart, roomy } from '../chart';
import { fields, known, matrix, number, numbers, range, sum, text, texts, type Fields } from '../data';
import { choice } from '../dom';
import { figureOf, type Figure } from '../figure';
import { measure, method, num, percent, plural, short } from '../format';
import type { Report } from '../report';

interface Target {
    report: Report;
    name: string;
    row: number[];
    measured: number[];
    predicted: number[];
    residual: number[];
    lower: number[];
    upper: number[];
    level: number;
    of: string;
}

/** Which rows these are, in words. */
export function rowsText(rows: Fields): string {
    const shown = numbers(rows.rows).length || numbers(rows.true).length;
    const by = text(rows.by);
    const what = by === 'train' ? 'training rows' : by === 'file' ? 'rows of the data given' : `held-out rows, by ${method(by)}`;
    const all = number(rows.n);
    return known(all) && all > shown ? `${num(shown)} of ${num(all)} ${what}, drawn at random.` : `${num(shown)} ${what}.`;
}

function scatter(t: Target): Figure {
    return {
        name: `predicted-${t.report.index}`,
        title: 'Predicted against measured',
        look: 'Good predictions lie along the diagonal; a cloud that is flatter than it means that extremes are pulled to the middle.',
        note: t.of,
        draw: width => {
            const domain = roomy(false, t.measured, t.predicted);
            const chart = new Chart({
                width, height: 340, grid: 'both', label: `Predicted against measured ${t.name} of ${t.measured.length} rows.`,
                x: { label: `measured ${short(t.name)}`, domain }, y: { label: `predicted ${short(t.name)}`, domain },
            });
            if (domain) chart.line(domain, domain, 'muted dash');
            chart.dots(t.measured, t.predicted, 'c0');
            t.measured.forEach((v, i) => chart.say(v, t.predicted[i]!, `row ${t.row[i] ?? i + 1}\nmeasured ${num(v)}\npredicted ${num(t.predicted[i]!)}`));
            return chart.svg;
        },
        table: () => ({
            columns: ['row', 'measured', 'predicted', 'residual'],
            rows: t.measured.map((v, i) => [t.row[i] ?? i + 1, v, t.predicted[i], t.residual[i]])
                .sort((a, b) => Math.abs(b[3] ?? 0) - Math.abs(a[3] ?? 0)),
            note: 'Largest residuals first.',
        }),
    };
}

/** The mean of the residuals in ten parts of the predictions. */
function trend(t: Target): { x: number[]; mean: number[] } {
    const order = t.predicted.map((_, i) => i).filter(i => known(t.predicted[i]!) && known(t.residual[i]!))
        .sort((a, b) => t.predicted[a]! - t.predicted[b]!);
    const parts = Math.min(10, Math.floor(order.length / 8));
    const [x, mean]: [number[], number[]] = [[], []];
    for (let k = 0; k < parts; k++) {
        const part = order.slice(Math.floor((k * order.length) / parts), Math.floor(((k + 1) * order.length) / parts));
        x.push(sum(part.map(i => t.predicted[i]!)) / part.length);
        mean.push(sum(part.map(i => t.residual[i]!)) / part.length);
    }
    return { x, mean };
}

function residuals(t: Target): Figure {
    return {
        name: `residuals-${t.report.index}`,
        title: 'Residuals',
        look: 'They should scatter evenly around zero; a bent line says that something is not fitted yet, a funnel that the noise grows.',
        draw: width => {
            const most = Math.max(...(range(t.residual) ?? [1, 1]).map(Math.abs)) * 1.06;
            const { x, mean } = trend(t);
            const chart = new Chart({
                width, height: 340, label: `Residuals of ${t.name} against predictions.`,
                ...(x.length > 1 ? { legend: [{ class: 'c1', label: 'mean of a tenth of the rows' }] } : {}),
                x: { label: `predicted ${short(t.name)}`, domain: roomy(false, t.predicted) },
                y: { label: 'measured \u2212 predicted', domain: [-most, most] },
            });
            chart.horizontal(0, 'faint');
            chart.dots(t.predicted, t.residual, 'c0');
            chart.line(x, mean, 'c1 strong');
            t.predicted.forEach((v, i) => chart.say(v, t.residual[i]!, `row ${t.row[i] ?? i + 1}\npredicted ${num(v)}\nresidual ${num(t.residual[i]!)}`));
            return chart.svg;
        },
        table: () => {
            const { x, mean } = trend(t);
            return { columns: ['mean prediction', 'mean residual'], rows: x.map((v, i) => [v, mean[i]]), note: 'By tenths of the rows, in the order of the predictions.' };
        },
    };
}

function bins(values: readonly number[]): { from: number; to: number; count: number }[] {
    const found = values.filter(known);
    const ends = range(found);
    if (!ends || ends[0] === ends[1]) return [];
    const count = Math.min(40, Math.max(5, Math.round(2 * Math.cbrt(found.length) * 1.2)));
    const step = (ends[1] - ends[0]) / count;
    const all = Array.from({ length: count }, (_, k) => ({ from: ends[0] + k * step, to: ends[0] + (k + 1) * step, count: 0 }));
    for (const v of found) all[Math.min(count - 1, Math.floor((v - ends[0]) / step))]!.count++;
    return all;
}

function histogram(t: Target): Figure | undefined {
    const all = bins(t.residual);
    if (!all.length) return undefined;
    const found = t.residual.filter(known);
    const mean = sum(found) / found.length;
    const deviation = Math.sqrt(sum(found.map(v => (v - mean) ** 2)) / Math.max(1, found.length - 1));
    return {
        name: `histogram-${t.report.index}`,
        title: 'How large the residuals are',
        look: 'Tails beyond the normal curve of the same spread are rows worth a look.',
        draw: width => {
            const step = all[0]!.to - all[0]!.from;
            const height = (v: number): number => (found.length * step * Math.exp(-((v - mean) ** 2) / (2 * deviation ** 2))) / (deviation * Math.sqrt(2 * Math.PI));
            const chart = new Chart({
                width, height: 300, label: `Histogram of the residuals of ${t.name}: mean ${num(mean, 3)}, deviation ${num(deviation, 3)}.`,
                legend: [{ class: 'c0', label: 'rows', kind: 'bar' }, { class: 'c1', label: `normal curve, deviation ${num(deviation, 3)}` }],
                x: { label: 'measured \u2212 predicted', domain: roomy(false, all.flatMap(b => [b.from, b.to])) },
                y: { label: 'rows', isWhole: true, isNice: true, domain: [0, Math.max(...all.map(b => b.count), height(mean))] },
            });
            for (const b of all) {
                chart.rect(b.from + step * 0.03, b.to - step * 0.03, 0, b.count, { class: 'bar c0' });
                chart.say((b.from + b.to) / 2, b.count, `${num(b.from, 3)} to ${num(b.to, 3)}\n${plural(b.count, 'row')}`);
            }
            const [a, z] = [all[0]!.from - step, all.at(-1)!.to + step];
            const x = Array.from({ length: 101 }, (_, k) => a + ((z - a) * k) / 100);
            chart.line(x, x.map(height), 'c1');
            return chart.svg;
        },
        table: () => ({ columns: ['from', 'to', 'rows'], rows: all.map(b => [b.from, b.to, b.count]) }),
    };
}

function intervals(t: Target, test: Fields): Figure | undefined {
    if (!range(t.lower) || !range(t.upper)) return undefined;
    const order = t.predicted.map((_, i) => i).filter(i => [t.predicted[i], t.measured[i], t.lower[i], t.upper[i]].every(v => known(v!)))
        .sort((a, b) => t.predicted[a]! - t.predicted[b]!);
    const isIn = (i: number): boolean => t.measured[i]! >= t.lower[i]! && t.measured[i]! <= t.upper[i]!;
    const share = order.filter(isIn).length / order.length;
    const given = fields(test.interval);
    const whole = number(given.coverage);
    const step = Math.max(1, Math.ceil(order.length / 160));
    const shown = order.filter((_, k) => k % step === 0);
    return {
        name: `intervals-${t.report.index}`,
        title: 'What the intervals cover',
        look: `${percent(known(whole) ? whole : share)} of the rows lie inside their ${known(t.level) ? percent(t.level, 0) : ''} interval; those outside should be spread evenly, not gather at one end.`,
        draw: width => {
            const chart = new Chart({
                width, height: 300, label: `Intervals of ${t.name}, of which ${percent(share)} hold their row.`,
                legend: [{ class: 'c0', label: 'interval', kind: 'area' }, { class: 'c2', label: 'inside', kind: 'dot' }, { class: 'c1', label: 'outside', kind: 'dot' }],
                x: { label: `${step > 1 ? `every ${step}th row` : 'rows'}, by their prediction`, isWhole: true, domain: [0, shown.length + 1] },
                y: { label: short(t.name), domain: roomy(false, shown.flatMap(i => [t.lower[i]!, t.upper[i]!, t.measured[i]!])) },
            });
            const x = shown.map((_, k) => k + 1);
            chart.band(x, shown.map(i => t.lower[i]!), shown.map(i => t.upper[i]!), 'c0');
            chart.line(x, shown.map(i => t.predicted[i]!), 'c0');
            for (const [name, which] of [['c2', true], ['c1', false]] as const) {
                const mine = x.filter((_, k) => isIn(shown[k]!) === which);
                chart.dots(mine, mine.map(k => t.measured[shown[k - 1]!]!), `${name} clear`);
            }
            shown.forEach((i, k) => chart.say(k + 1, t.measured[i]!, `row ${t.row[i] ?? i + 1}\nmeasured ${num(t.measured[i]!)}\n${num(t.lower[i]!)} to ${num(t.upper[i]!)}`));
            return chart.svg;
        },
        table: () => ({
            columns: ['row', 'lower', 'predicted', 'upper', 'measured', 'inside'],
            rows: order.map(i => [t.row[i] ?? i + 1, t.lower[i], t.predicted[i], t.upper[i], t.measured[i], isIn(i) ? 'yes' : 'no']),
        }),
    };
}

function figuresOf(t: Target, test: Fields): Figure[] {
    return [scatter(t), residuals(t), histogram(t), intervals(t, test)].filter(f => f !== undefined);
}

export function regressionPart(report: Report, test: Fields): (Figure | HTMLElement)[] {
    const rows = fields(report.raw.rows);
    const measured = matrix(rows.measured);
    const predicted = matrix(rows.predicted);
    if (!measured.some(v => v.some(known)) || !predicted.some(v => v.some(known))) return [];
    const names = texts(rows.targets);
    const bounds = (value: unknown, k: number): number[] => {
        const all = matrix(value);
        return all.some(v => v.length) ? all[k] ?? [] : k === 0 ? numbers(value) : [];
    };
    const targets = measured.map((m, k): Target => {
        const p = m.map((_, i) => predicted[k]?.[i] ?? NaN);
        return {
            report, name: names[k] ?? `target ${k + 1}`, row: numbers(rows.rows), measured: m, predicted: p,
            residual: m.map((v, i) => v - p[i]!), lower: bounds(rows.lower, k), upper: bounds(rows.upper, k),
            level: number(rows.level), of: rowsText(rows),
        };
    });
    if (targets.length === 1) return figuresOf(targets[0]!, test);
    const at = { k: 0 };
    const first = figuresOf(targets[0]!, test);
    const drawn = first.map((f, i) => figureOf({
        ...f,
        draw: width => (figuresOf(targets[at.k]!, test)[i] ?? f).draw(width),
        table: () => (figuresOf(targets[at.k]!, test)[i] ?? f).table(),
    }));
    const pick = choice('Target', targets.map(t => short(t.name, 40)), 0, k => {
        at.k = k;
        for (const d of drawn) d.redraw();
    });
    pick.classList.add('bar-of-choices');
    return [pick, ...drawn.map(d => d.element)];
}

/** Errors by name in a sentence, for what has no rows. */
export function errorsText(test: Fields): string {
    return ['error_rate', 'balanced_error', 'auc', 'log_loss', 'mse', 'rmse', 'mae', 'r2']
        .filter(name => known(number(test[name]))).map(name => `${measure(name).title} ${measure(name).show(number(test[name]))}`).join(', ');
}
