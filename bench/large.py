"""Many rows: seconds, memory and errors of fit --approx rectangle on data that stay on disk, and of all rows as
centres where the kernel matrix does not fit the memory.

    tools/python3 bench/large.py BUILD [--folder DIR] [--lines rows,loo,filters,huge,growth,sklearn,centres,mnist,exact,small]

Prints for each line the seconds, the largest resident memory, and the rate counted as 2 n m^2 flops a
second of the first pass as a share of a matrix product measured in the same run.
  rows     10^6 rows of the shape of HIGGS, 1,000 centres, 20 lambdas, five folds by squared error
  loo      the same with exact leave-one-out and error rates: two passes
  filters  the sums of the first line as a file, and from it every filter with its automatic path and five folds
  huge     10^7 rows, 500 centres
  growth   2.5, 5 and 10 times 10^5 rows: the exponent of n
  sklearn  10^5 rows, 1,000 centres, 20 lambdas: scikit-learn's Nystroem and RidgeCV beside it, by leave-one-out and by folds
  centres  10^6 rows, 10,000 centres, 20 lambdas by conjugate gradients to a residual of 1e-6
  mnist    60,000 digits, 10,000 centres, one lambda: the error on the test set (--mnist DIR has the IDX files,
           --mnist-m other numbers of centres, --mnist-memory what they may take)
  exact    10^5 rows of ringnorm, every row a centre, 10 lambdas from 1e-1 to 1e-4 to a residual of 1e-6, 4 GiB
  small    the same with lambda 1e-6 alone
"""
import argparse
import gzip
import json
import math
import os
import resource
import subprocess
import time

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("build")
parser.add_argument("--folder", default="/tmp")
parser.add_argument("--lines", default="rows,loo,filters,huge,growth,sklearn,exact,small,centres,mnist")
parser.add_argument("--rows", type=int, default=10**6, help="of the line `centres`")
parser.add_argument("--mnist", default=os.path.join(os.environ.get("SPECREG_DATA", "../shared/data"), "mnist"))
parser.add_argument("--mnist-m", type=int, nargs="*", default=[10000])
parser.add_argument("--mnist-memory", default="9GB")
arguments = parser.parse_args()
lines = arguments.lines.split(",")
LAMBDAS = "lambda=log:1e-8:1e-1:20"
KERNEL = "rbf:sigma=5.3"


def gemm_rate():
    """Flops a second of a product of two matrices of order 2,000, the best of five; measured before each line."""
    a = np.ones((2000, 2000))
    best = math.inf
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        best = min(best, time.perf_counter() - start)
    return 2 * 2000**3 / best


def data(shape, rows):
    path = os.path.join(arguments.folder, f"bench-{shape}-{rows}.npy")
    if not os.path.exists(path):
        subprocess.run([f"{arguments.build}/synthetic", shape, str(rows), path, "float32"], check=True)
    return path


def fit(path, m, *more):
    """Seconds, peak bytes and the record of a fit."""
    record = os.path.join(arguments.folder, "bench-large.json")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run([f"{arguments.build}/specreg", "fit", path, "--approx", f"rectangle:m={m}", "--kernel",
                    KERNEL, "--param", LAMBDAS, "-q", "--json", record, "-o", record + ".srm", *more],
                   check=True)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(record) as f:
        found = json.load(f)
    found["of_cores"] = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, found["peak_bytes"], found


def show(name, n, m, rate, seconds, peak, record):
    first = record["seconds"]["gram"]
    print(f"{name:8} {n:>10,} rows {m:>6,} centres {seconds:7.1f} s, {record['of_cores']:.0f} s of cores, "
          f"{peak / 2**20:6.0f} MiB; first pass {first:6.1f} s, {2 * n * m * m / first / rate:.2f} of {rate / 1e9:.0f} Gflop/s; "
          f"{record['selection']['criterion']} {record['selection']['value']:.4g}", flush=True)


