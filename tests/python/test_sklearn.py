"""The table of docs/KERNELS.md: with its translations, scikit-learn's KernelRidge and specreg give
the same predictions.  The matrices are well conditioned, so the two differ by rounding alone."""
import csv
import os
import subprocess
import sys

import numpy as np

try:
    from sklearn.gaussian_process.kernels import Matern
    from sklearn.kernel_ridge import KernelRidge
except ImportError:
    print("skipped: no scikit-learn here (Debian: apt-get install python3-sklearn)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
N, M, P, LAMBDA, SIGMA = 120, 50, 3, 1e-3, 1.7
rng = np.random.default_rng(5)
X, Z = rng.normal(size=(N, P)), rng.normal(size=(M, P))
y = np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.normal(size=N)


def write(name, X, y=None):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow([f"x{k + 1}" for k in range(P)] + ([] if y is None else ["y"]))
        for i, x in enumerate(X):
            out.writerow([repr(float(v)) for v in x] + ([] if y is None else [repr(float(y[i]))]))


def specreg(kernel, filter="tikhonov", param=f"lambda={LAMBDA!r}", scale="none"):
    """Predictions of a model whose parameters are all given."""
    subprocess.run([SPECREG, "fit", "train.csv", "--kernel", kernel, "--filter", filter, "--param",
                    param, "--select", "none", "--scale", scale, "--problem", "regression",
                    "--features", "none", "-q", "-o", "model.srm"], check=True)
    text = subprocess.run([SPECREG, "predict", "model.srm", "new.csv"], check=True,
                          capture_output=True, text=True).stdout.split()
    assert text[0] == "y"
    return np.array([float(v) for v in text[1:]])


def ridge(**kernel):
    """alpha = n lambda: specreg divides the squared errors by n."""
    return KernelRidge(alpha=N * LAMBDA, **kernel).fit(X, y).predict(Z)


def same(what, ours, theirs):
    difference = np.max(np.abs(ours - theirs)) / np.max(np.abs(theirs))
    print(f"{what:50} {difference:.1e}")
    # cond(K + n lambda I) is below 1e6 for all of them
    assert difference < 1e-9, what


write("train.csv", X, y)
write("new.csv", Z)

same("rbf: gamma = 1 / (2 sigma^2)", specreg(f"rbf:sigma={SIGMA}"),
     ridge(kernel="rbf", gamma=1 / (2 * SIGMA**2)))
same("rbf: gamma", specreg("rbf:gamma=0.3"), ridge(kernel="rbf", gamma=0.3))
same("laplace norm=1: gamma = 1 / sigma", specreg(f"laplace:sigma={SIGMA},norm=1"),
     ridge(kernel="laplacian", gamma=1 / SIGMA))
for nu in (0.5, 1.5, 2.5):
    same(f"matern nu={nu}: length_scale = sigma", specreg(f"matern:nu={nu},sigma={SIGMA}"),
         ridge(kernel=Matern(length_scale=SIGMA, nu=nu)))
same("laplace norm=2 is Matern with nu = 1/2", specreg(f"laplace:sigma={SIGMA}"),
     ridge(kernel=Matern(length_scale=SIGMA, nu=0.5)))
same("poly: degree, gamma, coef0", specreg("poly:degree=3,gamma=0.5,coef0=2"),
     ridge(kernel="poly", degree=3, gamma=0.5, coef0=2))
same("linear", specreg("linear"), ridge(kernel="linear"))
same("a weighted sum", specreg(f"0.5*rbf:sigma={SIGMA} + linear"),
     ridge(kernel=lambda a, b: 0.5 * np.exp(-np.sum((a - b) ** 2) / (2 * SIGMA**2)) + a @ b))

# --scale standard is StandardScaler: mean and population deviation.
X, Z = (X - X.mean(axis=0)) / X.std(axis=0), (Z - X.mean(axis=0)) / X.std(axis=0)
same("scale standard is StandardScaler", specreg(f"rbf:sigma={SIGMA}", scale="standard"),
     ridge(kernel="rbf", gamma=1 / (2 * SIGMA**2)))
