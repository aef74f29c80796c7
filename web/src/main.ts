// The page: reads its data and shows one section after the other, several reports side by side.
import { fields, list, text, type Fields } from './data';
import { h, newId } from './dom';
import { figureOf, heading, redrawAll, type Figure } from './figure';
import { portraitOf, spectrumFor, type Portrait, type Spectrum } from './portrait';
import { reportOf, type Report } from './report';
import { classesPart } from './parts/classes';
import { columnsPart } from './parts/columns';
import { compare } from './parts/compare';
import { effortPart } from './parts/effort';
import { fieldPart } from './parts/field';
import { foldsPart } from './parts/folds';
import { outputsPart } from './parts/outputs';
import { pathPart } from './parts/path';
import { regressionPart } from './parts/regression';
import { searchPart } from './parts/search';
import { spectrumPart } from './parts/spectrum';
import { summary } from './parts/summary';
import { wordsPart } from './parts/words';
import { themeSwitch } from './theme';
import { tip } from './tip';

interface View {
    report: Report;
    portrait: Portrait | undefined;
    spectrum: Spectrum | undefined;
}

interface Section {
    title: string;
    /** Figures or other elements; none where there is nothing to show. */
    build: (view: View) => (Figure | HTMLElement)[];
}

/** The errors of rows that did not train: of the report itself, or of a record of `eval`. */
function testOf(report: Report): Fields {
    const own = fields(fields(report.raw.eval).test);
    return Object.keys(own).length ? own : fields(report.record.test);
}

const sections: Section[] = [
    { title: 'Summary', build: v => [summary(v.report)] },
    { title: 'Folds', build: v => foldsPart(v.report) },
    { title: 'The path', build: v => pathPart(v.report, v.portrait) },
    { title: 'The search', build: v => searchPart(v.report) },
    { title: 'The spectrum', build: v => spectrumPart(v.report, v.portrait, v.spectrum) },
    { title: 'Predictions', build: v => regressionPart(v.report, testOf(v.report)) },
    { title: 'Classes', build: v => classesPart(v.report, testOf(v.report)) },
    { title: 'The field', build: v => fieldPart(v.report) },
    { title: 'Outputs and tasks', build: v => outputsPart(v.report, testOf(v.report)) },
    { title: 'Words', build: v => wordsPart(v.report) },
    { title: 'Columns', build: v => columnsPart(v.report) },
    { title: 'Plan', build: v => effortPart(v.report) },
];

/** What a section shows of one report; a fault in the data costs this part alone. */
function partOf(section: Section, view: View): HTMLElement[] {
    try {
        return section.build(view).map(part => (part instanceof HTMLElement ? part : figureOf(part).element));
    } catch (fault) {
        view.report.cannot.push(`\u201c${section.title}\u201d could not be drawn from these data (${String(fault)}).`);
        return [];
    }
}

/** Two figures beside each other; of an odd number the last three, and one alone takes the line. */
function placed(elements: HTMLElement[]): HTMLElement[] {
    const cards = elements.filter(e => e.classList.contains('card') && !e.classList.contains('wide') && !e.classList.contains('summary'));
    cards.forEach((card, i) => card.classList.add(
        cards.length === 1 ? 'wide' : cards.length % 2 === 1 && i >= cards.length - 3 ? 'third' : 'half'));
    return elements;
}

function read(): { reports: Report[]; version: string; fault: string } {
    const found = document.getElementById('specreg-data')?.textContent ?? '';
    try {
        const data = fields(JSON.parse(found));
        const version = text(data.specreg);
        const reports = list(data.reports).map((r, i) => reportOf(r, i, version));
        const format = data.format;
        const fault = !reports.length ? 'This page holds no reports.'
            : format !== 1 ? `These data have the format ${text(format, 'of no name')}; this page knows format 1 and shows what it can.` : '';
        return { reports, version, fault };
    } catch {
        return { reports: [], version: '', fault: 'The data of this page cannot be read.' };
    }
}

function show(): void {
    const page = document.getElementById('page');
    if (!page) return;
    const { reports, version, fault } = read();
    const views = reports.map((report): View => {
        const portrait = portraitOf(report);
        return { report, portrait, spectrum: spectrumFor(report, portrait) };
    });
    const title = reports.map(r => r.title).join(', ') || 'Report';
    document.title = `${title} \u2013 specreg`;
    heading.level = reports.length > 1 ? 'h4' : 'h3';
    const contents = h('ul');
    const main = h('main');
    const body: HTMLElement[] = [];
    const add = (name: string, content: HTMLElement): void => {
        const id = newId('section');
        contents.append(h('li', {}, h('a', { href: `#${id}` }, name)));
        body.push(h('section', { 'aria-labelledby': id }, h('h2', { id, tabindex: -1 }, name), content));
    };
    if (reports.length > 1) add('Side by side', compare(reports));
    for (const section of sections) {
        const parts = views.map(view => partOf(section, view));
        if (!parts.some(p => p.length)) continue;
        const columns = h('div', { class: views.length > 1 ? 'columns' : 'single' });
        parts.forEach((elements, i) => columns.append(h('div', { class: 'column' },
            views.length > 1 && h('h3', {}, views[i]!.report.title),
            elements.length ? h('div', { class: 'grid' }, ...placed(elements)) : h('p', { class: 'nothing' }, 'Nothing to show here.'))));
        add(section.title, columns);
    }
    if (fault) main.append(h('p', { class: 'fault', role: 'status' }, fault));
    main.append(...body, missing(reports));
    const licences = (document.getElementById('licences') as HTMLTemplateElement | null)?.content.textContent ?? '';
    page.replaceChildren(
        h('header', {},
            h('div', { class: 'name' }, h('h1', {}, title), h('p', {}, `specreg ${version}`)),
            themeSwitch(redrawAll)),
        h('nav', { 'aria-label': 'Sections' }, contents),
        main,
        h('footer', {}, h('details', {}, h('summary', {}, 'Licences of what this page is made with'), h('pre', { tabindex: 0 }, licences))),
        tip.element);
}

function missing(reports: Report[]): HTMLElement | string {
    const items = reports.flatMap(r => [...new Set(r.cannot)].map(c => h('li', {}, reports.length > 1 ? `${r.title}: ${c}` : c)));
    if (!items.length) return '';
    return h('section', { class: 'cannot' }, h('h2', {}, 'Not shown, or shown in part'), h('ul', {}, ...items));
}

show();
