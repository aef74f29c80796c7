#!/usr/bin/env python3
"""specreg's default fit beside scikit-learn: gradient boosting (HistGradientBoosting, defaults), support
vectors with a grid of 6 C (SVR: 4) x 6 gamma in five folds, and a linear model (RidgeCV, RidgeClassifierCV).

    tools/python3 bench/defaults.py run [--splits 5] [--methods M,...] [--limit S] RESULTS BUILD DATA [SET ...]
    tools/python3 bench/defaults.py table RESULTS

`run` appends a line of JSON to RESULTS for each set, split and method, and leaves out those that are there;
DATA is the folder of data sets.  Sets of IDA have their own splits, the others random ones with 80 % of the
rows for training (`splits` of the former, one of the latter).  Inputs are standardised for scikit-learn, too.
With more than 5,000 training rows the grid of support vectors has 12 points (3 C x 4 gamma) in three folds of all rows;
where that is not finished after --limit processor seconds (default 300), it looks at 2,000 rows, the best of it
is trained on all rows, and `grid` in the line says so.  `table` prints means, standard errors of the differences, and
seconds."""
import argparse
import gzip
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import numpy as np

IDA = "banana breast_cancer diabetis german heart image ringnorm thyroid twonorm waveform".split()
LARGE = {"abalone": ("regression", "numbers"), "kin8nm": ("regression", "numbers"),
         "california_housing": ("regression", "numbers"), "letter": ("libsvm", "classes")}
METHODS = ["specreg", "boosting", "svm", "ridge"]
FULL_GRID, MOST_GRID = 5000, 2000


def load(folder, name):
    if name in IDA:
        place, kind = "ida", "classes"
    else:
        place, kind = LARGE[name]
    path = os.path.join(folder, place, name + ".csv.gz")
    with gzip.open(path, "rt") as f:
        header = f.readline().strip()
        data = np.loadtxt(f, delimiter=",")
    target = header.split(",").index("y") if "y" in header.split(",") else data.shape[1] - 1
    X = np.delete(data, target, axis=1)
    return X, data[:, target], kind


def splits_of(folder, name, n, count):
    if name not in IDA:
        order = np.random.default_rng(1).permutation(n)
        return [order[: int(0.8 * n)]]
    for which in ("orig", "random"):
        path = os.path.join(folder, "ida", f"{name}.{which}-splits.gz")
        if os.path.exists(path):
            with gzip.open(path, "rt") as f:
                lines = [np.array(line.split(), int) for line in f]
            if len(lines) >= count:
                return lines[:count]
    return lines[:count]


def write(path, X, y, kind):
    with open(path, "w") as f:
        f.write(",".join(f"x{j + 1}" for j in range(X.shape[1])) + ",y\n")
        for row, target in zip(X, y):
            f.write(",".join(repr(float(v)) for v in row))
            f.write(",c%d\n" % target if kind == "classes" else ",%r\n" % float(target))


def specreg(build, X, y, Z, w, kind):
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, f) for f in ("train.csv", "test.csv", "m.srm"))
        write(train, X, y, kind)
        write(test, Z, w, kind)
        command = os.path.join(build, "specreg")
        before = os.times()
        start = time.perf_counter()
        subprocess.run([command, "fit", train, "-q", "-o", model, "--calibrate", "no"], check=True)
        seconds = time.perf_counter() - start
        after = os.times()
        record = subprocess.run([command, "eval", model, test, "--json", "-"], check=True, capture_output=True)
        errors = json.loads(record.stdout)["test"]
        return errors["error_rate" if kind == "classes" else "rmse"], seconds, after[2] - before[2], "all rows"


def learner(method, kind, n):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
    from sklearn.svm import SVC, SVR
    classes = kind == "classes"
    if method == "boosting":
        return HistGradientBoostingClassifier() if classes else HistGradientBoostingRegressor()
    if method == "ridge":
        alphas = np.logspace(-6, 6, 25)
        return RidgeClassifierCV(alphas) if classes else RidgeCV(alphas)
    small = {"C": [0.1, 1, 10, 100] + [1000, 10000] * classes, "gamma": list(np.logspace(-3, 0.5, 6))}
    large = {"C": [1, 10, 100], "gamma": [0.01, 0.05, 0.2, 0.8]}
    folds = (StratifiedKFold if classes else KFold)(5 if n <= FULL_GRID else 3, shuffle=True, random_state=0)
    score = None if classes else "neg_mean_squared_error"
    machine = SVC(max_iter=200000) if classes else SVR(epsilon=0.1, max_iter=200000)
    return GridSearchCV(machine.set_params(cache_size=1000), small if n <= FULL_GRID else large, cv=folds,
                        scoring=score, refit=False)


def late(*_):
    raise TimeoutError


