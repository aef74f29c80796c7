#!/bin/sh
# eval of classifiers: what it prints and writes, and classes that make trouble.
. "$SOURCE_DIR/tests/cli/lib.sh"

# Seven heaps on a line, with labels that are texts.
heaps() {
    awk -v n="$1" -v k="$2" 'BEGIN {
        print "x1,x2,kind"
        for (i = 0; i < n; i++)
            printf "%.3f,%.3f,%s\n", i % k + (i * 37 % 11 - 5) / 7, (i * 53 % 17) / 17, substr("abcdefg", i % k + 1, 1)
    }'
}
heaps 84 7 >train.csv
ok fit train.csv -o m.srm -q

checking "the summary: means, a row for each class, the confusion matrix"
ok eval m.srm train.csv --json eval.json
prints '^test +error rate .*, auc '
prints '^ +top-5 error 0.00 %, balanced error .*, macro precision .*, recall .*, f1 .*, log-loss '
prints '^ +class +support +predicted +precision +recall +f1 +auc$'
prints '^ +g +12 '
prints 'true . predicted +a +b +c +d +e +f +g'
for key in balanced_error classes.6.f1 macro.f1 micro.recall top_k.error_rate log_loss auc roc.0.class; do
    [ "$(value eval.json test.$key)" ] || fail "eval.json should have test.$key"
done

checking "files: a row for each class, curves"
ok eval m.srm train.csv --csv classes.csv --roc roc.csv -q
[ "$(head -n 1 classes.csv)" = class,support,predicted,precision,recall,f1,auc ] || fail "header of classes.csv"
[ "$(wc -l <classes.csv)" -eq 8 ] || fail "classes.csv should have a row for each class"
[ "$(head -n 1 roc.csv)" = class,threshold,fpr,tpr ] || fail "header of roc.csv"
[ "$(cut -d, -f1 roc.csv | sort -u | wc -l)" -eq 8 ] || fail "roc.csv should have a curve for each class"
ok eval m.srm train.csv --csv -
prints '^class,support'
refused 2 '--roc and --csv cannot both be written' eval m.srm train.csv --csv x.csv --roc x.csv

checking "the number of labels that may be right"
ok eval m.srm train.csv --top-k 1 --json eval.json -q
[ "$(value eval.json test.top_k.error_rate)" = "$(value eval.json test.error_rate)" ] || fail "top-1 is the error rate"
ok eval m.srm train.csv --top-k 7 --json eval.json -q
[ "$(value eval.json test.top_k.error_rate)" = 0.0 ] || fail "all classes hold the right one"
refused 2 'top-k: the model has 7 classes' eval m.srm train.csv --top-k 8
for bad in 0 -1 1.5 x; do
    refused 2 'top-k' eval m.srm train.csv --top-k $bad
done
refused 2 "unknown option '--top-k'" predict m.srm train.csv --top-k 2

checking "classes without rows in the test, and one class only"
heaps 84 3 >three.csv
ok eval m.srm three.csv --json eval.json --roc roc.csv
[ "$(value eval.json test.classes.6.auc)" = None ] || fail "a class without rows has no area"
[ "$(value eval.json test.classes.6.recall)" = None ] || fail "nor a recall"
[ "$(cut -d, -f1 roc.csv | sort -u | wc -l)" -eq 4 ] || fail "nor a curve"
grep -E '^x1|,a$' train.csv >one.csv
ok eval m.srm one.csv --json eval.json
[ "$(value eval.json test.auc)" = None ] || fail "one class only has no area"
refused 1 'roc: there is no curve' eval m.srm one.csv --roc none.csv

checking "a label that was not seen in training"
sed 's/,a$/,z/' train.csv >unseen.csv
refused 1 "unseen.csv:2: column 'kind': class 'z' was not seen in training" eval m.srm unseen.csv
ok predict m.srm unseen.csv

checking "a class with one row: folds that train without it are refused, leave-one-out works"
{ heaps 40 4; echo 9,9,rare; } >rare.csv
ok fit rare.csv -o r.srm --select loo -q
ok fit rare.csv -o r.srm --select loo --coding bch:31 -q
ok eval r.srm rare.csv
refused 1 "rare" fit rare.csv -o bad.srm --select kfold:k=3 -q
refused 1 "rare" cv rare.csv -q

checking "models without probabilities, and regressions"
ok fit train.csv --kernel rbf:sigma=1 --param lambda=0.01 --select none -o n.srm -q
ok eval n.srm train.csv --json eval.json
python3 -c 'import json; assert "log_loss" not in json.load(open("eval.json"))["test"]' || fail "no probabilities, no log-loss"
ok fit train.csv --target x1 -o reg.srm -q
ok eval reg.srm train.csv --top-k 3
refused 1 'csv: the model is a regression' eval reg.srm train.csv --csv bad.csv

checking "more than 20 classes: no tables for people, all in the files"
awk 'BEGIN { print "x,y"; for (i = 0; i < 100; i++) printf "%d,c%d\n", i % 25, i % 25 }' >many.csv
ok fit many.csv --kernel rbf:sigma=0.1 --param lambda=1e-6 -o many.srm -q
ok eval many.srm many.csv --csv many-classes.csv
! grep -q 'true . predicted' "$out" || fail "25 classes are too many for a table"
[ "$(wc -l <many-classes.csv)" -eq 26 ] || fail "a row for each of the 25 classes"
