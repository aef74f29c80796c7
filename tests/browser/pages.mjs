// Each of the six pages: every chart has marks, a sentence and a table; the slider moves and changes the
// pictures; themes switch; charts are saved; no error, no request, no accessibility fault, no sideways scrolling.
// SPECREG_SCREENSHOTS=FOLDER keeps pictures of all of them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { axeSource, claim, finish, settled, withBrowser } from './browser.mjs';
import { madePages, realPages } from './sixpages.mjs';

/** What is wrong with the charts of a page, as sentences. */
const inspect = () => {
    const wrong = [];
    for (const figure of document.querySelectorAll('figure[data-chart]')) {
        const name = figure.dataset.chart;
        if (!figure.querySelector('svg .marks > *')) wrong.push(`${name} has no marks`);
        if ((figure.querySelector('.look')?.textContent ?? '').length < 30) wrong.push(`${name} does not say what to look for`);
        if (!figure.querySelector('svg[role=img][aria-label]')?.getAttribute('aria-label')) wrong.push(`${name} has no words for a screen reader`);
        if (/NaN|undefined|Infinity/.test(figure.textContent + figure.querySelector('svg')?.outerHTML)) wrong.push(`${name} shows NaN or undefined`);
        const svg = figure.querySelector('svg');
        for (const label of svg?.querySelectorAll('text') ?? []) {
            const { x, width } = label.getBBox();
            if (x < -1 || x + width > svg.viewBox.baseVal.width + 1) wrong.push(`${name}: \u201c${label.textContent}\u201d is cut at the side`);
        }
        const details = figure.querySelector('details');
        details.open = true;
        details.dispatchEvent(new Event('toggle'));
        if (!details.querySelector('tbody tr td')) wrong.push(`${name} has no table`);
        details.open = false;
        details.dispatchEvent(new Event('toggle'));
    }
    return { wrong, charts: document.querySelectorAll('figure[data-chart]').length };
};

const pictures = () => Object.fromEntries([...document.querySelectorAll('figure[data-chart]')]
    .map(f => [f.dataset.chart, f.querySelector('svg').outerHTML.replace(/clip-\d+/g, '')]));

async function sliderMoves(name, page, needs) {
    const slider = page.locator('input[type=range]').first();
    const before = await page.evaluate(pictures);
    const said = await slider.getAttribute('aria-valuetext');
    await slider.focus();
    await page.keyboard.press('Home');
    await settled(page);
    const after = await page.evaluate(pictures);
    claim(said !== await slider.getAttribute('aria-valuetext'), `${name}: the slider says its place`);
    for (const chart of needs) {
        const key = Object.keys(before).find(k => k.startsWith(chart));
        claim(key && before[key] !== after[key], `${name}: the slider changes ${chart}`);
    }
    await page.getByRole('button', { name: 'Back to the choice' }).first().click();
    await settled(page);
    claim(said === await slider.getAttribute('aria-valuetext'), `${name}: the button goes back to the chosen point`);
}

async function themeSwitches(name, page) {
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const before = await ground();
    await page.locator('button.theme').click();
    claim(before !== await ground(), `${name}: the theme switches`);
    await page.locator('button.theme').click();
    claim(before === await ground(), `${name}: the theme switches back`);
}

async function saves(name, page, kind, isRight) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.locator(`[data-save=${kind}]`).first().click()]);
    const bytes = readFileSync(await download.path());
    claim(download.suggestedFilename().endsWith(`.${kind}`) && isRight(bytes), `${name}: saves a chart as ${kind}`);
}

