// Numbers as people write them.
import { format } from 'd3-format';
import { known } from './data';

const minus = (s: string): string => s.replace(/^-|(?<=e)-|-(?=\d)/g, '\u2212');
const digits = '\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079';

/** 10 to the power k, with raised digits. */
export function power(k: number): string {
    const raised = [...String(Math.abs(k))].map(d => digits[Number(d)]).join('');
    return `10${k < 0 ? '\u207b' : ''}${raised}`;
}

/** A number with four digits that count. */
export function num(value: number, significant = 4): string {
    if (!known(value)) return '\u2013';
    if (value === 0) return '0';
    const size = Math.abs(value);
    if (Number.isInteger(value) && size < 1e7) return whole(value);
    if (size >= 1e7 || size < 1e-3) {
        const [mantissa, exponent] = value.toExponential(significant - 2).split('e');
        const factor = Number(mantissa);
        const ten = power(Number(exponent));
        return factor === 1 ? ten : minus(`${factor}\u00a0\u00b7\u00a0${ten}`);
    }
    return minus(format(size >= 10 ** significant ? ',.0f' : `,.${significant}~r`)(value));
}

/** A whole number with commas between thousands. */
export function whole(value: number): string {
    return known(value) ? minus(format(',')(value)) : '\u2013';
}

/** A share as per cent. */
export function percent(share: number, places = 1): string {
    return known(share) ? minus(`${(100 * share).toFixed(places)}\u00a0%`) : '\u2013';
}

export function duration(seconds: number): string {
    if (!known(seconds)) return '\u2013';
    if (seconds < 1e-3) return `${num(seconds * 1e6, 2)}\u00a0\u00b5s`;
    if (seconds < 1) return `${num(seconds * 1e3, 3)}\u00a0ms`;
    if (seconds < 120) return `${num(seconds, 3)}\u00a0s`;
    if (seconds < 7200) return `${num(seconds / 60, 3)}\u00a0min`;
    return `${num(seconds / 3600, 3)}\u00a0h`;
}

export function bytes(count: number): string {
    if (!known(count)) return '\u2013';
    const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
    let unit = 0;
    while (count >= 1024 && unit < units.length - 1) {
        count /= 1024;
        unit++;
    }
    return `${num(count, 3)}\u00a0${units[unit]}`;
}

/** A label that fits: the middle of a long one is left out. */
export function short(label: string, most = 24): string {
    const letters = [...label.replace(/\s+/g, ' ')];
    if (letters.length <= most) return letters.join('');
    const end = Math.floor((most - 1) / 3);
    return `${letters.slice(0, most - 1 - end).join('')}\u2026${letters.slice(-end).join('')}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
    return `${whole(count)} ${count === 1 ? one : many}`;
}

interface Measure {
    title: string;
    show(value: number): string;
    isShare: boolean;
}

const titles: Record<string, string> = {
    mse: 'mean squared error',
    rmse: 'root mean squared error',
    mae: 'mean absolute error',
    mape: 'mean absolute percentage error',
    r2: 'R\u00b2',
    explained_variance: 'explained variance',
    error_rate: 'error rate',
    balanced_error: 'balanced error',
    balanced_accuracy: 'balanced accuracy',
    log_loss: 'log loss',
    auc: 'area under the curve',
    f1: 'F1',
    mcc: 'Matthews correlation',
    brier: 'Brier score',
    angular_error: 'angular error in degrees',
    gcv: 'generalised cross-validation',
    quasi_optimality: 'quasi-optimality',
};
const shares = new Set(['error_rate', 'balanced_error', 'accuracy', 'balanced_accuracy', 'mape']);

/** How a measure of error is called and its values are written. */
export function measure(name: string): Measure {
    const isShare = shares.has(name);
    return {
        title: titles[name] ?? (name.replace(/_/g, ' ') || 'error'),
        show: value => (isShare ? percent(value, 2) : num(value)),
        isShare,
    };
}

const methods: Record<string, string> = {
    loo: 'leave-one-out',
    gcv: 'generalised cross-validation',
    kfold: 'cross-validation',
    holdout: 'held-out rows',
    file: 'a validation file',
    splits: 'given splits',
    ida: 'given splits',
    apriori: 'a formula',
    none: 'given parameters',
    train: 'training rows',
};

export function method(name: string): string {
    return methods[name] ?? name;
}

const symbols: Record<string, string> = {
    lambda: '\u03bb',
    sigma: '\u03c3',
    nu: '\u03bd',
    gamma: '\u03b3',
    omega: '\u03c9',
    theta: '\u03b8',
    beta: '\u03b2',
};

export function symbol(name: string): string {
    return symbols[name] ?? name.replace(/_/g, ' ');
}

/** The name of a file without its folders. */
export function fileName(path: string): string {
    return path.replace(/[/\\]+$/, '').replace(/^.*[/\\]/, '');
}

/** A sentence of a record as one of the page: a capital first, a full stop last. */
export function sentence(words: string): string {
    const said = words.trim();
    return said ? said[0]!.toUpperCase() + said.slice(1) + (/[.!?]$/.test(said) ? '' : '.') : '';
}
