#!/usr/bin/env python3
"""Widths from the data, sigma=median|mean|knn:SHARE, of every kernel that has one, against NumPy."""
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
rng = np.random.default_rng(8)
N = 61
X = rng.normal(size=(N, 2)) * [1, 3]
X[7] = X[3]  # equal rows say nothing about the scale
F = np.column_stack([np.sin(X[:, 0]), X[:, 1]])
np.savetxt("scalar.csv", np.column_stack([X, F[:, 0]]), delimiter=",", header="a,b,y", comments="", fmt="%.17g")
np.savetxt("field.csv", np.column_stack([X, F]), delimiter=",", header="a,b,u,v", comments="", fmt="%.17g")


def run(*args, fails=False):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (args, done.stderr)
    return done.stderr


def distances(A, norm):
    d = np.abs(A[:, None] - A[None])
    return d.sum(2) if norm == 1 else np.sqrt((d ** 2).sum(2))


def width(A, rule, norm=2):
    D = distances(A, norm)
    pairs = np.sort(D[np.tril_indices(len(A), -1)])
    pairs = pairs[pairs > 0]
    if rule == "median":
        return pairs[len(pairs) // 2]
    if rule == "mean":
        return pairs.mean()
    share, means = float(rule.partition(":")[2] or 0.2), []
    for row in D:
        near = np.sort(row[row > 0])
        means.append(near[:int(np.ceil(share * len(near) - 1e-9))].mean())
    return np.mean(means)


def sigma(kernel, file="scalar.csv", *more):
    run("fit", file, "--kernel", kernel, "--scale", "none", "--param", "lambda=0.1", "--select", "none", "-o", "m.srm",
        "-q", "--json", "r.json", *more)
    with open("r.json") as f:
        return json.load(f)["kernel"]["sigma"]


count = 0
for rule in ("median", "mean", "knn", "knn:0.2", "knn:0.05", "knn:1"):
    for kernel, norm, more in (("rbf:sigma=%s", 2, ()), ("laplace:sigma=%s", 2, ()), ("laplace:norm=1,sigma=%s", 1, ()),
                               ("matern:nu=2.5,sigma=%s", 2, ()), ("rq:sigma=%s", 2, ()),
                               ("multiquadric:sigma=%s", 2, ("--features", "constant"))):
        found, want = sigma(kernel % rule, "scalar.csv", *more), width(X, rule, norm)
        assert abs(found - want) <= 1e-12 * want, (kernel, rule, found, want)
        count += 1
    found = sigma("curlfree:sigma=%s" % rule, "field.csv", "--target", "u,v")
    assert abs(found - width(X, rule)) <= 1e-12 * found, (rule, found)
print(count, "widths of scalar kernels, and those of fields: as numpy has them")

# In cv every part has the width of its own training rows.
run("cv", "scalar.csv", "--kernel", "rbf:sigma=mean", "--scale", "none", "--param", "lambda=0.1", "--outer", "kfold:k=3", "--json", "cv.json")
with open("cv.json") as f:
    assert len({fold["kernel"]["sigma"] for fold in json.load(f)["folds"]}) == 3

for kernel, says in (("rbf:sigma=knn:0", "above 0 and at most 1"), ("rbf:sigma=knn:1.5", "above 0 and at most 1"), ("rbf:sigma=knn:x", "not a number"),
                     ("rbf:sigma=mode", "not a number"), ("rbf:gamma=median", "cannot be median"), ("poly:degree=mean", "cannot be mean"),
                     ("hamming:sigma=median", "cannot be median")):
    assert says in run("fit", "scalar.csv", "--kernel", kernel, "-o", "m.srm", fails=True), kernel
