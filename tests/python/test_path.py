#!/usr/bin/env python3
"""The solutions of a path against NumPy: predictions, coefficients and degrees of freedom of every point.

With K of the training rows, alpha = (1/n) g(K/n) y, and the degrees of freedom are the trace of (K/n) g(K/n).  g of
the iterations comes from the recurrence of the coefficients themselves, column by column of the identity.
"""
import csv
import json
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

specreg = os.environ["SPECREG"]
rng = np.random.default_rng(3)
N, M = 60, 9
X, Z = rng.normal(size=(N, 2)), rng.normal(size=(M, 2))
Y = np.column_stack([np.sin(X[:, 0]) + 0.1 * rng.normal(size=N), X[:, 1] ** 2])


def write(name, A, names):
    with open(name, "w") as f:
        f.write(",".join(names) + "\n")
        for row in A:
            f.write(",".join(repr(float(v)) for v in row) + "\n")


def gram(A, B, sigma):
    d2 = ((A[:, None, :] - B[None, :, :]) ** 2).sum(2)
    return np.exp(-d2 / (2 * sigma ** 2))


def run(*args, fails=None):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    if fails:
        assert done.returncode == 1 and fails in done.stderr, (args, done.returncode, done.stderr)
    else:
        assert done.returncode == 0, (args, done.stderr)


def read(name):
    with open(name) as f:
        rows = list(csv.reader(f))
    return rows[0], rows[1:]


def tikhonov(K, lam):
    return np.linalg.inv(K + N * lam * np.eye(N))


def orders(K, q, lam=0.05):
    A, inverse = np.zeros((N, N)), tikhonov(K, lam)
    for _ in range(int(q)):
        A = inverse @ (np.eye(N) + N * lam * A)
    return A


def steps(K, t, momentum, ahead=False):
    A = before = np.zeros((N, N))
    for i in range(1, int(t) + 1):
        u = momentum(i)
        at = A + u * (A - before)
        A, before = at + (np.eye(N) - K @ (at if ahead else A)) / N, A
    return A


CASES = [
    ("tikhonov", "lambda", (0.1, 0.001), tikhonov, "auto"),
    ("iterated:lambda=0.05", "order", (1, 4, 9), orders, "auto"),
    ("landweber", "t", (2, 30), lambda K, t: steps(K, t, lambda i: 0), "iterate"),
    ("heavyball:momentum=0.5", "t", (3, 20), lambda K, t: steps(K, t, lambda i: 0.5), "iterate"),
    ("nesterov", "t", (3, 25), lambda K, t: steps(K, t, lambda i: (i - 2) / (i + 1) if i > 2 else 0, True), "krylov"),
]

write("train.csv", np.hstack([X, Y]), ["a", "b", "y", "z"])
write("new.csv", Z, ["a", "b"])
for name, key, values, solve, engine in CASES:
    run("path", "train.csv", "--target", "y,z", "--kernel", "rbf:sigma={0.8,2}", "--scale", "none", "--features", "none",
        "--filter", name, "--param", key + "={" + ",".join(map(str, values)) + "}", "--engine", engine,
        "--select", "kfold:k=3", "--predict", "new.csv", "-o", "pred.csv", "--coefficients", "coef.csv", "--json",
        "path.json")
    header, rows = read("pred.csv")
    predicted = np.array(rows, float)
    of, coefficients = read("coef.csv")
    assert of[0] == "of" and [r[0] for r in coefficients] == [str(i + 1) for i in range(N)]
    coefficients = np.array([r[1:] for r in coefficients], float)
    table = json.load(open("path.json"))["table"]
    at = 0
    for sigma in (2, 0.8):
        for value in sorted(values, reverse=key == "lambda"):
            K = gram(X, X, sigma)
            A = solve(K, value)
            alpha = A @ Y
            assert header[2 * at:2 * at + 2] == [f"sigma={sigma} {key}={value}:{t}" for t in "yz"], header
            limit = 1e-12 * np.linalg.norm(A, 2) * N * np.abs(Y).max()
            assert np.abs(coefficients[:, 2 * at:2 * at + 2] - alpha).max() <= limit, (name, sigma, value)
            assert np.abs(predicted[:, 2 * at:2 * at + 2] - gram(Z, X, sigma) @ alpha).max() <= N * limit
            df = np.trace(K @ A)
            assert table[at]["df"] is not None and abs(table[at]["df"] - df) <= 1e-9 * N, (name, table[at], df)
            assert "df_stderr" not in table[at]
            at += 1
    assert at * 2 == len(header) == len(of) - 1

# Coefficients are those of f(x) = sum_i k(x, x_i) a_i, a row for each centre with the number of its row in the table.
def coefficients(*args):
    run("path", *args, "--scale", "none", "--coefficients", "c.csv")
    header, rows = read("c.csv")
    return header[1:], [r[0] for r in rows], np.array([r[1:] for r in rows], float)


LAMBDA = 0.02
BARE = ["--features", "none", "--param", f"lambda={LAMBDA}"]
K = gram(X, X, 1)
OMEGA = np.array([[1, 0.5], [0.5, 1]])
header, of, found = coefficients("train.csv", "--target", "y,z", "--kernel", "rbf:sigma=1", "--outputs", "common:omega=0.5",
                                 *BARE)  # (K x A + n lambda) a = y, and the coefficients are A a
