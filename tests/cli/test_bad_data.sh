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

checking "decimal commas, which would pass for texts"
printf 'a;b;y\n1,5;2,25;3,5\n2,5;3,25;4,5\n3,5;4,25;5,5\n' >comma.csv
bad "comma.csv: column 'a': '[0-9],5' has a decimal comma" comma.csv
ok info comma.csv --categorical a,b,y

checking "a model where data are expected"
ok fit good.csv -q -o good.srm
refused 1 'good.srm: looks like a model file' fit good.srm -o m.srm
rm good.srm

checking "more memory than the budget, also for an engine asked for by name"
refused 1 'needs at least .* of memory, the budget is' fit good.csv --memory 1K -o m.srm
refused 1 'memory' fit good.csv --memory 20K --engine eig -o m.srm
