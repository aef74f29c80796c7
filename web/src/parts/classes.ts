// Classification: confusion matrix, ROC and precision-recall curves, calibration, the rows it is least sure of.
import { cells } from '../cells';
import { Chart, type Key } from '../chart';
import { seriesClass } from '../colours';
import { fields, known, largestAt, list, matrix, number, numbers, sum, text, texts, type Fields } from '../data';
import { choice, h, s } from '../dom';
import { figureOf, heading, type Figure } from '../figure';
import { num, percent, plural, short } from '../format';
import { ranked } from '../ranked';
import type { Report } from '../report';
import { tableOf } from '../table';
import { rowsText } from './regression';

function confusion(report: Report, test: Fields): Figure | undefined {
    const part = fields(test.confusion);
    const labels = texts(part.labels);
    const counts = matrix(part.counts);
    if (!labels.length || !counts.length) return undefined;
    const totals = counts.map(row => sum(row));
    const all = sum(totals);
    const isSmall = labels.length <= 20;
    return {
        name: `confusion-${report.index}`,
        title: 'Confusion matrix',
        look: 'Each line is a true class, by what it was taken for: strong cells off the diagonal are classes that are mixed up.',
        draw: width => {
            const chart = new Chart({
                width, height: Math.min(560, Math.max(240, 110 + labels.length * 30)), grid: 'none',
                label: `Confusion matrix of ${labels.length} classes, ${num(sum(labels.map((_, k) => counts[k]?.[k] ?? 0)))} of ${num(all)} rows on the diagonal.`,
                x: { label: 'predicted', names: labels }, y: { label: 'true', names: labels, isReversed: true },
            });
            const room = (chart.right - chart.left) / labels.length;
            const found: { i: number; j: number; share: number; count: number }[] = [];
            counts.forEach((row, i) => row.forEach((count, j) => {
                if (count > 0) found.push({ i, j, count, share: count / (totals[i] || 1) });
            }));
            if (isSmall) cells(chart, labels.flatMap((_, i) => labels.map((_l, j) => ({ x0: j - 0.48, x1: j + 0.48, y0: i - 0.47, y1: i + 0.47, colour: '' }))), () => ({ class: 'bar none' }));
            cells(chart, found.map(({ i, j, share }) => ({
                x0: j - (isSmall ? 0.48 : 0.5), x1: j + (isSmall ? 0.48 : 0.5), y0: i - (isSmall ? 0.47 : 0.5), y1: i + (isSmall ? 0.47 : 0.5),
                colour: `${i === j ? 'c0' : 'c1'} ${Math.ceil(share * 20)}`,
            })), colour => {
                const [name, level] = colour.split(' ');
                return { class: `bar ${name}`, 'fill-opacity': (isSmall ? 0.12 : 0.25) + (0.88 - (isSmall ? 0 : 0.13)) * (Number(level) / 20) };
            });
            for (const { i, j, count, share } of found) {
                if (isSmall && room > 22) chart.add(s('text', { class: `middle ${share > 0.55 ? 'on' : 'cell'}`, x: chart.x(j), y: chart.y(i) + 4 }, String(count)));
                if (found.length < 5000) chart.say(j, i, `true ${short(labels[i] ?? '')}\npredicted ${short(labels[j] ?? '')}\n${plural(count, 'row')}, ${percent(share)}`);
            }
            return chart.svg;
        },
        table: () => {
            const mixed = counts.flatMap((row, i) => row.map((count, j) => ({ i, j, count }))).filter(c => c.count > 0);
            if (labels.length <= 12) return { columns: ['true \\ predicted', ...labels], rows: counts.map((row, i) => [labels[i], ...row]) };
            mixed.sort((a, b) => (a.i === a.j ? 1 : 0) - (b.i === b.j ? 1 : 0) || b.count - a.count);
            return { columns: ['true', 'predicted', 'rows'], rows: mixed.map(c => [labels[c.i], labels[c.j], c.count]), note: 'The most frequent confusions first.' };
        },
    };
}

interface CurveOf {
    label: string;
    fpr: number[];
    tpr: number[];
    recall: number[];
    precision: number[];
    auc: number;
    support: number;
}

