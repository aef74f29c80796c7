"""Bad input to the Python package: scikit-learn's conventional exceptions with a text that helps, never a
crash of the interpreter.  Ctrl-C ends a fit."""
import os
import signal
import subprocess
import sys
import time

import numpy as np
import package
import specreg
from sklearn.exceptions import NotFittedError
from specreg import SpectralClassifier, SpectralRegressor

raises = package.raises
rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = X[:, 0] + 0.1 * rng.normal(size=40)
QUICK = dict(kernel="rbf", param="lambda=log:1e-6:1:7")
model = SpectralRegressor(**QUICK).fit(X, y)


def fit(X, y, **named):
    return SpectralRegressor(**QUICK).fit(X, y, **named)


def test_arrays():
    bad = X.copy()
    bad[3, 1] = np.nan
    raises(ValueError, "NaN", fit, bad, y)
    raises(ValueError, "NaN", model.predict, bad)
    raises(ValueError, "infinity", fit, np.where(np.isnan(bad), np.inf, bad), y)
    raises(ValueError, "could not convert string", fit, [["a", "b"]] * 40, y)
    raises((ValueError, TypeError), "", fit, np.full((40, 3), {"a": 1}, dtype=object), y)
    raises(ValueError, "0 sample", fit, np.empty((0, 3)), np.empty(0))
    raises(ValueError, "0 feature", fit, np.empty((40, 0)), y)
    raises(ValueError, "Complex", fit, X + 1j, y)
    raises(ValueError, "2D array", fit, X[:, 0], y)
    raises(ValueError, "dim 3", fit, X[None], y)
    raises(ValueError, "inconsistent numbers of samples", fit, X, y[:-1])
    raises(ValueError, "NaN", fit, X, np.where(y > 0, y, np.nan))
    raises(ValueError, "", fit, X, ["a"] * 40)
    raises(ValueError, "minimum of 2", fit, X[:1], y[:1])
    raises(ValueError, "constant", fit, X, np.ones(40))
    raises(ValueError, "requires y to be passed", fit, X, None)


def test_sparse_arrays():
    import scipy.sparse as sp

    bad = sp.random(40, 3, 0.5, format="csr", random_state=0)
    bad.data[0] = np.nan
    raises(ValueError, "NaN", fit, bad, y)
    raises(ValueError, "features", model.predict, sp.csr_matrix((5, 4)))
    # starts and indices that point outside: SciPy's own functions would read there
    for make in (sp.csr_matrix, sp.csc_matrix):
        for broken, at, value in (("indptr", 1, 9999), ("indptr", 0, 1), ("indptr", 2, 0), ("indices", 0, 99), ("indices", 0, -5)):
            matrix = make(X)
            getattr(matrix, broken)[at] = value
            for call in (lambda: fit(matrix, y), lambda: model.predict(matrix), lambda: specreg.path(SpectralRegressor(**QUICK), matrix, y)):
                raises(ValueError, "broken " + matrix.format, call)


def test_missing_values_have_a_remedy():
    """The text names the parameter, not other estimators."""
    import pandas as pd

    bad = np.where(X == X[3, 1], np.nan, X)
    frame = pd.DataFrame(bad).astype("Float64")
    for call in (lambda: fit(bad, y), lambda: fit(frame, y), lambda: model.predict(bad), lambda: specreg.path(model, bad, y),
                 lambda: specreg.SpectralTransformer().fit(bad)):
        raises(ValueError, "missing='mean'", call)
    specreg.SpectralTransformer(missing="mean", n_components=2).fit(bad).transform(bad)
    raises(ValueError, "Input y contains NaN", fit, X, np.where(y > 0, y, np.nan))
    gaps = pd.array([1, None] * 20, dtype="Int64")
    for rows in (X, frame.fillna(0).add_prefix("x").assign(text="a")):
        raises(ValueError, "Input y contains NaN", fit, rows, gaps)
        raises(ValueError, "NaN", SpectralClassifier().fit, rows, pd.Series(gaps))
        whole = pd.Series([3, 4] * 20, dtype="Int64")
        assert SpectralClassifier(**QUICK).fit(rows, whole).classes_.tolist() == [3, 4]
    raises(ValueError, "column 'd' of X holds durations", fit,
           pd.DataFrame({"d": pd.to_timedelta(range(40), "h"), "e": y}), y)


def test_weights_and_groups():
    raises(ValueError, "sample_weight.shape", fit, X, y, sample_weight=np.ones(39))
    raises(ValueError, "Negative values", fit, X, y, sample_weight=-np.ones(40))
    raises(ValueError, "", fit, X, y, sample_weight=np.zeros(40))
    raises(ValueError, "groups has shape", fit, X, y, groups=np.ones(39))
    for gone in (None, np.nan):
        raises(ValueError, "groups: row 1 has none", fit, X, y, groups=np.array([1, gone] * 20, dtype=object))
    fit(X, y, groups=np.array([1, "a"] * 20, dtype=object))  # values of several kinds
    raises(ValueError, "class_weight", SpectralClassifier(class_weight="even").fit, X, y > 0)
    raises(ValueError, "1 class", SpectralClassifier().fit, X, np.ones(40))
    raises(ValueError, "Unknown label type", SpectralClassifier().fit, X, y)


