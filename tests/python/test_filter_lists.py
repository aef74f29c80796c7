#!/usr/bin/env python3
"""Lists of a filter's parameters: every setting has the values that a search over it alone has, and the best of all wins.

The searches over one setting are the answer: their folds and leverages are compared with refits elsewhere.
"""
import itertools
import json
import os
import random
import subprocess
import sys

specreg = os.environ["SPECREG"]
random.seed(5)
N = 80


def write(name, n):
    with open(name, "w") as f:
        f.write("a,b,y\n")
        for _ in range(n):
            a, b = random.gauss(0, 1), random.gauss(0, 1)
            f.write(f"{a!r},{b!r},{a * b + a * a + 0.2 * random.gauss(0, 1)!r}\n")


def run(*args, fails=False):
    done = subprocess.run([specreg, *args], capture_output=True, text=True)
    assert (done.returncode != 0) == fails, (args, done.stderr)
    return done.stdout + done.stderr


def record(command, *args):
    run(command, "data.csv", *args, "--calibrate", "no", "--json", "r.json", *(["-o", "m.srm"] if command == "fit" else []))
    with open("r.json") as f:
        return json.load(f)


def near(a, b, tolerance=1e-8):
    return (a is None and b is None) or abs(a - b) <= tolerance * (abs(a) + abs(b) + 1e-12)


def key(row, path):
    return json.dumps(row["kernel"], sort_keys=True), row[path]


write("data.csv", N)
KERNEL = ["--kernel", "rbf:sigma={0.7,2}"]
CASES = [  # name, lists, path, values, rules
    ("iterated", {"order": [1, 2, 5]}, "lambda", "{1,0.1,0.01,0.001}", ("kfold", "gcv", "holdout")),
    ("nu", {"nu": [1, 2.5]}, "t", "{1,4,20}", ("kfold", "gcv")),
    ("landweber", {"theta": [0, 0.5], "step": ["auto", "1.5/norm"]}, "t", "{1,10,100}", ("kfold", "holdout")),
    ("iterated", {"lambda": [1, 0.1]}, "order", "1:6", ("kfold", "quasi")),
    ("cg", {"norm": ["error", "residual"]}, "t", "1:5", ("kfold",)),
]


def searched_alone(case, rule, approx):
    """For every setting of its lists, as text, the rows of a search over it alone and its record."""
    name, lists, path, values, _ = case
    for choice in itertools.product(*lists.values()):
        text = name + ":" + ",".join(f"{k}={v}" for k, v in zip(lists, choice))
        yield dict(zip(lists, choice)), record("fit", "--filter", text, "--param", f"{path}={values}", "--select", rule, *KERNEL,
                                                         *approx)


def matches(row, chosen):
    """Words and numbers alike; a step that follows from the kernel is a number in the table."""
    return all(k == "step" or row["filter"].get(k) == v for k, v in chosen.items())


def check(case, rule, approx=()):
    name, lists, path, values, _ = case
    text = name + ":" + ",".join("%s={%s}" % (k, ",".join(map(str, v))) for k, v in lists.items())
    alone = list(searched_alone(case, rule, approx))
    whole = record("fit", "--filter", text, "--param", f"{path}={values}", "--select", rule, *KERNEL, *approx)
    table, best = whole["selection"]["table"], None
    assert len(table) == sum(len(r["selection"]["table"]) for _, r in alone)
    for chosen, r in alone:
        for row in r["selection"]["table"]:
            mine = [t for t in table if key(t, path) == key(row, path) and matches(t, chosen)
                    and near(t["filter"].get("step", 1), r["filter"].get("step", 1) if t["kernel"] == r["kernel"] else
                             t["filter"].get("step", 1))]
            assert any(near(t["value"], row["value"]) for t in mine), (text, rule, row, mine)
        if rule not in ("quasi",) and (best is None or r["selection"]["value"] < best["selection"]["value"]):
            best = r
    if best:
        assert near(whole["selection"]["value"], best["selection"]["value"]), (text, rule)
        assert whole["filter"][path] == best["filter"][path] and whole["kernel"] == best["kernel"], (text, rule)
    run("predict", "m.srm", "data.csv", "-o", "p.csv", "-q")
    own = f"{name}:" + ",".join(f"{k}={whole['filter'][k]}" for k in lists)
    sigma = whole["kernel"]["sigma"]
    run("fit", "data.csv", "--filter", own, "--param", f"{path}={whole['filter'][path]}", "--select", "none",
        "--kernel", f"rbf:sigma={sigma}", *approx, "-o", "one.srm", "-q", "--calibrate", "no")
    run("predict", "one.srm", "data.csv", "-o", "q.csv", "-q")
    with open("p.csv") as p, open("q.csv") as q:
        assert all(near(float(a), float(b), 1e-6) for a, b in zip(p.read().split()[1:], q.read().split()[1:])), text


