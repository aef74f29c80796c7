#!/usr/bin/env python3
"""Test error against the number m of centres, for every kind of centres and every kind of --approx, and of
the exact solution.

    tools/python3 bench/centres.py run [--seeds 3] [--m 50,100,200] [--only NAME] RESULTS BUILD DATA [SET ...]
    tools/python3 bench/centres.py table RESULTS

`run` appends a line of JSON to RESULTS for each set, m, method and seed, and leaves out those that are there;
DATA is the folder of data sets; --only names what is run, such as rectangle, rectangle,uniform or exact.  USPS has its own test rows; of the others 80 % train.  One Gaussian kernel for
each set, whose width a search with 300 centres chose; lambda by the mse of five folds, 1e-8 to 1e-2.  The seed decides
about random centres and folds.  The exact solution takes the lambda that rectangle with the most centres
(rpcholesky, seed 1) chose.  `table` prints means over seeds and their standard deviation; – stands for a subset
that lacks a class."""
import argparse
import gzip
import json
import os
import statistics
import subprocess
import tempfile

SETS = {
    "usps": {"files": ("usps/train.csv.gz", "usps/test.csv.gz"), "options": ["--scale", "none"],
             "kernel": "rbf:sigma=8", "measure": "error_rate"},
    "letter": {"files": ("libsvm/letter.csv.gz",), "options": [],
               "kernel": "rbf:sigma=3", "measure": "error_rate"},
    "california_housing": {"files": ("regression/california_housing.csv.gz",), "options": [],
                           "kernel": "rbf:sigma=2", "measure": "r2"},
}
RANDOM = ["uniform", "rpcholesky", "leverage", "kmeans"]
ONCE = [("rectangle", "pivoted"), ("subset", "uniform"), ("subset", "pivoted"), ("nystrom", "uniform"),
        ("nystrom", "pivoted")]
PATH = "lambda=log:1e-8:1e-2:7"


def split(folder, name, scratch):
    """Paths of training and test rows."""
    files = [os.path.join(folder, f) for f in SETS[name]["files"]]
    if len(files) == 2:
        return files
    with gzip.open(files[0], "rt") as f:
        header, rows = f.readline(), f.readlines()
    paths = [os.path.join(scratch, name + part + ".csv") for part in ("-train", "-test")]
    for path, chosen in zip(paths, (lambda i: i % 5 > 0, lambda i: i % 5 == 0)):
        with open(path, "w") as f:
            f.write(header)
            f.writelines(row for i, row in enumerate(rows) if chosen(i * 7919 % len(rows)))
    return paths


def fit(specreg, files, name, approx, more, scratch):
    """The record of the fit, with the test error."""
    of_set, model, record = SETS[name], os.path.join(scratch, "model.srm"), os.path.join(scratch, "r.json")
    for path in (model, record):
        if os.path.exists(path):
            os.remove(path)
    kind = "classification" if of_set["measure"] == "error_rate" else "regression"
    done = subprocess.run([specreg, "fit", files[0], "--kernel", of_set["kernel"], "--approx", approx, "--problem",
                           kind, "-o", model, "--json", record] + of_set["options"] + more,
                          capture_output=True, text=True)
    # a subset may have too few rows of a class
    if done.returncode and approx.startswith("subset"):
        return {"error": None}
    assert done.returncode == 0, done.stderr
    with open(record) as f:
        found = json.load(f)
    out = subprocess.run([specreg, "eval", model, files[1], "--json", "-"], capture_output=True, text=True)
    return {"error": None if out.returncode else json.loads(out.stdout)["test"][of_set["measure"]],
            "lambda": found["filter"]["lambda"], "approx": found["approx"],
            "seconds": found["seconds"]["total"]}


def jobs_of(ms, seeds, only):
    for job in all_jobs(ms, seeds):
        if f"{job[0]},{job[1]}".startswith(only):
            yield job


def all_jobs(ms, seeds):
    for m in ms:
        for seed in range(1, seeds + 1):
            for kind in RANDOM:
                yield "rectangle", kind, m, seed
        for kind, centers in ONCE:
            yield kind, centers, m, 1
    yield "exact", "", 0, 1


def exact_lambda(lines, name):
    """Of the most centres that were tried."""
    tried = [line for line in lines
             if line["set"] == name and line["kind"] == "rectangle" and line["centers"] == "rpcholesky"]
    return max(tried, key=lambda line: (line["m"], -line["seed"]))["lambda"]


def read(path):
    if not os.path.exists(path):
        return []
    with open(path) as f:
        return [json.loads(line) for line in f]


def run(args):
    lines = read(args.results)
    done = {(line["set"], line["kind"], line["centers"], line["m"], line["seed"]) for line in lines}
    specreg = os.path.join(args.build, "specreg")
    ms = [int(m) for m in args.m.split(",")]
    with tempfile.TemporaryDirectory() as scratch:
        files_of = {name: split(args.data, name, scratch) for name in args.sets or SETS}
        for kind, centers, m, seed in jobs_of(ms, args.seeds, args.only):
            for name, files in files_of.items():
                if (name, kind, centers, m, seed) in done:
                    continue
                if kind == "exact":
                    approx, more = "exact", ["--param", f"lambda={exact_lambda(lines, name)}", "--select", "none"]
                else:
                    approx = f"{kind}:m={m},centers={centers}"
                    more = ["--param", PATH, "--select", "kfold", "--criterion", "mse", "--seed", str(seed)]
                line = {"set": name, "kind": kind, "centers": centers, "m": m, "seed": seed,
                        **fit(specreg, files, name, approx, more, scratch)}
                lines.append(line)
                with open(args.results, "a") as f:
                    f.write(json.dumps(line) + "\n")


def cell(lines, name, kind, centers, m):
    errors = [line["error"] for line in lines if (line["set"], line["kind"], line["centers"], line["m"]) ==
              (name, kind, centers, m)]
    if not errors or None in errors:
        return "–"
    # r2 is told as the share of the variance that is left
    left = [100 * (1 - e if SETS[name]["measure"] == "r2" else e) for e in errors]
    spread = f" ± {statistics.stdev(left):.2f}" if len(left) > 1 else ""
    return f"{statistics.mean(left):.2f}{spread}"


def table(args):
    lines = read(args.results)
    columns = [("rectangle", c) for c in RANDOM[:1] + ["pivoted"] + RANDOM[1:]] + \
              [(k, c) for k in ("subset", "nystrom") for c in ("uniform", "pivoted")]
    for name in SETS:
        ms = sorted({line["m"] for line in lines if line["set"] == name and line["m"]})
        if not ms:
            continue
        print(f"\n{name}: exact {cell(lines, name, 'exact', '', 0)} %\n")
        print("| m | " + " | ".join(f"{k}, {c}" for k, c in columns) + " |")
        print("|---" * (len(columns) + 1) + "|")
        for m in ms:
            print(f"| {m} | " + " | ".join(cell(lines, name, k, c, m) for k, c in columns) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    p = commands.add_parser("run")
    p.add_argument("--seeds", type=int, default=3)
    p.add_argument("--m", default="50,100,200,400,800")
    p.add_argument("--only", default="")
    p.add_argument("results")
    p.add_argument("build")
    p.add_argument("data")
    p.add_argument("sets", nargs="*", metavar="SET")
    p.set_defaults(call=run)
    p = commands.add_parser("table")
    p.add_argument("results")
    p.set_defaults(call=table)
    args = parser.parse_args()
    args.call(args)


if __name__ == "__main__":
    main()
