// PNG files with a palette, from the pixels of a picture.
import { crc32 as crc, deflateSync } from 'node:zlib';

/** Boxes of colours, cut at the middle of their longest side until there are 256 (median cut). */
function palette(counts) {
    const boxes = [[...counts].map(([code, count]) => ({ code, count, at: [code >> 16, (code >> 8) & 255, code & 255] }))];
    const side = box => {
        let best = { k: 0, long: -1 };
        for (let k = 0; k < 3; k++) {
            const values = box.map(c => c.at[k]);
            const long = values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
            if (long > best.long) best = { k, long };
        }
        return best;
    };
    const weigh = box => side(box).long * Math.sqrt(box.reduce((sum, c) => sum + c.count, 0));
    const weights = boxes.map(weigh);
    while (boxes.length < 256) {
        const at = weights.indexOf(Math.max(...weights));
        if (!(weights[at] > 0)) break;
        const { k } = side(boxes[at]);
        const box = boxes[at].sort((a, b) => a.at[k] - b.at[k]);
        const half = box.reduce((sum, c) => sum + c.count, 0) / 2;
        let [cut, seen] = [0, 0];
        while (cut < box.length - 2 && seen + box[cut].count < half) seen += box[cut++].count;
        const parts = [box.slice(0, cut + 1), box.slice(cut + 1)];
        boxes.splice(at, 1, ...parts);
        weights.splice(at, 1, ...parts.map(weigh));
    }
    const colours = boxes.map(box => box.reduce((a, b) => (a.count >= b.count ? a : b)).at); // flat grounds stay exact
    const index = new Map();
    boxes.forEach((box, i) => { for (const { code } of box) index.set(code, i); });
    return { colours, index };
}

function chunk(name, data) {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const all = Buffer.alloc(body.length + 8);
    all.writeUInt32BE(data.length, 0);
    body.copy(all, 4);
    all.writeUInt32BE(crc(body), body.length + 4);
    return all;
}

/** RGBA pixels as an indexed PNG. */
export function indexedPng(rgba, width, height) {
    const codes = new Uint32Array(width * height);
    const counts = new Map();
    for (let i = 0; i < codes.length; i++) {
        codes[i] = (rgba[4 * i] << 16) | (rgba[4 * i + 1] << 8) | rgba[4 * i + 2];
        counts.set(codes[i], (counts.get(codes[i]) ?? 0) + 1);
    }
    const { colours, index } = palette(counts);
    const rows = Buffer.alloc((width + 1) * height);
    for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++) rows[y * (width + 1) + 1 + x] = index.get(codes[y * width + x]);
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([8, 3, 0, 0, 0], 8);
    return Buffer.concat([Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]), chunk('IHDR', head),
        chunk('PLTE', Buffer.from(colours.flat())), chunk('IDAT', deflateSync(rows, { level: 9 })), chunk('IEND', Buffer.alloc(0))]);
}
