#!/bin/sh
# Fewer centres than rows: the same model from one file, from several, with any number of threads and
# from sums as files; sums are merged in any order and taken back, and refuse what does not belong
# to them.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data all.csv 6500 1
cut_rows() { head -n 1 all.csv >"$3" && sed -n "$(($1 + 2)),$(($2 + 1))p" all.csv >>"$3"; }
cut_rows 0 2048 part-0.csv
cut_rows 2048 4096 part-1.csv
cut_rows 4096 6500 part-2.csv
cut_rows 0 50 new.csv
cut_rows 100 1500 short.csv
how='--approx rectangle:m=60 --kernel rbf:sigma=0.5 -q'
predict() { ok predict "$1" new.csv -q --threads 1 -o "$2"; }
same() { cmp -s "$1" "$2" || fail "$1 and $2 should be the same"; }

checking "one file, several files and numbers of threads give the same bytes"
ok fit all.csv $how -o a.srm && predict a.srm a.csv
for i in 0 1 2 3 4 5 6; do cut_rows $((i * 930)) $((i < 6 ? i * 930 + 930 : 6500)) seventh-$i.csv; done
for files in part seventh; do
    ok fit "$files-*.csv" $how -o b.srm --json b.json
    same a.srm b.srm
    [ "$(value b.json data.file)" = "$files-*.csv" ] || fail "the record should name the files as they were asked for"
done
ok fit all.csv --approx m=60 --kernel rbf:sigma=0.5 -q -o t.srm && predict t.srm t.csv
same a.csv t.csv # rectangle is the kind where none is named
refused 2 'unknown approx' fit all.csv --approx mm -o bad.srm
ok info a.srm
prints '^data +6500 rows'
for threads in 1 4; do
    ok fit all.csv $how --threads $threads -o t.srm
    same a.srm t.srm
done

checking "several files are one table also where every row is a centre"
exact='--approx exact --kernel rbf:sigma=0.5 --param lambda=1e-3 -q'
ok fit short.csv $exact -o e.srm && predict e.srm e.csv
cut_rows 100 700 one-0.csv
cut_rows 700 1500 one-1.csv
ok fit one-0.csv one-1.csv $exact -o f.srm && predict f.srm f.csv
same e.csv f.csv

checking "every rule gives the same model with any number of threads"
for rule in loo gcv 'kfold --criterion r2'; do
    for threads in 1 2 4; do
        # shellcheck disable=SC2086
        ok fit all.csv $how --select $rule --threads $threads -o rule-$threads.srm
    done
    same rule-1.srm rule-2.srm
    same rule-1.srm rule-4.srm
done

checking "the number of centres that --approx finds gives the model of so many"
ok fit all.csv --approx rectangle --kernel rbf:sigma=0.3 --param lambda=1e-6 -q -o auto.srm --json auto.json
m=$(value auto.json approx.m)
ok fit all.csv --approx "rectangle:m=$m" --kernel rbf:sigma=0.3 --param lambda=1e-6 -q -o given.srm
predict auto.srm auto.csv && predict given.srm given.csv
same auto.csv given.csv

checking "sums are merged in any order, and are those of the whole"
ok sums init all.csv $how -o basis.srb
for i in 0 1 2; do ok sums add basis.srb part-$i.csv -q -o $i.sums; done
ok sums add basis.srb all.csv -q --threads 1 -o all.sums
ok sums merge 0.sums 1.sums 2.sums -q -o one.sums
ok sums merge 2.sums 0.sums 1.sums -q -o two.sums
same one.sums two.sums
same one.sums all.sums

checking "parts that are cut elsewhere: other blocks, the same predictions to rounding"
cut_rows 0 1000 cut-0.csv
cut_rows 1000 4500 cut-1.csv
cut_rows 4500 6500 cut-2.csv
for i in 0 1 2; do ok sums add basis.srb cut-$i.csv -q -o cut-$i.sums; done
ok sums merge cut-0.sums cut-1.sums cut-2.sums -q -o cut.sums
for sums in one cut; do
    ok fit --sums $sums.sums --param lambda=1 -q -o $sums.srm && predict $sums.srm $sums.csv
done
cmp -s one.sums cut.sums && fail "sums of other blocks should be other files"
awk -F, 'NR == FNR { a[FNR] = $1; next }
         FNR > 1 { d = $1 - a[FNR]; d = d < 0 ? -d : d; worst = d > worst ? d : worst; most = a[FNR] > most ? a[FNR] : most }
         END { exit !(FNR == 51 && worst <= 1e-12 * most) }' one.csv cut.csv || fail "predictions should agree to 1e-12"

