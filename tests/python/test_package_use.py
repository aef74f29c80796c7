"""The estimators: layouts and types of arrays, weights, groups, splits, attributes, pickles, files,
threads, and scikit-learn's tools around them."""
import copy
import json
import os
import pickle
import subprocess
import threading

import numpy as np
import package
import specreg
from specreg import SpectralClassifier, SpectralRegressor

rng = np.random.default_rng(3)
N, P = 80, 3
X, Z = rng.normal(size=(N, P)), rng.normal(size=(20, P))
y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.05 * rng.normal(size=N)
Y2 = np.column_stack([y, np.cos(X[:, 2])])
labels = np.where(y > 0.3, "high", np.where(y < -0.3, "low", "middle"))
FIXED = dict(kernel="rbf:sigma=1.5", param=1e-3, select="none", scale="none", features="none")
QUICK = dict(kernel="rbf", param="lambda=log:1e-6:1:7")


def gram(A, B, sigma=1.5):
    return np.exp(-((A[:, None] - B[None]) ** 2).sum(-1) / (2 * sigma**2))


def ridge(weights=None, targets=y, rows=X):
    """Predictions at Z by the formula: weights w, (K + n lambda W^-1 mean(w)) alpha = y."""
    w = np.ones(len(rows)) if weights is None else weights
    A = gram(rows, rows) + 1e-3 * np.diag(w.sum() / w)
    return gram(Z, rows) @ np.linalg.solve(A, targets)


def near(a, b, tolerance=1e-9):
    assert np.shape(a) == np.shape(b), (np.shape(a), np.shape(b))
    assert np.abs(np.asarray(a) - b).max() <= tolerance * np.abs(b).max(), np.abs(a - b).max()


def test_layouts_give_the_same_model():
    import scipy.sparse as sp

    expected = ridge()
    wide = np.zeros((2 * N, 2 * P))
    wide[::2, ::2] = X
    unaligned = np.zeros(8 * X.size + 1, np.uint8)[1:].view(np.float64).reshape(X.shape)
    unaligned[:] = X
    layouts = [X, np.asfortranarray(X), wide[::2, ::2], X[::-1][::-1], unaligned, X.astype(">f8"),
               X.tolist(), sp.csr_matrix(X), sp.csc_matrix(X), sp.coo_matrix(X)]
    for layout in layouts:
        model = SpectralRegressor(**FIXED).fit(layout, y)
        near(model.predict(Z), expected)
    model = SpectralRegressor(**FIXED).fit(X, y)
    for layout in (np.asfortranarray(Z), sp.csc_matrix(Z), Z[::-1].copy()[::-1]):
        near(model.predict(layout), expected)


def test_filters_and_their_curves():
    table = specreg.filters()
    rows = {row.name: row for row in table.itertuples(index=False)}
    assert rows["tikhonov"].g == "1/(s+lambda)" and rows["iterated"].qualification == "q", table
    assert {"landweber", "nu", "nesterov", "heavyball", "chebyshev", "tsvd", "showalter", "cg"} <= set(rows)
    curve = specreg.filter_curve("iterated:order=2", [0.5, 0.1], s="{0.2,1}", nu=2)
    lam, s = curve["lambda"].to_numpy(), curve["s"].to_numpy()
    r = (lam / (s + lam)) ** 2
    near(curve["r"].to_numpy(), r)
    near(curve["g"].to_numpy(), (1 - r) / s)
    near(curve["residual"].to_numpy(), s**2 * r)
    assert len(specreg.filter_curve()) == 51 * 101
    package.raises(ValueError, "filter", specreg.filter_curve, "nothing")
    package.raises(ValueError, "lambda", specreg.filter_curve, "tikhonov", -1.0)


def test_float32_is_taken_as_it_is():
    X32, Z32 = X.astype(np.float32), Z.astype(np.float32)
    for order in "CF":
        model = SpectralRegressor(**FIXED).fit(np.asarray(X32, order=order), y)
        K = gram(X32.astype(float), X32.astype(float)) + N * 1e-3 * np.eye(N)
        expected = gram(Z32.astype(float), X32.astype(float)) @ np.linalg.solve(K, y)
        near(model.predict(np.asarray(Z32, order=order)), expected)