a = np.linalg.solve(np.kron(K, OMEGA) + N * LAMBDA * np.eye(2 * N), Y.ravel()).reshape(N, 2) @ OMEGA
assert header == [f"sigma=1 lambda={LAMBDA}:{t}" for t in "yz"] and np.abs(found - a).max() < 1e-9 * np.abs(a).max()

shift = np.array([[0.0, 0.0], [0.3, -0.2]])  # delays: each output of a row is a centre
write("shift.csv", shift[1:], [repr(float(v)) for v in shift[0]])
header, of, found = coefficients("train.csv", "--target", "y,z", "--kernel", "rbf:sigma=1", "--outputs",
                                 "delays:file=shift.csv", *BARE)
at = (X[:, None] + shift).reshape(-1, 2)
a = np.linalg.solve(gram(at, at, 1) + N * LAMBDA * np.eye(2 * N), Y.ravel())
by = {name: v for name, v in zip(of, found[:, 0])}
assert header == [f"sigma=1 lambda={LAMBDA}"] and len(of) == 2 * N
assert np.abs([by[f"{i + 1}:{t}"] for i in range(N) for t in "yz"] - a).max() < 1e-9 * np.abs(a).max()

gaps = np.ones(N, bool)  # rows that are left out keep their numbers
gaps[[0, 7, 8]] = False
with open("gaps.csv", "w") as f:
    f.write("a,b,w,y\n")
    for i, (x, y) in enumerate(zip(X, Y[:, 0])):
        f.write(f"{'' if i == 7 else repr(float(x[0]))},{float(x[1])!r},{int(gaps[i] or i == 7)},{float(y)!r}\n")
header, of, found = coefficients("gaps.csv", "--target", "y", "--weights", "w", "--missing", "drop", "--kernel",
                                 "rbf:sigma=1", *BARE)
assert of == [str(i + 1) for i in np.flatnonzero(gaps)], of
P = gram(X[gaps], X[gaps], 1)
a = np.linalg.solve(P + gaps.sum() * LAMBDA * np.eye(gaps.sum()), Y[gaps, 0])
assert np.abs(found[:, 0] - a).max() < 1e-9 * np.abs(a).max()

# Fewer centres: the minimiser on the rows that are named, which each kernel takes in an order of its own.
header, of, found = coefficients("train.csv", "--target", "y,z", "--kernel", "rbf:sigma={0.7,1}", "--approx", "rectangle:m=6",
                                 *BARE)
centre = np.array(of, int) - 1
assert len(set(of)) == 6 and len(header) == 4
for k, sigma in enumerate((1, 0.7)):
    C, M = gram(X, X[centre], sigma), gram(X[centre], X[centre], sigma)
    a = np.linalg.solve(C.T @ C + N * LAMBDA * M, C.T @ Y)
    assert np.abs(found[:, 2 * k:2 * k + 2] - a).max() < 1e-8 * np.abs(a).max(), (sigma, found, a)
run("path", "train.csv", "--target", "y,z", "--kernel", "rbf:sigma={0.7,3}", "--approx", "rectangle:m=6,centers=pivoted",
    "--scale", "none", *BARE, "--coefficients", "c.csv", fails="centres of their own")

# Classes: the scores of predict.
labels = np.where(Y[:, 0] > 0.3, "u", np.where(Y[:, 0] < -0.3, "v", "w"))
with open("classes.csv", "w") as f:
    f.write("a,b,label\n")
    for x, c in zip(X, labels):
        f.write(f"{float(x[0])!r},{float(x[1])!r},{c}\n")
run("path", "classes.csv", "--kernel", "rbf:sigma=1", "--param", "lambda={0.1,0.01}", "--predict", "new.csv", "-o", "p.csv")
run("fit", "classes.csv", "--kernel", "rbf:sigma=1", "--param", "lambda=0.01", "-o", "m.srm")
run("predict", "m.srm", "new.csv", "-o", "one.csv")
header, rows = read("p.csv")
names, one = read("one.csv")
assert header[3:] == ["sigma=1 lambda=0.01:" + n.split(":")[1] for n in names[1:]], (header, names)
assert np.allclose(np.array(rows, float)[:, 3:], np.array([r[1:] for r in one], float), rtol=0, atol=1e-10)

# A grid has its coordinates first, and what predict --grid says.
run("path", "train.csv", "--target", "y", "--drop", "z", "--kernel", "rbf:sigma=1", "--param", "lambda={0.1,0.01}", "--grid",
    "0:1:3,0:1:2", "-o", "g.csv")
run("fit", "train.csv", "--target", "y", "--drop", "z", "--kernel", "rbf:sigma=1", "--param", "lambda=0.1", "-o", "m.srm")
run("predict", "m.srm", "--grid", "0:1:3,0:1:2", "-o", "h.csv")
header, rows = read("g.csv")
assert header[:2] == ["a", "b"] and len(rows) == 6 and len(header) == 4
assert np.allclose(np.array(rows, float)[:, :3], np.array(read("h.csv")[1], float), rtol=0, atol=1e-10)

# Bad input.
for args, code in ((["--predict", "new.csv"], 2), (["--predict", "new.csv", "--grid", "0:1:2,0:1:2", "-o", "x.csv"], 2),
                   (["--grid", "0:1:2", "-o", "x.csv"], 1), (["--predict", "missing.csv", "-o", "x.csv"], 1)):
    done = subprocess.run([specreg, "path", "train.csv", "--target", "y", *args], capture_output=True, text=True)
    assert done.returncode == code and done.stderr.startswith("specreg: ") and done.stderr.count("\n") == 1, (args, done)
    assert not os.path.exists("x.csv")
print("ok")
