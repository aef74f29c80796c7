#!/bin/sh
# A table as it comes (tests/data/messy.csv) goes from info to fit, cv and predict on other rows with
# --missing indicator as the only option.  The noise has deviation 3 (see tests/data/README.md), and
# Python makes the same inputs by hand.
. "$SOURCE_DIR/tests/cli/lib.sh"
cp "$SOURCE_DIR/tests/data/messy.csv" "$SOURCE_DIR/tests/data/messy_new.csv" .

checking "info shows what each column would become"
ok info messy.csv
prints '^ *x1 .* left out: it numbers the rows'
prints '^ *Kunden-Nr\. .* 240 categories, all different'
prints '^ *Datum .* year, month, weekday, days'
prints '^ *age .* number, needs --missing'
prints '^ *town .* 4 categories, needs --missing'
prints '^ *currency .* 1 category, constant'
prints '^ *price .* target'
ok info messy.csv --missing indicator --id Kunden-Nr. --json info.json -q
[ "$(value info.json columns.1.becomes)" = 'id, carried into predictions' ] || fail "the id in the record"
[ "$(value info.json columns.4.becomes)" = 'number, missing' ] || fail "an indicator in the record"

checking "the error without an option names it"
refused 1 "messy.csv:2: column 'remark': value is missing .*indicator" fit messy.csv -o m.srm

checking "fit, cv, predict and eval with this option alone"
ok fit messy.csv --missing indicator -o m.srm
prints "note +column 'x1' numbers the rows and is left out"
prints "note +column 'currency' is constant"
prints "note +column 'Kunden-Nr.' has a different text in every row"
ok cv messy.csv --missing indicator --json cv.json -q
awk -v mse="$(value cv.json mean.mse)" 'BEGIN { exit !(mse < 2 * 9) }' ||
    fail "the error by cv should be near the variance of the noise, 9: $(value cv.json mean.mse)"
says "63 values were not seen in training" predict m.srm messy_new.csv -o new.csv
[ "$(wc -l <new.csv)" -eq 61 ] || fail "every row should be predicted"
ok eval m.srm messy_new.csv --json eval.json -q
awk -v r2="$(value eval.json test.r2)" 'BEGIN { exit !(r2 > 0.98) }' || fail "other rows: $(value eval.json test.r2)"

checking "the inputs are those that Python makes"
python3 - <<'PY' || fail "python"
import csv, datetime, unicodedata
MISSING = {"", "NA", "?"}
def read(name):
    with open(name, encoding="utf-8-sig", newline="") as f:
        return list(csv.DictReader(f))
train, new = read("messy.csv"), read("messy_new.csv")
def nfc(text):
    return unicodedata.normalize("NFC", text)
def date(row):
    return datetime.datetime.strptime(row["Datum"], "%d.%m.%Y").date()
first = min(date(r) for r in train)
ages = [float(r["age"]) for r in train if r["age"] not in MISSING]
towns = [nfc(r["town"]) for r in train if r["town"] not in MISSING]
names = sorted(set(towns), key=lambda t: t.encode())
def inputs(r):
    d = date(r)
    gap, lost = r["age"] in MISSING, r["town"] in MISSING
    town = [towns.count(t) / len(towns) if lost else float(nfc(r["town"]) == t) for t in names]
    return ([d.year, d.month, d.isoweekday(), (d - first).days, float(r["Größe (m²)"]),
             sum(ages) / len(ages) if gap else float(r["age"]), int(gap)] + town + [int(lost)])
for name, rows in (("clean.csv", train), ("clean_new.csv", new)):
    with open(name, "w") as f:
        width = len(inputs(train[0]))
        print(*["v%d" % k for k in range(width)], "price", sep=",", file=f)
        for r in rows:
            print(*[repr(v) for v in inputs(r)], r["price"], sep=",", file=f)
PY
set -- --scale none --kernel rbf:sigma=300 --param lambda=1e-6 --select none -q
ok fit clean.csv "$@" -o clean.srm
ok fit messy.csv --missing indicator --drop Kunden-Nr.,currency,remark "$@" -o messy.srm
ok predict clean.srm clean_new.csv -o one.csv
says "3 values were not seen in training, the first at messy_new.csv:[0-9]+: column 'town': 'Trier'" \
    predict messy.srm messy_new.csv -o two.csv
paste -d, one.csv two.csv |
    awk -F, 'NR > 1 { d = $1 - $2; if (d > 1e-6 || -d > 1e-6) { print NR, $0; exit 1 } }' >"$out" ||
    fail "the predictions should be those of the inputs made by Python"
