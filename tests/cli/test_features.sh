#!/bin/sh
# Features that are not penalised: what is printed, what they predict, and what is refused.
. "$SOURCE_DIR/tests/cli/lib.sh"

# trend.csv: a line in x, a wave in z, a text, and a column that is always 2.
awk 'BEGIN {
    srand(3); print "x,z,colour,two,y"
    for (i = 0; i < 60; i++) {
        x = 10 * rand(); z = 2 * rand() - 1
        printf "%.5f,%.5f,%s,2,%.5f\n", x, z, i % 2 ? "red" : "blue", 30 + 2 * x + sin(3 * z) + 0.1 * rand()
    }
}' >trend.csv
awk -F, 'NR > 1 { print $1 }' trend.csv >plain.csv
sed 1i"slope" plain.csv >file.csv
cut -d, -f1-3,5 trend.csv >clean.csv
fit="fit trend.csv -o m.srm --kernel rbf:sigma=1 --param lambda=1e-3 --select none"

wrong() { # CODE PATTERN FEATURES
    refused "$1" "$2" $fit --features "$3"
}

checking "texts that say nothing"
wrong 2 "unknown features 'constnt'.*did you mean 'constant'" constnt
wrong 2 "a '\+' has nothing before or after it" "constant + "
wrong 2 "none stands alone" "none + constant"
wrong 2 "poly has one degree, not 'degree=2,3'" poly:degree=2,3
wrong 2 "poly knows degree, variant and dependent, not 'degre'" poly:degre=2
wrong 2 "degree is a whole number from 0 to 20, not 1.5" poly:degree=1.5
wrong 2 "degree" poly:degree=two
wrong 2 "columns: which" columns:
wrong 2 "has an empty name" columns:x,,z
wrong 2 "file: which" file:
wrong 2 "one file only" "file:file.csv + file:plain.csv"
wrong 2 "variant is minimiser or paper, not 'papper'" constant,variant=papper
wrong 2 "dependent is error or drop, not 'dropp'" constant,dependent=dropp
wrong 2 "constant takes nothing, not 'x'" constant:x
wrong 2 "at most 8 terms" "constant + constant + constant + constant + constant + constant + constant + constant + constant"

checking "columns that are not there, or are something else"
wrong 2 "there is no column 'xx'" columns:xx
wrong 2 "the columns are 1 to 5" columns:9
wrong 2 "'y' is the target" columns:y
wrong 2 "is named twice" columns:x,z,colour,two,x
wrong 2 "'x' is named twice" columns:x,x

checking "features that depend on each other, named"
wrong 1 "'two' depends on those before it, 'constant'.*dependent=drop" "constant + columns:two"
wrong 1 "'x' depends on those before it" "columns:x + poly:degree=1"
wrong 1 "'colour=red' depends on those before it" "constant + columns:colour"
ok $fit --features "constant + columns:colour,dependent=drop"
prints "features .*not penalised; 1 left out, which depend on others"

checking "a feature that one row alone tells: without its fold there is no coefficient for it"
awk -F, -v OFS=, '{ print $1, NR == 1 ? "lone" : NR == 9, $5 }' trend.csv >lone.csv
seq 0 59 | grep -vx 7 | tr '\n' ' ' >without.splits
for rule in kfold:k=3 splits:without.splits; do
    refused 1 "depend" fit lone.csv -o l.srm --select "$rule" --features "constant + columns:lone"
    ok fit lone.csv -o l.srm --select "$rule" --features "constant + columns:lone,dependent=drop"
    prints "features .*not penalised; 1 left out, which depend on others"
    ok predict l.srm lone.csv -o l.csv -q
    ok fit lone.csv -o c.srm --select "$rule" --features constant
    ok predict c.srm lone.csv -o c.csv -q
    cmp -s l.csv c.csv || fail "by $rule the lone feature should be as if it had not been asked for"
done

