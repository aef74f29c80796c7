#!/bin/sh
# Outputs and tasks that have to do with each other: what is printed, and what is refused.
. "$SOURCE_DIR/tests/cli/lib.sh"

# many.csv: three targets of 40 rows; gaps.csv: the same with some of them missing.
awk 'BEGIN {
    srand(1); print "x1,x2,u,v,w"
    for (i = 0; i < 40; i++) {
        a = 2 * rand() - 1; b = 2 * rand() - 1; s = sin(3 * a)
        printf "%.5f,%.5f,%.5f,%.5f,%.5f\n", a, b, s + 0.1 * rand(), s + b / 2, 0.1 * rand() - s
    }
}' >many.csv
awk -F, -v OFS=, 'NR > 1 && NR % 5 == 0 { $(3 + NR % 3) = "" } 1' many.csv >gaps.csv
# tasks.csv: four tasks of different sizes, one with one row.
awk 'BEGIN {
    srand(2); print "x1,x2,school,y"; split("a a a a b b b c c d", name, " ")
    for (i = 0; i < 61; i++) {
        a = 2 * rand() - 1; b = 2 * rand() - 1; t = i == 60 ? "solo" : name[i % 10 + 1]
        printf "%.5f,%.5f,%s,%.5f\n", a, b, t, sin(3 * a) + (t == "b") * b + 0.1 * rand()
    }
}' >tasks.csv
fit="fit many.csv --target u,v,w -o m.srm --kernel rbf:sigma=1 --param lambda=1e-3"

wrong() { # CODE PATTERN OUTPUTS: with three outputs
    refused "$1" "$2" $fit --outputs "$3"
}

checking "names and keys that do not exist"
wrong 2 "unknown outputs 'comon'.*common" comon
wrong 2 "omga" common:omga=1
wrong 2 "key=value" common:0.5
wrong 2 "graph: give the file" graph
wrong 2 "file is given twice" graph:file=a,file=b
wrong 2 "omega is given twice" common:omega=1,omega=0
wrong 2 "a sum of 2, but the kernel is a sum of 1" 'common:omega=1 + independent'

checking "numbers out of range"
wrong 2 "omega must be from 0 to 1" common:omega=1.5
wrong 2 "omega" common:omega=-0.1
wrong 2 "common: 'abc' is not a number" common:omega=abc
printf 'red\nblue\nred\n' >labels.txt
wrong 2 "eps1" clusters:file=labels.txt,eps1=0
wrong 2 "eps2" clusters:file=labels.txt,eps2=-1
wrong 2 "eps1 cannot be auto" clusters:file=labels.txt,eps1=auto

checking "files"
wrong 1 "nope.csv" graph:file=nope.csv
printf '1,0\n0,1\n' >small.csv
wrong 1 "small.csv has 2 rows and 2 columns, 3 outputs take 3 x 3" matrix:file=small.csv
wrong 1 "small.csv has 2 rows and 2 columns, 3 outputs take 3 x 2" delays:file=small.csv
wrong 1 "small.csv.*one label for each of 3 outputs" clusters:file=small.csv
printf '1,0,0\n0,x,0\n0,0,1\n' >text.csv
wrong 1 "text.csv:[0-9]*:? .*not a number" matrix:file=text.csv
printf '1,0,0\n0,,0\n0,0,1\n' >hole.csv
wrong 1 "hole.csv:2: column 2 is not a number" matrix:file=hole.csv
printf '1,0.5,0\n0,1,0\n0,0,1\n' >skew.csv
wrong 1 "skew.csv: the matrix is not symmetric: 0 in row 2 and column 1, 0.5 the other" matrix:file=skew.csv
wrong 1 "^specreg: \.: is a directory" matrix:file=.
wrong 1 "skew.csv: the matrix is not symmetric" graph:file=skew.csv
printf '1,2,0\n2,1,0\n0,0,1\n' >indefinite.csv
wrong 1 "indefinite.csv: the matrix is not positive semi-definite: .* -1 " matrix:file=indefinite.csv
printf '0,0,0\n0,0,0\n0,0,0\n' >zero.csv
wrong 1 "zero.csv" matrix:file=zero.csv
wrong 1 "zero.csv" graph:file=zero.csv
printf '1,-1,0\n-1,1,0\n0,0,1\n' >negative.csv
wrong 1 "outputs 1 and 2 of the graph is negative: -1" graph:file=negative.csv
: >empty.csv
wrong 1 "empty.csv" matrix:file=empty.csv
ok $fit --outputs clusters:file=labels.txt,eps2=0.5

