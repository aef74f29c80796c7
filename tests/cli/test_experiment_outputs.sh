#!/bin/sh
# experiment multitask, field1, field2, school, currents and trend: small runs, and what must be true of them.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "multitask: a common kernel is better with few points of each task's own, not with the same"
ok experiment multitask --repeats 4 --sizes 5,10 --json a.json -o a.csv
prints '^multi-task +5 '
prints '^vector-valued +10 '
prints '^holds +multi-task: coupling is significantly advantageous: better at 2 of 2 sizes'
prints '^[0-3] of 3 claims hold$'
python3 - <<'PY' || fail "record and table of multitask"
import csv, json, statistics as s
record = json.load(open("a.json"))
rows = {int(float(r["n"])): r for r in csv.DictReader(open("a.csv"))}
assert record["experiment"] == "multitask" and record["repeats"] == 4 and len(record["claims"]) == 3
assert [(r["case"], r["n"]) for r in record["results"]] == [
    ("tasks", 5), ("tasks", 10), ("vector", 5), ("vector", 10)]
for r in record["results"]:
    for key in "coupled", "independent":
        assert len(r[key]) == 4 and min(r[key]) > 0.008, r  # the noise alone is 0.01 +- 0.0005
        column = r["case"] + "." + key
        assert abs(float(rows[r["n"]][column]) - s.mean(r[key])) < 1e-12
        assert abs(float(rows[r["n"]][column + ".stddev"]) - s.stdev(r[key])) < 1e-12
    assert all(0 <= w <= 1 for w in r["omega"])
gain = {(r["case"], r["n"]): s.mean(r["coupled"]) / s.mean(r["independent"]) for r in record["results"]}
assert gain["tasks", 5] < 0.7, gain
PY

checking "the same seed gives the same record, another seed another one"
ok experiment multitask --repeats 4 --sizes 5,10 --json b.json -q
cmp -s a.json b.json || fail "two runs should agree"
ok experiment multitask --repeats 1 --sizes 5 --seed 1 --json b.json -q
ok experiment multitask --repeats 1 --sizes 5 --seed 0 --json c.json -q
cmp -s b.json c.json && fail "another seed should give other numbers"
near "$(value a.json results.0.coupled.0)" "$(value c.json results.0.coupled.0)" 1e-12 ||
    fail "the first repetition should not depend on how many there are"

checking "field1: a curl-free field is known as one, and learned better as one"
ok experiment field1 --repeats 2 --sizes 10,30 --json f1.json -o f1.csv
prints '^ +0\.0 +0\.5 +30 '
prints '^holds +noise 0\.0, gamma 0\.0: the vector-valued approach is better: at 2 of 2 sizes'
python3 - <<'PY' || fail "record and table of field1"
import csv, json, statistics as s
results = json.load(open("f1.json"))["results"]
rows = list(csv.DictReader(open("f1.csv")))
assert len(results) == len(rows) == 8
for r, row in zip(results, rows):
    assert (r["gamma"], r["noise"], r["n"]) == tuple(float(row[k]) for k in ("gamma", "noise", "n"))
    assert abs(float(row["field"]) - s.mean(r["field"])) < 1e-12
    assert all(0 < a < 180 for a in r["field"] + r["components"])
at = {(r["noise"], r["gamma"], r["n"]): r for r in results}
assert at[0, 0, 30]["estimated"] == [0, 0]
assert s.mean(at[0, 0, 30]["field"]) < s.mean(at[0, 0, 10]["field"]) < s.mean(at[0.3, 0, 10]["field"])
PY
if whole; then
    ok experiment field1 --repeats 1 --sizes 20 --json narrow.json -q
    ok experiment field1 --repeats 1 --sizes 20 --width 0.8 --json same.json -q
    ok experiment field1 --repeats 1 --sizes 20 --width 1.2 --json wide.json -q
    ok experiment field1 --repeats 1 --sizes 20 --spread 0.45 --json rough.json -q
    same_results() { # but for the times
        sed '/seconds/d' "$1" >a.txt && sed '/seconds/d' "$2" >b.txt && cmp -s a.txt b.txt
    }
    same_results narrow.json same.json || fail "0.8 is not the default width"
    ! same_results narrow.json wide.json || fail "another width gives the same results"
    ! same_results narrow.json rough.json || fail "narrower Gaussians give the same results"
    ok experiment field1 --repeats 1 --sizes 5 --all --json all.json -q
    python3 - <<'PY' || fail "--all: eleven gammas, with and without noise"
