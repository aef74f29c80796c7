"""Weights of rows, by numpy and, where it is installed, by scikit-learn's KernelRidge: a weighted fit
solves (K + sum(w) lambda W^-1) alpha = y, and KernelRidge's alpha is sum(w) lambda."""
import csv
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M, P, LAMBDA, SIGMA = 90, 40, 2, 1e-3, 1.3
rng = np.random.default_rng(11)
X, Z = rng.normal(size=(N, P)), rng.normal(size=(M, P))
Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1] + 0.2 * rng.normal(size=N),
                     X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=N)])
w = rng.exponential(size=N) * 10.0 ** rng.integers(-2, 2, size=N)
label = np.where(X[:, 0] + 0.5 * rng.normal(size=N) > 0.8, "rare", "often")


def gram(A, B):
    return np.exp(-((A[:, None, :] - B[None, :, :]) ** 2).sum(axis=2) / (2 * SIGMA**2))


def write(name, **columns):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(columns)
        for row in zip(*columns.values()):
            out.writerow([v if isinstance(v, str) else repr(float(v)) for v in row])


def specreg(*options, target="y1,y2", lambdas=repr(LAMBDA)):
    """The record of a fit, and its predictions as numbers."""
    subprocess.run([SPECREG, "fit", "train.csv", "--target", target, "--kernel",
                    f"rbf:sigma={SIGMA}", "--param", f"lambda={lambdas}", "--scale", "none",
                    "--features", "none", "-q", "-o", "model.srm", "--json", "fit.json", *options],
                   check=True)
    text = subprocess.run([SPECREG, "predict", "model.srm", "new.csv"], check=True,
                          capture_output=True, text=True).stdout.split()
    scores = [[float(v) for v in line.split(",")[0 if target != "label" else 1:]]
              for line in text[1:]]
    return json.load(open("fit.json")), np.array(scores)


def train(w, y):
    return np.linalg.solve(gram(X, X) + np.diag(w.sum() * LAMBDA / w), y)


def same(what, ours, theirs, tolerance=1e-9):
    difference = np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))
    print(f"{what:60} {difference:.1e}")
    assert difference < tolerance, what


write("new.csv", x1=Z[:, 0], x2=Z[:, 1])
write("train.csv", x1=X[:, 0], x2=X[:, 1], w=w, y1=Y[:, 0], y2=Y[:, 1])
for engine in ("eig", "cholesky", "krylov"):
    _, F = specreg("--weights", "w", "--engine", engine)
    same(f"two targets, {engine}", F, gram(Z, X) @ train(w, Y))

# leave-one-out: refits without the row that keep sum(w) lambda, errors by weight
record, _ = specreg("--weights", "w", "--select", "loo", lambdas="{1e-3,0.1}")
errors = []
for lam in (0.1, 1e-3):
    error = 0
    for i in range(N):
        rest = np.arange(N) != i
        K = gram(X[rest], X[rest]) + np.diag(w.sum() * lam / w[rest])
        error += w[i] * np.mean((gram(X[[i]], X[rest]) @ np.linalg.solve(K, Y[rest]) - Y[i]) ** 2)
    errors.append(error / w.sum())
same("leave-one-out", np.array([row["value"] for row in record["selection"]["table"]]),
     np.array(errors))
assert record["selection"]["value"] == min(row["value"] for row in record["selection"]["table"])
mean = np.average(Y, axis=0, weights=w)
same("the mean alone, by weight", np.array(record["train"]["weighted_baseline"]["mse"]),
     np.average(np.mean((Y - mean) ** 2, axis=1), weights=w))
same("the mean alone, every row once", np.array(record["train"]["baseline"]["mse"]),
     np.mean((Y - Y.mean(axis=0)) ** 2))

# balanced: each class has the same weight in sum
write("train.csv", x1=X[:, 0], x2=X[:, 1], w=w, label=label)
share = {c: N / (2 * np.sum(label == c)) for c in ("often", "rare")}
by_class = np.array([share[c] for c in label])
y = np.where(label == "rare", 1.0, -1.0)
for name, options, weights in (
        ("class-weight balanced", ["--class-weight", "balanced"], by_class),
        ("times a column", ["--class-weight", "balanced", "--weights", "w"], by_class * w)):
    if "--weights" not in options:
        write("train.csv", x1=X[:, 0], x2=X[:, 1], label=label)
    else:
        write("train.csv", x1=X[:, 0], x2=X[:, 1], w=w, label=label)
    record, F = specreg(*options, target="label")
    same(name, F[:, 1] - F[:, 0], 2 * gram(Z, X) @ train(weights, y))
    for c in share:
        assert abs(record["data"]["class_weight"][c] - share[c]) < 1e-12
    rare = np.sum(weights[label == "rare"]) / np.sum(weights)
    assert abs(record["train"]["weighted_baseline"]["error_rate"] - min(rare, 1 - rare)) < 1e-12
    assert abs(record["train"]["baseline"]["error_rate"] - np.mean(label == "rare")) < 1e-12

try:
    from sklearn.kernel_ridge import KernelRidge
except ImportError:
    print("without scikit-learn (Debian: apt-get install python3-sklearn)")
    raise SystemExit(0)
write("train.csv", x1=X[:, 0], x2=X[:, 1], w=w, y1=Y[:, 0], y2=Y[:, 1])
_, F = specreg("--weights", "w")
theirs = KernelRidge(alpha=w.sum() * LAMBDA, kernel="rbf", gamma=1 / (2 * SIGMA**2))
same("KernelRidge(alpha=sum(w) lambda).fit(sample_weight=w)", F,
     theirs.fit(X, Y, sample_weight=w).predict(Z))
