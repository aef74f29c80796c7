. "$SOURCE_DIR/tests/cli/lib.sh"
corpus=$SOURCE_DIR/data/texts/train
new=$SOURCE_DIR/data/texts/new.txt

checking "topics of a folder: shares, top words, and the same documents later"
ok features "$corpus" --text words=50,min-docs=2 --plsa topics=3,sweeps=100 --seed 4 -o train.csv \
    --topics topics.txt --top-words 4 --json f.json
prints '^topics +of 24 documents and 50 words; topics=3,sweeps=100,held-out=0,temper=0.9'
prints '^topic1 +[0-9.]+ % ( [a-z]+){4}$'
[ "$(head -n 1 train.csv)" = label,topic1,topic2,topic3 ] || fail "names of columns"
[ "$(cut -d, -f1 train.csv | uniq -c | tr -s ' \n' ' ')" = " 1 label 8 garden 8 harbour 8 kitchen " ] ||
    fail "labels"
awk -F, 'NR > 1 { s = $2 + $3 + $4; if (s < 1 - 1e-12 || s > 1 + 1e-12) exit 1 }' train.csv ||
    fail "shares sum to 1"
[ "$(value f.json kind)" = plsa ] || fail "kind"
[ "$(value f.json words)" = 50 ] || fail "words"
python3 - <<'END' || fail "the record"
import json
r = json.load(open("f.json"))
assert len(r["topics"]) == 3 and all(len(t["words"]) == 4 for t in r["topics"])
assert abs(sum(t["share"] for t in r["topics"]) - 1) < 1e-12
assert [t["share"] for t in r["topics"]] == sorted((t["share"] for t in r["topics"]), reverse=True)
p = r["perplexity"]
assert len(p) == r["sweeps"] and all(b < a for a, b in zip(p, p[1:]))
assert "held_perplexity" not in r and r["kept_sweep"] == r["sweeps"] and r["seed"] == 4
END
ok features "$corpus" --apply topics.txt -o again.csv
cmp -s train.csv again.csv || fail "--apply gives other shares"
for threads in 1 2; do
    ok features "$corpus" --text words=50,min-docs=2 --plsa topics=3,sweeps=100 --seed 4 -o t.csv \
        --topics other.txt --threads $threads -q
    cmp -s topics.txt other.txt || fail "$threads threads: other topics"
done
ok features "$corpus" --text words=50,min-docs=2 --plsa topics=3,sweeps=100 --seed 5 -o t.csv \
    --topics other.txt -q
cmp -s topics.txt other.txt && fail "another seed, the same topics"

checking "new documents; what weighs words does not matter; default words"
ok features "$new" --apply topics.txt -o new.csv
prints '^note +2 documents without a known word get the shares of all together'
[ "$(wc -l <new.csv)" -eq 9 ] || fail "a line for each document"
ok features "$corpus" --text words=50,min-docs=2,tf=log,norm=l1,tfidf=yes --plsa topics=3,sweeps=100 \
    --seed 4 -o t.csv -q
cmp -s train.csv t.csv || fail "counts are raw counts"
ok features "$corpus" --plsa topics=3 -o a.csv -q
ok features "$corpus" --text --plsa topics=3 -o b.csv -q
cmp -s a.csv b.csv || fail "default words"
cut -f2 "$new" >plain.txt
ok features plain.txt --apply topics.txt -o plain.csv -q
[ "$(head -n 1 plain.csv)" = topic1,topic2,topic3 ] || fail "no labels, no column of them"
gzip -k topics.txt
ok features "$new" --apply topics.txt.gz -o gz.csv -q
cmp -s new.csv gz.csv || fail "compressed topics"

checking "tables of counts: LIBSVM, and CSV with and without names"
ok features "$corpus" --text words=50,min-docs=2,tfidf=no,norm=none -o counts.libsvm -q
ok features counts.libsvm --plsa topics=3,sweeps=100 --seed 4 -o c.csv --topics numbers.txt
prints '^topic1 +[0-9.]+ % ( [0-9]+){10}$'
same_rows() { [ "$(tail -n +2 "$1")" = "$(tail -n +2 "$2")" ]; } # whatever the label is called
same_rows train.csv c.csv || fail "counts give other shares than documents"
ok features counts.libsvm --apply topics.txt -o d.csv -q
same_rows train.csv d.csv || fail "counts of the same words"
printf 'kind,one,two,three\nx,2,1,0\ny,1,3,0\nx,0,0,4\n' >counts.csv
ok features counts.csv --target kind --plsa topics=2 -o k.csv --topics named.txt
[ "$(cut -d, -f1 k.csv | tr '\n' ' ')" = "kind x y x " ] || fail "labels of counts"
grep -q '^"two"	' named.txt || fail "names of columns in the file"
printf 'three,two,one\n0,1,2\n0,3,1\n4,0,0\n' >turned.csv
ok features turned.csv --apply named.txt -o t.csv -q
cut -d, -f2- k.csv | cmp -s - t.csv || fail "columns by their names"
printf '2,1,0\n1,3,0\n0,0,4\n' >bare.csv
ok features bare.csv --plsa topics=2 -o t.csv -q
cut -d, -f2- k.csv | cmp -s - t.csv || fail "columns without names"

