#!/usr/bin/env python3
"""Draws what `specreg experiment trend -o CURVES.csv` wrote: noisy points of |5 - x| and the curves of three
widths, with a polynomial that is not penalised and without.

    python3 docs/figures/trend.py CURVES.csv PICTURE.png
"""
import csv
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("skipped: no matplotlib here (Debian: apt-get install python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plt

PANELS = (("grls", "(a) G-RLS, features 1, x, x²"), ("ridge", "(b) ridge regression"))
WIDTHS = (("small", "sigma = 0.1", "tab:orange", 1.2), ("large", "sigma = 10", "lightgreen", 4),
          ("chosen", "sigma chosen", "tab:blue", 1.2))


def main(curves, picture):
    with open(curves, newline="") as file:
        rows = list(csv.DictReader(file))
    points, grid = ([row for row in rows if bool(row["y"]) == given] for given in (True, False))
    column = lambda rows, name: [float(row[name]) for row in rows]
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), sharex=True, sharey=True)
    for axis, (method, title) in zip(axes, PANELS):
        axis.plot(column(points, "x"), column(points, "y"), ".", color="0.3", markersize=4)
        axis.plot(column(grid, "x"), column(grid, "truth"), "--", color="0.6", linewidth=1, label="|5 - x|")
        for width, label, colour, line in WIDTHS:
            axis.plot(column(grid, "x"), column(grid, f"{method}.{width}"), color=colour, linewidth=line,
                      label=label)
        axis.set_title(title)
    axes[0].legend(frameon=False, fontsize=8, loc="upper center")
    figure.tight_layout()
    figure.savefig(picture, dpi=80)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
