"""Every kernel with every filter and every scaling, computed again with numpy: the command's
predictions are those of the formulas in docs/MATH.md."""
import csv
import itertools
import os
import subprocess
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: no numpy here (Debian: apt-get install python3-numpy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
N, M = 60, 25
EPS = np.finfo(float).eps
rng = np.random.default_rng(3)
numbers = rng.normal(size=(N + M, 3)) * [1, 3, 0.2] + [0, 2, -1]
colour = [["red", "blue", "dark green"][i] for i in rng.integers(0, 3, N + M)]
y = (np.sin(2 * numbers[:, 0]) + numbers[:, 1] / 3 + np.array([c == "red" for c in colour])
     + 0.2 * rng.normal(size=N + M))


def write(name, rows, target):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["a", "colour", "b", "c"] + (["y"] if target else []))
        for i in rows:
            a, b, c = (repr(float(v)) for v in numbers[i])
            out.writerow([a, colour[i], b, c] + ([repr(float(y[i]))] if target else []))


# ------------------------------------------------------------------ the formulas


def scaled(how):
    """Numbers as --scale says, from the training rows; texts one-hot in sorted order."""
    train = numbers[:N]
    if how == "standard":
        x = (numbers - train.mean(0)) / train.std(0)
    elif how == "minmax":
        x = (numbers - train.min(0)) / (train.max(0) - train.min(0))
    else:
        x = numbers
    hot = np.array([[c == k for k in sorted(set(colour))] for c in colour], float)
    return np.column_stack([x[:, 0], hot, x[:, 1:]])


def distances(X, Z, norm=2):
    return np.linalg.norm(X[:, None, :] - Z[None, :, :], norm, axis=2)


def matern52(X, Z):
    u = np.sqrt(5) * distances(X, Z) / 2
    return (1 + u + u**2 / 3) * np.exp(-u)


KERNELS = {
    "rbf:sigma=1.5": lambda X, Z: np.exp(-distances(X, Z) ** 2 / (2 * 1.5**2)),
    "rbf:gamma=0.3": lambda X, Z: np.exp(-0.3 * distances(X, Z) ** 2),
    "laplace:sigma=2": lambda X, Z: np.exp(-distances(X, Z) / 2),
    "laplace:sigma=3,norm=1": lambda X, Z: np.exp(-distances(X, Z, 1) / 3),
    "matern:nu=0.5,sigma=2": lambda X, Z: np.exp(-distances(X, Z) / 2),
    "matern:sigma=2": lambda X, Z: (1 + np.sqrt(3) * distances(X, Z) / 2)
    * np.exp(-np.sqrt(3) * distances(X, Z) / 2),
    "matern:nu=2.5,sigma=2": matern52,
    "poly:degree=2,coef0=0.5,gamma=0.25": lambda X, Z: (0.25 * X @ Z.T + 0.5) ** 2,
    "poly:gamma=0.1": lambda X, Z: (0.1 * X @ Z.T + 1) ** 3,
    "linear": lambda X, Z: X @ Z.T,
    "0.5*rbf:sigma=1 + linear + 2e-1*laplace:sigma=4": lambda X, Z: 0.5
    * np.exp(-distances(X, Z) ** 2 / 2) + X @ Z.T + 0.2 * np.exp(-distances(X, Z) / 4),
}


def nu_method(s, tau, nu, t):
    """g of t steps by the recurrence on scalars: K/n becomes tau s, y becomes 1."""
    a = before = np.zeros_like(s)
    for i in range(1, t + 1):
        common = (i + 2 * nu - 1) * (2 * i + 4 * nu - 1)
        u = 0 if i == 1 else (i - 1) * (2 * i - 3) * (2 * i + 2 * nu - 1) / (
            common * (2 * i + 2 * nu - 3))
        w = 4 * (2 * i + 2 * nu - 1) * (i + nu - 1) / common
        a, before = a + u * (a - before) + w * (1 - tau * s * a), a
    return tau * a


def landweber(s, tau, t):
    g = np.zeros_like(s)
    for _ in range(t):
        g = g + tau * (1 - s * g)
    return g


