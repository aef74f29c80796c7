#!/usr/bin/env python3
"""Codings of 20 classes beside each other: 20 Newsgroups, linear kernel, the sizes of Table 7.1 of Rifkin,
Yeo and Poggio (2003).

    tools/python3 bench/codings.py BUILD [--sizes 800,250,100,30] [--splits 3] [--codings A B ...]

Of each class so many documents train, at most four fifths of it, and all others of the collection test; a
split draws them anew.  Lambda is chosen by five folds for every coding.  Printed are the mean error and
its standard deviation over the splits, the difference to one against all on the same splits, and the
share of test labels that are others than those of one against all.
"""
import argparse
import csv
import os
import subprocess
import tempfile

import numpy as np
from scipy.sparse import vstack

from classes import Problem, data, evaluate, fit
from linear import read_libsvm, tfidf

CODINGS = ("ova", "bch:63", "bch:63,k=10", "bch:63,k=18", "bch:63,k=30", "bch:63,k=18,decode=hamming",
           "bch:63,k=18,decode=loss", "dense", "ovo", "ovo:decode=votes")


def split(y, size, rng):
    """Rows that train and rows that test."""
    train = []
    for c in np.unique(y):
        rows = rng.permutation(np.flatnonzero(y == c))
        train.extend(rows[:min(size, 4 * len(rows) // 5)])
    return np.sort(train), np.setdiff1d(np.arange(len(y)), train)


def labels(build, problem, model):
    out = problem.path("labels.csv")
    subprocess.run([os.path.join(build, "specreg"), "predict", model, problem.path("test.npz"), "-o", out,
                    "--quiet"], check=True)
    with open(out) as f:
        return [row["label"] for row in csv.DictReader(f)]


def run(build, problem, codings):
    """Error and labels of each coding on one split."""
    n = problem.train[0].shape[0]
    grid = ",".join(repr(v / n) for v in (3, 1, 0.3, 0.1, 0.03))
    result = {}
    for coding in codings:
        model, record, seconds = fit(build, problem, "--kernel", "linear", "--select", "kfold:k=5", "--param",
                                     "lambda={" + grid + "}", "--coding", coding)
        result[coding] = (evaluate(build, problem, model)["error_rate"], labels(build, problem, model),
                          n * record["filter"]["lambda"], seconds)
        print(f"  {coding:28s} {100 * result[coding][0]:6.2f} %  n lambda {result[coding][2]:.2g}"
              f"  {seconds:6.1f} s", flush=True)
    return result


def summary(size, results, codings):
    print(f"\n{size} documents a class, {len(results)} splits\n"
          f"{'coding':28s} {'error, %':>14s} {'minus ova':>16s} {'other labels, %':>16s}")
    for c in codings:
        error = 100 * np.array([r[c][0] for r in results])
        other = error - 100 * np.array([r["ova"][0] for r in results])
        differ = np.mean([[a != b for a, b in zip(r[c][1], r["ova"][1])] for r in results])
        print(f"{c:28s} {error.mean():7.2f} +- {error.std(ddof=1):4.2f} {other.mean():9.2f} +- "
              f"{other.std(ddof=1):4.2f} {100 * differ:15.1f}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("build")
    parser.add_argument("--sizes", default="800,250,100,30")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--codings", nargs="+", default=CODINGS)
    args = parser.parse_args()
    A, y = read_libsvm(data("20news/train.libsvm.gz"))
    B, z = read_libsvm(data("20news/test.libsvm.gz"), A.shape[1])
    X, y = vstack([A, B]).tocsr(), np.concatenate([y, z])
    for size in map(int, args.sizes.split(",")):
        results = []
        for s in range(args.splits):
            with tempfile.TemporaryDirectory() as folder:
                train, test = split(y, size, np.random.default_rng([size, s]))
                print(f"{size} documents a class, split {s + 1}: {len(train)} train, {len(test)} test",
                      flush=True)
                a, b = X[train], X[test]
                tfidf(a, b)
                results.append(run(args.build, Problem(folder, (a, y[train]), (b, y[test])),
                                   args.codings))
        summary(size, results, args.codings)


if __name__ == "__main__":
    main()
