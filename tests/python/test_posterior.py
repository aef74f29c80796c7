"""Three Gaussians whose posterior probabilities are known: where the coding makes scores posteriors,
probabilities are no farther from the truth than the scores are, and the softmax would be."""
import csv
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
CENTRES = np.array([[0, 0], [1.6, 0], [0.8, 1.4]])
rng = np.random.default_rng(7)


def draw(n):
    y = rng.integers(0, 3, n)
    X = CENTRES[y] + rng.normal(size=(n, 2))
    density = np.exp(-0.5 * ((X[:, None, :] - CENTRES) ** 2).sum(2))
    return X, y, density / density.sum(1, keepdims=True)


def write(name, X, y):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["x1", "x2", "kind"])
        out.writerows([repr(float(a)), repr(float(b)), "abc"[c]] for (a, b), c in zip(X, y))


def columns(name, prefix):
    with open(name) as f:
        return np.array([[float(row[prefix + c]) for c in "abc"] for row in csv.DictReader(f)])


X, y, _ = draw(1600)
Z, z, truth = draw(2000)
write("train.csv", X, y)
write("new.csv", Z, z)
RAW = {"ova": lambda s: (s + 1) / 2, "ab:a=3,b=1": lambda s: (s - 1) / 2, "simplex": lambda s: (2 * s + 1) / 3}
for coding, raw in RAW.items():
    subprocess.run([SPECREG, "fit", "train.csv", "--kernel", "rbf:sigma={1,2}", "--select", "loo", "--criterion", "mse", "--coding",
                    coding, "-q", "-o", "m.srm", "--json", "fit.json"], check=True)
    subprocess.run([SPECREG, "predict", "m.srm", "new.csv", "--proba", "-q", "-o", "p.csv"], check=True)
    score, proba = columns("p.csv", "score:"), columns("p.csv", "prob:")
    info = json.loads(subprocess.run([SPECREG, "info", "m.srm", "--json", "-", "-q"], check=True,
                                     capture_output=True, text=True).stdout)
    slope = info["calibration"]["slopes"][0]
    soft = np.exp(slope * (score - score.max(1, keepdims=True)))
    soft /= soft.sum(1, keepdims=True)
    errors = [float(((p - truth) ** 2).mean()) for p in (raw(score), proba, soft)]
    print(f"{coding}: mse to the posterior: scores {errors[0]:.5f}, proba {errors[1]:.5f}, softmax {errors[2]:.5f}")
    assert np.allclose(proba.sum(1), 1) and proba.min() > 0
    assert errors[1] <= errors[0], "farther from the truth than the scores"
    assert errors[1] < errors[2], "farther from the truth than the softmax"
