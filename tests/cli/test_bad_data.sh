#!/bin/sh
# Data that cannot be used: one line that says where and what, exit code 1, no file.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data good.csv 40 1

bad() { # PATTERN FILE [OPTIONS]: as training data, for every command that reads some
    pattern=$1 file=$2
    shift 2
    refused 1 "$pattern" fit "$file" -o m.srm "$@"
    refused 1 "$pattern" plan "$file" "$@"
}

checking "files that are not there or cannot be read"
refused 1 'nope.csv' fit nope.csv -o m.srm
refused 1 'nope.csv' info nope.csv
refused 1 'nope.csv' convert nope.csv out.csv
refused 1 'nope.csv' path good.csv --test nope.csv
mkdir folder
refused 1 'folder.*directory' fit folder -o m.srm
refused 1 'folder.*directory' info folder

checking "empty files, and a header without rows"
: >empty.csv
bad 'empty.csv' empty.csv
refused 1 'empty.csv' info empty.csv
printf '\n\n# only a comment\n' >blank.csv
bad 'blank.csv' blank.csv
echo 'x1,x2,y' >header.csv
bad 'header.csv' header.csv

checking "a ragged row, with its line"
printf 'x1,x2,y\n1,2,3\n4,5\n6,7,8\n' >ragged.csv
bad 'ragged.csv:3:' ragged.csv
printf 'x1,x2,y\n1,2,3\n4,5,6,7\n' >long.csv
bad 'long.csv:3:' long.csv

checking "text in a column of numbers, with its line and column"
sed '17s/^[^,]*/abc/' good.csv >text.csv
bad "text.csv:17: column 'x1': 'abc' is not a number" text.csv

checking "missing and infinite values"
sed '5s/^[^,]*//' good.csv >missing.csv
bad "missing.csv:5: column 'x1'" missing.csv
sed '5s/^[^,]*/nan/' good.csv >nan.csv
bad "nan.csv:5: column 'x1'" nan.csv
sed '6s/^[^,]*/inf/' good.csv >inf.csv
bad "inf.csv:6: column 'x1'" inf.csv
sed '7s/[^,]*$//' good.csv >target.csv
bad "target.csv:7: column 'y'" target.csv
ok fit missing.csv --missing mean -o m.srm && rm m.srm
ok fit missing.csv --missing drop -o m.srm && rm m.srm

checking "too little to learn from"
head -n 2 good.csv >one.csv
bad 'one.csv' one.csv
printf 'y\n1\n2\n3\n' >targetonly.csv
bad 'targetonly.csv' targetonly.csv
awk -F, -v OFS=, 'NR > 1 { $3 = 7 } 1' good.csv >constant.csv
bad "constant.csv.*'y'" constant.csv
awk -F, -v OFS=, 'NR > 1 { $3 = "yes" } 1' good.csv >oneclass.csv
bad "oneclass.csv.*'y'" oneclass.csv
refused 2 "'nothere'" fit good.csv --target nothere -o m.srm

checking "broken compressed files"
gzip -c good.csv >whole.csv.gz
size=$(wc -c <whole.csv.gz)
head -c $((size - 20)) whole.csv.gz >cut.csv.gz
bad 'cut.csv.gz' cut.csv.gz
printf 'not compressed at all\n' >false.csv.gz
ok fit whole.csv.gz -o m.srm && rm m.srm

checking "other formats, broken"
printf '1 1:0.5 2:abc\n' >bad.libsvm
bad 'bad.libsvm:1' bad.libsvm
printf '1 2:0.5 1:3\n' >order.libsvm
bad 'order.libsvm:1' order.libsvm
printf '\223NUMPY\001\000' >bad.npy
bad 'bad.npy' bad.npy

if [ "$(id -u)" -ne 0 ]; then
    checking "a file without permission"
    cp good.csv locked.csv
    chmod 000 locked.csv
    refused 1 'locked.csv.*[Pp]ermission' fit locked.csv -o m.srm
fi

checking "commas in numbers that may mean two things, or contradict points"
printf 'a;b;y\n1,500;2;3\n2,500;3;4\n3,500;4;5\n' >comma.csv
bad "comma.csv: column 'a': '[0-9],500' may have a decimal comma, or one between thousands: --decimal" comma.csv
printf 'a;b;y\n1,5;2.25;3\n2,5;3.25;4\n3,5;4.25;5\n' >both.csv
bad "both.csv: column 'a': '[0-9],5' may have a decimal comma" both.csv
ok info comma.csv --categorical a

