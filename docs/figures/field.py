#!/usr/bin/env python3
"""Draws what `specreg experiment currents -o MAP.csv` wrote: the field less the mean current, its
curl-free and its divergence-free part, and the drifters where their file is given.

    python3 docs/figures/field.py MAP.csv PICTURE.png [DRIFTERS.csv]
"""
import csv
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("skipped: no matplotlib here (Debian: apt-get install python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plt


def read(path):
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]}


def main(map_file, picture, drifters=None):
    grid = read(map_file)
    points = read(drifters) if drifters else None
    side = round(len(grid["x"]) ** 0.5)
    shown = [k for k in range(len(grid["x"])) if k % side % 2 == 0 and k // side % 2 == 0]
    grid = {name: [values[k] for k in shown] for name, values in grid.items()}
    speed = sorted((u * u + v * v) ** 0.5 for u, v in zip(grid["u"], grid["v"]))
    # corners without drifters may have long arrows: nine in ten are shorter than an eighteenth
    scale = 18 * speed[9 * len(speed) // 10] / (max(grid["x"]) - min(grid["x"]))
    figure, axes = plt.subplots(1, 3, figsize=(15, 5), sharex=True, sharey=True)
    for axis, part, title in zip(axes, ("", ":curlfree", ":divfree"),
                                 ("field less the mean current", "curl-free part", "divergence-free part")):
        if points and not part:
            axis.plot(points["x"], points["y"], ".", color="tab:orange", markersize=2)
        axis.quiver(grid["x"], grid["y"], grid["u" + part], grid["v" + part], angles="xy",
                    scale_units="xy", scale=scale, width=0.003, headwidth=4)
        axis.set_title(title)
        axis.set_aspect("equal")
    figure.tight_layout()
    figure.savefig(picture, dpi=70)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