checking "a graph without weights on its diagonal holds the mean at 0, which is said"
printf '0,1,0\n1,0,1\n0,1,0\n' >path.csv
ok $fit --outputs graph:file=path.csv
prints '^note +outputs graph: the diagonal of path.csv is zero'

checking "one output has nothing to share with others"
refused 2 "there is one output only" fit many.csv --target u -o m.srm --outputs common:omega=0.5
ok fit many.csv --target u -o m.srm --outputs independent -q

checking "columns with two roles, and tasks that are none"
refused 2 "school" fit tasks.csv --task-column school --target school -o m.srm
refused 2 "two of the roles" fit tasks.csv --task-column school --group school -o m.srm
refused 2 "two of the roles" fit tasks.csv --task-column x1 --weights x1 -o m.srm
refused 2 "nope" fit tasks.csv --task-column nope -o m.srm
refused 2 "needs --task-column" fit tasks.csv --task-weight tasks -o m.srm
refused 2 "task-weight" fit tasks.csv --task-column school --task-weight odd -o m.srm
awk -F, -v OFS=, 'NR > 1 { $3 = "a" } 1' tasks.csv >onetask.csv
refused 1 "names one task only" fit onetask.csv --task-column school -o m.srm
sed '9s/,[a-z]*,/,,/' tasks.csv >notask.csv
refused 1 "notask.csv:9: column 'school': the task is missing" fit notask.csv --task-column school -o m.srm
refused 1 "small.csv has .* tasks take" fit tasks.csv --task-column school -o m.srm --outputs delays:file=small.csv
refused 2 "nope" fit tasks.csv --task-column school -o m.srm --outputs transform:map=nope
refused 2 "cannot name groups or tasks" fit tasks.csv --task-column y -o m.srm
printf 'a\nb\n' >two.txt
refused 1 "one label for each of 5 tasks" fit tasks.csv --task-column school -o m.srm \
    --outputs clusters:file=two.txt

checking "targets that are missing"
refused 1 "gaps.csv:5: column '.': value is missing \(see --missing-targets and --missing\)" \
    fit gaps.csv --target u,v,w -o m.srm
refused 1 "gaps.csv:5: column '.': value is missing \(targets are not filled in, see --missing-targets" \
    fit gaps.csv --target u,v,w --missing mean -o m.srm
ok fit gaps.csv --target u,v,w --missing drop -o m.srm
prints '8 rows with missing values left out'
ok fit gaps.csv --target u,v,w --missing-targets allow --outputs common:omega={0.2,0.8} -o g.srm \
    --json g.json --kernel rbf:sigma=1
prints 'regression of u, v, w \(8 values missing\)'
prints '^outputs +common omega=0\.[28] \(2 values tried, 0\.2 to 0\.8\); 3 outputs'
[ "$(value g.json data.missing_targets)" = "[2, 3, 3]" ] || fail "$(value g.json data.missing_targets)"
[ "$(value g.json train.per_output.0.n)" = 38 ] || fail "per_output"
ok eval g.srm gaps.csv --json ge.json
prints '^ *u +[0-9.e-]+ +[0-9.e-]+ +[0-9.]+'
near "$(value ge.json test.mse)" "$(value g.json train.mse)" 1e-12 || fail "eval skips what is missing"
sed '7s/,[^,]*,[^,]*,[^,]*$/,,,/' gaps.csv >none.csv
refused 1 "none.csv:7: column 'u': all targets of the row are missing \(--missing drop" \
    fit none.csv --target u,v,w --missing-targets allow -o m.srm
ok fit none.csv --target u,v,w --missing-targets allow --missing drop -q -o m.srm
sed '7s/[^,]*$//' many.csv >onegap.csv
refused 1 "onegap.csv:7: column 'w'" fit onegap.csv --missing-targets allow --target w -o m.srm
refused 2 "missing-targets" fit gaps.csv --target u,v,w --missing-targets perhaps -o m.srm
refused 2 "every row has all its targets" fit tasks.csv --task-column school --missing-targets allow \
    -o m.srm
ok fit gaps.csv --target u,v,w -q -o m.srm --missing-targets allow --select loo
refused 1 "interval: there are none" predict g.srm gaps.csv --interval 0.9 -o p.csv

