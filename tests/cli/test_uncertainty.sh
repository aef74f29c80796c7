#!/bin/sh
# predict --proba and --interval as a person uses them.
. "$SOURCE_DIR/tests/cli/lib.sh"
class_data classes.csv 80 1
regression_data numbers.csv 80 2
ok fit classes.csv -q -o classes.srm
ok fit numbers.csv -q -o numbers.srm

checking "probabilities come after the scores, and the label is the most probable class"
ok predict classes.srm classes.csv --proba
[ "$(head -n 1 "$out")" = 'label,score:no,score:yes,prob:no,prob:yes' ] ||
    fail "the columns are wrong"
awk -F, 'NR > 1 { best = $4 >= $5 ? "no" : "yes"; sum = $4 + $5
                  if (best != $1 || sum < 0.999999 || sum > 1.000001) exit 1 }' "$out" ||
    fail "a label is not the most probable class"

checking "without --proba nothing has changed"
cut -d, -f1-3 "$out" >three.csv
ok predict classes.srm classes.csv
cmp -s three.csv "$out" || fail "the scores should be the same"

checking "intervals come after their target, hold it, and most of the targets"
ok predict numbers.srm numbers.csv --interval 0.9
[ "$(head -n 1 "$out")" = 'y,y:lower,y:upper' ] || fail "the columns are wrong"
paste -d, "$out" numbers.csv | awk -F, 'NR > 1 { n++; inside += $2 <= $6 && $6 <= $3
                                               if ($1 < $2 || $1 > $3) exit 1 }
                                      END { exit !(n == 80 && inside >= 72) }' ||
    fail "the intervals should hold the predictions, and nine targets of ten"
cp "$out" ninety.csv
ok predict numbers.srm numbers.csv --interval 0.5
paste -d, ninety.csv "$out" | awk -F, 'NR > 1 && $6 - $5 >= $3 - $2 { exit 1 }' ||
    fail "a lower level should give narrower intervals"

checking "too few rows for the level: infinite"
head -n 6 numbers.csv >few.csv
ok fit few.csv -q -o few.srm --problem regression --kernel rbf:sigma=1 --param lambda=0.1
ok predict few.srm few.csv --interval 0.9
[ "$(sed -n 2p "$out" | cut -d, -f2-3)" = '-inf,inf' ] || fail "the interval should be infinite"

checking "--verbose says how the intervals came about"
run predict numbers.srm numbers.csv --interval 0.9 -v
grep -q 'jackknife+' "$err" || fail "--verbose should name jackknife+"
ok fit numbers.csv -q -o nu.srm --filter nu --select kfold
run predict nu.srm numbers.csv --interval 0.9 -v
grep -q 'held-out residuals' "$err" || fail "--verbose should name the held-out residuals"

checking "what a model cannot tell is refused in one line"
refused 1 'proba: the model is a regression' predict numbers.srm numbers.csv --proba
refused 1 'interval: the model is a classification' predict classes.srm classes.csv --interval 0.9
ok fit classes.csv -q -o plain.srm --kernel rbf:sigma=1 --param lambda=0.1
refused 1 'fit it again with --select loo or kfold' predict plain.srm classes.csv --proba -o out.csv
ok fit numbers.csv -q -o plain.srm --filter nu --kernel rbf:sigma=1 --param t=10
refused 1 'fit it again with --select loo or kfold' predict plain.srm numbers.csv --interval 0.9
golden=$SOURCE_DIR/tests/golden
refused 1 'fit it again' predict "$golden/flowers.srm" "$golden/flowers.csv" --proba

checking "levels that are none"
for level in 0 1 90 -0.1; do
    refused 2 "between 0 and 1.*not $level" predict numbers.srm numbers.csv --interval=$level
done
refused 2 "'ninety' is not a number" predict numbers.srm numbers.csv --interval ninety
refused 2 "unknown kind of interval 'wide'" predict numbers.srm numbers.csv --interval 0.9,kind=wide
refused 2 'write LEVEL or LEVEL,kind=local' predict numbers.srm numbers.csv --interval 0.9,local

