#!/bin/sh
# experiment ida, on a small set of our own in the place of the benchmark's.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "the list names every experiment; with -q it is the names alone"
ok experiment list
cp "$out" lines
prints '^ida +[0-9]+ s +ida +.*Lo Gerfo'
prints '^currents .*in no paper'
ok experiment list -q
cp "$out" names
[ "$(tr '\n' ' ' <names)" = 'ida multitask field1 field2 school currents trend unlabelled saturation loo newsgroups faces usps4 faces-approx sparse-tasks grls-text timing scale ' ] || fail "the names"
while read -r name; do
    grep -q "^$name " lines || fail "the list should have a line for $name"
done <names
ok help experiment
while read -r name; do
    prints "(^| )${name}[ :(]"
done <names
ok experiment list --json list.json -q
[ "$(value list.json experiments.6.name)" = trend ] || fail "the record of the list"
refused 2 'list has no option --repeats' experiment list --repeats 3

checking "without specreg-experiments beside it, the command says how to get it"
mkdir alone
cp "$SPECREG" alone/specreg
ln -s "${SPECREG_LIBRARY%/*}"/libspecreg.so.* alone
built=$SPECREG
SPECREG=$PWD/alone/specreg
refused 1 "specreg-experiments is not installed; 'make' .* set SPECREG_EXPERIMENTS" experiment ida
refused 1 'specreg-experiments is not installed' experiment
ok experiment --help
cp "$out" page
prints '^usage: specreg experiment '
prints 'specreg-experiments'
ok help experiment
cmp -s page "$out" || fail "help experiment should print what experiment --help prints"
export SPECREG_EXPERIMENTS="$BUILD_DIR/specreg-experiments"
ok experiment list -q
cmp -s names "$out" || fail "SPECREG_EXPERIMENTS should name the program"
export SPECREG_EXPERIMENTS="$PWD/nowhere"
refused 1 'nowhere: cannot start it: No such file' experiment list
unset SPECREG_EXPERIMENTS
ln -s "$built" linked
SPECREG=$PWD/linked
ok experiment list -q
SPECREG=$built

checking "neither program knows a folder of data by itself"
for program in "$BUILD_DIR/specreg" "$BUILD_DIR/specreg-experiments"; do
    grep -q 'shared/data' "$program" && fail "$program holds the path of a data folder"
done
unset SPECREG_DATA
for name in ida loo school currents; do
    refused 2 "$name reads data: .*--data DIR or .SPECREG_DATA" experiment $name
done
export SPECREG_DATA=
refused 2 'ida reads data' experiment ida
refused 2 'ida reads data' experiment ida --data ''

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

checking "all sets: a second table beside the smallest number of Tables 2 and 3"
for set in breast_cancer diabetis flare_solar german heart image ringnorm splice thyroid titanic \
    twonorm waveform; do
    for kind in csv random-splits orig-splits; do
        cp data/ida/banana.$kind.gz data/ida/$set.$kind.gz
    done
done
ok experiment ida --data data --sets all --splits 1 --param lambda=0.01 --kernel rbf:sigma=1 \
    --json all.json
prints '^mean over 13 sets: '
prints '^set +test error % +best published +by +difference$'
prints '^heart .* 15\.48 \+- +3\.25  nu-METH '
prints '^mean +[0-9.]+ +13\.71 '
python3 - <<'PY' || fail "the best published numbers"
import json
# From Table 3, and from Table 2 where that is smaller.
best = {"banana": (10.67, "nu-METH"), "breast_cancer": (24.77, "KFD"), "diabetis": (23.21, "KFD"),
        "flare_solar": (30.92, "IT"), "german": (23.14, "nu-METH"), "heart": (15.48, "nu-METH"),
        "image": (2.67, "ADA_REG"), "ringnorm": (1.58, "ADA_REG"), "splice": (9.50, "ADA_REG"),
        "thyroid": (4.20, "KFD"), "titanic": (20.20, "IT"), "twonorm": (2.36, "nu-METH"),
        "waveform": (9.52, "IT")}
sets = json.load(open("all.json"))["sets"]
assert {s["name"]: (s["best_published"], s["best_published_by"]) for s in sets} == best
PY

checking "the protocol of the paper is that of cv: one choice for all splits"
ok experiment ida --data data --sets banana --splits 2 --select ida --json ida.json
ok cv all.csv --select ida:data/ida/banana.random-splits.gz -q --json cv.json
python3 - <<'PY' || fail "experiment and cv should agree"
import json
s = json.load(open("ida.json"))["sets"][0]
folds = json.load(open("cv.json"))["folds"]
assert len(s["errors"]) == 2
assert all(abs(e - 100 * f["error_rate"]) < 1e-9 for e, f in zip(s["errors"], folds))
PY
refused 2 'without a file' experiment ida --data data --select ida:rows