checking "groups that cannot be kept together or are not there"
awk -F, -v OFS=, 'NR == 1 { print "site", $0; next } { print "s" NR % 3, $0 }' good.csv >sites.csv
ok fit sites.csv --group site -o m.srm && rm m.srm
ok cv sites.csv --group site --outer kfold:k=3
refused 2 "no column 'sit' .did you mean 'site'" fit sites.csv --group sit -o m.srm
refused 2 "column 'y' is the target" fit sites.csv --group y -o m.srm
refused 2 'leave-one-out cannot keep groups together: use kfold' fit sites.csv --group site --select loo -o m.srm
refused 2 'leave-one-out cannot keep groups together' plan sites.csv --group site --select loo
refused 1 'k=4 folds are more than the 3 groups' fit sites.csv --group site --select kfold:k=4 -o m.srm
refused 1 'k=41 folds are more than the 40 rows' fit good.csv --select kfold:k=41 -o m.srm
refused 2 'stratified must be 0 or 1' fit good.csv --select kfold:stratified=2 -o m.srm
refused 1 'all rows are of one group' fit constant.csv --group y --target x1 --select kfold -o m.srm
refused 1 'all rows are of one group' fit constant.csv --group y --target x1 --select holdout -o m.srm
refused 1 'all rows are of one group' cv constant.csv --group y --target x1
sed '9s/^[^,]*//' sites.csv >nosite.csv
bad "nosite.csv:9: column 'site': the group is missing" nosite.csv --group site
bad "nosite.csv:9: column 'site': the group is missing" nosite.csv --group site --missing drop
bad 'sites.csv has no feature columns' sites.csv --group site --weights x1 --target x2,y

checking "weights that are none"
refused 2 "column 'y' is the target" fit sites.csv --weights y -o m.srm
bad "sites.csv:2: column 'site': 's2' is not a weight" sites.csv --weights site
bad "good.csv:[0-9]+: column 'x1': '-0[.0-9]+' is not a weight" good.csv --weights x1
awk -F, -v OFS=, '{ print $0, NR == 1 ? "w" : NR == 5 }' good.csv >zero.csv
sed '8s/[^,]*$//' zero.csv >noweight.csv
bad "noweight.csv:8: column 'w': the weight is missing" noweight.csv --weights w --missing drop
bad "zero.csv: column 'w': 1 row has a positive weight" zero.csv --weights w
refused 2 'has no classes' fit good.csv --class-weight balanced -o m.srm
class_data classes.csv 40 2
refused 2 "unknown class of --class-weight 'yess'.*known: no yes" fit classes.csv --class-weight yess=2 -o m.srm
refused 2 'yes must be greater than 0' fit classes.csv --class-weight yes=0 -o m.srm

checking "splits that leave a class or a part out, or count rows that are not there"
awk -F, -v OFS=, 'NR == 4 { $3 = "perhaps" } 1' classes.csv >rare.csv
refused 1 "select: split [1-5] of 5 holds out all rows of class 'perhaps'" fit rare.csv --select kfold -o m.srm
refused 1 "outer: split [1-5] of 5 holds out all rows of class 'perhaps'" cv rare.csv
ok fit rare.csv -o m.srm && rm m.srm
given() { # PATTERN TEXT: as splits of the search and of cv
    printf "%b" "$2" >splits.txt
    refused 1 "$1" fit good.csv --select splits:splits.txt -o m.srm
    refused 1 "$1" cv good.csv --outer splits:splits.txt
}
given "splits.txt:2: '40' is not the number of a row, 0 to 39" '0 1 2\n3 40\n'
given "splits.txt:1: '-1' is not the number of a row" '-1 2\n'
given 'splits.txt:1: row 7 is listed twice' '7 8 7\n'
given 'splits.txt:1: no row is left to validate' "$(seq -s ' ' 0 39)\n"
given 'has no splits' '\n'
printf '0 1 2 3\n' >splits.txt
refused 1 'split 1 of 1 trains on a part of a group' fit sites.csv --group site --select splits:splits.txt -o m.srm

checking "a model where data are expected"
ok fit good.csv -q -o good.srm
refused 1 'good.srm: looks like a model file' fit good.srm -o m.srm
rm good.srm

checking "more memory than the budget, also for an engine asked for by name"
refused 1 'good.csv: needs more memory than the 1.0 KiB it may take' fit good.csv --memory 1K -o m.srm
awk 'BEGIN { print "a,y"; for (i = 0; i < 3000; i++) print i "," i % 7 / 3 }' >long.csv
refused 1 'needs (at least .* of memory beside the data, the budget leaves|more memory than)' fit long.csv --memory 1M -o m.srm
refused 1 'memory' fit good.csv --memory 20K --engine eig -o m.srm
