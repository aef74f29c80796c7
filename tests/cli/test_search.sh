#!/bin/sh
# The options of the search: what they say to a person, and what is refused, in one line.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 60 1
class_data classes.csv 60 2

checking "words that are none"
refused 2 "criterion 'roc'" fit classes.csv --criterion roc -o m.srm
refused 2 "criterion 'balanced'.*balanced_error" fit classes.csv --criterion balanced -o m.srm
refused 2 "'raced'.*did you mean 'race'" fit train.csv --search raced -o m.srm
refused 2 "'maybe'" fit train.csv --extend maybe -o m.srm

refused 2 'auto takes no parameters' fit train.csv --select auto:k=3 -o m.srm
refused 2 "a rule and its numbers like kfold:k=5, not 'kfold=3'" fit train.csv --select kfold=3 -o m.srm
refused 2 'kfold: k is given twice' fit train.csv --select kfold:k=5,k=6 -o m.srm
refused 2 'loo is not for filter cg, which is not linear in y: use kfold' fit train.csv --select loo --filter cg -o m.srm
refused 2 'splits count the rows of the whole table' cv train.csv --select splits:train.csv

checking "what is read is not overwritten"
cp train.csv mine.csv
refused 2 "would overwrite 'mine.csv', which is read" fit mine.csv -o mine.csv
refused 2 "would overwrite './mine.csv', which is read" fit mine.csv -q -o m.srm --json ./mine.csv
cmp -s train.csv mine.csv || fail "the table should be as it was"
ok fit train.csv -q -o mine.srm
refused 2 "would overwrite 'mine.srm', which is read" predict mine.srm train.csv -o mine.srm

checking "a standard error needs two values"
refused 2 'rule: 1se needs standard errors, which mse by holdout' fit train.csv --select holdout:fraction=0.0001 --rule 1se -o m.srm
ok fit classes.csv --criterion auc --select kfold:k=40 -o m.srm --json auc.json
python3 - <<'PY' || fail "folds without one of the classes have no area, the others have a spread"
import json
s = json.load(open("auc.json"))["selection"]
assert s["stderr"] is None or s["stderr"] > 0, s["stderr"]
PY
rm m.srm

checking "cv decides once what the problem is"
awk 'BEGIN { print "x,y"; for (i = 0; i < 100; i++) print i * 0.37 % 5 "," i % 20 }' >counts.csv
ok cv counts.csv --json counts.json
prints 'classification of y'
prints 'error_rate'

checking "criteria that do not suit the problem or the rule"
refused 2 'criterion: auc is for classes, this is a regression' fit train.csv --criterion auc -o m.srm
refused 2 'criterion: auc is for classes' cv train.csv --criterion auc
refused 2 'criterion: auc is for classes' path train.csv --criterion auc
refused 2 'selection by gcv does not go by auc' fit classes.csv --criterion auc --select gcv -o m.srm
refused 2 'selection by bound does not go by mse' fit classes.csv --criterion mse --select bound -o m.srm
refused 2 'rule: 1se needs standard errors' fit classes.csv --criterion auc --select loo --rule 1se -o m.srm
refused 2 'search: path shows every kernel' path train.csv --search race
refused 2 'checkpoint: path trains every point anew' path train.csv --checkpoint p.ck

checking "the summary says by what, and how it went"
ok fit classes.csv --criterion auc --select kfold -o m.srm --json auc.json
prints '^selected  by 5-fold cross-validation: auc 0\.[0-9]+'
python3 - <<'PY' || fail "an area is the larger the better"
import json
s = json.load(open("auc.json"))["selection"]
assert s["criterion"] == "auc" and s["value"] == max(r["value"] for r in s["table"]) <= 1
PY
ok fit classes.csv --criterion balanced_error -o m.srm
prints '^selected  by leave-one-out: balanced error [0-9.]+ %'
ok fit train.csv --criterion mae -o m.srm
prints '^selected  by leave-one-out: mae [0-9.]+'
ok fit train.csv --search coarse --kernel 'rbf:sigma=log:0.1:10:12' -o m.srm
prints '^note .*coarse search: [0-9] of 12 kernels were compared'
ok fit train.csv --search race -o m.srm
prints '^note .*race: too few rows or kernels, all were compared on all rows'
ok fit train.csv --kernel 'rbf:sigma={0.01,0.02,0.04}' --extend yes -o m.srm
prints '^note .*the best kernel lay at the edge of the grid, which was extended by [0-9]'
ok fit train.csv --kernel 'rbf:sigma={0.01,0.02,0.04}' -o m.srm
prints '^note .*sigma=0.04 is the largest value tried: a wider range may do better'
awk 'BEGIN { srand(4); print "x,y,u,v"; for (i = 0; i < 30; i++) { x = 2 * rand(); y = 2 * rand()
    printf "%.6f,%.6f,%.6f,%.6f\n", x, y, cos(x) * cos(y), -sin(x) * sin(y) } }' >gradient.csv
