#!/bin/sh
# Codings of classes from the command line, and classes that make trouble.
. "$SOURCE_DIR/tests/cli/lib.sh"

# Five heaps on a line, with labels that are texts.
awk 'BEGIN {
    print "x1,x2,kind"
    for (i = 0; i < 60; i++)
        printf "%.3f,%.3f,%s\n", i % 5 + (i * 37 % 11 - 5) / 9, (i * 53 % 17) / 17, substr("abcde", i % 5 + 1, 1)
}' >train.csv

printf '1,1,1\n1,-1,-1\n-1,1,-1\n-1,-1,1\n-1,-1,-1\n' >words.csv

checking "every coding fits, is recorded and kept, and labels have the largest score"
for coding in ova ab ab:a=2,b=-1 simplex bch bch:15 bch:length=31 bch:127 bch:63,decode=hamming \
    bch:15,decode=loss bch:63,k=10 ovo ovo:decode=votes random random:columns=12,zeros=0.3 dense:seed=2 \
    code:file=words.csv; do
    ok fit train.csv --coding "$coding" --kernel rbf:sigma=1 -o m.srm --json fit.json
    ok predict m.srm train.csv --proba -o p.csv
    ok eval m.srm train.csv
    ok info m.srm
    python3 - "$coding" <<'PY' || fail "coding $coding"
import csv, json, sys
record = json.load(open("fit.json"))
name = sys.argv[1].split(":")[0]
assert record["coding"]["name"] == name, record["coding"]
columns = {"ova": 5, "ab": 5, "simplex": 4, "bch": record["coding"].get("length"), "ovo": 10, "code": 3,
           "random": record["coding"].get("columns", 24), "dense": 24}[name]
assert record["data"]["outputs"] == columns
for row in csv.DictReader(open("p.csv")):
    score = {k[6:]: float(v) for k, v in row.items() if k.startswith("score:")}
    assert len(score) == 5 and score[row["label"]] == max(score.values())
PY
done
ok fit train.csv --coding bch:31 -o m.srm
prints '^coding +bch length=31 dimension=6 distance=15 decode=squared \(31 columns\)$'
ok cv train.csv --coding simplex --outer kfold:k=3
ok path train.csv --coding bch:15 --kernel rbf:sigma=1
ok plan train.csv --coding bch:127
ok plan train.csv --coding ovo
ok cv train.csv --coding ovo --outer kfold:k=3
ok path train.csv --coding ovo --kernel rbf:sigma=1 --select kfold:k=3
ok fit train.csv --coding ovo --filter nu --select kfold:k=3 -o m.srm
ok fit train.csv --coding ovo --kernel linear -o m.srm
ok predict m.srm train.csv --proba

checking "specs that say nothing"
for spec in bch:64 bch:length=7 bch:63,31 ab:a=0,b=0 ab:b=1 ab:c=1 ab:a=x bch:decode=far ova:1 simplex:k=3; do
    refused 2 'coding|decode' fit train.csv --coding "$spec" -o bad.srm
done
refused 2 "unknown coding 'ava'.*known: ova ovo ab simplex bch random dense code" fit train.csv --coding ava -o bad.srm
refused 2 'bch:63 has no code of dimension k = 8 \(known: 1 7 10 16 18 24 30' fit train.csv --coding bch:63,k=8 -o bad.srm
refused 2 'coding: code needs file=FILE' fit train.csv --coding code -o bad.srm

checking "files of codewords that are none"
bad_words() { # MESSAGE LINES...: the file has these lines
    message=$1
    shift
    printf '%s\n' "$@" >bad.csv
    refused 1 "$message" fit train.csv --coding code:file=bad.csv -o bad.srm
}
bad_words 'the codewords of lines 2 and 4 are equal' 1,1,1 1,-1,-1 -1,1,-1 1,-1,-1 -1,-1,-1
bad_words '2 columns have 4 codewords, too few for 5 classes' 1,1 1,-1 -1,1 -1,-1 1,1
bad_words 'no column has 1 and -1 in lines 1 and 2' 1,0,1 0,1,1 -1,1,-1 1,-1,-1 -1,-1,-1
bad_words 'column 4 has no -1' 1,1,1,1 1,-1,-1,1 -1,1,-1,1 -1,-1,1,1 -1,-1,-1,0
bad_words 'bad.csv has 3 rows, there are 5 classes' 1,1,1 1,-1,-1 -1,1,-1
bad_words 'bad.csv:2: column 3: codewords are of -1, 1 and 0, not 2' 1,1,1 1,-1,2 -1,1,-1 -1,-1,1 -1,-1,-1
refused 1 'absent.csv' fit train.csv --coding code:file=absent.csv -o bad.srm

checking "more classes than words, and a regression"
awk 'BEGIN { print "x,y"; for (i = 0; i < 2049; i++) printf "%d,c%d\n", i, i }' >many.csv
refused 2 'coding: bch:15 has fewer words than the 2049 classes' fit many.csv --coding bch:15 -o bad.srm
refused 2 'coding: simplex is for classes, this is a regression' fit train.csv --target x1 --coding simplex -o bad.srm
