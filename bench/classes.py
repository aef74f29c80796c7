#!/usr/bin/env python3
"""Two and more classes: errors on test data and times beside LIBSVM and LIBLINEAR, in one run.

    tools/python3 bench/classes.py BUILD EXPERIMENT...

usps     ten digits, rbf: leave-one-out over widths and lambdas, and over lambdas alone
news     20 Newsgroups, linear, one against all and error-correcting words
a9a      two classes, sparse: linear on all rows, rbf on a part (--rows)
letter   26 letters: linear, and rbf with width and lambda found on a part of the rows
mnist    ten digits: linear on all rows, rbf on a part (--rows)
usps4    the digit 4 against the others: areas and points of the ROC

The data are looked for in $SPECREG_DATA, else beside the repository; what is absent is skipped.
Every program gets the same numbers; linear fits of specreg have --features constant, as LIBLINEAR adds a
constant by itself.  Seconds are those of training: the whole command of specreg and
svm-train, with reading, and `fit` of scikit-learn.  LIBSVM is scikit-learn's SVC where svm-train is
not installed.  Parameters of peers are stated, not searched for; where there are several, each has a
line.
"""
import argparse
import gzip
import json
import os
import shutil
import subprocess
import tempfile
import time

import numpy as np

from linear import read_libsvm, save as save_sparse, tfidf

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.environ.get("SPECREG_DATA", os.path.join(HERE, "..", "shared", "data"))
FALSE_POSITIVE_RATES = (0.001, 0.002, 0.005, 0.01, 0.05)


class Absent(Exception):
    """Data that are not here."""


def data(name):
    path = os.path.join(DATA, name)
    if not os.path.exists(path):
        raise Absent(f"no {name} in {DATA} (set SPECREG_DATA)")
    return path


def read_csv(name):
    """Features and labels of a file whose first column is the label."""
    with gzip.open(data(name), "rt") as f:
        rows = np.loadtxt(f, delimiter=",", skiprows=1)
    return rows[:, 1:], rows[:, 0].astype(int)


def read_idx(name):
    with gzip.open(data(name), "rb") as f:
        content = f.read()
    shape = np.frombuffer(content, ">u4", content[3], 4)
    return np.frombuffer(content, np.uint8, offset=4 + 4 * len(shape)).reshape(shape)


class Problem:
    """Training and test data, in memory and as files that specreg and LIBSVM read."""

    def __init__(self, folder, train, test):
        self.folder = tempfile.mkdtemp(dir=folder)
        self.train, self.test = train, test
        for name, (X, y) in (("train", train), ("test", test)):
            path = self.path(name + ".npz")
            if hasattr(X, "indptr"):
                save_sparse(path, X.data, X.indices, X.indptr, X.shape[1], y)
            else:
                np.savez(path, X=X, y=y)

    def path(self, name):
        return os.path.join(self.folder, name)

    def libsvm_file(self, name):
        path = self.path(name + ".libsvm")
        if not os.path.exists(path):
            with open(path, "w") as f:
                for x, y in zip(*getattr(self, name)):
                    columns, values = ((x.indices, x.data) if hasattr(x, "indices")
                                       else (np.flatnonzero(x), x[x != 0]))
                    pairs = " ".join(f"{j + 1}:{v:.17g}" for j, v in zip(columns, values))
                    f.write(f"{y} {pairs}\n")
        return path


def head(title):
    print(f"\n{title}\n{'':46s} {'error, %':>9s} {'train, s':>9s}", flush=True)


def line(name, error, seconds, note=""):
    print(f"{name:46s} {100 * error:9.2f} {seconds:9.1f}  {note}", flush=True)


# ------------------------------------------------------------------ specreg


