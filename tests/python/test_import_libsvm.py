"""`specreg convert old.model new.srm` of models that svm-train made: the labels of svm-predict, and its values to
rounding, for every type and kernel, by the command and from Python; exported again, too.  What is no such model is
refused with its line."""
import os
import shutil
import subprocess
import sys

import numpy as np
from exported import run, write_sparse

if not shutil.which("svm-train"):
    print("skipped: svm-train is missing (Debian: apt-get install libsvm-tools)")
    sys.exit(77)
sys.path.insert(0, os.environ.get("SPECREG_PYTHON") or "/none")
N, M = 120, 60
worst = 0.0


def train(*options, data):
    subprocess.run(["svm-train", "-q", *options, data, "old.model"], check=True, capture_output=True)


def predicted(model, rows):
    subprocess.run(["svm-predict", rows, model, "svm.out"], check=True, capture_output=True)
    return np.loadtxt("svm.out", ndmin=1)


def ours(model, rows):
    table = run("predict", model, rows, "-q").splitlines()
    return np.array([float(line.split(",")[0]) for line in table[1:]])


def check(rows, *convert, theirs="test.svm", classes=True):
    """The same predictions; `theirs`: the rows as svm-predict reads them."""
    global worst
    run("convert", "old.model", "new.srm", "-q", *convert)
    want, got = predicted("old.model", theirs), ours("new.srm", rows)
    run("export", "new.srm", "again.model", "-q")
    if classes:
        assert (want == got).all(), np.flatnonzero(want != got)
        if theirs == rows:
            assert (predicted("again.model", rows) == want).all()
        return want
    worst = max(worst, np.abs(want - got).max() / np.abs(want).max())
    assert worst < 1e-12, worst
    if theirs == rows:
        assert np.abs(predicted("again.model", rows) - want).max() < 1e-12 * np.abs(want).max()
    return want


def data(X, y, first="train.svm", second="test.svm"):
    write_sparse(first, X[:N], y[:N])
    write_sparse(second, X[N:], y[N:])


rng = np.random.default_rng(3)
X = rng.normal(size=(N + M, 4))
y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.normal(size=N + M)


def classes(values, count=5):
    """As many classes of about the same size, by these values."""
    return np.array([7, -3, 12, 5, 0])[np.digitize(values, np.quantile(values, np.arange(1, count) / count))]


labels = classes(y)
sparse = X.repeat(5, axis=1) * (rng.random((N + M, 20)) < 0.2)
sparse[0, -1], sparse[N:, -1] = 1, 0
KERNELS = [["-t", "0"], ["-t", "1", "-d", "2", "-g", "0.5", "-r", "1"], ["-t", "1", "-r", "0", "-g", "0.5"], ["-t", "2"]]
for numbers, rows in ((X, "dense"), (sparse, "sparse")):
    for kernel in KERNELS:
        for kinds in (5, 2):
            data(numbers, classes(numbers.sum(axis=1), kinds))
            for kind in ("0", "1") if kernel in (KERNELS[0], KERNELS[3]) else "0":
                train("-s", kind, "-n", "0.05", *kernel, data="train.svm")
                assert len(set(check("test.svm"))) > 1, (rows, kernel, kinds)
        data(numbers, y)
        for kind in ("3", "4"):
            train("-s", kind, *kernel, data="train.svm")
            check("test.svm", classes=False)

# Votes that are equal: the class that the file has first, which is not the smallest label.
square = rng.normal(size=(N + M, 2))
angle = np.digitize(np.arctan2(square[:, 1], square[:, 0]), [-1, 1])
data(square * 1e-9, np.array([9, 4, 6])[angle])
train("-t", "2", "-g", "1", "-c", "0.01", data="train.svm")
check("test.svm")
with open("tie.model", "w") as file:  # the rows are +1 for 9 against 4, 4 against 6 and 6 against 9; 0 for none
    file.write("svm_type c_svc\nkernel_type linear\nnr_class 3\ntotal_sv 3\nrho 0 0 0\nlabel 9 4 6\nnr_sv 1 1 1\n"
               "SV\n1 -1 1:1\n0 1 1:1\n0 0 1:1\n")
with open("test.svm", "w") as file:
    file.write("0 1:1\n0 1:-1\n0 \n")
shutil.copy("tie.model", "old.model")
assert set(check("test.svm")) == {9, 6}  # each has a vote in the first row; none is positive in the third

# Columns that no support vector has: distances count them.
with open("wide.svm", "w") as file:
    file.write("0 1:0.5 9:1\n")
for kernel, words in (("2", "has 9 columns, the model needs 4"), ("1", None)):
    data(X, y)
    train("-s", "3", "-t", kernel, data="train.svm")
    run("convert", "old.model", "new.srm", "-q")
    run("predict", "new.srm", "wide.svm", fails=words and (1, words))
    check("wide.svm", "--inputs", "9", theirs="wide.svm", classes=False)

