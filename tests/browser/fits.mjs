// Fits of small made-up data, computed here by their formulas: pages that need nothing but Node.

/** Random numbers between 0 and 1, the same on every run (mulberry32). */
export function random(seed) {
    return () => {
        seed = (seed + 0x6d2b79f5) | 0;
        let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
        t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
        return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
    };
}

export function normal(next) {
    return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
}

/** Eigenvalues from the largest, and eigenvectors as columns, of a symmetric matrix (cyclic Jacobi). */
export function eigen(matrix) {
    const n = matrix.length;
    const a = matrix.map(row => Float64Array.from(row));
    const v = a.map((_, i) => Float64Array.from({ length: n }, (_x, j) => (i === j ? 1 : 0)));
    for (let sweep = 0; sweep < 12; sweep++) {
        let off = 0;
        for (let p = 0; p < n; p++)
            for (let q = p + 1; q < n; q++) {
                const apq = a[p][q];
                off += apq * apq;
                if (Math.abs(apq) < 1e-15) continue;
                const theta = (a[q][q] - a[p][p]) / (2 * apq);
                const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
                const c = 1 / Math.sqrt(t * t + 1);
                const s = t * c;
                for (let k = 0; k < n; k++) {
                    const [x, y] = [a[k][p], a[k][q]];
                    a[k][p] = c * x - s * y;
                    a[k][q] = s * x + c * y;
                }
                for (let k = 0; k < n; k++) {
                    const [x, y] = [a[p][k], a[q][k]];
                    a[p][k] = c * x - s * y;
                    a[q][k] = s * x + c * y;
                    const [z, w] = [v[k][p], v[k][q]];
                    v[k][p] = c * z - s * w;
                    v[k][q] = s * z + c * w;
                }
            }
        if (off < 1e-24) break;
    }
    const order = [...Array(n).keys()].sort((i, j) => a[j][j] - a[i][i]);
    return { values: order.map(i => Math.max(0, a[i][i])), vectors: v.map(row => order.map(i => row[i])) };
}

const rbf = (x, z, sigma) => Math.exp(-x.reduce((sum, xi, k) => sum + (xi - z[k]) ** 2, 0) / (2 * sigma * sigma));
const five = v => (Number.isFinite(v) ? Number(v.toPrecision(5)) : null);
const fives = list => list.map(v => (Array.isArray(v) ? fives(v) : five(v)));

/** Tikhonov's path of an rbf kernel with its leave-one-out errors; `grid` are the points of the picture. */
export function ridge({ rows, targets, sigma, lambdas, grid, loss }) {
    const n = rows.length;
    const { values, vectors } = eigen(rows.map(x => rows.map(z => rbf(x, z, sigma) / n)));
    const projected = targets.map(y => values.map((_, i) => vectors.reduce((sum, row, k) => sum + row[i] * y[k], 0)));
    const weights = (grid ?? []).map(g => rows.map(x => rbf(g, x, sigma) / n));
    const onGrid = weights.map(w => values.map((_, i) => w.reduce((sum, wk, k) => sum + wk * vectors[k][i], 0)));
    const points = lambdas.map(lambda => {
        const kept = values.map(s => s / (s + lambda));
        const leverage = vectors.map(row => row.reduce((sum, u, i) => sum + u * u * kept[i], 0));
        const fitted = projected.map(c => vectors.map(row => row.reduce((sum, u, i) => sum + u * kept[i] * c[i], 0)));
        const held = fitted.map((f, k) => f.map((fi, i) => targets[k][i] - (targets[k][i] - fi) / (1 - leverage[i])));
        const losses = loss(held);
        const mean = losses.reduce((a, b) => a + b, 0) / n;
        const spread = Math.sqrt(losses.reduce((a, b) => a + (b - mean) ** 2, 0) / (n - 1) / n);
        const f = projected.map(c => onGrid.map(row => row.reduce((sum, w, i) => sum + (w * c[i]) / (values[i] + lambda), 0)));
        return {
            lambda, held, f, df: kept.reduce((a, b) => a + b, 0), value: mean, stderr: spread,
            train: loss(fitted).reduce((a, b) => a + b, 0) / n,
        };
    });
    const norm = targets.flat().reduce((a, b) => a + b * b, 0);
    return {
        values, points,
        share: values.map((_, i) => projected.reduce((sum, c) => sum + c[i] ** 2, 0) / norm),
        chosen: points.reduce((best, p, i) => (p.value < points[best].value ? i : best), 0),
    };
}

