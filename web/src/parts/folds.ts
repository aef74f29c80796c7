// Records of `cv`: the error of each fold, and what each chose.
import { Chart, roomy } from '../chart';
import { fields, known, list, number, range, text, type Fields } from '../data';
import { choice, s } from '../dom';
import { figureOf, type Figure } from '../figure';
import { measure, num, symbol } from '../format';
import { criterionOf, filterText, kernelText, parameterOf, type Report } from '../report';

const measures = ['error_rate', 'balanced_error', 'auc', 'f1', 'log_loss', 'brier', 'mse', 'rmse', 'mae', 'r2', 'mape', 'explained_variance', 'angular_error'];

function errorsOf(report: Report, folds: Fields[], name: string, width: number): SVGSVGElement {
    const { record } = report;
    const m = measure(name);
    const values = folds.map(f => number(f[name]));
    const mean = number(fields(record.mean)[name]);
    const spread = number(fields(record.stddev)[name]);
    const baseline = number(fields(record.baseline)[name]);
    const x = folds.map((_, i) => i + 1);
    const all = [...values, mean + spread, mean - spread, known(baseline) && name !== 'r2' ? baseline : NaN];
    const chart = new Chart({
        width, height: 300, label: `${m.title} of ${folds.length} folds, mean ${m.show(mean)}.`,
        legend: [{ class: 'c0', label: 'fold', kind: 'dot' }, { class: 'c2', label: `mean ${m.show(mean)} \u00b1 ${m.show(spread)}` }],
        x: { label: 'fold', isWhole: true, domain: [0.5, folds.length + 0.5] },
        y: { label: m.title, isNice: true, domain: roomy(false, all), ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
    });
    const ends = [0.5, folds.length + 0.5];
    if (known(mean)) {
        chart.band(ends, [mean - spread, mean - spread], [mean + spread, mean + spread], 'c2');
        chart.line(ends, [mean, mean], 'c2');
    }
    if (name !== 'r2') chart.horizontal(baseline, 'muted', 'without a model');
    x.forEach((v, i) => {
        const [cx, cy] = [chart.x(v), chart.y(values[i]!)];
        if (Number.isFinite(cx) && Number.isFinite(cy)) chart.add(s('circle', { class: 'bar c0', cx, cy, r: 5 }));
        chart.say(v, values[i]!, `fold ${v}\n${m.show(values[i]!)}\n${kernelText(folds[i]!.kernel)}`);
    });
    return chart.svg;
}

function chosen(report: Report, folds: Fields[]): Figure | undefined {
    const filters = folds.map(f => fields(f.filter));
    const parameter = parameterOf(filters);
    const at = filters.map(f => number(f[parameter]));
    const width = folds.map(f => number(fields(f.kernel).sigma));
    const isLog = at.every(v => !(v <= 0));
    if (!range(at)) return undefined;
    const hasWidth = width.filter(known).length > 1;
    return {
        name: `chosen-${report.index}`,
        title: 'What each fold chose',
        look: 'Folds that choose alike mean that the choice is steady; far apart, that the data leave it open.',
        draw: w => {
            const x = hasWidth ? width : folds.map((_, i) => i + 1);
            const chart = new Chart({
                width: w, height: 300, grid: 'both', label: `Chosen ${symbol(parameter)} of ${folds.length} folds.`,
                x: hasWidth ? { label: '\u03c3 of the kernel', isLog: true, domain: roomy(true, width) } : { label: 'fold', isWhole: true, domain: [0.5, folds.length + 0.5] },
                y: { label: symbol(parameter), isLog, domain: roomy(isLog, at) },
            });
            x.forEach((v, i) => {
                const [cx, cy] = [chart.x(v), chart.y(at[i]!)];
                if (Number.isFinite(cx) && Number.isFinite(cy)) chart.add(s('circle', { class: 'bar c3', cx, cy, r: 5, 'fill-opacity': 0.75 }));
                chart.say(v, at[i]!, `fold ${i + 1}\n${kernelText(folds[i]!.kernel)}\n${symbol(parameter)} ${num(at[i]!, 3)}`);
            });
            return chart.svg;
        },
        table: () => ({
            columns: ['fold', 'training rows', 'test rows', 'kernel', 'filter', 'df'],
            rows: folds.map((f, i) => [i + 1, number(f.n_train), number(f.n_test), kernelText(f.kernel), filterText(f.filter), number(f.df)]),
        }),
    };
}

export function foldsPart(report: Report): (Figure | HTMLElement)[] {
    const folds = list(report.record.folds).map(fields);
    const found = measures.filter(name => folds.some(f => known(number(f[name]))));
    if (!folds.length || !found.length) return [];
    const state = { name: found.includes(criterionOf(report)) ? criterionOf(report) : found[0]! };
    const errors = figureOf({
        name: `folds-${report.index}`,
        title: 'Error of each fold',
        look: 'The spread is how far one such estimate can be off; a fold far away deserves a look at its rows.',
        note: text(report.record.outer) ? `Outer splits: ${text(report.record.outer)}; the search is repeated in each.` : undefined,
        controls: [choice('Measure', found.map(n => measure(n).title), found.indexOf(state.name), k => {
            state.name = found[k]!;
            errors.redraw();
        })],
        draw: width => errorsOf(report, folds, state.name, width),
        table: () => ({
            columns: ['fold', ...found.map(n => measure(n).title)],
            rows: folds.map((f, i) => [i + 1, ...found.map(n => number(f[n]))]),
            show: Object.fromEntries(found.map((n, k) => [k + 1, measure(n).show])),
        }),
    });
    const second = chosen(report, folds);
    return second ? [errors.element, second] : [errors.element];
}
