// Several reports: one table of what they are, and their errors in one chart.
import { fields, known, number, text } from '../data';
import { h } from '../dom';
import { figureOf } from '../figure';
import { duration, fileName, measure, num } from '../format';
import { ranked } from '../ranked';
import { criterionOf, filterText, kernelText, type Report } from '../report';
import { tableOf } from '../table';

interface Held {
    value: number;
    spread: number;
}

function held(report: Report, name: string): Held {
    const selection = fields(report.record.selection);
    const mean = fields(report.record.mean);
    const test = fields(report.record.test);
    if (text(selection.criterion) === name && known(number(selection.value)))
        return { value: number(selection.value), spread: number(selection.stderr) };
    if (known(number(mean[name]))) return { value: number(mean[name]), spread: number(fields(report.record.stddev)[name]) };
    return { value: number(test[name]), spread: NaN };
}

export function compare(reports: Report[]): HTMLElement {
    const name = criterionOf(reports[0]!);
    const m = measure(name);
    const all = reports.map(r => held(r, name));
    const columns = ['', ...reports.map(r => r.title)];
    const line = (what: string, of: (r: Report) => string): string[] => [what, ...reports.map(of)];
    const facts = tableOf({
        columns,
        rows: [
            line('Data', r => fileName(text(fields(r.record.data).file)) || '\u2013'),
            line('Rows', r => num(number(fields(r.record.data).n))),
            line('Kernel', r => kernelText(r.record.kernel) || '\u2013'),
            line('Filter', r => filterText(r.record.filter) || '\u2013'),
            line(m.title, r => {
                const { value, spread } = held(r, name);
                return known(value) ? `${m.show(value)}${known(spread) ? ` \u00b1 ${m.show(spread)}` : ''}` : '\u2013';
            }),
            line('Effective dimension', r => num(number(r.record.df), 3)),
            line('Time', r => duration(number(fields(r.record.seconds).total))),
        ],
    }, 'Reports side by side');
    const card = h('div', { class: 'card plain' }, h('h3', {}, 'Settings and results'), facts);
    const grid = h('div', { class: 'grid' });
    if (all.filter(a => known(a.value)).length > 1)
        grid.append(figureOf({
            name: 'compare', title: 'Error of each',
            look: 'Where the whiskers, one standard error or deviation, overlap, the difference may be chance.',
            draw: width => ranked({
                width, kind: 'dot', label: `${m.title} of ${reports.length} reports.`,
                axis: { label: m.title, ...(m.isShare ? { format: (v: number) => `${num(100 * v, 3)} %` } : {}) },
                rows: reports.map((r, i) => ({
                    name: r.title, value: all[i]!.value, low: all[i]!.value - all[i]!.spread, high: all[i]!.value + all[i]!.spread,
                    say: `${r.title}\n${m.show(all[i]!.value)}`,
                })),
            }),
            table: () => ({ columns: ['report', m.title, 'spread'], rows: reports.map((r, i) => [r.title, all[i]!.value, all[i]!.spread]), show: { 1: m.show, 2: m.show } }),
        }).element);
    grid.append(card);
    return grid;
}