ok fit gradient.csv --target u,v --kernel 'helmholtz:gamma={0,0.5,1},sigma=1' -o m.srm
prints '^kernel    helmholtz gamma=0 '
grep -q 'gamma=0 is the smallest' "$out" && fail "no gamma is smaller than 0"
rm m.srm

checking "the protocol of the IDA benchmark"
for s in 0 1 2 3 4 5; do seq "$s" 2 59 | tr '\n' ' '; seq $((30 + s)) 3 59 | tr '\n' ' '; echo; done |
    awk '{ split("", seen); for (i = 1; i <= NF; i++) if (!($i in seen)) { seen[$i]; printf "%s ", $i } print "" }' >ida.txt
ok fit train.csv --select ida:ida.txt -o m.srm
prints '^note .*the parameters are medians of the choices on the first 5 splits'
ok cv train.csv --select ida:ida.txt --json cv.json
[ "$(value cv.json outer)" = splits:ida.txt ] || fail "cv should test on the splits of the protocol"
ok cv train.csv --select ida:ida.txt --outer kfold:k=3 --json cv.json
[ "$(value cv.json outer)" = kfold:k=3 ] || fail "cv should take the splits it is given"
rm m.srm
refused 2 'ida is for fit and cv' path train.csv --select ida:ida.txt
refused 2 'plan: ida takes several searches' plan train.csv --select ida:ida.txt
refused 2 'write ida:NAME with the name of the file' fit train.csv --select ida -o m.srm
refused 1 'none.txt: ' fit train.csv --select ida:none.txt -o m.srm
given() { # PATTERN TEXT
    printf "%b" "$2" >bad.txt
    refused 1 "$1" fit train.csv --select ida:bad.txt -o m.srm
    refused 1 "$1" cv train.csv --select ida:bad.txt --json bad.json
    refused 1 "$1" fit train.csv --select ida:bad.txt --checkpoint bad.ck -o m.srm
}
given "bad.txt:2: '60' is not the number of a row, 0 to 59" '0 1 2 3 4 5 6\n60\n'
given 'bad.txt:1: row 3 is listed twice' '3 4 3\n'
given 'bad.txt:1: no row is left to validate' "$(seq -s ' ' 0 59)\n"
given 'bad.txt: has no splits' '\n'
given 'k=5 folds are more than the 4 rows' '0 1 2 3\n'

checking "cv with a checkpoint: a file for each outer split, of these data and options"
cv='cv train.csv --kernel rbf:sigma={0.5,1} --select kfold:k=3 --outer kfold:k=3'
ok $cv --checkpoint run.ck
for i in 1 2 3; do [ -s run.ck.$i ] || fail "run.ck.$i should be there"; done
[ ! -e run.ck ] && [ ! -e run.ck.4 ] || fail "there should be three files"
ok $cv --checkpoint run.ck
refused 1 'run.ck.1: belongs to other data or options' $cv --checkpoint run.ck --seed 3
refused 1 'run.ck.1: belongs to other data or options' $cv --checkpoint run.ck --criterion mae
refused 1 'run.ck.1: belongs to other data or options' $cv --checkpoint run.ck --extend yes
echo table >run.ck.2
refused 1 'run.ck.2: is not a checkpoint' $cv --checkpoint run.ck --json bad.json

checking "weights and criteria are matters of a checkpoint"
awk -F, -v OFS=, '{ print $0, NR == 1 ? "w" : 1 + NR % 2 }' classes.csv >weighted.csv
fit='fit weighted.csv --target y --kernel rbf:sigma={0.5,1} --checkpoint fit.ck -q -o m.srm'
ok $fit --weights w
rm m.srm
refused 1 'fit.ck: belongs to other data or options' $fit
refused 1 'fit.ck: belongs to other data or options' $fit --weights w --class-weight balanced
refused 1 'fit.ck: belongs to other data or options' $fit --weights w --criterion balanced_error
refused 1 'fit.ck: belongs to other data or options' $fit --weights w --search coarse
sed 's/,1$/,3/' weighted.csv >other.csv && mv other.csv weighted.csv
refused 1 'fit.ck: belongs to other data or options' $fit --weights w