for case in CASES:
    for rule in case[4]:
        check(case, rule)
# With fewer centres than rows one pass over them serves every setting.
for case in CASES:
    for rule in case[4]:
        if rule in ("kfold", "holdout"):
            check(case, rule, ("--approx", "rectangle:m=20"))
        if rule == "kfold":
            check(case, rule, ("--approx", "nystrom:m=20"))
for rule in ("loo", "gcv", "kfold"):
    check(CASES[0], rule, ("--approx", "rectangle:m=20"))
check(CASES[0], "kfold", ("--approx", "rectangle:m=20,solver=cg,residual=1e-12"))
check(CASES[0], "kfold", ("--approx", "subset:m=60"))
print("values and winners of", sum(len(c[4]) for c in CASES), "searches: as those over one setting at a time")

# A range, the plan, the path and the folds of cv.
LISTED = ["--filter", "iterated:order=1:3", "--param", "lambda={0.1,0.01}", *KERNEL]
r = record("plan", *LISTED)
assert r["kernel_candidates"] == 2 and r["filter_candidates"] == 3 and r["path_points"] == 2
assert [s["name"] for s in record("fit", *LISTED)["selection"]["searched"] if s["of"] == "filter"] == ["order", "lambda"]
rows = record("path", *LISTED)["table"]
assert [(t["filter"]["order"], t["lambda"]) for t in rows] == 2 * [(q, v) for q in (1, 2, 3) for v in (0.1, 0.01)]
few = ["--approx", "rectangle:m=20"]
rows = record("path", *LISTED, *few)["table"]
assert [(t["filter"]["order"], t["lambda"]) for t in rows] == 2 * [(q, v) for q in (1, 2, 3) for v in (0.1, 0.01)]
for q in (1, 2, 3):
    one = record("path", "--filter", f"iterated:order={q}", *LISTED[2:], *few)["table"]
    for a, b in zip([t for t in rows if t["filter"]["order"] == q], one):
        assert all(near(a[k], b[k]) for k in ("df", "train_mse", "value")), (a, b)
rows = record("path", *LISTED)["table"]
for q in (1, 2, 3):
    one = record("path", "--filter", f"iterated:order={q}", *LISTED[2:])["table"]
    for a, b in zip([t for t in rows if t["filter"]["order"] == q], one):
        assert all(near(a[k], b[k]) for k in ("df", "train_mse", "value")), (a, b)
run("path", "data.csv", *LISTED, "--predict", "data.csv", "-o", "p.csv", "-q")
with open("p.csv") as f:
    assert len(set(f.readline().strip().split(","))) == 12
assert all(f["filter"]["order"] in (1, 2, 3) for f in record("cv", *LISTED)["folds"])

# A search that goes on from its checkpoint gives the same bytes.
fit = ["fit", "data.csv", *LISTED, "-q", "--calibrate", "no", "--checkpoint", "c.ck", "-o"]
run(*fit, "first.srm")
run(*fit, "again.srm")
with open("first.srm", "rb") as a, open("again.srm", "rb") as b:
    assert a.read() == b.read()
tables = [record("fit", *LISTED, *more)["selection"]["table"] for more in ([], ["--checkpoint", "d.ck"], ["--checkpoint", "d.ck"])]
assert tables[0] == tables[1] == tables[2]

# A race compares every setting on its part of the rows too, and has the winner of the grid.
write("data.csv", 1000)
race = ["--filter", "iterated:order={1,4}", "--param", "lambda=log:1e-5:1:6", "--kernel", "rbf:sigma=log:0.5:8:8"]
a, b = (record("fit", *race, "--search", how) for how in ("race", "grid"))
assert any(n.startswith("race:") for n in a["notes"]), a["notes"]
assert a["kernel"] == b["kernel"] and a["filter"]["order"] == b["filter"]["order"] and near(a["selection"]["value"], b["selection"]["value"], 1e-3)

for text, says in (("nu:nu={1,2", "write a list as {1,2,3}"), ("nu:nu={}", "write a list as {1,2,3}"), ("nu:nu={1,1}", "a list has a value twice"),
                   ("nu:nu={1,x}", "'x' is not a number"), ("iterated:order={1,1.5}", "order must be a whole number"),
                   ("nu:nu=lin:1:2:300", "these lists make more than 200 settings"), ("nu:nu=lin:1:2", "is not a range"),
                   ("landweber:step={1,3/norm}", "step=3/norm is too long")):
    assert says in run("fit", "data.csv", "--filter", text, "-o", "m.srm", fails=True), text
print("ranges, plan, path, cv, checkpoint, race and mistakes: as they should be")
