// A chart as a file of its own: its computed colours and letters go into the elements themselves.
import { h } from './dom';

const kept = ['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-opacity', 'stroke-dasharray',
    'stroke-linecap', 'stroke-linejoin', 'opacity', 'font-family', 'font-size', 'font-weight', 'text-anchor'];

function standalone(svg: SVGSVGElement): { code: string; width: number; height: number } {
    const copy = svg.cloneNode(true) as SVGSVGElement;
    const from = [svg, ...svg.querySelectorAll('*')];
    const to = [copy, ...copy.querySelectorAll('*')];
    from.forEach((element, i) => {
        const style = getComputedStyle(element);
        for (const name of kept) {
            const value = style.getPropertyValue(name);
            if (value) to[i]!.setAttribute(name, value);
        }
        to[i]!.removeAttribute('class');
    });
    const box = svg.viewBox.baseVal;
    copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
    copy.setAttribute('width', String(box.width));
    copy.setAttribute('height', String(box.height));
    const ground = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
    ground.setAttribute('width', '100%');
    ground.setAttribute('height', '100%');
    ground.setAttribute('fill', getComputedStyle(document.documentElement).getPropertyValue('--card'));
    copy.prepend(ground);
    return { code: new XMLSerializer().serializeToString(copy), width: box.width, height: box.height };
}

function save(blob: Blob, name: string): void {
    const url = URL.createObjectURL(blob);
    h('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export function saveSvg(svg: SVGSVGElement, name: string): void {
    save(new Blob([standalone(svg).code], { type: 'image/svg+xml' }), `${name}.svg`);
}

export function savePng(svg: SVGSVGElement, name: string): void {
    const scale = 2;
    const { code, width, height } = standalone(svg);
    const image = new Image();
    image.onload = () => {
        const canvas = h('canvas', { width: width * scale, height: height * scale });
        canvas.getContext('2d')?.drawImage(image, 0, 0, width * scale, height * scale);
        canvas.toBlob(blob => blob && save(blob, `${name}.png`), 'image/png');
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(code)}`;
}