def test_use_before_fit_and_other_columns():
    for estimator, methods in ((SpectralRegressor(), ["predict", "predict_interval"]),
                               (SpectralClassifier(), ["predict", "predict_proba", "decision_function"])):
        for method in methods:
            raises(NotFittedError, "not fitted", getattr(estimator, method), X)
        raises(NotFittedError, "not fitted", estimator.save, "none.srm")
        raises(NotFittedError, "not fitted", lambda: estimator.dual_coef_)
    raises(ValueError, "2 features", model.predict, X[:, :2])
    raises(ValueError, "0 sample", model.predict, X[:0])


def test_options():
    raises(ValueError, "rbff", SpectralRegressor(kernel="rbff").fit, X, y)
    raises(ValueError, "unknown option", SpectralRegressor(options={"colour": 1}).fit, X, y)
    for name in ("kernel", "filter", "scale", "approx"):
        raises(ValueError, name + "=None", SpectralRegressor(**{name: None}).fit, X, y)
    for param in (None, ["a"], [[1], [2, 3]]):
        raises(ValueError, "param=", SpectralRegressor(param=param).fit, X, y)
    for select in (None, 5.0, True):
        raises(ValueError, f"select={select}", SpectralRegressor(select=select).fit, X, y)
    raises(ValueError, "options=['a']", SpectralRegressor(options=["a"]).fit, X, y)
    raises(ValueError, "options=['a']", specreg.SpectralTransformer(options=["a"]).fit, X)
    raises(ValueError, "zero byte", SpectralRegressor("rbf\0").fit, X, y)
    for n_jobs in ("2", 1.5):
        raises(ValueError, f"n_jobs={n_jobs!r}", SpectralRegressor(n_jobs=n_jobs).fit, X, y)
    for count in (0, "3", 3.0):
        raises(ValueError, f"n_components={count!r}", specreg.SpectralTransformer(n_components=count).fit, X)
    raises(AttributeError, "eigenvalues", lambda: specreg.SpectralTransformer("nystrom").fit(X).eigenvalues_)
    raises(ValueError, "param has 2 names", SpectralRegressor(param={"t": 1, "lambda": 1}).fit, X, y)
    raises(ValueError, "between 0 and 1", model.predict_interval, X, level=1.5)
    raises(ValueError, "n_jobs=0", SpectralRegressor(n_jobs=0).fit, X, y)
    raises(ValueError, "negative", SpectralRegressor(random_state=-1).fit, X, y)
    raises(MemoryError, "memory", SpectralRegressor(**QUICK, options={"memory": "1K"}).fit, X, y)
    plain = SpectralClassifier(kernel="rbf:sigma=1", param=0.1, select="none").fit(X, y > 0)
    error = raises(NotImplementedError, "", plain.predict_proba, X)
    assert isinstance(error, specreg.SpecregError)


def test_files():
    raises(OSError, "nowhere.srm", specreg.load, "nowhere.srm")
    raises(OSError, "nowhere.csv", fit, "nowhere.csv", "y")
    np.savetxt("train.csv", np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="")
    raises(ValueError, "name of a column", fit, "train.csv", y)
    raises(ValueError, "sample_weight: with files", fit, "train.csv", "y", sample_weight=np.ones(40))
    raises(ValueError, "groups: with files", fit, "train.csv", "y", groups=np.ones(40))
    raises(ValueError, "are for arrays", SpectralRegressor("rbf", select=[(range(20), range(20, 40))]).fit, "train.csv", "y")
    raises(ValueError, "there are 2 files", specreg.cv, model, ["train.csv", "train.csv"], "y")
    with open("broken.srm", "wb") as f:
        f.write(b"\x10\0\0\0\0\0\0\0{}")
    raises(ValueError, "broken.srm", specreg.load, "broken.srm")
    model.save("good.srm")
    data = bytearray(open("good.srm", "rb").read())
    data[-3] ^= 1
    raises(ValueError, "checksum", specreg.Model.from_bytes, bytes(data))
    raises(ValueError, "", specreg.Model.from_bytes, b"")
    raises(OSError, "", model.save, "no/such/folder.srm")
    raises(TypeError, "", specreg.load, None)


def test_model_without_its_numbers():
    error = raises(NotImplementedError, "", model.model_.array, "slopes")
    assert "slope" in str(error)
    raises(ValueError, "", model.model_.array, "colour")


def test_interrupt():
    """SIGINT during a long fit: KeyboardInterrupt in the main thread, and the next fit works."""
    code = """
import sys; sys.path.insert(0, %r)
import numpy as np, specreg
rng = np.random.default_rng(0)
X = rng.normal(size=(1800, 5)); y = rng.normal(size=1800)  # a minute or more
from specreg._call import Call
entered = Call.__enter__
def told(self):
    found = entered(self)
    print("ready", flush=True)
    Call.__enter__ = entered
    return found
Call.__enter__ = told
try:
    specreg.SpectralRegressor(select="kfold:k=10", approx="exact", engine="eig",
                              options={"search": "exhaustive"}).fit(X, y)
    print("finished")
except KeyboardInterrupt:
    small = specreg.SpectralRegressor(kernel="rbf").fit(X[:50], y[:50])
    print("interrupted", small.predict(X[:1]).shape)
""" % package.where
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(1)
    os.kill(child.pid, signal.SIGINT)
    try:
        assert child.communicate(timeout=30)[0] == "interrupted (1,)\n"
    finally:
        child.kill()
    assert child.returncode == 0


package.run(globals())