checking "sums are taken back bit for bit"
ok sums subtract one.sums 1.sums -q -o rest.sums
ok sums merge 0.sums 2.sums -q -o want.sums
same rest.sums want.sums

checking "the model of sums is that of the rows, and any filter is asked of them"
ok fit --sums one.sums -q -o s.srm
same a.srm s.srm
ok fit --sums one.sums --filter nu --select gcv -q -o nu.srm
ok sums info one.sums
prints '6500 rows in 4 blocks of 2048'

checking "conjugate gradients: one file, several files and numbers of threads give the same predictions"
cg='--approx rectangle:m=60,solver=cg --kernel rbf:sigma=0.5 --param lambda=1e-4 --select kfold:k=3'
ok fit all.csv $cg --threads 1 -q -o c.srm && predict c.srm c.csv
for threads in 2 4; do
    ok fit 'part-*.csv' $cg --threads $threads -q -o t.srm && predict t.srm t.csv
    same c.csv t.csv
    ok fit all.csv $cg --threads $threads -q -o t.srm
    same c.srm t.srm
done
ok fit all.csv $cg -o c.srm
prints 'conjugate gradients, [0-9]* passes over the rows; residual [0-9.e-]*'
ok plan all.csv --approx rectangle:m=3000 --kernel rbf:sigma=0.5 --param lambda=1e-4 --select none
prints 'by conjugate gradients with about [0-9]* passes over the rows'
refused 2 'take tikhonov, iterated, landweber, nu or cg' fit all.csv $cg --filter tsvd -o bad.srm
refused 2 'sums need --approx rectangle:m=COUNT' sums init all.csv $cg -o bad.srb
refused 2 'residual must be a number between 0 and 1' fit all.csv --approx rectangle:residual=2 -o bad.srm

checking "what does not belong together"
ok sums init short.csv $how -o other.srb
ok sums add other.srb part-1.csv -q -o other.sums
refused 1 'blocks of rows are in the sums already' sums merge 0.sums 0.sums -o bad.sums
refused 1 '1 of 3 blocks of rows come twice' sums add basis.srb part-0.csv part-1.csv part-0.csv -q -o bad.sums
refused 1 'blocks of rows are not in the sums' sums subtract 0.sums 1.sums -o bad.sums
refused 2 'of another basis' sums merge 0.sums other.sums -o bad.sums
refused 2 'the basis of the sums has fixed it' fit --sums one.sums --kernel linear -o bad.srm
refused 2 'looks at the rows a second time' fit --sums one.sums --select loo -o bad.srm
refused 1 'is not a basis file' sums add 0.sums part-1.csv -o bad.sums
refused 1 'is not a sums file' sums info basis.srb
refused 2 'is not known' sums add-up x y
refused 2 'takes the place of TRAIN' fit all.csv --sums one.sums -o bad.srm
refused 2 'TRAIN is missing' fit -o bad.srm

checking "one against one: sums for each class, as files, from parts and with any number of threads"
awk 'BEGIN { srand(8); print "a,b,kind"; for (i = 0; i < 4500; i++) { c = i % 3; printf "%.15g,%.15g,%s\n",
             rand() + (c == 1) / 2, rand() + (c == 2) / 2, c == 0 ? "oak" : c == 1 ? "elm" : "ash" } }' >trees.csv
(head -n 1 trees.csv && sed -n '2,2049p' trees.csv) >trees-0.csv
(head -n 1 trees.csv && sed -n '2050,4501p' trees.csv) >trees-1.csv
pairs='--approx rectangle:m=40 --kernel rbf:sigma=0.4 --coding ovo --criterion mse -q'
ok sums init trees.csv $pairs -o trees.srb
for i in 0 1; do ok sums add trees.srb trees-$i.csv -q -o tree-$i.sums; done
ok sums merge tree-1.sums tree-0.sums -q -o trees.sums
ok sums info trees.sums
prints '4500 rows .*15 parts'
ok fit --sums trees.sums -q -o trees.srm --json trees.json
for threads in 1 2 4; do
    ok fit trees.csv $pairs --threads $threads -o tree-$threads.srm --json tree.json
    same tree-1.srm tree-$threads.srm
