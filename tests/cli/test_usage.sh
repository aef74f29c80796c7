#!/bin/sh
# Wrong usage: exit code 2, one line, a suggestion, nothing done.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 40 1

checking "no command, unknown commands and options"
refused 2 'no command'
refused 2 "unknown command 'fti' \\(did you mean 'fit'\\?\\)" fti
refused 2 "unknown command 'predcit' \\(did you mean 'predict'\\?\\)" predcit train.csv
refused 2 "unknown command 'xyzzyx' \\(see 'specreg help'\\)" xyzzyx
refused 2 "unknown command 'exports'" exports model.srm
refused 2 "unknown command 'fitt'" help fitt
refused 2 "unknown option '--frobnicate'" --frobnicate
refused 2 "^specreg: fit: unknown option '--kernal' \\(did you mean '--kernel'\\?\\)" \
    fit train.csv --kernal rbf -o m.srm
refused 2 "did you mean '--output'" fit train.csv --ouptut=m.srm
refused 2 "unknown option '--zzzzzz' \\(see 'specreg help fit'\\)" fit train.csv --zzzzzz
refused 2 "unknown option '-Z'" fit train.csv -Z
refused 2 "unknown option '--kernel' \\(it is an option of fit" predict m.srm train.csv --kernel rbf
refused 2 "unknown option '--parts' \\(it is an option of predict" eval m.srm train.csv --parts
refused 2 "unknown option '--proba' \\(it is an option of predict" eval m.srm train.csv --proba
refused 2 "option '--proba' takes no value" predict m.srm train.csv --proba=yes
refused 2 "option '--interval' needs a value" predict m.srm train.csv --interval --proba
refused 2 "unknown experiment 'nope'" experiment nope
refused 2 "unknown experiment 'schol' \(did you mean 'school'" experiment schol
refused 2 "unknown set 'nope'" experiment ida --sets banana,nope
refused 2 "--splits" experiment ida --splits 0
refused 2 "--splits" experiment ida --splits many
refused 2 "no completion for 'tcsh'" help --completion tcsh

checking "missing values, values that do not belong, too many and too few files"
refused 2 "'--kernel' needs a value" fit train.csv --kernel
refused 2 "'--kernel' needs a value" fit train.csv --kernel --filter nu
refused 2 "'-o' needs a value" fit train.csv -o
refused 2 "'-o' needs a value" fit train.csv -qo
refused 2 "'--output' needs a file name" fit train.csv --output=
refused 2 "'--quiet' takes no value" fit train.csv --quiet=yes
refused 2 'TRAIN is missing' fit
refused 2 'TRAIN is missing' fit -o m.srm
refused 2 'DATA is missing' predict m.srm
refused 2 'OUT is missing' convert train.csv
refused 2 'FILE is missing' info
refused 2 "one argument too many: 'b.csv'" path train.csv b.csv
refused 1 'a: cannot read' predict a b c
refused 2 'only one file can be -' path - --test -
refused 2 'cannot both be written' fit train.csv -o both --json both
run fit train.csv -o - --json -
[ $rc -eq 2 ] && grep -q 'cannot both be written' "$err" || fail "two outputs on stdout"
run predict m.srm train.csv --json -
[ $rc -eq 2 ] && grep -q 'needs -o' "$err" || fail "--json - needs -o"

checking "unknown names of kernels, filters, rules and engines, with a suggestion"
refused 2 "^specreg: fit: .*'rbff'.*did you mean 'rbf'" fit train.csv --kernel rbff -o m.srm
refused 2 "^specreg: fit: .*'nyu'.*did you mean 'nu'" fit train.csv --filter nyu -o m.srm
refused 2 "'tikonov'.*did you mean 'tikhonov'" path train.csv --filter tikonov
refused 2 "'kfolds'.*did you mean 'kfold'" fit train.csv --select kfolds -o m.srm
refused 2 "'eigg'.*did you mean 'eig'" fit train.csv --engine eigg -o m.srm
refused 2 "'standart'.*did you mean 'standard'" fit train.csv --scale standart -o m.srm
refused 2 "'sgima'" fit train.csv --kernel rbf:sgima=1 -o m.srm
refused 2 "'maybe'" fit train.csv --problem maybe -o m.srm
refused 2 "'sometimes'" info train.csv --header sometimes
refused 2 "'xlsx'" info train.csv --format xlsx