awk -F, -v OFS=, '{ $4 = NR > 1 ? 0 : "zero" } 1' trend.csv >zero.csv
refused 1 "'zero' is 0 in every row" fit zero.csv -o z.srm --features columns:zero
refused 1 "none is left, they are 0 in every row" fit zero.csv -o z.srm --features columns:zero,dependent=drop
ok fit zero.csv -o z.srm --features columns:zero,x,dependent=drop
ok predict z.srm zero.csv -o z.csv -q

checking "more features than rows"
wrong 1 "poly:degree=9 of 3 columns are 220 features, there are 60 rows" poly:degree=9

checking "files of features"
wrong 1 "nothere.csv" file:nothere.csv
head -n 20 file.csv >short.csv
wrong 1 "short.csv has 19 rows of features, trend.csv has 60" file:short.csv
sed 5s/.*/NA/ file.csv >gap.csv
wrong 1 "gap.csv:5: column 'slope': the feature is missing" file:gap.csv
sed 's/$/,a/; 1s/,a/,b/' file.csv >text.csv
wrong 1 "text.csv: column 'b' has texts" file:text.csv
ok $fit --features "constant + file:file.csv"
refused 2 "give those of these rows with --features-file" predict m.srm trend.csv -o p.csv
refused 1 "short.csv has 19 rows of features, trend.csv has 60" \
    predict m.srm trend.csv --features-file short.csv -o p.csv
ok predict m.srm trend.csv --features-file file.csv -o with_file.csv -q
ok eval m.srm trend.csv --features-file file.csv
ok $fit --features "constant + columns:x"
refused 2 "there are no features from a file" predict m.srm trend.csv --features-file file.csv -o p.csv
ok predict m.srm trend.csv -o with_column.csv -q
paste -d, with_file.csv with_column.csv | awk -F, 'NR > 1 && ($1 - $2) ^ 2 > 1e-12 { exit 1 }' ||
    fail "a file and the column should predict the same"

checking "what fit prints: names and coefficients, and no advice to add a constant"
ok fit trend.csv --features "constant + columns:x" -o m.srm
prints "^features  constant 2[0-9.]*|constant 3[0-9.]*, x [12]\.[0-9]*; not penalised"
grep -q "constant term" "$out" && fail "there is a constant"
ok fit trend.csv -o plain.srm
prints "^features  constant [0-9.]*; not penalised"
grep -q "constant term" "$out" && fail "there is a constant by default"
ok fit trend.csv --features none -o plain.srm
prints "has no constant term: try --features constant"

checking "rules that do not go with them"
refused 2 "bound is for models without features" fit trend.csv --target colour --features constant \
    --select bound -o b.srm
refused 2 "loo is not for features with variant=paper" fit clean.csv --features poly,variant=paper \
    --select loo -o b.srm
ok fit clean.csv --features poly:degree=1,variant=paper -o p.srm
prints "5-fold"
prints "variant paper"

checking "parts add up"
ok predict m.srm trend.csv --parts -o parts.csv -q
head -n 1 parts.csv | grep -qx "y,y:kernel,y:features" || fail "the names of the parts"
awk -F, 'NR > 1 && ($1 - $2 - $3) ^ 2 > 1e-16 { exit 1 }' parts.csv || fail "parts should add up"
ok fit trend.csv --target colour --features constant -o c.srm
refused 1 "have none; those of" predict c.srm trend.csv --parts -o p.csv

checking "the record"
ok fit clean.csv --features "poly:degree=1" -o m.srm --json r.json -q
[ "$(value r.json features.variant)" = minimiser ] || fail "features.variant"
[ "$(value r.json features.coefficients.0.name)" = constant ] || fail "the first is the constant"
[ "$(value r.json features.terms.0)" = poly ] || fail "features.terms"

checking "intervals, cv, path, plan, spectrum"
ok predict m.srm clean.csv --interval 0.9 -o i.csv -q
ok cv trend.csv --features "constant + file:file.csv"
ok path trend.csv --test trend.csv --features "constant + file:file.csv" --features-file file.csv
refused 2 "give those of these rows with --features-file" path trend.csv --test trend.csv \
    --features "constant + file:file.csv"