def test_sparse_matrices_with_repeated_and_unsorted_entries():
    import scipy.sparse as sp

    rows, cols = np.indices(X.shape)
    twice = sp.coo_matrix((np.tile(X.ravel() / 2, 2), (np.tile(rows.ravel(), 2),
                                                       np.tile(cols.ravel()[::1], 2))))
    unsorted = sp.csr_matrix((X[:, ::-1].ravel(), np.tile(np.arange(P)[::-1], N),
                              np.arange(0, N * P + 1, P)), shape=X.shape)
    before = unsorted.indices.copy()
    for layout in (twice, unsorted):
        near(SpectralRegressor(**FIXED).fit(layout, y).predict(Z), ridge())
    assert (unsorted.indices == before).all(), "the matrix of the caller was changed"


def test_weights_and_several_targets():
    w = rng.uniform(0.5, 2, N)
    near(SpectralRegressor(**FIXED).fit(X, y, sample_weight=w).predict(Z), ridge(w))
    near(SpectralRegressor(**FIXED).fit(X, Y2).predict(Z), ridge(targets=Y2))
    model = SpectralRegressor(**FIXED).fit(X, y[:, None])
    near(model.predict(Z), ridge()[:, None])


def test_attributes():
    model = SpectralRegressor(**FIXED).fit(X, y)
    near(gram(Z, model.X_fit_) @ model.dual_coef_, model.predict(Z))
    assert model.lambda_ == 1e-3 and model.sigma_ == 1.5 and model.cv_error_ is None
    assert model.kernel_params_ == {"name": "rbf", "sigma": 1.5} and model.n_features_in_ == P
    assert not model.X_fit_.flags.writeable
    centres = SpectralRegressor(**FIXED).fit(X, y).X_fit_  # outlives its estimator
    assert (centres == X).all()
    chosen = SpectralRegressor(**QUICK).fit(X, y)
    best = chosen.path_.sort_values("value").iloc[0]
    assert best["value"] == chosen.cv_error_ and best["lambda"] == chosen.lambda_
    assert SpectralRegressor(kernel="rbf", filter="landweber", param={"t": [5, 9]}).fit(
        X, y).n_iter_ in (5, 9)


def test_interval_and_probabilities():
    model = SpectralRegressor(**QUICK).fit(X, y)
    lower, upper = model.predict_interval(X, level=0.8)
    assert lower.shape == (N,) and 0.7 <= np.mean((lower <= y) & (y <= upper)) <= 1
    wide = model.predict_interval(X, level=0.95)
    assert (wide[1] - wide[0]).mean() > (upper - lower).mean()
    classes = SpectralClassifier(**QUICK).fit(X, labels)
    proba = classes.predict_proba(Z)
    assert classes.classes_.tolist() == ["high", "low", "middle"] and proba.shape == (20, 3)
    assert (classes.classes_[proba.argmax(1)] == classes.predict(Z)).all()
    assert (classes.decision_function(Z).argmax(1) == proba.argmax(1)).all()
    error = np.mean(classes.predict(X) != labels)
    assert abs(classes.score(X, labels) - (1 - error)) < 1e-15
    assert np.allclose(np.exp(classes.predict_log_proba(Z)), proba)


def test_classes_of_any_kind():
    for values in ([10, 9], [-1, 1], [True, False], ["1", "01"], ["a,b", "c=d"], ["x", ""],
                   ["e\u0301", "\u00e9"], ["a\0b", "a"]):
        target = np.array(values)[(y > 0).astype(int)]
        model = SpectralClassifier(**QUICK).fit(X, target)
        assert (model.classes_ == np.unique(target)).all()
        assert model.score(X, target) > 0.9, values
        assert ((model.decision_function(X) > 0) == (model.predict(X) == model.classes_[1])).all()


