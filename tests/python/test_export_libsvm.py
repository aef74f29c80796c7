"""`specreg export --format libsvm`: Debian's svm-predict reads the file, and predicts what the command
predicts; what the format cannot carry is refused."""
import os
import shutil
import subprocess
import sys

import numpy as np
from exported import FIXED, M, N, Case, numbers, run, sparse, write, write_sparse

if not shutil.which("svm-predict"):
    print("skipped: svm-predict is missing (Debian: apt-get install libsvm-tools)")
    sys.exit(77)


def predict(model, rows, labels=None):
    write_sparse("rows.libsvm", rows, np.zeros(len(rows)) if labels is None else labels)
    subprocess.run(["svm-predict", "rows.libsvm", model, "predicted"], check=True, capture_output=True)
    return np.loadtxt("predicted", ndmin=1)


def check(case, rows):
    run("export", case.model, case.name + ".model", "-q")
    got = predict(case.name + ".model", rows)
    if case.labels:
        assert [f"{v:g}" for v in got] == case.labels, case.name
        return 0
    worst = np.abs(got - case.scores[:, 0]).max() / np.abs(case.scores).max()
    assert worst < 1e-10, (case.name, worst)
    return worst


worst = 0
_, X, y = numbers()
header = ["x1", "x2", "x3", "y"]
rows = np.column_stack([X, y])
PLAIN = ["--scale", "none", "--kernel"]
KERNELS = ("linear", "rbf:sigma=1.5", "3*rbf:sigma=2", "poly:degree=3,coef0=1,gamma=0.3", "poly:degree=2,coef0=0,gamma=1")
for i, kernel in enumerate(KERNELS):
    for features in ("constant", "none"):
        worst = max(worst, check(Case(f"r{i}_{features}", header, rows, [*PLAIN, kernel, "--features", features]), X[N:]))
for kind in (3, 2):
    label = np.digitize(y, [-0.5, 0.5][: kind - 1]) * 5 - 3
    for i, kernel in enumerate(KERNELS):
        for coding in ("ova", "simplex", "ab:a=1,b=0", "bch:15", "ovo")[: 5 if i == 1 else 1]:
            case = Case(f"c{kind}{i}_{coding[:3]}", header, np.column_stack([X, label]),
                        [*PLAIN, kernel, "--coding", coding, "--problem", "classification"])
            check(case, X[N:])
            assert len(set(case.labels)) == kind
for case in sparse():
    if case.name != "s1":  # scaled
        worst = max(worst, check(case, case.X))
K = X @ X.T
case = Case("given", [f"k{i}" for i in range(N)] + ["y"], np.column_stack([K[:, :N], y]), ["--kernel", "precomputed"])
worst = max(worst, check(case, K[N:, :N]))

# Equal scores: the first class.
half = np.array([[-1.0], [1.0]] * 40)[: N + M]
tie = Case("tie", ["x", "label"], np.column_stack([half * (np.arange(N + M) < N)[:, None], half[:, 0]]),
           [*PLAIN, "linear", "--features", "none", "--problem", "classification"])
assert set(tie.labels) == {"-1"}, tie.labels
check(tie, np.zeros((M, 1)))


def refused(name, word, options, header=header, rows=rows):
    run("export", Case("no_" + name, header, rows, options).model, "no.model", fails=(1, word))
    assert not os.path.exists("no.model")


refused("scaling", "scaling, as that of column 'x1': fit with --scale none", ["--kernel", "rbf:sigma=1"])
refused("kernel", "the kernel 'laplace'", [*PLAIN, "laplace:sigma=1"])
refused("sum", "sums and products", [*PLAIN, "rbf:sigma=1 + rbf:sigma=2"])
refused("some", "some columns", [*PLAIN, "rbf:sigma=1,columns=x1"])
refused("outputs", "more than one output", [*PLAIN, "rbf:sigma=1", "--target", "x3,y"])
refused("terms", "other than a constant", [*PLAIN, "rbf:sigma=1", "--features", "poly:degree=1"])
refused("fills", "missing values", [*PLAIN, "rbf:sigma=1", "--missing", "mean"])
texts = [[a, "red" if b > 0 else "blue", "p" if c > 0 else "q"] for a, b, c in X]
refused("texts", "texts, as those of column 'colour'", [*PLAIN, "rbf:sigma=1"], ["x", "colour", "label"], texts)
refused("labels", "the label 'p': its labels are whole numbers", [*PLAIN, "rbf:sigma=1"], ["a", "b", "label"],
        [[a, b, c[2]] for (a, b, _), c in zip(X, texts)])
numbered = np.column_stack([X, np.digitize(y, [-0.5, 0.5])])
refused("votes", "outputs decoded by 'votes'", [*PLAIN, "rbf:sigma=1", "--coding", "ovo:decode=votes", "--problem", "classification"],
        rows=numbered)
many = np.arange(1100.0).reshape(-1, 1)
write("many.csv", ["x", "label"], np.hstack([many, many]))
run("fit", "many.csv", "-o", "many.srm", "--problem", "classification", "--scale", "none", "--kernel", "rbf:sigma=1", *FIXED)
run("export", "many.srm", "no.model", fails=(1, "1100 of 1100 classes are too many"))
print(f"largest difference, relative to the scores: {worst:.1e}")
