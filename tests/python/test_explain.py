"""Permutation importance and partial dependence: against predictions of tables that are changed by hand, and
against scikit-learn's functions of these names; of numbers, categories, dates, gaps and classes."""
import csv
import json
import os
import subprocess

import numpy as np
import package
import specreg
from sklearn.inspection import partial_dependence, permutation_importance
from specreg import SpectralClassifier, SpectralRegressor

SPECREG = os.environ["SPECREG"]
rng = np.random.default_rng(5)
X = rng.normal(size=(220, 3))
X[:, 2] = np.round(2 * X[:, 2]) / 2  # ties
f = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] ** 2
y = f + 0.1 * rng.normal(size=220)
kind = np.where(f > np.median(f), "up", "down")
TRAIN, TEST = slice(0, 140), slice(140, 220)
QUICK = dict(kernel="rbf", param="lambda=log:1e-6:1:7", random_state=1, n_jobs=1)


def command(*arguments):
    subprocess.run([SPECREG, *arguments, "-q"], check=True)


def write(name, columns):
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(columns)
        out.writerows(zip(*columns.values()))


def near(a, b, tolerance=1e-9):
    a, b = np.asarray(a, float), np.asarray(b, float)
    assert a.shape == b.shape, (a.shape, b.shape)
    assert np.abs(a - b).max() <= tolerance * max(1, np.abs(b).max()), np.abs(a - b).max()


def test_expected_error_over_all_permutations():
    """A row gets each value of the column with probability 1/n: the expected error is a mean over n^2 pairs."""
    model = SpectralRegressor(**QUICK).fit(X[TRAIN], y[TRAIN])
    A, b = X[TEST], y[TEST]
    told = specreg.importance(model, A, b, repeats=100)
    base = np.mean((model.predict(A) - b) ** 2)
    near(told["baseline"], base)
    for j, column in enumerate(told["columns"]):
        pairs = np.repeat(A, len(A), axis=0)
        pairs[:, j] = np.tile(A[:, j], len(A))
        expected = np.mean((model.predict(pairs) - np.repeat(b, len(A))) ** 2) - base
        spread = column["stddev"] / np.sqrt(100)
        assert abs(column["mean"] - expected) < 4 * spread + 1e-12, (column["name"], expected)
        near(column["mean"], np.mean(column["values"]))
        near(column["stddev"], np.std(column["values"], ddof=1))


def test_agrees_with_scikit_learn_in_the_mean():
    for estimator, target, criterion, scoring in (
            (SpectralRegressor(**QUICK), y, "mae", "neg_mean_absolute_error"),
            (SpectralRegressor(**QUICK), y, "r2", "r2"),
            (SpectralClassifier(**QUICK), kind, "accuracy", "accuracy"),
            (SpectralClassifier(**QUICK), kind, "log_loss", "neg_log_loss")):
        model = estimator.fit(X[TRAIN], target[TRAIN])
        told = specreg.importance(model, X[TEST], target[TEST], criterion=criterion, repeats=25)
        theirs = permutation_importance(model, X[TEST], target[TEST], scoring=scoring, n_repeats=25,
                                        random_state=0)
        for j, column in enumerate(told["columns"]):
            spread = np.hypot(column["stddev"], theirs.importances_std[j]) / np.sqrt(25)
            assert abs(column["mean"] - theirs.importances_mean[j]) < 4.5 * spread + 1e-9, (criterion, j)


def test_the_same_permutation_for_all_columns_and_seeds_that_repeat():
    """Two columns that are the same, in a model that adds them, matter the same in every repeat."""
    A = np.column_stack([X[:, 0], X[:, 0], X[:, 1]])
    model = SpectralRegressor("linear", param="lambda=0.01", select="none").fit(A[TRAIN], y[TRAIN])
    one, two, other = specreg.importance(model, A[TEST], y[TEST], repeats=5)["columns"]
    near(one["values"], two["values"], 1e-8)
    assert np.std(one["values"]) > 0 and one["values"] != other["values"]
    again = specreg.importance(model, A[TEST], y[TEST], repeats=3, columns=[0])["columns"]
    assert again[0]["values"] == one["values"][:3]
    different = specreg.importance(model, A[TEST], y[TEST], repeats=3, columns=["x1"], random_state=7)
    assert different["columns"][0]["values"] != one["values"][:3]