/** Adds precision over recall: rows come one by one between the corners of the ROC curve, and precision is no line there. */
function addPrecision(curve: CurveOf, n: number): void {
    const { fpr, tpr, recall, precision, support } = curve;
    const most = 40; // points between two corners
    fpr.forEach((end, i) => {
        const steps = i === 0 ? 1 : Math.max(1, Math.min(most, Math.round((tpr[i]! - tpr[i - 1]!) * support)) || 1);
        for (let k = 1; k <= steps; k++) {
            const between = (v: readonly number[]): number => (i === 0 ? v[0]! : v[i - 1]! + (v[i]! - v[i - 1]!) * k / steps);
            const [right, wrong] = [between(tpr) * support, (k === steps ? end : between(fpr)) * (n - support)];
            recall.push(between(tpr));
            precision.push(right + wrong > 0 ? right / (right + wrong) : NaN);
        }
    });
    for (let i = precision.length - 2; i >= 0; i--) // where nothing is found yet, as at the next point
        if (!known(precision[i]!)) precision[i] = precision[i + 1]!;
}

/** The ROC curves by class, with the precision that follows from how many rows each class has. */
function curvesOf(test: Fields): CurveOf[] {
    const classes = new Map(list(test.classes).map(fields).map(c => [text(c.label), c]));
    const n = number(test.n);
    const found = new Map<string, CurveOf>();
    for (const point of list(test.roc).map(fields)) {
        const label = text(point.class);
        let curve = found.get(label);
        if (!curve) {
            const given = fields(classes.get(label));
            const isOnly = classes.size <= 2;
            curve = { label, fpr: [], tpr: [], recall: [], precision: [], auc: number(isOnly ? test.auc ?? given.auc : given.auc), support: number(given.support) };
            found.set(label, curve);
        }
        curve.fpr.push(number(point.fpr));
        curve.tpr.push(number(point.tpr));
    }
    for (const curve of found.values()) addPrecision(curve, n);
    return [...found.values()];
}

const few = 8;

function curveFigures(report: Report, test: Fields): (Figure | HTMLElement)[] {
    const curves = curvesOf(test);
    if (!curves.length) return [];
    const areMany = curves.length > few;
    const worst = largestAt(curves.map(c => -c.auc));
    const state = { k: Math.max(0, worst) };
    const name = (c: CurveOf): string => `${short(c.label, 24)}${known(c.auc) ? `, area ${num(c.auc, 3)}` : ''}`;
    const legendOf = (): Key[] => (areMany
        ? [{ class: 'c1', label: name(curves[state.k]!) }, { class: 'faint', label: 'other classes' }]
        : curves.map((c, k) => ({ class: seriesClass(curves.length === 1 ? 1 : k), label: name(c) })));
    const draw = (chart: Chart, x: (c: CurveOf) => number[], y: (c: CurveOf) => number[]): SVGSVGElement => {
        const shown = areMany ? [...curves.filter((_, k) => k !== state.k).slice(0, 60), curves[state.k]!] : curves;
        shown.forEach((c, k) => {
            const isFront = areMany && c === curves[state.k];
            chart.line(x(c), y(c), areMany ? (isFront ? 'c1 strong' : 'faint') : seriesClass(curves.length === 1 ? 1 : k));
            const step = Math.max(1, Math.ceil(x(c).length / 120));
            if (!areMany || isFront) x(c).forEach((v, i) => { if (i % step === 0) chart.say(v, y(c)[i]!, `${short(c.label)}\n${num(v, 3)}, ${num(y(c)[i]!, 3)}`); });
        });
        return chart.svg;
    };
    const table = (columns: [string, string], x: (c: CurveOf) => number[], y: (c: CurveOf) => number[]) => (): ReturnType<Figure['table']> => ({
        columns: ['class', ...columns],
        rows: (areMany ? [curves[state.k]!] : curves).flatMap(c => {
            const step = Math.max(1, Math.ceil(x(c).length / 60));
            return x(c).map((v, i) => [c.label, v, y(c)[i]] as (string | number | undefined)[]).filter((_, i) => i % step === 0);
        }),
        note: areMany ? 'Of the class in front.' : 'Some of the points of each curve.',
    });
    const unit: [number, number] = [-0.01, 1.01];
    const roc: Figure = {
        name: `roc-${report.index}`,
        title: 'ROC curves',
        look: 'The closer to the upper left corner, the better the scores rank the class; on the diagonal they say nothing.',
        draw: width => {
            const chart = new Chart({
                width, height: 360, grid: 'both', legend: legendOf(), label: `ROC curves of ${plural(curves.length, 'class', 'classes')}.`,
                x: { label: 'false positive rate', domain: unit }, y: { label: 'true positive rate', domain: unit },
            });
            chart.line([0, 1], [0, 1], 'muted dash');
            return draw(chart, c => c.fpr, c => c.tpr);
        },
        table: table(['false positive rate', 'true positive rate'], c => c.fpr, c => c.tpr),
    };
    const pr: Figure | undefined = curves.some(c => c.precision.some(known)) ? {
        name: `precision-${report.index}`,
        title: 'Precision and recall',
        look: 'How many of the rows given to a class belong there, as more and more of it is found; it matters most for rare classes.',
        draw: width => {
            const chart = new Chart({
                width, height: 360, grid: 'both', legend: legendOf().map(k => ({ ...k, label: k.label.replace(/, area .*/, '') })),
                label: `Precision against recall of ${plural(curves.length, 'class', 'classes')}.`,
                x: { label: 'recall', domain: unit }, y: { label: 'precision', domain: unit },
            });
            return draw(chart, c => c.recall, c => c.precision);
        },
        table: table(['recall', 'precision'], c => c.recall, c => c.precision),
    } : undefined;
    if (!areMany) return pr ? [roc, pr] : [roc];
    const drawn = [roc, pr].filter(f => f !== undefined).map(figureOf);
    const pick = choice('Class in front', curves.slice(0, 1000).map(name), state.k, k => {
        state.k = k;
        for (const d of drawn) d.redraw();
    });
    pick.classList.add('bar-of-choices');
    return [pick, ...drawn.map(d => d.element)];
}

