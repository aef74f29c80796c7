"""Thin-plate and polyharmonic splines and multiquadrics beside SciPy's RBFInterpolator, interpolating and
smoothing; leave-one-out and folds beside refits of SciPy's."""
import csv
import json
import os
import subprocess
import sys

import numpy as np

try:
    from scipy.interpolate import RBFInterpolator
except ImportError:
    print("skipped: no scipy.interpolate.RBFInterpolator here (Debian: apt-get install python3-scipy)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
N = 60
rng = np.random.default_rng(3)
X, Z = rng.uniform(-1, 2, size=(N, 2)), rng.uniform(-1, 2, size=(40, 2))
y = np.sin(2 * X[:, 0]) + X[:, 1] ** 2 + 0.1 * rng.normal(size=N)
KERNELS = [("thinplate", "thin_plate_spline", 1, None), ("polyharmonic:degree=1", "linear", 0, None),
           ("polyharmonic", "cubic", 1, None), ("polyharmonic:degree=5", "quintic", 2, None),
           ("polyharmonic:degree=2", "thin_plate_spline", 1, None),
           ("multiquadric:sigma=0.8", "multiquadric", 0, 1 / 0.8)]


def write(name, rows, target=None):
    with open(name, "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(["x1", "x2"] + ([] if target is None else ["y"]))
        for i, x in enumerate(rows):
            out.writerow([repr(float(v)) for v in x] + ([] if target is None else [repr(float(target[i]))]))


def options(kernel, degree):
    return ["--kernel", kernel, "--scale", "none", "--features", f"poly:degree={degree}" if degree else "constant",
            "--problem", "regression"]


def fit(kernel, degree, param, *more):
    subprocess.run([SPECREG, "fit", "train.csv", *options(kernel, degree), "--param", f"lambda={param}", "-q",
                    "-o", "m.srm", "--json", "fit.json", *more], check=True)
    with open("fit.json") as f:
        return json.load(f)


def predict():
    text = subprocess.run([SPECREG, "predict", "m.srm", "new.csv"], check=True, capture_output=True,
                          text=True).stdout.split()
    return np.array([float(v) for v in text[1:]])


def scipy(rows, target, name, smoothing, degree, epsilon, at):
    return RBFInterpolator(rows, target, kernel=name, smoothing=smoothing, degree=degree, epsilon=epsilon)(at)


write("train.csv", X, y)
write("new.csv", Z)
for kernel, name, degree, epsilon in KERNELS:
    for smoothing in (0, 1e-3, 0.3):
        # mathematics.md: K + n lambda I; interpolation is the limit, 1e-16 is far below the eigenvalues
        fit(kernel, degree, repr((smoothing or 1e-16) / N), "--select", "none")
        expected = scipy(X, y, name, smoothing, degree, epsilon, Z)
        off = np.abs(predict() - expected).max() / np.abs(expected).max()
        print(f"{kernel}, smoothing {smoothing}: {off:.1e}")
        assert off < 1e-8, (kernel, smoothing, off)
    lam = 0.05 / N
    for rule, parts in (("loo", np.arange(N)), (None, np.arange(N) % 4)):
        if rule is None:
            with open("splits.txt", "w") as f:
                for k in range(4):
                    f.write(" ".join(str(i) for i in range(N) if parts[i] != k) + "\n")
        record = fit(kernel, degree, "{%r,%r}" % (lam, 2 * lam), "--select", rule or "splits:splits.txt")
        for row in record["selection"]["table"]:
            errors = np.empty(N)
            for k in np.unique(parts):
                train, out = parts != k, parts == k
                mass = N if rule else train.sum()  # leave-one-out keeps n lambda
                errors[out] = y[out] - scipy(X[train], y[train], name, mass * row["lambda"], degree, epsilon, X[out])
            assert abs(row["value"] / np.mean(errors ** 2) - 1) < 1e-8, (kernel, rule, row)
for kernel, add in (("thinplate", "poly:degree=1"), ("polyharmonic:degree={1,5}", "poly:degree=2")):
    for features in ("auto", "none", "constant"):
        got = subprocess.run([SPECREG, "fit", "train.csv", "--kernel", kernel, "--features", features, "-o",
                              "bad.srm"], capture_output=True, text=True)
        assert got.returncode == 2 and f"add --features {add}" in got.stderr, got
        assert got.stderr.count("\n") == 1 and not os.path.exists("bad.srm")


# Of a sum, or of several families, the kernel that needs them is named.
for kernel in ("rbf + thinplate", "{rbf,thinplate}"):
    for args, said in ((["fit", "train.csv", "--features", "none", "-o", "bad.srm"], "kernel thinplate needs polynomials"),
                       (["fit", "train.csv", "--features", "poly:degree=1", "--approx", "rectangle:m=9", "-o", "bad.srm"],
                        "kernel: thinplate is positive with its polynomials only"),
                       (["fit", "train.csv", "--features", "poly:degree=1", "--unlabelled", "new.csv", "-o", "bad.srm"],
                        "kernel thinplate is positive with its polynomials only")):
        got = subprocess.run([SPECREG, *args, "--kernel", kernel], capture_output=True, text=True)
        assert got.returncode and said in got.stderr and got.stderr.count("\n") == 1, got
for kernel in ("thinplate", "polyharmonic", "multiquadric:sigma=1", "rbf:sigma=1 + thinplate"):
    got = subprocess.run([SPECREG, "features", "train.csv", "--kpca", "2", "--kernel", kernel, "-o", "bad.csv"],
                         capture_output=True, text=True)
    name = kernel.split(" + ")[-1].split(":")[0]
    assert got.returncode == 2 and f"kpca: kernel {name} is positive definite only" in got.stderr, got
    assert got.stderr.count("\n") == 1 and not os.path.exists("bad.csv")
