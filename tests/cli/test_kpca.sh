. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 60 1
regression_data new.csv 20 2
cut -d, -f1,2 new.csv >unlabelled.csv

checking "coordinates, the model, and the same coordinates from it by apply and by predict"
ok features train.csv --kpca 5 --kernel rbf:sigma=1 -o c.csv --model kpca.srm --json k.json
prints '^spectrum +5 leading eigenvalues of K/n, trace 1$'
prints '^features +60 rows, 5 coordinates, to c.csv$'
prints '^ +kpca.srm$'
[ "$(head -1 c.csv)" = y,pc1,pc2,pc3,pc4,pc5 ] || fail "names"
[ "$(cut -d, -f1 c.csv)" = "$(cut -d, -f3 train.csv | sed 's/\(\..*[1-9]\)0*$/\1/')" ] || fail "the target is carried along"
[ "$(value k.json command)" = features ] && [ "$(value k.json kind)" = kpca ] || fail "kind"
[ "$(value k.json data.n) $(value k.json data.p) $(value k.json components)" = "60 2 5" ] || fail "sizes"
[ "$(value k.json data.carried)" = '["y"]' ] || fail "carried"
[ "$(value k.json kernel.name)" = rbf ] || fail "kernel"
near "$(value k.json share.0)" "$(value k.json eigenvalues.0)" 1e-12 || fail "share of a trace of 1"
ok features train.csv --apply kpca.srm -o again.csv -q
cmp -s c.csv again.csv || fail "apply gives other coordinates of the training rows"
ok features train.csv --kpca components=5 --kernel rbf:sigma=1 -o again.csv -q
cmp -s c.csv again.csv || fail "components=5 is something else than 5"
ok features new.csv --apply kpca.srm -o new_c.csv --json a.json
prints '^features +20 rows, 5 coordinates, to new_c.csv$'
[ "$(value a.json kind) $(value a.json data.n) $(value a.json components)" = "kpca 20 5" ] || fail "record of apply"
ok predict kpca.srm new.csv -o predicted.csv -q
cut -d, -f2- new_c.csv | cmp -s - predicted.csv || fail "predict gives other coordinates"
ok features unlabelled.csv --apply kpca.srm -o plain_c.csv -q
cmp -s plain_c.csv predicted.csv || fail "without a target"
ok info kpca.srm
prints '^kernel +rbf sigma=1$'
prints '^spectrum +5 leading'
ok features unlabelled.csv --kpca 2 -o u.csv -q
[ "$(head -1 u.csv)" = pc1,pc2 ] || fail "no column is taken for a target unasked"
ok features train.csv --kpca 12 -o c.csv
prints '^  and 2 more \(--json FILE has all\)$'

checking "centred: the mean of each coordinate is 0, of all kinds of data and with many rows"
awk 'BEGIN { srand(4); for (i = 0; i < 60; i++) { printf "%d", i % 2; for (j = 1; j < 4000; j += 1 + int(900 * rand())) printf " %d:%.3f", j, 1 + rand(); print "" } }' >c.libsvm
regression_data many.csv 1500 3
for data in 'train.csv --kernel rbf:sigma=1' 'train.csv --kernel linear --scale none' 'c.libsvm --kernel linear' 'many.csv --kernel rbf:sigma=1'; do
    ok features $data --kpca 2,center=yes -o centred.csv --model centred.srm
    prints '^spectrum +2 leading eigenvalues of K/n, centred, trace'
    awk -F, 'NR > 1 { a += $2; b += $3 } END { if (a * a > 1e-18 || b * b > 1e-18) { print a, b; exit 1 } }' centred.csv ||
        fail "the mean of $data"
    ok features "${data%% *}" --apply centred.srm -o again.csv -q
    cmp -s centred.csv again.csv || fail "apply gives other coordinates"
done
ok info centred.srm
prints '^spectrum .*centred'

checking "eigenvalues are those of spectrum"
ok spectrum train.csv --kernel rbf:sigma=1 --json s.json -q
for j in 0 4; do
    near "$(value s.json eigenvalues.$j)" "$(value k.json eigenvalues.$j)" 1e-13 || fail "eigenvalue $j"
done

checking "text columns, sparse files, other targets, other formats"
{ echo 'kind,a,b,id'; for i in 1 2 3 4 5 6 7 8; do echo "k$((i % 3)),$i,$((i * i % 7)),row$i"; done; } >mixed.csv
ok features mixed.csv --kpca 3 --target id -o mixed_c.csv --json m.json -q
[ "$(value m.json data.p)" = 5 ] || fail "one-hot"
[ "$(head -2 mixed_c.csv | cut -d, -f1 | tr '\n' ' ')" = "id row1 " ] || fail "a text is carried"
awk 'BEGIN { srand(4); for (i = 0; i < 50; i++) { printf "%d", i % 2; for (j = 1; j < 4000; j += 1 + int(900 * rand())) printf " %d:%.3f", j, rand(); print "" } }' >s.libsvm
ok features s.libsvm --kpca 4 --kernel linear -o s.csv --model s.srm --json s.json -q
[ "$(value s.json data.scale)" = none ] || fail "sparse data keep their scale"
[ "$(head -1 s.csv)" = y,pc1,pc2,pc3,pc4 ] || fail "label of sparse data"
ok features s.libsvm --apply s.srm -o s2.csv -q
cmp -s s.csv s2.csv || fail "sparse data again"
ok fit c.csv --kernel linear -q -o fit.srm # coordinates are ordinary data

