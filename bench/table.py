#!/usr/bin/env python3
"""The main search beside what else one would use, in one run and one table for each problem:

    tools/python3 bench/table.py BUILD [--rows 1000,2000,5000,10000] [--problems ring,sine]
                                       [--peers sklearn,libsvm,numpy] [--budget SECONDS]

The search: Gaussian kernel, Tikhonov, 10 widths x 50 lambdas, by five folds or by leave-one-out.
What would take longer than the budget is run in part and scaled up, and the table says so; the
default search of specreg is always run.  This process holds no arrays: a process begins with the
peak memory of the one that starts it."""
import argparse
import concurrent.futures
import importlib.util
import json
import math
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

BENCH = os.path.dirname(os.path.abspath(__file__))
CORES = len(os.sched_getaffinity(0))
WIDTHS, LAMBDAS, FOLDS = 10, [10**(-10 + 9 * i / 49) for i in range(50)], 5
COSTS = [2.0**e for e in range(-5, 16, 2)]
PATIENCE = 3  # budgets that the first part of a search may take
CHEAP, REPEATS = 3, 3  # what takes fewer seconds is run more often, the fastest counts
EXHAUSTIVE_MOST = 5000
TITLES = {"ring": "ringnorm, 20 features; errors in per cent",
          "sine": "sin(3 w'x) + 0.2 noise, 8 features; errors are mean squares"}
HEADER = """\
The main search: Gaussian kernel, Tikhonov (kernel ridge, K/n + lambda), {widths} sigma = median distance
x 1/4 to 4, {lambdas} lambda = 1e-10 to 1e-1, {folds} folds, the same ones for specreg and scikit-learn.
LIBSVM: the same sigma, {costs} C = 2^-5 to 2^15 (in the column of lambda), folds of its own; for numbers
    epsilon 0.1.  One process for each core, 1,000 MB of kernel cache each.
seconds: ~ a part was run and scaled up (the last column says which), > with cells that did not end.
    specreg and LIBSVM with process start and files, the Python scripts without.  The best of {repeats}
    where below {cheap} s.  {cores} threads or processes for all; scikit-learn with the faster of {cores} processes
    with one BLAS thread and one process with {cores} (jobs).  Budget {budget:g} s.
ratio: to specreg; for leave-one-out to specreg loo, which is exhaustive.
test: error on 5,000 other rows.  MB: peak of the largest process, times processes (below 20: unknown).
dgemm: flops of the exact way / seconds / {rate:.0f} GF/s (numpy.matmul, 4000 x 4000, before the tables).
    These flops are 4/3 (4n/5)^3 for each sigma and fold: reduction to tridiagonal form; for
    leave-one-out (4/3 + 2) n^3 for each sigma: with the vectors back.
growth: exponent in n, the slope of log seconds over log n; from figures with ~ too, not from those with >."""
DGEMM = """
import time, numpy
A = numpy.random.default_rng(0).random((4000, 4000))
B, C, best = A.T.copy(), numpy.empty_like(A), 1e9
for _ in range(4):
    start = time.perf_counter()
    numpy.matmul(A, B, out=C)
    best = min(best, time.perf_counter() - start)
print(2 * 4000**3 / best)
"""


class Killed(Exception):
    """At its limit; holds the peak memory."""


