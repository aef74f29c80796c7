#!/usr/bin/env python3
"""Draws what `bench/grlsc.py BUILD ROWS.csv` wrote: accuracy on parts of 20 Newsgroups by the number of training
documents, the mean of all runs.

    python3 docs/figures/grlsc.py ROWS.csv PICTURE.png
"""
import csv
import sys

try:
    import matplotlib
except ImportError:
    sys.exit("skipped: no matplotlib here (Debian: apt-get install python3-matplotlib)")
matplotlib.use("Agg")
import matplotlib.pyplot as plt

LINES = (("RLSC", "RLSC", "tab:blue", "-o"), ("G-RLSC", "G-RLSC", "tab:orange", "-o"),
         ("paper", "G-RLSC as printed", "tab:orange", ":x"),
         ("G-RLSC all", "G-RLSC, topics of all documents", "tab:green", "-o"),
         ("SVM", "SVM", "0.4", "-s"), ("RLSC topics", "RLSC, topics alone", "tab:blue", ":x"),
         ("SVM topics", "SVM, topics alone", "0.4", ":x"))


def main(file, picture):
    found = {}
    with open(file, newline="") as rows:
        for r in csv.DictReader(rows):
            if r["accuracy"] != "nan":
                key = r["subset"], r["method"]
                found.setdefault(key, {}).setdefault(int(r["size"]), []).append(100 * float(r["accuracy"]))
    subsets = sorted({subset for subset, _ in found})
    figure, axes = plt.subplots(1, len(subsets), figsize=(3.4 * len(subsets), 4), squeeze=False)
    for axis, subset in zip(axes[0], subsets):
        for method, label, colour, style in LINES:
            of = found.get((subset, method), {})
            sizes = sorted(of)
            axis.plot(sizes, [sum(of[n]) / len(of[n]) for n in sizes], style, color=colour, label=label,
                      linewidth=1.2, markersize=4)
        axis.set_xscale("log")
        axis.set_xticks(sizes, [str(n) for n in sizes])
        axis.minorticks_off()
        axis.set_title(subset + ".*")
    axes[0][0].set_ylabel("accuracy, %")
    figure.legend(*axes[0][0].get_legend_handles_labels(), loc="lower center", ncol=4, frameon=False)
    figure.tight_layout(rect=(0, 0.12, 1, 1))
    figure.savefig(picture, dpi=70)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
