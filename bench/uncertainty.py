#!/usr/bin/env python3
"""Are the probabilities and intervals of `predict` honest?  On data that the fit has not seen:

    tools/python3 bench/uncertainty.py [BUILD-FOLDER] [probabilities|intervals]

probabilities: log-loss of `predict --proba` after a default fit on the IDA sets, beside LIBSVM
with Platt's probabilities (svm-train -b 1), C and gamma by 5-fold cross-validation over a grid.
intervals: how many targets lie in the 90 % intervals of `predict --interval`, and their width:
jackknife+ after a default fit, and plain held-out residuals after another filter.
The data are looked for in $SPECREG_DATA, else beside the repository.  Some minutes."""
import csv
import gzip
import os
import subprocess
import sys
import tempfile

import numpy as np

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SPECREG_DATA", os.path.join(HERE, "..", "shared", "data"))
IDA = ("banana breast_cancer diabetis flare_solar german heart ringnorm thyroid titanic twonorm "
       "waveform").split()
REGRESSION = ("abalone", "california_housing", "kin8nm")
SPLITS, LEVEL, MOST_ROWS = 6, 0.9, 2000
FITS = (("tikhonov", ()),  # jackknife+
        ("nu", ("--filter", "nu", "--kernel", "rbf:sigma={1,2,4}")))  # held-out residuals


def read(path):
    with gzip.open(os.path.join(DATA, path), "rt") as f:
        names = next(f).strip().split(",")
        return names, np.loadtxt(f, delimiter=",")


def write(path, names, rows):
    with open(path, "w") as f:
        f.write(",".join(names) + "\n")
        for row in rows:
            f.write(",".join(repr(float(v)) for v in row) + "\n")


def run(*command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return done.stdout


def predictions(specreg, folder, names, train, test, *options, fit=()):
    """The columns of `predict` by name, after a fit."""
    write(f"{folder}/train.csv", names, train)
    write(f"{folder}/test.csv", names, test)
    run(specreg, "fit", f"{folder}/train.csv", "-q", "-o", f"{folder}/m.srm", *fit)
    out = run(specreg, "predict", f"{folder}/m.srm", f"{folder}/test.csv", *options)
    rows = list(csv.reader(out.splitlines()))
    return dict(zip(rows[0], np.array(rows[1:], float).T))


# ------------------------------------------------------------------ probabilities


def splits_of(name):
    """The benchmark's own splits where enough of them are there, else random ones."""
    for kind in ("orig", "random"):
        path = os.path.join(DATA, "ida", f"{name}.{kind}-splits.gz")
        if os.path.exists(path):
            with gzip.open(path, "rt") as f:
                lines = [np.array(line.split(), int) for line in f][:SPLITS]
            if len(lines) == SPLITS:
                return lines
    raise FileNotFoundError(f"splits of {name}")


def libsvm(folder, train, test):
    """Probability of class 1 by svm-train -b 1, on standardized columns."""
    mean, deviation = train[:, :-1].mean(0), train[:, :-1].std(0)
    deviation[deviation == 0] = 1
    for name, rows in (("train", train), ("test", test)):
        with open(f"{folder}/{name}.svm", "w") as f:
            for row in rows:
                x = (row[:-1] - mean) / deviation
                values = " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist()))
                f.write(f"{row[-1]:g} {values}\n")
    best = (-1, None)
    for gamma in 2.0 ** np.arange(-9, 2, 2):
        for cost in 2.0 ** np.arange(-3, 10, 2):
            options = ("-c", repr(float(cost)), "-g", repr(float(gamma)))
            said = run("svm-train", "-q", "-v", "5", *options, f"{folder}/train.svm")
            best = max(best, (float(said.split("=")[1].strip(" %\n")), options))
    run("svm-train", "-q", "-b", "1", *best[1], f"{folder}/train.svm", f"{folder}/svm.model")
    run("svm-predict", "-b", "1", f"{folder}/test.svm", f"{folder}/svm.model", f"{folder}/svm.out")
    with open(f"{folder}/svm.out") as f:
        column = f.readline().split().index("1")
        return np.array([float(line.split()[column]) for line in f])


def losses(p, y):
    """Log-loss, and error rate in per cent."""
    return -np.mean(np.log(np.where(y > 0, p, 1 - p))), 100 * np.mean((p > 0.5) != (y > 0))


def probabilities(specreg):
    print(f"log-loss (and error in per cent) on rows that do not train, mean of {SPLITS} splits")
    print(f"{'set':<14} {'specreg':>16} {'LIBSVM':>16}")
    lower = 0
    for name in IDA:
        names, rows = read(f"ida/{name}.csv.gz")
        ours, theirs = [], []
        for train in splits_of(name):
            rest = np.setdiff1d(np.arange(len(rows)), train)
            with tempfile.TemporaryDirectory() as folder:
                out = predictions(specreg, folder, names, rows[train], rows[rest], "--proba")
                ours.append(losses(out["prob:1"], rows[rest, -1]))
                theirs.append(losses(libsvm(folder, rows[train], rows[rest]), rows[rest, -1]))
        a, b = np.mean(ours, 0), np.mean(theirs, 0)
        lower += a[0] < b[0]
        print(f"{name:<14} {a[0]:8.4f} ({a[1]:5.2f}) {b[0]:8.4f} ({b[1]:5.2f})", flush=True)
    print(f"lower than LIBSVM's on {lower} of {len(IDA)} sets")


# ---------------------------------------------------------------------- intervals


def intervals(specreg):
    print(f"targets in the {100 * LEVEL:g} % intervals of unseen rows, and the intervals' mean "
          "width beside the target's own deviation")
    print(f"{'set':<20} {'filter':<9} {'train':>6} {'test':>6} {'inside':>9} {'width':>10} "
          f"{'deviation':>10}")
    for name in REGRESSION:
        names, rows = read(f"regression/{name}.csv.gz")
        rng = np.random.default_rng(0)
        order = rng.permutation(len(rows))
        n = min(MOST_ROWS, len(rows) // 2)
        train, test = rows[order[:n]], rows[order[n:]]
        mean = train[:, -1].mean()
        train[:, -1] -= mean
        test[:, -1] -= mean
        for filter_name, fit in FITS:
            with tempfile.TemporaryDirectory() as folder:
                out = predictions(specreg, folder, names, train, test, "--interval", repr(LEVEL),
                                  fit=fit)
            lower, upper = out[names[-1] + ":lower"], out[names[-1] + ":upper"]
            inside = np.mean((lower <= test[:, -1]) & (test[:, -1] <= upper))
            print(f"{name:<20} {filter_name:<9} {n:6d} {len(test):6d} {100 * inside:7.2f} % "
                  f"{np.mean(upper - lower):10.4g} {test[:, -1].std():10.4g}", flush=True)


def main():
    words = [w for w in sys.argv[1:] if w in ("probabilities", "intervals")]
    folders = [w for w in sys.argv[1:] if w not in words] or [os.path.join(HERE, "build")]
    specreg = os.path.join(folders[0], "specreg")
    if not words or "probabilities" in words:
        probabilities(specreg)
    if not words or "intervals" in words:
        intervals(specreg)


main()
