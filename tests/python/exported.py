"""Models of every kind for the tests of `specreg export`: each is fitted by the command, with the table
that it is to predict and the command's own predictions of it."""
import csv
import os
import subprocess

import numpy as np

SPECREG = os.environ["SPECREG"]
N, M = 45, 20
FIXED = ["--select", "none", "--param", "lambda=1e-3", "-q"]


def run(*args, fails=None):
    """Runs the command; `fails`: the exit code and a word of the line on standard error."""
    done = subprocess.run([SPECREG, *args], capture_output=True, text=True)
    if fails:
        code, word = fails
        assert done.returncode == code and word in done.stderr, (args, done.returncode, done.stderr)
        assert done.stderr.count("\n") == 1 and done.stderr.startswith("specreg: "), done.stderr
    else:
        assert done.returncode == 0, (args, done.stderr)
    return done.stdout


def write(name, header, rows):
    with open(name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        for row in rows:
            out.writerow([v if isinstance(v, str) else repr(float(v)) for v in row])


def write_sparse(name, X, y):
    with open(name, "w") as file:
        for x, label in zip(X, y):
            file.write(f"{label} " + " ".join(f"{j + 1}:{float(x[j])!r}" for j in np.flatnonzero(x)) + "\n")


class Case:
    """A model: its inputs (names), the new rows as they stand in the table, and what the command says:
    scores, and labels of a classification."""

    def __init__(self, name, header, rows, options, kind="--kernel"):
        self.name, self.model, self.new = name, name + ".srm", name + "_new.csv"
        self.header, self.rows = header, rows[N:]
        write(name + "_train.csv", header, rows[:N])
        write(self.new, header, rows[N:])
        if kind == "--kernel":
            run("fit", name + "_train.csv", "-o", self.model, *FIXED, *options)
        else:
            run("features", name + "_train.csv", kind, *options, "--model", self.model, "-o", "coordinates.csv", "-q")
        self.read()

    def read(self):
        table = list(csv.reader(run("predict", self.model, self.new, "-q").splitlines()))
        first = 1 if table[0][0] == "label" else 0
        self.names = [name.removeprefix("score:") for name in table[0][first:]]
        self.labels = [row[0] for row in table[1:]] if first else None
        self.scores = np.array([[float(v) for v in row[first:]] for row in table[1:]])


def numbers(seed=5, p=3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N + M, p)) * np.arange(1, p + 1)
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.05 * rng.normal(size=N + M)
    return rng, X, y


SCALARS = [
    "linear", "poly:degree=3,coef0=1,gamma=0.3", "rbf:sigma=1.5", "laplace:sigma=2", "matern:nu=0.5,sigma=2",
    "matern:nu=1.5,sigma=2", "matern:nu=2.5,sigma=2", "rq:alpha=0.7,sigma=3", "periodic:period=7,sigma=2", "cosine",
    "hamming:sigma=2", "multiquadric:sigma=2", "thinplate", "polyharmonic:degree=3", "0.5*rbf:sigma=1 + linear",
    "rbf:sigma=1*linear + 2*laplace:sigma=3", "rbf:sigma=1,columns=x1 * rbf:sigma=2,columns=x2,x3",
]


def regressions():
    """One for each kernel, standardised, with a constant or the polynomials that the kernel asks for."""
    _, X, y = numbers()
    header = ["x1", "x2", "x3", "y"]
    for i, kernel in enumerate(SCALARS):
        splines = ["--features", "poly:degree=1"] if kernel.startswith(("thin", "polyh")) else []
        yield Case(f"r{i}", header, np.column_stack([X, y]), ["--kernel", kernel, *splines])
    counts = np.abs(np.round(3 * X))
    for i, kernel in enumerate(("chi2:gamma=0.1", "intersection")):
        yield Case(f"n{i}", header, np.column_stack([counts, y]), ["--kernel", kernel, "--scale", "none"])
    unit = (np.arange(N + M)[:, None] * 7 % (N + M) + 0.5) / (N + M)
    yield Case("sobolev", ["x", "y"], np.column_stack([unit, y]), ["--kernel", "sobolev"])


def terms():
    """Unpenalised terms, scalings, several outputs."""
    _, X, y = numbers(6)
    header, rows = ["x1", "x2", "x3", "y"], np.column_stack([X, y])
    rbf = ["--kernel", "rbf:sigma=1.5"]
    for i, (scale, features) in enumerate([("standard", "poly:degree=2"), ("minmax", "columns:x1,x3"), ("maxabs", "none"),
                                           ("none", "constant + columns:x2")]):
        yield Case(f"t{i}", header, rows, [*rbf, "--scale", scale, "--features", features])
    huge = rows * np.array([1e150, 1e-150, 1, 1])
    yield Case("huge", header, huge, rbf)
    two = np.column_stack([X, y, np.cos(X[:, 2])])
    header = ["x1", "x2", "x3", "y", "z"]
    yield Case("two", header, two, [*rbf, "--target", "y,z"])
    yield Case("common", header, two, [*rbf, "--target", "y,z", "--outputs", "common:omega=0.4"])
    yield Case("mixed", header, two, ["--kernel", "rbf:sigma=1 + linear", "--target", "y,z", "--outputs",
                                      "common:omega=0.4 + independent"])


