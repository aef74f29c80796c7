"""Numbers at the edge: singular and indefinite matrices, widths and lambdas over 600 decades, values
of 1e+-150, one to three rows, constant targets, very many classes and tasks.  Each run ends in
finite answers, which are those of mpmath with 60 digits where rounding allows, or in one line."""
import itertools
import json
import math
import os
import random
import subprocess
import sys

try:
    from mpmath import mp
except ImportError:
    print("skipped: no mpmath here (Debian: apt-get install python3-mpmath)")
    sys.exit(77)

SPECREG = os.environ["SPECREG"]
EPS = 2.0 ** -52
mp.dps = 60
rng = random.Random(5)
failures = []
runs, said = 0, ""


def write(name, rows):
    with open(name, "w") as f:
        f.writelines(",".join(v if isinstance(v, str) else repr(v) for v in row) + "\n" for row in rows)


def no_constant(text):
    raise ValueError(f"{text} in a record")


def command(*arguments):
    """The record, or None where the run was refused; anything else is a failure."""
    global runs, said
    runs += 1
    line = [SPECREG, *arguments, "-q", "--json", "record.json"]
    try:
        done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        failures.append(f"{' '.join(line)}: takes for ever")
        return None
    said = done.stderr.strip()
    if done.returncode == 0:
        try:
            return json.load(open("record.json"), parse_constant=no_constant)
        except ValueError as e:
            failures.append(f"{' '.join(line)}: {e}")
    elif done.returncode not in (1, 2) or done.stderr.count("\n") != 1 or done.stderr[:9] != "specreg: ":
        failures.append(f"{' '.join(line)}: exit code {done.returncode}: {done.stderr}")
    return None


def fitted(data, *arguments, problem="regression"):
    """What the saved model says of its training rows; None: refused."""
    record = command("fit", data, "--header", "no", "--scale", "none", "--problem", problem, "-o", "model.srm",
                     *arguments)
    if record is None:
        return None
    if command("predict", "model.srm", data, "--header", "no", "-o", "out.csv") is None:
        failures.append(f"{data} {arguments}: fitted, but: {said}")
        return None
    lines = open("out.csv").read().split()[1:]
    if problem == "classification":
        return lines
    F = [float(line) for line in lines]
    if not all(map(math.isfinite, F)):
        failures.append(f"{data} {arguments}: predictions that are not finite")
    mse = record["train"].get("mse")
    Y = [float(line.rsplit(",", 1)[1]) for line in open(data)]
    big = max(map(abs, Y), default=0)
    if mse is not None and 1e-140 < big < 1e140:
        mean = sum(Y) / len(Y)
        spread = sum((y - mean) ** 2 for y in Y) / len(Y) + 1e-12 * big ** 2
        is_, was = math.dist(Y, F) / math.sqrt(len(Y)), math.sqrt(mse)
        if abs(is_ - was) > 0.011 * math.sqrt(spread):
            failures.append(f"{data} {arguments}: error {was} reported, {is_} predicted")
    return F


# ------------------------------------------------- against 60 digits

def gram(kernel, X):
    X = [[mp.mpf(v) for v in row] for row in X]
    if kernel == "linear":
        k = lambda x, z: mp.fsum(a * b for a, b in zip(x, z))
    elif kernel.startswith("poly"):
        k = lambda x, z: (1 + mp.fsum(a * b for a, b in zip(x, z))) ** 2
    else:
        sigma = mp.mpf(float(kernel.split("=")[1]))
        k = lambda x, z: mp.exp(-mp.fsum((a - b) ** 2 for a, b in zip(x, z)) / (2 * sigma ** 2))
    return mp.matrix([[k(x, z) for z in X] for x in X])