export function portrait(fit, n, curve) {
    const positive = fit.values.filter(s => s > fit.values[0] * 1e-16);
    const [least, largest] = [positive.at(-1), positive[0]];
    const s = Array.from({ length: 64 }, (_, k) => largest * (least / largest) ** (k / 63));
    return {
        n, rows_used: n, parameter: 'lambda', chosen: fit.chosen,
        points: fit.points.map(p => ({ at: p.lambda, df: five(p.df), train: five(p.train), value: five(p.value), stderr: five(p.stderr) })),
        spectrum: { trace: 1, index: fit.values.map((_, i) => i + 1), eigenvalues: fives(fit.values), target_share: fives(fit.share) },
        filter: { s: fives(s), kept: fit.points.map(p => fives(s.map(v => v / (v + p.lambda)))) },
        curve: curve ? { ...curve, f: fit.points.map(p => fives(p.f)) } : null,
    };
}

const lambdas = Array.from({ length: 41 }, (_, k) => 10 ** (-k / 5));

/** What a search over widths leaves in a record. */
function searchTable(problem, sigmas) {
    return sigmas.flatMap(sigma => ridge({ ...problem, sigma, grid: [] }).points.map(p => ({
        kernel: { name: 'rbf', sigma }, lambda: p.lambda, value: p.value, stderr: p.stderr, df: p.df,
    })));
}

const record = (data, sigma, fit, criterion, table) => ({
    specreg: '0.1.0', command: 'fit', data: { format: 'csv', header: true, scale: 'standard', dropped_rows: 0, ...data },
    kernel: { name: 'rbf', sigma }, outputs: { name: 'independent' }, filter: { name: 'tikhonov', lambda: fit.points[fit.chosen].lambda },
    approx: { name: 'exact' }, engine: 'eig', df: fit.points[fit.chosen].df,
    selection: { method: 'loo', criterion, value: fit.points[fit.chosen].value, stderr: fit.points[fit.chosen].stderr, rule: 'min', table },
    train: { n: data.n }, seed: 0, threads: 2,
    seconds: { read: 0.001, gram: 0.01, solve: 0.03, select: 0.002, total: 0.0437 }, peak_bytes: 11264000,
});

/** One input, one target. */
export function wave() {
    const next = random(7);
    const n = 90;
    const x = Array.from({ length: n }, () => 6 * next() - 3);
    const y = x.map(v => Math.sin(2 * v) + 0.3 * v + 0.25 * normal(next));
    const grid = Array.from({ length: 200 }, (_, k) => -3 + (6 * k) / 199);
    const problem = {
        rows: x.map(v => [v]), targets: [y], lambdas,
        loss: held => y.map((v, i) => (v - held[0][i]) ** 2),
    };
    const fit = ridge({ ...problem, sigma: 0.6, grid: grid.map(v => [v]) });
    const data = { file: 'wave.csv', n, p: 1, outputs: 1, problem: 'regression', targets: ['y'], columns: ['x'] };
    const chosen = fit.points[fit.chosen];
    const width = 1.96 * Math.sqrt(chosen.value);
    const variance = y.reduce((a, b) => a + b * b, 0) / n;
    const rec = record(data, 0.6, fit, 'mse', searchTable(problem, [0.15, 0.3, 0.6, 1.2, 2.4, 4.8]));
    rec.train = { n, mse: chosen.train, baseline: { mse: variance } };
    return {
        title: 'wave.srm', source: 'fit', command: 'specreg fit wave.csv -o wave.srm', record: rec,
        portrait: portrait(fit, n, { inputs: ['x'], x: fives(grid), outputs: ['y'], rows: { x: fives(x), y: [fives(y)] } }),
        rows: {
            by: 'loo', n, rows: x.map((_, i) => i + 1), targets: ['y'], measured: [fives(y)], predicted: fives(chosen.held),
            lower: fives(chosen.held.map(f => f.map(v => v - width))), upper: fives(chosen.held.map(f => f.map(v => v + width))), level: 0.95,
        },
        eval: { test: { n, mse: chosen.value, interval: { level: 0.95, kind: 'constant', coverage: 0.944, mean_width: 2 * width } } },
        importance: { data: 'wave.csv', n, repeats: 5, criterion: 'mse', baseline: chosen.value,
            columns: [{ name: 'x', mean: 0.93, stddev: 0.08, values: [0.9, 0.95, 1.02, 0.88, 0.9] }] },
        partial: [{ name: 'x', kind: 'number', grid: fives(grid.filter((_, k) => k % 8 === 0)), outputs: ['y'],
            mean: chosen.f[0].filter((_, k) => k % 8 === 0).map(v => [five(v)]), low: null, high: null }],
        plan: { seconds: 0.05, memory_bytes: 9888000, engine: 'eig', flops: 2e9, stages: [{ name: 'kernel matrices', seconds: 0.01, bytes: 1e6 }, { name: 'search', seconds: 0.04, bytes: 9.7e6 }] },
        cannot: [],
    };
}

