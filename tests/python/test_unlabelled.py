#!/usr/bin/env python3
"""Rows without targets against NumPy: filters on the kernel matrix of all rows, and Laplacian regularized least
squares by the dense system of Belkin, Niyogi and Sindhwani; splits are fits without the rows that they hold out."""
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
rng = np.random.default_rng(4)
L, U, M = 20, 35, 7
X = rng.normal(size=(L + U + M, 2))
Y = np.column_stack([np.sin(2 * X[:, 0]) + X[:, 1], X[:, 0] * X[:, 1]])
SIGMA, LAMBDA = 0.8, 0.02
BARE = ["--kernel", f"rbf:sigma={SIGMA}", "--scale", "none", "--features", "none"]


def run(*args, fails=None):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    if fails is None:
        assert done.returncode == 0, (args, done.stderr)
    else:
        assert done.returncode in (1, 2, 3, 4, 5) and fails in done.stderr, (args, done.returncode, done.stderr)


def write(name, columns, header):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(header)
        out.writerows([[v if isinstance(v, str) else repr(float(v)) for v in row] for row in zip(*columns)])


def predictions(name, keys):
    with open(name) as f:
        rows = list(csv.DictReader(f))
    return np.array([[float(r[k]) for k in keys] for r in rows])


def gram(A, B):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(2) / (2 * SIGMA ** 2))


def laplacian(Z, k, heat, normalised):
    """L of the graph of k nearest neighbours, joined where one is a neighbour of the other."""
    d2 = ((Z[:, None, :] - Z[None, :, :]) ** 2).sum(2)
    near = np.zeros(d2.shape, bool)
    for i in range(len(Z)):
        near[i, [j for j in np.argsort(d2[i], kind="stable") if j != i][:k]] = True
    edge = near | near.T
    W = np.where(edge, np.exp(-d2 / (2 * d2[edge].mean())) if heat else 1.0, 0.0)
    D = W.sum(1)
    return np.eye(len(Z)) - W / np.sqrt(np.outer(D, D)) if normalised else np.diag(D) - W


def all_rows(x, y, u, g):
    """(1/N) g(K/N) y, labelled targets times N/l, the others 0."""
    Z = np.vstack([x, u])
    N = len(Z)
    s, V = np.linalg.eigh(gram(Z, Z) / N)
    padded = np.vstack([N / len(x) * y, np.zeros((len(u), y.shape[1]))])
    return Z, V @ (g(np.maximum(s, 0))[:, None] * (V.T @ padded)) / N


def laprls(x, y, u, lam, strength, k=4, heat=False, normalised=False):
    """alpha of (J K + lam l I + (gamma_I l / N^2) L K) alpha = y, gamma_I = lam strength."""
    Z = np.vstack([x, u])
    N, l = len(Z), len(x)
    K = gram(Z, Z)
    J = np.diag([1.0] * l + [0.0] * len(u))
    padded = np.vstack([y, np.zeros((len(u), y.shape[1]))])
    A = J @ K + lam * l * np.eye(N) + lam * strength * l / N ** 2 * laplacian(Z, k, heat, normalised) @ K
    return Z, np.linalg.solve(A, padded)


x, y, u, new = X[:L], Y[:L], X[L:L + U], X[L + U:]
write("train.csv", [*x.T, *y.T], ["a", "b", "y", "z"])
write("more.csv", [*u.T], ["a", "b"])
write("more_with_target.csv", [*u.T, ["?"] * U], ["a", "b", "y"])
write("new.csv", [*new.T], ["a", "b"])


def check(Z, alpha, what, *options, extra="more.csv", train="train.csv", targets="y,z"):
    run("fit", train, "--target", targets, *BARE, "--unlabelled", extra, "--select", "none", *options, "-o", "m.srm")
    run("predict", "m.srm", "new.csv", "-o", "f.csv")
    got = predictions("f.csv", targets.split(","))
    want = gram(new, Z) @ alpha
    assert np.abs(got - want).max() < 1e-9 * max(1, np.abs(want).max()), (what, np.abs(got - want).max())