function byClass(report: Report, test: Fields): Figure | undefined {
    const classes = list(test.classes).map(fields);
    if (classes.length < 3) return undefined;
    const order = [...classes].sort((a, b) => (number(a.f1) || 0) - (number(b.f1) || 0));
    const shown = order.slice(0, 20);
    return {
        name: `by-class-${report.index}`,
        title: classes.length > 20 ? 'The 20 hardest classes' : 'Which classes are hard',
        look: 'The lowest F1 first: a class of low recall is overlooked, one of low precision is claimed too often.',
        draw: width => ranked({
            width, kind: 'bar', label: `F1 of ${classes.length} classes, the lowest ${num(number(order[0]?.f1), 3)}.`,
            axis: { label: 'F1', domain: [0, 1] },
            rows: shown.map(c => ({
                name: text(c.label), value: number(c.f1),
                say: `${short(text(c.label))}\nprecision ${num(number(c.precision), 3)}, recall ${num(number(c.recall), 3)}\n${plural(number(c.support), 'row')}`,
            })),
        }),
        table: () => ({
            columns: ['class', 'rows', 'predicted', 'precision', 'recall', 'F1', 'area'],
            rows: order.map(c => [text(c.label), number(c.support), number(c.predicted), number(c.precision), number(c.recall), number(c.f1), number(c.auc)]),
        }),
    };
}

interface Bin {
    said: number;
    share: number;
    count: number;
}

/** A list of numbers for each row, whichever way round the lists are. */
function byRow(value: unknown, classes: number, rows: number): number[][] {
    const found = matrix(value);
    if (found.length !== classes || classes === rows || found[0]?.length !== rows) return found;
    return Array.from({ length: rows }, (_, i) => found.map(v => v[i]!));
}

/** What was said against what happened, by tenths of the probability. */
function calibrationBins(probability: readonly number[][], truth: readonly number[]): Bin[] {
    const areTwo = (probability[0]?.length ?? 0) === 2;
    const sums = Array.from({ length: 10 }, () => ({ said: 0, right: 0, count: 0 }));
    probability.forEach((row, i) => {
        const best = areTwo ? 1 : largestAt(row);
        const p = row[best] ?? NaN;
        if (!known(p) || !known(truth[i] ?? NaN)) return;
        const bin = sums[Math.min(9, Math.max(0, Math.floor(p * 10)))]!;
        bin.said += p;
        bin.right += truth[i] === best ? 1 : 0;
        bin.count++;
    });
    return sums.filter(b => b.count > 0).map(b => ({ said: b.said / b.count, share: b.right / b.count, count: b.count }));
}

