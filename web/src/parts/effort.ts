// The plan beside what was really taken.
import { fields, known, list, number, text, type Fields } from '../data';
import type { Figure } from '../figure';
import { bytes, duration, num } from '../format';
import { ranked, type Ranked } from '../ranked';
import type { Report } from '../report';

const named: Record<string, string> = { read: 'read', gram: 'kernel values', solve: 'solve', select: 'selection', total: 'in all', centers: 'centres' };

function bars(plan: Fields, record: Fields): Ranked[] {
    const rows: Ranked[] = [];
    const add = (name: string, seconds: number, colour: string): void => {
        if (known(seconds)) rows.push({ name, value: seconds, class: colour, say: `${name}\n${duration(seconds)}` });
    };
    for (const stage of list(plan.stages).map(fields)) add(text(stage.name), number(stage.seconds), 'c5');
    add('planned, in all', number(plan.seconds), 'c0');
    const seconds = fields(record.seconds);
    for (const name of ['read', 'gram', 'centers', 'solve', 'select']) add(named[name]!, number(seconds[name]), 'c4');
    add('taken, in all', number(seconds.total), 'c1');
    return rows;
}

export function effortPart(report: Report): Figure[] {
    const isPlan = report.source === 'plan';
    const plan = isPlan ? report.record : fields(report.raw.plan);
    const record = isPlan ? {} : report.record;
    const rows = bars(plan, fields(record));
    if (!known(number(plan.seconds)) || !rows.length) return [];
    const memory = [known(number(plan.memory_bytes)) ? `planned ${bytes(number(plan.memory_bytes))} of memory beyond the program` : '',
        known(number(fields(record).peak_bytes)) ? `the whole process took ${bytes(number(fields(record).peak_bytes))}` : ''].filter(t => t).join('; ');
    return [{
        name: `plan-${report.index}`,
        title: isPlan ? 'The plan' : 'The plan beside what was taken',
        look: isPlan ? 'Which stage will take the time.' : 'Bars of one length mean that the plan can be trusted for larger data as well.',
        note: memory ? `${memory[0]!.toUpperCase()}${memory.slice(1)}.` : undefined,
        isWide: true,
        draw: width => ranked({
            width, kind: 'bar', label: `Planned ${duration(number(plan.seconds))}${isPlan ? '' : `, taken ${duration(number(fields(report.record.seconds).total))}`}.`,
            axis: { label: 'seconds' }, rows,
            legend: [{ class: 'c0', label: 'planned', kind: 'bar' }, ...(isPlan ? [] : [{ class: 'c1', label: 'taken', kind: 'bar' as const }])],
        }),
        table: () => ({
            columns: ['stage', 'seconds', 'memory'],
            rows: [...list(plan.stages).map(fields).map(st => [`planned: ${text(st.name)}`, number(st.seconds), bytes(number(st.bytes))]),
                ['planned, in all', number(plan.seconds), bytes(number(plan.memory_bytes))],
                ...Object.entries(fields(fields(record).seconds)).map(([name, v]) => [`taken: ${named[name] ?? name}`, number(v), name === 'total' ? bytes(number(fields(record).peak_bytes)) : '']),
            ],
            show: { 1: v => num(v, 3) },
        }),
    }];
}
