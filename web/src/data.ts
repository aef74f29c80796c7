// Reading a record of which nothing is certain: every part may be missing, null, or of another kind.

export type Fields = Record<string, unknown>;

/** An object; an empty one if it is something else. */
export function fields(value: unknown): Fields {
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Fields) : {};
}

/** A list; an empty one if it is something else. */
export function list(value: unknown): unknown[] {
    return Array.isArray(value) ? value : [];
}

/** A finite number; NaN if it is something else. */
export function number(value: unknown): number {
    return typeof value === 'number' && Number.isFinite(value) ? value : NaN;
}

/** A list of numbers, with NaN for what is none. */
export function numbers(value: unknown): number[] {
    return list(value).map(number);
}

export function matrix(value: unknown): number[][] {
    return list(value).map(numbers);
}

/** A text; a number becomes one. */
export function text(value: unknown, otherwise = ''): string {
    if (typeof value === 'string') return value;
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : otherwise;
}

export function texts(value: unknown): string[] {
    return list(value).map(v => text(v));
}

export function isFields(value: unknown): boolean {
    return value !== null && typeof value === 'object' && !Array.isArray(value);
}

export const known = Number.isFinite;

/** Least and largest of the finite values; undefined without any. */
export function range(...lists: readonly (readonly number[])[]): [number, number] | undefined {
    let least = Infinity;
    let largest = -Infinity;
    for (const values of lists)
        for (const v of values)
            if (known(v)) {
                if (v < least) least = v;
                if (v > largest) largest = v;
            }
    return least <= largest ? [least, largest] : undefined;
}

export function sum(values: readonly number[]): number {
    let total = 0;
    for (const v of values) if (known(v)) total += v;
    return total;
}

/** The q-quantile of sorted values. */
export function quantile(sorted: readonly number[], q: number): number {
    return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(q * (sorted.length - 1))))] ?? NaN;
}

/** The index of the largest value; -1 without any. */
export function largestAt(values: readonly number[]): number {
    let best = -1;
    values.forEach((v, i) => {
        if (known(v) && (best < 0 || v > values[best]!)) best = i;
    });
    return best;
}
