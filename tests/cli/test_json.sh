#!/bin/sh
# The records have the keys that the manual promises.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 80 1
class_data ctrain.csv 80 2

has() { # FILE KEYS...
    python3 - "$@" >"$err" <<'PY' || fail "$1 should have $(cat "$err")"
import json, sys
record = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    at = record
    try:
        for key in path.split("."):
            at = at[int(key)] if isinstance(at, list) else at[key]
    except (KeyError, IndexError, TypeError):
        sys.exit(print(path) or 1)
PY
}

checking "fit"
ok fit train.csv -q -o m.srm --json fit.json --seed 7
has fit.json specreg command data.file data.n data.p data.outputs data.problem kernel.name \
    kernel.sigma outputs.name filter.name filter.lambda approx.name engine selection.method \
    selection.criterion selection.value selection.table.0.kernel.sigma selection.table.0.lambda \
    selection.table.0.value selection.table.0.df train.mse seconds.read seconds.gram \
    seconds.solve seconds.select seconds.total peak_bytes seed threads
[ "$(value fit.json command)" = fit ] || fail "command"
[ "$(value fit.json data.file)" = train.csv ] || fail "data.file"
[ "$(value fit.json data.n)" = 80 ] || fail "data.n"
[ "$(value fit.json data.problem)" = regression ] || fail "data.problem"
[ "$(value fit.json seed)" = 7 ] || fail "seed"
[ "$(value fit.json specreg)" = "$("$SPECREG" --version | cut -d' ' -f2)" ] || fail "version"
python3 - <<'PY' || fail "the selection should be the least of its table"
import json
s = json.load(open("fit.json"))["selection"]
assert abs(s["value"] - min(r["value"] for r in s["table"] if r["value"] is not None)) <= 1e-12 * abs(s["value"])
PY
ok fit ctrain.csv -q -o c.srm --json cfit.json
has cfit.json data.classes.1 train.error_rate
[ "$(value cfit.json selection.criterion)" = error_rate ] || fail "criterion"

checking "eval"
ok eval m.srm train.csv --json eval.json -q
has eval.json command test.n test.mse test.mae test.r2
ok eval c.srm ctrain.csv --json ceval.json -q
has ceval.json test.error_rate test.auc test.confusion.counts.1.1 test.roc.1.fpr

checking "path, with -o and a test set"
ok path train.csv --test train.csv --kernel rbf:sigma=1 --param lambda=log:1e-6:1:7 \
    --json path.json -o path.csv
prints '^path +7 rows to path\.csv'
has path.json table.6.lambda table.6.kernel.sigma table.6.df table.6.train_mse table.6.value \
    table.6.test_mse
python3 - <<'PY' || fail "path.csv should hold the table of the record"
import csv, json
record = json.load(open("path.json"))["table"]
rows = list(csv.DictReader(open("path.csv")))
assert len(rows) == len(record) == 7
for a, b in zip(rows, record):
    for key in ("lambda", "df", "train_mse", "test_mse"):
        assert float(a[key]) == b[key], (key, a[key], b[key])
    assert abs(b["train_mse"] - b["test_mse"]) <= 1e-9 * b["train_mse"]
by_lambda = sorted(record, key=lambda r: r["lambda"])
for a, b in zip(by_lambda, by_lambda[1:]):
    assert a["df"] > b["df"] and a["train_mse"] < b["train_mse"]
PY
ok path train.csv --kernel rbf:sigma=1 --param lambda=log:1e-6:1:7
[ "$(grep -Ec '^ +[0-9.e-]+ +[0-9.e-]+ ' "$out")" -eq 7 ] || fail "path should print seven rows"
[ "$(grep '^  ' "$out" | sed 's/  <- best$//' | awk '{ print length($0) }' | sort -u | wc -l)" -eq 1 ] || fail "the columns should be aligned"