def fit(build, problem, *options):
    """The model's file, its record, and the seconds of the whole command."""
    model, record = problem.path("m.srm"), problem.path("fit.json")
    start = time.perf_counter()
    subprocess.run([os.path.join(build, "specreg"), "fit", problem.path("train.npz"), "-o", model,
                    "--json", record, "--quiet", "--problem", "classification", "--scale", "none",
                    *options], check=True)
    seconds = time.perf_counter() - start
    with open(record) as f:
        return model, json.load(f), seconds


def evaluate(build, problem, model, *options):
    out = subprocess.run([os.path.join(build, "specreg"), "eval", model, problem.path("test.npz"),
                          "--json", "-", "--quiet", *options], check=True, capture_output=True,
                         text=True).stdout
    return json.loads(out)["test"]


def chosen(record):
    """What the search took, in words; its value where there was one."""
    sigma = record["kernel"].get("sigma")
    value, rule = record["selection"].get("value"), record["selection"]["method"]
    return ", ".join(
        ([f"sigma={sigma:.3g}"] if sigma else []) + [f"lambda={record['filter']['lambda']:.3g}"]
        + ([f"{rule} {100 * value:.2f} %"] if value is not None else [])
        + [record["engine"]])


def specreg(build, problem, name, *options, show=line):
    model, record, seconds = fit(build, problem, *options)
    show("specreg " + name, evaluate(build, problem, model)["error_rate"], seconds, chosen(record))
    return record


def tuned(build, problem, rows, sigmas):
    """Options with the width and lambda that leave-one-out takes on the first rows, which are printed."""
    X, y = problem.train
    part = Problem(problem.folder, (X[:rows], y[:rows]), problem.test)
    record = specreg(build, part, f"rbf, {rows} rows", "--kernel", f"rbf:sigma={sigmas}", "--select", "loo")
    sigma, lam = record["kernel"]["sigma"], record["filter"]["lambda"]
    return sigma, ("--kernel", f"rbf:sigma={sigma!r}", "--param", f"lambda={lam!r}", "--select", "none")


# ------------------------------------------------------------------ peers


def scikit(problem, name, machine, show=line):
    """Trains, prints a line, and gives the machine back."""
    start = time.perf_counter()
    machine.fit(*problem.train)
    seconds = time.perf_counter() - start
    X, y = problem.test
    show(name, np.mean(machine.predict(X) != y), seconds)
    return machine


def liblinear(problem, show=line, **options):
    try:
        from sklearn.svm import LinearSVC
    except ImportError:
        print("scikit-learn is not installed: no LinearSVC")
        return
    given = "".join(f", {k}={v:g}" for k, v in options.items() if k == "C")
    scikit(problem, "LinearSVC (LIBLINEAR)" + given, LinearSVC(**options), show)


def libsvm_scores(path, X, gamma):
    """Decision values of a two-class model file of svm-train, positive for the label 1."""
    with open(path) as f:
        header, body = f.read().split("\nSV\n", 1)
    facts = dict(entry.split(" ", 1) for entry in header.splitlines())
    lines = body.splitlines()
    vectors, weights = np.zeros((len(lines), X.shape[1])), np.empty(len(lines))
    for i, entry in enumerate(lines):
        weight, *pairs = entry.split()
        weights[i] = float(weight)
        for pair in pairs:
            j, v = pair.split(":")
            vectors[i, int(j) - 1] = float(v)
    squares = (X * X).sum(1)[:, None] + (vectors * vectors).sum(1) - 2 * X @ vectors.T
    scores = np.exp(-gamma * squares) @ weights - float(facts["rho"])
    return scores if facts["label"].split()[0] == "1" else -scores