import json
record = json.load(open("all.json"))
results = record["results"]
assert len(record["claims"]) == 22 # none about convergence, with one size
assert [round(10 * r["gamma"]) for r in results] == 2 * list(range(11))
assert [r["noise"] for r in results] == 11 * [0] + 11 * [0.3]
PY
fi

checking "field2: better as a field; less so with noise"
ok experiment field2 --repeats 2 --sizes 50 --json f2.json
prints '^ +20 % +50 '
prints '^3 of 3 claims hold$'

checking "school, on schools of our own: 60 % of each in three parts, with a score that the bits tell"
refused 1 'nothing/school/school.csv.gz: .*--data DIR' experiment school --data nothing
mkdir -p data/school data/vectorfield
awk 'BEGIN { srand(2); printf "task"; for (k = 1; k <= 28; k++) printf ",x%d", k; print ",y"
    for (t = 1; t <= 6; t++) for (i = 0; i < 50; i++) {
        printf "%d", t; sum = 0
        for (k = 1; k <= 28; k++) { b = rand() < 0.3; printf ",%d", b; if (k >= 8 && k <= 10) sum += (k - 7) * b }
        printf ",%d\n", int(20 + t + 5 * sum + 4 * rand()) } }' | gzip >data/school/school.csv.gz
ok experiment school --data data --repeats 2 --json s.json -o s.csv
prints '^nu-method .* 31 \+- 3 .* 106$'
prints '^Landweber .* 32 \+- 4 .* 2015$'
prints '^Tikhonov .* 32 \+- 3 .* 5900$'
prints '^learned .* - +[0-9.]+ .* -$'
prints '^[0-5] of 5 claims hold$'
python3 - <<'PY' || fail "record of school"
import json, math
record = json.load(open("s.json"))
assert (record["students"], record["schools"], record["part"]) == (300, 6, 60)
assert [m["method"] for m in record["methods"]] == ["nu", "landweber", "tikhonov", "learned", "tikhonov, engine eig"]
# 19 bits, each set with probability 0.3: two students differ in 8 on average, near ones in fewer
assert all(1.5 < s < math.sqrt(8) for s in record["sigma"])
for m in record["methods"]:
    assert all(50 < e < 100 for e in m["explained_variance"]), m
    assert len(m["explained_variance"]) == (1 if "eig" in m["method"] else 2)
tikhonov, learned, anew = record["methods"][2:]
assert abs(tikhonov["explained_variance"][0] - anew["explained_variance"][0]) < 0.5
PY
gzip -dc data/school/school.csv.gz | sed 's/,x21,/,x30,/' | gzip >t && mkdir -p bad/school && mv t bad/school/school.csv.gz
refused 1 "there is no column 'x21'" experiment school --data bad
gzip -dc data/school/school.csv.gz | head -n 3 | gzip >t && mv t bad/school/school.csv.gz
refused 1 'needs 3 students' experiment school --data bad
gzip -dc data/school/school.csv.gz | sed '2,$s/^\([0-9]*\),.*,/\1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,/' |
    gzip >t && mv t bad/school/school.csv.gz
refused 1 'no width' experiment school --data bad

checking "currents, on a field of our own without divergence"
refused 1 'nothing/vectorfield/glad_full.csv: .*--data DIR' experiment currents --data nothing
awk 'BEGIN { srand(3); print "x,y,u,v"; for (i = 0; i < 60; i++) { x = 4 * rand(); y = 3 * rand()
    printf "%.6f,%.6f,%.6f,%.6f\n", x, y, sin(x) * cos(1.5 * y) + 0.02 * (rand() - 0.5) + 1,
        -cos(x) * sin(1.5 * y) / 1.5 + 0.02 * (rand() - 0.5) } }' >data/vectorfield/laser_sparse.csv
