"""Delays of tasks, k(x + d_s, z + d_t) for rows of tasks s and t, against NumPy: predictions, leave-one-out, folds
and a file of held-out rows equal refits; a model that is read again predicts the same."""
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M, LAM = 45, 15, 0.01
rng = np.random.default_rng(41)
names = ["ash", "elm", "oak"]
D = np.array([[0.0, 0.5], [1.5, -0.2], [-0.7, 0.1]])
X = rng.uniform(-2, 2, size=(N + M, 2))
task = np.r_[rng.integers(0, 3, size=N + M - 3), 0, 1, 2][::-1]
S = X + D[task]
y = np.sin(2 * S[:, 0]) + S[:, 1] + 0.05 * rng.normal(size=N + M)
K = np.exp(-((S[:, None] - S) ** 2).sum(2) / (2 * 0.9 ** 2))


def write(name, rows):
    with open(name, "w") as f:
        f.write("tree,a,b,y\n")
        for i in rows:
            f.write(f"{names[task[i]]},{float(X[i, 0])!r},{float(X[i, 1])!r},{float(y[i])!r}\n")


def run(*args):
    return subprocess.run([SPECREG, *args], check=True, capture_output=True, text=True).stdout


def refit(rows, out, mu):
    return K[np.ix_(out, rows)] @ np.linalg.solve(K[np.ix_(rows, rows)] + mu * np.eye(len(rows)), y[rows])


train, new = np.arange(N), np.arange(N, N + M)
write("train.csv", train)
write("new.csv", new)
np.savetxt("D.csv", D, delimiter=",", fmt="%.17g")
with open("splits.txt", "w") as f:
    for j in range(3):
        f.write(" ".join(str(i) for i in range(N) if i % 3 != j) + "\n")
fit = ("fit", "train.csv", "--target", "y", "--task-column", "tree", "--outputs", "delays:file=D.csv", "--kernel",
       "rbf:sigma=0.9", "--features", "none", "--problem", "regression", "--param", f"lambda={LAM}", "-q", "-o", "m.srm",
       "--json", "fit.json")
run(*fit, "--select", "none")
got = np.array([float(v) for v in run("predict", "m.srm", "new.csv").split()[1:]])
want = refit(train, new, N * LAM)
assert np.abs(got - want).max() < 1e-9 * np.abs(want).max()
apart = np.exp(-((X[:, None] - X) ** 2).sum(2) / (2 * 0.9 ** 2))
assert np.abs(want - apart[N:, :N] @ np.linalg.solve(apart[:N, :N] + N * LAM * np.eye(N), y[:N])).max() > 0.1
for rule in ("loo", "splits:splits.txt", "file:new.csv"):
    run(*fit, "--select", rule)
    with open("fit.json") as f:
        value = json.load(f)["selection"]["table"][0]["value"]
    if rule == "loo":
        error = [y[i] - refit(train[train != i], [i], N * LAM)[0] for i in train]
    elif rule == "file:new.csv":
        error = y[new] - want
    else:
        error = np.concatenate([y[:N][train % 3 == j] - refit(train[train % 3 != j], train[train % 3 == j],
                                                              (train % 3 != j).sum() * LAM) for j in range(3)])
    assert abs(value / np.mean(np.square(error)) - 1) < 1e-8, rule
run("cv", "train.csv", *fit[2:-5], "--select", "none", "--outer", "kfold:k=3", "-q")

# A task that has no delay, and a file of delays for other tasks.
with open("other.csv", "w") as f:
    f.write("tree,a,b\nfir,1,1\n")
got = subprocess.run([SPECREG, "predict", "m.srm", "other.csv"], capture_output=True, text=True)
assert got.returncode == 1 and "task 'fir' was not seen in training, and with outputs delays" in got.stderr, got
np.savetxt("D.csv", D[:2], delimiter=",")
got = subprocess.run([SPECREG, *fit], capture_output=True, text=True)
assert got.returncode == 1 and "D.csv has 2 rows and 2 columns, 3 tasks take 3 x 2" in got.stderr, got
