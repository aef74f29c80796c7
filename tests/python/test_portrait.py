#!/usr/bin/env python3
"""What a fit keeps for pictures against NumPy: eigenvalues, the share of y along them, the filter, training errors,
degrees of freedom, curves and held-out rows.  Numbers of pictures have five digits, of
curves four, of rows seven.

With K of the rows, s and V of K/n: alpha = (1/n) V g(s) V'y, df = sum s g(s), and the row left out has the residual
(y - f(x)) / (1 - H_ii) with H = V s g(s) V'.  With unpenalised terms P and weights W the matrix is S W^1/2 K W^1/2 S, S
projecting on what W^1/2 P cannot explain.
"""
import csv
import json
import os
import struct
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

specreg = os.environ["SPECREG"]
rng = np.random.default_rng(11)
PICTURE, ROW = 5.01e-5, 5.01e-7 # half a unit of the last digit, of numbers that begin with 1
CURVE = 5.01e-4 # likewise


def write(name, A, names):
    with open(name, "w") as f:
        f.write(",".join(names) + "\n")
        for row in A:
            f.write(",".join(v if isinstance(v, str) else repr(float(v)) for v in row) + "\n")


def run(*args):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    assert done.returncode == 0, (args, done.stderr)


def kept(path):
    """The portrait and the rows of a model file."""
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    metadata = json.loads(data[8 : 8 + size])["__metadata__"]
    return json.loads(metadata["portrait"]), json.loads(metadata["held_rows"])


def gram(A, B, sigma):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(2) / (2 * sigma ** 2))


def close(got, expected, digits=PICTURE, floor=0.0):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    assert got.shape == expected.shape, (got.shape, expected.shape)
    off = np.abs(got - expected) - digits * np.abs(expected)
    assert (off <= floor).all(), (off.max(), got.ravel()[off.argmax()], expected.ravel()[off.argmax()])


# s g(s) at all of s, for one parameter.
FILTERS = {
    "tikhonov": ("lambda=log:1e-4:1e-1:7", "lambda", lambda s, p: s / (s + p)),
    "iterated:order=3": ("lambda=log:1e-3:1e-1:5", "lambda", lambda s, p: 1 - (p / (s + p)) ** 3),
    "landweber:step=1": ("t={1,5,20,100}", "t", lambda s, p: 1 - (1 - s) ** p),
    "tsvd": ("components=1:8", "components", lambda s, p: (np.arange(len(s)) < p).astype(float)),
}

# ------------------------------------------------- one input, every filter against formulas
n = 70
x = np.sort(rng.uniform(-2, 2, n))[:, None]
y = np.sin(2 * x[:, 0]) + 0.2 * rng.normal(size=n)
write("line.csv", np.column_stack([x, y]), ["x", "y"])
K = gram(x, x, 0.6)
s, V = np.linalg.eigh(K / n)
s, V = s[::-1], V[:, ::-1]
for name, (values, parameter, passes) in FILTERS.items():
    given = ["line.csv", "--kernel", "rbf:sigma=0.6", "--scale", "none", "--features", "none", "--filter", name,
             "--param", values, "--extend", "no", "--threads", "1"]
    run("fit", *given, "--select", "loo", "-o", "line.srm", "-q")
    p, rows = kept("line.srm")
    assert p["rows_used"] == p["n"] == n and p["parameter"] == parameter and p["missing"] == [], p["missing"]
    spectrum = p["spectrum"]
    assert spectrum["index"] == list(range(1, len(spectrum["index"]) + 1)) # fewer than 100
    close(spectrum["eigenvalues"], s[: len(spectrum["index"])], floor=1e-15)
    close(spectrum["trace"], np.trace(K) / n)
    share = (V.T @ y) ** 2 / (y @ y)
    close(spectrum["target_share"][:10], share[:10], floor=1e-9)
    close(spectrum["target_cumulative"][:10], np.cumsum(share)[:10])
    at = [point["at"] for point in p["points"]]
    kept_share = [passes(s, a) for a in at]
    close([point["df"] for point in p["points"]], [f.sum() for f in kept_share], floor=1e-7)
    fitted = [V @ (f * (V.T @ y)) for f in kept_share]
    close([point["train"] for point in p["points"]], [((y - f) ** 2).mean() for f in fitted], floor=1e-12)
    if parameter != "components": # which are a function of the spectrum as a whole
        close(p["filter"]["kept"], [passes(np.asarray(p["filter"]["s"]), a) for a in at], 1e-4, 1e-9)
    chosen = p["chosen"]
    H = V @ np.diag(kept_share[chosen]) @ V.T
    held = (y - fitted[chosen]) / (1 - np.diag(H))
    number = np.asarray(rows["rows"]) - 1
    assert rows["by"] == "loo" and rows["n"] == n and (number == np.arange(n)).all()
    close(rows["targets"][0], y, ROW)
    close(rows["outputs"][0], y - held, ROW, 1e-9)
    close(p["points"][chosen]["value"], (held ** 2).mean())
    # the curve is that of `path --grid`, at each of its points
    curve = p["curve"]
    grid = curve["x"]
    run("path", *given, "--grid", f"{grid[0]}:{grid[-1]}:{len(grid)}", "-o", "path.csv", "-q")
    with open("path.csv") as f:
        table = np.array([[float(v) for v in row] for row in list(csv.reader(f))[1:]])
    close(grid, table[:, 0], floor=1e-4)
    for k, f in zip(curve["points"], curve["f"]): # the ends of the grid have five digits, too
        close(f[0], table[:, 1 + k], CURVE, 5e-4)
    print("ok: filter", name)

