#!/bin/sh
# Strategies that compare fewer kernels: what they find is judged by the table of the whole grid.
. "$SOURCE_DIR/tests/cli/lib.sh"

wavy() { # FILE SEED
    awk -v seed="$2" 'BEGIN { srand(seed); print "x1,x2,y"
        for (i = 0; i < 800; i++) { a = 2 * rand() - 1; b = 2 * rand() - 1
            printf "%.6f,%.6f,%.6f\n", a, b, sin(9 * a) * cos(7 * b) + 0.6 * (rand() - 0.5) } }' >"$1"
}

for seed in 1${SPECREG_TEST_WHOLE:+ 2 3}; do
    wavy wavy.csv $seed
    for how in grid coarse race; do
        checking "$how, data $seed"
        ok fit wavy.csv -o m.srm --kernel 'rbf:sigma=log:0.02:10:16' --extend no --threads 1 \
            --search $how -q --json $how.json
    done
    python3 - <<'PY' || fail "coarse and race against grid"
import json
def best(how):
    fit = json.load(open(how + ".json"))
    table = {}
    for row in fit["selection"]["table"]:
        sigma = row["kernel"]["sigma"]
        if row["value"] is None:
            assert "reason" in row, row
            continue
        table[sigma] = min(row["value"], table.get(sigma, row["value"]))
    return fit, table
grid, whole = best("grid")
order = sorted(whole)
assert len(order) == 16
for how, most in ("coarse", 9), ("race", 7):
    fit, table = best(how)
    assert len(table) <= most, (how, len(table))
    assert "%d of" % len(table) in "".join(fit["notes"]), fit["notes"]
    assert all(abs(table[s] - whole[s]) <= 1e-9 * whole[s] for s in table), "other values than grid's"
    at = order.index(fit["kernel"]["sigma"])
    value = fit["selection"]["value"]
    # No neighbour on the grid is better, and the best of the grid hardly.
    for near in order[max(0, at - 1):at + 2]:
        assert whole[near] >= value * (1 - 1e-12), (how, near, whole[near], value)
    assert value <= 1.02 * grid["selection"]["value"], (how, value)
PY
done

checking "a race with too few rows compares all kernels"
head -n 500 wavy.csv >few.csv
ok fit few.csv -o m.srm --kernel 'rbf:sigma=log:0.02:10:16' --extend no --search race -q --json few.json
python3 - <<'PY' || fail "too few rows"
import json
fit = json.load(open("few.json"))
assert "too few rows" in "".join(fit["notes"])
assert len({row["kernel"]["sigma"] for row in fit["selection"]["table"]}) == 16
PY
