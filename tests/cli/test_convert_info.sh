#!/bin/sh
# convert keeps every value through every format; info describes what is there.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 50 1
printf 'x1,x2,y\n1,2.5,3\n-4e-300,5e+300,0.1\n' >exact.csv

checking "there and back again, to the last bit"
for format in csv tsv csv.gz csv.zst npy npz h5; do
    run convert exact.csv "t.$format"
    if [ "$rc" -ne 0 ] && grep -q 'not available\|without' "$err"; then
        checking "$format is not available in this build"
        continue
    fi
    [ "$rc" -eq 0 ] || fail "convert to $format"
    prints "^exact\\.csv: 2 rows, 3 columns -> t\\.$format"
    ok convert "t.$format" back.csv -q
    tail -n +2 exact.csv >values
    tail -n +2 back.csv >again
    cmp -s values again || fail "$format should keep the values: $(cat again)"
done

checking "libsvm: the target comes first, zeros are left out"
printf 'a,b,y\n1,0,5\n0,2,6\n' >sparse.csv
ok convert sparse.csv s.libsvm -q
[ "$(cat s.libsvm)" = "$(printf '5 1:1\n6 2:2\n')" ] || fail "s.libsvm: $(cat s.libsvm)"

checking "convert to standard output prints nothing else"
ok convert exact.csv -
cmp -s exact.csv "$out" || fail "it should be the table"

checking "info of a table"
printf 'age;colour;y\n31;red;1.5\n;green;2.5\n29;red;3.5\n' >mixed.csv
ok info mixed.csv
prints '^data +mixed\.csv: 3 rows, 3 columns, semicolon-separated, header'
prints '^target +y'
prints '^ +age +number +1 +29 +30 +31'
prints '^ +colour +text +0 .*2 different: red, green'
ok info mixed.csv --json info.json -q
[ "$(value info.json rows)" = 3 ] && [ "$(value info.json columns.1.distinct)" = 2 ] || fail "the record"
ok info - <mixed.csv
prints '3 rows, 3 columns'

checking "info of a model"
ok fit train.csv -q -o m.srm
ok info m.srm
prints '^model +m\.srm'
prints '^kernel +rbf sigma='
prints '^columns +x1, x2'
ok info m.srm --json -

checking "Excel's #N/A at the beginning of a row is a missing value, not a comment"
printf 'a,b\n1,2\n#N/A,3\n# a comment\n4,5\n' >na.csv
ok convert na.csv -
[ "$(cat "$out")" = "a,b
1,2
,3
4,5" ] || fail "the row with #N/A should stay, the comment should go"

checking "a model under a name that ends in .gz is compressed, and read back"
ok fit "$SOURCE_DIR/data/crescents-train.csv" -q -o c.srm.gz
gzip -t c.srm.gz || fail "c.srm.gz should be gzip"
ok info c.srm.gz
prints '^model +c.srm.gz'

checking "NPZ without a libzip that can be loaded: one line"
printf 'PK\003\004' >a.npz
mkdir without
for name in libzip.so libzip.so.4 libzip.so.5; do
    printf 'no library' >without/$name
done
export LD_LIBRARY_PATH=$PWD/without
run info a.npz
[ "$rc" -eq 1 ] || fail "info a.npz: exit code $rc"
grep -Eq '^specreg: a\.npz: (NPZ files need libzip, which cannot be loaded: |this build has no NPZ)' "$err" ||
    fail "the line should say that libzip is not there"
unset LD_LIBRARY_PATH
