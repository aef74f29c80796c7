"""KPCA coordinates through the command against numpy, and, where it is here, scikit-learn, up to sign."""
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
try:
    from sklearn.decomposition import KernelPCA
except ImportError:
    KernelPCA = None


def centred(kernel):
    """Values of features whose mean over the training rows is 0."""
    return lambda u, v: (kernel(u, v) - kernel(u, a).mean(1)[:, None] - kernel(a, v).mean(0)[None]
                         + kernel(a, a).mean())


for kernel, center in [(kernel, center) for kernel in kernels for center in (False, True)]:
    k = centred(kernels[kernel]) if center else kernels[kernel]
    size = np.linalg.eigvalsh(kernels[kernel](a, a) / N)[-1]  # rounding is that of K, also when centred
    run("features", "train.csv", "--kpca", f"components={COUNT},center={'yes' if center else 'no'}",
        "--kernel", kernel, "-o", "c.csv", "--model", "k.srm", "--json", "k.json")
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
        tolerance = 64 * N * EPS * (size / gap + size / s[j]) * np.sqrt(N * size)
        for name, mine, theirs in (("coordinates", got[:, 1 + j], V[:, j] * np.sqrt(N * s[j])),
                                   ("new", new[:, j], k(b, a) @ V[:, j] / np.sqrt(N * s[j]))):
            error = np.abs(mine - theirs).max()
            assert error <= tolerance, (kernel, center, name, j, error, tolerance)
        if center and KernelPCA:  # its coordinates are V_ij (n s_j)^(1/2), too
            theirs = KernelPCA(COUNT, kernel="precomputed", eigen_solver="dense").fit(kernels[kernel](a, a))
            for mine, rows in ((got[:, 1 + j], a), (new[:, j], b)):
                other = theirs.transform(kernels[kernel](rows, a))[:, j]
                error = min(np.abs(mine - other).max(), np.abs(mine + other).max())
                assert error <= tolerance, (kernel, "scikit-learn", j, error, tolerance)
    record = json.load(open("k.json"))
    assert record["centred"] == center
    assert np.allclose(record["eigenvalues"], s[:COUNT], rtol=0, atol=64 * N * EPS * size)
    assert np.allclose(record["cumulative_share"], np.cumsum(s[:COUNT]) / s.sum(),
                       atol=64 * N * EPS * size / s.sum())

# Least squares on centred coordinates and a constant is tsvd beside a constant that is not penalised.
run("features", "train.csv", "--kpca", f"{COUNT},center=yes", "--kernel", "rbf:sigma=1.2", "-o", "c.csv",
    "--model", "k.srm")
run("features", "new.csv", "--apply", "k.srm", "-o", "n.csv")
run("fit", "train.csv", "--kernel", "rbf:sigma=1.2", "--filter", "tsvd", "--param", f"components={COUNT}",
    "--select", "none", "--features", "constant", "-o", "t.srm")
run("predict", "t.srm", "new.csv", "-o", "t.csv")
Z, W = read("c.csv")[1][:, 1:], read("n.csv")[1]
beta = np.linalg.lstsq(np.c_[np.ones(N), Z], y, rcond=None)[0]
error = np.abs(np.c_[np.ones(NEW), W] @ beta - read("t.csv")[1][:, 0]).max()
assert error <= 1e-10, ("tsvd", error)
print("coordinates of", len(kernels), "kernels, centred and not: as numpy has them",
      "and scikit-learn" if KernelPCA else "(no scikit-learn here)")