FILTERS = {("tikhonov", f"lambda={LAMBDA}"): lambda s: 1 / (s + LAMBDA),
           ("tsvd", f"lambda={LAMBDA}"): lambda s: np.where(s >= LAMBDA, 1 / np.maximum(s, 1e-300), 0),
           ("landweber", "t=30"): lambda s: sum((1 - s) ** i for i in range(30)),
           ("iterated:order=2", f"lambda={LAMBDA}"): lambda s: (1 - (LAMBDA / (s + LAMBDA)) ** 2) / np.maximum(s, 1e-12)}
for (name, param), g in FILTERS.items():
    check(*all_rows(x, y, u, g), name, "--filter", name, "--param", param)
Z, alpha = all_rows(x, y[:, :1], u, FILTERS["tikhonov", f"lambda={LAMBDA}"])
check(Z, alpha, "a target column", "--param", f"lambda={LAMBDA}", "--drop", "z", extra="more_with_target.csv", targets="y")
for strength in (0, 3, 500):
    for heat in (False, True):
        for normalised in (False, True):
            spec = f"strength={strength},neighbours=4,weights={'heat' if heat else 'binary'},normalised=" + \
                   ("yes" if normalised else "no")
            check(*laprls(x, y, u, LAMBDA, strength, 4, heat, normalised), spec, "--param", f"lambda={LAMBDA}",
                  "--laplacian", spec)

# A split: fits to its training rows and all rows without targets, and the best strength.
train, held = np.arange(13), np.arange(13, L)
with open("split.txt", "w") as f:
    f.write(" ".join(map(str, train)) + "\n")
write("part.csv", [*x[train].T, *y[train].T], ["a", "b", "y", "z"])
for graph in (None, "strength={3,500},neighbours=4"):
    more = ["--laplacian", graph] if graph else []
    run("fit", "train.csv", "--target", "y,z", *BARE, "--unlabelled", "more.csv", "--param", "lambda={0.1,0.01,0.001}",
        "--select", "splits:split.txt", *more, "-o", "m.srm", "--json", "fit.json")
    with open("fit.json") as f:
        record = json.load(f)
    strengths = (3, 500) if graph else (None,)
    errors = {}
    for s in strengths:
        for lam in (0.1, 0.01, 0.001):
            Z, alpha = laprls(x[train], y[train], u, lam, s) if graph else \
                all_rows(x[train], y[train], u, lambda v: 1 / (v + lam))
            errors[s, lam] = ((gram(x[held], Z) @ alpha - y[held]) ** 2).mean()
    best = min(errors, key=errors.get)
    assert abs(record["selection"]["value"] - errors[best]) < 1e-9 * errors[best], (graph, record["selection"], errors)
    assert record["filter"]["lambda"] == best[1] and record["unlabelled"]["rows"] == U
    if graph:
        assert record["unlabelled"]["strength"] == best[0]
        for row in record["unlabelled"]["table"]:
            least = min(e for (s, _), e in errors.items() if s == row["strength"])
            assert abs(row["value"] - least) < 1e-9 * least
    Z, alpha = laprls(x, y, u, best[1], best[0]) if graph else all_rows(x, y, u, lambda v: 1 / (v + best[1]))
    run("predict", "m.srm", "new.csv", "-o", "f.csv")
    assert np.abs(predictions("f.csv", ["y", "z"]) - gram(new, Z) @ alpha).max() < 1e-9

# Rows without targets in the training table, in any order, also with more of them from a file.
order = rng.permutation(L + U)
with_gaps = np.vstack([np.column_stack([x, y]), np.column_stack([u, np.full((U, 2), np.nan)])])


def write_gaps(name, rows):
    write(name, [[("" if np.isnan(v) else v) for v in column] for column in rows.T], ["a", "b", "y", "z"])


