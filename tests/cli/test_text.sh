. "$SOURCE_DIR/tests/cli/lib.sh"
corpus=$SOURCE_DIR/data/texts/train
new=$SOURCE_DIR/data/texts/new.txt

checking "features of a folder, and of new documents with the same words"
ok features "$corpus" --text words=30,min-docs=2 -o train.libsvm --vocabulary words.txt --json f.json
prints '^words +30 of 148; words=30,min-docs=2,choose=mi,'
[ "$(value f.json documents)" = 24 ] || fail "documents"
[ "$(value f.json words)" = 30 ] || fail "words"
[ "$(value f.json classes)" = '["garden", "harbour", "kitchen"]' ] || fail "classes"
[ "$(value f.json nonzeros)" = "$(tr ' ' '\n' <train.libsvm | grep -c :)" ] || fail "nonzeros"
[ "$(wc -l <train.libsvm)" -eq 24 ] || fail "a line for each document"
[ "$(cut -d' ' -f1 train.libsvm | uniq -c | tr -s ' \n' ' ')" = " 8 garden 8 harbour 8 kitchen " ] ||
    fail "labels"
[ "$(grep -vc '^#' words.txt)" -eq 30 ] || fail "a line for each word"
grep -q '^harbour	6	' words.txt || fail "documents with the word" # counted with grep -l
ok features "$new" --apply words.txt -o new.libsvm --json n.json
[ "$(value n.json empty_documents)" = 1 ] || fail "empty documents"
[ "$(value n.json unknown_documents)" = 1 ] || fail "documents of unknown words"
prints 'rows of zeros: 1 documents without words, 1 without words of the vocabulary'

checking "a folder, lines, compressed lines and CSV: the same features, byte by byte"
for class in garden harbour kitchen; do
    for i in 1 2 3 4 5 6 7 8; do
        printf '%s\t%s\n' $class "$(tr '\n' ' ' <"$corpus/$class/$i.txt")"
    done
done >lines.txt
{ echo 'kind,body'; sed 's/"/""/g; s/\t/,"/; s/$/"/' lines.txt; } >lines.csv
gzip -k lines.txt
for file in lines.txt lines.txt.gz; do
    ok features $file --text words=30,min-docs=2 -o other.libsvm -q
    cmp -s train.libsvm other.libsvm || fail "$file has other features"
done
ok features - --text words=30,min-docs=2 -o other.libsvm -q <lines.txt
cmp -s train.libsvm other.libsvm || fail "standard input has other features"
ok features lines.csv --text words=30,min-docs=2 --text-column body --target kind -o other.libsvm -q
cmp -s train.libsvm other.libsvm || fail "CSV has other features"
ok features lines.csv --text words=30,min-docs=2 --target kind -o other.libsvm -q
cmp -s train.libsvm other.libsvm || fail "the text column that is left"
ok features "$corpus" --text=words=30,min-docs=2 -o again.libsvm -q
cmp -s train.libsvm again.libsvm || fail "the same call gave other bytes"

checking "labels as numbers; documents without labels"
ok features "$new" --apply words.txt --labels numbers -o numbers.libsvm -q
[ "$(cut -d' ' -f1 numbers.libsvm | tr '\n' ' ')" = "1 2 3 3 2 1 1 3 " ] || fail "numbers of classes"
cut -f2 "$new" >plain.txt
ok features plain.txt --apply words.txt -o plain.libsvm -q
[ "$(cut -d' ' -f1 plain.libsvm | sort -u)" = nan ] || fail "no labels"
ok features plain.txt --text min-docs=1 -o plain.libsvm --json p.json
value p.json text | grep -q choose=frequency || fail "without labels the most frequent words"

checking "fit and predict take documents, and do what features and a linear fit do"
ok fit "$corpus" --text words=30,min-docs=2 -o text.srm --json fit.json
prints '^words +30 of 148'
[ "$(value fit.json kernel.name)" = linear ] || fail "kernel"
[ "$(value fit.json data.scale)" = none ] || fail "scale"
[ "$(value fit.json text.words)" = 30 ] || fail "words in the record"
ok fit train.libsvm --kernel linear --scale none -q -o two.srm
ok predict two.srm new.libsvm -o expected.csv
[ "$(wc -l <expected.csv)" -eq 9 ] || fail "a row for each document"
for file in "$new" plain.txt new.libsvm; do
    ok predict text.srm "$file" -o got.csv
    cmp -s got.csv expected.csv || fail "$file: other predictions"
done
ok predict text.srm - -o got.csv <plain.txt
cmp -s got.csv expected.csv || fail "standard input: other predictions"
ok predict text.srm "$corpus" -o got.csv
[ "$(cut -d, -f1 got.csv | uniq -c | tr -s ' \n' ' ')" = " 1 label 8 garden 8 harbour 8 kitchen " ] ||
    fail "the training documents are told apart"
ok eval text.srm "$new" --json e.json
prints '^note +2 of 8 documents have no word that the model knows'
[ "$(value e.json test.error_rate)" = 0.25 ] || fail "two of eight are wrong: those without a word"
ok eval text.srm new.libsvm --json e2.json
[ "$(value e.json test)" = "$(value e2.json test)" ] || fail "eval of features"