def svm(X, y, kind, limit):
    """The fitted machine with the best of the grid, and what the grid saw: all rows or some."""
    from sklearn.base import clone
    rows = np.random.default_rng(2).permutation(len(X))
    signal.signal(signal.SIGPROF, late)
    for most in (len(X), MOST_GRID):
        try:
            signal.setitimer(signal.ITIMER_PROF, limit if most > MOST_GRID else 0)
            grid = learner("svm", kind, len(X))
            grid.error_score = "raise"
            search = grid.fit(X[rows[:most]], y[rows[:most]])
            signal.setitimer(signal.ITIMER_PROF, 0)
            model = clone(search.estimator).set_params(**search.best_params_)
            return model.fit(X, y), "all rows" if most == len(X) else "%d rows" % most
        except TimeoutError:
            continue


def sklearn(method, X, y, Z, w, kind, limit):
    import warnings
    from sklearn.preprocessing import StandardScaler
    warnings.simplefilter("ignore")
    before = os.times()
    start = time.perf_counter()
    scaler = StandardScaler().fit(X)
    X, Z = scaler.transform(X), scaler.transform(Z)
    low, size = (0.0, 1.0) if kind == "classes" else (y.mean(), y.std())
    target = y if kind == "classes" else (y - low) / size
    saw = "all rows"
    if method == "svm":
        model, saw = svm(X, target, kind, limit)
    else:
        model = learner(method, kind, len(X)).fit(X, target)
    seconds = time.perf_counter() - start
    after = os.times()
    f = model.predict(Z)
    error = np.mean(f != w) if kind == "classes" else np.sqrt(np.mean((low + size * f - w) ** 2))
    return float(error), seconds, after[0] - before[0], saw


def run(a):
    done = set()
    if os.path.exists(a.results):
        done = {(r["set"], r["split"], r["method"]) for r in map(json.loads, open(a.results))}
    for name in a.sets or IDA + list(LARGE):
        X, y, kind = load(a.data, name)
        for s, rows in enumerate(splits_of(a.data, name, len(X), a.splits)):
            rest = np.setdiff1d(np.arange(len(X)), rows)
            part = (X[rows], y[rows], X[rest], y[rest], kind)
            for method in a.methods.split(","):
                if (name, s, method) in done:
                    continue
                result = specreg(a.build, *part) if method == "specreg" else sklearn(method, *part, a.limit)
                line = {"set": name, "split": s, "method": method, "kind": kind, "n": len(rows),
                        "error": result[0], "seconds": result[1], "processor": result[2], "grid": result[3]}
                with open(a.results, "a") as f:
                    f.write(json.dumps(line) + "\n")


def table(a):
    rows = list(map(json.loads, open(a.results)))
    methods = METHODS
    print("%-19s %6s %6s  %s  %s" % ("set", "rows", "splits", "  ".join("%9s" % m for m in methods), "verdict"))
    good = count = 0
    for name in dict.fromkeys(r["set"] for r in rows):
        own = [r for r in rows if r["set"] == name]
        by = {m: {r["split"]: r for r in own if r["method"] == m} for m in methods}
        both = sorted(set.intersection(*(set(by[m]) for m in methods[:3])))
        if not both:
            continue
        scale = 100 if own[0]["kind"] == "classes" else 1
        mean = {m: scale * np.mean([by[m][s]["error"] for s in both if s in by[m]]) if by[m] else np.nan for m in methods}
        rival = min(methods[1:3], key=lambda m: mean[m])
        apart = scale * np.array([by["specreg"][s]["error"] - by[rival][s]["error"] for s in both])
        error = apart.std(ddof=1) / len(both) ** 0.5 if len(both) > 1 else 0.0
        fine = apart.mean() <= error
        good += fine
        count += 1
        verdict = "no worse than " if fine else "worse than "
        print("%-19s %6d %6d  %s  %s%s (%+.3g, se %.2g)" % (name, own[0]["n"], len(both), "  ".join(
            "%9.4g" % mean[m] for m in methods), verdict, rival, apart.mean(), error))
        print("%-19s %6s %6s  %s" % ("  seconds", "", "", "  ".join(
            "%9.3g" % np.mean([by[m][s]["seconds"] for s in both if s in by[m]]) if by[m] else " " * 9 for m in methods)))
        print("%-19s %6s %6s  %s" % ("  processor seconds", "", "", "  ".join(
            "%9.3g" % np.mean([by[m][s]["processor"] for s in both if s in by[m]]) if by[m] else " " * 9 for m in methods)))
    print("%d of %d no worse, within one standard error, than the better of boosting and svm" % (good, count))


parser = argparse.ArgumentParser()
commands = parser.add_subparsers(required=True)
one = commands.add_parser("run")
one.add_argument("results")
one.add_argument("build")
one.add_argument("data")
one.add_argument("--splits", type=int, default=5)
one.add_argument("--methods", default=",".join(METHODS))
one.add_argument("--limit", type=int, default=300)
one.add_argument("sets", nargs="*")
one.set_defaults(call=run)
two = commands.add_parser("table")
two.add_argument("results")
two.set_defaults(call=table)
arguments = parser.parse_args()
arguments.call(arguments)