write_gaps("mixed.csv", with_gaps[order])
write_gaps("last.csv", with_gaps)
write_gaps("half.csv", with_gaps[:L + 20])
holes = with_gaps.copy()
holes[1, 3] = np.nan
write_gaps("holes.csv", holes)
write("rest.csv", [*u[20:].T], ["a", "b"])
GRAPH = "strength=3,neighbours=4"
MIXED = ["--target", "y,z", *BARE, "--missing-targets", "unlabelled"]
for graph in (None, GRAPH):
    Z, alpha = laprls(x, y, u, LAMBDA, 3) if graph else all_rows(x, y, u, lambda v: 1 / (v + LAMBDA))
    for name, more in (("mixed.csv", []), ("half.csv", ["--unlabelled", "rest.csv"])):
        run("fit", name, *MIXED, *more, *(["--laplacian", graph] if graph else []), "--param", f"lambda={LAMBDA}",
            "--select", "none", "-o", "m.srm", "--json", "fit.json")
        run("predict", "m.srm", "new.csv", "-o", "f.csv")
        assert np.abs(predictions("f.csv", ["y", "z"]) - gram(new, Z) @ alpha).max() < 1e-9, (graph, name)
        with open("fit.json") as f:
            record = json.load(f)
        assert record["unlabelled"]["rows"] == U and record["data"]["n"] == L
# without such rows it is the fit that it would be
for name in ("m.srm", "n.srm"):
    run("fit", "train.csv", "--target", "y,z", *BARE, *([] if name == "m.srm" else ["--missing-targets", "unlabelled"]),
        "-o", name)
    run("predict", name, "new.csv", "-o", name + ".csv")
assert (predictions("m.srm.csv", ["y", "z"]) == predictions("n.srm.csv", ["y", "z"])).all()

# Outer folds train with all rows without targets; a path has the errors and solutions of its points.
run("cv", "last.csv", *MIXED, "--param", f"lambda={LAMBDA}", "--select", "none", "--outer", "splits:split.txt", "--json",
    "cv.json")
with open("cv.json") as f:
    fold = json.load(f)["folds"][0]
Z, alpha = all_rows(x[train], y[train], u, lambda v: 1 / (v + LAMBDA))
want = ((gram(x[held], Z) @ alpha - y[held]) ** 2).mean()
assert abs(fold["mse"] - want) < 1e-9 * want and fold["n_test"] == L - 13, (fold, want)
write("test.csv", [*new.T, *Y[L + U:].T], ["a", "b", "y", "z"])
for graph in (None, GRAPH):
    run("path", "mixed.csv", *MIXED, *(["--laplacian", graph] if graph else []), "--param", "lambda={0.1,0.01}", "--test",
        "test.csv", "--predict", "new.csv", "-o", "p.csv", "--json", "path.json")
    with open("path.json") as f:
        table = json.load(f)["table"]
    got = np.loadtxt("p.csv", delimiter=",", skiprows=1)
    for i, row in enumerate(table):
        lam = row["lambda"]
        Z, alpha = laprls(x, y, u, lam, 3) if graph else all_rows(x, y, u, lambda v: 1 / (v + lam))
        f_new = gram(new, Z) @ alpha
        assert np.abs(got[:, 2 * i:2 * i + 2] - f_new).max() < 1e-9, (graph, lam)
        for key, value in (("test_mse", ((f_new - Y[L + U:]) ** 2).mean()),
                           ("train_mse", ((gram(x, Z) @ alpha - y) ** 2).mean())):
            assert abs(row[key] - value) < 1e-9 * value, (graph, lam, key, row[key], value)
    assert [row["lambda"] for row in table] == [0.1, 0.01]

# The spectrum of all rows, and that of the kernel that the graph makes.
Z = np.vstack([x, u])
K = gram(Z, Z)
M = 3 / len(Z) ** 2 * laplacian(Z, 4, False, False)
deformed = K - K @ np.linalg.solve(np.eye(len(Z)) + M @ K, M @ K)
for graph, matrix, targets in ((None, K / len(Z), np.vstack([y, np.zeros((U, 2))])), (GRAPH, deformed[:L, :L] / L, y)):
    run("spectrum", "mixed.csv", *MIXED, *(["--laplacian", graph] if graph else []), "--json", "s.json")
    with open("s.json") as f:
        told = json.load(f)
    s, V = np.linalg.eigh((matrix + matrix.T) / 2)
    share = ((V.T @ targets) ** 2).sum(1)[::-1] / (targets ** 2).sum()
    assert np.abs(np.array(told["eigenvalues"])[:15] - s[::-1][:15]).max() < 1e-12, graph
    assert np.abs(np.array(told["target_share"])[:10] - share[:10]).max() < 1e-7, graph

