// The small box beside the pointer that says the values of the nearest mark.
import { h } from './dom';

const box = h('div', { class: 'tip', hidden: true, 'aria-hidden': 'true' });

export const tip = {
    element: box,
    show(text: string, x: number, y: number): void {
        box.textContent = text;
        box.hidden = false;
        const wide = box.offsetWidth;
        const left = Math.max(4, Math.min(x + 12, document.documentElement.clientWidth - wide - 4));
        box.style.left = `${left + scrollX}px`;
        box.style.top = `${y + scrollY - box.offsetHeight - 10}px`;
    },
    hide(): void {
        box.hidden = true;
    },
};