checking "filters, and their curves by formulas"
ok filters --json filters.json
has filters.json filters.0.name filters.0.g filters.0.r filters.0.qualification filters.0.engines.0 filters.1.lambda
ok filters
prints 'nesterov +t +\(beta\+1\)/4'
ok filters --curve --filter iterated:order=3 --param 'lambda={0.1,0.01}' --s log:1e-3:1:7 --nu 2 -o curve.csv --json curve.json
python3 - <<'PY' || fail "the curve should obey its formulas"
import csv, json
rows = list(csv.DictReader(open("curve.csv")))
points = json.load(open("curve.json"))["curve"]
assert len(rows) == len(points) == 14
for row, point in zip(rows, points):
    l, s, g, r, residual = (float(row[k]) for k in ("lambda", "s", "g", "r", "residual"))
    assert point == {"lambda": l, "s": s, "g": g, "r": r, "residual": residual}
    want = (l / (s + l)) ** 3
    assert abs(r - want) < 1e-14 and abs(g - (1 - want) / s) < 1e-12 / s and abs(residual - s * s * want) < 1e-14
PY
refused 2 'go with --curve' filters --filter nu
refused 2 'depends on y' filters --curve --filter cg
refused 2 'not between 0 and 1' filters --curve --filter nu --s '{0.5,2}'
refused 2 'is not a number' filters --curve --nu x

checking "spectrum"
ok spectrum train.csv --kernel rbf:sigma=1 --json spectrum.json -o spectrum.csv
python3 - <<'PY' || fail "the spectrum should obey its identities"
import csv, json
r = json.load(open("spectrum.json"))
s = r["eigenvalues"]
assert len(s) == r["n"] == 80 and s == sorted(s, reverse=True)
assert abs(sum(s) - 1) < 1e-10 and abs(r["trace"] - 1) < 1e-10   # k(x, x) = 1
for d in r["effective_dimension"]:
    assert abs(d["df"] - sum(max(x, 0) / (max(x, 0) + d["lambda"]) for x in s)) < 1e-6
rows = list(csv.DictReader(open("spectrum.csv")))
assert [float(x["eigenvalue"]) for x in rows] == s
assert abs(float(rows[-1]["cumulative_share"]) - 1) < 1e-9
assert sum(r["target_share"]) <= 1 + 1e-9
PY
prints '^spectrum +80 eigenvalues'
prints 'and 60 more'

checking "plan"
ok plan train.csv --json plan.json
has plan.json engine why memory_bytes flops engines.0.name
prints '^engine '
[ "$(value plan.json engine)" = "$(value fit.json engine)" ] || fail "plan and fit should agree on the engine"

checking "predict and convert"
ok predict m.srm train.csv -o p.csv --json -
cp "$out" p.json
[ "$(value p.json data.n)" = 80 ] || fail "data.n of predict"
ok convert train.csv t.npy --json - -q
cp "$out" c.json
[ "$(value c.json rows)" = 80 ] && [ "$(value c.json cols)" = 3 ] || fail "rows and cols of convert"

checking "an error is a record, too"
for where in "--json - --kernel foo" "--foo --json -"; do
    # shellcheck disable=SC2086
    run fit train.csv $where
    [ $rc -eq 2 ] || fail "exit code"
    cp "$out" error.json
    has error.json specreg command error.exit_code error.message
done
run fit missing.csv --json -
cp "$out" error.json
[ $rc -eq 1 ] || fail "exit code"
[ "$(value error.json error.exit_code)" = 1 ] || fail "the record's exit code"
grep -q "^specreg: $(value error.json error.message)\$" "$err" || fail "the message should be that of stderr"
refused 1 missing.csv fit missing.csv --json record.json

checking "path marks the row that fit takes"
ok path train.csv --kernel 'rbf:sigma={1,2}' --param 'lambda={0.001,0.01,0.1}' --json path.json
[ "$(grep -c '<- best' "$out")" -eq 1 ] || fail "one row should be marked"
value path.json filter.lambda >lambda
grep '<- best' "$out" | grep -q " $(cat lambda) " || fail "the marked row should have lambda $(cat lambda)"
