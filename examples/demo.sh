#!/bin/sh
# A first example from start to end: look at the data, search and train, score, predict, compare
# another filter.  `make demo` runs it; by hand, from the repository's root:
#     SPECREG=build/specreg sh examples/demo.sh
set -e
SPECREG=${SPECREG:-build/specreg}
train=data/crescents-train.csv
test=data/crescents-test.csv
folder=$(dirname "$SPECREG") # where the models go
[ -e "$train" ] || { echo "demo.sh: run it from the repository's root" >&2; exit 1; }

say() { printf '\n# %s\n' "$*"; }

# Prints a command as it can be typed, and runs it.
show() {
    printf '$ %s' "$SPECREG"
    for word in "$@"; do
        case $word in *[{}]*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac
    done
    printf '\n'
    "$SPECREG" "$@"
}

say "Two crescents in the plane, with noise: 400 rows to learn from."
show info $train

say "Search the kernel's width and lambda, train, save. The line 'time' says where the time went."
show fit $train -o "$folder/crescents.srm"

say "The error on 1,000 rows that were not seen."
show eval "$folder/crescents.srm" $test

say "Predictions are a table: the class, then a score for each."
show predict "$folder/crescents.srm" $test -o "$folder/predicted.csv"
head -n 4 "$folder/predicted.csv"

say "Another filter: conjugate gradients, which stop early instead of adding lambda."
show fit $train --filter cg:norm=residual -o "$folder/crescents-cg.srm"
show eval "$folder/crescents-cg.srm" $test

say "One kernel, the whole path: too smooth at the top, too rough at the bottom."
show path $train --test $test --kernel rbf:sigma=1 --param 'lambda={1,0.1,0.01,1e-3,1e-4,1e-5,1e-6,1e-8}'

say "Next: $SPECREG fit YOUR.csv -o model.srm; more in README.md and $SPECREG --help."
