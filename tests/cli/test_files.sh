#!/bin/sh
# Files in blocks: several as one table, pipes, labels of their own, late errors.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 60 1
regression_data new.csv 9000 2
ok fit train.csv -o m.srm --kernel rbf:sigma=1 --param lambda=1e-3 -q
ok predict m.srm new.csv -o whole.csv -q

checking "one file, several, a pattern and a pipe are the same rows"
head -n 1 new.csv >head.csv
for part in 1:3000 3001:3001 3002:9000; do
    first=${part%:*} last=${part#*:}
    { cat head.csv && tail -n +2 new.csv | sed -n "${first},${last}p"; } >"part-$first.csv"
done
ok predict m.srm part-1.csv part-3001.csv part-3002.csv -o some.csv -q
cmp -s whole.csv some.csv || fail "three files should be the one they are of"
ok predict m.srm 'part-*.csv' -o some.csv -q
cmp -s whole.csv some.csv || fail "a pattern should be its files in the order of their names"
gzip -c new.csv >new.csv.gz
"$SPECREG" predict m.srm - <new.csv.gz >some.csv || fail "standard input"
cmp -s whole.csv some.csv || fail "a pipe should be as a file"
ok predict m.srm new.csv.gz -o some.csv.gz -q
gunzip -c some.csv.gz | cmp -s whole.csv - || fail "a compressed file should hold the same"
ok eval m.srm new.csv --json one.json -q
ok eval m.srm 'part-*.csv' --json several.json -q
grep -A 200 '"test"' one.json >one
grep -A 200 '"test"' several.json >several
cmp -s one several || fail "errors should not depend on how many files there are"

checking "what does not fit is said, and nothing is written"
refused 1 "^specreg: nothing-\*.csv: no file has such a name" predict m.srm 'nothing-*.csv' -o bad.csv
printf '1,2\n' >narrow.csv
refused 1 'narrow.csv: has 2 columns, new.csv has' predict m.srm new.csv narrow.csv -o bad.csv
{ cat new.csv && head -n 2 new.csv | tail -n 1 | sed 's/^[^,]*/what/'; } >late.csv
refused 1 "late.csv:9002: column '.*': 'what' is not a number" predict m.srm late.csv -o bad.csv
refused 1 "late.csv:9002: column" eval m.srm late.csv
{ cat new.csv && head -n 2 new.csv | tail -n 1 | sed 's/^[^,]*//'; } >gap.csv
refused 1 "gap.csv:9002: column .* missing" predict m.srm part-1.csv gap.csv -o bad.csv
[ ! -e bad.csv ] || fail "nothing should be left of predictions that fail"
"$SPECREG" predict m.srm late.csv >bad.out 2>/dev/null && fail "a late error should be one"
[ ! -s bad.out ] || fail "standard output should have no part of predictions that fail"

checking "IDX files and labels in a file of their own"
printf '\000\000\010\003\000\000\000\004\000\000\000\001\000\000\000\002\001\002\003\004\005\006\007\010' \
    >images-idx3-ubyte
printf '\000\000\010\001\000\000\000\004\001\000\001\000' | gzip -c >labels-idx1-ubyte.gz
ok convert images-idx3-ubyte t.csv --labels labels-idx1-ubyte.gz -q
printf 'x1,x2,label\n1,2,1\n3,4,0\n5,6,1\n7,8,0\n' | cmp -s t.csv - || fail "pixels and labels: $(cat t.csv)"
ok info images-idx3-ubyte --labels labels-idx1-ubyte.gz
prints 'target +label: classification'
refused 2 "new.csv: has a target already, the column 'y'" info new.csv --labels labels-idx1-ubyte.gz
printf 'a,b\n1,2\n3,4\n' >two.csv
refused 1 'two.csv has 2 rows, its labels in labels-idx1-ubyte.gz are 4' \
    info two.csv --labels labels-idx1-ubyte.gz
awk 'BEGIN { print "a,b"; for (i = 0; i < 3000; i++) print i % 7 "," i % 11 }' >rows.csv
for count in 2500 3500; do
    awk -v n=$count 'BEGIN { print "label"; for (i = 0; i < n; i++) print i % 2 }' >labels-$count.csv
done
few='--approx rectangle:m=5 --kernel rbf:sigma=1 --problem classification -q -o m.srm'
refused 1 'rows.csv has more rows than labels, 2500' fit rows.csv --labels labels-2500.csv $few
refused 1 'labels-3500.csv: has more labels than there are rows, 3000' fit rows.csv --labels labels-3500.csv $few

if [ -x "${BUILD_DIR:-}/synthetic" ]; then
    checking "synthetic problems are the same for any number of threads, more rows begin with the fewer"
    for problem in ringnorm sine higgs; do
        OMP_NUM_THREADS=1 "$BUILD_DIR/synthetic" $problem 9000 one.npy float32 7 || fail synthetic
        OMP_NUM_THREADS=3 "$BUILD_DIR/synthetic" $problem 9000 three.npy float32 7 || fail synthetic
        cmp -s one.npy three.npy || fail "$problem depends on the threads"
        OMP_NUM_THREADS=2 "$BUILD_DIR/synthetic" $problem 5000 fewer.npy float32 7 || fail synthetic
        tail -c +129 fewer.npy >fewer
        tail -c +129 one.npy | head -c "$(wc -c <fewer)" | cmp -s - fewer || fail "$problem: fewer rows"
    done
fi
