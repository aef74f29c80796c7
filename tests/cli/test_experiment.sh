#!/bin/sh
# experiment ida, on a small set of our own in the place of the benchmark's.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "data that is not there"
mkdir nothing
refused 1 'nothing/ida/heart.csv.gz' experiment ida --data nothing
export SPECREG_DATA=nothing
refused 1 'nothing/ida/banana.csv.gz' experiment ida --sets banana

checking "a set in the form of the benchmark's"
mkdir -p data/ida
class_data all.csv 120 5
sed 's/yes/1/; s/no/-1/' all.csv | gzip >data/ida/banana.csv.gz
awk 'BEGIN { srand(1); for (s = 0; s < 3; s++) {
    n = 0; for (i = 0; i < 120 && n < 80; i++) if (rand() < 0.8) { printf n++ ? " %d" : "%d", i }
    for (i = 119; n < 80; i--) { printf " %d", i; n++ }
    print "" } }' | gzip >data/ida/banana.random-splits.gz
gzip -dc data/ida/banana.random-splits.gz | head -n 1 | gzip >data/ida/banana.orig-splits.gz
ok experiment ida --data data --sets banana --splits 2 --json run.json
prints '^set .*RLS'
prints '^banana +2 random .*11\.22 \+- +0\.61 +12\.44'
prints '^mean over 1 set: .*published 11\.22 %; '
[ "$(value run.json sets.0.name)" = banana ] || fail "the record"
python3 - <<'PY' || fail "the record should agree with itself"
import json, statistics
s = json.load(open("run.json"))["sets"][0]
assert len(s["errors"]) == 2
assert abs(statistics.mean(s["errors"]) - s["mean"]) < 1e-9
assert abs(statistics.stdev(s["errors"]) - s["stddev"]) < 1e-9
assert (s["published"], s["published_stddev"]) == (11.22, 0.61)
PY

checking "one split comes from the original ones, and equals the same done by hand"
ok experiment ida --data data --sets banana --splits 1 --json one.json
prints '^banana +1 orig '
gzip -dc data/ida/banana.csv.gz >all.csv
gzip -dc data/ida/banana.orig-splits.gz | tr ' ' '\n' >rows
awk 'NR == FNR { take[$1 + 2] = 1; next } FNR == 1 { print > "tr.csv"; print > "te.csv"; next }
     { print > (take[FNR] ? "tr.csv" : "te.csv") }' rows all.csv
ok fit tr.csv -q -o m.srm
ok eval m.srm te.csv -q --json e.json
near "$(value one.json sets.0.mean)" "$(awk -v e="$(value e.json test.error_rate)" 'BEGIN { print 100 * e }')" 1e-6 ||
    fail "by hand: $(value e.json test.error_rate)"

checking "the filter chooses the column of the paper; other options are passed on"
ok experiment ida --data data --sets banana --splits 1 --filter tsvd
prints '^set .*TSVD'
prints '^banana .*11\.74 \+- +0\.63'
ok experiment ida --data data --sets banana --splits 1 --filter showalter
grep -q published "$out" && fail "the paper has no column for showalter"
refused 2 "'nyu'" experiment ida --data data --sets banana --splits 1 --filter nyu -q