# ------------------------------------------------- two inputs, weights and an unpenalised constant
n = 90
X = rng.normal(size=(n, 2))
y = X[:, 0] * X[:, 1] + 3 + 0.1 * rng.normal(size=n)
w = rng.uniform(0.2, 2, n)
write("plane.csv", np.column_stack([X, y, w]), ["a", "b", "y", "w"])
run("fit", "plane.csv", "--target", "y", "--weights", "w", "--kernel", "rbf:sigma=1", "--scale", "none", "--param",
    "lambda=log:1e-3:1:4", "--extend", "no", "--select", "loo", "-o", "plane.srm", "-q", "--threads", "1")
p, rows = kept("plane.srm")
root = np.sqrt(w)
S = np.eye(n) - np.outer(root, root) / w.sum()
M = S @ (root[:, None] * gram(X, X, 1.0) * root) @ S / w.sum()
s, V = np.linalg.eigh(M)
s, V = s[::-1], V[:, ::-1]
close(p["spectrum"]["eigenvalues"], s[: len(p["spectrum"]["index"])], floor=1e-13)
rest = S @ (root * y)
close(p["spectrum"]["target_share"][:5], ((V.T @ rest) ** 2 / (rest @ rest))[:5], floor=1e-9)
for k, point in enumerate(p["points"]):
    lam = point["at"]
    close(point["df"], (s / (s + lam)).sum() + 1)
    residual = V @ (lam / (s + lam) * (V.T @ rest)) # of W^1/2 y
    close(point["train"], (residual ** 2).sum() / w.sum())
assert p["curve"]["inputs"] == ["a", "b"]
lam = p["points"][p["chosen"]]["at"] # its surface against predict
i = p["curve"]["points"].index(p["chosen"])
gx, gy = p["curve"]["x"], p["curve"]["y"]
write("grid.csv", [(a, b) for b in gy for a in gx], ["a", "b"])
run("predict", "plane.srm", "grid.csv", "-o", "surface.csv", "-q")
with open("surface.csv") as f:
    surface = [float(row[0]) for row in list(csv.reader(f))[1:]]
close(p["curve"]["f"][i][0], surface, CURVE, 5e-4)
print("ok: weights, a constant, a surface")

# ------------------------------------------------- classes: errors, held-out labels
labels = np.where((X ** 2).sum(1) < 1.2, "in", "out")
write("classes.csv", [(a, b, c) for (a, b), c in zip(X, labels)], ["a", "b", "label"])
run("fit", "classes.csv", "--kernel", "rbf:sigma=1", "--scale", "none", "--features", "none", "--param",
    "lambda=log:1e-3:1:4", "--extend", "no", "--select", "loo", "-o", "classes.srm", "-q", "--threads", "1")
p, rows = kept("classes.srm")
signs = np.where(labels == "out", 1.0, -1.0)
s, V = np.linalg.eigh(gram(X, X, 1.0) / n)
for point in p["points"]:
    f = V @ (s / (s + point["at"]) * (V.T @ signs))
    close(point["train"], (np.sign(f) != signs).mean())
assert p["train_measure"] == "error_rate"
lam = p["points"][p["chosen"]]["at"]
H = V @ np.diag(s / (s + lam)) @ V.T
close(rows["outputs"][0], signs - (signs - H @ signs) / (1 - np.diag(H)), ROW, 1e-9)
assert [["in", "out"][c] for c in rows["classes"]] == list(labels)
print("ok: classes")

# ------------------------------------------------- a sample of many rows
n = 1500
X = rng.normal(size=(n, 3))
y = X[:, 0] + np.sin(X[:, 1]) + 0.1 * rng.normal(size=n)
write("many.csv", np.column_stack([X, y]), ["a", "b", "c", "y"])
fit = ["fit", "many.csv", "--kernel", "rbf:sigma=2", "--param", "lambda=log:1e-4:1:5", "--select", "kfold", "-q",
       "--threads", "1"]
run(*fit, "-o", "some.srm")
run(*fit, "-o", "all.srm", "--portrait", "1500")
run(*fit, "-o", "none.srm", "--portrait", "no")
p, rows = kept("some.srm")
whole, _ = kept("all.srm")
assert (p["rows_used"], whole["rows_used"], p["n"]) == (400, 1500, 1500)
assert rows["by"] == "kfold" and rows["n"] == 1500 and len(rows["rows"]) == 1500
close(p["spectrum"]["eigenvalues"][:3], whole["spectrum"]["eigenvalues"][:3], 0.15)
close([q["value"] for q in p["points"]], [q["value"] for q in whole["points"]])
index = whole["spectrum"]["index"]
assert len(index) <= 300 and index[:100] == list(range(1, 101)) and index == sorted(set(index))
grown = os.path.getsize("some.srm") - os.path.getsize("none.srm")
assert 0 < grown < 110000, grown
print("ok: a sample of many rows;", grown, "bytes")
