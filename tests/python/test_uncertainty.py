"""The slopes of --proba are scipy's minimum over leave-one-out scores from numpy, the probabilities
follow from them, and the intervals are those of refits without each row."""
import csv
import json
import os
import struct
import subprocess
import sys

try:
    import numpy as np
    from scipy.optimize import minimize_scalar
except ImportError:
    print("skipped: no numpy and scipy here (Debian: apt-get install python3-scipy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
N, M, P = 90, 30, 2
SIGMA, LAMBDAS = 1.1, (0.3, 0.03, 0.003)
rng = np.random.default_rng(11)
X = rng.normal(size=(N + M, P))
noise = rng.normal(size=N + M)


def command(*arguments):
    return subprocess.run([SPECREG, *arguments], check=True, capture_output=True, text=True).stdout


def write(name, rows, y=None):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["a", "b"] + ([] if y is None else ["y"]))
        for i in rows:
            out.writerow([repr(float(v)) for v in X[i]] + ([] if y is None else [y[i]]))


def metadata(path):
    with open(path, "rb") as f:
        size = struct.unpack("<Q", f.read(8))[0]
        return json.loads(f.read(size))["__metadata__"]


def fit(y, *options):
    """The model's metadata after a fit; lambda is chosen, the rest is given."""
    write("train.csv", range(N), y)
    command("fit", "train.csv", "-q", "-o", "m.srm", "--scale", "none", "--kernel",
            f"rbf:sigma={SIGMA}", "--param", "lambda={" + ",".join(map(repr, LAMBDAS)) + "}",
            "--features", "none", "--select", "loo", *options)
    return metadata("m.srm")


def predict(*options):
    rows = list(csv.reader(command("predict", "m.srm", "new.csv", *options).splitlines()))
    return rows[0], rows[1:]


def kernel(A, B):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(2) / (2 * SIGMA**2))


def held_out_scores(Y, value):
    """Leave-one-out outputs by refits, with the ridge of all rows."""
    K, F = kernel(X[:N], X[:N]), np.empty_like(Y)
    for i in range(N):
        rest = np.arange(N) != i
        A = K[np.ix_(rest, rest)] + N * value * np.eye(N - 1)
        F[i] = K[i, rest] @ np.linalg.solve(A, Y[rest])
    return F


def loss(a, S, T):
    z = a * (S - S.max(1, keepdims=True))
    return -np.sum(T * (z - np.log(np.exp(z).sum(1, keepdims=True))))


def slope(S, T, common=None):
    def penalized(u):
        prior = 0 if common is None else 5 * (np.exp(u) / common - 1) ** 2
        return loss(np.exp(u), S, T) + prior
    return np.exp(minimize_scalar(penalized, bounds=(-7, 7), method="bounded",
                                  options={"xatol": 1e-9}).x)


def check_probabilities(k):
    names = ["ant", "bee", "cow"][:k]
    v = X[:, 0] ** 2 + X[:, 1] + 0.7 * noise
    classes = np.digitize(v, [0.6] if k == 2 else [0.2, 1.2])
    meta = fit([names[c] for c in classes])
    calibration = json.loads(meta["calibration"])
    value = json.loads(meta["record"])["filter"]["lambda"]
    Y = np.where(classes[:N, None] == np.arange(k), 1.0, -1.0)
    S = held_out_scores(Y, value)  # for two classes the columns are f and -f
    counts = np.bincount(classes[:N], minlength=k)[classes[:N]]
    counts = counts[:, None]
    T = np.where(Y > 0, (counts + 1) / (counts + 2), 1 / (counts + 2) / (k - 1))
    common = slope(S, T)
    expected = [common]
    if k == 2:
        winner = (S[:, 1] > S[:, 0]).astype(int)
        expected = [slope(S[winner == w], T[winner == w], common) for w in (0, 1)]
    got = calibration["slopes"]
    print(f"{k} classes: slopes {got}, scipy {[float(e) for e in expected]}")
    # a minimum is found to the root of rounding
    assert np.allclose(got, expected, rtol=1e-6), (got, expected)
    assert calibration["held_by"] == "loo"
    header, rows = predict("--proba")
    assert header == ["label"] + ["score:" + n for n in names] + ["prob:" + n for n in names]
    for row in rows:
        s, p = np.array(row[1:1 + k], float), np.array(row[1 + k:], float)
        w = int(np.argmax(s))
        q = np.exp(got[w if k == 2 else 0] * (s - s[w]))
        assert np.allclose(p, q / q.sum(), rtol=1e-9, atol=1e-11), (p, q / q.sum())
        assert names[int(np.argmax(p))] == row[0]


def check_intervals(level):
    y = np.sin(2 * X[:, 0]) + 0.3 * noise
    meta = fit([repr(float(v)) for v in y])
    value = json.loads(meta["record"])["filter"]["lambda"]
    header, rows = predict("--interval", repr(level))
    assert header == ["y", "y:lower", "y:upper"]
    K, Kt = kernel(X[:N], X[:N]), kernel(X[N:], X[:N])
    low, high = np.empty((M, N)), np.empty((M, N))
    for i in range(N):
        rest = np.arange(N) != i
        alpha = np.linalg.solve(K[np.ix_(rest, rest)] + N * value * np.eye(N - 1), y[:N][rest])
        R = abs(y[i] - K[i, rest] @ alpha)
        low[:, i], high[:, i] = Kt[:, rest] @ alpha - R, Kt[:, rest] @ alpha + R
    lower = np.sort(low, 1)[:, int(np.floor((1 - level) * (N + 1))) - 1]
    upper = np.sort(high, 1)[:, int(np.ceil(level * (N + 1))) - 1]
    got = np.array(rows, float)
    error = max(np.max(abs(got[:, 1] - lower)), np.max(abs(got[:, 2] - upper)))
    print(f"intervals of level {level}: largest difference {error:.1e}")
    assert error < 1e-10, error  # 8 n eps times a condition number below 1e3


write("new.csv", range(N, N + M))
check_probabilities(2)
check_probabilities(3)
check_intervals(0.8)
check_intervals(0.95)
