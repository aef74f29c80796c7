#!/usr/bin/env python3
"""What a user would pick instead: specreg's default fit, and the same with other filters, beside scikit-learn: gradient
boosting (HistGradientBoosting) and random forest with their defaults, support vectors with a grid of 6 C (SVR: 4) x
6 gamma in five folds, nearest neighbours (1 to 31, five folds) and a linear model (RidgeCV, RidgeClassifierCV).

    tools/python3 experiments/tables.py run [--splits 10] [--methods M,...] [--limit S] RESULTS BUILD DATA [SET ...]
    tools/python3 experiments/tables.py table RESULTS [--picture FILE.svg]

`run` appends a line of JSON to RESULTS for each set, split and method, and leaves out those that are there: it can be
stopped and started again. The first split of all sets comes first, small sets before large ones. DATA is the folder of
data sets. Sets of IDA have their own splits, the others random ones with 80 % of the rows for training: ten, or three
where there are more than 5,000 rows. Inputs are standardised for scikit-learn, too. With more than 5,000 training rows
the grid of support vectors has 12 points (3 C x 4 gamma) in three folds of all rows; where that is not finished after
--limit processor seconds (default 300), it looks at 2,000 rows, the best of it is trained on all rows, and `grid` in the
line says so. A fit of specreg that takes more than --most seconds (default 1,200) is left, and its error is null.

`table` prints means, ranks, seconds, where the default fit is behind boosting and forest, and the critical difference
of mean ranks (Nemenyi, 5 %; Demsar 2006), as a picture where asked for."""
import argparse
import gzip
import json
import os
import signal
import subprocess
import tempfile
import time

import numpy as np

IDA = ("breast_cancer diabetis flare_solar german heart thyroid titanic banana ringnorm twonorm waveform image "
       "splice").split()
OTHERS = {  # folder, files, kind; smaller ones first
    "abalone": ("regression", ["abalone.csv.gz"], "numbers"),
    "cbcl": ("cbcl", ["train.csv.gz"], "classes"),
    "kin8nm": ("regression", ["kin8nm.csv.gz"], "numbers"),
    "usps": ("usps", ["train.csv.gz", "test.csv.gz"], "classes"),
    "california_housing": ("regression", ["california_housing.csv.gz"], "numbers"),
    "letter": ("libsvm", ["letter.csv.gz"], "classes"),
    "a9a": ("libsvm", ["a9a.gz"], "classes"),
}
FILTERS = {"specreg": [], "nu": ["--filter", "nu"], "landweber": ["--filter", "landweber"],
           "tsvd": ["--filter", "tsvd"], "iterated": ["--filter", "iterated"]}
METHODS = list(FILTERS) + ["boosting", "forest", "svm", "neighbours", "ridge"]
RIVALS = ["boosting", "forest"]
FULL_GRID, MOST_GRID = 5000, 2000


def read(path):
    """Inputs and targets; the target is the column y, else the last one."""
    if os.path.basename(path) == "a9a.gz":
        from sklearn.datasets import load_svmlight_file
        X, y = load_svmlight_file(path)
        return X.toarray(), y
    with gzip.open(path, "rt") as f:
        names = f.readline().strip().split(",")
        data = np.loadtxt(f, delimiter=",")
    target = names.index("y") if "y" in names else len(names) - 1
    return np.delete(data, target, axis=1), data[:, target]


def load(folder, name):
    place, files, kind = OTHERS.get(name) or ("ida", [name + ".csv.gz"], "classes")
    parts = [read(os.path.join(folder, place, f)) for f in files]
    return np.vstack([X for X, _ in parts]), np.concatenate([y for _, y in parts]), kind


def splits_of(folder, name, n, count):
    """The training rows of each split."""
    if name in OTHERS:
        count = min(count, 3 if n > FULL_GRID else 10)
        return [np.random.default_rng(1 + s).permutation(n)[: int(0.8 * n)] for s in range(count)]
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


def specreg(method, build, X, y, Z, w, kind, most):
    with tempfile.TemporaryDirectory() as folder:
        train, test, model = (os.path.join(folder, f) for f in ("train.csv", "test.csv", "m.srm"))
        write(train, X, y, kind)
        write(test, Z, w, kind)
        command = os.path.join(build, "specreg")
        before = os.times()
        start = time.perf_counter()
        try:
            subprocess.run([command, "fit", train, "-q", "-o", model, "--calibrate", "no", "--threads", "1",
                            *FILTERS[method]], check=True, timeout=most)
        except subprocess.TimeoutExpired:
            return None, most, most, "not finished"
        seconds = time.perf_counter() - start
        after = os.times()
        record = subprocess.run([command, "eval", model, test, "--json", "-"], check=True, capture_output=True)
        errors = json.loads(record.stdout)["test"]
        return errors["error_rate" if kind == "classes" else "rmse"], seconds, after[2] - before[2], "all rows"


