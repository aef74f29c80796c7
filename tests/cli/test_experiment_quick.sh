#!/bin/sh
# experiment NAME --quick: in seconds, three of them in `make test` and all that have their data in `make test-all`.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "saturation: exponents of the theory"
ok experiment saturation --quick --json run.json -o figure.csv
prints '^holds +the approximation error falls as lambda\^min\(r, qualification\)'
python3 - <<'PY' || fail "the exponents are min(r, qualification)"
import json
run = json.load(open("run.json"))
assert run["sizes"] == [16, 32] and run["repeats"] == 2
for method, qualification in (("tikhonov", 1), ("iterated", 4), ("tsvd", 1e9), ("nu", 2)):
    for r, exponent in zip(run["smoothness"], run["approximation_exponents"][method]):
        assert abs(exponent - min(r, qualification)) < 0.1, (method, r, exponent)
assert len(run["curves"]) == 12 and all(len(c["least_error"]) == 4 for c in run["curves"])
PY
[ "$(head -n 1 figure.csv | tr ',' '\n' | wc -l)" = 14 ] || fail "the columns of the figure"

checking "the least error of tikhonov for sin 2 pi x with 16 points, from the points themselves"
python3 - <<'PY' || fail "the least error"
import json, math
top = 2**64 - 1
odd = 0x9E3779B97F4A7C15
def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & top
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & top
    return z ^ (z >> 31)
key = mix(odd)
for part in (60, 2, 16, 0):  # the experiment, the curve, n, the repetition
    key = mix(key + odd * (part + 1) & top)
count = 0
def uniform():
    global count
    count += 1
    return ((mix(key + odd * count & top) >> 11) + 0.5) / 2**53
def normal():
    radius = math.sqrt(-2 * math.log(uniform()))
    return radius * math.cos(2 * math.pi * uniform())
def solve(A, b):  # Gauss, A positive definite
    A, b, n = [row[:] for row in A], b[:], len(b)
    for k in range(n):
        for i in range(k + 1, n):
            f = A[i][k] / A[k][k]
            for j in range(k, n):
                A[i][j] -= f * A[k][j]
            b[i] -= f * b[k]
    for k in reversed(range(n)):
        b[k] = (b[k] - sum(A[k][j] * b[j] for j in range(k + 1, n))) / A[k][k]
    return b
n, f = 16, lambda x: math.sin(2 * math.pi * x)
kernel = lambda x, z: min(x, z) * (1 - max(x, z))
grid = [(i + 0.5) / 1000 for i in range(1000)]
square = sum(f(x) ** 2 for x in grid) / 1000
x, y = [], []
for i in range(n):
    x.append(uniform())
    y.append(f(x[-1]) + 0.3 * math.sqrt(square) * normal())
K = [[kernel(a, b) for b in x] for a in x]
G = [[kernel(a, b) for b in x] for a in grid]
least = math.inf
for k in range(71):
    shift = n * 10 ** (-k / 10)
    c = solve([[K[i][j] + (shift if i == j else 0) for j in range(n)] for i in range(n)], y)
    error = sum((sum(g * v for g, v in zip(row, c)) - f(a)) ** 2 for row, a in zip(G, grid)) / 1000
    least = min(least, error / square)
run = json.load(open("run.json"))
said = next(c for c in run["curves"] if (c["curve"], c["method"]) == ("sine", "tikhonov"))["least_error"][0]
assert abs(said / least - 1) < 1e-6, (said, least)
PY

if [ -r "${SPECREG_DATA:-}/ida/heart.csv.gz" ]; then
    checking "loo: one split, by path and by a prediction for each row"
    ok experiment loo --sets heart --splits 1 --json loo.json
    prints '^holds +the bound is never below the leave-one-out error'
    prints '^holds +both forms of the bound are the same'
    gzip -dc "$SPECREG_DATA/ida/heart.csv.gz" >all.csv
    gzip -dc "$SPECREG_DATA/ida/heart.orig-splits.gz" | head -n 1 | tr ' ' '\n' | sort -n >rows
    awk 'NR == FNR { take[$1 + 2] = 1; next } FNR == 1 { print > "tr.csv"; print > "te.csv"; next }
         { print > (take[FNR] ? "tr.csv" : "te.csv") }' rows all.csv
    ok fit tr.csv -o m.srm -q --kernel rbf:sigma=median --features none --param lambda=0.01 --select none --json fit.json
    ok predict m.srm tr.csv -q -o f.csv
    ok eval m.srm te.csv -q --json eval.json
    python3 - <<'PY' || fail "the bound and the test error at lambda = 0.01"
import csv, json
along = json.load(open("loo.json"))["sets"][0]["along_lambda"]
at = min(range(25), key=lambda i: abs(along["lambda"][i] - 0.01))
assert abs(along["lambda"][at] - 0.01) < 1e-12
y = [float(r["y"]) for r in csv.DictReader(open("tr.csv"))]
rows = list(csv.DictReader(open("f.csv")))
f = [float(r["score:1"]) for r in rows]
n = len(y)
bound = 100 * sum(a * b <= 1 / (1 + n * 0.01) for a, b in zip(y, f)) / n  # K(x, x) = 1
assert abs(along["bound1"][at] - bound) < 1e-9, (along["bound1"][at], bound)
assert abs(along["test"][at] - 100 * json.load(open("eval.json"))["test"]["error_rate"]) < 1e-9
PY
fi

