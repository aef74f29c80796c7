"""Kernels of vector fields from several radial functions against dense matrices in NumPy: predictions, parts, and
leave-one-out of whole vectors, which equals refits."""
import json
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M, LAM = 30, 12, 0.01
rng = np.random.default_rng(31)


def radial(name, s):
    """-2 phi'(s) and 4 phi''(s), s = |x - z|^2 / sigma^2."""
    if name == "imq":
        return (1 + s) ** -1.5, 3 * (1 + s) ** -2.5
    if name == "gauss":
        return np.exp(-s / 2), np.exp(-s / 2)
    nu = float(name)
    u = np.sqrt(2 * nu * s)
    e = np.exp(-u)
    if nu == 1.5:
        return 3 * e, np.where(u > 0, 9 * e / np.where(u > 0, u, 1), 0)
    if nu == 2.5:
        return 5 / 3 * (1 + u) * e, 25 / 3 * e
    return 7 / 5 * (1 + u + u * u / 3) * e, 49 / 15 * (1 + u) * e


def matrix(name, sigma, gamma, X):
    T = X.shape[1]
    w = (X[:, None] - X) / sigma
    s = (w ** 2).sum(2)
    one, two = radial(name, s)
    ww = two[:, :, None, None] * w[:, :, :, None] * w[:, :, None, :]
    eye = np.eye(T)
    cf = one[:, :, None, None] * eye - ww
    df = ww + ((T - 1) * one - s * two)[:, :, None, None] * eye
    G = ((1 - gamma) * cf + gamma * df) / sigma ** 2
    return G.transpose(0, 2, 1, 3).reshape(len(X) * T, len(X) * T)


def write(name, X, Y):
    with open(name, "w") as f:
        T = X.shape[1]
        f.write(",".join([f"x{k}" for k in range(T)] + [f"u{k}" for k in range(T)]) + "\n")
        for x, y in zip(X, Y):
            f.write(",".join(repr(float(v)) for v in [*x, *y]) + "\n")


def run(*args):
    return subprocess.run([SPECREG, *args], check=True, capture_output=True, text=True).stdout


def numbers(text):
    return np.array([[float(v) for v in line.split(",")] for line in text.split()[1:]])


def refit(G, T, rows, out, mu, Y):
    a = np.concatenate([np.arange(i * T, i * T + T) for i in rows])
    b = np.concatenate([np.arange(i * T, i * T + T) for i in out])
    return (G[np.ix_(b, a)] @ np.linalg.solve(G[np.ix_(a, a)] + mu * np.eye(len(a)), Y[rows].ravel())).reshape(-1, T)


for T in (2, 3):
    X = rng.uniform(-1, 1, size=(N + M, T))
    Y = rng.normal(size=(N + M, T))
    write("train.csv", X[:N], Y[:N])
    write("new.csv", X[N:], Y[N:])
    target = ",".join(f"u{k}" for k in range(T))
    train, new = np.arange(N), np.arange(N, N + M)
    for kernel, name, gamma in (("divfree", "gauss", 1), ("curlfree-matern:nu=1.5", "1.5", 0), ("divfree-matern", "2.5", 1),
                                ("helmholtz-matern:nu=3.5,gamma=0.3", "3.5", 0.3), ("curlfree-imq", "imq", 0),
                                ("helmholtz-imq:gamma=0.6", "imq", 0.6)):
        G = matrix(name, 0.8, gamma, X)
        spec = kernel + ("," if ":" in kernel else ":") + "sigma=0.8"
        fit = ("fit", "train.csv", "--target", target, "--kernel", spec, "--features", "none", "-q", "-o", "m.srm", "--json",
               "fit.json")
        run(*fit, "--param", f"lambda={LAM}", "--select", "none")
        got = numbers(run("predict", "m.srm", "new.csv"))
        want = refit(G, T, train, new, N * LAM, Y)
        assert np.abs(got - want).max() < 1e-9 * np.abs(want).max(), kernel
        if gamma not in (0, 1):
            parts = numbers(run("predict", "m.srm", "new.csv", "--parts"))
            parts = parts.reshape(M, T, 3)  # target by target: the whole, curlfree, divfree
            assert np.abs(parts[:, :, 1] + parts[:, :, 2] - got).max() < 1e-12 * np.abs(got).max(), kernel
        if T == 3 and "matern" not in kernel:
            continue
        for filter_, table in (("tikhonov", True), ("landweber", False)):
            more = ("--param", f"lambda={{{LAM},{LAM / 9}}}") if table else ("--filter", "landweber", "--param", "t={5,20}")
            run(*fit, *more, "--select", "loo")
            with open("fit.json") as f:
                rows = json.load(f)["selection"]["table"]
            assert len(rows) == 2
            for row in rows:
                error = 0
                for i in train:
                    rest = train[train != i]
                    if table:
                        at = refit(G, T, rest, [i], (N - 1) * row["lambda"], Y)
                    else:
                        a = np.concatenate([np.arange(j * T, j * T + T) for j in rest])
                        A, y, c = G[np.ix_(a, a)] / (N - 1), Y[rest].ravel(), np.zeros(len(a))
                        step = 1 / np.linalg.norm(G[:T, :T], 2)
                        for _ in range(int(row["t"])):
                            c += step * (y / (N - 1) - A @ c)
                        at = (G[i * T:i * T + T][:, a] @ c)[None]
                    error += ((Y[i] - at) ** 2).sum() / (N * T)
                assert abs(row["value"] / error - 1) < 1e-8, (kernel, filter_, row, error)