checking "tasks: what is printed and recorded"
ok fit tasks.csv --task-column school --outputs common --kernel rbf:sigma={0.5,1} -o t.srm --json t.json
prints '5 tasks by school'
prints '^kernel +rbf sigma=[0-9.]+ \(2 values tried'
prints '^outputs +common omega=[0-9.]+ \(11 values tried, 0 to 1\); 5 tasks'
prints '^filter .*\(51 values tried\)'
[ "$(value t.json data.tasks)" = 5 ] && [ "$(value t.json data.task_column)" = school ] || fail data
[ "$(value t.json train.per_task.4.name)" = solo ] || fail "per_task"
ok info t.srm
prints '^outputs +common'
ok eval t.srm tasks.csv --json te.json
prints '^  solo +1 '
near "$(value te.json test.explained_variance)" "$(value te.json test.r2)" 1e-12 || fail "variance"
ok plan tasks.csv --task-column school --outputs common --kernel rbf:sigma={0.5,1}
prints '2 kernels x 11 matrices of outputs x 51 values of lambda'

checking "path and cv show the parameters of outputs beside those of the kernel"
ok path tasks.csv --task-column school --outputs 'common:omega={0.25,0.75}' --kernel rbf:sigma=1 \
    --param 'lambda={0.1,0.01}'
prints '^ +sigma +omega +lambda +df '
prints '^ +1 +0\.25 +0\.1 '
prints '^ +1 +0\.75 +0\.01 '
ok path tasks.csv --task-column school --kernel 'rbf:sigma=1 + rbf:sigma=2' --param lambda=0.1 \
    --outputs 'independent + common:omega={0.25,0.75}' -o sum.csv
[ "$(head -n 1 sum.csv | tr , '\n' | grep -c '^term2\.omega$')" = 1 ] || fail "$(head -n 1 sum.csv)"
ok cv tasks.csv --task-column school --outputs common:omega=0.75 --kernel rbf:sigma=1 \
    --param lambda=0.1 --outer kfold:k=2
prints '^ +fold +train +test +sigma +omega +lambda +mse '
prints '^ +1 +[0-9]+ +[0-9]+ +1 +0\.75 +0\.1 '

checking "many tasks: a short table"
awk 'BEGIN { srand(3); print "x,t,y"
    for (i = 0; i < 90; i++) printf "%.4f,%d,%.4f\n", rand(), i % 30, i % 30 * rand() }' >thirty.csv
ok fit thirty.csv --task-column t --outputs common:omega=0.5 --param lambda=0.1 --kernel rbf:sigma=1 \
    -q -o thirty.srm
ok eval thirty.srm thirty.csv --json thirty.json
prints 'the best and the worst of 30'
[ "$(wc -l <"$out")" -lt 26 ] || fail "too long"
[ "$(value thirty.json test.per_task.29.name)" = 29 ] || fail "all are in the record"

checking "a task that training did not have: an answer where there is something in common"
sed 's/solo/new/' tasks.csv | tail -n 1 >later.tmp
{ head -n 1 tasks.csv; cat later.tmp; } >later.csv
ok predict t.srm later.csv -o later_out.csv -q
ok eval t.srm later.csv
prints 'not in training'
ok fit tasks.csv --task-column school --outputs independent --kernel rbf:sigma=1 -q -o i.srm
refused 1 "later.csv:2: column 'school': task 'new' was not seen in training, and with outputs independent" \
    predict i.srm later.csv -o p.csv
refused 1 "later.csv:2: column 'school': task 'new' was not seen" eval i.srm later.csv
ok fit thirty.csv --task-column t --kernel rbf:sigma=1 --param lambda=0.1 -q -o n.srm
printf 'x,t\n0.5,3\n0.5,30.5\n' >number.csv
refused 1 "number.csv:3: column 't': task '30.5' was not seen" predict n.srm number.csv -o p.csv
cut -d, -f1,2,4 tasks.csv >nocolumn.csv
refused 1 "school" predict t.srm nocolumn.csv -o p.csv

checking "cv: parts that lack a task know it all the same"
printf '0.5,1,0,0,0\n1,0,1,0,0\n0,1,0,1,0\n0,0,1,0,1\n0,0,0,1,0.5\n' >chain.csv
for outputs in common:omega=0.5 graph:file=chain.csv independent; do
    ok cv tasks.csv --task-column school --outputs $outputs --kernel rbf:sigma=1 --outer kfold:k=3 \
        --json cv.json
    prints '^mean +mse'
done
[ "$(value cv.json folds.0.outputs.name)" = independent ] || fail "outputs of a fold"
ok cv gaps.csv --target u,v,w --missing-targets allow --outputs common:omega=0.5 --kernel rbf:sigma=1

checking "commands that go on as ever"
ok path gaps.csv --target u,v,w --missing-targets allow --outputs common:omega=0.5 \
    --kernel rbf:sigma=1 --param lambda={1e-1,1e-2} --test many.csv --select kfold:k=3 --json path.json
[ "$(value path.json table.1.outputs.omega)" = 0.5 ] || fail "path: outputs"
ok path tasks.csv --task-column school --outputs common:omega=0.5 --kernel rbf:sigma=1 \
    --param lambda={1e-1,1e-2} --test tasks.csv --json path.json
