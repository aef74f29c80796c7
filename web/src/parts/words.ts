// Text: the words that speak for and against each class.
import { fields, known, list, number, text } from '../data';
import { choice } from '../dom';
import { figureOf, type Figure } from '../figure';
import { num, short } from '../format';
import { ranked, type Ranked } from '../ranked';
import type { Report } from '../report';

interface Words {
    label: string;
    for: { word: string; weight: number }[];
    against: { word: string; weight: number }[];
}

const wordsOf = (value: unknown): { word: string; weight: number }[] =>
    list(value).map(fields).map(w => ({ word: text(w.word), weight: number(w.weight) })).filter(w => known(w.weight));

function figure(report: Report, classes: () => Words, name: string, title: string): Figure {
    const rows = (): Ranked[] => {
        const { for: pro, against } = classes();
        const line = (w: { word: string; weight: number }, sign: number): Ranked => ({
            name: w.word, value: sign * Math.abs(w.weight), class: sign > 0 ? 'c0' : 'c1', say: `${short(w.word, 30)}\n${num(sign * Math.abs(w.weight), 3)}`,
        });
        return [...pro.slice(0, 12).map(w => line(w, 1)), ...against.slice(0, 6).map(w => line(w, -1))];
    };
    return {
        name: `words-${name}-${report.index}`,
        title,
        look: 'Words that have nothing to do with the subject, such as names or addresses, are a sign that it has learned the source and not the topic.',
        draw: width => ranked({
            width, kind: 'bar', label: `Words for and against ${classes().label}.`, axis: { label: 'weight of the word' }, rows: rows(),
            legend: [{ class: 'c0', label: `for ${short(classes().label)}`, kind: 'bar' }, { class: 'c1', label: 'against', kind: 'bar' }],
        }),
        table: () => ({
            columns: ['word', 'weight'],
            rows: [...classes().for.map(w => [w.word, Math.abs(w.weight)]), ...classes().against.map(w => [w.word, -Math.abs(w.weight)])],
        }),
    };
}

export function wordsPart(report: Report): (Figure | HTMLElement)[] {
    const classes = list(report.raw.words).map(fields)
        .map((c): Words => ({ label: text(c.class), for: wordsOf(c.for), against: wordsOf(c.against) }))
        .filter(c => c.for.length + c.against.length > 0);
    if (!classes.length) return [];
    if (classes.length <= 4)
        return classes.map((c, k) => figure(report, () => c, String(k), `Words for ${short(c.label, 40)}`));
    const state = [0, 1];
    return state.map((_, place) => {
        const drawn = figureOf({
            ...figure(report, () => classes[state[place]!]!, String(place), place === 0 ? 'Words for a class' : 'and for another'),
            controls: [choice('Class', classes.map(c => short(c.label, 40)), place, k => {
                state[place] = k;
                drawn.redraw();
            })],
        });
        return drawn.element;
    });
}