def exact(name, lambdas):
    """All lambdas of full kernel ridge regression, without folds."""
    record = os.path.join(arguments.folder, "bench-exact.json")
    start = time.perf_counter()
    subprocess.run([f"{arguments.build}/specreg", "path", data("ringnorm", 10**5), "--approx", "exact", "--problem",
                    "regression", "--kernel", "rbf:sigma=4.47213595", "--scale", "none", "--param", lambdas,
                    "--select", "none", "--memory", "4G", "-q", "--json", record, "-o", record + ".csv"], check=True)
    seconds = time.perf_counter() - start
    with open(record) as f:
        found = json.load(f)
    print(f"{name:8} {10**5:>10,} rows, exact {seconds:7.1f} s {found['peak_bytes'] / 2**20:6.0f} MiB; "
          f"{found['steps']} products, {found['seconds']['gram']:.1f} s, residual {found['residual']:.1e}, "
          f"preconditioner of rank {found['preconditioner_rank']}", flush=True)


regression = ["--problem", "regression", "--select", "kfold:k=5"]
if "rows" in lines:
    show("rows", 10**6, 1000, gemm_rate(), *fit(data("higgs", 10**6), 1000, *regression))
if "loo" in lines:
    show("loo", 10**6, 1000, gemm_rate(), *fit(data("higgs", 10**6), 1000, "--problem", "classification",
                                        "--select", "loo"))
if "filters" in lines:
    basis, sums, record = (os.path.join(arguments.folder, f"bench-filters.{kind}") for kind in ("srb", "sums", "json"))
    specreg = f"{arguments.build}/specreg"
    subprocess.run([specreg, "sums", "init", data("higgs", 65536), "--approx", "rectangle:m=1000", "--kernel", KERNEL,
                    *regression, "-q", "-o", basis], check=True)
    start = time.perf_counter()
    subprocess.run([specreg, "sums", "add", basis, data("higgs", 10**6), "-q", "-o", sums], check=True)
    print(f"filters  sums of 1,000,000 rows, 1,000 centres, five folds: {time.perf_counter() - start:.1f} s, "
          f"{os.path.getsize(sums) / 2**20:.0f} MiB", flush=True)
    for name in ("tikhonov", "iterated", "landweber", "nu", "nesterov", "heavyball", "chebyshev", "tsvd", "showalter",
                 "cg:norm=residual"):
        start = time.perf_counter()
        subprocess.run([specreg, "fit", "--sums", sums, "--filter", name, "-q", "--json", record, "-o",
                        record + ".srm"], check=True)
        seconds = time.perf_counter() - start
        with open(record) as f:
            found = json.load(f)
        print(f"filters  {name:16} {seconds:6.2f} s, {len(found['selection']['table']):4} points, "
              f"{found['selection']['criterion']} {found['selection']['value']:.6g}", flush=True)
if "huge" in lines:
    show("huge", 10**7, 500, gemm_rate(), *fit(data("higgs", 10**7), 500, *regression))
if "growth" in lines:
    sizes = (250_000, 500_000, 1_000_000)
    times = []
    for n in sizes:
        times.append(fit(data("higgs", n), 500, *regression)[2]["seconds"]["gram"])
    slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
    print("growth   " + ", ".join(f"{n:,}: {t:.1f} s" for n, t in zip(sizes, times)),
          f"first pass; exponent {slope:.2f}", flush=True)
if "exact" in lines:
    exact("exact", "lambda=log:1e-4:1e-1:10")
if "small" in lines:
    exact("small", "lambda=1e-6")