near "$(value path.json table.1.test_mse)" "$(value path.json table.1.train_mse)" 1e-12 || fail "path"
ok path many.csv --target u,v,w --outputs common:omega=0.5 --kernel rbf:sigma=1 \
    --param lambda={1e-1,1e-2} --test many.csv --json path.json
near "$(value path.json table.1.test_mse)" "$(value path.json table.1.train_mse)" 1e-12 || fail "path"
ok spectrum gaps.csv --target u,v,w --missing-targets allow --outputs common:omega=0.5 \
    --kernel rbf:sigma=1 --json s.json
[ "$(value s.json n)" = 112 ] || fail "a point for each target that is there"
ok spectrum many.csv --target u,v,w --outputs common:omega=0.5 --kernel rbf:sigma=1 --json s.json
near "$(value s.json trace)" 3 1e-12 || fail "the trace of K/n times that of A"
ok fit tasks.csv --task-column school --outputs common --select file:tasks.csv -q -o m.srm
ok fit gaps.csv --target u,v,w --missing-targets allow --outputs common:omega=0.5 \
    --select file:gaps.csv -q -o m.srm
ok fit tasks.csv --task-column school --outputs common --group x1 -q -o m.srm
for search in race coarse exhaustive; do
    ok fit tasks.csv --task-column school --outputs common --search $search -q -o m.srm
    ok fit gaps.csv --target u,v,w --missing-targets allow --outputs common:omega={0.1,0.5,0.9} \
        --kernel rbf:sigma={0.5,1,2} --search $search -q -o m.srm
done

checking "a checkpoint knows what the file said"
printf '2,1,0\n1,2,0\n0,0,1\n' >A.csv
ok $fit --outputs matrix:file=A.csv --select kfold:k=3 --checkpoint c.ckpt -q --json a.json
printf '2,0,0\n0,2,0\n0,0,1\n' >A.csv
ok $fit --outputs matrix:file=A.csv --select kfold:k=3 -q --json fresh.json
ok $fit --outputs matrix:file=A.csv --select kfold:k=3 --checkpoint c.ckpt -q --json b.json
[ "$(value b.json selection.value)" = "$(value fresh.json selection.value)" ] || fail "an old value"
[ "$(value a.json selection.value)" != "$(value b.json selection.value)" ] || fail "no difference"

checking "classes"
awk 'BEGIN { srand(4); print "x1,x2,t,y"
    for (i = 0; i < 90; i++) { a = 2 * rand() - 1; b = 2 * rand() - 1
        y = a + 0.3 * rand() < -0.3 ? "l" : a > 0.4 ? "r" : "m"
        printf "%.4f,%.4f,%s,%s\n", a, b, i % 3 ? "p" : "q", y }
}' >three.csv
sed 's/,m$/,r/' three.csv >pair.csv
ok fit pair.csv --task-column t --outputs common:omega={0,0.5,1} --kernel rbf:sigma=1 -o c.srm --json c.json
[ "$(value c.json train.per_task.1.name)" = q ] || fail "tasks of classes"
ok eval c.srm pair.csv
prints '^  task +n +error_rate'
bound="fit pair.csv --task-column t --kernel rbf:sigma=1 --filter nu --param t=20 --select bound -q -o b.srm"
ok $bound --engine iterate --calibrate no --outputs common:omega={0.1,0.5,0.9} --json b.json # in one run
for i in 0 1 2; do
    ok $bound --outputs common:omega="$(value b.json selection.table.$i.outputs.omega)" --json one.json
    [ "$(value one.json selection.value)" = "$(value b.json selection.table.$i.value)" ] || fail "the bound of one of several"
done
ok predict c.srm pair.csv --proba -q -o proba.csv
cut -d, -f1,2,4 three.csv >three_only.csv
cut -d, -f1,2,4 pair.csv >pair_only.csv
refused 2 "there is one output only" fit pair_only.csv --outputs common:omega=0.5 -o m.srm
ok fit three_only.csv --outputs common:omega=0.3 --kernel rbf:sigma=1 -q -o m.srm
refused 2 "conjugate gradients" fit three_only.csv --outputs common:omega=0.3 --filter cg -o n.srm
refused 2 "components" fit three_only.csv --outputs common:omega=0.3 --filter tsvd \
    --param components=5 -o n.srm
refused 2 "a sum of several" fit three_only.csv --kernel 'rbf:sigma=1 + linear' \
    --outputs 'common:omega=1 + independent' -o n.srm
refused 2 "bound" fit three_only.csv --outputs common:omega=0.3 --select bound -o n.srm
