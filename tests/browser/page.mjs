// Pages of given reports, as the command makes them: the data go into the one place of the bundle.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

export function pageOf(data) {
    const escaped = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    const [head, tail] = readFileSync(join(root, 'web/dist/page.html'), 'utf8').split('@DATA@');
    return head + escaped + tail;
}

export function pageOfReports(...reports) {
    return pageOf({ format: 1, specreg: '0.1.0', reports });
}
