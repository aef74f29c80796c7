"""Products of kernels and kernels of some columns against their formulas in NumPy: predictions, leave-one-out,
folds and principal components, dense and sparse rows, few columns and many, texts, coupled outputs; what is
refused."""
import csv
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M = 60, 20
rng = np.random.default_rng(21)
train, new = np.arange(N), np.arange(N, N + M)


def square(a):
    return ((a[:, None] - a) ** 2).sum(2)


def rbf(a, s=1.0):
    return np.exp(-square(a) / (2 * s * s))


def laplace(a, s=1.0):
    return np.exp(-np.sqrt(square(a)) / s)


def one_norm(a, s=1.0):
    return np.exp(-np.abs(a[:, None] - a).sum(2) / s)


def cosine(a):
    r = np.sqrt((a * a).sum(1))
    size = np.outer(r, r)
    return np.where(size > 0, a @ a.T / np.where(size > 0, size, 1), 0)


def write(name, X, y, sparse=False, header=None):
    with open(name, "w", newline="") as f:
        if sparse:
            for x, v in zip(X, y):
                f.write(f"{float(v)!r} " + " ".join(f"{k + 1}:{float(x[k])!r}" for k in np.flatnonzero(x)) + "\n")
            return
        out = csv.writer(f)
        out.writerow(header or [f"x{k + 1}" for k in range(X.shape[1])] + ["y"])
        for x, v in zip(X, y):
            out.writerow([e if isinstance(e, str) else repr(float(e)) for e in [*x, *np.atleast_1d(v)]])


def run(*args):
    return subprocess.run([SPECREG, *args], check=True, capture_output=True, text=True).stdout


def refused(code, says, *args):
    got = subprocess.run([SPECREG, *args], capture_output=True, text=True)
    assert got.returncode == code and says in got.stderr and got.stderr.count("\n") == 1, got


def predictions(name):
    return np.array([[float(v) for v in line.split(",")] for line in run("predict", "m.srm", name).split()[1:]])


def refit(K, rows, out, mu, y):
    return K[np.ix_(out, rows)] @ np.linalg.solve(K[np.ix_(rows, rows)] + mu * np.eye(len(rows)), y[rows])


def close(got, want, what):
    assert np.abs(got - want).max() < 1e-9 * np.abs(want).max(), what


FIXED = ("--scale", "none", "--features", "none", "--problem", "regression", "-q", "-o", "m.srm", "--json", "fit.json")
LAM = 0.02

# (text, columns, matrix): numbers, ranges, names, columns that are apart, weights and sums beside products.
def few(X):
    return {
        "rbf:sigma=2,columns=1 * linear:columns=x2": rbf(X[:, :1], 2) * (X[:, 1:2] @ X[:, 1:2].T),
        "0.5*rbf:sigma=2*linear + laplace:columns={x1,3},sigma=3":
            0.5 * rbf(X, 2) * (X @ X.T) + laplace(X[:, [0, 2]], 3),
        "linear:columns=1-2 * 2 * linear:columns=x2:x3 * 3": 6 * (X[:, :2] @ X[:, :2].T) * (X[:, 1:] @ X[:, 1:].T),
        "laplace:norm=1,columns=1,3,sigma=2 + poly:degree=2,columns=2": one_norm(X[:, [0, 2]], 2) + (
            X[:, 1:2] @ X[:, 1:2].T + 1) ** 2,
        "rbf:sigma=3*rbf:sigma=3,columns={x[12]}": rbf(X, 3) * rbf(X[:, :2], 3),
        "periodic:period=7,columns=1,3 * hamming:columns=2 + intersection": np.exp(-2 * sum(
            np.sin(np.pi * (X[:, k][:, None] - X[:, k]) / 7) ** 2 for k in (0, 2))) * np.exp(
                -(X[:, 1][:, None] != X[:, 1]).astype(float)) + np.minimum(X[:, None], X).sum(2),
    }


def many(X):
    odd = X[:, 0:140:2]
    return {
        "rbf:sigma=9,columns=1-70 * linear:columns=71-150": rbf(X[:, :70], 9) * (X[:, 70:] @ X[:, 70:].T),
        "0.3*rbf:sigma=9 * cosine:columns={%s} + linear" % ",".join(str(k) for k in range(1, 140, 2)):
            0.3 * rbf(X, 9) * cosine(odd) + X @ X.T,
        "laplace:norm=1,sigma=200,columns=3-149 * rbf:sigma=9 * linear:columns=1,5":
            one_norm(X[:, 2:149], 200) * rbf(X, 9) * (X[:, [0, 4]] @ X[:, [0, 4]].T),
    }


