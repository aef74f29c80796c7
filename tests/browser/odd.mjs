// Pages of records alone, several side by side, many rows, and data that are missing, hostile or of another version.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { claim, finish, settled, withBrowser } from './browser.mjs';
import { classification, fits, normal, random } from './fits.mjs';
import { pageOf, pageOfReports } from './page.mjs';
import { hasCommand, specreg } from './sixpages.mjs';

const evil = '</script><script>document.title="broken"</script><img src=x onerror=alert(1)>"\'&\u2028 \u{1f600} \u05d0';

/** A copy of a value with every text replaced, or every number. */
function replaced(value, change) {
    if (Array.isArray(value)) return value.map(v => replaced(v, change));
    if (value !== null && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, replaced(v, change)]));
    return change(value);
}

/** Every part of a report, one at a time, is missing, null, or of another kind. */
function* broken(report) {
    for (const other of [undefined, null, 'text', 7, [], {}, [null], [[]], { points: [{}] }])
        yield Object.fromEntries(Object.keys(report).map(key => [key, other]));
    for (const key of Object.keys(report))
        for (const inner of Object.keys(report[key] ?? {})) {
            if (typeof report[key] !== 'object') continue;
            yield { ...report, [key]: { ...report[key], [inner]: null } };
            yield { ...report, [key]: { ...report[key], [inner]: [{ a: [1, 'x', null] }] } };
        }
}

function thousandClasses() {
    const next = random(2);
    const labels = Array.from({ length: 1000 }, (_, k) => `class ${k}`);
    const truth = Array.from({ length: 2000 }, (_, i) => i % 1000);
    const few = labels.slice(0, 3);
    const small = classification(few, truth.map(t => t % 3), few.map((_, k) => truth.map(t => (t % 3 === k ? 1 : 0) + normal(next))), 1);
    const counts = labels.map((_, i) => labels.map((_l, j) => (i === j ? 1 : (i * 7 + j) % 501 === 0 ? 1 : 0)));
    const record = fits.digits().record;
    record.data = { ...record.data, classes: labels, class_counts: labels.map(() => 2) };
    const classes = labels.map((label, k) => ({ label, support: 2, predicted: 2, precision: 0.5, recall: 0.5, f1: (k % 100) / 100, auc: 0.9 }));
    const roc = labels.flatMap(label => [[0, 0], [0.1, 0.5], [1, 1]].map(([fpr, tpr]) => ({ class: label, threshold: 0, fpr, tpr })));
    return { title: 'thousand', source: 'fit', record, eval: { test: { n: 2000, confusion: { labels, counts }, classes, roc, auc: 0.9 } }, rows: small.rows, portrait: null };
}

/** 10,000 rows, of which 2,000 are drawn, and 500 kernels along 40 points. */
function large() {
    const report = fits.wave();
    const next = random(8);
    const y = Array.from({ length: 2000 }, () => normal(next));
    const short = v => Number(v.toPrecision(5));
    report.rows = { by: 'loo', n: 10000, rows: y.map((_, i) => 5 * i + 1), targets: ['y'], measured: [y.map(short)], predicted: [y.map(v => short(0.9 * v + 0.3 * normal(next)))], level: 0.9 };
    report.rows.lower = [report.rows.predicted[0].map(v => short(v - 0.5))];
    report.rows.upper = [report.rows.predicted[0].map(v => short(v + 0.5))];
    report.record.data.n = 10000;
    report.record.selection.table = Array.from({ length: 500 }, (_, k) => ({
        kernel: { name: 'rbf', sigma: 0.1 * 1.09 ** (k % 100) }, lambda: 10 ** (-(k % 5) - Math.floor(k / 100)), value: 0.1 + next(), stderr: 0.01, df: 40,
    }));
    return report;
}

