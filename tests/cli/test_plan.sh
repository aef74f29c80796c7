#!/bin/sh
# The plan's times, and the file that keeps how fast the machine is: written by plan and by
# fit --explain alone, and nothing to worry about where it is damaged or cannot be written.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 300 1
cache=$PWD/cache file=$PWD/cache/specreg/machine.json
export XDG_CACHE_HOME="$cache"

checking "fit neither measures nor writes"
ok fit train.csv --kernel rbf:sigma=1 -o before.srm
[ ! -e "$cache" ] || fail "fit should not have made $cache"

checking "plan measures once"
ok plan train.csv --json plan.json
prints '^time +about '
prints '^machine +.*\(measured\)'
[ -s "$file" ] || fail "plan should have written $file"
[ "$(ls "$cache/specreg")" = machine.json ] || fail "nothing but the file should be there: $(ls -A "$cache/specreg")"
cp "$file" first.json
ok plan train.csv
cmp -s "$file" first.json || fail "a second plan should leave the file alone"

checking "the record"
python3 - <<'PY' || fail "plan.json"
import json
r = json.load(open("plan.json"))
assert r["seconds"] > 0 and abs(sum(s["seconds"] for s in r["stages"]) - r["seconds"]) < 1e-9 * r["seconds"]
assert [s["name"] for s in r["stages"]][:2] == ["kernel matrices", "search"]
for key in ("flops", "traffic_bytes", "kernel_values", "memory_bytes"):
    assert r[key] > 0, key
for e in r["engines"]:
    assert e["applies"] == ("seconds" in e)
    assert not e["applies"] or (e["seconds"] > 0 and e["bytes"] > 0)
taken = [e for e in r["engines"] if e["why"] == "taken"]
assert [e["name"] for e in taken] == [r["search_engine"]]
assert all(taken[0]["seconds"] <= e["seconds"] for e in r["engines"] if e["applies"])
m = r["machine"]
assert m["measured"] is True and len(m["read"]) == 4
assert all(v > 0 for v in [m["threads"], m["gemm"], m["values"], m["scalar"], m["region"], *m["read"]])
PY

checking "fit uses the file, and leaves it alone"
ok fit train.csv --kernel rbf:sigma=1 -o after.srm
cmp -s "$file" first.json || fail "fit should leave the file alone"
ok fit train.csv --kernel rbf:sigma=1 --explain -o after.srm
prints '\(measured\)'
cmp -s "$file" first.json || fail "fit --explain should leave a good file alone"

checking "--calibrate"
ok plan train.csv --calibrate no
prints 'built-in figures'
ok plan train.csv --calibrate cached
prints '\(measured\)'
ok plan train.csv --calibrate again
prints '\(measured\)'
[ -s "$file" ] || fail "again should write the file"
refused 2 "unknown calibrate 'sometimes'" plan train.csv --calibrate sometimes
rm -r "$cache"
ok plan train.csv --calibrate cached
prints 'built-in figures'
[ ! -e "$cache" ] || fail "cached should not write"
ok fit train.csv --kernel rbf:sigma=1 --explain -o after.srm
[ -s "$file" ] || fail "fit --explain should write the file"

checking "damaged and stale files are measured again"
for text in '{' ${SPECREG_TEST_WHOLE:+'{"specreg_machine": 1, "cpu": "x", "vectors": "y", "blas": "z", "rates": []}'}; do
    printf '%s' "$text" >"$file"
    ok fit train.csv --kernel rbf:sigma=1 -o after.srm
    [ "$(cat "$file")" = "$text" ] || fail "fit should not mend the file"
    ok plan train.csv
    prints '\(measured\)'
    [ "$(value "$file" rates.0.threads)" = 1 ] || fail "plan should have mended the file"
done
sed 's/"gemm": [0-9.e+]*/"gemm": -1/' "$file" >bad.json
cp bad.json "$file"
ok plan train.csv
cmp -s "$file" bad.json && fail "a speed below zero should not be believed"

checking "where it cannot be written"
rm -r "$cache"
printf 'a file' >cache
ok plan train.csv
prints '\(measured\)'
[ "$(cat cache)" = 'a file' ] || fail "the file in the way should stay"
rm cache
if whole; then
    mkdir -p "$file"
    ok plan train.csv
    prints '\(measured\)'
    rm -r "$cache"
fi

checking "without a home"
! whole || (
    unset XDG_CACHE_HOME HOME
    ok plan train.csv
    prints '\(measured\)'
    ok fit train.csv --kernel rbf:sigma=1 -o after.srm
) || exit 1
(
    unset XDG_CACHE_HOME
    HOME=$PWD/home
    export HOME
    ok plan train.csv
    [ -s home/.cache/specreg/machine.json ] || fail "without XDG_CACHE_HOME it is \$HOME/.cache"
) || exit 1
! whole || (
    XDG_CACHE_HOME=relative HOME=/nonexistent
    export XDG_CACHE_HOME HOME
    ok plan train.csv
    [ ! -e relative ] || fail "a relative XDG_CACHE_HOME does not count"
) || exit 1

# By the built-in rates: those of a busy computer can say anything.
checking "races and coarse searches are less work"
regression_data more.csv 1700 1
for how in grid coarse race; do
    ok plan more.csv --calibrate no --kernel rbf --select loo --search $how --json $how.json
done
for how in coarse race; do
    awk -v a="$(value $how.json seconds)" -v b="$(value grid.json seconds)" 'BEGIN { exit !(a < b) }' ||
        fail "$how should take less time"
done

checking "beyond 2,000 rows folds serve one output, leave-one-out serves many, unless that is too dear"
rule() { ok plan "$@" --calibrate no --json rule.json >/dev/null; value rule.json selection; }
awk 'BEGIN { srand(3); print "a,b,c,d,kind"; for (i = 0; i < 2400; i++) {
         printf "%.6f,%.6f,%.6f,%.6f,k%d\n", rand() + i % 3, rand() + i % 4, rand(), rand(), i % 12 } }' >many.csv
sed 's/k[0-5]$/low/; s/k[0-9]*$/high/' many.csv >two.csv
[ "$(rule many.csv)" = loo ] || fail "twelve classes: $(value rule.json selection)"
[ "$(rule two.csv)" = kfold ] || fail "two classes: $(value rule.json selection)"
[ "$(rule many.csv --time 0.1s)" = kfold ] || fail "folds that take too long already: $(value rule.json selection)"
[ "$(rule many.csv --filter nu)" = kfold ] || fail "a filter without leverages in one system: $(value rule.json selection)"
[ "$(rule many.csv --engine krylov)" = kfold ] || fail "an engine without leverages: $(value rule.json selection)"

checking "coupled outputs whose filter sees all of them: plans of both ways, by the number of rows"
awk 'BEGIN { srand(4); print "a,b,u,v,w"; for (i = 0; i < 2000; i++) {
         a = rand(); b = rand(); printf "%.6f,%.6f,%.6f,%.6f,%.6f\n", a, b, a + b, a * b, a - b } }' >three.csv
coupled="--target u,v,w --outputs common:omega=0.5 --kernel rbf:sigma=1 --filter cg --param t=2 --select kfold:k=2"
for how in rectangle nystrom subset; do
    ok plan three.csv $coupled --calibrate no --approx $how:m=100
    prints "^approx +fit would take --approx $how with up to 100 centres"
    prints '^engine +krylov'
done
ok fit three.csv $coupled --time 0.001s --json exact.json -o m.srm
[ "$(value exact.json approx.name)" = exact ] || fail "2,000 rows of three outputs are not more than 5,000"