for p, kernels in ((3, few), (150, many)):
    X = rng.poisson(1 if p > 3 else 2, size=(N + M, p)).astype(float)
    X *= rng.uniform(size=X.shape) < (0.2 if p > 3 else 1)
    X[:, 0] += 1  # no row of zeros
    X[7] = X[3]  # a distance that is 0
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=N + M)
    with open("splits.txt", "w") as f:
        for j in range(4):
            f.write(" ".join(str(i) for i in range(N) if i % 4 != j) + "\n")
    for kernel, K in kernels(X).items():
        for sparse in (False, True) if p > 3 else (False,):
            name = "libsvm" if sparse else "csv"
            write("train." + name, X[:N], y[:N], sparse)
            write("new." + name, X[N:], y[N:], sparse)
            given = ("train." + name, "--kernel", kernel, *FIXED)
            run("fit", *given, "--param", f"lambda={LAM}", "--select", "none")
            close(predictions("new." + name)[:, 0], refit(K, train, new, N * LAM, y), (kernel, sparse))
            for rule in ("loo", "splits:splits.txt"):
                run("fit", *given, "--param", f"lambda={{{LAM},{LAM / 4}}}", "--select", rule)
                with open("fit.json") as f:
                    table = json.load(f)["selection"]["table"]
                for row in table:
                    parts = train if rule == "loo" else train % 4
                    error = np.empty(N)
                    for j in np.unique(parts):
                        rows, out = train[parts != j], train[parts == j]
                        mass = N if rule == "loo" else len(rows)  # leave-one-out keeps n lambda
                        error[out] = y[out] - refit(K, rows, out, mass * row["lambda"], y)
                    assert abs(row["value"] / np.mean(error ** 2) - 1) < 1e-8, (kernel, rule, sparse)

# Every engine; products that are not stored; fewer centres than rows; principal components.
X = rng.normal(size=(N + M, 4))
y = np.sin(X[:, 0]) * X[:, 3] + 0.1 * rng.normal(size=N + M)
write("train.csv", X[:N], y[:N])
write("new.csv", X[N:], y[N:])
KERNEL = "rbf:columns=1-2,sigma=1.5 * linear:columns=4 + 0.2*laplace:columns=1,3,sigma=2"
K = rbf(X[:, :2], 1.5) * np.outer(X[:, 3], X[:, 3]) + 0.2 * laplace(X[:, [0, 2]], 2)
want = refit(K, train, new, N * LAM, y)
base = ("train.csv", "--kernel", KERNEL, *FIXED, "--param", f"lambda={LAM}", "--select", "none")
for more in (("--engine", "eig"), ("--engine", "cholesky"), ("--engine", "band"), ("--engine", "krylov"),
             ("--filter", "landweber", "--param", "t=40", "--engine", "iterate"),
             ("--approx", f"rectangle:m={N}"), ("--approx", f"nystrom:m={N}")):
    run("fit", *base, *more)
    if "landweber" in more:  # f_t = sum_j (I - K / (n kappa2))^j y / kappa2 / n
        step, c = 1 / np.diag(K[:N, :N]).max() / N, np.zeros(N)
        for _ in range(40):
            c += step * (y[:N] - K[:N, :N] @ c)
        close(predictions("new.csv")[:, 0], K[N:, :N] @ c, more)
    else:
        got = predictions("new.csv")[:, 0]
        assert np.abs(got - want).max() < 1e-6 * np.abs(want).max(), (more, np.abs(got - want).max())
few = "linear:columns=1-2 * linear:columns=3-4"  # rank 4: its bound is what lets the engine end
run("fit", "train.csv", "--kernel", few, *base[3:], "--engine", "lowrank")
close(predictions("new.csv")[:, 0], refit((X[:, :2] @ X[:, :2].T) * (X[:, 2:] @ X[:, 2:].T), train, new, N * LAM, y), few)
run("features", "train.csv", "--kpca", "components=3,center=no", "--kernel", KERNEL, "--scale", "none", "--model", "k.srm", "-q", "-o", "k.csv",
    "--target", "y")
run("features", "new.csv", "--apply", "k.srm", "-q", "-o", "z.csv")
with open("z.csv") as f:
    rows = list(csv.reader(f))
got = np.array([[float(v) for v in r[-3:]] for r in rows[1:]])
A = K[:N, :N]
s, U = np.linalg.eigh(A)
want = K[N:, :N] @ U[:, ::-1][:, :3] / np.sqrt(s[::-1][:3])
assert np.abs(np.abs(got) - np.abs(want)).max() < 1e-9 * np.abs(want).max()

# Texts are columns for each category, wherever a kernel names them; names with blanks, and patterns.
town = rng.choice(["Rome", "Oslo", "Bonn"], size=N + M)
table = [[float(a), str(t), float(b)] for (a, b), t in zip(X[:, :2], town)]
hot = np.array([[float(t == c) for c in ("Bonn", "Oslo", "Rome")] for t in town])
head = ["first size", "town", "x*2", "y"]
write("train.csv", table[:N], y[:N], header=head)
write("new.csv", table[N:], y[N:], header=head)
for kernel, K in {
    "linear:columns=town * rbf:columns={first size,x*2},sigma=1": (hot @ hot.T) * rbf(X[:, :2], 1.0),
    "rbf:columns=town:3,sigma=1": rbf(np.c_[hot, X[:, 1]], 1.0),
    "rbf:columns={f*,t*},sigma=1": rbf(np.c_[hot, X[:, 0]], 1.0),
}.items():
    run("fit", "train.csv", "--kernel", kernel, *FIXED, "--param", f"lambda={LAM}", "--select", "none")
    close(predictions("new.csv")[:, 0], refit(K, train, new, N * LAM, y), kernel)