def libsvm(problem, sigma, C, scores=False):
    """A line for the rbf machine; where scores are wanted, its decision values on the test rows."""
    gamma, name = 1 / (2 * sigma * sigma), f"LIBSVM rbf, sigma={sigma:.3g}, C={C:g}"
    if not shutil.which("svm-train"):
        try:
            from sklearn.svm import SVC
        except ImportError:
            print("neither svm-train nor scikit-learn is installed: no LIBSVM")
            return None
        machine = scikit(problem, name, SVC(C=C, gamma=gamma, cache_size=500))
        return machine.decision_function(problem.test[0]) if scores else None
    train, test = problem.libsvm_file("train"), problem.libsvm_file("test")
    model, out = problem.path("libsvm.model"), problem.path("libsvm.out")
    start = time.perf_counter()
    subprocess.run(["svm-train", "-q", "-m", "500", "-g", repr(gamma), "-c", repr(C), train, model],
                   check=True)
    seconds = time.perf_counter() - start
    subprocess.run(["svm-predict", test, model, out], check=True, stdout=subprocess.DEVNULL)
    line(name, np.mean(np.loadtxt(out) != problem.test[1].astype(float)), seconds)
    return libsvm_scores(model, problem.test[0], gamma) if scores else None


# ------------------------------------------------------------------ experiments

LINEAR = ("--kernel", "linear", "--features", "constant")


def usps(args, folder):
    problem = Problem(folder, read_csv("usps/train.csv.gz"), read_csv("usps/test.csv.gz"))
    head("usps, ten classes, 7,291 rows; test 2,007")
    specreg(args.build, problem, "rbf, 7 widths by race", "--kernel", "rbf:sigma={4,5,6,7.8,10,13,16}",
            "--select", "loo", "--search", "race")
    specreg(args.build, problem, "rbf, one width", "--kernel", "rbf:sigma=7.8", "--select", "loo")
    for C in (1.0, 10.0, 100.0):
        libsvm(problem, 7.8, C)


def news(args, folder):
    from sklearn.linear_model import RidgeClassifier

    A, y = read_libsvm(data("20news/train.libsvm.gz"))
    B, z = read_libsvm(data("20news/test.libsvm.gz"), A.shape[1])
    tfidf(A, B)
    problem = Problem(folder, (A, y), (B, z))
    n = A.shape[0]
    head(f"20 Newsgroups, tf-idf, linear, n lambda = 1, {n} x {A.shape[1]}; test {B.shape[0]}")
    fixed = ("--kernel", "linear", "--param", f"lambda={1 / n!r}", "--select", "none")
    best = {}  # the least seconds of each: they take turns, and the machine may be busy now and then

    def keep(name, error, seconds, note=""):
        if name not in best or seconds < best[name][1]:
            best[name] = error, seconds, note
    for _ in range(3):
        specreg(args.build, problem, "ova", *fixed, show=keep)
        specreg(args.build, problem, "bch:63", *fixed, "--coding", "bch:63", show=keep)
        scikit(problem, "RidgeClassifier sparse_cg, alpha=1",
               RidgeClassifier(alpha=1, solver="sparse_cg", fit_intercept=False), keep)
        liblinear(problem, keep, C=1)
    for name, result in best.items():
        line(name, *result)


def a9a(args, folder):
    A, y = read_libsvm(data("libsvm/a9a.gz"))
    B, z = read_libsvm(data("libsvm/a9a.t.gz"), A.shape[1])
    problem = Problem(folder, (A, y.astype(int)), (B, z.astype(int)))
    head(f"a9a, linear, {A.shape[0]} x {A.shape[1]}; test {B.shape[0]}")
    specreg(args.build, problem, "linear with a constant", *LINEAR)
    liblinear(problem, C=1, dual=False)
    rows = args.rows or 10000
    X, y = problem.train
    part = Problem(folder, (X[:rows], y[:rows]), problem.test)
    head(f"a9a, rbf, the first {rows} rows; test {B.shape[0]}")
    specreg(args.build, part, "rbf, one width", "--kernel", "rbf:sigma=8")
    for C in (1.0, 32.0):
        libsvm(part, 8.0, C)