await withBrowser(async (open, folder) => {
    const look = async (name, html, check = async () => {}) => {
        const { page, faults, close } = await open(name, html);
        claim(faults.length === 0, `${name}: ${faults.slice(0, 3).join('; ')}`);
        const undrawn = await page.evaluate(() => [...document.querySelectorAll('figure[data-chart]')].filter(f => f.querySelector('.undrawn')).map(f => f.dataset.chart));
        claim(undrawn.length === 0, `${name}: not drawn: ${undrawn.join(', ')}`);
        await check(page);
        await close();
    };
    const charts = page => page.locator('figure[data-chart]').count();
    const said = page => page.locator('main').innerText();

    await look('empty', pageOf({}), async page => claim(/no reports/.test(await said(page)), 'an empty page says so'));
    await look('bundle', pageOf({}).replace('{}</script>', '@DATA@</script>'), async page => claim(/cannot be read/.test(await said(page)), 'data that are no JSON: the page says so'));
    await look('format', pageOf({ format: 2, reports: [fits.wave()] }), async page => {
        claim(/format 2/.test(await said(page)), 'another format is named');
        claim(await charts(page) > 5, 'what is known of another format is shown');
    });

    const hostile = replaced(fits.documents(), v => (typeof v === 'string' && !['fit', 'classification', 'lambda', 'loo', 'error_rate', 'number'].includes(v) ? evil + v : v));
    await look('hostile', pageOfReports(hostile), async page => {
        claim(!/^broken/.test(await page.title()), 'a label is text, never markup');
        claim(await page.locator('main img, main script').count() === 0, 'no element comes from the data');
        claim(await charts(page) > 8, 'all charts stand with hostile labels');
        claim(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'long labels do not widen the page');
    });
    await look('hostile-regression', pageOfReports(replaced(fits.tasks(), v => (v === 'y' || /^school/.test(v) ? evil + v : v))));

    const holes = replaced(fits.moons(), v => (typeof v === 'number' && Math.abs(Math.sin(v * 1e3)) > 0.9 ? null : v));
    await look('holes', pageOfReports(holes), async page => claim(!/NaN|undefined|Infinity/.test(await said(page)), 'numbers that are null are not shown as NaN'));
    await look('all-null', pageOfReports(replaced(fits.field(), v => (typeof v === 'number' ? null : v))));
    await look('one-row', pageOfReports({ title: 'one', source: 'fit', record: { data: { n: 1, p: 1, problem: 'regression' } }, rows: { by: 'train', n: 1, rows: [1], targets: ['y'], measured: [[3]], predicted: [[3]] },
        portrait: { n: 1, rows_used: 1, parameter: 'lambda', points: [{ at: 1, df: 1, train: 0, value: null }], chosen: 0, spectrum: { index: [1], eigenvalues: [1], target_share: [1] }, filter: { s: [1], kept: [[0.5]] }, curve: null } }));

    let variants = [...broken(fits.wave()), ...broken(fits.digits()), ...broken(fits.field())];
    if (!process.env.SPECREG_TEST_WHOLE) variants = variants.filter((_, i) => i % 27 === 0);
    for (let i = 0; i < variants.length; i += 20) await look(`broken-${i}`, pageOfReports(...variants.slice(i, i + 20)));

    const corners = [[0, 0], [0.1, 0], [0.1, 1], [1, 1]].map(([fpr, tpr]) => ({ class: 'yes', threshold: 0, fpr, tpr }));
    const eval_ = { command: 'eval', test: { n: 40, classes: [{ label: 'no', support: 20 }, { label: 'yes', support: 20 }], roc: corners } };
    await look('corners', pageOfReports({ title: 'eval', source: 'eval', record: eval_, eval: eval_ }), async page => {
        const figure = page.locator('figure[data-chart^=precision]');
        await figure.locator('summary').click();
        const rows = await figure.locator('tbody tr').evaluateAll(all => all.map(row => [...row.cells].slice(-2).map(c => Number(c.textContent))));
        const half = rows.find(([recall]) => recall === 0.5); // ten of twenty are found, beside two others
        claim(half && Math.abs(half[1] - 10 / 12) < 1e-3, `precision between the corners of the ROC curve: ${JSON.stringify(half ?? rows)}`);
    });

    await look('thousand', pageOfReports(thousandClasses()), async page => claim(await charts(page) > 3, 'a thousand classes are shown'));
    await look('side', pageOfReports(fits.wave(), { ...fits.wave(), title: 'second.srm' }, fits.moons()), async page => {
        claim(await page.locator('.columns').first().locator('.column').count() === 3, 'three reports stand side by side');
        const tops = await page.locator('.columns').first().locator('.column').evaluateAll(all => all.map(e => Math.round(e.getBoundingClientRect().top)));
        claim(new Set(tops).size === 1, 'columns begin at one height');
        claim(await page.locator('input[type=range]').count() === 3, 'each has its slider');
    });

    const big = pageOfReports(large());
    claim(big.length < 2 * 1024 * 1024, `a page of 10,000 rows and 500 candidates has ${big.length} bytes`);
    await look('large', big, async page => {
        const cdp = await page.context().newCDPSession(page);
        await cdp.send('Performance.enable');
        await page.reload();
        await settled(page);
        const metrics = Object.fromEntries((await cdp.send('Performance.getMetrics')).metrics.map(m => [m.name, m.value]));
        const seconds = metrics.ScriptDuration + metrics.LayoutDuration + metrics.RecalcStyleDuration;
        console.log(`10,000 rows, 500 candidates: ${big.length} bytes; script, layout and style ${seconds.toFixed(2)} s`);
        claim(/2,000 of 10,000/.test(await said(page)), 'the page says that rows are sampled');
    });

    if (hasCommand) { // what the command writes today
        const next = random(6);
        const table = join(folder, 'line.csv');
        const rows = Array.from({ length: 80 }, () => { const x = next(); return `${x.toFixed(4)},${(Math.sin(6 * x) + 0.2 * normal(next)).toFixed(4)}`; });
        writeFileSync(table, `x,y\n${rows.join('\n')}\n`);
        const classes = join(folder, 'two.csv');
        writeFileSync(classes, `x,y\n${Array.from({ length: 80 }, (_, i) => `${(i % 2 + 0.7 * normal(next)).toFixed(4)},${i % 2 ? 'yes' : 'no'}`).join('\n')}\n`);
        const model = join(folder, 'two.srm');
        specreg('fit', classes, '-o', model, '-q');
        const records = {
            fit: [3, 'fit', table], cv: [2, 'cv', table], path: [3, 'path', table], spectrum: [3, 'spectrum', table], plan: [1, 'plan', table], eval: [3, 'eval', model, classes],
        };
        for (const [source, [least, ...options]] of Object.entries(records)) {
            const record = JSON.parse(specreg(...options, '-q', '--json', '-'));
            await look(source, pageOfReports({ title: source, source, record }), async page => {
                const count = await charts(page);
                claim(count >= least, `a record of ${source} alone has ${count} charts of at least ${least}`);
                const empty = await page.evaluate(() => [...document.querySelectorAll('figure[data-chart]')].filter(f => !f.querySelector('svg .marks > *')).map(f => f.dataset.chart));
                claim(empty.length === 0, `${source}: ${empty.join(', ')} without marks`);
            });
        }
    }
});
finish();