ok experiment currents --data data --sets laser_sparse --repeats 2 --json c.json -o map.csv
prints '^laser_sparse +60 '
prints '^holds +laser_sparse: a kernel for fields is better .* less in 2 of 2 splits'
python3 - <<'PY' || fail "record and map of currents"
import csv, json
r = json.load(open("c.json"))["results"][0]
assert min(r["gamma"]) >= 0.8, r["gamma"]
rows = [{k: float(v) for k, v in row.items()} for row in csv.DictReader(open("map.csv"))]
assert len(rows) == 1600
at = lambda i, j, key: rows[40 * j + i][key]
hx, hy = at(1, 0, "x") - at(0, 0, "x"), at(0, 1, "y") - at(0, 0, "y")
def slopes(i, j, part):  # the divergence and the curl, by central differences
    d = lambda c, a, b: (at(i + a, j + b, c + part) - at(i - a, j - b, c + part))
    ux, uy = d("u", 1, 0) / (2 * hx), d("u", 0, 1) / (2 * hy)
    vx, vy = d("v", 1, 0) / (2 * hx), d("v", 0, 1) / (2 * hy)
    return abs(ux + vy), abs(vx - uy), max(map(abs, (ux, uy, vx, vy)))
inner = [(i, j) for i in range(1, 39) for j in range(1, 39)]
for part, which in ((":divfree", 0), (":curlfree", 1)):
    found = [slopes(i, j, part) for i, j in inner]
    size = max(f[2] for f in found)
    # differences are off by h^2/6 f''', and f''' is of the size of f' times the square of 2: waves
    # of length pi or so; hx and hy are 0.1
    assert max(f[which] for f in found) <= 0.04 * size + 1e-12, (part, size)
for row in rows:
    assert abs(row["u"] - row["u:curlfree"] - row["u:divfree"]) < 1e-6
# on the grid it is the field without its mean current, up to the noise and the border
inner = [rows[40 * j + i] for i in range(8, 32) for j in range(8, 32)]
import math
off = [row["v"] + math.cos(row["x"]) * math.sin(1.5 * row["y"]) / 1.5 for row in inner]
mean = sum(off) / len(off)
assert max(abs(o - mean) for o in off) < 0.1, max(abs(o - mean) for o in off)
PY
printf 'x,y,u\n1,2,3\n' >data/vectorfield/glad_sparse.csv
refused 1 'glad_sparse.csv: should have columns x,y,u,v' experiment currents --data data \
    --sets glad_sparse -q

checking "trend: with a polynomial that costs nothing the curve depends less on the width"
ok experiment trend --repeats 3 --json t.json -o t.csv
prints '^ridge regression .* \+- '
prints '^holds +varying sigma, ridge regression gives different results'
prints '^holds +G-RLS: polynomial features stabilize the results'
prints '^[3-5] of 5 claims hold$'
python3 - <<'PY' || fail "record and figure of trend"
import csv, json, statistics as s
record = json.load(open("t.json"))
rows = list(csv.DictReader(open("t.csv")))
points, grid = [r for r in rows if r["y"]], [r for r in rows if not r["y"]]
assert (len(points), len(grid)) == (50, 501)
assert all(abs(float(r["x"]) - i / 50) < 1e-12 for i, r in enumerate(grid))
assert all(abs(float(r["truth"]) - abs(5 - float(r["x"]))) < 1e-12 for r in grid)
noise = [float(r["y"]) - abs(5 - float(r["x"])) for r in points]
# five deviations of a mean and of a deviation of 50 numbers
assert abs(s.mean(noise)) < 5 * 0.5 / 50**0.5 and abs(s.stdev(noise) - 0.5) < 5 * 0.5 / 98**0.5, noise
distance = lambda a, b: s.mean((float(r[a]) - float(r[b])) ** 2 for r in grid) ** 0.5
assert [r["method"] for r in record["results"]] == ["ridge", "grls", "printed"]
for r in record["results"]:
    assert all(len(v) == 3 for part in ("rmse", "difference") for v in r[part].values())
    for width, v in r["rmse"].items():
        assert abs(v[0] - distance("truth", r["method"] + "." + width)) < 1e-12
    for pair, v in r["difference"].items():
        a, b = (r["method"] + "." + width for width in pair.split("_"))
        assert abs(v[0] - distance(a, b)) < 1e-12
with open("train.csv", "w") as f:
    print("x,y", *(r["x"] + "," + r["y"] for r in points), sep="\n", file=f)
with open("grid.csv", "w") as f:
    print("x", *(r["x"] for r in grid), sep="\n", file=f)
