"""The kernels of counts, categories, cycles and heavy tails against their formulas in NumPy: predictions,
leave-one-out and folds equal refits, dense and sparse rows, few columns and many."""
import csv
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M = 50, 20
rng = np.random.default_rng(11)


def chi2(a, b):
    s = a + b
    return float(np.sum(np.where(s > 0, (a - b) ** 2 / np.where(s > 0, s, 1), 0)))


KERNELS = {
    "rq:alpha=0.7,sigma=3": lambda a, b: (1 + np.sum((a - b) ** 2) / (2 * 0.7 * 9)) ** -0.7,
    "periodic:period=7,sigma=2": lambda a, b: np.exp(-2 * np.sum(np.sin(np.pi * (a - b) / 7) ** 2) / 4),
    "cosine": lambda a, b: a @ b / np.sqrt((a @ a) * (b @ b)),
    "chi2:gamma=0.1": lambda a, b: np.exp(-0.1 * chi2(a, b)),
    "intersection": lambda a, b: np.sum(np.minimum(a, b)),
    "hamming:sigma=2": lambda a, b: np.exp(-np.sum(a != b) / 2),
}
DENSE_ONLY = ("periodic", "hamming")


def write(name, X, y, sparse):
    with open(name, "w", newline="") as f:
        if sparse:
            for x, v in zip(X, y):
                f.write(f"{float(v)!r} " + " ".join(f"{k + 1}:{float(x[k])!r}" for k in np.flatnonzero(x)) + "\n")
            return
        out = csv.writer(f)
        out.writerow([f"x{k + 1}" for k in range(X.shape[1])] + ["y"])
        for x, v in zip(X, y):
            out.writerow([repr(float(e)) for e in x] + [repr(float(v))])


def run(*args):
    return subprocess.run([SPECREG, *args], check=True, capture_output=True, text=True).stdout


def refit(K, rows, out, mu):
    return K[np.ix_(out, rows)] @ np.linalg.solve(K[np.ix_(rows, rows)] + mu * np.eye(len(rows)), y[rows])


for p in (3, 70):
    X = rng.poisson(2, size=(N + M, p)).astype(float)
    X[:, 0] += 1  # no row of zeros
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=N + M)
    for kernel, k in KERNELS.items():
        K = np.array([[k(a, b) for b in X] for a in X])
        train, new = np.arange(N), np.arange(N, N + M)
        for sparse in (False, True):
            if sparse and (kernel.startswith(DENSE_ONLY) or p == 3):
                continue
            name = "libsvm" if sparse else "csv"
            write("train." + name, X[:N], y[:N], sparse)
            write("new." + name, X[N:], y[N:], sparse)
            with open("splits.txt", "w") as f:
                for j in range(4):
                    f.write(" ".join(str(i) for i in range(N) if i % 4 != j) + "\n")
            fixed = ("--kernel", kernel, "--scale", "none", "--features", "none", "--problem", "regression", "-q", "-o", "m.srm",
                     "--json", "fit.json")
            lam = 0.02
            run("fit", "train." + name, *fixed, "--param", f"lambda={lam}", "--select", "none")
            got = np.array([float(v) for v in run("predict", "m.srm", "new." + name).split()[1:]])
            want = refit(K, train, new, N * lam)
            assert np.abs(got - want).max() < 1e-9 * np.abs(want).max(), (kernel, p, sparse)
            for rule in ("loo", "splits:splits.txt") if sparse or p == 3 else ():
                run("fit", "train." + name, *fixed, "--param", f"lambda={{{lam},{lam / 4}}}", "--select", rule)
                with open("fit.json") as f:
                    table = json.load(f)["selection"]["table"]
                assert len(table) == 2
                for row in table:
                    parts = train if rule == "loo" else train % 4
                    error = np.empty(N)
                    for j in np.unique(parts):
                        rows, out = train[parts != j], train[parts == j]
                        mass = N if rule == "loo" else len(rows)  # leave-one-out keeps n lambda
                        error[out] = y[out] - refit(K, rows, out, mass * row["lambda"])
                    assert abs(row["value"] / np.mean(error ** 2) - 1) < 1e-8, (kernel, rule, p, sparse)
    run("fit", "train.csv", "--kernel", "hamming:sigma={1,2,4} + rq", "--problem", "regression", "-q", "-o", "m.srm")

# Numbers below 0, and --scale maxabs: the largest magnitude becomes 1.
write("minus.csv", X[:N, :3] - 2, y[:N], False)
for kernel in ("chi2", "intersection"):
    got = subprocess.run([SPECREG, "fit", "minus.csv", "--kernel", kernel, "--problem", "regression", "-o",
                          "bad.srm"], capture_output=True, text=True)
    assert got.returncode == 1 and f"kernel {kernel} needs numbers of 0 or more" in got.stderr, got
run("fit", "minus.csv", "--kernel", "rbf:sigma=1", "--scale", "maxabs", "--param", "lambda=0.01", "--features",
    "none", "--problem", "regression", "-q", "-o", "m.srm")
Z = (X[:N, :3] - 2) / np.abs(X[:N, :3] - 2).max(axis=0)
assert Z.min() < -0.2 and Z.max() == 1
K = np.exp(-((Z[:, None] - Z) ** 2).sum(2) / 2)
want = K @ np.linalg.solve(K + 0.01 * N * np.eye(N), y[:N])
got = np.array([float(v) for v in run("predict", "m.srm", "minus.csv").split()[1:]])
assert np.abs(got - want).max() < 1e-9 * np.abs(want).max()

# sobolev: without --scale the data lie in [0.05, 0.95], away from the zeros of its functions.
t = np.sort(rng.uniform(3, 9, size=40))
v = np.cos(t) + 2  # not 0 at the ends
write("line.csv", t[:, None], v, False)
run("fit", "line.csv", "--kernel", "sobolev", "--param", "lambda=1e-9", "--features", "none", "--problem",
    "regression", "-q", "-o", "m.srm")
got = np.array([float(e) for e in run("predict", "m.srm", "line.csv").split()[1:]])
assert np.abs(got - v).max() < 1e-4, "the ends are fitted as the others are"
s = 0.05 + 0.9 * (t - t.min()) / (t.max() - t.min())
K = np.minimum.outer(s, s) * (1 - np.maximum.outer(s, s))
want = K @ np.linalg.solve(K + 1e-9 * 40 * np.eye(40), v)
assert np.abs(got - want).max() < 1e-7