# Two moons, one label each: neighbours carry the labels along.
t = rng.uniform(0, np.pi, size=200)
side = rng.integers(0, 2, size=200)
moon = np.column_stack([np.where(side, 1 - np.cos(t), np.cos(t)), np.where(side, 0.4 - np.sin(t), np.sin(t))])
moon += 0.05 * rng.normal(size=moon.shape)
known = [int(np.argmax(np.where(side == c, 10 - abs(t - np.pi / 2), 0))) for c in (0, 1)]
rest = [i for i in range(200) if i not in known]
write("two.csv", [*moon[known].T, ["c%d" % c for c in side[known]]], ["a", "b", "class"])
write("moons.csv", [*moon[rest].T], ["a", "b"])
write("new.csv", [*moon[rest].T], ["a", "b"])
rate = {}
for graph in ("no", "strength=1e6,neighbours=6"):
    run("fit", "two.csv", "--target", "class", "--kernel", "rbf:sigma=0.3", "--scale", "none", "--features", "none",
        "--param", "lambda=1e-4", "--select", "none", "--unlabelled", "moons.csv", "--laplacian", graph, "-o", "m.srm")
    run("predict", "m.srm", "new.csv", "-o", "f.csv")
    with open("f.csv") as f:
        rate[graph] = np.mean([r["label"] != "c%d" % side[i] for r, i in zip(csv.DictReader(f), rest)])
print("two moons, one label each: errors without a graph %.3f, with one %.3f" % tuple(rate.values()))
assert rate["strength=1e6,neighbours=6"] < 0.02 < rate["no"]

# A graph that falls apart is noted; what does not go together is refused.
far = np.vstack([u, u + 100])
write("far.csv", [*far.T], ["a", "b"])
fit = ["fit", "train.csv", "--target", "y,z", *BARE, "-o", "x.srm"]
done = subprocess.run([specreg, *fit, "--unlabelled", "far.csv", "--laplacian", "strength=1,neighbours=3", "--param",
                       "lambda=0.1", "--select", "none"], capture_output=True, text=True)
assert done.returncode == 0 and "falls apart into" in done.stdout + done.stderr, done
write("high.csv", [*x.T, *(y.T + 50)], ["a", "b", "y", "z"])
done = subprocess.run([specreg, "fit", "high.csv", *fit[2:], "--unlabelled", "more.csv", "--param", "lambda=0.1",
                       "--select", "none"], capture_output=True, text=True)
assert "subtract the mean" in done.stdout and "--features constant" not in done.stdout, done
write("other.csv", [*u.T], ["a", "c"])
semi = ["--unlabelled", "more.csv"]
run(*fit, *semi, "--select", "loo", fails="rows without targets")
run(*fit, *semi, "--approx", "rectangle:m=5", fails="exact fits")
run(*fit, *semi, "--outputs", "common", fails="independent outputs")
run(*fit, "--laplacian", "auto", fails="give --unlabelled")
run(*fit, *semi, "--laplacian", "neighbours=99", fails="only 55 rows")
run(*fit, *semi, "--laplacian", "neighbours=0", fails="neighbours must be")
run(*fit, *semi, "--laplacian", "strength=-1", fails="strength must be")
run(*fit, *semi, "--laplacian", "weights=cosine", fails="cosine")
run(*fit, *semi, "--laplacian", "width=1", fails="width")
run(*fit, "--unlabelled", "other.csv", fails="b")
run(*fit, "--unlabelled", "absent.csv", fails="absent.csv")
run("path", *fit[1:-2], *semi, "--laplacian", "auto", fails="one strength")
run("spectrum", *fit[1:-2], *semi, "--laplacian", "strength={1,2}", fails="one strength")
run(*fit, "--missing-targets", "unlabelled", "--laplacian", "auto", fails="every row of train.csv has its targets")
run(*fit[:1], "mixed.csv", *fit[2:], fails="missing")
run(*fit[:1], "holes.csv", *fit[2:], "--missing-targets", "unlabelled", fails="holes.csv:3")
run("fit", "train.csv", "--target", "y", "--task-column", "z", "-o", "x.srm", *semi, fails="without tasks")
run(*fit[:4], "--kernel", "divfree", "-o", "x.srm", *semi, fails="unlabelled")
