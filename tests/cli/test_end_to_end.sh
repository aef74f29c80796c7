#!/bin/sh
# fit, predict and eval on made data: what comes out is right and agrees with itself.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 150 1
regression_data test.csv 100 2
class_data ctrain.csv 150 3
class_data ctest.csv 200 4

checking "regression: the summary, and an error near that of the noise"
ok fit train.csv -o r.srm --json fit.json
for label in data kernel filter selected train time model; do
    prints "^$label "
done
prints '^data +train\.csv: 150 rows, 2 features, comma-separated, header; regression of y$'
prints '^model +r\.srm \('
ok eval r.srm test.csv --json eval.json
prints '^test .*mse '
mse=$(value eval.json test.mse)
near "$mse" 0.0008 0.0032 || fail "the test mse is $mse, the noise is 0.0008"

checking "regression: eval agrees with predict, worked out by awk"
ok predict r.srm test.csv
cp "$out" predicted.csv
[ "$(head -n 1 predicted.csv)" = y ] || fail "the header should be y"
[ "$(wc -l <predicted.csv)" -eq 101 ] || fail "a row each"
again=$(paste -d, test.csv predicted.csv | awk -F, 'NR > 1 { s += ($3 - $4) ^ 2; n++ } END { printf "%.12g", s / n }')
near "$mse" "$again" 1e-9 || fail "eval says $mse, awk $again"
ok predict r.srm test.csv -o file.csv
prints '^predicted 100 rows to file\.csv$'
cmp -s predicted.csv file.csv || fail "-o should give the same as standard output"

checking "the numbers in the summary read back to the same model"
sigma=$(value fit.json kernel.sigma) lambda=$(value fit.json filter.lambda)
ok fit train.csv -o again.srm
python3 - "$sigma" "$lambda" "$out" <<'PY' || fail "the summary should show the exact numbers"
import re, sys
text = open(sys.argv[3]).read()
shown = {k: float(re.search(k + r"=(\S+)", text).group(1)) for k in ("sigma", "lambda")}
sys.exit(not (shown["sigma"] == float(sys.argv[1]) and shown["lambda"] == float(sys.argv[2])))
PY
ok fit train.csv --kernel "rbf:sigma=$sigma" --param "lambda=$lambda" --select none -q -o fixed.srm
ok predict fixed.srm test.csv
paste -d, predicted.csv "$out" | awk -F, 'NR > 1 { d = $1 - $2; if (d > 1e-8 || d < -1e-8) exit 1 }' ||
    fail "the model with the printed parameters should predict the same"

checking "the same command gives the same bytes of predictions"
ok predict again.srm test.csv
cmp -s predicted.csv "$out" || fail "a second fit should predict the same"

checking "classification: labels, scores, confusion matrix, ROC"
ok fit ctrain.csv -o c.srm --json cfit.json
prints 'classification of y: .*no \([0-9]+\).*yes \([0-9]+\)|classification of y: .*yes \([0-9]+\).*no \([0-9]+\)'
prints '^selected .*error rate'
ok predict c.srm ctest.csv
cp "$out" labels.csv
head -n 1 labels.csv | grep -qx 'label,score:\(no,score:yes\|yes,score:no\)' || fail "header: $(head -n 1 labels.csv)"
ok eval c.srm ctest.csv --json ceval.json --roc roc.csv
prints '^test .*error rate .* %.*auc 0\.9'
prints 'true . predicted'
[ "$(head -n 1 roc.csv)" = class,threshold,fpr,tpr ] || fail "header of roc.csv: $(head -n 1 roc.csv)"
rate=$(value ceval.json test.error_rate)
again=$(paste -d, ctest.csv labels.csv | awk -F, 'NR > 1 { wrong += $3 != $4; n++ } END { printf "%.12g", wrong / n }')
near "$rate" "$again" 1e-12 || fail "eval says $rate, awk $again"
near "$rate" 0 0.12 || fail "an error rate of $rate is too much"
python3 - <<'PY' || fail "confusion matrix and ROC should agree with the rest"
import csv, json, sys
test = json.load(open("ceval.json"))["test"]
counts = test["confusion"]["counts"]
wrong = sum(counts[i][k] for i in range(2) for k in range(2) if i != k)
assert abs(wrong / test["n"] - test["error_rate"]) < 1e-12
assert sum(map(sum, counts)) == test["n"] == 200
roc = [(float(r["fpr"]), float(r["tpr"])) for r in csv.DictReader(open("roc.csv"))]
assert roc[0] == (0, 0) and roc[-1] == (1, 1) and roc == sorted(roc)
area = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(roc, roc[1:]))
assert abs(area - test["auc"]) < 1e-9, (area, test["auc"])
PY