# A width for each factor is searched around the median distance in its own columns.
Z = X.copy()
Z[:, 2:] *= 100
write("wide.csv", Z[:N], y[:N])
run("fit", "wide.csv", "--kernel", "rbf:columns=1-2 * rbf:columns=3-4", *FIXED, "--extend", "no", "--param", "lambda=0.01")
with open("fit.json") as f:
    record = json.load(f)
for t, columns in enumerate((slice(0, 2), slice(2, 4))):
    d = np.sort(np.sqrt(square(Z[:N, columns]))[np.tril_indices(N, -1)])
    tried = [s for s in record["selection"]["searched"] if s["of"] == "kernel" and s["term"] == t]
    assert len(tried) == 1 and abs(tried[0]["least"] * 4 / d[len(d) // 2] - 1) < 1e-9, (t, tried)
assert record["kernel"]["name"] == "product" and record["kernel"]["terms"][1]["times"] is True
assert record["kernel"]["terms"][1]["columns"] == "3-4" and record["kernel"]["terms"][1]["spans"] == [3, 4]
run("fit", "wide.csv", "--kernel", "{rbf:columns={1,2},rbf:columns={3,4}*linear,linear}", *FIXED)
with open("fit.json") as f:
    assert json.load(f)["selection"]["families"] == ["rbf", "rbf", "linear"]

# A matrix of outputs for each product of a sum.
Y = np.c_[y, np.cos(X[:, 1]), X[:, 0] * X[:, 2]]
head = ["a", "b", "c", "d", "u", "v", "w"]
write("train.csv", X[:N], Y[:N], header=head)
write("new.csv", X[N:], Y[N:], header=head)
run("fit", "train.csv", "--target", "u,v,w", "--kernel", "rbf:columns=a,sigma=1 * linear:columns=b + 0.5*rbf:sigma=2",
    "--outputs", "independent + common:omega=0.6", "--param", f"lambda={LAM}", "--select", "none", *FIXED)
G = np.kron(rbf(X[:, :1]) * np.outer(X[:, 1], X[:, 1]), np.eye(3)) + np.kron(
    0.5 * rbf(X, 2), 0.4 * np.eye(3) + 0.6)
n = 3 * N
F = G[n:, :n] @ np.linalg.solve(G[:n, :n] + N * LAM * np.eye(n), Y[:N].ravel())
close(predictions("new.csv"), F.reshape(M, 3), "outputs")

# What is refused.
fit = ("fit", "new.csv", "--target", "u", "-o", "bad.srm", "--kernel")
refused(2, "no column", *fit, "rbf:columns=nope")
refused(2, "column 'u' of new.csv is not an input", *fit, "rbf:columns=a,u")
refused(2, "there is no column 9: the columns are 1 to 7", *fit, "rbf:columns=9")
refused(2, "column 'c' comes after 'a'", *fit, "rbf:columns=c:a")
refused(2, "kernel rbf: columns is given twice", *fit, "rbf:columns=a,sigma=1,columns=b")
refused(2, "kernel precomputed takes no columns=: its columns are kernel values", *fit, "precomputed:columns=a")
refused(2, "kernel precomputed cannot be part of a sum or product", *fit, "precomputed*rbf")
refused(2, "kernel divfree takes no columns=", *fit, "divfree:columns=a")
refused(2, "kernel curlfree cannot be part of a product: its values are matrices", *fit, "rbf*curlfree")
refused(2, "kernel thinplate cannot be part of a product", *fit, "thinplate*rbf", "--features", "poly:degree=1")
refused(2, "kernel multiquadric cannot be part of a product", *fit, "rbf:columns=a*multiquadric:columns=b")
refused(2, "there are no parentheses", *fit, "(rbf+linear)*poly")
refused(2, "kernel: the number 6 stands without a kernel", *fit, "2*3 + rbf")
refused(2, "a weight must be greater than 0, not -1", *fit, "rbf*-1")
refused(2, "write key=value", *fit, "rbf:columns=")
refused(2, "unknown kernel ''", *fit, "rbf*")
refused(2, "at most 8 terms and factors", *fit, "*".join(["rbf"] * 9))
refused(1, "kernel sobolev takes one feature column, its columns are 2", *fit, "sobolev:columns=a,b")
refused(2, "columns of sparse data are numbers from 1 to", "fit", "train.libsvm", "-o", "bad.srm", "--kernel", "rbf:columns=a")
refused(2, "columns of sparse data are numbers from 1 to", "fit", "train.libsvm", "-o", "bad.srm", "--kernel",
        "rbf:columns=1-99999")
