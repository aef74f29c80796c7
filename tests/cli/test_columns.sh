#!/bin/sh
# Which columns are inputs: chosen by --drop and --columns, identifying rows (--id), numbering them.
# The answers come from files without these columns, made by cut.
. "$SOURCE_DIR/tests/cli/lib.sh"
awk 'BEGIN {
    srand(5); print ",key,a,b,c,y"
    for (i = 0; i < 60; i++) {
        a = rand(); b = rand(); c = rand()
        printf "%d,k%d,%.4f,%.4f,%.4f,%.4f\n", i, i * 7 % 60, a, b, c, a + 2 * b * b + i / 50
    }
}' >all.csv
cut -d, -f3-6 all.csv >abc.csv
cut -d, -f3,4,6 all.csv >ab.csv
cut -d, -f1,3-6 all.csv | sed '1s/^/n/' >nabc.csv # a column with another name that counts up

same() { # FILE ARGUMENTS: a fit of all.csv with these predicts what one of FILE does
    file=$1
    shift
    ok fit "$file" -q -o one.srm
    ok predict one.srm "$file" -o one.csv
    ok fit all.csv "$@" -q -o two.srm
    ok predict two.srm all.csv -o two.csv
    cmp -s one.csv two.csv || fail "fit all.csv $*: should be as fit $file"
}

checking "columns by name, number, range and pattern, and what numbers the rows"
same abc.csv --drop key
same abc.csv --columns a,b,c
same abc.csv --columns 3-5
same abc.csv --columns a:c
same abc.csv --columns '3:c'
same abc.csv --columns '[abc]'
same ab.csv --drop key,c
same ab.csv --columns 'a, 4' --target y
same ab.csv --drop 'k*,c,x1'
ok fit all.csv --drop key
prints "note .*column 'x1' numbers the rows and is left out"
ok fit all.csv --drop key --columns '*' -q -o all.srm
ok fit nabc.csv -q -o n.srm
ok predict all.srm all.csv -o one.csv
ok predict n.srm nabc.csv -o two.csv
cmp -s one.csv two.csv || fail "--columns '*' should take the row numbers"
ok fit nabc.csv
prints "note .*column 'n' counts up from row to row: is it an input"

checking "the only input is kept, whatever it is called"
cut -d, -f1,6 all.csv | sed '1s/^/id/' >only.csv
ok fit only.csv -q -o only.srm
ok info only.srm
prints '^columns +id$'

checking "what is wrong with a list of columns"
refused 2 "no column has a name like 'z\*'" fit all.csv --drop 'z*'
refused 2 "there is no column 'keys' \(did you mean 'key'\?\)" fit all.csv --drop keys
refused 2 "column 'y' is the target, it cannot be dropped" fit all.csv --target y --drop y
refused 2 "column 'c' comes after 'a'" fit all.csv --columns c:a
refused 2 "empty name" fit all.csv --columns a,,b
refused 2 "there is no column 9: the columns are 1 to 6" info all.csv --drop 9

checking "an id is no input, and stands beside the predictions"
ok fit abc.csv -q -o one.srm
ok predict one.srm abc.csv -o one.csv
ok fit all.csv --id key -q -o two.srm
ok predict two.srm all.csv -o two.csv
cut -d, -f2 all.csv | paste -d, - one.csv >expected.csv
cmp -s expected.csv two.csv || fail "predictions should have the column key first"
ok predict one.srm all.csv --id key -o two.csv
cmp -s expected.csv two.csv || fail "predict --id should do the same"
says "column 'key', which identifies the rows, is missing" predict two.srm abc.csv -o three.csv
cmp -s one.csv three.csv || fail "without the column there are the predictions"
ok cv all.csv --id key --outer kfold:k=3
prints "note +column 'x1' numbers the rows and is left out"
ok path all.csv --drop key
prints "note +column 'x1' numbers the rows and is left out"
says "column 'x1' numbers the rows and is left out" features all.csv --kpca 2 --drop key -o pc.csv

checking "rows that are left out have no id"
awk -F, -v OFS=, 'NR == 4 { $4 = "" } 1' all.csv >gap.csv
ok fit gap.csv --id key --missing drop -q -o gap.srm
says '1 rows with missing values were dropped' predict gap.srm gap.csv -o gap.out
[ "$(cut -d, -f1 gap.out | tr '\n' ' ')" = "$(cut -d, -f2 all.csv | sed 4d | tr '\n' ' ')" ] ||
    fail "the ids should be those of the rows that are there"

checking "missing values: what fit did, predict does"
refused 1 "gap.csv:4: column 'b': value is missing .*indicator" fit gap.csv --drop key
ok fit gap.csv --drop key --missing indicator -q -o ind.srm
ok info ind.srm
prints '^columns +a, b, b:missing, c$'
ok predict ind.srm gap.csv -o one.csv
ok predict ind.srm gap.csv --missing mean -o two.csv
cmp -s one.csv two.csv || fail "the model has the indicator"
refused 1 "gap.csv:4: column 'b': value is missing" predict ind.srm gap.csv --missing error
# the indicator is a column like one that the file has; the gap is filled by awk
awk -F, -v OFS=, 'NR == 1 { print "a", "b", "m", "c", "y"; next }
    { m = $4 == ""; s += $4; n += !m; row[NR] = $0 }
    END { for (i = 2; i <= NR; i++) { split(row[i], f, ","); m = f[4] == ""
          printf "%s,%.17g,%d,%s,%s\n", f[3], m ? s / n : f[4], m, f[5], f[6] } }' gap.csv >filled.csv
ok fit filled.csv --scale none --kernel rbf:sigma=1 --param lambda=0.01 --select none -q -o one.srm
ok fit gap.csv --drop key --missing indicator --scale none --kernel rbf:sigma=1 \
    --param lambda=0.01 --select none -q -o two.srm
ok predict one.srm filled.csv -o one.csv
ok predict two.srm gap.csv -o two.csv
paste -d, one.csv two.csv | awk -F, 'NR > 1 { d = $1 - $2; if (d > 1e-9 || -d > 1e-9) exit 1 }' ||
    fail "an indicator should be a column of 0 and 1"

checking "categories that training did not have"
awk 'BEGIN { srand(2); print "town,x,y"; split("Bonn Trier Aachen", t, " ")
    for (i = 0; i < 40; i++) { x = rand(); k = 1 + i % 3; printf "%s,%.4f,%.4f\n", t[k], x, x + k } }' >town.csv
printf 'town,x,y\nBonn,0.5,1.5\nParis,0.5,1.5\nRom,0.1,1\n' >new.csv
ok fit town.csv -q -o town.srm
says "2 values were not seen in training, the first at new.csv:3: column 'town': 'Paris'" \
    predict town.srm new.csv
ok eval town.srm new.csv
prints "note .*2 values were not seen in training"
refused 1 "new.csv:3: column 'town': category 'Paris' was not seen in training" \
    eval town.srm new.csv --unseen error
ok fit town.csv --unseen error -q -o strict.srm
refused 1 "category 'Paris' was not seen" predict strict.srm new.csv
says "2 values" predict strict.srm new.csv --unseen zeros
sed '3s/Trier/Mons/' town.csv >rare.csv
ok cv rare.csv --outer kfold:k=4
prints "note .*1 value was not seen in training"
refused 1 "category 'Mons' was not seen" cv rare.csv --outer kfold:k=4 --unseen error