/** Confusion, curves and rows of scores, as `eval` and a model have them. */
export function classification(labels, truth, scores, sharpness) {
    const best = scores[0].map((_, i) => labels.reduce((b, _l, k) => (scores[k][i] > scores[b][i] ? k : b), 0));
    const probability = truth.map((_, i) => {
        const e = labels.map((_l, k) => Math.exp(sharpness * scores[k][i]));
        const total = e.reduce((a, b) => a + b, 0);
        return fives(e.map(v => v / total));
    });
    const counts = labels.map((_, t) => labels.map((_l, p) => truth.filter((c, i) => c === t && best[i] === p).length));
    const roc = [];
    labels.forEach((label, k) => {
        if (labels.length === 2 && k === 0) return;
        const order = truth.map((_, i) => i).sort((i, j) => scores[k][j] - scores[k][i]);
        const [positive, negative] = [truth.filter(c => c === k).length, truth.filter(c => c !== k).length];
        let [tp, fp] = [0, 0];
        roc.push({ class: label, threshold: null, fpr: 0, tpr: 0 });
        for (const i of order) {
            if (truth[i] === k) tp++; else fp++;
            roc.push({ class: label, threshold: scores[k][i], fpr: fp / negative, tpr: tp / positive });
        }
    });
    const errors = best.filter((b, i) => b !== truth[i]).length;
    const classes = labels.map((label, k) => {
        const predicted = best.filter(b => b === k).length;
        const support = truth.filter(c => c === k).length;
        return { label, support, predicted, precision: predicted ? counts[k][k] / predicted : null, recall: support ? counts[k][k] / support : null, f1: 2 * counts[k][k] / (support + predicted), auc: 0.97 };
    });
    return {
        rows: { by: 'loo', n: truth.length, rows: truth.map((_, i) => i + 1), labels, true: truth, label: best, scores: fives(truth.map((_, i) => labels.map((_l, k) => scores[k][i]))), probability },
        eval: { test: { n: truth.length, error_rate: errors / truth.length, accuracy: 1 - errors / truth.length, confusion: { labels, counts }, classes, roc, auc: 0.97 } },
    };
}

