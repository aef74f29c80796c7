// The pages of six fits: by the command itself, and of fits computed here.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './browser.mjs';
import { fits, normal, random } from './fits.mjs';
import { pageOfReports } from './page.mjs';

const command = process.env.SPECREG ?? join(root, 'build/specreg');

export function specreg(...options) {
    return execFileSync(command, options, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, OMP_NUM_THREADS: '1' } });
}

export const hasCommand = existsSync(command);

function hasReport() {
    try {
        return hasCommand && /--report/.test(specreg('help', 'fit'));
    } catch {
        return false;
    }
}

/** Tables for the fits, written into a folder. */
function tables(folder) {
    mkdirSync(folder, { recursive: true });
    const write = (name, header, rows) => {
        const path = join(folder, name);
        writeFileSync(path, `${header}\n${rows.map(r => r.join(',')).join('\n')}\n`);
        return path;
    };
    const next = random(4);
    const g = () => normal(next);
    const fixed = v => v.toFixed(4);
    return {
        wave: write('wave.csv', 'x,y', Array.from({ length: 150 }, () => {
            const x = 6 * next() - 3;
            return [fixed(x), fixed(Math.sin(2 * x) + 0.3 * x + 0.25 * g())];
        })),
        digits: write('ten.csv', 'a,b,c,d,class', Array.from({ length: 250 }, (_, i) => {
            const c = i % 10;
            return [1.6 * Math.cos(c * 0.63) + 0.35 * g(), 1.6 * Math.sin(c * 0.63) + 0.35 * g(), (c % 3) * 0.5 + 0.3 * g(), (c % 2) * 0.4 + 0.3 * g()]
                .map(fixed).concat(`class ${c}`);
        })),
        schools: write('schools.csv', 'school,hours,age,score', Array.from({ length: 240 }, (_, i) => {
            const school = i % 12;
            const hours = 10 * next();
            const age = 10 + Math.floor(6 * next());
            return [`school ${school + 1}`, fixed(hours), age, fixed(3 * Math.sin(hours / 2 + school / 6) + school / 3 + 0.4 * g())];
        })),
    };
}

/** Pages of the six as computed here, which have all that a page can show. */
export function madePages() {
    return Object.fromEntries(Object.entries(fits).map(([name, make]) => [name, pageOfReports(make())]));
}

/** Pages of the six by the command; none where it is not here or has no `report`. */
export function realPages(folder) {
    if (!hasReport()) return {};
    const t = tables(folder);
    const of = {
        wave: [t.wave],
        moons: [join(root, 'data/crescents-train.csv')],
        digits: [t.digits],
        documents: [join(root, 'data/texts/train'), '--text', 'min-docs=2'],
        field: [join(root, 'data/flow.csv'), '--problem', 'field', '--target', 'u,v'],
        tasks: [t.schools, '--task-column', 'school', '--target', 'score', '--outputs', 'common'],
    };
    return Object.fromEntries(Object.entries(of).map(([name, options]) => {
        const page = join(folder, `${name}.html`);
        specreg('fit', ...options, '-q', '--report', page);
        return [name, readFileSync(page, 'utf8')];
    }));
}
