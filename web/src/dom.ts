// Elements of the page.  Text goes in as text alone: nothing of the data is ever read as markup.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | EventListener>;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') element.addEventListener(name, value);
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    for (const child of children) if (child || child === '') element.append(child);
    return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
    return fill(document.createElement(tag), attributes, children);
}

export function s<K extends keyof SVGElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
    return fill(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

let last = 0;

/** An id that no other element has. */
export function newId(word: string): string {
    return `${word}-${++last}`;
}

/** A choice among a few words; `change` gets the index. */
export function choice(label: string, options: string[], chosen: number, change: (index: number) => void): HTMLElement {
    const select = h('select', { change: () => change(select.selectedIndex) });
    options.forEach((option, i) => select.append(h('option', { value: i, selected: i === chosen }, option)));
    return h('label', { class: 'choice' }, `${label} `, select);
}