checking "missing values"
{ cat train.csv; echo '0.5,,1'; echo '0.5,0.25,'; } >gaps.csv
refused 1 "gaps.csv:62: column 'x2': value is missing" features gaps.csv --kpca 2 -o c2.csv
ok features gaps.csv --kpca 2 --missing drop -o drop.csv -q
[ "$(wc -l <drop.csv)" -eq 62 ] || fail "the row without a feature is dropped, that without a target is not"
ok features gaps.csv --kpca 2 --missing mean -o mean.csv -q
[ "$(wc -l <mean.csv)" -eq 63 ] || fail "a gap is filled"
tail -1 drop.csv | grep -q '^,' || fail "a missing target stays missing"

checking "wrong usage"
for m in 0 -3 2.5 x components=0 components=x '' auto 1e12 components=2,3; do
    refused 2 'kpca' features train.csv "--kpca=$m" -o bad.csv
done
refused 2 'how many components' features train.csv --kpca center=yes -o bad.csv
refused 2 'center is yes or no, not .maybe' features train.csv --kpca components=2,center=maybe -o bad.csv
refused 2 "unknown part of --kpca 'centre'.*did you mean 'center'" features train.csv --kpca 2,centre=yes -o bad.csv
refused 2 '60 centred components, but there are only 60' features train.csv --kpca 60,center=yes -o bad.csv
refused 2 'only 60 training rows' features train.csv --kpca 61 -o bad.csv
refused 2 'one value in place of 2' features train.csv --kpca 3 --kernel 'rbf:sigma={1,2}' -o bad.csv
refused 2 'one value in place of 4' features train.csv --kpca 3 --kernel 'poly:degree=1:4' -o bad.csv
refused 2 'vector fields' features train.csv --kpca 2 --kernel curlfree -o bad.csv
refused 2 'unknown kernel' features train.csv --kpca 2 --kernel rbg -o bad.csv
refused 2 'cannot be given together' features train.csv --kpca 2 --text -o bad.csv
refused 2 'give one of them' features train.csv --kpca 2 --apply kpca.srm -o bad.csv
refused 2 '--vocabulary is for --text' features train.csv --kpca 2 --vocabulary w.txt -o bad.csv
refused 2 '--model is for --kpca' features train.csv --text --model w.srm -o bad.csv
refused 2 '--kernel is not for --text' features train.csv --text --kernel linear -o bad.csv
refused 2 '--labels is not for --kpca' features train.csv --kpca 2 --labels numbers -o bad.csv
refused 2 'says how to learn' features train.csv --apply kpca.srm --kernel linear -o bad.csv
refused 2 'OUT is missing' features train.csv --kpca 2
refused 2 "no column 'z'" features train.csv --kpca 2 --target z -o bad.csv
refused 2 'would overwrite' features new.csv --apply kpca.srm -o kpca.srm
refused 2 'both be written' features train.csv --kpca 2 -o bad.csv --model bad.csv

checking "data and numbers that do not allow it"
refused 1 'only 2 components are above rounding; ask for at most 2' features train.csv --kpca 3 --kernel linear -o bad.csv
printf 'a,b\n1,1\n1,1\n1,1\n' >same.csv
refused 1 'all kernel values are 0' features same.csv --kpca 1 --kernel linear -o bad.csv
refused 1 'only 1 component is above rounding' features same.csv --kpca 2 -o bad.csv
refused 1 'all rows are the same to the kernel' features same.csv --kpca 1,center=yes -o bad.csv
refused 1 'all rows are the same to the kernel' features same.csv --kpca 1,center=yes --kernel linear --scale none -o bad.csv
printf 'a,b\n1,1\n' >one.csv
refused 2 '1 centred components, but there are only 1' features one.csv --kpca 1,center=yes -o bad.csv
printf 'y\n1\n2\n' >only.csv
refused 1 'no feature columns' features only.csv --kpca 1 -o bad.csv
printf 'a,b\n' >empty.csv
refused 1 'no rows' features empty.csv --kpca 1 -o bad.csv
refused 1 'not finite' features train.csv --kpca 1 --kernel 'poly:degree=900,coef0=9' -o bad.csv
refused 1 'memory' features train.csv --kpca 3 --memory 1K -o bad.csv
refused 1 "column 'x1' of the training data is missing" features c.csv --apply kpca.srm -o bad.csv
refused 1 'specreg predict' features train.csv --apply fit.srm -o bad.csv
head -c 300 kpca.srm >cut.srm
refused 1 'cut.srm' features train.csv --apply cut.srm -o bad.csv
echo 'not a model' >no.srm
refused 1 'no.srm' features train.csv --apply no.srm -o bad.csv
refused 1 'absent.srm' features train.csv --apply absent.srm -o bad.csv
printf '1,2,3\n1,2,4\n2,2,1\n' >square.csv
refused 1 'precomputed|symmetric|columns' features square.csv --kpca 1 --kernel precomputed --header no -o bad.csv
refused 1 "target column 'pc1' is missing" eval kpca.srm train.csv

checking "kernels that are positive definite only beside polynomials"
for kernel in thinplate polyharmonic multiquadric 'rbf + multiquadric:sigma=1'; do
    refused 2 "kpca: kernel .* is positive definite only beside polynomials: take another" \
        features train.csv --kpca 2 --kernel "$kernel" -o bad.csv
done