checking "eval counts what lies inside; local intervals know where the noise is"
# noise of deviation 0.05 for x < 0, 0.5 for x > 0
noisy() {
    awk -v n="$2" -v seed="$3" 'BEGIN { srand(seed); print "x,y"
        for (i = 0; i < n; i++) {
            x = 2 * rand() - 1
            e = sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())
            printf "%.6f,%.6f\n", x, sin(3 * x) + (x < 0 ? 0.05 : 0.5) * e } }' >"$1"
}
noisy train.csv 400 1
noisy test.csv 4000 2
awk -F, 'NR == 1 || $1 < 0' test.csv >quiet.csv
awk -F, 'NR == 1 || $1 > 0' test.csv >loud.csv
# 4,000 rows have a standard error of 0.5 %, 400 held-out residuals one of 1.5 %
for filter in tikhonov nu; do
    ok fit train.csv -q -o noisy.srm --kernel rbf --filter $filter --select kfold
    for kind in constant local; do
        for part in test quiet loud; do
            ok eval noisy.srm $part.csv --interval 0.9,kind=$kind --json $kind.$part.json
            prints '^interval +of 90.00 %: [0-9.]+ % of the targets lie inside; mean width'
        done
        near "$(value $kind.test.json interval.coverage)" 0.9 0.04 || fail "$filter, $kind: $(value $kind.test.json interval.coverage)"
    done
    for part in quiet loud; do
        near "$(value local.$part.json interval.coverage)" 0.9 0.07 || fail "$filter, $part: $(value local.$part.json interval.coverage)"
        near "$(value constant.$part.json interval.coverage)" 0.9 0.07 && fail "a constant width should not suit $part"
    done
    awk -v q="$(value local.quiet.json interval.mean_width)" -v l="$(value local.loud.json interval.mean_width)" \
        'BEGIN { exit !(l > 5 * q) }' || fail "local intervals should be wider where it is loud"
done

checking "the share that eval counts is that of predict's columns"
ok predict noisy.srm test.csv --interval 0.9,kind=local -o p.csv
paste -d, p.csv test.csv | awk -F, 'NR > 1 { n++; inside += $5 >= $2 && $5 <= $3 } END { printf "%.10f\n", inside / n }' >share
near "$(cat share)" "$(value local.test.json interval.coverage)" 1e-9 || fail "$(cat share)"
noisy long.csv 4200 3
ok fit long.csv -q -o linear.srm --kernel linear --select kfold
refused 1 'kind=local needs the training rows' predict linear.srm test.csv --interval 0.9,kind=local

checking "fewer centres than rows: residuals of held-out rows, of loo as of folds; probabilities"
noisy many.csv 2000 4
for select in loo kfold; do
    ok fit many.csv -q -o few.srm --kernel rbf:sigma=1 --approx rectangle:m=60 --select $select
    ok eval few.srm test.csv --interval 0.9 --json few.json
    near "$(value few.json interval.coverage)" 0.9 0.02 || fail "$select: $(value few.json interval.coverage)"
done
refused 1 'kind=local needs the training rows' predict few.srm test.csv --interval 0.9,kind=local
ok fit many.csv -q -o few.srm --kernel rbf:sigma=1 --approx rectangle:m=60 --select gcv
refused 1 'fewer centres than rows, and the model has no held-out' predict few.srm test.csv --interval 0.9
ok fit train.csv -q -o few.srm --kernel rbf:sigma=1 --approx nystrom:m=60
ok eval few.srm test.csv --interval 0.9 --json few.json
near "$(value few.json interval.coverage)" 0.9 0.04 || fail "nystrom: $(value few.json interval.coverage)"
class_data many.csv 500 3
ok fit many.csv -q -o few.srm --approx rectangle:m=40 --kernel rbf:sigma=1
ok fit many.csv -q -o all.srm --approx exact --kernel rbf:sigma=1
for model in few all; do ok eval $model.srm classes.csv --json $model.json; done
near "$(value few.json test.log_loss)" "$(value all.json test.log_loss)" 0.02 ||
    fail "log-loss $(value few.json test.log_loss), of an exact fit $(value all.json test.log_loss)"
