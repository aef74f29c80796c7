#!/bin/sh
# importance and partial as a person uses them; tests/python/test_explain.py compares their numbers.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data numbers.csv 80 2
class_data classes.csv 80 1
ok fit numbers.csv -q -o numbers.srm
ok fit classes.csv -q -o classes.srm

checking "the column that matters more comes first, with its spread"
ok importance numbers.srm numbers.csv
prints '^data +numbers.csv: 80 rows$'
prints '^measure +mse .* larger when a column is permuted, 10 times$'
[ "$(sed -n 3p "$out" | tr -s ' ')" = ' column mean stddev' ] || fail "the table should have a head"
sed -n 4p "$out" | grep -q '^  x1 ' || fail "x1 should come first"
ok importance numbers.srm numbers.csv --criterion r2
prints '^measure +r2 .* smaller when a column is permuted, 10 times$'

checking "one repeat has no spread; the file has a row for each column"
ok importance numbers.srm numbers.csv --repeats 1 -o one.csv --json one.json
[ "$(head -n 1 one.csv)" = 'column,mean,stddev,repeat1' ] || fail "the columns are wrong"
[ "$(value one.json columns.0.stddev)" = None ] || fail "one repeat should have no spread"
near "$(sed -n 2p one.csv | cut -d, -f2)" "$(value one.json columns.0.values.0)" 0 || fail "not the same"

checking "columns by name, number and pattern"
for columns in x2 2 'x[2-9]' 2-3; do
    ok importance numbers.srm numbers.csv --columns "$columns" --json i.json -q
    [ "$(value i.json columns.0.name)" = x2 ] || fail "--columns $columns should take x2"
done

checking "partial dependence: a table for each column, with a band"
ok partial numbers.srm numbers.csv --points 4
[ "$(grep -c '^ *x[12]  *y  *10 %  *90 %$' "$out")" = 2 ] || fail "two tables should be shown"
ok partial classes.srm classes.csv --columns x1 --points 3 -o p.csv
[ "$(head -n 1 p.csv)" = 'column,value,no,no:low,no:high,yes,yes:low,yes:high' ] || fail "$(head -n 1 p.csv)"
[ "$(wc -l <p.csv)" -eq 4 ] || fail "three points should be written"
ok partial classes.srm classes.csv --surface x1,x2 --points 3 -o s.csv
[ "$(head -n 1 s.csv)" = 'x1,x2,no,no:low,no:high,yes,yes:low,yes:high' ] || fail "$(head -n 1 s.csv)"
[ "$(wc -l <s.csv)" -eq 10 ] || fail "nine points should be written"

checking "the target may be absent for partial, and is needed for importance"
cut -d, -f1,2 numbers.csv >inputs.csv
ok partial numbers.srm inputs.csv -q
refused 1 "target column 'y' is missing" importance numbers.srm inputs.csv

checking "categories beyond --points are left out, and it says so"
awk 'BEGIN { print "k,y"; for (i = 0; i < 90; i++) { c = i % 3 ? i % 9 : 0; printf "c%d,%d\n", c, c * c % 7 } }' >many.csv
ok fit many.csv -q -o many.srm --problem regression --kernel rbf:sigma=1
says "'k' has 7 categories, the 4 most frequent are shown" partial many.srm many.csv --points 4 --json m.json
[ "$(value m.json curves.0.grid.0)" = c0 ] || fail "the most frequent should be there"

checking "what cannot be asked"
refused 2 "column 'y' is no input of the model" importance numbers.srm numbers.csv --columns y
refused 2 "no column 'x9'|x9" partial numbers.srm numbers.csv --columns x9
refused 2 'criterion auc is not for regressions' importance numbers.srm numbers.csv --criterion auc
refused 2 'criterion mae is not for classes' importance classes.srm classes.csv --criterion mae
refused 2 'repeats must be a whole number' importance numbers.srm numbers.csv --repeats 0
refused 2 'points must be a whole number' partial numbers.srm numbers.csv --points 1
refused 2 'name two columns' partial numbers.srm numbers.csv --surface x1
refused 2 'leave out --columns' partial numbers.srm numbers.csv --surface x1,x2 --columns x1
refused 2 'option of fit' importance numbers.srm numbers.csv --kernel rbf
ok fit classes.csv -q -o plain.srm --kernel rbf:sigma=1 --param lambda=0.1
refused 1 'fit it again with --select loo or kfold' importance plain.srm classes.csv --criterion log_loss

checking "models without columns that can be changed say why"
printf 'a\tgreen tree\nb\tblue sea\na\tgreen leaf\nb\tblue boat\n' >docs.txt
ok fit docs.txt --text min-docs=1 --param lambda=0.1 -q -o docs.srm
refused 1 'the model reads documents' importance docs.srm docs.txt
ok features numbers.csv --kpca 2 --kernel rbf:sigma=1 --model k.srm -q -o k.csv
refused 1 'gives coordinates' partial k.srm numbers.csv
awk 'BEGIN { for (i = 0; i < 12; i++) { for (k = 0; k < 12; k++) printf "%g,", exp(-(i - k) ^ 2 / 8); print sin(i) } }' >gram.csv
ok fit gram.csv --kernel precomputed -q -o gram.srm
refused 1 'kernel matrix is given' importance gram.srm gram.csv
ok fit numbers.csv --features file:inputs.csv --features-file inputs.csv -q -o file.srm
refused 1 'features from a file' importance file.srm numbers.csv
{ head -n 3 numbers.csv; echo 'a,b,c'; } >bad.csv
refused 1 "'a' is not a number" partial numbers.srm bad.csv