checking "numbers that make no sense"
refused 2 'sigma' fit train.csv --kernel rbf:sigma=0 -o m.srm
refused 2 'sigma' fit train.csv --kernel rbf:sigma=-1 -o m.srm
refused 2 'sigma' fit train.csv --kernel rbf:sigma=abc -o m.srm
refused 2 'gamma must be at most 1, not 1.5' fit train.csv --kernel helmholtz:gamma=1.5 -o m.srm
refused 2 'curlfree cannot be part of a product' fit train.csv --kernel 'curlfree * rbf' -o m.srm
refused 1 'takes as many targets as features' fit train.csv --kernel curlfree:sigma=1 -o m.srm
refused 2 'sigma' fit train.csv --kernel 'rbf:sigma={1,2,}' -o m.srm
refused 2 'lambda' fit train.csv --param lambda=0 -o m.srm
refused 2 'lambda' fit train.csv --param lambda=-1e-3 -o m.srm
refused 2 "'nan'" fit train.csv --param 'lambda={1,nan}' -o m.srm
refused 2 't' fit train.csv --filter landweber --param t=0 -o m.srm
refused 2 't' fit train.csv --filter nu --param t=0:10 -o m.srm
refused 2 'lambda' fit train.csv --filter nu --param lambda=1 -o m.srm
refused 2 'sigma is given twice' fit train.csv --kernel rbf:sigma=1,gamma=1 -o m.srm
refused 2 'cannot be written' convert train.csv out.parquet
refused 2 "'--filter'" spectrum train.csv --filter nu
refused 2 'threads' fit train.csv --threads -3 -o m.srm
refused 2 'memory' fit train.csv --memory lots -o m.srm
refused 2 'seed' fit train.csv --seed x -o m.srm
refused 2 'k' fit train.csv --select kfold:k=1 -o m.srm
refused 2 'fraction' fit train.csv --select holdout:fraction=2 -o m.srm
refused 2 'single' fit train.csv --select none -o m.srm
refused 2 'takes derivatives along the path' fit train.csv --filter tsvd --select lcurve -o m.srm
refused 2 'cholesky' fit train.csv --filter landweber --engine cholesky -o m.srm
refused 2 "'price'" fit train.csv --target price -o m.srm
refused 2 'components|41' fit train.csv --filter tsvd --param components=41 -o m.srm

checking "the last of an option given twice wins; -- ends options; letters in a row"
ok fit train.csv -q --seed x --seed 1 -o a.srm -o m.srm
[ -f m.srm ] && [ ! -e a.srm ] || fail "the last -o should win"
cp train.csv ./-q
ok fit -qom.srm -- -q

checking "what other programs call it names the right spelling"
printf 'x,y\n1,1\n2,2.5\n3,2.9\n4,4.2\n' >spell.csv
refused 2 "did you mean 'y'" fit spell.csv --target Y
refused 2 "write --param lambda=" fit spell.csv --lambda 0.1
refused 2 "did you mean 'rbf'" fit spell.csv --kernel gaussian
refused 2 "did you mean 'tikhonov'" fit spell.csv --filter ridge
refused 2 "write 'lambda=\\{0.1,0.2\\}' for several values" fit spell.csv --param lambda=0.1,0.2
refused 2 "write --select kfold:k=5" fit spell.csv --cv 5
refused 2 "did you mean 'kfold:k=5'" fit spell.csv --select cv
refused 2 "computes on the processor" fit spell.csv --gpu
