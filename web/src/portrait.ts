// The points of a path with the spectrum, the filter and the fitted function at each: what a model keeps
// for pictures, or what the record of `path` says.
import { fields, isFields, known, largestAt, list, matrix, number, numbers, text, texts, type Fields } from './data';
import { kernelText, parameterOf, type Report } from './report';

export interface Point {
    at: number;
    df: number;
    train: number;
    value: number;
    stderr: number;
}

export interface Spectrum {
    trace: number;
    index: number[];
    eigenvalues: number[];
    share: number[];
    /** The share up to each, with those left out; empty where it is not known. */
    cumulative: number[];
    /** Whether some eigenvalues are left out. */
    isThinned: boolean;
}

export interface Curve {
    inputs: string[];
    outputs: string[];
    x: number[];
    y: number[];
    /** Values at the grid: of each point, each output. */
    values: number[][][];
    rowsX: number[];
    rowsY: number[];
    /** Targets of the rows by output, or their classes. */
    targets: number[][];
    classes: number[];
    /** Which points of the path have values. */
    points: number[];
}

export interface Portrait {
    parameter: string;
    points: Point[];
    chosen: number;
    spectrum: Spectrum | undefined;
    filterAt: number[];
    kept: number[][];
    curve: Curve | undefined;
    n: number;
    rowsUsed: number;
    of: string;
    /** The measure of `train`; empty if it is the criterion's. */
    trainMeasure: string;
}

function spectrumOf(value: unknown): Spectrum | undefined {
    const part = fields(value);
    const eigenvalues = numbers(part.eigenvalues);
    if (!eigenvalues.some(known)) return undefined;
    const index = numbers(part.index);
    const places = eigenvalues.map((_, i) => (known(index[i] ?? NaN) ? index[i]! : i + 1));
    return {
        trace: number(part.trace),
        index: places,
        eigenvalues,
        share: numbers(part.target_share),
        cumulative: numbers(part.target_cumulative),
        isThinned: places.some((p, i) => p !== i + 1),
    };
}

function curveOf(value: unknown, points: number): Curve | undefined {
    if (!isFields(value)) return undefined;
    const part = fields(value);
    const rows = fields(part.rows);
    const inputs = texts(part.inputs);
    const hasSurface = inputs.length > 1;
    const values = list(part.f).map(matrix);
    if (!values.some(point => point.some(output => output.some(known)))) return undefined;
    const given = numbers(part.points);
    return {
        inputs,
        outputs: texts(part.outputs),
        x: numbers(part.x),
        y: numbers(part.y),
        values,
        rowsX: numbers(rows.x),
        rowsY: hasSurface ? numbers(rows.y) : [],
        targets: hasSurface ? matrix(rows.z) : list(rows.y).some(Array.isArray) ? matrix(rows.y) : [numbers(rows.y)],
        classes: numbers(rows.class),
        points: given.length ? given : Array.from({ length: Math.min(points, values.length) }, (_, i) => i),
    };
}

function pointOf(value: unknown): Point {
    const part = fields(value);
    return {
        at: number(part.at), df: number(part.df), train: number(part.train),
        value: number(part.value), stderr: number(part.stderr),
    };
}

/** The path of the chosen kernel from a table of `path` or of a selection. */
function fromTable(report: Report): Portrait | undefined {
    const { record } = report;
    const table = list(record.table).length ? list(record.table) : list(fields(record.selection).table);
    const kernel = kernelText(record.kernel);
    let rows: Fields[] = table.map(fields).filter(row => !isFields(row.kernel) || kernelText(row.kernel) === kernel);
    const setting = JSON.stringify(fields(rows.find(row => isFields(row.filter))?.filter ?? {}));
    if (setting !== '{}') rows = rows.filter(row => JSON.stringify(fields(row.filter)) === setting);
    const parameter = parameterOf(rows);
    const criterion = text(fields(record.selection).criterion);
    const points = rows.filter(row => known(number(row[parameter]))).map((row): Point => ({
        at: number(row[parameter]), df: number(row.df),
        train: number(row[`train_${criterion}`]), value: number(row.value), stderr: number(row.stderr),
    })).sort((a, b) => (parameter === 'lambda' ? b.at - a.at : a.at - b.at));
    if (points.length < 2) return undefined;
    const chosen = number(fields(record.filter)[parameter]);
    const nearest = largestAt(points.map(p => -Math.abs(Math.log(p.at / chosen))));
    return {
        parameter, points, chosen: Math.max(0, nearest), spectrum: undefined, filterAt: [], kept: [],
        curve: undefined, n: number(fields(record.data).n), rowsUsed: NaN, of: 'record', trainMeasure: '',
    };
}

export function portraitOf(report: Report): Portrait | undefined {
    const part = fields(report.raw.portrait);
    const points = list(part.points).map(pointOf).filter(p => known(p.at));
    const spectrum = spectrumOf(part.spectrum);
    if (!points.length && !spectrum) return fromTable(report);
    const filter = fields(part.filter);
    const chosen = number(part.chosen);
    return {
        parameter: text(part.parameter) || 'lambda',
        points,
        chosen: known(chosen) ? Math.min(Math.max(0, Math.round(chosen)), Math.max(0, points.length - 1)) : 0,
        spectrum,
        filterAt: numbers(filter.s),
        kept: matrix(filter.kept),
        curve: curveOf(part.curve, points.length),
        n: number(part.n),
        rowsUsed: number(part.rows_used),
        of: 'model',
        trainMeasure: text(part.train_measure),
    };
}

/** The spectrum of a report: of the model's portrait, or of the record of `spectrum`. */
export function spectrumFor(report: Report, portrait: Portrait | undefined): Spectrum | undefined {
    return portrait?.spectrum ?? spectrumOf({
        trace: report.record.trace, eigenvalues: report.record.eigenvalues, target_share: report.record.target_share,
    });
}

/** How much of an eigenvalue the filter keeps, between the values at which it is known (linear in log s). */
export function keptAt(filterAt: readonly number[], kept: readonly number[], s: number): number {
    if (!(s > 0) || filterAt.length < 2) return NaN;
    const isRising = filterAt[1]! > filterAt[0]!;
    const at = Math.log(s);
    let best = NaN;
    for (let i = 0; i + 1 < filterAt.length; i++) {
        const [a, b] = [Math.log(filterAt[i]!), Math.log(filterAt[i + 1]!)];
        const [low, high] = isRising ? [a, b] : [b, a];
        if (at < low - 1e-9 || at > high + 1e-9) continue;
        const part = (at - a) / (b - a);
        best = kept[i]! * (1 - part) + kept[i + 1]! * part;
    }
    if (known(best)) return best;
    const first = isRising ? at < Math.log(filterAt[0]!) : at > Math.log(filterAt[0]!);
    return (first ? kept[0] : kept[filterAt.length - 1]) ?? NaN;
}