# Sums of fields of several widths, and of scalar kernels times I; missing components; engines; parts.
X = rng.uniform(-1, 1, size=(N + M, 2))
Y = rng.normal(size=(N + M, 2))
write("train.csv", X[:N], Y[:N])
write("new.csv", X[N:], Y[N:])
SUM = "0.5*divfree:sigma=0.8 + 2*curlfree-imq:sigma=0.5 + rbf:sigma=0.6,columns=1*linear + 0.3*helmholtz-matern:gamma=0.2,sigma=1.1"
square = (X[:, None, 0] - X[:, 0]) ** 2
scalar = np.kron(np.exp(-square / 0.72) * (X @ X.T), np.eye(2))
div = 0.5 * matrix("gauss", 0.8, 1, X) + 0.06 * matrix("2.5", 1.1, 1, X)
curl = 2 * matrix("imq", 0.5, 0, X) + 0.24 * matrix("2.5", 1.1, 0, X)
G = div + curl + scalar
fit = ("fit", "train.csv", "--target", "u0,u1", "--kernel", SUM, "--features", "none", "-q", "-o", "m.srm", "--json", "fit.json")
a = np.linalg.solve(G[:2 * N, :2 * N] + N * LAM * np.eye(2 * N), Y[:N].ravel())
for engine in ("auto", "eig", "cholesky", "krylov"):
    run(*fit, "--param", f"lambda={LAM}", "--select", "none", "--engine", engine)
    got = numbers(run("predict", "m.srm", "new.csv", "--parts")).reshape(M, 2, 4)
    for k, part in enumerate((G, curl, div, scalar)):
        want = (part[2 * N:, :2 * N] @ a).reshape(M, 2)
        assert np.abs(got[:, :, k] - want).max() < 1e-7 * np.abs(want).max(), (engine, k)
run(*fit, "--param", f"lambda={LAM}", "--select", "loo")
with open("fit.json") as f:
    value = json.load(f)["selection"]["table"][0]["value"]
want = np.mean([(Y[i] - refit(G, 2, train[train != i], [i], (N - 1) * LAM, Y)) ** 2 for i in train])
assert abs(value / want - 1) < 1e-8
run(*fit[:5], "divfree + rbf", *fit[6:], "--select", "kfold")  # widths of both
with open("train.csv") as f:
    lines = f.read().split("\n")
with open("gaps.csv", "w") as f:
    f.write("\n".join(line.rsplit(",", 1)[0] + "," if 0 < i < 9 else line for i, line in enumerate(lines)))
run("fit", "gaps.csv", *fit[2:], "--missing-targets", "allow", "--param", f"lambda={LAM}", "--select", "none")
there = [2 * i + t for i in range(N) for t in range(2) if not (i < 8 and t == 1)]
want = G[2 * N:][:, there] @ np.linalg.solve(G[np.ix_(there, there)] + N * LAM * np.eye(len(there)), Y.ravel()[there])
got = numbers(run("predict", "m.srm", "new.csv"))
assert np.abs(got - want.reshape(M, 2)).max() < 1e-8 * np.abs(want).max(), "missing components"

# What is refused.
for kernel, says in (("divfree-matern:nu=2", "kernel divfree-matern: nu must be 1.5, 2.5 or 3.5, not 2"),
                     ("divfree-imq * rbf", "kernel divfree-imq cannot be part of a product"),
                     ("curlfree-imq:nu=1.5", "unknown parameter of kernel curlfree-imq 'nu'")):
    got = subprocess.run([SPECREG, "fit", "train.csv", "--target", "u0,u1", "--kernel", kernel, "-o", "bad.srm"],
                         capture_output=True, text=True)
    assert got.returncode == 2 and says in got.stderr, got
