"""KPCA coordinates through the command against numpy, up to sign."""
import csv
import json
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here (Debian: apt-get install python3-numpy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
EPS = np.finfo(float).eps
N, NEW, COUNT = 90, 30, 6
rng = np.random.default_rng(5)
x, z = rng.normal(size=(N, 3)) * [1, 10, 0.1], rng.normal(size=(NEW, 3)) * [1, 10, 0.1]
y = rng.normal(size=N)


def write(name, rows, target=None):
    with open(name, "w") as f:
        f.write("a,b,c" + (",label" if target is not None else "") + "\n")
        for i, row in enumerate(rows):
            more = [target[i]] if target is not None else []
            f.write(",".join(repr(float(v)) for v in [*row, *more]) + "\n")


def run(*arguments):
    subprocess.run([SPECREG, *arguments, "-q"], check=True)


def read(name):
    with open(name) as f:
        rows = list(csv.reader(f))
    return rows[0], np.array(rows[1:], dtype=float)


def square(a, b):
    return ((a[:, None] - b[None]) ** 2).sum(-1)


write("train.csv", x, y)
write("new.csv", z)
mean, deviation = x.mean(0), x.std(0)
a, b = (x - mean) / deviation, (z - mean) / deviation
kernels = {
    "rbf:sigma=1.2": lambda u, v: np.exp(-square(u, v) / (2 * 1.2 ** 2)),
    "laplace:sigma=2": lambda u, v: np.exp(-np.sqrt(square(u, v)) / 2),
    "poly:degree=2,coef0=1,gamma=0.5": lambda u, v: (0.5 * u @ v.T + 1) ** 2,
    "0.5*rbf:sigma=1 + linear": lambda u, v: 0.5 * np.exp(-square(u, v) / 2) + u @ v.T,
}
for kernel, k in kernels.items():
    run("features", "train.csv", "--kpca", str(COUNT), "--kernel", kernel, "-o", "c.csv", "--model",
        "k.srm", "--json", "k.json")
    run("features", "new.csv", "--apply", "k.srm", "-o", "n.csv")
    K = k(a, a)
    s, V = np.linalg.eigh(K / N)
    s, V = s[::-1], V[:, ::-1]
    V *= np.sign(V[np.abs(V).argmax(0), range(N)])
    names, got = read("c.csv")
    assert names == ["label"] + [f"pc{j + 1}" for j in range(COUNT)], names
    assert np.array_equal(got[:, 0], y)
    names, new = read("n.csv")
    assert names == [f"pc{j + 1}" for j in range(COUNT)], names
    for j in range(COUNT):
        gap = min(abs(s[j] - s[i]) for i in range(N) if i != j)
        tolerance = 64 * N * EPS * (s[0] / gap + s[0] / s[j]) * np.sqrt(N * s[0])
        for name, mine, theirs in (("coordinates", got[:, 1 + j], V[:, j] * np.sqrt(N * s[j])),
                                   ("new", new[:, j], k(b, a) @ V[:, j] / np.sqrt(N * s[j]))):
            error = np.abs(mine - theirs).max()
            assert error <= tolerance, (kernel, name, j, error, tolerance)
    record = json.load(open("k.json"))
    assert np.allclose(record["eigenvalues"], s[:COUNT], rtol=0, atol=64 * N * EPS * s[0])
    assert np.allclose(record["cumulative_share"], np.cumsum(s[:COUNT]) / s.sum(), atol=64 * N * EPS)
print("coordinates of", len(kernels), "kernels: as numpy has them")
