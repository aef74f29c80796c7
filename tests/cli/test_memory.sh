#!/bin/sh
# Memory that follows from the data counts against --memory before it is taken, and a limit on
# address space is told, not waited for.
. "$SOURCE_DIR/tests/cli/lib.sh"

checking "many tasks: coupled ones are refused with the numbers, independent ones need no matrix"
awk 'BEGIN { print "a,task,y"; for (i = 0; i < 20000; i++) print i % 97 ",t" i "," i % 7 / 3 }' >tasks.csv
refused 1 '11 couplings of 20000 outputs or tasks need .* of memory, the budget leaves' \
    fit tasks.csv --task-column task --outputs common --memory 500M -o m.srm
refused 1 '1 couplings of 20000 ' plan tasks.csv --task-column task --outputs common:omega=0.5 --memory 500M
limits=yes # sanitizers take more address space than there is
(ulimit -v 2000000 && "$SPECREG" --version >said 2>&1) || limits=no
if [ $limits = yes ]; then
    (ulimit -v 2000000 && ok plan tasks.csv --task-column task --calibrate no --threads 2 --filter nu) || exit 1
fi

checking "many classes: their columns of targets count"
awk 'BEGIN { print "a,y"; for (i = 0; i < 20000; i++) print i % 97 ",c" i }' >classes.csv
for coding in ova ab simplex; do
    refused 1 'needs more memory than the 125.0 MiB it may take .*: .* for one array' \
        fit classes.csv --coding $coding --memory 100M -o m.srm
done

checking "little address space: a text in time, where OpenBLAS alone would try for ever"
regression_data train.csv 1500 1
[ $limits = yes ] || exit 0
for kib in 430000 480000; do
    (
        ulimit -v $kib
        timeout -s KILL 60 "$SPECREG" fit train.csv --kernel rbf:sigma=1 --threads 2 -q -o m.srm 2>said
    )
    status=$?
    [ $status -eq 0 ] || [ $status -eq 1 ] || fail "with $kib KiB of address space: status $status"
    [ $status -eq 0 ] || grep -Eq 'address space|memory' said || fail "$(cat said)"
done