def test_class_weights_are_row_weights():
    weight = {"high": 3.0, "low": 1.0, "middle": 0.5}
    rows = np.array([weight[v] for v in labels])
    a = SpectralClassifier(**FIXED, class_weight=weight).fit(X, labels)
    b = SpectralClassifier(**FIXED).fit(X, labels, sample_weight=rows)
    near(a.decision_function(Z), b.decision_function(Z), 1e-12)
    count = {v: np.sum(labels == v) for v in weight}
    c = SpectralClassifier(**FIXED, class_weight="balanced").fit(X, labels)
    d = SpectralClassifier(**FIXED).fit(X, labels, sample_weight=[1 / count[v] for v in labels])
    near(c.decision_function(Z), d.decision_function(Z), 1e-9)


def test_splits_of_scikit_learn():
    """The criterion is the mean of the folds' errors, each fold predicted by a refit."""
    from sklearn.model_selection import GroupKFold, KFold

    groups = np.arange(N) // 8
    for splitter, g in ((KFold(4, shuffle=True, random_state=1), None), (GroupKFold(5), groups)):
        fit = dict(FIXED, param=[1e-3, 1e-2], select=splitter)
        model = SpectralRegressor(**fit).fit(X, y, groups=g)
        errors = []
        for train, test in splitter.split(X, y, g):
            K = gram(X[train], X[train]) + len(train) * model.lambda_ * np.eye(len(train))
            f = gram(X[test], X[train]) @ np.linalg.solve(K, y[train])
            errors.append(np.mean((f - y[test]) ** 2))
        assert abs(model.cv_error_ - np.mean(errors)) < 1e-9 * np.mean(errors)
    by_group = SpectralRegressor(**dict(QUICK, select=4)).fit(X, y, groups=groups)
    assert by_group.record_["data"]["groups"] == 10 and by_group.record_["selection"]["k"] == 4


def test_pickles_copies_and_files():
    import joblib

    model = SpectralClassifier(**QUICK).fit(X, labels)
    joblib.dump(model, "model.joblib")
    model.save("model.srm")
    specreg.save(model, "again.srm")
    assert open("model.srm", "rb").read() == open("again.srm", "rb").read()
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model), specreg.load("model.srm"),
                  joblib.load("model.joblib")):
        assert (other.predict(Z) == model.predict(Z)).all()
        assert (other.predict_proba(Z) == model.predict_proba(Z)).all()
    np.savetxt("new.csv", Z, delimiter=",", header="x1,x2,x3", comments="")
    told = subprocess.run([os.environ["SPECREG"], "predict", "model.srm", "new.csv"], check=True,
                          capture_output=True, text=True).stdout.split()[1:]
    assert [line.split(",")[0] for line in told] == model.predict(Z).tolist()
    assert model.predict("new.csv").tolist() == model.predict(Z).tolist()
    numbers = SpectralClassifier(**QUICK).fit(X, y > 0)
    numbers.save("bool.srm")
    assert specreg.load("bool.srm").classes_.tolist() == ["False", "True"]


