#!/bin/sh
# specreg report: pages of models and records, from the command and with --report; bad input; small pages of large
# records; the same bytes for the same call.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 60 1
regression_data test.csv 30 2

# page FILE PYTHON: `d` is the data of the page, `r` its first report; the statements must hold.
page() {
    python3 - "$1" "$2" <<'PY' || fail "$1: $2"
import json, re, sys
text = open(sys.argv[1], encoding="utf-8").read()
found = re.findall(r'<script type="application/json" id="specreg-data">(.*?)</script>', text, re.S)
assert len(found) == 1, "the data stand in the page once"
assert text.count("</script>") == text.count("<script"), "no script is closed by data"
assert not re.search("[<>&\u2028\u2029]", found[0])
assert "Content-Security-Policy" in text and "@DATA@" not in text
assert not re.search(r'(src|href)="?(https?:)?//', text), "nothing comes from elsewhere"
d = json.loads(found[0])
assert d["format"] == 1 and d["reports"]
r = d["reports"][0]
assert set(r) == {"title", "source", "command", "record", "portrait", "rows", "eval", "importance", "partial", "field",
                  "matrix", "words", "plan", "cannot"}, sorted(r)
exec(sys.argv[2])
PY
}

checking "a model alone has all that five charts need"
ok fit train.csv -q -o m.srm
ok report m.srm -o m.html
page m.html 'assert r["source"] == "fit" and r["title"] == "m.srm"
assert len(r["cannot"]) == 1 and "Which columns matter is told from rows" in r["cannot"][0]
assert r["command"] == "specreg fit train.csv", r["command"]
p = r["portrait"]
assert p["spectrum"] and p["filter"] and len(p["points"]) > 9 and p["points"][p["chosen"]]["train"] > 0
assert r["rows"]["by"] == "loo" and len(r["rows"]["rows"]) == 60 and r["eval"]["test"]["r2"] > 0
assert r["record"]["selection"]["table"]'
ok report m.srm --data test.csv -o data.html --json r.json -q
grep -q '"output": "data.html"' r.json || fail "the record should name the page"
page data.html 'assert r["rows"]["by"] == "file" and r["rows"]["level"] == 0.9 and r["eval"]["data"]["file"] == "test.csv"
assert all(a < b for a, b in zip(r["rows"]["lower"][0], r["rows"]["upper"][0]))
assert r["importance"]["columns"] and r["partial"] and r["cannot"] == []'

checking "the same call gives the same model and the same page"
ok fit train.csv -q -o again.srm
cmp -s m.srm again.srm || fail "the portrait should be the same"
ok report m.srm -o again.html
cmp -s m.html again.html || fail "the page should be the same"
ok fit train.csv -q -o none.srm --portrait no
ok report none.srm -o none.html
page none.html 'assert r["portrait"] is None and r["rows"] is None and "Fit it again" in r["cannot"][0]'

checking "--report of commands, and records side by side"
ok fit train.csv -q --report fit.html --json fit.json
page fit.html 'assert r["title"] == "train.csv" and r["plan"]["seconds"] > 0 and r["record"]["seconds"]["total"] > 0
assert r["importance"]["columns"] and r["command"] == "specreg fit train.csv"'
ok cv train.csv -q --report cv.html --kernel rbf --json cv.json
page cv.html 'assert r["source"] == "cv" and len(r["record"]["folds"]) == 5
assert r["command"] == "specreg cv train.csv --kernel rbf"'
ok path train.csv -q --report path.html --kernel rbf:sigma=1 --json path.json
page path.html 'assert r["source"] == "path" and len(r["record"]["table"]) > 9'
ok spectrum train.csv -q --report spectrum.html --kernel rbf:sigma=1
page spectrum.html 'assert r["source"] == "spectrum" and len(r["portrait"]["spectrum"]["eigenvalues"]) == 60'
ok eval m.srm test.csv -q --report eval.html
page eval.html 'assert r["rows"]["by"] == "file" and r["eval"]["test"]["n"] == 30'
ok importance m.srm test.csv -q --json importance.json
ok partial m.srm test.csv -q --json partial.json
ok plan train.csv -q --calibrate no --json plan.json
ok report m.srm importance.json partial.json fit.json cv.json path.json plan.json -o all.html -q
page all.html 'assert [x["source"] for x in d["reports"]] == ["fit", "fit", "cv", "path", "plan"]
assert r["importance"]["columns"] and r["partial"][0]["mean"] and d["reports"][4]["plan"]["engines"]
assert r["cannot"] == []'
"$SPECREG" report m.srm -o - >stdout.html || fail "- should be standard output"
cmp -s m.html stdout.html || fail "the page on standard output should be the same"