const isPng = bytes => bytes.subarray(0, 8).equals(Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])) && bytes.length > 3000;
const isSvg = bytes => /^<svg[^>]+xmlns="http:\/\/www.w3.org\/2000\/svg"/.test(bytes.toString()) && !/var\(|currentcolor/i.test(bytes.toString());

async function isAccessible(name, page) {
    await page.evaluate(axeSource);
    const faults = await page.evaluate(async () => (await globalThis.axe.run(document, { resultTypes: ['violations'] })).violations
        .filter(v => ['serious', 'critical'].includes(v.impact)).map(v => `${v.id}: ${v.nodes[0].html.slice(0, 150)}`));
    claim(faults.length === 0, `${name}: accessibility: ${faults.join('; ')}`);
}

/** Which charts the data of a page ask for. */
function asked(report) {
    const { portrait, record, rows, eval: held } = report;
    const charts = ['path-error', 'path-df', 'filter', 'kept', 'spectrum', 'dimension', 'target'];
    if (portrait.curve) charts.push(portrait.curve.inputs.length > 1 ? 'surface' : 'curve');
    if (record.selection.table) charts.push('search');
    if (rows?.measured) charts.push('predicted', 'residuals', 'histogram');
    if (rows?.lower) charts.push('intervals');
    if (rows?.probability) charts.push('calibration');
    if (held?.test?.confusion) charts.push('confusion');
    if (held?.test?.roc) charts.push('roc', 'precision');
    if (report.field) charts.push('field', 'field-parts');
    if (record.train.per_task) charts.push('errors-task');
    for (const part of ['importance', 'partial', 'matrix', 'words', 'plan']) if (report[part]) charts.push(part);
    return charts;
}

/** Those that the slider changes. */
const moving = name => /^(path|filter|kept|curve|surface)/.test(name);

const dataOf = html => JSON.parse(/id="specreg-data">(.*?)<\/script>/s.exec(html)[1]);

await withBrowser(async (open, folder) => {
    const shots = process.env.SPECREG_SCREENSHOTS;
    const made = process.env.SPECREG_TEST_WHOLE ? madePages() : {}; // all that a page can show
    for (const [name, html] of Object.entries(made)) {
        const { page, faults, close } = await open(`made-${name}`, html);
        const { wrong } = await page.evaluate(inspect);
        claim(wrong.length === 0, `made ${name}: ${wrong.join('; ')}`);
        const names = Object.keys(await page.evaluate(pictures));
        for (const chart of asked(dataOf(html).reports[0])) claim(names.some(n => n.startsWith(`${chart}-`)), `made ${name}: shows ${chart}`);
        claim(faults.length === 0, `made ${name}: ${faults.slice(0, 3).join('; ')}`);
        await close();
    }
    const real = realPages(folder);
    for (const [name, html] of Object.entries(Object.keys(real).length ? real : madePages())) {
        const { page, faults, close } = await open(name, html);
        const { wrong, charts } = await page.evaluate(inspect);
        claim(wrong.length === 0, `${name}: ${wrong.join('; ')}`);
        claim(charts >= 5, `${name}: ${charts} charts of at least 5`);
        const names = Object.keys(await page.evaluate(pictures));
        const charted = asked(dataOf(html).reports[0]);
        for (const chart of charted) claim(names.some(n => n.startsWith(`${chart}-`)), `${name}: shows ${chart}`);
        await sliderMoves(name, page, charted.filter(moving));
        await themeSwitches(name, page);
        await saves(name, page, 'png', isPng);
        await saves(name, page, 'svg', isSvg);
        await isAccessible(name, page);
        if (shots) await page.screenshot({ path: join(shots, `${name}-light.png`), fullPage: true });
        await page.emulateMedia({ colorScheme: 'dark' });
        claim(await page.evaluate(() => getComputedStyle(document.documentElement).colorScheme) === 'dark', `${name}: dark where the system is dark`);
        if (name === 'moons') await isAccessible(`${name}, dark`, page);
        if (shots) await page.screenshot({ path: join(shots, `${name}-dark.png`), fullPage: true });
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 390, height: 800 });
        await settled(page);
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        claim(wide <= 390, `${name}: ${wide} pixels wide on a phone of 390`);
        if (shots) await page.screenshot({ path: join(shots, `${name}-phone.png`), fullPage: true });
        if (name === 'moons') {
            await page.emulateMedia({ media: 'print' });
            claim(await page.evaluate(() => getComputedStyle(document.querySelector('nav')).display === 'none'), 'print: no navigation on paper');
            await page.setViewportSize({ width: 718, height: 1000 });
            const share = await page.evaluate(() => {
                dispatchEvent(new Event('beforeprint'));
                const found = document.querySelector('figure.third').offsetWidth / document.querySelector('#page').offsetWidth;
                dispatchEvent(new Event('afterprint'));
                return found;
            });
            claim(share < 0.6, `print: two cards stand beside each other: ${share}`);
            await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
            await page.setViewportSize({ width: 1240, height: 900 });
            await settled(page);
            const widths = await page.evaluate(() => {
                const width = () => document.querySelector('figure.half svg').viewBox.baseVal.width;
                const found = [width()];
                dispatchEvent(new Event('beforeprint'));
                found.push(width(), getComputedStyle(document.body).colorScheme);
                dispatchEvent(new Event('afterprint'));
                return [...found, width(), document.documentElement.dataset.theme ?? ''];
            });
            claim(widths[1] < 400 && widths[0] > 450 && widths[3] === widths[0], `print: charts are drawn for paper and back: ${widths}`);
            claim(widths[2] === 'light' && widths[4] === '', 'print: light colours, and the theme of before afterwards');
        }
        claim(faults.length === 0, `${name}: ${faults.slice(0, 3).join('; ')}`);
        claim(html.length < 2 * 1024 * 1024, `${name}: ${html.length} bytes`);
        await close();
    }
});
finish();