PY
curve() { # KEY FEATURES KERNEL: a fit of the same points, by the command, is the same curve
    ok fit train.csv -o t.srm --features "$2" --kernel "$3" --scale none --select kfold:k=5 -q
    ok predict t.srm grid.csv -o p.csv
    python3 - "$1" <<'PY' || fail "the curve $1 is another one"
import csv, sys
f = [float(r[sys.argv[1]]) for r in csv.DictReader(open("t.csv")) if not r["y"]]
g = [float(next(iter(r.values()))) for r in csv.DictReader(open("p.csv"))]
assert len(f) == len(g) and max(abs(a - b) for a, b in zip(f, g)) < 1e-9
PY
}
curve ridge.small none rbf:sigma=0.1
curve grls.large poly:degree=2 rbf:sigma=10
curve printed.chosen poly:degree=2,variant=paper rbf:sigma=auto
ok experiment trend --repeats 1 --json one.json -q
near "$(value t.json results.1.rmse.small.0)" "$(value one.json results.1.rmse.small.0)" 1e-12 ||
    fail "the first repetition of trend should not depend on how many there are"
ok experiment trend --repeats 1 --seed 1 --json other.json -q
! near "$(value other.json results.1.rmse.small.0)" "$(value one.json results.1.rmse.small.0)" 1e-6 ||
    fail "another seed should give another trend"

checking "unlabelled: neighbours carry six labels along the moons"
ok experiment unlabelled --repeats 2 --sizes 6,16 --json u.json -o u.csv
prints '^holds +neighbours carry few labels'
python3 - <<'PY' || fail "record of unlabelled"
import json
record = json.load(open("u.json"))
assert record["sizes"] == [6, 16] and len(record["curves"]) == 12
assert all(len(c["mse"]) == 4 and max(c["mse"]) < 2 for c in record["curves"])
assert all(c["share"] in (0, 1, 4) for c in record["curves"])
assert [c["curve"] for c in record["curves"]][::3] == ["step", "smooth", "rough", "noisy"]
assert sum(record["moons"]["graph"]) < 0.5 * sum(record["moons"]["alone"])
PY
[ "$(wc -l <u.csv)" -eq 5 ] || fail "the table of unlabelled"

checking "usage"
refused 2 "has no option --sizes" experiment trend --sizes 50
refused 2 "sets --features itself" experiment trend --features constant
refused 2 "has no option --repeats" experiment ida --repeats 2
refused 2 "has no option --width" experiment multitask --width 1
refused 2 "'0' is not a number from 0.01" experiment field1 --width 0
refused 2 "has no option --spread" experiment field2 --spread 1
refused 2 "--spread '-1' is not a number from 0.01" experiment field1 --spread -1
refused 2 "'wide' is not a number from 0.01" experiment field2 --width wide
refused 2 "has no option --sizes" experiment school --sizes 5
refused 2 "experiment: field2 has no option --all" experiment field2 --all
refused 2 "sets --kernel itself" experiment multitask --kernel linear
refused 2 "sets --select itself" experiment currents --select loo
refused 2 "'0' is not a number from 1 to 100" experiment field1 --repeats 0
refused 2 "'2x' is not a number from 1 to 100" experiment field1 --repeats 2x
refused 2 "'4' is not a list of numbers from 5 to 2000" experiment field1 --sizes 4
refused 2 "is not a list" experiment field1 --sizes 10,
refused 2 "unknown set 'nope'" experiment currents --sets glad_full,nope
refused 2 "seed: '-1'" experiment multitask --seed=-1

checking "drifters of the data folder"
if [ -r "${SPECREG_DATA:-}/vectorfield/laser_sparse.csv" ]; then
    ok experiment currents --sets laser_sparse --repeats 1
    prints '^laser_sparse +54 '
else
    echo "skipped: no vectorfield/laser_sparse.csv under '${SPECREG_DATA:-}' (SPECREG_DATA)"
fi

checking "a part of the schools of the data folder"
if [ -r "${SPECREG_DATA:-}/school/school.csv.gz" ]; then
    gzip -dc "$SPECREG_DATA/school/school.csv.gz" | awk -F, 'NR == 1 || $1 <= 12' | gzip >data/school/school.csv.gz
    ok experiment school --data data --repeats 1 --json s.json
    prints '^holds +they improve on 26\.4 %'
else
    echo "skipped: no school/school.csv.gz under '${SPECREG_DATA:-}' (SPECREG_DATA)"
fi