function clusters(title, labels, centres, spread, seed, n, curve) {
    const next = random(seed);
    const truth = Array.from({ length: n }, (_, i) => i % labels.length);
    const rows = truth.map(c => centres(c, next).map(v => v + spread * normal(next)));
    const targets = labels.map((_, k) => truth.map(c => (c === k ? 1 : -1)));
    const loss = held => truth.map((c, i) => (labels.some((_, k) => k !== c && held[k][i] >= held[c][i]) ? 1 : 0));
    const ends = k => [Math.min(...rows.map(r => r[k])) - 0.3, Math.max(...rows.map(r => r[k])) + 0.3];
    const axis = ([a, b]) => Array.from({ length: 40 }, (_, k) => a + ((b - a) * k) / 39);
    const [gx, gy] = [axis(ends(0)), axis(ends(1))];
    const grid = curve ? gy.flatMap(y => gx.map(x => [x, y])) : [];
    const problem = { rows, targets, lambdas: lambdas.slice(0, 31), loss };
    const fit = ridge({ ...problem, sigma: 0.7, grid });
    const names = rows[0].map((_, k) => `x${k + 1}`);
    const data = { file: `${title}.csv`, n, p: names.length, outputs: labels.length, problem: 'classification', targets: ['class'], columns: names,
        classes: labels, class_counts: labels.map((_, k) => truth.filter(c => c === k).length) };
    const rec = record(data, 0.7, fit, 'error_rate', searchTable(problem, [0.3, 0.5, 0.7, 1, 1.5]));
    rec.train = { n, error_rate: fit.points[fit.chosen].train, baseline: { error_rate: 1 - 1 / labels.length } };
    rec.coding = { name: 'ova' };
    const held = fit.points[fit.chosen].held;
    return {
        title: `${title}.srm`, source: 'fit', command: `specreg fit ${title}.csv -o ${title}.srm`, record: rec,
        portrait: portrait(fit, n, curve ? { inputs: names.slice(0, 2), x: fives(gx), y: fives(gy), outputs: labels, rows: { x: fives(rows.map(r => r[0])), y: fives(rows.map(r => r[1])), class: truth } } : null),
        ...classification(labels, truth, held, 2.5),
        importance: { data: `${title}.csv`, n, repeats: 5, criterion: 'error_rate', baseline: fit.points[fit.chosen].value,
            columns: names.map((name, k) => ({ name, mean: 0.3 / (k + 1), stddev: 0.03, values: [0.3, 0.28, 0.33].map(v => v / (k + 1)) })) },
        partial: names.slice(0, 2).map((name, k) => {
            const places = axis(ends(k)).filter((_, i) => i % 2 === 0);
            const at = shift => places.map(v => labels.map((_, c) => five(Math.tanh(v - c) / 2 + shift)));
            return { name, kind: 'number', grid: fives(places), outputs: labels, mean: at(0), low: at(-0.2), high: at(0.2) };
        }),
        plan: null, cannot: [],
    };
}

/** Two inputs, two classes that bend around each other. */
export function moons() {
    return clusters('moons', ['lower', 'upper'], (c, next) => {
        const t = Math.PI * next();
        return c === 1 ? [Math.cos(t), Math.sin(t)] : [1 - Math.cos(t), 0.5 - Math.sin(t)];
    }, 0.2, 3, 110, true);
}

/** Ten classes in four columns. */
export function digits() {
    return clusters('digits', [...'0123456789'], c => [Math.cos(c * 0.63) * 1.6, Math.sin(c * 0.63) * 1.6, (c % 3) * 0.5, (c % 2) * 0.4], 0.33, 5, 120, false);
}

/** Documents, with the words that speak for each class. */
export function documents() {
    const report = clusters('documents', ['baseball', 'hockey', 'space', 'medicine'],
        c => [Math.cos(c * 1.6), Math.sin(c * 1.6), c * 0.2], 0.42, 9, 96, false);
    const words = {
        baseball: ['pitcher', 'inning', 'bat', 'hit', 'yankees', 'run', 'base', 'league', 'mets', 'season', 'glove', 'catcher'],
        hockey: ['goal', 'ice', 'puck', 'nhl', 'rangers', 'playoff', 'skate', 'period', 'team', 'penalty', 'leafs', 'wings'],
        space: ['orbit', 'launch', 'nasa', 'shuttle', 'moon', 'satellite', 'mission', 'rocket', 'lunar', 'solar', 'mars', 'sky'],
        medicine: ['patient', 'doctor', 'disease', 'treatment', 'drug', 'symptoms', 'blood', 'cancer', 'diet', 'study', 'pain', 'dose'],
    };
    const names = Object.keys(words);
    report.words = names.map((name, k) => ({ class: name, for: words[name].map((word, i) => ({ word, weight: five(0.9 / (1 + 0.25 * i)) })),
        against: words[names[(k + 1) % 4]].map((word, i) => ({ word, weight: five(-0.6 / (1 + 0.3 * i)) })) }));
    report.record.data.format = 'text';
    report.record.data.p = 4210;
    report.record.text = { documents: 96, seen: 8133, words: 4210, nonzeros: 15321, empty_documents: 0, unknown_documents: 0 };
    report.importance = null;
    report.partial = null;
    return report;
}