def test_partial_dependence_by_hand():
    """Mean, 10 % and 90 % over rows that all have the value; surfaces likewise."""
    model = SpectralRegressor(**QUICK).fit(X[TRAIN], y[TRAIN])
    A = X[TEST]
    for curve in specreg.partial(model, A, points=7)["curves"]:
        j = int(curve["name"][1:]) - 1
        present = np.sort(A[:, j])
        assert len(curve["grid"]) <= 7 and set(curve["grid"]) <= set(present)
        levels = present[np.round(np.linspace(0.05, 0.95, 7) * (len(A) - 1) - 1e-12).astype(int)]
        assert j == 2 or np.abs(np.subtract(curve["grid"], levels)).max() < 0.2
        for v, mean, low, high in zip(curve["grid"], curve["mean"], curve["low"], curve["high"]):
            same = A.copy()
            same[:, j] = v
            p = model.predict(same)
            near([mean[0], low[0], high[0]], [p.mean(), *np.percentile(p, [10, 90])])
    (s,) = specreg.partial(model, A, surface=[0, 2], points=4)["curves"]
    means = iter(s["mean"])
    for a in s["grid"]:
        for b in s["second"]["grid"]:
            same = A.copy()
            same[:, 0], same[:, 2] = a, b
            near(next(means)[0], model.predict(same).mean())
    assert next(means, None) is None


def test_partial_dependence_of_scikit_learn():
    """On columns of few values both take all of them; classes have probabilities."""
    A = X.copy()
    A[:, 0] = np.round(A[:, 0])
    for model in (SpectralRegressor(**QUICK).fit(A[TRAIN], y[TRAIN]),
                  SpectralClassifier(**QUICK).fit(A[TRAIN], kind[TRAIN])):
        told = specreg.partial(model, A[TEST], columns=[0], points=50)
        (curve,) = told["curves"]
        method = "auto" if told["what"] == "prediction" else "predict_proba"
        theirs = partial_dependence(model, A[TEST], [0], kind="average", method="brute",
                                    response_method=method, grid_resolution=50, percentiles=(0, 1))
        near(curve["grid"], theirs["values"][0])
        near(np.array(curve["mean"])[:, -1], theirs["average"][0], 1e-8)
        assert told["what"] == ("prediction" if method == "auto" else "probability")
        if method != "auto":
            near(np.sum(curve["mean"], axis=1), np.ones(len(curve["grid"])))


def mixed(n):
    """Numbers with gaps, categories, dates."""
    town = rng.choice(["Genoa", "Pisa", "Rome", "Bari"], n, p=[0.5, 0.3, 0.15, 0.05])
    day = rng.integers(0, 300, n)
    when = [str(np.datetime64("2024-01-01") + np.timedelta64(int(d), "D")) for d in day]
    size = np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n))
    price = np.nan_to_num(size) + (town == "Pisa") + day / 150 + 0.1 * rng.normal(size=n)
    return {"size": ["" if np.isnan(s) else repr(float(s)) for s in size], "town": list(town),
            "when": when, "price": [repr(float(p)) for p in price]}


def predicted(table):
    write("changed.csv", table)
    command("predict", "mixed.srm", "changed.csv", "-o", "changed.npy")
    return np.load("changed.npy").reshape(-1)