checking "names and labels with quotes, tags, emoji"
awk -F, 'NR == 1 { print "\"</script><script>alert(1)//\",\"a&b \"\"c\"\"\",label"; next }
    { print $1 "," $2 "," ($1 > 0.3 ? "<b>yes</b>" : $1 < -0.3 ? "\"☃ 🙂\"" : "it'"'"'s") }' train.csv >odd.csv
ok fit odd.csv -q -o odd.srm --report odd-fit.html
ok report odd.srm --data odd.csv -o odd.html -q
page odd.html 'assert r["record"]["data"]["columns"] == ["</script><script>alert(1)//", "a&b \"c\""]
assert set(r["rows"]["labels"]) == {"<b>yes</b>", "☃ 🙂", "it\u0027s"} and len(r["rows"]["scores"]) == 60
assert r["eval"]["test"]["confusion"]["labels"] == r["rows"]["labels"] == r["portrait"]["curve"]["outputs"]'
page odd-fit.html 'assert r["importance"]["columns"][0]["name"].startswith("</script>")'
cp odd.csv "odd name's.csv"
ok cv "odd name's.csv" --select kfold:k=3 -q --json odd.json
ok report odd.json -o odd.html -q
page odd.html 'import shlex
assert shlex.split(r["command"]) == ["specreg", "cv", "odd name\u0027s.csv", "--select", "kfold:k=3"], r["command"]'

checking "one row in a fold, one row of data, 300 classes"
awk 'NR <= 2' test.csv >one.csv
ok report m.srm --data one.csv -o one.html -q
page one.html 'assert len(r["rows"]["rows"]) == 1'
awk 'BEGIN { print "a,b,label"; for (i = 0; i < 600; i++) print i % 17 "," i % 23 ",c" i % 300 }' >many.csv
ok fit many.csv -q -o many.srm --kernel rbf:sigma=1 --param 'lambda={0.01,0.1}' --select kfold:k=2
ok report many.srm -o many.html -q
page many.html 'assert len(text) < 1 << 21 and "confusion" not in r["eval"]["test"] and len(r["eval"]["test"]["confused"]) <= 100
assert any("300 classes" in s for s in r["cannot"])'

checking "a record of 500 candidates makes a page below 2 MiB"
python3 - <<'PY'
import json
r = json.load(open("fit.json"))
row = r["selection"]["table"][0]
r["selection"]["table"] = [dict(row, kernel={"name": "rbf", "sigma": 0.123456789012345 + i}, value=1 / (i + k + 3))
                           for i in range(500) for k in range(40)]
json.dump(r, open("long.json", "w"))
json.dump({"specreg": "99.9.9", "command": "fit", "selection": {"table": [None, 7, "x"]}, "data": 3, "kernel": [], "test": 7},
          open("odd.json", "w"))
json.dump({"specreg": "0.1.0", "command": "eval", "error": {"exit_code": 1, "message": "it <failed>"}}, open("failed.json", "w"))
json.dump({"specreg": "0.1.0", "command": "spectrum", "eigenvalues": [None, 1, "x", [2]], "target_share": {}}, open("s.json", "w"))
PY
ok report long.json -o long.html -q
page long.html 'assert len(text) < 1 << 21 and 4000 <= len(r["record"]["selection"]["table"]) < 4100
assert r["record"]["selection"]["tried"] == 20000 and "20000 points were tried" in r["cannot"][0]'

checking "records of other versions, of failures, with odd parts: pages that say so"
ok report odd.json failed.json s.json -o odd.html -q
page odd.html 'assert "99.9.9" in r["cannot"][0] and "it <failed>" in d["reports"][1]["cannot"][0]
assert d["reports"][2]["portrait"]["spectrum"]["eigenvalues"] == [None, 1, None, None]'

checking "of many classes those that are confused most often, also where the record lacks labels or counts"
python3 - <<'PY'
import json, random
random.seed(1)
k, cells = 70, [[random.randrange(40) for _ in range(75)] for _ in range(75)]
cells[3][5:8] = [None, "x", 10**6]
json.dump({"specreg": "0.1.0", "command": "eval", "test": {"confusion": {"labels": ["c%d" % i for i in range(k)],
           "counts": cells[:60] + [7] + cells[61:]}}}, open("confused.json", "w"))
PY
ok report confused.json -o confused.html -q
page confused.html 'counts = json.load(open("confused.json"))["test"]["confusion"]["counts"]
pairs = [(-counts[a][b], a, b) for a in range(70) for b in range(70) if a != b and isinstance(counts[a], list) and isinstance(counts[a][b], int)]
found = [(-x["count"], int(x["true"][1:]), int(x["label"][1:])) for x in r["record"]["test"]["confused"]]
assert found == sorted(pairs)[:100], found[:5]'

checking "what is no model and no record"
printf '{"a": ' >broken.json
printf '{"a": 1}\n' >other.json
printf '[1]\n' >list.json
: >empty.json
refused 1 'broken.json: neither a model nor a record' report broken.json -o p.html
refused 1 'other.json: neither a model nor a record' report m.srm other.json -o p.html
refused 1 'list.json: neither a model nor a record' report list.json -o p.html
refused 1 'empty.json: neither a model nor a record' report empty.json -o p.html
refused 1 'test.csv: neither .*--data' report m.srm test.csv -o p.html
refused 1 'missing.srm' report missing.srm -o p.html
head -c 300 m.srm >cut.srm
refused 1 'cut.srm' report cut.srm -o p.html
refused 1 'no column|needs|features|column' report m.srm --data many.csv -o p.html
refused 2 'needs -o' report m.srm
refused 2 'one file of rows' eval m.srm - --report p.html
refused 2 'one file of rows' eval m.srm test.csv test.csv --report p.html
refused 2 'MODEL' report -o p.html
refused 2 'overwrite' report m.srm --data test.csv -o test.csv
refused 2 'cannot both' fit train.csv -o x --report x
refused 1 'cannot write' report m.srm -o nowhere/p.html
refused 2 'portrait' fit train.csv --portrait 0.5 -q -o p.srm
refused 2 'portrait' fit train.csv --portrait many -q -o p.srm
printf 'kept' >page.html
refused 1 'neither' report broken.json -o page.html
[ "$(cat page.html)" = kept ] || fail "a page that was there should stay"
