// The summary card: data, problem, what was chosen, error with its spread, time, and the command.
import { fields, known, list, number, text, texts } from '../data';
import { h } from '../dom';
import { bytes, duration, fileName, measure, method, num, plural, sentence, short } from '../format';
import { criterionOf, filterText, isClassification, kernelText, type Report } from '../report';

function dataText(report: Report): string {
    const data = fields(report.record.data);
    const parts = [fileName(text(data.file))];
    if (known(number(data.n))) parts.push(plural(number(data.n), 'row'));
    if (known(number(data.p))) parts.push(plural(number(data.p), 'column'));
    if (number(data.dropped_rows) > 0) parts.push(`${plural(number(data.dropped_rows), 'row')} left out`);
    if (known(number(data.tasks))) parts.push(plural(number(data.tasks), 'task'));
    return parts.filter(t => t).join(', ');
}

function problemText(report: Report): string {
    const data = fields(report.record.data);
    const classes = texts(data.classes);
    const targets = texts(data.targets);
    if (classes.length) {
        const names = classes.slice(0, 6).map(c => short(c, 20)).join(', ');
        return `classification of ${targets.map(t => short(t)).join(', ') || 'labels'} into ${classes.length} classes: ${names}${classes.length > 6 ? ' \u2026' : ''}`;
    }
    const problem = text(data.problem) || (isClassification(report) ? 'classification' : '');
    return [problem, targets.slice(0, 6).map(t => short(t)).join(', ')].filter(t => t).join(' of ');
}

interface Headline {
    value: string;
    of: string;
    beside: string;
}

/** The numbers that stand large. */
function headlines(report: Report): Headline[] {
    const { record } = report;
    const found: Headline[] = [];
    const selection = fields(record.selection);
    const m = measure(criterionOf(report));
    const train = fields(record.train);
    if (known(number(selection.value))) {
        const spread = number(selection.stderr);
        found.push({
            value: m.show(number(selection.value)),
            of: `${m.title}, ${method(text(selection.method))}`,
            beside: known(spread) ? `\u00b1 ${m.show(spread)} (standard error)` : '',
        });
    }
    const test = fields(fields(report.raw.eval).test ?? record.test);
    const mean = fields(record.mean);
    for (const name of ['error_rate', 'mse', 'r2', 'auc']) {
        if (known(number(mean[name]))) {
            const spread = number(fields(record.stddev)[name]);
            found.push({
                value: measure(name).show(number(mean[name])), of: `${measure(name).title}, mean of folds`,
                beside: known(spread) ? `\u00b1 ${measure(name).show(spread)} (deviation)` : '',
            });
        } else if (report.source === 'eval' && known(number(test[name]))) {
            found.push({ value: measure(name).show(number(test[name])), of: measure(name).title, beside: plural(number(test.n), 'row') });
        }
    }
    const baseline = fields(train.weighted_baseline ?? train.baseline ?? fields(record.test).baseline ?? record.baseline);
    const against = known(number(baseline[criterionOf(report)])) ? criterionOf(report) : 'mse';
    if (known(number(baseline[against])))
        found.push({
            value: measure(against).show(number(baseline[against])), of: `${measure(against).title} without a model`,
            beside: isClassification(report) ? 'the most frequent class' : 'the mean of the targets',
        });
    if (known(number(record.df))) {
        const n = number(fields(record.data).n);
        found.push({ value: num(number(record.df), 3), of: 'effective dimension', beside: known(n) ? `of ${num(n)} rows` : '' });
    }
    const seconds = number(fields(record.seconds).total);
    if (known(seconds))
        found.push({
            value: duration(seconds), of: 'time',
            beside: known(number(record.peak_bytes)) ? `peak memory ${bytes(number(record.peak_bytes))}` : '',
        });
    return found.slice(0, 6);
}

function rows(report: Report): [string, string][] {
    const { record } = report;
    const selection = fields(record.selection);
    const approx = fields(record.approx);
    const outputs = fields(record.outputs);
    const selected = text(selection.method)
        ? [`by ${method(text(selection.method))}`,
            list(selection.table).length ? plural(known(number(selection.tried)) ? number(selection.tried) : list(selection.table).length, 'candidate') : '',
            texts(selection.families).length > 1 ? `kernels ${texts(selection.families).join(', ')}` : '',
            text(selection.rule) === '1se' ? 'the simplest within one standard error' : ''].filter(t => t).join('; ')
        : '';
    const found: [string, string][] = [
        ['Data', dataText(report)],
        ['Problem', problemText(report)],
        ['Kernel', kernelText(record.kernel)],
        ['Filter', filterText(record.filter)],
        ['Outputs', text(outputs.name) && text(outputs.name) !== 'independent' ? kernelText(outputs) : ''],
        ['Coding', text(fields(record.coding).name)],
        ['Centres', text(approx.name) && text(approx.name) !== 'exact'
            ? `${text(approx.name)}, ${plural(number(approx.m), 'centre')}` : ''],
        ['Chosen', selected],
        ['Engine', [text(record.engine), known(number(record.threads)) ? plural(number(record.threads), 'thread') : '']
            .filter(t => t).join(', ')],
        ['Version', report.version ? `specreg ${report.version}` : ''],
    ];
    return found.filter(([, value]) => value);
}

function commandLine(command: string): HTMLElement {
    const code = h('code', {}, ...command.split(/( )/).map(word => (word.length > 1 && word.length < 25 ? h('span', { class: 'word' }, word) : word)));
    const button = h('button', { type: 'button', 'aria-label': 'Copy the command' }, 'Copy');
    button.addEventListener('click', () => {
        const range = document.createRange();
        range.selectNodeContents(code);
        const selection = getSelection();
        selection?.removeAllRanges();
        selection?.addRange(range);
        let done = false;
        try {
            done = document.execCommand('copy'); // also of a page that was opened as a file
        } catch {
            done = false;
        }
        button.textContent = done ? 'Copied' : 'Selected';
        setTimeout(() => { button.textContent = 'Copy'; }, 2000);
    });
    return h('div', { class: 'command' }, h('span', { class: 'what' }, 'Make it again'), code, button);
}

export function summary(report: Report): HTMLElement {
    const list = h('dl', { class: 'facts' });
    for (const [name, value] of rows(report)) list.append(h('div', {}, h('dt', {}, name), h('dd', {}, value)));
    const large = h('ul', { class: 'headlines' });
    for (const line of headlines(report))
        large.append(h('li', {}, h('strong', {}, line.value), h('span', {}, line.of), h('small', {}, line.beside)));
    const notes = texts(report.record.notes).filter(t => t);
    return h('div', { class: 'card summary' },
        large.childElementCount ? large : null, list,
        report.command ? commandLine(report.command) : null,
        notes.length ? h('div', { class: 'remarks' }, ...notes.map(n => h('p', {}, sentence(n)))) : null);
}