def cut(s, kept):
    """1/s for the `kept` largest, and how far the next one is from them."""
    g = np.zeros_like(s)
    g[-kept:] = 1 / s[-kept:]
    return g


def iterated(s, lam, order):
    g = np.zeros_like(s)
    for _ in range(order):
        g = (1 + lam * g) / (s + lam)
    return g


def showalter(s, lam):
    small = s < 1e-12 * lam
    return np.where(small, 1 / lam, -np.expm1(-s / lam) / np.where(small, 1, s))


def filters(s, kappa2, top):
    """name, --param, g(s), and by what rounding is amplified, for eigenvalues s of K/n."""
    tau = 1 / kappa2
    kept = 2 + int(np.argmax(s[-3:-8:-1] - s[-4:-9:-1])) + 1  # above the widest gap of a few
    gap = s[-kept] - s[-kept - 1]
    lam = 1e-3 * top
    yield "tikhonov", f"lambda={lam!r}", 1 / (s + lam), 1
    yield "tikhonov", f"lambda={1e-6 * top!r}", 1 / (s + 1e-6 * top), 1
    yield "landweber", "t=40", landweber(s, tau, 40), 1
    yield f"landweber:step={0.5 * tau!r}", "t=7", landweber(s, 0.5 * tau, 7), 1
    yield "landweber:step=norm", "t=11", landweber(s, 1 / top, 11), 10
    yield "nu", "t=12", nu_method(s, tau, 1, 12), 1
    yield "nu:nu=2.5", "t=9", nu_method(s, tau, 2.5, 9), 1
    yield "tsvd", f"components={kept}", cut(s, kept), top / gap
    yield "tsvd", f"lambda={float(s[-kept] - gap / 2)!r}", cut(s, kept), top / gap
    yield "iterated", f"lambda={lam!r}", iterated(s, lam, 2), 1
    yield "iterated:order=4", f"lambda={10 * lam!r}", iterated(s, 10 * lam, 4), 1
    yield "showalter", f"lambda={lam!r}", showalter(s, lam), 1


# ------------------------------------------------------------------- the command


def specreg(kernel, filter, param, scale):
    subprocess.run([SPECREG, "fit", "train.csv", "--kernel", kernel, "--filter", filter, "--param",
                    param, "--select", "none", "--scale", scale, "--features", "none", "--threads", "1",
                    "-q", "-o", "model.srm"], check=True)
    text = subprocess.run([SPECREG, "predict", "model.srm", "new.csv"], check=True,
                          capture_output=True, text=True).stdout.split()
    assert text[0] == "y" and len(text) == M + 1
    return np.array([float(v) for v in text[1:]])


write("train.csv", range(N), True)
write("new.csv", range(N, N + M), False)
checked, worst = 0, (0, "")
for scale, (kernel, k) in itertools.product(["standard", "minmax", "none"], KERNELS.items()):
    X = scaled(scale)
    K, Kt = k(X[:N], X[:N]), k(X[N:], X[:N])
    s, Q = np.linalg.eigh(K / N)
    s = np.maximum(s, 0)
    for filter, param, g, condition in filters(s, float(K.diagonal().max()), float(s[-1])):
        alpha = Q @ (g * (Q.T @ y[:N])) / N
        expected = Kt @ alpha
        got = specreg(kernel, filter, param, scale)
        # rounding of K and of the solution, |K/n| g at most; new rows may lie further out
        amplified = max(1, s[-1] * g.max()) * condition * np.abs(Kt).max() / np.abs(K).max()
        bound = 8 * N * EPS * amplified * np.abs(y).max()
        error = np.abs(got - expected).max()
        checked += 1
        worst = max(worst, (error / bound, f"{kernel} {filter} {param} {scale}: {error:.1e}"))
        if not error <= bound:
            sys.exit(f"--kernel '{kernel}' --filter {filter} --param {param} --scale {scale}: "
                     f"off by {error:.2e}, allowed {bound:.2e}")
print(f"{checked} models checked; closest to its bound ({100 * worst[0]:.2g} %): {worst[1]}")
assert checked == 3 * len(KERNELS) * 12
