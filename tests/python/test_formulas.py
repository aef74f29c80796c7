#!/usr/bin/env python3
"""The built command against an independent solution in plain Python.

A small table, --select none, --scale none, --features none: predictions at new points must be sum_i alpha_i k(x, x_i)
with alpha from a direct solve (tikhonov, iterated), from the iteration itself (landweber, nu), from
Jacobi's eigenvectors (tsvd), or from the textbook steps (cg).  Only the formulas of
docs/MATH.md are used, in Python's floats with exactly rounded sums, so agreement is to rounding
times the condition number of the problem.
"""
import math
import os
import random
import subprocess

EPS = 2.0 ** -52
N, P, M = 18, 2, 7
specreg = os.environ["SPECREG"]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def dist2(x, z):
    return math.fsum((a - b) ** 2 for a, b in zip(x, z))


KERNELS = {
    "linear": dot,
    "poly:degree=2,coef0=1,gamma=0.5": lambda x, z: (0.5 * dot(x, z) + 1) ** 2,
    "rbf:sigma=0.7": lambda x, z: math.exp(-dist2(x, z) / (2 * 0.7 ** 2)),
    "laplace:sigma=1.5": lambda x, z: math.exp(-math.sqrt(dist2(x, z)) / 1.5),
    "matern:nu=1.5,sigma=1": lambda x, z: (1 + math.sqrt(3 * dist2(x, z))) * math.exp(-math.sqrt(3 * dist2(x, z))),
    "0.5*rbf:sigma=0.7 + 2*linear": lambda x, z: 0.5 * math.exp(-dist2(x, z) / (2 * 0.7 ** 2)) + 2 * dot(x, z),
}


def times(K, v):
    return [dot(row, v) for row in K]


def solve(K, mu, y):
    """(K + mu I) x = y by elimination with row exchanges."""
    n = len(y)
    A = [[K[i][j] + (mu if i == j else 0) for j in range(n)] + [y[i]] for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(A[i][k]))
        A[k], A[best] = A[best], A[k]
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            A[i] = [a - f * b for a, b in zip(A[i], A[k])]
    x = [0.0] * n
    for k in reversed(range(n)):
        x[k] = (A[k][n] - dot(A[k][k + 1:n], x[k + 1:])) / A[k][k]
    return x


def tikhonov(K, y, lam):
    return solve(K, len(y) * lam, y)


def iterated(K, y, lam, order=3):
    alpha = [0.0] * len(y)
    for _ in range(order):
        alpha = solve(K, len(y) * lam, [b + len(y) * lam * a for a, b in zip(alpha, y)])
    return alpha


def steps(K, y, t, nu=None):
    n, tau = len(y), 1 / max(K[i][i] for i in range(len(y)))
    a = before = [0.0] * n
    for i in range(1, int(t) + 1):
        u, w = 0.0, 1.0
        if nu:
            c = (i + 2 * nu - 1) * (2 * i + 4 * nu - 1)
            u = (i - 1) * (2 * i - 3) * (2 * i + 2 * nu - 1) / (c * (2 * i + 2 * nu - 3)) if i > 1 else 0.0
            w = 4 * (2 * i + 2 * nu - 1) * (i + nu - 1) / c
        r = [b - f for b, f in zip(y, times(K, a))]
        a, before = [p + u * (p - q) + tau * w / n * e for p, q, e in zip(a, before, r)], a
    return a


def jacobi(K):
    n = len(K)
    A = [row[:] for row in K]
    Q = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(40):
        for p in range(n):
            for q in range(p + 1, n):
                if abs(A[p][q]) < 1e-18 * (abs(A[p][p]) + abs(A[q][q])):
                    continue
                theta = (A[q][q] - A[p][p]) / (2 * A[p][q])
                t = math.copysign(1, theta) / (abs(theta) + math.hypot(theta, 1))
                c = 1 / math.hypot(t, 1)
                s = t * c
                for M_ in (A, Q):
                    for row in M_:
                        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
                A[p], A[q] = ([c * a - s * b for a, b in zip(A[p], A[q])],
                              [s * a + c * b for a, b in zip(A[p], A[q])])
    return [(A[j][j], [Q[i][j] for i in range(n)]) for j in range(n)]


