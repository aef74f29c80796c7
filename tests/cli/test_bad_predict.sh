#!/bin/sh
# Data that does not suit the model: one line, exit code 1, no output file.
. "$SOURCE_DIR/tests/cli/lib.sh"
awk 'BEGIN {
    srand(3); print "x1,colour,y"
    split("red green blue", c, " ")
    for (i = 0; i < 60; i++) { k = 1 + i % 3; printf "%.4f,%s,%.4f\n", rand(), c[k], rand() + k }
}' >train.csv
ok fit train.csv -q -o m.srm

bad() { # PATTERN FILE
    refused 1 "$1" predict m.srm "$2"
    refused 1 "$1" predict m.srm "$2" -o out.csv
}

checking "an unknown category"
printf 'x1,colour\n0.5,red\n0.5,pink\n' >pink.csv
refused 1 "pink.csv:3: column 'colour': .*'pink'" predict m.srm pink.csv --unseen error
refused 1 "pink.csv:3: column 'colour': .*'pink'" predict m.srm pink.csv --unseen error -o out.csv
says "1 value was not seen in training, the first at pink.csv:3: column 'colour': 'pink'" predict m.srm pink.csv

checking "a missing column"
printf 'x1,y\n0.5,1\n' >nocolour.csv
bad "nocolour.csv.*'colour'" nocolour.csv

checking "a wrong number of columns, without names"
printf '0.5,red,1,2,3\n0.5,red,1,2,3\n' >wide.csv
refused 1 'wide.csv' predict m.srm wide.csv --header no
printf '0.5\n0.7\n' >narrow.csv
refused 1 'narrow.csv' predict m.srm narrow.csv --header no

checking "text for numbers, missing values, no rows"
printf 'x1,colour\nabc,red\n' >text.csv
bad "text.csv.*'x1'" text.csv
printf 'x1,colour\n,red\n0.5,red\n' >missing.csv
bad "missing.csv:2: column 'x1'" missing.csv
ok predict m.srm missing.csv --missing mean
[ "$(wc -l <"$out")" -eq 3 ] || fail "--missing mean should keep the row"
ok predict m.srm missing.csv --missing drop
[ "$(wc -l <"$out")" -eq 2 ] || fail "--missing drop should drop the row"
printf 'x1,colour\n' >none.csv
bad 'none.csv' none.csv

checking "eval needs the target"
printf 'x1,colour\n0.5,red\n' >unlabelled.csv
refused 1 "unlabelled.csv.*'y'" eval m.srm unlabelled.csv
ok predict m.srm unlabelled.csv

checking "there is no ROC curve of a regression"
refused 1 'roc' eval m.srm train.csv --roc roc.csv