def run(*command, limit=None, **environment):
    """Wall seconds, peak memory of the largest process in MB, and what was printed."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=err, env={**os.environ, **environment})
        timer = limit and threading.Timer(limit, child.kill)
        if timer:
            timer.start()
        _, status, used = os.wait4(child.pid, 0)
        seconds = time.monotonic() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        if timer:
            timer.cancel()
            if child.returncode == -signal.SIGKILL:
                raise Killed(used.ru_maxrss / 1024)
        if child.returncode:
            err.seek(0)
            sys.exit(f"table: {' '.join(command)[:200]}\n{err.read()[-2000:]}")
        out.seek(0)
        return seconds, used.ru_maxrss / 1024, out.read()


def spread(values, count):
    """So many of the values, at even distances; one alone is from the middle."""
    return [values[(2 * i + 1) * len(values) // (2 * count)] for i in range(count)]


class Case:
    """A problem of some size: its files and its widths."""

    def __init__(self, build, folder, problem, n):
        self.specreg, self.folder, self.n = os.path.join(build, "specreg"), folder, n
        self.classes = problem == "ring"
        median = float(run(sys.executable, f"{BENCH}/synthetic.py", problem, str(n), folder)[2])
        self.sigmas = [median * 16**(i / (WIDTHS - 1)) / 4 for i in range(WIDTHS)]
        for part in "train", "test":
            run(self.specreg, "convert", f"{folder}/{part}.csv", f"{folder}/{part}.svm")

    def kind(self):
        return "classes" if self.classes else "numbers"


class Result:
    """Seconds of a search (of a part of it: scaled) and what it found, where all of it was run."""

    def __init__(self, seconds, ran=None, processes=1, peak=0, mark="~", **found):
        self.seconds, self.ran, self.processes, self.peak = seconds, ran, processes, peak
        self.mark = mark if ran else ""
        self.found = {} if ran else found


# ------------------------------------------------------------------- contestants


class Contestant:
    """`measure` runs so many of the `units` of a search: (wall seconds, Result)."""
    name, group, units, most = "", "folds", 1, math.inf
    first = False  # of its group: the others are compared with it
    always = False  # whatever the budget

    def __init__(self):
        self.last = None  # rows and seconds of a unit, when last run

    def least(self, n):
        """Units that are run first, to see what they cost."""
        return 1

    def contest(self, case, budget):
        least = self.least(case.n)
        if case.n > self.most:
            return None
        if self.last and not self.always:
            rows, seconds = self.last
            if least * seconds * (case.n / rows)**3 > PATIENCE * budget:
                return None
        wall, result = self.measure(case, least)
        self.last = case.n, wall / least
        units = min(self.units, int(budget / wall * least))
        if units > least:
            wall, result = self.measure(case, units)
        if not result.ran:
            for _ in range(REPEATS - 1 if wall < CHEAP else 0):
                result = min(result, self.measure(case, self.units)[1], key=lambda r: r.seconds)
        return result


class Specreg(Contestant):
    def __init__(self, name, select, *options, **more):
        super().__init__()
        self.name, self.select, self.options = name, select, options
        self.__dict__.update(more)

    def fit(self, case, kernel, param, *options):
        folds = self.select != "loo"
        return run(case.specreg, "fit", f"{case.folder}/{'folds' if folds else 'train'}.csv", "-q",
                   *(("--group", "fold") if folds else ()), "--kernel", "rbf:sigma=" + kernel,
                   "--param", "lambda=" + param, "--scale", "none", "--extend", "no", *options,
                   "-o", f"{case.folder}/model", "--json", f"{case.folder}/fit.json")

    def measure(self, case, units):
        divided = units < self.units
        sigmas = spread(case.sigmas, units) if divided else case.sigmas
        seconds, peak, _ = self.fit(case, "{%s}" % ",".join(map(repr, sigmas)), "log:1e-10:1e-1:50",
                                    "--select", self.select, *self.options)
        with open(f"{case.folder}/fit.json") as f:
            fit = json.load(f)
        sigma, lam = fit["kernel"]["sigma"], fit["filter"]["lambda"]
        if divided:
            alone = self.fit(case, repr(sigma), repr(lam), "--select", "none")[0]
            alone = min(alone, seconds / 2)  # on a busy machine it can be anything
            scaled = (seconds - alone) * self.units / units + alone
            return seconds, Result(scaled, f"{units} of {self.units} sigma", peak=peak)
        run(case.specreg, "eval", f"{case.folder}/model", f"{case.folder}/test.csv", "-q", "--json",
            f"{case.folder}/test.json")
        with open(f"{case.folder}/test.json") as f:
            test = json.load(f)["test"]
        return seconds, Result(seconds, peak=peak, sigma=sigma, second=f"{lam:.1e}",
                               value=fit["selection"]["value"],
                               test=test["error_rate" if case.classes else "mse"])


def script(name, case, sigmas, lambdas, *arguments, **environment):
    """A contestant in Python, which keeps its own time: no start of Python, no reading."""
    said = run(sys.executable, f"{BENCH}/{name}", f"{case.folder}/train.csv",
               f"{case.folder}/test.csv", json.dumps(sigmas), json.dumps(lambdas), case.kind(),
               *arguments, **environment)[2]
    return json.loads(said)


def from_script(said, parts, ran, processes=1):
    return Result(said["search"] * parts + said["rest"], ran, processes, said["peak"] / 1024,
                  sigma=said["sigma"], second=f"{said['lambda']:.1e}", value=said["value"],
                  test=said["test"])


class NumPy(Contestant):
    name, group, units = "NumPy loo", "loo", WIDTHS

    def measure(self, case, units):
        said = script("numpy_expert.py", case, spread(case.sigmas, units), LAMBDAS)
        ran = f"{units} of {WIDTHS} sigma" if units < WIDTHS else None
        return said["search"], from_script(said, WIDTHS / units, ran)


class ScikitLearn(Contestant):
    """Units are pairs of cells: ten fits, which two processes share evenly."""
    name, units = "scikit-learn", WIDTHS * len(LAMBDAS) // 2

    def least(self, n):
        """Some seconds of work, or the choice of processes or threads would be by chance."""
        return min(self.units, max(1, round((5000 / n)**2)))

    def once(self, case, units, jobs):
        widths = max(1, 2 * units // len(LAMBDAS))
        lambdas = min(2 * units, len(LAMBDAS))
        threads = str(CORES // jobs)
        said = script("sklearn_grid.py", case, spread(case.sigmas, widths),
                      spread(LAMBDAS, lambdas), str(jobs), OPENBLAS_NUM_THREADS=threads,
                      OMP_NUM_THREADS=threads)
        cells, all_cells = widths * lambdas, WIDTHS * len(LAMBDAS)
        ran = f"{widths}x{lambdas} of {WIDTHS}x{len(LAMBDAS)}" if cells < all_cells else None
        result = from_script(said, all_cells / cells, ran, jobs)
        result.jobs = jobs
        return said["search"], result

    def measure(self, case, units):
        """The first part decides what is faster: more processes, or more threads in one."""
        if units == self.least(case.n):
            tries = [self.once(case, units, jobs) for jobs in sorted({1, CORES})]
            seconds, result = min(tries, key=lambda t: t[0])
            self.jobs = result.jobs
            return seconds, result
        return self.once(case, units, self.jobs)


class LibSvm(Contestant):
    """A process for each core.  Cells differ in cost by orders of magnitude, so that a part is a
    random sample of them; cells that do not end make the figure a lower bound."""
    name = "LIBSVM"

    def train(self, case, cell, limit, *arguments):
        kind = ("-s", "0") if case.classes else ("-s", "3", "-p", "0.1")
        return run("svm-train", "-q", "-m", "1000", *kind, "-g", repr(0.5 / cell[0]**2), "-c",
                   repr(cell[1]), *arguments, limit=limit)

    def value(self, case, said):
        number = float(re.search(r"= ([-+.\deE]+)", said).group(1))
        return 1 - number / 100 if case.classes else number

    def contest(self, case, budget):
        cells = [(s, c) for s in case.sigmas for c in COSTS]
        random.Random(0).shuffle(cells)
        start = time.monotonic()
        found, spent, peaks, killed = {}, [], [], []

        def work(cell):
            began = time.monotonic()
            if began - start > budget:
                return
            try:
                _, peak, said = self.train(case, cell, start + 2 * budget - began, "-v", str(FOLDS),
                                           f"{case.folder}/train.svm")
                found[cell] = self.value(case, said)
                peaks.append(peak)
            except Killed as at:
                killed.append(cell)
                peaks.append(at.args[0])
            spent.append(time.monotonic() - began)

        with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
            list(pool.map(work, cells))
        peak = max(peaks)
        if len(found) < len(cells):
            seconds = sum(spent) / len(spent) * len(cells) / CORES
            return Result(seconds, f"{len(found)} of {len(cells)} cells", CORES, peak,
                          ">" if killed else "~")
        best = min(found, key=found.get)
        model = f"{case.folder}/svm.model"
        self.train(case, best, None, f"{case.folder}/train.svm", model)
        seconds = time.monotonic() - start
        said = run("svm-predict", f"{case.folder}/test.svm", model, f"{case.folder}/svm.out")[2]
        return Result(seconds, None, CORES, peak, sigma=best[0], second=f"C={best[1]:g}",
                      value=found[best], test=self.value(case, said))


def contestants(peers):
    yield Specreg("specreg", f"kfold:k={FOLDS}", first=True, always=True)
    yield Specreg("specreg exhaustive", f"kfold:k={FOLDS}", "--search", "exhaustive", "--engine",
                  "band", units=WIDTHS, most=EXHAUSTIVE_MOST)
    if "sklearn" in peers:
        yield ScikitLearn()
    if "libsvm" in peers:
        yield LibSvm()
    yield Specreg("specreg loo", "loo", "--search", "exhaustive", group="loo", units=WIDTHS,
                  first=True)
    yield Specreg("specreg loo race", "loo", "--search", "race", group="loo")
    if "numpy" in peers:
        yield NumPy()


# ------------------------------------------------------------------------- table


def flops(group, n):
    """Of the exact way: reduction to tridiagonal form in each fold; for leave-one-out on all rows,
    and the vectors back."""
    if group == "folds":
        return WIDTHS * FOLDS * 4 / 3 * (n - n / FOLDS)**3
    return WIDTHS * (4 / 3 + 2) * n**3


def three(x):
    """Three digits, and never an exponent."""
    return f"{x:.{max(0, 2 - math.floor(math.log10(x)))}f}" if x > 0 else "0"


def row(case, contestant, result, base, rate):
    found = result.found
    error = (lambda v: f"{100 * v:.2f}") if case.classes else (lambda v: f"{v:.4g}")
    svm = contestant.name == "LIBSVM"  # another method: the flops say nothing about it
    share = flops(contestant.group, case.n) / result.seconds / rate
    ratio = (result.mark or base.mark) + three(result.seconds / base.seconds) if base else "-"
    return (contestant.name, result.mark + three(result.seconds), ratio,
            three(found["sigma"]) if found else "-", found.get("second", "-"),
            error(found["value"]) if found else "-", error(found["test"]) if found else "-",
            (f"{result.processes}x" if result.processes > 1 else "") + f"{result.peak:.0f}",
            "-" if svm else f"{100 * share:.{int(share < 0.1)}f} %",
            (result.ran or "all") + (f", jobs {result.jobs}" if hasattr(result, "jobs") else ""))


def line(n, cells):
    name, *numbers, ran = cells
    widths = 9, 8, 6, 8, 8, 8, 7, 7
    numbers = "".join(f" {v:>{w}}" for v, w in zip(numbers, widths))
    print(f"{n:>6} {name:<19}{numbers}  {ran}", flush=True)


def growth(points):
    """Slope of log seconds over log n, by least squares."""
    x, y = ([math.log(v) for v in column] for column in zip(*points))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y)) /
            sum((a - mean_x)**2 for a in x))


def table(options, problem, rate, peers):
    print(f"\n{TITLES[problem]}")
    line("n", ("search", "seconds", "ratio", "sigma", "lambda", "cv error", "test", "MB", "dgemm",
               "run"))
    players = list(contestants(peers))
    seconds = {p.name: [] for p in players}
    for n in options.rows:
        with tempfile.TemporaryDirectory() as folder:
            case = Case(options.build, folder, problem, n)
            base = {}
            for player in players:
                result = player.contest(case, options.budget)
                if result is None:
                    why = "over budget" if n <= player.most else f"up to {player.most} only"
                    line(n, (player.name, *"--------", why))
                    continue
                if player.first:
                    base[player.group] = result
                if result.mark != ">":
                    seconds[player.name].append((n, result.seconds))
                line(n, row(case, player, result, base.get(player.group), rate))
    fits = [f"{name} {growth(p):.2f} ({p[0][0]} to {p[-1][0]})" for name, p in seconds.items()
            if len(p) > 1]
    for first in range(0, len(fits), 3):
        print("        " if first else "growth: ", "; ".join(fits[first:first + 3]), sep="")


def present(peers):
    """The peers that are here; a line for each that is not."""
    missing = {"sklearn": importlib.util.find_spec("sklearn") is None and "python3-sklearn",
               "libsvm": shutil.which("svm-train") is None and "libsvm-tools"}
    for name in peers:
        if missing.get(name):
            print(f"{name}: left out, not here (Debian: apt-get install {missing[name]})")
    return [name for name in peers if not missing.get(name)]


def numbers(text):
    return sorted(int(word) for word in text.split(","))


def some_of(*known):
    def parse(text):
        unknown = set(text.split(",")) - set(known)
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown.pop()} is not one of {', '.join(known)}")
        return text.split(",")
    return parse


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build")
    parser.add_argument("--rows", type=numbers, default=[1000, 2000, 5000, 10000])
    parser.add_argument("--problems", type=some_of(*TITLES), default=list(TITLES))
    parser.add_argument("--peers", type=some_of("sklearn", "libsvm", "numpy", "none"),
                        default=["sklearn", "libsvm", "numpy"])
    parser.add_argument("--budget", type=float, default=60)
    options = parser.parse_args()
    rate = float(run(sys.executable, "-c", DGEMM)[2])
    print(HEADER.format(widths=WIDTHS, lambdas=len(LAMBDAS), folds=FOLDS, costs=len(COSTS),
                        repeats=REPEATS, cheap=CHEAP, cores=CORES, budget=options.budget,
                        rate=rate / 1e9))
    peers = present(options.peers)
    for problem in options.problems:
        table(options, problem, rate, peers)


main()