def learner(method, kind, n):
    from sklearn.ensemble import (HistGradientBoostingClassifier, HistGradientBoostingRegressor,
                                  RandomForestClassifier, RandomForestRegressor)
    from sklearn.linear_model import RidgeClassifierCV, RidgeCV
    from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.svm import SVC, SVR
    classes = kind == "classes"
    if method == "boosting":
        return HistGradientBoostingClassifier() if classes else HistGradientBoostingRegressor()
    if method == "ridge":
        alphas = np.logspace(-6, 6, 25)
        return RidgeClassifierCV(alphas) if classes else RidgeCV(alphas)
    if method == "forest":
        return (RandomForestClassifier if classes else RandomForestRegressor)(random_state=0)
    if method == "neighbours":
        machine = KNeighborsClassifier() if classes else KNeighborsRegressor()
        return GridSearchCV(machine, {"n_neighbors": [1, 3, 5, 9, 15, 31]}, cv=5,
                            scoring=None if classes else "neg_mean_squared_error")
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


def cells(a):
    """Set, split and method of what is asked for: the first split of all sets first."""
    loaded = {name: load(a.data, name) for name in a.sets or IDA + list(OTHERS)}
    lines = {name: splits_of(a.data, name, len(X), a.splits) for name, (X, _, _) in loaded.items()}
    for s in range(a.splits):
        for name, (X, y, kind) in loaded.items():
            if s < len(lines[name]):
                rows = lines[name][s]
                rest = np.setdiff1d(np.arange(len(X)), rows)
                for method in a.methods.split(","):
                    yield name, s, method, (X[rows], y[rows], X[rest], y[rest], kind)


def run(a):
    done = set()
    if os.path.exists(a.results):
        done = {(r["set"], r["split"], r["method"]) for r in map(json.loads, open(a.results))}
    for name, s, method, part in cells(a):
        if (name, s, method) in done:
            continue
        result = (specreg(method, a.build, *part, a.most) if method in FILTERS else sklearn(method, *part, a.limit))
        line = {"set": name, "split": s, "method": method, "kind": part[4], "n": len(part[0]),
                "error": result[0], "seconds": result[1], "processor": result[2], "grid": result[3]}
        with open(a.results, "a") as f:
            f.write(json.dumps(line) + "\n")


# ------------------------------------------------------------------------------ the tables

def summary(rows):
    """Of each set its kind, size, splits, and means over the splits that all of its methods finished."""
    sets = {}
    for name in sorted({r["set"] for r in rows}, key=(IDA + list(OTHERS)).index):
        own = [r for r in rows if r["set"] == name]
        by = {m: {r["split"]: r for r in own if r["method"] == m and r["error"] is not None} for m in METHODS}
        by = {m: v for m, v in by.items() if v}
        both = sorted(set.intersection(*(set(v) for v in by.values())))
        if both and "specreg" in by:
            scale = 100 if own[0]["kind"] == "classes" else 1
            sets[name] = {
                "kind": own[0]["kind"], "n": own[0]["n"], "splits": both,
                "errors": {m: scale * np.array([v[s]["error"] for s in both]) for m, v in by.items()},
                "processor": {m: np.mean([v[s]["processor"] for s in both]) for m, v in by.items()},
                "grid": {v[s]["grid"] for s in both for v in [by.get("svm", {})] if s in v}}
    return sets


def ranks(errors, methods):
    """1 for the least error; equal ones share."""
    from scipy.stats import rankdata
    return dict(zip(methods, rankdata([round(float(errors[m].mean()), 9) for m in methods])))


def critical_difference(methods, sets):
    from scipy.stats import studentized_range
    k = len(methods)
    return studentized_range.ppf(0.95, k, np.inf) / 2 ** 0.5 * (k * (k + 1) / (6 * sets)) ** 0.5


