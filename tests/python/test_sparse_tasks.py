"""experiment sparse-tasks: the angle of sparse functions of the dictionary of bases, from the formulas by numpy with the
penalties that the experiment chose."""
import json
import math
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here")
    sys.exit(77)

if not os.environ.get("SPECREG_TEST_WHOLE"):
    print("skipped: a slow claim, which `make test-all` makes")
    sys.exit(77)

TOP, ODD, SIDE, N = 2 ** 64 - 1, 0x9E3779B97F4A7C15, 70, 20


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & TOP
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & TOP
    return z ^ (z >> 31)


def points():
    """The grid in the order of the first repetition with N points."""
    key = mix(ODD)
    for part in (10, 0, N, 0):
        key = mix(key + ODD * (part + 1) & TOP)
    order, count = list(range(SIDE * SIDE)), 0
    for i in range(len(order) - 1, 0, -1):
        count += 1
        k = int((((mix(key + ODD * count & TOP) >> 11) + 0.5) / 2 ** 53) * (i + 1))
        order[i], order[k] = order[k], order[i]
    order = np.array(order)
    return np.stack([-2 + 4 * (order % SIDE) / (SIDE - 1), -2 + 4 * (order // SIDE) / (SIDE - 1)], axis=1)


def field(x):
    fade = np.exp(-0.5 * (x ** 2).sum(axis=1) / 1.2 ** 2)
    return np.stack([fade * 2 * np.sin(3 * x[:, 0]) * np.sin(1.5 * x[:, 1]),
                     fade * 2 * np.cos(1.5 * x[:, 0]) * np.cos(3 * x[:, 1])])


def features(x):
    """Of both components: gradients of Gaussians, and the same turned by a right angle."""
    g = np.linspace(-2, 2, 17)
    nodes = np.array([(a, b) for b in g for a in g])
    apart = x[:, None, :] - nodes[None]
    square = (apart ** 2).sum(axis=2)
    e = np.exp(-square / 0.5)[:, :, None] * (-2 / 0.5) * apart
    return [np.concatenate([e[:, :, 0], -e[:, :, 1]], axis=1), np.concatenate([e[:, :, 1], e[:, :, 0]], axis=1)]


def group_lasso(X, y, tau):
    """Accelerated proximal steps."""
    n = len(y[0])
    step = n / 2 / max(np.linalg.norm(A, 2) ** 2 for A in X)
    w = v = np.zeros((2, X[0].shape[1]))
    t = 1.0
    for _ in range(4000):
        u = np.array([v[k] - 2 * step / n * X[k].T @ (X[k] @ v[k] - y[k]) for k in range(2)])
        norm = np.maximum(np.sqrt((u ** 2).sum(axis=0)), 1e-300)
        u *= np.maximum(0, 1 - tau * step / norm)
        grown = (1 + math.sqrt(1 + 4 * t * t)) / 2
        if ((u - w) * (v - u)).sum() > 0:  # uphill: start again
            grown = t = 1.0
        moved, v, w, t = np.abs(u - w).max(), u + (t - 1) / grown * (u - w), u, grown
        if moved < 1e-10:
            break
    return w


def angle(f, v):
    a, b = np.vstack([f, np.ones(f.shape[1])]), np.vstack([v, np.ones(v.shape[1])])
    cosine = (a * b).sum(axis=0) / np.linalg.norm(a, axis=0) / np.linalg.norm(b, axis=0)
    return np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean()


subprocess.run([os.environ["SPECREG"], "experiment", "sparse-tasks", "--repeats", "1", "--sizes", str(N), "--json",
                "run.json", "-q"], check=True)
with open("run.json") as f:
    (r,) = [r for r in json.load(f)["results"] if r["noise"] == 0 and r["method"] == "bases"]
x = points()
train, test = x[:N], x[2 * N:]
X, Z, y = features(train), features(test), field(train)
kept = np.any(group_lasso(X, y, r["tau"][0]) != 0, axis=0)
f = [Z[k][:, kept] @ X[k][:, kept].T @ np.linalg.solve(
    X[k][:, kept] @ X[k][:, kept].T + N * r["lambda"][0] * np.eye(N), y[k]) for k in range(2)]
ours, theirs = r["angle"][0], angle(np.array(f), field(test))
print(f"- {ours:.4f} degrees, numpy {theirs:.4f}; {r['features'][0]:.0f} features, numpy {kept.sum()}")
# the experiment stops earlier, so that some features more or less are left
assert abs(ours / theirs - 1) < 0.15 and 0.5 < r["features"][0] / kept.sum() < 2