ok path clean.csv --features "constant + columns:x"
prints "^features  constant, x; not penalised"
ok plan clean.csv --features poly:degree=1
prints "^features  constant, x, z; not penalised"
ok spectrum clean.csv --features "constant + columns:colour,dependent=drop" --kernel rbf:sigma=1 --json s.json
prints "^features  constant, colour=blue; not penalised; 1 left out"
prints "60 eigenvalues of K/n less the features"
[ "$(value s.json features.names)" = '["constant", "colour=blue"]' ] || fail "features of spectrum"
ok cv clean.csv --features "constant + columns:x" --json c.json -q
[ "$(value c.json folds.4.features.coefficients.1.name)" = x ] || fail "features of a fold"

checking "checkpoints are of one set of features"
ok fit clean.csv --features "constant + file:file.csv" --checkpoint ck -o ck.srm -q
ok fit clean.csv --features "constant + file:file.csv" --checkpoint ck -o ck.srm -q
refused 1 "belongs to other data or options" fit clean.csv --features constant --checkpoint ck -o ck.srm
awk 'NR > 1 { $1 = $1 * $1 } 1' file.csv >changed.csv
mv changed.csv file.csv
refused 1 "belongs to other data or options" \
    fit clean.csv --features "constant + file:file.csv" --checkpoint ck -o ck.srm

checking "shares of topics: what is no document and no count"
wrong 2 "plsa needs documents .--text., or counts in sparse columns" plsa:topics=3
wrong 2 "one plsa only" "plsa:topics=3 + plsa"
wrong 2 "topcs" plsa:topcs=3
wrong 2 "topics" plsa:topics=0
awk 'BEGIN {
    srand(7)
    for (i = 0; i < 40; i++) {
        printf "%.4f", rand()
        for (j = 1; j <= 12; j++)
            if (rand() < 0.4)
                printf " %d:%d", j, 1 + 4 * rand()
        printf "\n"
    }
}' >counts.svm
counts="--kernel linear --param lambda=0.1 --select none -o s.srm"
refused 1 "40 topics are too many for [0-9]* documents" \
    fit counts.svm $counts --features plsa:topics=40
sed '3s/:[0-9]*/:-2/' counts.svm >negative.svm
refused 1 "negative.svm.*(negative|less than 0|-2)" fit negative.svm $counts --features plsa:topics=3
refused 1 "'topic3' depends on those before it, 'constant'.*dependent=drop" \
    fit counts.svm $counts --features "constant + plsa:topics=3"
refused 1 "'constant' depends on those before it, 'topic1' to 'topic3'" \
    fit counts.svm $counts --features "plsa:topics=3 + constant"
ok fit counts.svm $counts --features plsa:topics=3
ok predict s.srm counts.svm -o p.csv -q
ok info s.srm
prints "^features  topic1 "
refused 1 "clean.csv has 4 columns, the model needs 12" predict s.srm clean.csv -o p.csv
echo 1,2,3,4,5,6,7,8,9,10,11,12 >dense.csv
refused 2 "plsa needs.*counts in sparse columns" predict s.srm dense.csv -o p.csv
refused 1 "negative.svm" predict s.srm negative.svm -o p.csv

checking "shares of topics: documents"
texts=$SOURCE_DIR/data/texts
ok fit "$texts/train" --text min-docs=2 --features plsa:topics=3 -o t.srm
prints "^features  topic1 "
run predict t.srm "$texts/new.txt" -o p.csv -v
[ "$rc" -eq 0 ] || fail "predict should succeed"
grep -q "2 of 8 documents have no word that the topics know" "$err" ||
    fail "documents without a known word should be told"
ok features "$texts/train" --text min-docs=2 -o tfidf.svm
refused 2 "plsa needs documents, whose words it can count, as in training" \
    predict t.srm tfidf.svm -o p.csv
