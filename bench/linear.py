#!/usr/bin/env python3
"""Linear models of sparse data: error and time beside scikit-learn's, on the same features, in one run.

    tools/python3 bench/linear.py BUILD TRAIN.libsvm[.gz] TEST.libsvm[.gz] [--lambda 1e-3,1e-4] [--tfidf]
                                        [--repeats 3]
    tools/python3 bench/linear.py BUILD --rows 100000 --columns 10000 [--entries 50] [--memory 8G]

The second form draws data: entries at random, a target that is linear in a tenth of the columns, with
noise.  Ridge of scikit-learn has alpha = n lambda.  Peers that are not installed are left out.  The first
form takes turns, --repeats of them, and prints the least seconds of each.
"""
import argparse
import gzip
import json
import os
import subprocess
import tempfile
import time

import numpy as np


def read_libsvm(path, columns=None):
    from scipy.sparse import csr_matrix

    opener = gzip.open if path.endswith(".gz") else open
    y, data, indices, indptr = [], [], [], [0]
    with opener(path, "rt") as f:
        for line in f:
            label, *pairs = line.split()
            y.append(label)
            for pair in pairs:
                j, v = pair.split(":")
                indices.append(int(j) - 1)
                data.append(float(v))
            indptr.append(len(data))
    columns = columns or max(indices) + 1
    return csr_matrix((data, indices, indptr), shape=(len(y), columns)), np.array(y)


def tfidf(train, test):
    """Counts to 1 + log, times log(n / documents), rows to length 1; by the training rows."""
    n = train.shape[0]
    documents = np.bincount(train.indices, minlength=train.shape[1])
    idf = np.log((1 + n) / (1 + documents)) + 1
    for m in (train, test):
        m.data = (1 + np.log(m.data)) * idf[m.indices]
        norms = np.sqrt(np.asarray(m.multiply(m).sum(axis=1)).ravel())
        m.data /= np.repeat(np.where(norms > 0, norms, 1), np.diff(m.indptr))


def draw(rows, columns, entries, seed=1):
    """CSR arrays and a target; the columns of a row are distinct and ascend."""
    rng = np.random.default_rng(seed)
    indices = np.sort(rng.integers(0, columns - entries, size=(rows, entries)), axis=1)
    indices = (indices + np.arange(entries)).astype(np.int32).ravel()
    data = rng.standard_normal(rows * entries)
    slope = np.where(rng.random(columns) < 0.1, rng.standard_normal(columns), 0)
    y = np.add.reduceat(data * slope[indices], np.arange(0, rows * entries, entries))
    y += 0.5 * rng.standard_normal(rows)
    return data, indices, np.arange(0, rows * entries + 1, entries), y


def save(path, data, indices, indptr, columns, y):
    np.savez(path, data=data, indices=indices, indptr=indptr, format=b"csr", y=y,
             shape=np.array([len(indptr) - 1, columns]))


def specreg(build, train, test, options, folder):
    """Error on test, seconds of fit by its own record (without reading), peak memory."""
    model, record = os.path.join(folder, "m.srm"), os.path.join(folder, "fit.json")
    program = os.path.join(build, "specreg")
    subprocess.run([program, "fit", train, "-o", model, "--kernel", "linear", "--json", record,
                    "--quiet"] + options, check=True)
    out = subprocess.run([program, "eval", model, test, "--json", "-", "--quiet"], check=True,
                         capture_output=True, text=True).stdout
    r, t = json.load(open(record)), json.loads(out)["test"]
    seconds = r["seconds"]["total"] - r["seconds"]["read"]
    return t.get("error_rate", t["mse"]), seconds, r["peak_bytes"], r["engine"]


def line(name, error, seconds, note=""):
    print(f"{name:34s} {error:10.4f} {seconds:9.2f} s  {note}", flush=True)


def peers(A, y, B, z, lam):
    """Names and functions that train a peer: error on test, seconds, note."""
    try:
        from sklearn.linear_model import RidgeClassifier
        from sklearn.svm import LinearSVC
    except ImportError:
        print("scikit-learn is not installed")
        return {}

    def trained(machine):
        start = time.perf_counter()
        machine.fit(A, y)
        seconds = time.perf_counter() - start
        return np.mean(machine.predict(B) != z), seconds, ""
    return {"RidgeClassifier sparse_cg": lambda: trained(RidgeClassifier(
                alpha=A.shape[0] * lam, solver="sparse_cg", fit_intercept=False)),
            "LinearSVC (LIBLINEAR)": lambda: trained(LinearSVC())}


def one_lambda(args, lam, data, paths, folder):
    """All take turns; the least seconds of each, and how many times as long as specreg's."""
    def own():
        fixed = ["--param", f"lambda={lam!r}", "--select", "none"]
        error, seconds, peak, engine = specreg(args.build, *paths, fixed, folder)
        return error, seconds, f"{engine}, {peak >> 20} MiB"
    runs = {f"specreg, lambda={lam:g}": own, **peers(*data, lam)}
    best = {}
    for _ in range(args.repeats):
        for name, run in runs.items():
            result = run()
            if name not in best or result[1] < best[name][1]:
                best[name] = result
    least = next(iter(best.values()))[1]
    for name, (error, seconds, note) in best.items():
        line(name, error, seconds, note or f"{seconds / least:.1f} times")


def classify(args, folder):
    A, y = read_libsvm(args.train)
    B, z = read_libsvm(args.test, A.shape[1])
    if args.tfidf:
        tfidf(A, B)
    paths = [os.path.join(folder, n) for n in ("train.npz", "test.npz")]
    for path, m, label in zip(paths, (A, B), (y, z)):
        save(path, m.data, m.indices, m.indptr, m.shape[1], label)
    print(f"{A.shape[0]} x {A.shape[1]}, {A.nnz} entries\n{'':34s} {'error':>10s} {'fit':>9s}")
    for lam in args.lam:
        one_lambda(args, lam, (A, y, B, z), paths, folder)


def regress(args, folder):
    path = os.path.join(folder, "drawn.npz")
    data, indices, indptr, y = draw(args.rows, args.columns, args.entries)
    save(path, data, indices, indptr, args.columns, y)
    print(f"{args.rows} x {args.columns}, {len(data)} entries\n{'':34s} {'mse':>10s} {'fit':>9s}")
    lam = args.lam[0]
    fixed = ["--param", f"lambda={lam!r}", "--select", "none", "--memory", args.memory]
    error, seconds, peak, engine = specreg(args.build, path, path, fixed, folder)
    line(f"specreg, lambda={lam:g}", error, seconds, f"{engine}, {peak >> 20} MiB")
    try:
        from scipy.sparse import csr_matrix
        from sklearn.linear_model import Ridge
    except ImportError:
        print("scikit-learn is not installed")
        return
    A = csr_matrix((data, indices, indptr), shape=(args.rows, args.columns))
    start = time.perf_counter()
    peer = Ridge(alpha=args.rows * lam, solver="sparse_cg", fit_intercept=False).fit(A, y)
    line("Ridge sparse_cg", np.mean((peer.predict(A) - y) ** 2), time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("train", nargs="?")
    parser.add_argument("test", nargs="?")
    parser.add_argument("--lambda", dest="lam", default=[1e-3], metavar="L[,L...]",
                        type=lambda text: [float(word) for word in text.split(",")])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--tfidf", action="store_true")
    parser.add_argument("--rows", type=int, default=100000)
    parser.add_argument("--columns", type=int, default=10000)
    parser.add_argument("--entries", type=int, default=50)
    parser.add_argument("--memory", default="8G")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        (classify if args.train else regress)(args, folder)


if __name__ == "__main__":
    main()