checking "an rbf kernel can be asked for; cv, path, plan and spectrum take documents"
ok fit "$corpus" --text words=30,min-docs=2 --kernel rbf:sigma=1 -q --json k.json
[ "$(value k.json kernel.name)" = rbf ] || fail "the kernel that was asked for"
[ "$(value k.json data.scale)" = none ] || fail "scale"
ok cv "$corpus" --text min-docs=2 --outer kfold:k=4
prints '^mean +error_rate'
ok path "$corpus" --test "$new" --text min-docs=2 --param lambda=0.1
prints 'test_error_rate'
ok plan "$corpus" --text
ok spectrum "$corpus" --text -q
ok info text.srm
prints 'linear'
ok info "$corpus"
prints 'text .*24 different'

checking "wrong usage"
refused 2 'which features' features "$corpus" -o x.libsvm
refused 2 'OUT is missing' features "$corpus" --text
refused 2 'give one of them' features "$corpus" --text --apply words.txt -o x.libsvm
refused 2 "unknown labels 'nummers' .did you mean 'numbers'" \
    features "$corpus" --text --labels nummers -o x.libsvm
refused 2 'words must be a whole number from 1 to' features "$corpus" --text words=0 -o x.libsvm
refused 2 "unknown part of --text 'word' .did you mean 'words'" fit "$corpus" --text word=3 -o x.srm
refused 2 "column 'text' holds the documents" fit "$corpus" --text --target text -o x.srm
refused 2 'holds documents, which need --text' fit "$corpus" -o x.srm
refused 2 'would overwrite' features "$new" --apply words.txt -o words.txt
refused 2 'cannot both be written' features "$new" --text -o x.libsvm --vocabulary x.libsvm

checking "documents that are none"
mkdir empty hollow hollow/a binary binary/a binary/b flat
printf 'a\0b' >binary/a/1
echo words >binary/b/1
echo words words >flat/1
refused 1 'empty: is an empty directory' fit empty --text -o x.srm
refused 1 'hollow: has no documents' fit hollow --text -o x.srm
refused 1 'binary/a/1: a NUL byte' fit binary --text -o x.srm
refused 1 'flat: the documents have no labels' fit flat --text -o x.srm
refused 1 'flat: choose=mi needs classes' features flat --text choose=mi -o x.libsvm
refused 1 'none of the 1 different words is in at least 3' features flat --text -o x.libsvm
refused 1 'nowhere: cannot read' fit nowhere --text -o x.srm
refused 1 'lines.txt: is not a vocabulary file' features "$new" --apply lines.txt -o x.libsvm
printf 'a\tone two\nno tab\n' >torn.txt
refused 1 'torn.txt:2: no tab' fit torn.txt --text -o x.srm
ln -s nowhere flat/2
refused 1 'flat/2: cannot read' predict text.srm flat -o x.csv

mkdir blank "blank/rock music" blank/jazz
for i in 1 2 3; do echo loud guitar $i >"blank/rock music/$i"; echo quiet piano $i >blank/jazz/$i; done
refused 2 "the label 'rock music' has a blank" features blank --text -o x.libsvm --vocabulary v.txt
ok features blank --text -o x.libsvm --labels numbers -q

checking "bytes that are no UTF-8 are Latin-1; an enormous line"
printf 'a\tcaf\351 caf\303\251\nb\tCAF\311 th\351\n' >latin.txt
ok features latin.txt --text min-docs=1,norm=none,tfidf=no -o - <latin.txt
[ "$(cat "$out")" = "label,1,2
a,2,0
b,1,1" ] || fail "cafe in two encodings is one word"
{ printf 'a\t'; yes words and more words | head -n 400000 | tr '\n' ' '; printf '\nb\tshort words\n'; } >long.txt
[ "$(wc -c <long.txt)" -gt 8000000 ] || fail "the line should be long"
ok features long.txt --text min-docs=1 -o long.libsvm -q
[ "$(wc -l <long.libsvm)" -eq 2 ] || fail "two documents"

checking "real documents: 20 newsgroups"
news=$SPECREG_DATA/20news/raw-sample.tar.gz
if [ -e "$news" ]; then
    tar xzf "$news"
    ok fit train --text words=2000 -q -o news.srm
    ok eval news.srm test -q --json news.json
    near "$(value news.json test.error_rate)" 0.35 0.04 || # by chance 0.95
        fail "error rate $(value news.json test.error_rate)"
    if whole; then
        checking "words chosen by labels: the honest error is that of cv with the same parameters"
        ok fit train --text words=2000 -o news.srm --json fit.json
        prints '^note .*words were chosen with the labels of all rows'
        honest=$(value fit.json words_inside_folds.value)
        ok cv train --text words=2000 -q --kernel linear --param "lambda=$(value fit.json filter.lambda)" --json cv.json
        near "$honest" "$(value cv.json mean.error_rate)" 1e-12 || fail "$honest, but cv says $(value cv.json mean.error_rate)"
        near "$honest" "$(value fit.json selection.value)" 0.02 && fail "the selected error should be too good: $honest"
        ok fit train --text words=2000,choose=frequency -q --json df.json
        ! grep -q words_inside df.json || fail "words that no label chose need no second look"
    fi
else
    echo "skipped: no $news here"
fi
