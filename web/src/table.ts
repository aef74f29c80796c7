// Tables, with numbers aligned.
import { h } from './dom';
import { num } from './format';

export type Cell = string | number | null | undefined;
export interface Table {
    columns: string[];
    rows: Cell[][];
    note?: string;
    /** Values that have their own way to be written, by column. */
    show?: Record<number, (value: number) => string>;
}

const most = 300;

export function tableOf(table: Table, label: string): HTMLElement {
    const isNumber = table.columns.map((_, k) => table.rows.some(row => typeof row[k] === 'number'));
    const head = h('tr');
    table.columns.forEach((name, k) => head.append(h('th', { scope: 'col', class: isNumber[k] ? 'number' : '' }, name)));
    const body = h('tbody');
    for (const row of table.rows.slice(0, most)) {
        const line = h('tr');
        table.columns.forEach((_, k) => {
            const cell = row[k];
            const written = typeof cell === 'number' ? (table.show?.[k] ?? num)(cell) : cell ?? '\u2013';
            line.append(k === 0 && !isNumber[0]
                ? h('th', { scope: 'row' }, written)
                : h('td', { class: isNumber[k] ? 'number' : '' }, written));
        });
        body.append(line);
    }
    const notes = [table.note ?? ''];
    if (table.rows.length > most) notes.push(`The first ${most} of ${table.rows.length} rows.`);
    const note = notes.filter(n => n).join(' ');
    return h('div', { class: 'table', tabindex: 0, role: 'region', 'aria-label': `Table: ${label}` },
        h('table', {}, note && h('caption', {}, note), h('thead', {}, head), body));
}
