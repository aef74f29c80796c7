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
        const isWanted = !isDark();
        if (isWanted === dark.matches) delete root.dataset.theme; // as the system says: follow it again
        else root.dataset.theme = isWanted ? 'dark' : 'light';
        say();
        changed();
    });
    dark.addEventListener('change', () => {
        say();
        changed();
    });
    addEventListener('beforeprint', () => { // light, and as wide as paper
        if (root.dataset.print !== undefined) return;
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
