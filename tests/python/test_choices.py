#!/usr/bin/env python3
"""Choices of several searches: --select compare has what a fit by each rule alone chooses, with its test errors; cv by
the IDA protocol has the medians of fits on the training rows of its splits; df is told whatever the engine."""
import json
import os
import random
import subprocess
import sys

specreg = os.environ["SPECREG"]
random.seed(11)


def write(name, rows, classes):
    with open(name, "w") as f:
        f.write("a,b,y\n")
        for a, b, noise in rows:
            y = a * a + b + 0.4 * noise
            f.write("%r,%r,%s\n" % (a, b, ("low" if y < 0.8 else "high") if classes else repr(y)))


def run(*args, fails=False):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (args, done.stderr)
    return done.stdout + done.stderr


def record(*args):
    run(*args, *([] if args[0] == "eval" else ["--calibrate", "no"]), "--json", "r.json")
    with open("r.json") as f:
        return json.load(f)


def near(a, b, tolerance=1e-9):
    return abs(a - b) <= tolerance * (abs(a) + abs(b))


rows = [tuple(random.gauss(0, 1) for _ in range(3)) for _ in range(180)]
KERNEL = ["--kernel", "rbf:sigma={0.6,2}", "--param", "lambda=log:1e-5:1:12"]
shown = 0
for classes in (0, 1):
    train, test = "train%d.csv" % classes, "test%d.csv" % classes
    write(train, rows[:100], classes)
    write(test, rows[100:], classes)
    more = ["--features", "none"] if classes else []  # the bound is for models without
    whole = record("fit", train, *KERNEL, *more, "--select", "compare:" + test, "-o", "all.srm")
    compared = whole["selection"]["compared"]
    assert [c["rule"] for c in compared] == ["loo", "kfold", "gcv", "bound", "bound", "balancing", "quasi", "discrepancy", "lcurve", "apriori", "file"]
    for c in compared:
        rule = "bound:form=%d" % c["form"] if "form" in c else "file:" + test if c["rule"] == "file" else c["rule"]
        path = KERNEL[:2] if rule == "apriori" else KERNEL
        if "reason" in c:
            assert c["rule"] == "bound" and not classes, c
            assert "bound" in run("fit", train, *KERNEL, *more, "--select", rule, "-o", "one.srm", fails=True)
            continue
        one = record("fit", train, *path, *more, "--select", rule, "-o", "one.srm")
        assert c["kernel"] == one["kernel"] and c["lambda"] == one["filter"]["lambda"], (rule, c, one["filter"])
        assert near(c["value"], one["selection"]["value"]) and c["criterion"] == one["selection"]["criterion"], rule
        errors = record("eval", "one.srm", test)["test"]
        assert near(c["test_mse"], errors["mse"], 1e-8), (rule, c, errors)
        if classes:
            assert near(c["test_error_rate"], errors["error_rate"])
        shown += 1
    assert whole["selection"]["value"] == record("fit", train, *KERNEL, *more, "-o", "one.srm")["selection"]["value"]
    text = run("fit", train, *KERNEL, *more, "--select", "compare", "-o", "m.srm")
    assert "criterion" in text and "quasi" in text and "file" not in text.split("train ")[0].split("selected")[1], text
print(shown, "choices of rules, and their test errors: as fits by each alone")
assert "compare is for fit" in run("path", "train0.csv", "--select", "compare", fails=True)
assert "cannot read" in run("fit", "train0.csv", "--select", "compare:none.csv", "-o", "m.srm", fails=True)
assert "compare takes several searches" in run("plan", "train0.csv", "--select", "compare", fails=True)

# The IDA protocol.
N = 60
lines = open("train1.csv").read().split("\n")[:N + 1]
with open("ida.csv", "w") as f:
    f.write("\n".join(lines) + "\n")
splits = [sorted(random.sample(range(N), 40)) for _ in range(7)]
with open("splits.txt", "w") as f:
    f.writelines(" ".join(map(str, s)) + "\n" for s in splits)


def part(name, which):
    with open(name, "w") as f:
        f.write("\n".join([lines[0], *(lines[1 + i] for i in which)]) + "\n")


found = record("cv", "ida.csv", "--kernel", "rbf", "--select", "ida:splits.txt")["folds"]
chosen = []
for s in splits[:5]:
    part("part.csv", s)
    one = record("fit", "part.csv", "--kernel", "rbf", "--select", "kfold:k=5", "-o", "one.srm")
    chosen.append((one["kernel"]["sigma"], one["filter"]["lambda"]))
sigma, lam = (sorted(v)[2] for v in zip(*chosen))
assert len({v for v, _ in chosen}) > 1
for s, fold in zip(splits, found):
    assert near(fold["kernel"]["sigma"], sigma) and near(fold["filter"]["lambda"], lam), (fold, sigma, lam)
    part("part.csv", s)
    part("rest.csv", [i for i in range(N) if i not in s])
    run("fit", "part.csv", "--kernel", "rbf:sigma=%r" % sigma, "--param", "lambda=%r" % lam, "-q", "-o", "one.srm")
    assert near(record("eval", "one.srm", "rest.csv")["test"]["mse"], fold["mse"], 1e-8)
print("the IDA protocol in cv: medians of fits on its training rows alone")

# Degrees of freedom, whatever the engine: those of the decomposition.
for name, path in (("tikhonov", "lambda=0.01"), ("landweber", "t=50"), ("nu:nu=2", "t=9"), ("iterated:order=3", "lambda=0.1"),
                   ("chebyshev", "t=12"), ("showalter", "lambda=0.02")):
    exact = record("path", "train0.csv", "--kernel", "rbf:sigma=1", "--filter", name, "--param", path, "--engine", "eig", "--select", "none")["table"][0]["df"]
    for engine in ("auto", "krylov"):
        r = record("fit", "train0.csv", "--kernel", "rbf:sigma=1", "--filter", name, "--param", path, "--engine", engine, "--select", "none", "-o", "m.srm")
        assert near(r["df"], exact, 1e-6) and "df_stderr" not in r, (name, engine, r["df"], exact)
    folds = record("cv", "train0.csv", "--kernel", "rbf:sigma=1", "--filter", name, "--param", path, "--select", "none")["folds"]
    assert all(0 < f["df"] < f["n_train"] for f in folds)