if "sklearn" in lines:
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import RidgeCV
    path = data("sine", 100_000)
    table = np.load(path).astype(float)
    X, y = table[:, :-1], table[:, -1]
    X = (X - X.mean(0)) / X.std(0)
    test = np.load(data("sine", 120_000)).astype(float)[100_000:]
    Z = (test[:, :-1] - table[:, :-1].mean(0)) / table[:, :-1].std(0)
    sigma = 2.0
    KERNEL = f"rbf:sigma={sigma}"
    np.save(os.path.join(arguments.folder, "bench-test.npy"), test)
    gamma, alphas = 1 / (2 * sigma**2), len(y) * np.logspace(-8, -1, 20)
    # the same centres for both: Nystroem draws them in this way
    rows = os.path.join(arguments.folder, "bench-centres.txt")
    np.savetxt(rows, np.random.RandomState(0).permutation(len(y))[:1000] + 1, fmt="%d")
    for name, rule, form in (("leave-one-out", "loo", {}), ("five folds", "kfold:k=5", {"cv": 5})):
        rate = gemm_rate()
        seconds, _, record = fit(path, f"1000,centers=file:{rows}", "--problem", "regression", "--select", rule)
        text = subprocess.run([f"{arguments.build}/specreg", "eval",
                               os.path.join(arguments.folder, "bench-large.json.srm"),
                               os.path.join(arguments.folder, "bench-test.npy"), "-q", "--json", "-"],
                              check=True, capture_output=True, text=True).stdout
        ours = json.loads(text)["test"]["mse"]
        start = time.perf_counter()
        features = Nystroem(kernel="rbf", gamma=gamma, n_components=1000, random_state=0)
        F = features.fit_transform(X)
        model = RidgeCV(alphas=alphas, **form).fit(F, y)
        theirs = time.perf_counter() - start
        mse = np.mean((model.predict(features.transform(Z)) - test[:, -1]) ** 2)
        print(f"sklearn  100,000 rows, 1,000 centres, 20 lambdas, {name}: specreg {seconds:.1f} s, "
              f"lambda {record['filter']['lambda']:.2e}, test mse {ours:.5f}; Nystroem and RidgeCV({form}) "
              f"{theirs:.1f} s, {model.alpha_ / len(y):.2e}, {mse:.5f}: {theirs / seconds:.1f} times; "
              f"{rate / 1e9:.0f} Gflop/s", flush=True)


def conjugate(name, n, record, seconds, peak, more=""):
    """The line of a fit by conjugate gradients, with the seconds of all cores."""
    approx = record["approx"]
    print(f"{name:8} {n:>10,} rows {approx['m']:>6,} centres {seconds:7.1f} s, {record['of_cores']:.0f} s of cores, "
          f"{peak / 2**20:6.0f} MiB; {approx['passes']} passes, sample {approx['sample']:,}, residual "
          f"{approx['residual']:.1e}{more}", flush=True)


if "centres" in lines:
    KERNEL, LAMBDAS = "rbf:sigma=5.3", "lambda=log:1e-6:1e-2:20"
    found = fit(data("higgs", arguments.rows), "10000,solver=cg", "--problem", "regression", "--select", "none",
                "--memory", "4GB")
    conjugate("centres", arguments.rows, found[2], *found[:2])
if "mnist" in lines and not os.path.isdir(arguments.mnist):
    print(f"mnist    left out: there is no folder {arguments.mnist}")
elif "mnist" in lines:
    for part, name in (("train", "mnist-train.npy"), ("t10k", "mnist-test.npy")):
        read = [np.frombuffer(gzip.open(os.path.join(arguments.mnist, f"{part}-{kind}-ubyte.gz")).read()[skip:], np.uint8)
                for kind, skip in (("images-idx3", 16), ("labels-idx1", 8))]
        table = np.column_stack([read[0].reshape(-1, 784) / 255, read[1]])
        np.save(os.path.join(arguments.folder, name), table.astype(np.float32))
    KERNEL, LAMBDAS = "rbf:sigma=5.5", "lambda=1e-7"
    for m in arguments.mnist_m:
        found = fit(os.path.join(arguments.folder, "mnist-train.npy"), f"{m},solver=cg", "--problem", "classification",
                    "--scale", "none", "--select", "none", "--memory", arguments.mnist_memory)
        text = subprocess.run([f"{arguments.build}/specreg", "eval",
                               os.path.join(arguments.folder, "bench-large.json.srm"),
                               os.path.join(arguments.folder, "mnist-test.npy"), "-q", "--json", "-"],
                              check=True, capture_output=True, text=True).stdout
        conjugate("mnist", 60_000, found[2], *found[:2], f"; test error {json.loads(text)['test']['error_rate']:.4f}")
