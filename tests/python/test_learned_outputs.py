#!/usr/bin/env python3
"""Outputs `learn` against NumPy: the matrix, its objective, folds, and matrices that are known.

The reference writes the whole nT x nT system down and alternates with it; products of the outputs in the space of the
kernel come from its coefficients, and the matrix from the closed form of B^-1's penalty.
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
rng = np.random.default_rng(11)


def run(*args, fails=None):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    if fails is None:
        assert done.returncode == 0, (args, done.stderr)
    else:
        assert done.returncode != 0 and fails in done.stderr, (args, done.returncode, done.stderr)


def write(name, names, columns):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        out.writerows([[v if isinstance(v, str) else repr(float(v)) for v in row] for row in zip(*columns)])


def column(name, key):
    with open(name) as f:
        return np.array([float(row[key]) for row in csv.DictReader(f)])


def gram(A, B, sigma=0.7):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(2) / (2 * sigma ** 2))


class Reference:
    """Points x_i of output t_i with target y_i, n rows in all."""

    def __init__(self, X, t, y, n, T):
        self.K, self.t, self.y, self.n, self.T = gram(X, X), t, y, n, T

    def fit(self, A, lam):
        M = self.K * A[np.ix_(self.t, self.t)]
        alpha = np.linalg.solve(M + self.n * lam * np.eye(len(M)), self.y)
        Z = np.zeros((len(M), self.T))
        Z[np.arange(len(M)), self.t] = alpha
        W = A @ Z.T @ self.K @ Z @ A
        return alpha, W, ((self.y - M @ alpha) ** 2).sum() / self.n

    def learn(self, omega, penalty, lam, norm, turns):
        T = self.T
        P = omega * np.ones((T, T)) + (1 - omega) * np.eye(T)
        a, U = np.linalg.eigh(P)
        root, inverse = (U * np.sqrt(a)) @ U.T, (U / np.sqrt(a)) @ U.T
        _, W, _ = self.fit(P, lam)
        W = inverse @ W @ inverse
        self.root, self.inverse, self.lam = root, inverse, lam
        self.eps = penalty * np.trace(W) / T
        objective = []
        for _ in range(turns):
            w, V = np.linalg.eigh(W + self.eps * np.eye(T))
            b = w ** (1 / (norm + 1))
            b *= (T / (b ** norm).sum()) ** (1 / norm) if norm else np.exp(-np.log(b).mean())
            self.B = (V * b) @ V.T
            objective.append(self.objective(self.B))
            _, W, _ = self.fit(root @ self.B @ root, lam)
            W = inverse @ W @ inverse
        return root @ self.B @ root, objective

    def objective(self, B):
        """J with the best f for this B."""
        _, W, loss = self.fit(self.root @ B @ self.root, self.lam)
        W = self.inverse @ W @ self.inverse + self.eps * np.eye(self.T)
        return loss + self.lam * np.trace(np.linalg.solve(B, W))


BARE = ["--kernel", "rbf:sigma=0.7", "--scale", "none", "--features", "none", "--filter", "tikhonov"]
T, N = 3, 24
X = rng.uniform(-2, 2, size=(N, 2))
mix = rng.normal(size=(2, T))
Y = np.column_stack([np.sin(2 * X[:, 0]), np.cos(X[:, 1])]) @ mix + 0.1 * rng.normal(size=(N, T))
names = ["y%d" % t for t in range(T)]
task = rng.integers(0, T, size=N)
task[:T] = range(T)


def table(name, rows, kind):
    if kind == "tasks":
        write(name, ["u", "v", "task", "y"],
              [X[rows, 0], X[rows, 1], ["t%d" % t for t in task[rows]], Y[rows, task[rows]]])
    else:
        gap = [["" if kind == "missing" and (i + t) % 5 == 0 else repr(float(Y[i, t])) for i in rows]
               for t in range(T)]
        write(name, ["u", "v", *names], [X[rows, 0], X[rows, 1], *gap])


def reference(rows, kind):
    if kind == "tasks":
        return Reference(X[rows], task[rows], Y[rows, task[rows]], len(rows), T)
    points = [(i, t) for i in rows for t in range(T) if kind != "missing" or (i + t) % 5]
    i, t = np.array(points).T
    return Reference(X[i], t, Y[i, t], len(rows), T)


OPTIONS = {"tasks": ["--target", "y", "--task-column", "task"],
           "outputs": ["--target", ",".join(names)],
           "missing": ["--target", ",".join(names), "--missing-targets", "allow"]}
rows = np.arange(N)
for kind, options in OPTIONS.items():
    table("all.csv", rows, kind)
    for norm in (0, 1, 2):
        spec = f"learn:omega=0.3,penalty=0.5,lambda=0.02,norm={norm},iterations=15,tolerance=0"
        run("fit", "all.csv", *options, *BARE, "--outputs", spec, "--param", "lambda=0.05", "--select", "none",
            "-o", "m.srm", "--json", "fit.json")
        with open("fit.json") as f:
            A = np.array(json.load(f)["outputs"]["learned"])
        r = reference(rows, kind)
        B, objective = r.learn(0.3, 0.5, 0.02, norm, 15)
        assert np.abs(A - B).max() < 1e-8 * np.abs(B).max(), (kind, norm, np.abs(A - B).max())
        falls = -np.diff(objective)
        assert (falls >= -1e-12 * objective[0]).all(), (kind, norm, falls.min())
        if norm >= 1:  # convex: no matrix of the same norm is better
            for _ in range(5):
                G = rng.normal(size=(T, T))
                b, V = np.linalg.eigh(r.B + 0.1 * (G + G.T))
                b = np.maximum(b, 1e-3)
                b *= (T / (b ** norm).sum()) ** (1 / norm)
                assert r.objective((V * b) @ V.T) >= objective[-1] * (1 - 1e-4)
        # the model predicts with A at another lambda, also from its file
        run("predict", "m.srm", "all.csv", "-o", "f.csv")
        alpha, _, _ = Reference.fit(r, A, 0.05)
        for t in range(T):
            here = column("f.csv", "y" if kind == "tasks" else names[t])
            at = rows[task == t] if kind == "tasks" else rows
            points = X if kind == "tasks" else X[[i for i in rows for s in range(T)
                                                  if kind != "missing" or (i + s) % 5]]
            want = (gram(X[at], points) * A[t, r.t]) @ alpha
            assert np.abs(here[at] - want).max() < 1e-8, (kind, norm, t)

# A split learns its own matrix from its training rows: the score is that of a refit.
train, held = rows[:17], rows[17:]
with open("split.txt", "w") as f:
    f.write(" ".join(str(i) for i in train) + "\n")
for kind in ("tasks", "outputs"):
    table("all.csv", rows, kind)
    table("train.csv", train, kind)
    spec = "learn:omega=0.3,penalty={0.5,5},lambda=0.02,norm=1"
    run("fit", "all.csv", *OPTIONS[kind], *BARE, "--outputs", spec, "--param", "lambda={0.1,0.01}", "--select",
        "splits:split.txt", "-o", "m.srm", "--json", "fit.json")
    with open("fit.json") as f:
        scores = json.load(f)["selection"]["table"]
    table("held.csv", held, kind)
    for s in scores:
        one = f"learn:omega=0.3,penalty={s['outputs']['penalty']},lambda=0.02,norm=1"
        run("fit", "train.csv", *OPTIONS[kind], *BARE, "--outputs", one, "--param", f"lambda={s['lambda']}",
            "--select", "none", "-o", "t.srm")
        run("predict", "t.srm", "held.csv", "-o", "f.csv")
        if kind == "tasks":
            mse = ((column("f.csv", "y") - Y[held, task[held]]) ** 2).mean()
        else:
            mse = np.mean([(column("f.csv", names[t]) - Y[held, t]) ** 2 for t in range(T)])
        assert abs(mse - s["value"]) < 1e-9 * mse, (kind, s, mse)
    assert len(scores) == 4

# Six tasks in two groups whose functions have opposite signs: the learned matrix finds the groups.
sign = np.array([1, 1, 1, -1, -1, -1.0])
n = 300
x, t = rng.uniform(-3, 3, size=n), rng.integers(0, 6, size=n)
y = sign[t] * np.sin(2 * x) + 0.2 * rng.normal(size=n)
known = np.outer(sign, sign)
write("groups.csv", ["x", "task", "y"], [x, ["t%d" % k for k in t], y])


def distance(A):
    return np.linalg.norm(A / np.trace(A) - known / np.trace(known)) / np.linalg.norm(known / np.trace(known))


def groups(outputs):
    run("fit", "groups.csv", "--target", "y", "--task-column", "task", "--outputs", outputs, *BARE, "--select",
        "kfold:k=3", "-o", "g.srm", "--json", "fit.json")
    with open("fit.json") as f:
        record = json.load(f)
    return record["selection"]["value"], np.array(record["outputs"].get("learned", np.eye(6)))


common, independent = groups("common")
for spec, most in (("learn:omega=0,norm=0,penalty=0.03", 0.1), ("learn:omega=0,norm=1,penalty=0.003", 0.15),
                   ("learn", 0.15)):  # what folds choose
    mse, A = groups(spec)
    print("%s: distance %.3f (independent tasks %.3f), mse %.4f (common %.4f)" %
          (spec, distance(A), distance(independent), mse, common))
    assert distance(A) < most < 0.9 < distance(independent) and mse < 0.9 * common

table("all.csv", rows, "tasks")
tasks = ["fit", "all.csv", *OPTIONS["tasks"], *BARE, "-o", "x.srm"]
run(*tasks, "--outputs", "learn", "--select", "loo", fails="rows that the matrix of outputs learn has seen")
run(*tasks, "--outputs", "learn", "--approx", "rectangle:m=9", fails="leave --approx rectangle out")
run(*tasks, "--outputs", "learn:omega=1", fails="omega must be at most")
run(*tasks, "--outputs", "learn:file=A.csv", fails="file")
run(*tasks[:2], "--target", "y", "--columns", "u,v", *BARE, "-o", "x.srm", "--outputs", "learn", fails="one output")
run("fit", "all.csv", *OPTIONS["tasks"], "-o", "x.srm", "--kernel", "rbf:sigma=1 + linear", "--outputs",
    "learn + independent", fails="not for a term of a sum")