def classifications():
    """Codings of three and two classes, texts among the inputs."""
    rng, X, y = numbers(7)
    label = np.where(y > 0.5, "high", np.where(y < -0.5, "low", "mid 'dle*/"))
    colour = np.where(X[:, 1] > 1, "red", np.where(X[:, 2] > 0, "blue, dark", "green"))
    header = ["x1", "colour", "x3", "label"]
    rows = [list(row) for row in zip(X[:, 0], colour, X[:, 2], label)]
    for i, coding in enumerate(("ova", "simplex", "ab:a=1,b=0", "bch:15", "ovo", "ovo:decode=votes", "dense:columns=9,seed=2",
                                "dense:columns=9,seed=2,decode=loss", "dense:columns=9,seed=2,decode=hamming")):
        yield Case(f"c{i}", header, rows, ["--kernel", "rbf:sigma=1.5", "--coding", coding])
    rows = [[a, b, c, str(d == "high")] for a, b, c, d in rows]
    yield Case("binary", header, rows, ["--kernel", "laplace:sigma=2"])
    yield Case("linear2", header, rows, ["--kernel", "linear"])


def gaps():
    """Missing numbers and texts, filled in; new categories."""
    rng, X, y = numbers(8)
    colour = np.where(X[:, 1] > 1, "red", np.where(X[:, 2] > 0, "blue", "green"))
    rows = [["" if rng.random() < 0.15 else a, "" if rng.random() < 0.15 else b, c, d]
            for a, b, c, d in zip(X[:, 0], colour, X[:, 2], y)]
    rows[N][1] = "unknown"
    header = ["x1", "colour", "x3", "y"]
    for missing in ("mean", "indicator"):
        yield Case("gaps_" + missing, header, rows, ["--kernel", "rbf:sigma=1.5", "--missing", missing])


def tasks():
    """Rows of tasks; the last new row is of another one."""
    rng, X, y = numbers(9)
    task = rng.choice(["a", "b", "c"], size=N + M)
    task[-1] = "other"
    rows = list(zip(X[:, 0], task, X[:, 1], y + (task == "b")))
    header = ["x1", "task", "x2", "y"]
    yield Case("tasks", header, rows, ["--kernel", "rbf:sigma=1.5", "--task-column", "task", "--outputs", "common:omega=0.3"])


def fields():
    rng, X, _ = numbers(10, 2)
    Y = np.column_stack([np.sin(X[:, 1]), np.cos(X[:, 0])])
    header, rows = ["x", "y", "u", "v"], np.column_stack([X, Y])
    for i, kernel in enumerate(("curlfree:sigma=1.5", "divfree:sigma=2", "helmholtz:sigma=2,gamma=0.3",
                                "divfree-matern:nu=1.5,sigma=2", "curlfree-matern:nu=2.5,sigma=2",
                                "helmholtz-matern:nu=3.5,sigma=2,gamma=0.5", "curlfree-imq:sigma=2",
                                "curlfree:sigma=2 + 0.5*divfree:sigma=1", "curlfree:sigma=2 + 0.5*rbf:sigma=1")):
        yield Case(f"f{i}", header, rows, ["--kernel", kernel, "--target", "u,v", "--problem", "field"])


def components():
    _, X, y = numbers(11)
    header, rows = ["x1", "x2", "x3"], X
    yield Case("kpca", header, rows, ["3", "--kernel", "rbf:sigma=2"], kind="--kpca")
    yield Case("nystrom", header, rows, ["m=10", "--kernel", "rbf:sigma=2"], kind="--nystrom")


class Sparse(Case):
    """The same of a LIBSVM file; `X`: the new rows, dense."""

    def __init__(self, name, X, y, options):
        self.name, self.model, self.new, self.X = name, name + ".srm", name + "_new.libsvm", X[N:]
        write_sparse(name + "_train.libsvm", X[:N], y[:N])
        write_sparse(self.new, X[N:], y[N:])
        run("fit", name + "_train.libsvm", "-o", self.model, *FIXED, *options)
        self.read()


def sparse():
    rng, _, _ = numbers(12)
    X = rng.normal(size=(N + M, 60)) * (rng.random((N + M, 60)) < 0.1)
    X[:, -1] = 1
    y = X[:, 0] + np.abs(X[:, 1]) + 0.1 * rng.normal(size=N + M)
    for i, (kernel, scale) in enumerate([("rbf:sigma=2", "none"), ("linear", "standard"), ("poly:degree=2,coef0=1,gamma=0.5", "none")]):
        yield Sparse(f"s{i}", X, y, ["--kernel", kernel, "--scale", scale, "--problem", "regression"])
    yield Sparse("s_classes", X, np.digitize(y, [-0.2, 0.4]), ["--kernel", "rbf:sigma=2", "--scale", "none"])


def everything():
    for kind in (regressions, terms, classifications, gaps, tasks, fields, components, sparse):
        yield from kind()
