#!/bin/sh
# --precision single: the matrix is rounded, by as much as the record says, and takes less memory.
. "$SOURCE_DIR/tests/cli/lib.sh"
python3 - <<'PY'
import math, random
random.seed(1) # eight columns: the kernel matrix must not have a low rank, which is kept in double
for name, rows in ("train.csv", 700), ("large.csv", 6000):
    with open(name, "w") as f:
        print(",".join("x%d" % k for k in range(8)) + ",y", file=f)
        for _ in range(rows):
            x = [random.gauss(0, 1) for _ in range(8)]
            print(",".join("%.6f" % v for v in x + [math.sin(x[0]) + x[1] + 0.1 * random.gauss(0, 1)]), file=f)
PY

checking "words that are none"
refused 2 "unknown precision 'half' \(known: double single\)" fit train.csv --precision half -o m.srm

same_but_rounded() { # NAME OPTIONS: predictions of both precisions, and the two records
    name=$1
    shift
    for precision in double single; do
        ok fit train.csv --kernel rbf:sigma=2 --select none "$@" --precision $precision \
            -q -o $precision.srm --json $precision.json
        ok predict $precision.srm train.csv -o $precision.csv
    done
    python3 - <<'PY' || fail "$name: single and double precision should differ by rounding"
import csv, json
double, single = (json.load(open(p + ".json")) for p in ("double", "single"))
assert single["precision"] == "single" and "precision" not in double and "rounding" not in double
assert double["engine"] == single["engine"]
f = double["filter"]
least = f.get("lambda") or 1 / f["t"] ** 2 # of eigenvalues that count
a, b = ([float(r["y"]) for r in csv.DictReader(open(p + ".csv"))] for p in ("double", "single"))
change, size = max(abs(x - y) for x, y in zip(a, b)), max(map(abs, a))
print("  changed by %.1e of %.1f, rounding %.1e" % (change, size, single["rounding"]))
assert 0 < single["rounding"] < 1e-8
assert 0 < change < 10 * single["rounding"] / least * size, (change, single["rounding"] / least)
PY
}

checking "krylov: as far off as rounding over lambda"
same_but_rounded krylov --engine krylov --param lambda=1e-4
checking "iterate: not much off"
same_but_rounded iterate --engine iterate --filter nu --param t=40
checking "weights follow"
awk -F, 'NR == 1 { print $0 ",w"; next } { print $0 "," 1 + NR % 3 }' train.csv >w.csv && mv w.csv train.csv
same_but_rounded weights --engine krylov --param lambda=1e-4 --weights w
checking "and features that are not penalised"
same_but_rounded features --engine krylov --param lambda=1e-4 --features poly:degree=1

checking "engines that compute in double say that nothing was rounded"
for engine in eig band cholesky; do
    ok fit train.csv --kernel rbf:sigma=2 --select none --param lambda=1e-3 --engine $engine \
        --precision single -q -o m.srm --json m.json
    [ "$(value m.json rounding)" = 0.0 ] || fail "$engine: no rounding"
done

checking "a lambda that rounding reaches is told of"
ok fit train.csv --kernel rbf:sigma=2 --select none --param lambda=1e-12 --engine krylov \
    --precision single -o m.srm
prints 'single precision rounds the kernel matrix by about .*lambda=1e-12'
prints 'engine krylov in single precision'

checking "a plan needs less memory"
for precision in double single; do
    ok plan large.csv --kernel rbf:sigma=2 --select none --param lambda=1e-3 --engine krylov \
        --precision $precision --calibrate no --json $precision.json
done
python3 - <<'PY' || fail "single precision should take less memory"
import json
double, single = (
    next(e["bytes"] for e in json.load(open(p + ".json"))["engines"] if e["name"] == "krylov")
    for p in ("double", "single"))
assert single < 0.75 * double, (single, double)
PY