checking "held-out counts stop it and temper it"
ok features "$corpus" --plsa topics=3,sweeps=300,held-out=0.2 -o h.csv --json h.json --topics h.txt
prints '^sweeps +[0-9]+ .the best: [0-9]+.; perplexity .* -> .*; held out .* -> '
python3 - <<'END' || fail "the record of what was held out"
import json
r = json.load(open("h.json"))
h, kept = r["held_perplexity"], r["kept_sweep"]
assert len(h) == r["sweeps"] < 300 and h[kept - 1] <= min(h) * (1 + 1e-3)
END
ok features "$corpus" --apply h.txt -o h2.csv -q
cmp -s h.csv h2.csv || fail "--apply after tempering"

checking "fit takes the shares"
ok fit train.csv -q -o m.srm
ok eval m.srm new.csv -q

checking "wrong usage"
refused 2 'which features' features "$corpus" -o x.csv
refused 2 'OUT is missing' features "$corpus" --plsa
refused 2 'give one of them' features "$corpus" --plsa --apply topics.txt -o x.csv
refused 2 'give one of them' features "$corpus" --text --apply topics.txt -o x.csv
refused 2 'topics must be a whole number from 1' features "$corpus" --plsa topics=0 -o x.csv
refused 2 'held-out must be a number from 0 to below 1' features "$corpus" --plsa held-out=1 -o x.csv
refused 2 "unknown part of --plsa 'topic' .did you mean 'topics'" features "$corpus" --plsa topic=3 -o x.csv
refused 2 'top-words must be a whole number from 1' features "$corpus" --plsa topics=2 --top-words 0 -o x.csv
refused 2 'seed must be a whole number' features "$corpus" --plsa topics=2 --seed -1 -o x.csv
refused 2 '--vocabulary is for --text' \
    features "$corpus" --plsa topics=2 -o x.csv --vocabulary v.txt
refused 2 '--topics is for --plsa' features "$corpus" --text -o x.libsvm --topics t.txt
refused 2 'would overwrite' features "$new" --apply topics.txt -o topics.txt
refused 2 'cannot both be written' features "$corpus" --plsa -o x.csv --topics x.csv
refused 2 'it is an option of features' fit "$corpus" --plsa topics=2 -o x.srm

checking "counts that are none, files that are none"
printf 'a,b\n1,2\n-1,3\n' >negative.csv
refused 1 "negative.csv:3: column 'a': a count is negative" features negative.csv --plsa topics=1 -o x.csv
printf '1 1:2 2:1\n2 1:-3\n' >negative.libsvm
refused 1 'negative.libsvm: row 2, column 1: -3 is no count' features negative.libsvm --plsa topics=1 -o x.csv
printf 'a,b\n1,\n2,3\n' >gap.csv
refused 1 "gap.csv:2: column 'b': a count is missing" features gap.csv --plsa topics=1 -o x.csv
printf 'a,b\n0,0\n0,0\n' >zero.csv
refused 1 'zero.csv: none of the 2 documents has a count' features zero.csv --plsa topics=1 -o x.csv
refused 1 'counts.csv: 10 topics are too many for 3 documents' features counts.csv --target kind --plsa -o x.csv
refused 1 "column 'kind' holds texts, not counts .documents need --text" \
    features counts.csv --plsa topics=1 -o x.csv
printf 'three,two\n0,1\n' >three.csv
refused 1 "three.csv: column 'one', which was there in training, is missing" \
    features three.csv --apply named.txt -o x.csv
sed '$d' numbers.txt >short.txt
refused 1 'short.txt:[0-9]*: a word and its probabilities should stand here' \
    features counts.libsvm --apply short.txt -o x.csv
head -n 40 topics.txt >cut.txt
refused 1 'cut.txt:40: a word and its probabilities' features "$new" --apply cut.txt -o x.csv
refused 1 'plain.txt: is not a vocabulary file' features "$new" --apply plain.txt -o x.csv
refused 1 'nowhere: cannot read' features "$new" --apply nowhere -o x.csv
[ -e x.csv ] && fail "a refused call left a file"

checking "real counts: 20 newsgroups"
news=$SPECREG_DATA/20news/train.libsvm.gz
if ! whole; then
    echo "left to the whole test: it takes seconds"
elif [ -e "$news" ]; then
    ok features "$news" --plsa topics=5,sweeps=10 -o n.csv --json n.json -q
    python3 - <<'END' || fail "the perplexity falls"
import json
p = json.load(open("n.json"))["perplexity"]
assert len(p) == 10 and all(b < a for a, b in zip(p, p[1:])) and p[-1] < 1400
END
else
    echo "skipped: no $news here"
fi
