// Bundles src/ into the one file dist/page.html: template, style, place of the data, script.
//   node build.mjs            writes dist/page.html
//   node build.mjs --check    compares it with what the sources give; writes nothing
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, 'dist', 'page.html');

const bundle = await build({
    absWorkingDir: here,
    entryPoints: ['src/main.ts'],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    charset: 'ascii',
    legalComments: 'none',
});
const style = await build({
    absWorkingDir: here,
    entryPoints: ['src/style.css'],
    minify: true,
    write: false,
    charset: 'ascii',
});

const text = result => result.outputFiles[0].text.trim();
const hash = block => `'sha256-${createHash('sha256').update(block).digest('base64')}'`;
const licences = readdirSync(join(here, 'LICENSES')).sort()
    .map(name => `${name}\n\n${readFileSync(join(here, 'LICENSES', name), 'utf8').trim()}`)
    .join('\n\n\n');

const places = {
    STYLE: text(style),
    SCRIPT: text(bundle),
    STYLE_HASH: hash(text(style)),
    SCRIPT_HASH: hash(text(bundle)),
    LICENCES: licences.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
};
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
    .replace(/\{\{([A-Z_]+)\}\}/g, (_, name) => places[name]);
if (page.split('@DATA@').length !== 2)
    throw new Error('the page must have exactly one place for the data');

if (process.argv.includes('--check')) {
    if (readFileSync(target, 'utf8') !== page) {
        console.error('web/dist/page.html is not what web/src gives: npm run build --prefix web');
        process.exit(1);
    }
    console.log(`web/dist/page.html is what web/src gives (${page.length} bytes)`);
} else {
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, page);
    console.log(`web/dist/page.html: ${page.length} bytes`);
}
