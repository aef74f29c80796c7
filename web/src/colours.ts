// Colours of values, between 0 and 1.  Lines and dots get theirs from style.css.

// Viridis: even steps of lightness, told apart by nearly all eyes and in grey.
const viridis = [
    [68, 1, 84], [72, 36, 117], [65, 68, 135], [53, 95, 141], [42, 120, 142],
    [33, 145, 140], [34, 168, 132], [68, 191, 112], [122, 209, 81], [189, 223, 38], [253, 231, 37],
];

export type Rgb = [number, number, number];

export function viridisAt(share: number): Rgb {
    const at = Math.min(1, Math.max(0, share)) * (viridis.length - 1);
    const left = Math.min(viridis.length - 2, Math.floor(at));
    const part = at - left;
    return [0, 1, 2].map(k => Math.round(viridis[left]![k]! * (1 - part) + viridis[left + 1]![k]! * part)) as Rgb;
}

export const css = ([r, g, b]: Rgb): string => `rgb(${r},${g},${b})`;

/** The ink that is readable on a ground of this colour. */
export function inkOn([r, g, b]: Rgb): string {
    return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? '#101418' : '#ffffff';
}

/** How many colours there are for series (classes c0, c1 ... of style.css). */
export const series = 8;

/** The class of the k-th series; those beyond the colours begin again. */
export function seriesClass(k: number): string {
    return `c${k % series}`;
}

/** The colour of the k-th series as the style gives it now. */
export function seriesRgb(k: number): Rgb {
    const value = getComputedStyle(document.documentElement).getPropertyValue(`--c${k % series}`).trim();
    const whole = /^#([0-9a-f]{6})$/i.exec(value);
    const code = whole ? parseInt(whole[1]!, 16) : 0x808080;
    return [code >> 16, (code >> 8) & 255, code & 255];
}