def exact(K, y, filter_, param):
    """f = K alpha by its definition, docs/MATH.md, section 2."""
    n = K.rows
    y = mp.matrix([mp.mpf(v) for v in y])
    if filter_ == "tikhonov":
        return K * mp.lu_solve(K + n * mp.mpf(param) * mp.eye(n), y)
    kappa2, alpha = max(K[i, i] for i in range(n)), mp.matrix(n, 1)
    for _ in range(param):  # landweber
        alpha += (y - K * alpha) / (n * kappa2)
    return K * alpha


def compare(data, X, y, kernel, filter_, param, engine):
    name = "lambda" if filter_ == "tikhonov" else "t"
    F = fitted(data, "--kernel", kernel, "--features", "none", "--filter", filter_, "--select", "none",
               "--engine", engine, "--param", f"{name}={param!r}")
    if F is None:
        failures.append(f"{data} {kernel} {filter_} {param} {engine}: {said}")
        return
    K = gram(kernel, X)
    n, norm = K.rows, max(mp.fsum(abs(K[i, j]) for j in range(K.rows)) for i in range(K.rows)) / K.rows
    f = exact(K, y, filter_, param)
    g0 = 1 / mp.mpf(param) if filter_ == "tikhonov" else param / max(K[i, i] for i in range(n))
    bound = float(1000 * n * EPS * (1 + norm * g0))
    scale = max(map(abs, y))
    error = max(abs(f[i] - F[i]) for i in range(n))
    if bound < 0.1 and error > bound * scale:
        failures.append(f"{data} {kernel} {filter_} {param} {engine}: error {float(error / scale):.1e} "
                        f"of y, bound {bound:.1e}")


def least_squares(data, X, y, engine):
    """lambda far below rounding: the solution of least norm, where K is exactly singular."""
    F = fitted(data, "--kernel", "linear", "--features", "none", "--select", "none", "--param", "lambda=1e-200",
               "--engine", engine)
    A = mp.matrix([[mp.mpf(v) for v in row] for row in X])
    f = A * mp.lu_solve(A.T * A, A.T * mp.matrix([mp.mpf(v) for v in y]))
    error = max(abs(a - b) for a, b in zip(f, F)) if F else mp.inf
    if error > 1e-9 * max(map(abs, y)):
        failures.append(f"{data} {engine}: error {float(error):.1e} of least squares")