/** Arrows over a plane: a swirl and a source. */
export function field() {
    const next = random(11);
    const swirl = (x, y) => { const e = Math.exp(-(x * x + y * y) / 1.5); return [-y * e, x * e]; };
    const source = (x, y) => { const e = Math.exp(-((x - 1) ** 2 + (y + 0.5) ** 2)); return [(x - 1) * e, (y + 0.5) * e]; };
    const n = 70;
    const at = Array.from({ length: n }, () => [4 * next() - 2, 4 * next() - 2]);
    const measured = at.map(([x, y]) => [0, 1].map(k => swirl(x, y)[k] + source(x, y)[k] + 0.05 * normal(next)));
    const targets = [0, 1].map(k => measured.map(v => v[k]));
    const axis = Array.from({ length: 20 }, (_, k) => -2 + (4 * k) / 19);
    const of = f => [0, 1].map(k => axis.map(y => axis.map(x => five(f(x, y)[k]))));
    const loss = held => at.map((_, i) => (held[0][i] - targets[0][i]) ** 2 + (held[1][i] - targets[1][i]) ** 2);
    const fit = ridge({ rows: at, targets, sigma: 0.8, lambdas, grid: [], loss });
    const both = of((x, y) => [0, 1].map(k => swirl(x, y)[k] + source(x, y)[k]));
    const [curl, div] = [of(source), of(swirl)];
    const data = { file: 'flow.csv', n, p: 2, outputs: 2, problem: 'field', targets: ['u', 'v'], columns: ['x', 'y'] };
    const rec = record(data, 0.8, fit, 'mse', searchTable({ rows: at, targets, lambdas, loss }, [0.4, 0.8, 1.6]));
    rec.kernel = { name: 'helmholtz', sigma: 0.8, gamma: 0.5 };
    for (const row of rec.selection.table) row.kernel = { name: 'helmholtz', sigma: row.kernel.sigma, gamma: 0.5 };
    rec.train = { n, mse: fit.points[fit.chosen].train, angular_error: 4.2 };
    return {
        title: 'flow.srm', source: 'fit', command: 'specreg fit flow.csv --problem field -o flow.srm', record: rec,
        portrait: portrait(fit, n, null),
        rows: { by: 'loo', n, rows: at.map((_, i) => i + 1), targets: ['u', 'v'], measured: fives(targets), predicted: fives(fit.points[fit.chosen].held) },
        field: { x: fives(axis), y: fives(axis), u: both[0], v: both[1], curlfree: { u: curl[0], v: curl[1] }, divfree: { u: div[0], v: div[1] },
            points: { x: fives(at.map(p => p[0])), y: fives(at.map(p => p[1])), u: fives(targets[0]), v: fives(targets[1]) } },
        cannot: ['Partial dependence is not computed for fields.'],
    };
}

/** Twelve tasks that have something to do with each other. */
export function tasks() {
    const report = wave();
    const names = Array.from({ length: 12 }, (_, k) => `school ${k + 1}`);
    report.title = 'schools.srm';
    report.command = 'specreg fit schools.csv --task-column school -o schools.srm';
    report.record.data = { ...report.record.data, file: 'schools.csv', p: 3, columns: ['x', 'age', 'sex'], task_column: 'school', tasks: 12 };
    report.record.outputs = { name: 'common', omega: 0.3 };
    report.record.train.per_task = names.map((name, k) => ({ name, n: 5 + ((k * 7) % 11), mse: five(0.05 + 0.02 * ((k * 5) % 12)), mae: 0.2, r2: 0.8 }));
    report.portrait.curve = null;
    report.matrix = { what: 'tasks', names, values: names.map((_, i) => names.map((_n, j) => five(i === j ? 1 : 0.7 * Math.exp(-Math.abs(i - j) / 4) - (i % 5 === j % 3 ? 0.2 : 0)))) };
    report.partial.push({ name: 'sex', kind: 'category', grid: ['female', 'male'], outputs: ['y'], mean: [[0.2], [-0.1]], low: [[-0.4], [-0.8]], high: [[0.9], [0.6]] });
    return report;
}

/** Each is computed once; whoever asks gets a copy of their own. */
const once = make => {
    let report;
    return () => structuredClone((report ??= make()));
};

export const fits = Object.fromEntries(Object.entries({ wave, moons, digits, documents, field, tasks }).map(([name, make]) => [name, once(make)]));