checking "columns in another order, the target absent, extra columns: the same predictions"
awk -F, -v OFS=, 'NR == 1 { print "extra,x2,x1" } NR > 1 { print NR, $2, $1 }' ctest.csv >reordered.csv
ok predict c.srm reordered.csv
cmp -s labels.csv "$out" || fail "columns should be matched by name"

checking "standard input, semicolons, CRLF, gzip: the same predictions"
"$SPECREG" predict c.srm - <ctest.csv >piped.csv || fail "predict from stdin"
cmp -s labels.csv piped.csv || fail "standard input should give the same"
tr ',' ';' <ctest.csv | sed 's/$/\r/' | gzip >odd.csv.gz
ok predict c.srm odd.csv.gz
cmp -s labels.csv "$out" || fail "the form of the file should not matter"
"$SPECREG" fit - -q -o piped.srm <ctrain.csv || fail "fit from stdin"
ok predict piped.srm ctest.csv
cmp -s labels.csv "$out" || fail "a model fitted from stdin should be the same"

checking "--quiet prints nothing, --json - only JSON, --verbose only adds to stderr"
ok fit train.csv --quiet -o q.srm
[ ! -s "$out" ] || fail "--quiet should print nothing"
ok fit train.csv -o q.srm --json -
python3 -m json.tool "$out" >/dev/null || fail "--json - should print JSON alone"
run fit train.csv -v -o q.srm
[ "$rc" -eq 0 ] || fail "fit -v"
grep -v '^specreg: note: ' "$err" | grep -q . && fail "-v should print only notes"

checking "every filter fits, saves, loads and predicts"
for filter in tikhonov landweber nu:nu=1 tsvd iterated:order=2 showalter cg; do
    ok fit train.csv --filter "$filter" --kernel rbf:sigma=1 -q -o f.srm --json f.json
    [ "$(value f.json filter.name)" = "${filter%%:*}" ] || fail "the record should name $filter"
    ok eval f.srm test.csv --json e.json -q
    near "$(value e.json test.mse)" 0 0.02 || fail "$filter: test mse $(value e.json test.mse)"
done

checking "every kernel fits, saves, loads and predicts"
for kernel in linear poly:degree=3 rbf:sigma=1 laplace:sigma=1 matern:nu=1.5,sigma=1 \
    '0.5*rbf:sigma=1 + linear'; do
    ok fit train.csv --kernel "$kernel" -q -o k.srm
    ok predict k.srm test.csv
    [ "$(wc -l <"$out")" -eq 101 ] || fail "$kernel: a row each"
    awk 'NR > 1 && ($1 != $1 + 0) { exit 1 }' "$out" || fail "$kernel: predictions should be numbers"
done

checking "--explain prints the plan before the summary"
ok fit train.csv --explain -o q.srm
prints '^engine '
prints '^model '

checking "cv: the whole procedure inside outer folds"
ok cv train.csv --outer kfold:k=4 --kernel 'rbf:sigma={0.5,1}' --json cv.json
prints '^ +fold +train +test +sigma +lambda +mse'
prints '^mean +mse [0-9.e-]+ \+- '
[ "$(value cv.json folds.3.n_test)" -gt 0 ] || fail "the record should have four folds"
refused 2 'kfold, holdout or splits' cv train.csv --outer gcv
