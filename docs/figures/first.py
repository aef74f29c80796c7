#!/usr/bin/env python3
"""The picture of README.md: the crescents with the probability of a class, and a noisy curve with intervals of a
local width, both by default fits.

    python3 docs/figures/first.py BUILD docs/figures/first.svg        from the root of the repository
"""
import csv
import math
import os
import random
import subprocess
import sys
import tempfile

command = os.path.join(sys.argv[1], "specreg")
W, H, GAP, TOP = 380, 260, 40, 26


def specreg(*arguments):
    return subprocess.run([command, *arguments], check=True, capture_output=True, text=True).stdout


def rows(text):
    return [{k: v if k in ("label", "crescent") else float(v) for k, v in r.items()}
            for r in csv.DictReader(text.splitlines())]


def crescents(folder):
    model, box, cells = os.path.join(folder, "c.srm"), (-1.8, 2.8, -1.4, 1.9), (46, 33)
    train = rows(open("data/crescents-train.csv").read())
    specreg("fit", "data/crescents-train.csv", "-q", "-o", model)
    dx, dy = (box[1] - box[0]) / cells[0], (box[3] - box[2]) / cells[1]
    grid = rows(specreg("predict", model, "--proba", "--grid", "%g:%g:%d,%g:%g:%d" % (
        box[0] + dx / 2, box[1] - dx / 2, cells[0], box[2] + dy / 2, box[3] - dy / 2, cells[1])))
    at = lambda x, y: ((x - box[0]) / (box[1] - box[0]) * W, TOP + (box[3] - y) / (box[3] - box[2]) * H)
    for r in grid:
        x, y = at(r["x1"] - dx / 2, r["x2"] + dy / 2)
        p = r["prob:upper"]
        color = "#%02x%02x%02x" % tuple(int(round(a + (b - a) * p)) for a, b in zip((253, 219, 199), (209, 229, 240)))
        yield '<path d="M%.1f %.1fh%.1fv%.1fh-%.1fz" fill="%s"/>' % (x, y, W / cells[0] + 0.3, H / cells[1] + 0.3,
                                                                  W / cells[0] + 0.3, color)
    for r in train:
        yield '<circle cx="%.1f" cy="%.1f" r="2.2" fill="%s"/>' % (
            *at(r["x1"], r["x2"]), "#2166ac" if r["crescent"] == "upper" else "#b2182b")


def curve(folder):
    random.seed(5)
    train, model, new = (os.path.join(folder, f) for f in ("t.csv", "m.srm", "new.csv"))
    points = []
    for _ in range(300):
        x = random.uniform(-2, 2)
        points.append((x, math.sin(2 * x) + (0.06 + 0.22 * max(0, x)) * random.gauss(0, 1)))
    with open(train, "w") as f:
        f.write("x,y\n" + "".join("%.5f,%.5f\n" % p for p in points))
    with open(new, "w") as f:
        f.write("x\n" + "".join("%.3f\n" % (-2 + i / 50) for i in range(201)))
    specreg("fit", train, "-q", "-o", model)
    said = rows(specreg("predict", model, new, "--interval", "0.9,kind=local"))
    at = lambda x, y: (W + GAP + (x + 2) / 4 * W, TOP + (2 - y) / 4 * H)
    line = lambda key, order: " ".join("%.1f,%.1f" % at(-2 + i / 50, said[i][key]) for i in order)
    yield '<polygon points="%s %s" fill="#d1e5f0"/>' % (line("y:lower", range(201)), line("y:upper", range(200, -1, -1)))
    for p in points:
        yield '<circle cx="%.1f" cy="%.1f" r="1.8" fill="#555"/>' % at(*p)
    yield '<polyline points="%s" fill="none" stroke="#2166ac" stroke-width="2"/>' % line("y", range(201))


with tempfile.TemporaryDirectory() as folder, open(sys.argv[2], "w") as out:
    out.write('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="13">\n' %
              (2 * W + GAP, H + TOP + 4))
    out.write('<rect width="100%" height="100%" fill="white"/>\n')
    for left, title in ((0, "fit crescents.csv; predict --proba"), (W + GAP, "predict --interval 0.9,kind=local")):
        out.write('<text x="%d" y="17">%s</text>\n' % (left + 4, title))
    for shape in [*crescents(folder), *curve(folder)]:
        out.write(shape + "\n")
    out.write("</svg>\n")