# A given matrix: the data of LIBSVM begin with the number of the row, ours are the matrix.
K = np.exp(-0.2 * ((X[:, None] - X[None, :N]) ** 2).sum(axis=2))
for kind, target in (("0", labels), ("3", y)):
    for name, part in (("train.svm", slice(0, N)), ("test.svm", slice(N, None))):
        with open(name, "w") as file:
            for i, (row, t) in enumerate(zip(K[part], target[part])):
                file.write(f"{t} 0:{i + 1} " + " ".join(f"{j + 1}:{float(v)!r}" for j, v in enumerate(row)) + "\n")
    np.save("matrix.npy", K[N:])
    train("-s", kind, "-t", "4", data="train.svm")
    check("matrix.npy", "--inputs", str(N), classes=kind == "0")

# From Python; without probabilities; with more inputs than the support vectors have.
data(X, labels)
train("-b", "1", data="train.svm")
run("convert", "old.model", "new.srm", "--json", "record.json")
run("predict", "new.srm", "test.svm", "--proba", fails=(1, "no probabilities"))
if os.environ.get("SPECREG_PYTHON"):
    import specreg

    model = specreg.load("old.model")
    assert model.classes_.tolist() == sorted({*labels})
    assert (model.predict(X[N:]) == predicted("old.model", "test.svm")).all()
    wide = specreg.load("old.model", inputs=6)
    assert wide.n_features_in_ == 6
    assert (wide.predict(np.pad(X[N:], ((0, 0), (0, 2)))) == model.predict(X[N:])).all()
    assert (specreg.load("new.srm").predict(X[N:]) == model.predict(X[N:])).all()
    try:
        model.predict_proba(X[N:])
        raise AssertionError("there are no probabilities")
    except NotImplementedError as error:
        assert "probabilities" in str(error), error
    data(X, y)
    train("-s", "3", data="train.svm")
    assert np.abs(specreg.load("old.model").predict(X[N:]) - predicted("old.model", "test.svm")).max() < 1e-12

# What is wrong is said with its line, and nothing is written.
with open("old.model") as file:
    good = file.read()
head, vectors = good.split("SV\n")
first = vectors.split("\n")[0]
line = head.count("\n") + 2
for change, place, words in [
    (lambda t: "", "", "is empty"),
    (lambda t: "x,y\n1,2\n", 1, "'x,y' is no line of a LIBSVM model"),
    (lambda t: t.replace("epsilon_svr", "svr"), 1, "'svr' is no such thing that LIBSVM has"),
    (lambda t: t.replace("epsilon_svr", "one_class"), 1, "one_class"),
    (lambda t: t.replace("rbf", "sigmoid"), 2, "sigmoid"),
    (lambda t: t.replace("gamma 0.25\n", "gamma -1\n"), "", "must be above 0"),
    (lambda t: t.replace("gamma 0.25\n", "gamma nan\n"), 3, "'nan' is not finite"),
    (lambda t: t.replace("gamma 0.25\n", ""), line - 2, "'gamma' is missing"),
    (lambda t: t.replace("total_sv", "nr_sv"), 5, "a regression has no classes"),
    (lambda t: t.replace("gamma 0.25", "gamma 0.25 1"), 3, "'1' is more than the line should have"),
    (lambda t: t.replace("rho", "gamma"), 6, "'gamma' is there twice"),
    (lambda t: t.split("SV\n")[0], line - 1, "ends before SV"),
    (lambda t: t[: t.rindex("\n", 0, len(t) - 1) + 1], "", "the file ends after"),
    (lambda t: t + first + "\n", "", "more support vectors than total_sv says"),
    (lambda t: t.replace(first, first.replace("1:", "2:", 1)), line, "does not come after a smaller index"),
    (lambda t: t.replace(first, first.replace("1:", "0:", 1)), line, "an index that is not from 1"),
    (lambda t: t.replace(first, first.replace("1:", "x:", 1)), line, "is not index:value"),
    (lambda t: t.replace(first, ""), line, "fewer numbers"),
]:
    with open("bad.model", "w") as file:
        file.write(change(good))
    run("convert", "bad.model", "bad.srm", fails=(1, f"bad.model{f':{place}' if place else ''}"))
    run("convert", "bad.model", "bad.srm", fails=(1, words))
    assert not os.path.exists("bad.srm")
with open("bad.model", "w") as file:  # 300 classes have 44,850 pairs
    file.write("svm_type c_svc\nkernel_type linear\nnr_class 300\ntotal_sv 3000\nrho" + " 0" * 44850 + "\nlabel " +
               " ".join(map(str, range(300))) + "\nnr_sv 3000" + " 0" * 299 + "\nSV\n" + ("0 " * 299 + "1:1\n") * 3000)
run("convert", "bad.model", "bad.srm", fails=(1, "bad.model:8: 3000 support vectors with a coefficient for each of 44850 pairs"))
run("convert", "old.model", "bad.srm", "--inputs", "2", fails=(2, "2 inputs are too few, the support vectors have 4"))
run("convert", "old.model", "bad.csv", "--inputs", "2", fails=(2, "--inputs is for models"))
print(f"largest difference of a regression, relative to its values: {worst:.1e}")
