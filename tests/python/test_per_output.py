#!/usr/bin/env python3
"""--param per-output against refits with NumPy: every output has the lambda where its own held-out error is least, and
the coefficients that belong to it."""
import json
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here (Debian: apt-get install python3-numpy)")
    sys.exit(77)

specreg = os.environ["SPECREG"]
rng = np.random.default_rng(21)
N, LAMBDAS, SIGMA = 50, [10.0 ** -k for k in range(0, 8)], 1.1
X = rng.normal(size=(N, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]) + 0.01 * rng.normal(size=N), X[:, 1] + 1.5 * rng.normal(size=N), X[:, 0] ** 2 + 0.2 * rng.normal(size=N)])
LABEL = np.array(["a", "b", "c"])[np.argmax(Y + 0.3 * rng.normal(size=Y.shape), 1)]
fold = rng.integers(0, 4, N)


def write(name, columns, names):
    with open(name, "w") as f:
        f.write(",".join(names) + "\n")
        for row in zip(*columns):
            f.write(",".join(v if isinstance(v, str) else repr(float(v)) for v in row) + "\n")


write("outputs.csv", [*X.T, *Y.T], ["p", "q", "y1", "y2", "y3"])
write("classes.csv", [*X.T, LABEL.tolist()], ["p", "q", "class"])
write("groups.csv", [*X.T, *Y.T, [f"g{k}" for k in fold]], ["p", "q", "y1", "y2", "y3", "g"])
ARGS = ["--kernel", f"rbf:sigma={SIGMA}", "--scale", "none", "--features", "none", "--calibrate", "no"]
VALUES = "per-output:lambda={" + ",".join(map(repr, LAMBDAS)) + "}"


def run(*args, fails=False):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (args, done.stderr)
    return done.stdout + done.stderr


def record(*args):
    run(*args, "--json", "r.json")
    with open("r.json") as f:
        return json.load(f)


def predictions(model, table):
    run("predict", model, table, "-o", "p.csv", "-q", "--scores")
    return np.genfromtxt("p.csv", delimiter=",", names=True, dtype=None, encoding="utf8")


D2 = ((X[:, None] - X[None]) ** 2).sum(2)
K = np.exp(-D2 / (2 * SIGMA ** 2))


def fitted(rows, others, T, lam, n=None):
    """Predictions of `others` by the rows with this lambda; n in place of their number."""
    A = np.linalg.solve(K[np.ix_(rows, rows)] + (n or len(rows)) * lam * np.eye(len(rows)), T[rows])
    return K[np.ix_(others, rows)] @ A


def held_out(T, parts):
    E = np.zeros((len(LAMBDAS), *T.shape))
    for others in parts:
        rows = np.setdiff1d(np.arange(N), others)
        for j, lam in enumerate(LAMBDAS):
            # leave-one-out is of the matrix K + n lambda I of all rows
            E[j][others] = T[others] - fitted(rows, others, T, lam, N if len(others) == 1 else None)
    return E


def check(name, T, table, args, parts):
    E = held_out(T, parts)
    best = (E ** 2).sum(1).argmin(0)
    r = record("fit", table, *ARGS, *args, "--param", VALUES, "-o", "m.srm")
    chosen = r["filter"]["per_output"]
    assert r["filter"]["lambda"] is None
    assert np.allclose(chosen, np.array(LAMBDAS)[best], rtol=1e-12), (name, chosen, best)
    everyone = np.arange(N)
    F = np.column_stack([fitted(everyone, everyone, T[:, [t]], LAMBDAS[b])[:, 0] for t, b in enumerate(best)])
    H = np.column_stack([E[b][:, t] for t, b in enumerate(best)])
    S = K / N
    df = np.mean([np.trace(S @ np.linalg.inv(S + LAMBDAS[b] * np.eye(N))) for b in best])
    assert abs(r["df"] - df) < 1e-8 * df, (name, r["df"], df)
    return r, F, H


singles = [[i] for i in range(N)]
r, F, H = check("loo", Y, "outputs.csv", ["--target", "y1,y2,y3", "--select", "loo"], singles)
assert len(set(r["filter"]["per_output"])) > 1
assert abs(r["selection"]["value"] - (H ** 2).mean()) < 1e-9, (r["selection"]["value"], (H ** 2).mean())
assert abs(r["train"]["mse"] - ((Y - F) ** 2).mean()) < 1e-9, (r["train"], ((Y - F) ** 2).mean())
run("predict", "m.srm", "outputs.csv", "-o", "p.csv", "-q")
P = np.genfromtxt("p.csv", delimiter=",", skip_header=1)
assert np.abs(P[:, :3] - F).max() < 1e-7

groups = [np.flatnonzero(fold == k) for k in range(4)]
r, F, H = check("groups", Y, "groups.csv", ["--target", "y1,y2,y3", "--group", "g", "--select", "kfold:k=4"], groups)
assert abs(r["selection"]["value"] - (H ** 2).mean()) < 1e-9
for engine in ("eig", "krylov", "cholesky"):
    again = record("fit", "groups.csv", *ARGS, "--target", "y1,y2,y3", "--group", "g", "--select", "kfold:k=4", "--param", VALUES,
                   "-o", "m.srm", "--engine", "auto" if engine == "cholesky" else engine)
    assert again["filter"]["per_output"] == r["filter"]["per_output"]

codes = np.where(LABEL[:, None] == np.array(["a", "b", "c"])[None], 1.0, -1.0)
r, F, H = check("classes", codes, "classes.csv", ["--select", "loo", "--coding", "ova"], singles)
assert abs(r["selection"]["value"] - (np.array(["a", "b", "c"])[(codes - H).argmax(1)] != LABEL).mean()) < 1e-12
print("loo, folds by groups and classes: lambdas, values, predictions and df as refits have them")

# Through a checkpoint, and in cv.
fit = ["fit", "outputs.csv", *ARGS[2:], "--kernel", "rbf:sigma={0.5,1,2}", "--target", "y1,y2,y3", "--param", VALUES, "-q", "--checkpoint", "c.ck", "-o"]
run(*fit, "a.srm")
run(*fit, "b.srm")
with open("a.srm", "rb") as a, open("b.srm", "rb") as b:
    assert a.read() == b.read()
assert all(len(f["filter"]["per_output"]) == 3 for f in record("cv", "outputs.csv", *ARGS, "--target", "y1,y2,y3", "--param", VALUES)["folds"])

for args, says in ((["--target", "y1", "--drop", "y2,y3"], "for several outputs"), (["--target", "y1,y2,y3", "--select", "gcv"], "--select loo or kfold, not gcv"),
                   (["--target", "y1,y2,y3", "--rule", "1se"], "1se is for one parameter"), (["--target", "y1,y2,y3", "--outputs", "common:omega=0.5"], "outputs that are independent"),
                   (["--target", "y1,y2,y3", "--approx", "rectangle:m=9"], "per-output is for exact fits")):
    assert says in run("fit", "outputs.csv", *ARGS, *args, "--param", VALUES, "-o", "m.srm", fails=True), args
assert "per-output is for fit and cv" in run("path", "outputs.csv", *ARGS, "--target", "y1,y2,y3", "--param", VALUES, fails=True)