def small():
    for n in (2, 3, 6):
        X = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(n)]
        y = [rng.gauss(0, 1) for _ in range(n)]
        if n == 6:
            X[5] = X[4]  # K is singular
        write("small.csv", [x + [v] for x, v in zip(X, y)])
        for kernel, param in itertools.product(("linear", "rbf:sigma=1", "poly:degree=2,gamma=1,coef0=1"), (1.0, 1e-9)):
            compare("small.csv", X, y, kernel, "tikhonov", param, "eig")
        compare("small.csv", X, y, "rbf:sigma=1", "landweber", 50, "iterate")
        for engine in ("primal", "cholesky", "band", "krylov"):
            if n > 2:
                compare("small.csv", X, y, "linear", "tikhonov", 1e-6, engine)
    for engine in ("primal", "eig", "cholesky", "band"):
        least_squares("small.csv", X, y, engine)
    for e in (150, -150):
        scaled = [[v * 10.0 ** e for v in x] for x in X]
        write("scaled.csv", [x + [v] for x, v in zip(scaled, y)])
        compare("scaled.csv", scaled, y, "linear", "tikhonov", 10.0 ** (2 * e), "eig")
        compare("scaled.csv", scaled, y, f"rbf:sigma=1e{e}", "tikhonov", 1e-6, "cholesky")
        large = [v * 10.0 ** (e // 2) for v in y]
        write("scaled.csv", [x + [v] for x, v in zip(X, large)])
        compare("scaled.csv", X, large, "rbf:sigma=1", "tikhonov", 1e-6, "eig")


# ------------------------------------------------- finite, or refused in one line

def decades():
    X = [[rng.gauss(0, 1) for _ in range(2)] + [rng.gauss(0, 1)] for _ in range(12)]
    write("d.csv", X)
    far = (-300, -150, -18, 0, 150, 300)
    for s, l in itertools.product(far, far):
        engine = ("eig", "cholesky", "band", "krylov")[(s + l) // 6 % 4]
        fitted("d.csv", "--kernel", f"rbf:sigma=1e{s}", "--select", "none", "--param", f"lambda=1e{l}",
               "--engine", engine)
    for l, engine in itertools.product(far, ("primal", "krylov")):
        fitted("d.csv", "--kernel", "linear", "--select", "none", "--param", f"lambda=1e{l}",
               "--engine", engine)
    for filter_ in ("landweber", "nu", "cg", "showalter", "cutoff", "iterated"):
        fitted("d.csv", "--kernel", "rbf:sigma=1e5", "--filter", filter_)


def magnitudes():
    X = [[rng.gauss(0, 1) for _ in range(2)] for _ in range(12)]
    for e, kernel in itertools.product((150, -150, 300, -300), ("linear", "rbf", "poly", "laplace")):
        write("m.csv", [[v * 10.0 ** e for v in x] + [x[0]] for x in X])
        fitted("m.csv", "--kernel", kernel)
        write("m.csv", [x + [x[0] * 10.0 ** e] for x in X])
        fitted("m.csv", "--kernel", kernel)


def few_rows():
    for n, select in itertools.product((1, 2, 3), ("auto", "loo", "kfold", "gcv", "holdout")):
        write("n.csv", [[float(i), float(i * i)] for i in range(n)])
        fitted("n.csv", "--kernel", "rbf", "--select", select)
    for value in (0.0, 7.0, 1e150):
        write("c.csv", [[rng.random(), value] for _ in range(9)])
        for more in ((), ("--features", "constant"), ("--filter", "cg"), ("--kernel", "linear")):
            fitted("c.csv", *more)
    write("same.csv", [[1.0, 2.0, rng.random()] for _ in range(9)])
    for kernel in ("rbf", "linear", "laplace"):
        fitted("same.csv", "--kernel", kernel)


def given_matrices():
    n = 8
    A = [[rng.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    y = [rng.gauss(0, 1) for _ in range(n)]
    indefinite = [[A[i][j] + A[j][i] for j in range(n)] + [y[i]] for i in range(n)]
    rank_one = [[A[0][i] * A[0][j] for j in range(n)] + [y[i]] for i in range(n)]
    zero = [[0.0] * n + [y[i]] for i in range(n)]
    for filter_ in ("tikhonov", "iterated", "landweber", "nu", "cg", "showalter", "cutoff"):
        for name, K in ("indefinite", indefinite), ("singular", rank_one), ("zero", zero):
            write(name + ".csv", K)
            F = fitted(name + ".csv", "--kernel", "precomputed", "--filter", filter_)
            if name == "indefinite" and F is not None:
                failures.append(f"{filter_}: an indefinite kernel matrix is taken")


def many():
    base = [[rng.gauss(0, 1) for _ in range(2)] + [rng.gauss(0, 1)] for _ in range(10)]
    write("dup.csv", (base[i % 10] for i in range(100000)))
    if fitted("dup.csv", "--kernel", "linear", "--select", "none", "--param", "lambda=1e-18") is None:
        failures.append(f"100,000 rows, 10 different ones: {said}")
    write("classes.csv", ([float(i % 1000), rng.random(), f"c{i % 1000}"] for i in range(2000)))
    if fitted("classes.csv", "--kernel", "linear", "--select", "none", "--param", "lambda=1e-6",
              problem="classification") is None:
        failures.append(f"1,000 classes: {said}")
    with open("tasks.csv", "w") as f:
        f.write("task,x,y\n" + "".join(f"t{i % 400},{rng.random()},{rng.random()}\n" for i in range(800)))
    if command("fit", "tasks.csv", "--task-column", "task", "--target", "y", "--kernel", "rbf:sigma=1",
               "--outputs", "common:omega=0.5", "--select", "none", "--param", "lambda=1e-3", "-o", "t.srm") is None:
        failures.append(f"400 tasks: {said}")


def tasks_apart():
    """Independent tasks of two rows each: f of a task comes from its own rows, where
    (K + n lambda I) alpha = y has two unknowns and n is the number of all rows.  tests/long/test_tasks.py
    has 100,000."""
    tasks, lam = 1000, 1e-4
    n = 2 * tasks
    rows = [(f"t{i % tasks}", rng.gauss(0, 1), rng.gauss(0, 1)) for i in range(n)]
    with open("tasks.csv", "w") as f:
        f.write("task,x,y\n" + "".join(f"{t},{x!r},{y!r}\n" for t, x, y in rows))
    if command("fit", "tasks.csv", "--task-column", "task", "--target", "y", "--kernel", "rbf:sigma=1",
               "--scale", "none", "--features", "none", "--outputs", "independent", "--select", "none",
               "--param", f"lambda={lam}", "--memory", "2G", "-o", "t.srm") is None:
        failures.append(f"{tasks} tasks: {said}")
        return
    if command("predict", "t.srm", "tasks.csv", "-o", "out.csv") is None:
        failures.append(f"{tasks} tasks: predict: {said}")
        return
    F = [float(line) for line in open("out.csv").read().split()[1:]]
    for i in range(0, tasks, tasks // 50):
        (_, x1, y1), (_, x2, y2) = rows[i], rows[i + tasks]
        k, d = math.exp(-(x1 - x2) ** 2 / 2), 1 + n * lam
        a1, a2 = (d * y1 - k * y2) / (d * d - k * k), (d * y2 - k * y1) / (d * d - k * k)
        if abs(F[i] - (a1 + k * a2)) > 1e-9 * (abs(y1) + abs(y2)):
            failures.append(f"task {i} of {tasks}: {F[i]}, not {a1 + k * a2}")


def texts_and_gaps():
    """Words and missing values at lambdas far below rounding: finite, and as reported."""
    words = "red green blue sea boat rose day night".split()
    with open("docs.csv", "w") as f:
        f.write("text,y\n" + "".join(f"{' '.join(rng.choices(words, k=5))},{rng.gauss(0, 1)!r}\n" for _ in range(30)))
    with open("gaps.csv", "w") as f:
        f.write("a,b,c,y\n" + "".join(
            f"{rng.choice(['', 'NA', rng.random()])},{rng.random()!r},{rng.choice('uvw')},{rng.gauss(0, 1)!r}\n"
            for _ in range(30)))
    for data, options in (("docs.csv", ["--text", "min-docs=1"]), ("gaps.csv", ["--missing", "indicator"]),
                          ("gaps.csv", ["--missing", "mean"]), ("gaps.csv", ["--missing", "drop"])):
        for l, kernel in itertools.product((-300, -18, -9), ("linear", "rbf:sigma=1")):
            record = command("fit", data, "--target", "y", "--kernel", kernel, "--select", "none", "--param",
                             f"lambda=1e{l}", "-o", "model.srm", *options)
            if record is None:
                continue
            again = command("eval", "model.srm", data)
            if again is None:
                failures.append(f"{data} {options} {kernel} 1e{l}: fitted, but: {said}")
            elif abs(again["test"]["mse"] ** 0.5 - record["train"]["mse"] ** 0.5) > 0.011:
                failures.append(f"{data} {options} {kernel} 1e{l}: mse {record['train']['mse']} reported, "
                                f"{again['test']['mse']} of the saved model")


for part in (small, decades, magnitudes, few_rows, given_matrices, many, tasks_apart, texts_and_gaps):
    before = runs
    part()
    print(f"- {part.__name__}: {runs - before} runs")
for line in failures[:20]:
    print("FAILED:", line)
print(f"{runs} runs; {len(failures)} failed")
sys.exit(1 if failures else 0)