def letter(args, folder):
    X, y = read_csv("libsvm/letter.csv.gz")
    train = slice(0, 16000)
    X = (X - X[train].mean(0)) / X[train].std(0)
    problem = Problem(folder, (X[train], y[train]), (X[16000:], y[16000:]))
    head("letter, 26 classes, standardized by the training rows, 16,000 x 16; test 4,000")
    specreg(args.build, problem, "linear with a constant", *LINEAR)
    liblinear(problem, C=1, dual=False)
    sigma, fixed = tuned(args.build, problem, 4000, "{1,1.4,2,2.8,4,5.6}")
    specreg(args.build, problem, "rbf, those values, all rows", *fixed)
    for C in (10.0, 100.0):
        libsvm(problem, sigma, C)


def mnist(args, folder):
    train, test = ((read_idx(f"mnist/{n}-images-idx3-ubyte.gz").reshape(-1, 784) / 255.0,
                    read_idx(f"mnist/{n}-labels-idx1-ubyte.gz").astype(int)) for n in ("train", "t10k"))
    problem = Problem(folder, train, test)
    head("MNIST, ten classes, pixels / 255, 60,000 x 784; test 10,000")
    specreg(args.build, problem, "linear with a constant", *LINEAR)
    rows = args.rows or 10000
    part = Problem(folder, (train[0][:rows], train[1][:rows]), test)
    head(f"MNIST, the first {rows} rows; test 10,000")
    specreg(args.build, part, "linear with a constant", *LINEAR)
    liblinear(part, C=0.01, dual=False)
    sigma, fixed = tuned(args.build, part, 2500, "{3,4,5,6,8,11}")
    specreg(args.build, part, "rbf, those values", *fixed)
    libsvm(part, sigma, 10.0)


def roc(scores, positive):
    """False and true positive rates at every threshold."""
    order = np.argsort(-scores, kind="stable")
    last = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    tpr = np.append(0, np.cumsum(positive[order])[last] / positive.sum())
    fpr = np.append(0, np.cumsum(~positive[order])[last] / (~positive).sum())
    return fpr, tpr


def print_roc(name, fpr, tpr):
    at = " ".join(f"{100 * tpr[fpr <= rate].max():8.1f}" for rate in FALSE_POSITIVE_RATES)
    print(f"{name:30s} {np.trapz(tpr, fpr):9.6f} {at}", flush=True)


def usps4(args, folder):
    four = [(X, np.where(y == 4, 1, -1)) for X, y in map(read_csv, ("usps/train.csv.gz", "usps/test.csv.gz"))]
    problem = Problem(folder, *four)
    head("usps, 4 against the others, sigma = 5")
    model, record, seconds = fit(args.build, problem, "--kernel", "rbf:sigma=5", "--select", "loo")
    table = problem.path("roc.csv")
    result = evaluate(args.build, problem, model, "--roc", table)
    line("specreg rbf", result["error_rate"], seconds, chosen(record))
    curve = np.genfromtxt(table, delimiter=",", names=True)
    curves = [("specreg, --select loo", curve["fpr"], curve["tpr"])]
    for C in (1.0, 10.0, 100.0):
        scores = libsvm(problem, 5.0, C, scores=True)
        if scores is not None:
            curves.append((f"LIBSVM, C={C:g}", *roc(scores, problem.test[1] == 1)))
    print(f"\n{'true positives, % at':30s} {'area':>9s} "
          + " ".join(f"{100 * r:6.1f} %" for r in FALSE_POSITIVE_RATES))
    for curve in curves:
        print_roc(*curve)


EXPERIMENTS = {f.__name__: f for f in (usps, news, a9a, letter, mnist, usps4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("experiments", nargs="+", choices=EXPERIMENTS, metavar="EXPERIMENT")
    parser.add_argument("--rows", type=int, help="of rbf on a9a and MNIST; default 10,000")
    args = parser.parse_args()
    for name in args.experiments:
        with tempfile.TemporaryDirectory() as folder:
            try:
                EXPERIMENTS[name](args, folder)
            except (Absent, ImportError) as reason:
                print(f"\n{name}: skipped: {reason}", flush=True)


if __name__ == "__main__":
    main()