function calibration(report: Report, rows: Fields, labels: string[]): Figure | undefined {
    const truth = numbers(rows.true);
    const probability = byRow(rows.probability, labels.length, truth.length);
    const bins = calibrationBins(probability, truth);
    if (!bins.length) return undefined;
    const areTwo = probability[0]?.length === 2;
    const of = areTwo ? `probability of ${short(labels[1] ?? 'the second class')}` : 'probability of the predicted class';
    const most = Math.max(...bins.map(b => b.count));
    return {
        name: `calibration-${report.index}`,
        title: 'Calibration of the probabilities',
        look: 'On the diagonal a probability of 80\u202f% comes true in 80\u202f% of the rows; below it the model is too sure.',
        note: rowsText(rows),
        draw: width => {
            const chart = new Chart({
                width, height: 340, grid: 'both', label: `Shares that came true against probabilities, in ${bins.length} groups.`,
                legend: [{ class: 'c0', label: 'came true, \u00b1 one standard error' }, { class: 'none', label: 'rows', kind: 'bar' }],
                x: { label: of, domain: [-0.01, 1.01], format: v => percent(v, 0) }, y: { label: areTwo ? 'share of that class' : 'share of right rows', domain: [-0.01, 1.01], format: v => percent(v, 0) },
            });
            for (const b of bins) chart.rect(Math.floor(b.said * 10) / 10 + 0.005, Math.floor(b.said * 10) / 10 + 0.095, 0, (0.22 * b.count) / most, { class: 'bar none' });
            chart.line([0, 1], [0, 1], 'muted dash');
            chart.line(bins.map(b => b.said), bins.map(b => b.share), 'c0');
            for (const b of bins) {
                const error = Math.sqrt(Math.max(b.share * (1 - b.share), 0.25 / b.count) / b.count);
                chart.line([b.said, b.said], [Math.max(0, b.share - error), Math.min(1, b.share + error)], 'c0');
                chart.say(b.said, b.share, `said ${percent(b.said)}\ncame true ${percent(b.share)}\n${plural(b.count, 'row')}`);
            }
            chart.dots(bins.map(b => b.said), bins.map(b => b.share), 'c0 clear');
            return chart.svg;
        },
        table: () => ({ columns: ['said', 'came true', 'rows'], rows: bins.map(b => [b.said, b.share, b.count]), show: { 0: v => percent(v), 1: v => percent(v) } }),
    };
}

/** The rows with the smallest distance between the two best classes. */
function unsure(rows: Fields, labels: string[]): HTMLElement | undefined {
    const truth = numbers(rows.true);
    const probability = byRow(rows.probability, labels.length, truth.length);
    const areSure = probability.some(row => row.some(known));
    const values = areSure ? probability : byRow(rows.scores, labels.length, truth.length);
    const number_ = numbers(rows.rows);
    const found = values.map((row, i) => {
        const best = largestAt(row);
        const second = largestAt(row.map((v, k) => (k === best ? NaN : v)));
        return { i, best, second, margin: row[best]! - row[second]! };
    }).filter(r => known(r.margin)).sort((a, b) => a.margin - b.margin).slice(0, 12);
    if (!found.length) return undefined;
    const show = areSure ? (v: number): string => percent(v) : (v: number): string => num(v, 3);
    return h('section', { class: 'card plain', 'aria-label': 'Rows it is least sure of' },
        h(heading.level, {}, 'Rows it is least sure of'),
        h('p', { class: 'look' }, 'Close calls between two classes: worth a look at the rows themselves, for wrong labels among others.'),
        tableOf({
            columns: ['row', 'true', 'predicted', areSure ? 'probability' : 'score', 'second', areSure ? 'probability ' : 'score '],
            rows: found.map(r => [number_[r.i] ?? r.i + 1, short(labels[truth[r.i] ?? -1] ?? '\u2013', 18), short(labels[r.best] ?? '', 18), values[r.i]![r.best], short(labels[r.second] ?? '', 18), values[r.i]![r.second]]),
            show: { 3: show, 5: show },
        }, 'Rows it is least sure of'));
}

export function classesPart(report: Report, test: Fields): (Figure | HTMLElement)[] {
    const rows = fields(report.raw.rows);
    const labels = texts(rows.labels).length ? texts(rows.labels) : texts(fields(test.confusion).labels);
    return [confusion(report, test), byClass(report, test), ...curveFigures(report, test), calibration(report, rows, labels), unsure(rows, labels)]
        .filter(f => f !== undefined);
}
