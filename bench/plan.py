#!/usr/bin/env python3
"""How true the seconds of `specreg plan` are: predicted and measured times of fits, side by side.

    tools/python3 bench/plan.py BUILD [--rows 500,1000,2000,4000] [--problems ring,sine] [--rules ...]
                                      [--filters ...] [--engines ...] [--most SECONDS] [--repeats N]
                                      [--threads N] [--cpu] [--default] [--csv FILE]

Each case is a fit with three widths (one, and one parameter, with rule none) with the engine `auto`
and with every engine that applies; `auto` also with the default grid of widths.  What the plan says
takes longer than --most seconds is left out.  Measured is the record's total less reading, the least of
--repeats runs; with --cpu the processor time of the fit less that of the plan, which on a busy machine is nearer to what a
quiet one would take: with --threads 1, else the threads wait for each other.  The machine is measured
first (plan --calibrate again) into a cache of its own, unless --built-in takes the built-in figures."""
import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

BENCH = os.path.dirname(os.path.abspath(__file__))
ONE = {"tikhonov": "lambda=1e-4", "landweber": "t=1000", "nu": "t=100", "tsvd": "lambda=1e-3",
       "iterated": "lambda=1e-4", "showalter": "lambda=1e-4", "cg": "t=20"}
WITHIN, SHORTEST = 2, 0.02  # what is measured as shorter than that is not counted


def words(text):
    return text.split(",")


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("build")
    p.add_argument("--rows", type=words, default=["500", "1000", "2000", "4000"])
    p.add_argument("--problems", type=words, default=["ring", "sine"])
    p.add_argument("--filters", type=words, default=["tikhonov", "landweber", "nu", "tsvd"])
    p.add_argument("--rules", type=words, default=["loo", "gcv", "kfold:k=5", "none"])
    p.add_argument("--engines", type=words, default=None, help="default: auto and all that apply")
    p.add_argument("--most", type=float, default=20)
    p.add_argument("--repeats", type=int, default=2)
    p.add_argument("--threads", default="0")
    p.add_argument("--cpu", action="store_true")
    p.add_argument("--built-in", action="store_true")
    p.add_argument("--csv", help="the rows of the table also as CSV")
    return p.parse_args()


class Command:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))

    def __call__(self, *what):
        """The record of a command, or None where it is refused, and its processor time."""
        out = os.path.join(self.folder, "record.json")
        call = [os.path.join(self.options.build, "specreg"), *what, "--json", out, "-q", "--no-progress",
                "--threads", self.options.threads]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(call, env=self.environment, stderr=subprocess.PIPE, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode:
            return None, 0
        with open(out) as f:
            record = json.load(f)
        return record, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def measure(run, options, case, start):
    best, engine = math.inf, "?"
    for _ in range(options.repeats):
        record, cpu = run("fit", *case)
        if record is None:
            return None
        wall = record["seconds"]["total"] - record["seconds"]["read"]
        best = min(best, max(cpu - start, 0) if options.cpu else wall)
        engine = record["selection"].get("engine") or record["engine"]
        if best > 3:
            break
    return best, engine


def cases(options, folder):
    for problem in options.problems:
        for n in options.rows:
            data = os.path.join(folder, problem + n)
            os.mkdir(data)
            median = float(subprocess.run(
                [sys.executable, os.path.join(BENCH, "synthetic.py"), problem, n, data],
                check=True, stdout=subprocess.PIPE, text=True).stdout)
            widths = "{%g,%g,%g}" % (median / 2, median, 2 * median)
            for filter_ in options.filters:
                for rule in options.rules:
                    case = [os.path.join(data, "train.csv"), "--filter", filter_, "--select", rule]
                    one = rule == "none"
                    three = ["--kernel", f"rbf:sigma={median if one else widths}", "--extend", "no"]
                    single = ["--param", ONE[filter_]] if one else []
                    yield (problem, n, filter_, rule), case + three + single, not one
                    if not one and (options.engines is None or "auto" in options.engines):
                        yield (problem, n, filter_, rule + " *"), case, False


def engines_of(run, options, case, compare):
    plan, _ = run("plan", *case)
    if plan is None:
        return []
    if not compare and "--param" not in case:
        return ["auto"]
    applying = ["auto"] + [e["name"] for e in plan["engines"] if e["applies"]]
    return [e for e in applying if options.engines is None or e in options.engines]


def main():
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        run = Command(options, folder)
        head = ("problem", "rows", "filter", "rule", "engine", "search by", "predicted", "measured", "ratio")
        form = "{:8} {:>5} {:10} {:12} {:9} {:9} {:>9} {:>9} {:>6}"
        print("* the default grid of widths, extended where that is called for\n" + form.format(*head))
        rows, left_out = [], 0
        how = ["--calibrate", "no"] if options.built_in else []
        first = not options.built_in
        for name, case, compare in cases(options, folder):
            if first:
                run("plan", case[0], "--calibrate", "again")
                first = False
            for engine in engines_of(run, options, case + how, compare):
                plan, start = run("plan", *case, *how, "--engine", engine)
                if plan is None or plan["seconds"] > options.most:
                    left_out += plan is not None
                    continue
                got = measure(run, options, case + how + ["--engine", engine], start)
                if got is None:
                    continue
                ratio = plan["seconds"] / max(got[0], 1e-6)
                row = (*name, engine, got[1], plan["seconds"], got[0], ratio)
                rows.append(row)
                print(form.format(*row[:6], f"{row[6]:.3g}", f"{row[7]:.3g}", f"{ratio:.2f}"), flush=True)
        report(rows, left_out, options)
        if options.csv:
            with open(options.csv, "w", newline="") as f:
                csv.writer(f).writerows([head, *rows])


def report(rows, left_out, options):
    rows = [r for r in rows if r[7] >= SHORTEST]
    if not rows:
        return
    ratios = sorted(rows, key=lambda r: abs(math.log(r[-1])))
    good = sum(1 / WITHIN <= r[-1] <= WITHIN for r in rows)
    print(f"\n{good} of {len(rows)} that take {SHORTEST} s or more within a factor of {WITHIN}; left out "
          f"(over {options.most:g} s): {left_out}")
    print("the worst:")
    for r in reversed(ratios[-5:]):
        print("  " + " ".join(map(str, r[:6])) + f": {r[6]:.3g} s for {r[7]:.3g} s, {r[8]:.2f}")


main()
