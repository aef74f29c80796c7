// What the tests of pages share: claims, the browser, and a page that is watched for errors and requests.
import { createRequire } from 'node:module';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');
const require = createRequire(join(root, 'web', 'package.json'));
const { chromium } = require('playwright-core');
export const axeSource = require('axe-core').source;

let failed = 0;
let claims = 0;

/** One claim; a false one is said and counted. */
export function claim(holds, what) {
    claims++;
    if (holds) return;
    failed++;
    console.log(`FAILED: ${what}`);
}

/** The closing line, and the exit code. */
export function finish() {
    console.log(failed ? `${failed} of ${claims} claims failed` : `${claims} claims hold`);
    process.exitCode = failed ? 1 : 0;
}

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'];

/** Runs `work(open, folder)` with a browser; `open(name, html, options)` gives a page that was loaded. */
export async function withBrowser(work) {
    const folder = mkdtempSync(join(tmpdir(), 'specreg-page-'));
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: flags });
    const open = async (name, html, options = {}) => {
        const context = await browser.newContext({ viewport: { width: 1240, height: 900 }, acceptDownloads: true, ...options });
        const page = await context.newPage();
        const faults = [];
        page.on('console', message => { if (['error', 'warning'].includes(message.type())) faults.push(message.text()); });
        page.on('pageerror', error => faults.push(error.message));
        page.on('request', request => {
            if (!/^(file|data|blob):/.test(request.url())) faults.push(`a request to ${request.url()}`);
        });
        const path = join(folder, `${name}.html`);
        writeFileSync(path, html);
        await page.goto(`file://${path}`);
        await settled(page);
        return { page, faults, path, close: () => context.close() };
    };
    try {
        await work(open, folder);
    } finally {
        await browser.close();
        rmSync(folder, { recursive: true, force: true });
    }
}

/** Waits until what was asked for is drawn: two frames. */
export async function settled(page) {
    await page.evaluate(() => new Promise(done => { requestAnimationFrame(() => requestAnimationFrame(done)); }));
}
