// Light or dark: as the system says, until the switch says otherwise.
import { h } from './dom';

const dark = matchMedia('(prefers-color-scheme: dark)');

export function themeSwitch(changed: () => void): HTMLElement {
    const root = document.documentElement;
    const isDark = (): boolean => (root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches);
    const button = h('button', { type: 'button', class: 'theme' });
    const say = (): void => {
        button.textContent = isDark() ? 'Light' : 'Dark';
        button.setAttribute('aria-label', isDark() ? 'Switch to light colours' : 'Switch to dark colours');
    };
    button.addEventListener('click', () => {
        root.dataset.theme = isDark() ? 'light' : 'dark';
        say();
        changed();
    });
    dark.addEventListener('change', () => {
        say();
        changed();
    });
    addEventListener('beforeprint', () => {
        root.dataset.print = root.dataset.theme ?? '';
        root.dataset.theme = 'light';
        changed();
    });
    addEventListener('afterprint', () => {
        if (root.dataset.print) root.dataset.theme = root.dataset.print;
        else delete root.dataset.theme;
        delete root.dataset.print;
        changed();
    });
    say();
    return button;
}