def picture(path, mean, width, sets):
    """Mean ranks on a line; bars join methods that are not a critical difference apart."""
    order = sorted(mean, key=mean.get)
    low, high = 1, len(order)
    x = lambda r: 150 + 500 * (r - low) / (high - low)
    half = (len(order) + 1) // 2
    bars = []
    for i in range(len(order)):
        j = max(k for k in range(len(order)) if mean[order[k]] - mean[order[i]] <= width)
        if j > i and (not bars or j > bars[-1][1]):
            bars.append((i, j))
    top = 60 + 12 * len(bars)
    text = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 %d" font-family="sans-serif" font-size="13">'
            % (top + 22 * half + 20), '<rect width="100%" height="100%" fill="white"/>',
            '<text x="150" y="16">mean rank over %d sets; critical difference %.2f</text>' % (sets, width),
            '<path d="M%.1f 40H%.1f" stroke="black"/>' % (x(low), x(high))]
    for r in range(low, high + 1):
        text.append('<path d="M%.1f 36V40" stroke="black"/><text x="%.1f" y="32" text-anchor="middle">%d</text>'
                    % (x(r), x(r), r))
    for k, (i, j) in enumerate(bars):
        text.append('<path d="M%.1f %dH%.1f" stroke="black" stroke-width="4"/>'
                    % (x(mean[order[i]]) - 3, 52 + 12 * k, x(mean[order[j]]) + 3))
    for i, m in enumerate(order):
        left = i < half
        y = top + 22 * (i if left else len(order) - 1 - i)
        end = 140 if left else 660
        text.append('<path d="M%.1f 40V%dH%d" fill="none" stroke="gray"/><text x="%d" y="%d" text-anchor="%s">%s %.2f'
                    '</text>' % (x(mean[m]), y, end, end + (-4 if left else 4), y + 4, "end" if left else "start", m,
                                 mean[m]))
    with open(path, "w") as f:
        f.write("\n".join(text) + "\n</svg>\n")


def table(a):
    sets = summary(list(map(json.loads, open(a.results))))
    methods = [m for m in METHODS if any(m in s["errors"] for s in sets.values())]
    print("%-19s %6s %6s  %s" % ("error %, rmse", "rows", "splits", " ".join("%10s" % m for m in methods)))
    for name, s in sets.items():
        print("%-19s %6d %6d  %s" % (name, s["n"], len(s["splits"]), " ".join(
            "%10.4g" % s["errors"][m].mean() if m in s["errors"] else "%10s" % "-" for m in methods)))
    print("\nprocessor seconds")
    for name, s in sets.items():
        print("%-33s  %s%s" % (name, " ".join(
            "%10.3g" % s["processor"][m] if m in s["processor"] else "%10s" % "-" for m in methods),
            "" if s["grid"] <= {"all rows"} else "  grid of svm: " + ", ".join(sorted(s["grid"]))))
    whole = {name: s for name, s in sets.items() if all(m in s["errors"] for m in methods)}
    if whole and len(methods) > 1:
        of = {name: ranks(s["errors"], methods) for name, s in whole.items()}
        mean = {m: float(np.mean([r[m] for r in of.values()])) for m in methods}
        width = critical_difference(methods, len(whole))
        print("%-33s  %s" % ("\nmean rank, %d sets" % len(whole), " ".join("%10.2f" % mean[m] for m in methods)))
        print("critical difference of mean ranks (5 %%): %.2f" % width)
        if a.picture:
            picture(a.picture, mean, width, len(whole))
    print("\nspecreg behind the better of %s by more than a standard error:" % " and ".join(RIVALS))
    for name, s in sets.items():
        there = [m for m in RIVALS if m in s["errors"]]
        if there:
            rival = min(there, key=lambda m: s["errors"][m].mean())
            apart = s["errors"]["specreg"] - s["errors"][rival]
            error = apart.std(ddof=1) / len(apart) ** 0.5 if len(apart) > 1 else 0.0
            if apart.mean() > error:
                print("%-19s %s, %+.3g, standard error %.2g" % (name, rival, apart.mean(), error))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("run")
    one.add_argument("results")
    one.add_argument("build")
    one.add_argument("data")
    one.add_argument("--splits", type=int, default=10)
    one.add_argument("--methods", default=",".join(METHODS))
    one.add_argument("--limit", type=int, default=300)
    one.add_argument("--most", type=int, default=1200)
    one.add_argument("sets", nargs="*")
    one.set_defaults(call=run)
    two = commands.add_parser("table")
    two.add_argument("results")
    two.add_argument("--picture")
    two.set_defaults(call=table)
    arguments = parser.parse_args()
    arguments.call(arguments)


if __name__ == "__main__":
    main()
