#!/usr/bin/env python3
"""The two problems of table.py, as files that every contestant reads:

    tools/python3 bench/synthetic.py ring|sine ROWS FOLDER

ring: Breiman's ringnorm, 20 features, classes -1 and 1.  sine: 8 features uniform in [-1, 1],
y = sin(3 w'x) + 0.2 noise.  Writes train.csv, folds.csv (the same rows, and first a column `fold`:
row i is in fold i mod 5) and test.csv with 5,000 rows, and prints the median distance between
training rows.  More rows are the fewer ones and others, with the same test rows and median."""
import sys

import numpy as np

SEED, TEST, FOLDS, FOR_MEDIAN = 1, 5000, 5, 1000


def ring(labels, rows, _, n):
    y = np.where(labels.random(n) < 0.5, 1.0, -1.0)
    normal = rows.standard_normal((n, 20))
    return np.where(y[:, None] > 0, 2 * normal, 2 / np.sqrt(20) + normal), y


def sine(direction, rows, noise, n):
    w = direction.standard_normal(8)
    X = rows.uniform(-1, 1, (n, 8))
    return X, np.sin(3 * X @ (w / np.linalg.norm(w))) + 0.2 * noise.standard_normal(n)


def write(path, names, columns, form):
    np.savetxt(path, columns, fmt=",".join(form), header=",".join(names), comments="")


def main():
    problem, n, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
    draw = {"ring": ring, "sine": sine}[problem]
    # a stream for each kind of number: the first rows do not depend on how many there are
    drawn = TEST + max(n, FOR_MEDIAN)
    X, y = draw(*(np.random.default_rng((SEED, k)) for k in range(3)), drawn)
    table = np.column_stack((X, y))[:TEST + n]
    names = [f"x{j + 1}" for j in range(X.shape[1])] + ["y"]
    form = ["%.6f"] * X.shape[1] + ["%g" if problem == "ring" else "%.6f"]
    write(f"{folder}/test.csv", names, table[:TEST], form)
    write(f"{folder}/train.csv", names, table[TEST:], form)
    folds = np.column_stack((np.arange(n) % FOLDS, table[TEST:]))
    write(f"{folder}/folds.csv", ["fold", *names], folds, ["%d", *form])
    some = X[TEST:TEST + FOR_MEDIAN]
    squares = (some**2).sum(1)
    distances = squares[:, None] + squares - 2 * some @ some.T
    print(np.sqrt(np.median(distances[np.triu_indices(len(some), 1)])))


main()
