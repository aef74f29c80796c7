// A chart on the page: its title, one sentence that says what to look for, the picture, buttons that save
// it, and the table behind it.
import { h, newId } from './dom';
import { savePng, saveSvg } from './export';
import { tableOf, type Table } from './table';

export interface Figure {
    name: string;
    title: string;
    look: string;
    draw: (width: number) => SVGSVGElement;
    table: () => Table;
    controls?: HTMLElement[];
    /** Takes the whole width. */
    isWide?: boolean;
    /** Beside the sentence, where the picture needs one more. */
    note?: string | undefined;
}

export interface Drawn {
    element: HTMLElement;
    redraw: () => void;
}

/** The level of the figures' headings: one more where several reports stand side by side. */
export const heading: { level: 'h3' | 'h4' } = { level: 'h3' };

const all = new Set<() => void>();

/** Draws every chart again, as after a change of theme. */
export function redrawAll(): void {
    for (const draw of all) draw();
}

export function figureOf(figure: Figure): Drawn {
    const title = newId(figure.name);
    const picture = h('div', { class: 'picture' });
    let drawn = 0;
    const redraw = (): void => {
        const width = Math.max(260, Math.floor(picture.clientWidth || 480));
        drawn = width;
        try {
            picture.replaceChildren(figure.draw(width));
        } catch {
            picture.replaceChildren(h('p', { class: 'undrawn' }, 'These data could not be drawn.'));
        }
    };
    const save = (how: (svg: SVGSVGElement, name: string) => void): void => {
        const svg = picture.querySelector('svg');
        if (svg) how(svg, figure.name);
    };
    const details = h('details', {}, h('summary', {}, 'Table'));
    const fillTable = (): void => {
        details.querySelector('.table')?.remove();
        if (details.open) details.append(tableOf(figure.table(), figure.title));
    };
    details.addEventListener('toggle', fillTable);
    const element = h('figure', { class: figure.isWide ? 'card wide' : 'card', 'aria-labelledby': title, 'data-chart': figure.name },
        h('figcaption', {},
            h(heading.level, { id: title }, figure.title),
            h('p', { class: 'look' }, figure.look),
            figure.note && h('p', { class: 'look' }, figure.note)),
        figure.controls?.length ? h('div', { class: 'controls' }, ...figure.controls) : null,
        picture,
        h('div', { class: 'foot' }, details,
            h('span', { class: 'save' },
                h('button', { type: 'button', 'data-save': 'png', 'aria-label': `Save as PNG: ${figure.title}`, click: () => save(savePng) }, 'PNG'),
                h('button', { type: 'button', 'data-save': 'svg', 'aria-label': `Save as SVG: ${figure.title}`, click: () => save(saveSvg) }, 'SVG'))));
    all.add(redraw);
    new ResizeObserver(() => {
        if (Math.abs(Math.max(260, Math.floor(picture.clientWidth)) - drawn) > 1 && picture.clientWidth > 0) redraw();
    }).observe(picture);
    return {
        element,
        redraw: () => {
            redraw();
            fillTable();
        },
    };
}