done
near "$(value tree.json selection.value)" "$(value trees.json selection.value)" 1e-12 || fail "scores of sums and of the table"
(head -n 1 trees.csv && sed -n '2,51p' trees.csv) >new.csv
predict trees.srm trees-a.csv && predict tree-1.srm trees-b.csv
same trees-a.csv trees-b.csv
ok sums subtract trees.sums tree-1.sums -q -o back.sums
same back.sums tree-0.sums
refused 2 'take loo or kfold' fit --sums trees.sums --select gcv -o bad.srm
(sed -n '1,200p' trees.csv && printf '3,3,fig\n-3,3,yew\n') >rare.csv # some seeds have both in one fold
for seed in 1 2 3 4 5 6 7 8; do
    "$SPECREG" fit rare.csv $pairs --select kfold:k=2 --seed $seed -o rare.srm 2>rare.err || break
done
[ ! -e rare.srm ] || rm rare.srm
refused 1 'there are no rows of the classes that output 9 trains on' fit rare.csv $pairs --select kfold:k=2 --seed $seed -o rare.srm

checking "damaged files"
head -c 5000 one.sums >cut.sums
refused 1 'ends too early' sums info cut.sums
cp one.sums odd.sums
printf x | dd of=odd.sums bs=1 seek=60000 conv=notrunc 2>/dev/null
refused 1 'checksum is wrong|impossible' sums info odd.sums

checking "path shows what fit and eval say of each of its points, for classes too"
class_data classes.csv 900 1
class_data ctest.csv 300 2
regression_data test.csv 300 3
for data in 'short.csv test.csv' 'classes.csv ctest.csv'; do
    train=${data% *} test=${data#* }
    common='--approx rectangle:m=40 --kernel rbf:sigma=0.7 --select kfold'
    ok path $train --test $test $common --param lambda=log:1e-5:1e-1:3 --json path.json
    prints '^approx +rectangle, 40 centres'
    for i in 0 1 2; do
        ok fit $train $common --param "lambda=$(value path.json table.$i.lambda)" -q -o p.srm --json p.json
        ok eval p.srm $test --json q.json
        near "$(value path.json table.$i.train_mse)" "$(value p.json train.mse)" 1e-9 || fail "train_mse $i"
        near "$(value path.json table.$i.test_mse)" "$(value q.json test.mse)" 1e-9 || fail "test_mse $i"
        near "$(value path.json table.$i.value)" "$(value p.json selection.value)" 1e-9 || fail "value $i"
    done
done
near "$(value path.json table.2.test_error_rate)" "$(value q.json test.error_rate)" 1e-9 || fail "error rate"
awk -v s="$(value p.json seconds.centers)" -v g="$(value p.json seconds.gram)" \
    'BEGIN { exit !(s > 0 && s <= g) }' || fail "the time for the centres should be in the record"
refused 2 'path is for exact and rectangle' path short.csv --approx subset:m=40

checking "groups stay together: what is known of a group does not help with others"
awk 'BEGIN { srand(5); print "x,g,y"; for (g = 0; g < 60; g++) { a = rand(); y = rand()
             for (i = 0; i < 10; i++) print a + rand() / 1000 ",g" g "," y + rand() / 100 } }' >grouped.csv
ok fit grouped.csv --approx rectangle:m=80 --kernel rbf:sigma=0.02 -q --drop g -o g.srm --json apart.json
ok fit grouped.csv --approx rectangle:m=80 --kernel rbf:sigma=0.02 -q --group g -o g.srm --json together.json
awk -v a="$(value apart.json selection.value)" -v b="$(value together.json selection.value)" \
    'BEGIN { exit !(b > 4 * a) }' || fail "groups apart $(value apart.json selection.value)"
refused 2 'group' fit grouped.csv --approx rectangle:m=80 --group g --select loo -o g.srm
sed '100s/,g[0-9]*,/,,/' grouped.csv >gap.csv
refused 1 'gap.csv:100: .*the group is missing' fit gap.csv --approx rectangle:m=80 --group g -o g.srm

checking "the best kernel at the edge of a grid: the grid is extended, as without --approx"
awk 'BEGIN { srand(6); print "x,y"; for (i = 0; i < 500; i++) { x = 6 * rand(); print x "," sin(9 * x) + rand() / 9 } }' >wave.csv
for approx in rectangle:m=150 exact; do
    ok fit wave.csv --approx $approx --scale none --kernel 'rbf:sigma={1,2,4}' --extend yes --select kfold -o w.srm --json w.json
    [ "$(value w.json kernel.sigma)" = 0.5 ] || fail "$approx: sigma $(value w.json kernel.sigma)"
done
ok fit wave.csv --approx rectangle:m=150 --scale none --kernel 'rbf:sigma={1,2,4}' -q -o w.srm --json w.json
[ "$(value w.json kernel.sigma)" = 1.0 ] || fail "a grid that is given should stay: $(value w.json kernel.sigma)"