def test_files_are_read_by_the_library():
    np.savetxt("train.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    np.savetxt("new.csv", Z, delimiter=",", header="a,b,c", comments="")
    model = SpectralRegressor(**FIXED).fit("train.csv")
    near(model.predict("new.csv"), ridge(), 1e-9)
    near(model.predict(Z), ridge(), 1e-9)
    with open("classes.csv", "w") as f:
        f.write("a,b,c,kind\n" + "".join(",".join([*map(repr, row.tolist()), v]) + "\n"
                                         for row, v in zip(X, labels)))
    classes = SpectralClassifier(**QUICK).fit("classes.csv", "kind")
    arrays = SpectralClassifier(**QUICK).fit(X, labels)
    assert (classes.predict(["new.csv", "new.csv"]) == np.tile(arrays.predict(Z), 2)).all()
    # intervals, probabilities and scores of files; folds by their number, weights of classes
    near(classes.predict_proba("new.csv"), arrays.predict_proba(Z))
    near(classes.decision_function(["new.csv", "new.csv"])[20:], arrays.decision_function(Z))
    chosen = dict(QUICK, select=4)
    told, want = SpectralRegressor(**chosen).fit("train.csv"), SpectralRegressor(**chosen).fit(X, y)
    assert abs(told.cv_error_ - want.cv_error_) < 1e-9 * want.cv_error_
    for ours, theirs in zip(told.predict_interval("new.csv", 0.8), want.predict_interval(Z, 0.8)):
        near(ours, theirs)
    weight = {"high": 3.0, "low": 1.0}
    near(SpectralClassifier(**FIXED, class_weight=weight).fit("classes.csv", "kind").decision_function("new.csv"),
         SpectralClassifier(**FIXED, class_weight=weight).fit(X, labels).decision_function(Z))


def test_columns_of_files_and_model_files_have_names():
    import pandas as pd

    when = pd.date_range("2020-01-01", periods=N)
    frame = pd.DataFrame({"size": X[:, 0], "when": when, "colour": np.where(X[:, 1] > 0, "red", "blue")})
    frame.assign(y=y).to_csv("named.csv", index=False)
    fitted = SpectralRegressor(**QUICK).fit("named.csv", "y")
    fitted.save("named.srm")
    for model in (fitted, specreg.load("named.srm")):
        assert model.feature_names_in_.tolist() == ["size", "when", "colour"] and model.n_features_in_ == 3
        near(model.predict(frame), fitted.predict("named.csv"))
        package.raises(ValueError, "feature names", model.predict, frame[["when", "size", "colour"]])
    assert not hasattr(fitted.fit(X, y), "feature_names_in_")
    fitted.save("named.srm")
    assert not hasattr(specreg.load("named.srm"), "feature_names_in_")
    assert repr(fitted.model_).startswith("<specreg.Model: regression, kernel rbf")


def test_names_of_columns():
    import pandas as pd

    frame = pd.DataFrame(X, columns=["age", "size", "y"])
    model = SpectralRegressor(**FIXED).fit(frame, pd.Series(y))
    assert model.feature_names_in_.tolist() == ["age", "size", "y"]
    near(model.predict(pd.DataFrame(Z, columns=frame.columns)), ridge())
    frame.columns = ["age", "size", "z"]
    SpectralRegressor(**FIXED).fit(frame, y).save("named.srm")
    header = open("named.srm", "rb").read().split(b"}}")[0]
    assert b"age" in header
    package.raises(ValueError, "feature names", SpectralRegressor(**FIXED).fit(frame, y).predict,
                   pd.DataFrame(Z, columns=["age", "size", "other"]))


def test_columns_of_texts():
    """A DataFrame with texts, categories, dates and gaps is the same as columns of 0 and 1, and as the file of it."""
    import pandas as pd
    from sklearn.model_selection import KFold, cross_val_score

    colour = rng.choice(["red", "green", "blue"], N)
    kind = rng.choice([1, 2], N)
    frame = pd.DataFrame({"size": X[:, 0], "colour": colour, "kind": pd.Categorical(kind), "age": rng.integers(1, 9, N)})
    hot = np.column_stack([X[:, 0], *(colour == c for c in ("blue", "green", "red")), kind == 1, kind == 2, frame["age"]])
    target = y + (colour == "red") + 0.3 * kind
    model, arrays = (SpectralRegressor(**QUICK, scale="none").fit(rows, target) for rows in (frame, hot.astype(float)))
    near(model.predict(frame), arrays.predict(hot.astype(float)), 1e-12)
    assert model.feature_names_in_.tolist() == list(frame.columns) and model.n_features_in_ == 4
    near(model.predict_interval(frame[:9], 0.8)[1], arrays.predict_interval(hot[:9].astype(float), 0.8)[1], 1e-9)
    near(pickle.loads(pickle.dumps(model)).predict(frame[4:5]), model.predict(frame)[4:5], 1e-12)
    frame.assign(y=target).to_csv("mixed.csv", index=False)
    from_file = SpectralRegressor(**QUICK, scale="none", options={"categorical": "kind"}).fit("mixed.csv")
    near(from_file.predict("mixed.csv"), model.predict(frame), 1e-9)
    model.save("mixed.srm")
    near(specreg.load("mixed.srm").predict(frame), model.predict(frame), 1e-12)
    classes = SpectralClassifier(**QUICK).fit(frame[["size", "colour"]], np.where(colour == "red", "warm", "cold"))
    assert classes.score(frame[["size", "colour"]], np.where(colour == "red", "warm", "cold")) == 1
    proba = classes.predict_proba(frame[["size", "colour"]])
    assert (classes.classes_[proba.argmax(1)] == classes.predict(frame[["size", "colour"]])).all()
    assert ((classes.decision_function(frame[["size", "colour"]]) > 0) == (proba[:, 1] > 0.5)).all()
    assert SpectralClassifier(**QUICK).fit(frame[["colour"]], colour).score(frame[["colour"]], colour) == 1
    # weights, groups, splits, several targets, gaps, dates, new categories
    weighted = SpectralRegressor(**dict(QUICK, select=4)).fit(frame, target, np.full(N, 2.0), groups=np.arange(N) // 8)
    assert weighted.record_["data"]["groups"] == 10
    folds = SpectralRegressor(**dict(QUICK, select=KFold(3)), scale="none")
    near(cross_val_score(folds, frame, target, cv=3), cross_val_score(folds, hot.astype(float), target, cv=3))
    assert SpectralRegressor(**QUICK).fit(frame, np.column_stack([target, y])).predict(frame).shape == (N, 2)
    gaps = frame.assign(day=pd.date_range("2020-01-01", periods=N))
    gaps.loc[3, "colour"], gaps.loc[5, "size"], gaps.loc[6, "day"] = None, np.nan, pd.NaT
    assert np.isfinite(SpectralRegressor(**QUICK, missing="indicator").fit(gaps, target).predict(gaps)).all()
    assert np.isfinite(model.predict(frame.assign(colour="mauve"))).all()
    package.raises(ValueError, "NaN", SpectralRegressor(**QUICK).fit, gaps, target)
    package.raises(ValueError, "feature names", model.predict, frame[["size", "colour"]])
    package.raises(ValueError, "0 sample", model.predict, frame[:0])
    package.raises(ValueError, "inconsistent numbers", SpectralRegressor(**QUICK).fit, frame, target[1:])
    package.raises(ValueError, "requires y", SpectralRegressor(**QUICK).fit, frame)
    package.raises(ValueError, "columns of numbers", SpectralRegressor(**QUICK).fit, frame, target, unlabelled=frame)
    package.raises(ValueError, "infinity", model.predict, frame.assign(size=np.inf))
    months = gaps[["size"]].fillna(0).assign(month=gaps["day"].dt.to_period("M"))  # periods are their first days
    days = months.assign(month=months["month"].dt.to_timestamp())
    near(*(SpectralRegressor(**QUICK, missing="mean").fit(rows, target).predict(rows) for rows in (months, days)))


def test_tools_of_scikit_learn():
    from sklearn.calibration import CalibratedClassifierCV
    from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
    from sklearn.ensemble import VotingRegressor
    from sklearn.inspection import partial_dependence
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import GridSearchCV, cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    assert cross_val_score(make_pipeline(StandardScaler(), SpectralRegressor(**QUICK)), X, y,
                           cv=3).mean() > 0.8
    grid = GridSearchCV(SpectralRegressor(**FIXED), {"param": [1e-4, 1e-2],
                                                      "kernel": ["rbf:sigma=1", "rbf:sigma=2"]}, cv=3)
    assert grid.fit(X, y).best_estimator_.sigma_ in (1, 2)
    columns = ColumnTransformer([("scaled", StandardScaler(), [0, 1])], remainder="passthrough")
    assert make_pipeline(columns, SpectralRegressor(**QUICK)).fit(X, y).score(X, y) > 0.8
    calibrated = CalibratedClassifierCV(SpectralClassifier(**QUICK), cv=3).fit(X, y > 0)
    assert calibrated.predict_proba(Z).shape == (20, 2)
    assert VotingRegressor([("a", SpectralRegressor(**QUICK)), ("b", Ridge())]).fit(X, y).score(X, y) > 0.5
    assert TransformedTargetRegressor(SpectralRegressor(**QUICK)).fit(X, y).score(X, y) > 0.8
    assert partial_dependence(SpectralRegressor(**QUICK).fit(X, y), X, [0], kind="average")


def test_jobs():
    """n_jobs are threads, as scikit-learn counts them; processes of joblib fit as this one does."""
    from sklearn.model_selection import cross_val_score

    for jobs, threads in ((1, 1), (2, 2), (-1, int(os.environ.get("OMP_NUM_THREADS", 0)) or os.cpu_count()), (-os.cpu_count() - 5, 1)):
        assert SpectralRegressor(**FIXED, n_jobs=jobs).fit(X, y).record_["threads"] == threads, jobs
    near(cross_val_score(SpectralRegressor(**QUICK), X, y, cv=3, n_jobs=2), cross_val_score(SpectralRegressor(**QUICK), X, y, cv=3),
         1e-6)


def test_threads_wait_shortly():
    """GNU OpenMP, loaded with the library, is told how long threads spin, unless the user says it."""
    code = "import os, specreg; print('GOMP_SPINCOUNT' in os.environ)"
    for given, word in (({}, "'1000'"), ({"GOMP_SPINCOUNT": "77"}, "'77'"), ({"OMP_WAIT_POLICY": "passive"}, "'0'")):
        environment = {k: v for k, v in os.environ.items() if k not in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")}
        done = subprocess.run([os.sys.executable, "-c", code], check=True, capture_output=True, text=True, env={
            **environment, **given, "PYTHONPATH": package.where, "OMP_DISPLAY_ENV": "verbose"})
        said = [line for line in done.stderr.splitlines() if "GOMP_SPINCOUNT" in line]
        assert not said or word in said[0], said  # other OpenMPs say nothing
        assert done.stdout == f"{'GOMP_SPINCOUNT' in given}\n"


def test_two_threads_on_one_estimator():
    model = SpectralRegressor(**QUICK).fit(X, y)
    expected, wrong = model.predict(Z), []

    def work():
        for _ in range(5):
            model.fit(X, y)
            if np.abs(model.predict(Z) - expected).max() > 1e-6:
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not wrong


def test_other_threads_run_during_a_fit():
    counted, going = [0], [True]

    def count():
        while going[0]:
            counted[0] += 1

    thread = threading.Thread(target=count)
    big = rng.normal(size=(1500, 3))
    thread.start()
    base_call = specreg._base.lib.specreg_fit_data
    during = []

    def watched(*arguments):
        start = counted[0]
        status = base_call(*arguments)
        during.append(counted[0] - start)
        return status

    specreg._base.lib.specreg_fit_data = watched
    SpectralRegressor("rbf:sigma=1", param=1e-3, select="none").fit(big, big[:, 0])
    specreg._base.lib.specreg_fit_data = base_call
    going[0] = False
    thread.join()
    assert during[0] > 1000, during


def test_fork_after_use():
    import multiprocessing

    model = SpectralRegressor(**QUICK, n_jobs=2).fit(X, y)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        again = pool.apply_async(SpectralRegressor(**QUICK, n_jobs=2).fit, (X, y)).get(timeout=30)
    near(again.predict(Z), model.predict(Z), 1e-6)


def test_what_a_shell_lists():
    assert [name for name in dir(specreg) if name[0] != "_"] == sorted(specreg.__all__)
    model = SpectralRegressor(**FIXED).fit(X, y).model_
    near(model.scores(Z.tolist()), model.scores(Z), 0)  # lists are arrays
    package.raises(ValueError, "2D", model.scores, Z[0])


def test_the_import_is_quick():
    if package.sanitized:
        return
    code = ("import numpy, time, sys; t = time.perf_counter(); import specreg; "
            "print(time.perf_counter() - t, 'sklearn' in sys.modules)")
    told = [subprocess.run([os.sys.executable, "-c", code], check=True, capture_output=True, text=True,
                           env={**os.environ, "PYTHONPATH": package.where}).stdout.split()
            for _ in range(3)]
    assert min(float(seconds) for seconds, _ in told) < 0.15 and told[0][1] == "False", told


package.run(globals())
