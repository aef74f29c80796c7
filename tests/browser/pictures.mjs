// Draws the pictures of the report page in docs/figures, from the crescents of data/: `make figures`.
//   pictures.mjs [FOLDER]       another folder
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, settled, withBrowser } from './browser.mjs';
import { indexedPng } from './png.mjs';
import { specreg } from './sixpages.mjs';

const target = process.argv[2] ?? join(root, 'docs/figures');

/** The part of a page from one element to the end of another. */
async function part(page, from, to, path) {
    const clip = await page.evaluate(([first, last]) => {
        const [a, b] = [document.querySelector(first).getBoundingClientRect(), document.querySelector(last).getBoundingClientRect()];
        const margin = 14;
        return { x: a.left - margin, y: a.top + scrollY - margin, width: 1140 + 2 * margin, height: b.bottom - a.top + 2 * margin };
    }, [from, to]);
    const bytes = await smaller(page, await page.screenshot({ fullPage: true, clip }));
    writeFileSync(path, bytes);
    console.log(`${path}: ${Math.round(bytes.length / 1024)} KiB`);
}

/** The same picture with the 256 colours that stand for all of them: a third of the bytes. */
async function smaller(page, png) {
    const { width, height, code } = await page.evaluate(async source => {
        const picture = new Image();
        picture.src = source;
        await picture.decode();
        const canvas = document.createElement('canvas');
        [canvas.width, canvas.height] = [picture.width, picture.height];
        const context = canvas.getContext('2d');
        context.drawImage(picture, 0, 0);
        const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
        let text = '';
        for (let i = 0; i < data.length; i += 32768) text += String.fromCharCode(...data.subarray(i, i + 32768));
        return { width: canvas.width, height: canvas.height, code: btoa(text) };
    }, `data:image/png;base64,${png.toString('base64')}`);
    return indexedPng(Buffer.from(code, 'base64'), width, height);
}

await withBrowser(async (open, folder) => {
    process.chdir(root);
    const report = join(folder, 'report.html');
    specreg('fit', 'data/crescents-train.csv', '-o', join(folder, 'crescents.srm'), '-q', '--report', report);
    const html = readFileSync(report, 'utf8');
    const light = await open('light', html);
    await settled(light.page);
    await part(light.page, '.slider', 'figure[data-chart^=path-df]', join(target, 'report-path.png'));
    await light.close();
    const dark = await open('dark', html, { colorScheme: 'dark' });
    await settled(dark.page);
    await part(dark.page, 'figure[data-chart^=search]', 'figure[data-chart^=target]', join(target, 'report-search.png'));
    await dark.close();
});