def test_categories_dates_and_gaps_as_wholes():
    table, new = mixed(160), mixed(70)
    write("train.csv", table)
    write("new.csv", new)
    command("fit", "train.csv", "--target", "price", "--missing", "indicator", "--kernel", "rbf", "-o", "mixed.srm")
    command("partial", "mixed.srm", "new.csv", "--points", "3", "--json", "p.json", "-o", "p.csv")
    curves = {c["name"]: c for c in json.load(open("p.json"))["curves"]}
    assert list(curves) == ["size", "town", "when"]
    count = {t: new["town"].count(t) for t in set(new["town"])}
    assert curves["town"]["kind"] == "category" and curves["when"]["kind"] == "category"
    assert curves["town"]["grid"] == sorted(sorted(count, key=count.get)[-3:])
    assert curves["when"]["grid"] == sorted(curves["when"]["grid"]) and len(curves["when"]["grid"]) == 3
    for name, curve in curves.items():
        for value, mean in zip(curve["grid"], curve["mean"]):
            p = predicted({**new, name: [value if isinstance(value, str) else repr(value)] * 70})
            near(mean[0], p.mean(), 1e-8)
    rows = list(csv.DictReader(open("p.csv")))
    assert list(rows[0]) == ["column", "value", "label", "price", "price:low", "price:high"]
    assert [r["label"] for r in rows if r["column"] == "town"] == curves["town"]["grid"]
    # Importance: the expected squared error over all pairs of rows.
    command("importance", "mixed.srm", "new.csv", "--repeats", "100", "--json", "i.json", "-o", "i.csv")
    told = json.load(open("i.json"))
    truth = np.array([float(p) for p in new["price"]])
    near(told["baseline"], np.mean((predicted(new) - truth) ** 2))
    for column in told["columns"]:
        pairs = {k: [v for v in values for _ in range(70)] for k, values in new.items()}
        pairs[column["name"]] = new[column["name"]] * 70
        expected = np.mean((predicted(pairs) - np.repeat(truth, 70)) ** 2) - told["baseline"]
        assert abs(column["mean"] - expected) < 4 * column["stddev"] / np.sqrt(100), column["name"]
    rows = list(csv.DictReader(open("i.csv")))
    assert [r["column"] for r in rows] == ["size", "town", "when"] and "repeat100" in rows[0]


def test_rows_with_gaps_are_dropped_before():
    """With --missing drop the permutation is of the rows that are left."""
    table, new = mixed(160), mixed(70)
    write("train.csv", table)
    write("new.csv", new)
    whole = [i for i in range(70) if new["size"][i]]
    write("whole.csv", {k: [v[i] for i in whole] for k, v in new.items()})
    command("fit", "train.csv", "--target", "price", "--missing", "drop", "--kernel", "rbf", "-o", "drop.srm")
    for name in ("new", "whole"):
        command("importance", "drop.srm", f"{name}.csv", "--json", f"{name}.json")
    a, b = (json.load(open(f"{name}.json")) for name in ("new", "whole"))
    assert a["data"]["n"] == len(whole) and a["columns"] == b["columns"]


def test_threads_memory_and_sparse_files_change_nothing():
    write("m.csv", {"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "y": y})
    command("fit", "m.csv", "--kernel", "rbf", "-o", "m.srm")
    told = []
    for more in ([], ["--threads", "1"], ["--memory", "4M"]):
        command("importance", "m.srm", "m.csv", "--json", "i.json", *more)
        command("partial", "m.srm", "m.csv", "--json", "p.json", *more)
        told.append((json.load(open("i.json"))["columns"],
                     [c["mean"] for c in json.load(open("p.json"))["curves"]]))
    for columns, means in told[1:]:
        for ours, first in zip(columns, told[0][0]):
            near(ours["values"], first["values"])
        for ours, first in zip(means, told[0][1]):
            near(ours, first)
    with open("m.svm", "w") as file:
        for row, value in zip(X, y):
            file.write(f"{value!r} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row.tolist())) + "\n")
    command("fit", "m.svm", "--kernel", "rbf", "--scale", "standard", "-o", "s.srm")
    command("importance", "s.srm", "m.svm", "--json", "s.json")
    for ours, first in zip(json.load(open("s.json"))["columns"], told[0][0]):
        near(ours["values"], first["values"], 1e-6)


def test_what_is_refused():
    model = SpectralRegressor(**QUICK).fit(X[TRAIN], y[TRAIN])
    package.raises(ValueError, "no column", specreg.importance, model, X[TEST], y[TEST], columns=["nope"])
    package.raises(ValueError, "not for regressions", specreg.importance, model, X[TEST], y[TEST], criterion="auc")
    package.raises(ValueError, "two columns", specreg.partial, model, X[TEST], surface=[0])
    package.raises(ValueError, "rows", specreg.importance, model, X[TEST], y[:3])
    package.raises(ValueError, "target", specreg.importance, model, X[TEST])
    package.raises(ValueError, "not fitted", specreg.partial, SpectralRegressor(), X)
    classes = SpectralClassifier(**QUICK).fit(X[TRAIN], kind[TRAIN])
    package.raises(ValueError, "did not have", specreg.importance, classes, X[TEST], np.full(80, "sideways"))


package.run(globals())