def tsvd(K, y, m):
    pairs = sorted(jacobi(K), key=lambda sv: -sv[0])[:int(m)]
    alpha = [0.0] * len(y)
    for s, v in pairs:
        c = dot(v, y) / s
        alpha = [a + c * b for a, b in zip(alpha, v)]
    return alpha


def cg(K, y, t):
    x, r, d = [0.0] * len(y), y[:], y[:]
    for _ in range(int(t)):
        q = times(K, d)
        rho = dot(r, r)
        step = rho / dot(d, q)
        x = [a + step * b for a, b in zip(x, d)]
        r = [a - step * b for a, b in zip(r, q)]
        turn = dot(r, r) / rho
        d = [a + turn * b for a, b in zip(r, d)]
    return x


FILTERS = [
    ("tikhonov", "lambda", tikhonov, (1e-1, 1e-3)),
    ("iterated:order=3", "lambda", iterated, (1e-1, 1e-3)),
    ("landweber", "t", steps, (1, 2, 60)),
    ("nu:nu=1", "t", lambda K, y, t: steps(K, y, t, 1.0), (1, 2, 40)),
    ("tsvd", "components", tsvd, (1, 2)),
    ("cg", "t", cg, (1, 2)),
]


def write(path, rows, names):
    with open(path, "w") as f:
        f.write(",".join(names) + "\n")
        for row in rows:
            f.write(",".join(repr(v) for v in row) + "\n")


def command(*arguments):
    return subprocess.run([specreg, *arguments], check=True, text=True, stdout=subprocess.PIPE).stdout


def main():
    draw = random.Random(1)
    X = [[draw.gauss(0, 1) for _ in range(P)] for _ in range(N)]
    new = [[draw.gauss(0, 1) for _ in range(P)] for _ in range(M)]
    y = [math.sin(2 * x[0]) + x[1] + 0.1 * draw.gauss(0, 1) for x in X]
    write("train.csv", [x + [v] for x, v in zip(X, y)], ["a", "b", "y"])
    write("new.csv", new, ["a", "b"])
    worst = 0.0
    for kernel, k in KERNELS.items():
        K = [[k(x, z) for z in X] for x in X]
        s_max = max(s for s, _ in jacobi(K)) / N
        for name, key, fit, values in FILTERS:
            for value in values:
                alpha = fit(K, y, value)
                expected = [dot([k(x, z) for z in X], alpha) for x in new]
                for engine in ("auto", "eig", "krylov", "iterate", "cholesky"):
                    if engine != "auto" and not applies(engine, key, name):
                        continue
                    command("fit", "train.csv", "--problem", "regression", "--target", "y",
                            "--kernel", kernel, "--filter", name, "--param", f"{key}={value}",
                            "--select", "none", "--scale", "none", "--features", "none", "--engine", engine,
                            "--output", "model.srm")
                    out = command("predict", "model.srm", "new.csv").split()
                    assert out[0] == "y" and len(out) == M + 1, out
                    got = [float(v) for v in out[1:]]
                    size = math.sqrt(dot(alpha, alpha)) * max(K[i][i] for i in range(N))
                    g = 1 / value if key == "lambda" else value ** 2 / s_max
                    # rounding: 8 n eps times the condition number, on the size of k(x)'alpha
                    bound = 8 * N * EPS * (1 + s_max * g) * (size + max(map(abs, expected))) + 1e-12 * size
                    error = max(abs(a - b) for a, b in zip(got, expected))
                    worst = max(worst, error / bound)
                    assert error <= bound, (kernel, name, value, engine, error, bound)
    print(f"largest share of the bound: {100 * worst:.2f} %")


def applies(engine, key, name):
    if engine == "eig":
        return name != "cg"
    if engine == "cholesky":
        return name.startswith(("tikhonov", "iterated"))
    if engine == "iterate":
        return key == "t"
    return name != "tsvd"


main()