checking "newsgroups: words of each class's own tell all, words at random nothing"
mkdir -p own/20news chance/20news
python3 - <<'PY'
import gzip, random
random.seed(3)
for kind in "own", "chance":
    for part, count in ("train", 15), ("test", 5):
        with gzip.open(f"{kind}/20news/{part}.libsvm.gz", "wt") as f:
            for i in range(20 * count):
                label = i % 20 + 1
                low = 10 * (label - 1) if kind == "own" else 0
                words = sorted(random.sample(range(low + 1, low + 11 if kind == "own" else 201), 4) + [201])
                f.write(f"{label} " + " ".join(f"{w}:{random.randint(1, 3)}" for w in words) + "\n")
PY
for kind in own chance; do
    ok experiment newsgroups --data $kind --sizes 8 --repeats 1 --json $kind.json -q
done
python3 - <<'PY' || fail "errors of newsgroups"
import json
for kind, low, high in ("own", 0, 2), ("chance", 75, 100):
    results = json.load(open(kind + ".json"))["results"]
    assert [r["coding"] for r in results if r["method"] == "rlsc"] == [
        "ova", "bch:63", "bch:63,k=10", "bch:63,k=18", "bch:63,k=30", "dense", "random:zeros=0.5", "ovo", "ovo:decode=votes"]
    for r in results:
        assert r["train"] == 160 and low <= r["error"][0] <= high, r
    rlsc = {r["coding"]: r["error"] for r in results if r["method"] == "rlsc"}
    assert rlsc["ova"] == rlsc["bch:63"]  # all distances are equal: the same labels
    for r in results:
        assert r["method"] == "svm" or abs(r["minus_ova"][0] - (r["error"][0] - rlsc["ova"][0])) < 1e-12, r
PY
echo "1 3:x" | gzip >own/20news/test.libsvm.gz
refused 1 'line 1 is no row of a LIBSVM file' experiment newsgroups --data own

checking "usps4: the area under the ROC is that of eval, with the lambda that leave-one-out took"
mkdir -p own/usps
python3 - <<'PY'
import gzip, random
random.seed(4)
for part, n in ("train", 80), ("test", 60):
    rows = ["y,x1,x2"]
    for i in range(n):
        four = random.random() < 0.4
        rows.append("%d,%.6f,%.6f" % (4 if four else random.choice([1, 7]), random.gauss(2 * four, 2), random.gauss(0, 2)))
    text = "\n".join(rows) + "\n"
    gzip.open(f"own/usps/{part}.csv.gz", "wt").write(text)
    open(f"usps-{part}.csv", "w").write("\n".join(["y" + text[1:].split("\n")[0]] +
        [("four" if r[0] == "4" else "another") + r[1:] for r in rows[1:]]) + "\n")
PY
ok experiment usps4 --data own --repeats 2 --sizes 40,20 --json usps.json -q
ok fit usps-train.csv --kernel rbf:sigma=5 --scale none --features none --select none --approx exact \
    --param "lambda=$(value usps.json lambda)" -q -o usps.srm
ok eval usps.srm usps-test.csv -q --json usps-eval.json
near "$(value usps.json rlsc.area)" "$(value usps-eval.json test.auc)" 1e-9 || fail "the area of RLSC"
python3 - <<'PY' || fail "shapes of the curves"
import json
run = json.load(open("usps.json"))
assert [(r["method"], r["centres"]) for r in run["results"]] == [
    (m, n) for n in (40, 20) for m in ("subset", "rectangle", "nystrom", "ic")]
for r in [run["rlsc"], *run["results"]]:
    assert all(a <= b for a, b in zip(r["found"], r["found"][1:])) and r["found"][-1] == 1
assert all(len(r["areas"]) == (1 if r["method"] == "ic" else 2) for r in run["results"])
assert run["false_positives"][0] == 0.001 and run["false_positives"][-1] == 1
PY

checking "what --quick leaves open can be asked for"
ok experiment saturation --quick --repeats 1 --sizes 20 --json one.json -q
[ "$(value one.json repeats) $(value one.json sizes.0)" = "1 20" ] || fail "--repeats and --sizes go before --quick"
refused 2 'list has no option --quick' experiment list --quick

checking "--quick of the others ends well"
names='trend unlabelled'
whole && names="$names multitask field1 field2 sparse-tasks timing scale"
[ -r "${SPECREG_DATA:-}/ida/heart.csv.gz" ] && names="$names ida loo"
if whole && [ -r "${SPECREG_DATA:-}/school/school.csv.gz" ]; then
    names="$names school currents newsgroups faces usps4 faces-approx grls-text"
fi
for name in $names; do
    ok experiment "$name" --quick --json "$name.json"
    prints 'claims hold|^mean over 2 sets'
done
[ -r "${SPECREG_DATA:-}/ida/heart.csv.gz" ] || echo "skipped: those that read data: no ida/heart.csv.gz under '${SPECREG_DATA:-}' (SPECREG_DATA)"
