#!/bin/sh
# --linalg lapack gives what own gives, to rounding, whatever the engine; SPECREG_LINALG asks for it, too.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 620 1 # enough rows for two threads and for the divided decomposition
regression_data test.csv 50 2

same() { # OPTIONS: the same choice, the same errors
    for linalg in own lapack; do
        ok fit train.csv "$@" --linalg $linalg --extend no -q -o $linalg.srm --json $linalg.json
        ok eval $linalg.srm test.csv -q --linalg $linalg --json $linalg.eval.json
    done
    python3 - <<'PY' || fail "$*: lapack should agree with own"
import json
own, lapack = (json.load(open(n + ".json")) for n in ("own", "lapack"))
for key in "engine", "kernel", "filter":
    assert own[key] == lapack[key], (own[key], lapack[key])
a, b = (json.load(open(n + ".eval.json"))["test"]["mse"] for n in ("own", "lapack"))
print("  %s: mse %.10g, off by %.1e" % (own["engine"], a, abs(a - b)))
assert abs(a - b) <= 1e-9 * a
for x, y in zip(own["selection"]["table"], lapack["selection"]["table"]):
    assert x["value"] == y["value"] or abs(x["value"] - y["value"]) <= 1e-9, (x, y)
PY
}

checking "engines that factor, decompose, reduce"
grid='rbf:sigma={0.3,1}' path='lambda=log:1e-6:1e-1:6'
same --kernel "$grid" --param "$path" --engine eig --select loo
same --kernel "$grid" --param "$path" --engine cholesky --select loo
same --kernel "$grid" --param "$path" --engine band --select loo
same --kernel "$grid" --param "$path" --engine band --select kfold
same --kernel linear --param "$path" --engine primal --select loo
same --kernel rbf:sigma=1 --param lambda=1e-4 --engine krylov --select none

checking "the environment asks for it, the option goes first"
for linalg in own lapack; do
    ok fit train.csv --kernel "$grid" --param "$path" --engine band -q -o $linalg.srm --linalg $linalg --threads 1
    SPECREG_LINALG=lapack "$SPECREG" fit train.csv --kernel "$grid" --param "$path" --engine band -q \
        -o env.$linalg.srm --linalg $linalg --threads 1 || fail "with SPECREG_LINALG"
    cmp -s $linalg.srm env.$linalg.srm || fail "--linalg $linalg should go before SPECREG_LINALG"
done
SPECREG_LINALG=lapack "$SPECREG" fit train.csv --kernel "$grid" --param "$path" --engine band -q \
    -o env.srm --threads 1 || fail "with SPECREG_LINALG"
cmp -s env.srm lapack.srm || fail "SPECREG_LINALG should be the same as --linalg"
cmp -s env.srm own.srm && fail "own and lapack should differ in rounding"

checking "names that are none"
refused 2 "unknown linalg 'mkl' \(known: own lapack\)" fit train.csv --linalg mkl -o m.srm
SPECREG_LINALG=mkl
export SPECREG_LINALG
refused 2 "unknown SPECREG_LINALG 'mkl' \(known: own lapack\)" fit train.csv -o m.srm
