#!/bin/sh
# Many rows with something wrong far inside: found, named, and nothing is written.  Centres by the
# numbers of rows, wherever they are.
. "$SOURCE_DIR/tests/cli/lib.sh"
one='--kernel rbf:sigma=1 -q'

# NPY of float32: 20,000 rows (x, x + noise) over and over; row ROW, from 1 on, gets a NaN.
npy() { # FILE ROWS [ROW]
    python3 - "$@" <<'PY'
import random, struct, sys
name, rows, bad = sys.argv[1], int(sys.argv[2]), int((sys.argv + ["0"])[3])
r = random.Random(1)
some = b"".join(struct.pack("<2f", x, x + r.random()) for x in (r.random() for _ in range(20000)))
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 2), }" % rows
head += " " * (-(len(head) + 11) % 64) + "\n"
data = bytearray(some * (rows // 20000 + 1))[:8 * rows]
if bad:
    data[8 * (bad - 1):8 * bad - 4] = struct.pack("<f", float("nan"))
open(name, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + data)
PY
}

checking "a NaN in block 900 of 1,000"
npy nan.npy 2048000 1842555
refused 1 'nan\.npy: row 1842555: ' fit nan.npy --approx rectangle:m=5 $one -o m.srm

checking "HDF5 in pieces: the model of the same rows, and a NaN far inside"
if ! "$SPECREG" convert nan.npy nan.h5 -q 2>"$err"; then
    grep -q 'which this build lacks' "$err" || fail "convert to HDF5"
else
    refused 1 'nan\.h5: row 1842555: ' fit nan.h5 --approx rectangle:m=5 $one -o m.srm
    regression_data some.csv 5000 3
    ok convert some.csv some.h5 -q
    ok convert some.csv some.npz -q
    for kind in csv h5 npz; do
        ok fit some.$kind --approx rectangle:m=20 $one -o some.srm
        ok predict some.srm some.csv -q -o some-$kind.out
        cmp -s some-csv.out some-$kind.out || fail "$kind gives another model"
    done
    refused 1 'memory' fit nan.h5 --approx exact --memory 1M $one -o m.srm
fi
rm -f nan.npy nan.h5

checking "a NaN in one of several files: its name, and the row in it; for sums, predictions and errors too"
npy day-1.npy 70000
npy day-2.npy 70000 65001
few='--approx rectangle:m=5 --kernel rbf:sigma=1 -q'
ok sums init day-1.npy $few -o days.srb
ok fit day-1.npy $few -o days.srm
refused 1 'day-2\.npy: row 65001: ' fit 'day-*.npy' $few -o m.srm
refused 1 'day-2\.npy: row 65001: ' sums add days.srb 'day-*.npy' -q -o m.sums
refused 1 'day-2\.npy: row 65001: ' predict days.srm 'day-*.npy' -q -o m.csv
refused 1 'day-2\.npy: row 65001: ' eval days.srm 'day-*.npy' -q

checking "a disk that fills up: sums, predictions, and the copy of standard input that a second look needs"
for command in 'sums init day-1.npy --approx rectangle:m=5 --kernel rbf:sigma=1 -q -o new.srb' \
    'sums add days.srb day-1.npy -q -o new.sums' 'predict days.srm day-1.npy -q -o new.csv'; do
    # shellcheck disable=SC2086
    (ulimit -f 64 && refused 1 'new\.(srb|csv).*(too large|cannot write)|day-1.npy: cannot be written' $command) || exit 1
done
mkdir copies
for kind in rectangle:m=5 m=5; do
    (ulimit -f 64 && TMPDIR=copies && export TMPDIR && cat day-1.npy 2>/dev/null |
        refused 1 'stdin: cannot keep a copy in copies' fit - --approx $kind --kernel rbf:sigma=1 -q -o m.srm) || exit 1
done
[ -z "$(ls -A copies)" ] || fail "a copy is left: $(ls -A copies)"
rm day-1.npy day-2.npy

checking "a file that changes between the passes"
npy all.npy 600000
python3 - "$SPECREG" <<'PY' || exit 1
import os, subprocess, sys, time
p = subprocess.Popen([sys.argv[1], "fit", "all.npy", "-q", "--threads", "1", "--approx", "rectangle:m=60", "--kernel",
                      "rbf:sigma=1", "--select", "loo", "--checkpoint", "run.ck", "-o", "m.srm"], stderr=subprocess.PIPE)
while p.poll() is None and not os.path.exists("run.ck"):
    time.sleep(0.01)
with open("all.npy", "r+b") as f:
    f.seek(4000000)
    f.write(b"\0\0\0?")
err = p.communicate()[1]
good = p.returncode == 1 and err == b"specreg: all.npy: changed while it was being read\n" and not os.path.exists("m.srm")
sys.exit(0 if good else print("FAILED:", p.returncode, err) or 1)
PY
rm run.ck

checking "a file, or a stream, that ends early"
head -c 2000000 all.npy >short.npy
refused 1 'short\.npy' fit short.npy --approx rectangle:m=5 $one -o m.srm
gzip -1 <short.npy | head -c 300000 >short.npy.gz
refused 1 'short\.npy\.gz.*too early' fit short.npy.gz --approx rectangle:m=5 $one -o m.srm
run fit - --approx rectangle:m=5 $one -o m.srm <short.npy.gz
[ "$rc" -eq 1 ] && grep -q 'too early' "$err" && [ ! -e m.srm ] || fail "a stream that ends early"
rm all.npy short.npy short.npy.gz

awk 'BEGIN { srand(3); print "x,y"; for (i = 1; i <= 140000; i++)
             print i / 70000 "," (i == 139996 ? "c" : rand() < 0.5 ? "a" : "b") }' >classes.csv
checking "a class that the first look did not see: the file and the line"
refused 1 "classes\.csv:139997: column 'y': class 'c'" fit classes.csv --approx rectangle:m=5 $one -o m.srm

checking "files whose columns differ"
regression_data one.csv 3000 1
cut -d, -f1,3 one.csv >narrow.csv
sed '1s/x2/x9/' one.csv >renamed.csv
sed '2500s/^[^,]*/word/' one.csv >text.csv
refused 1 'narrow\.csv: has 2 columns' fit one.csv narrow.csv --approx rectangle:m=5 $one -o m.srm
refused 1 "renamed\.csv: column 2 is named 'x9'" fit one.csv renamed.csv --approx rectangle:m=5 $one -o m.srm
refused 1 "text\.csv:2500" fit one.csv text.csv --approx rectangle:m=5 $one -o m.srm

checking "all rows as centres would take too long, or do not fit: fewer by themselves, and how to get the exact solution"
regression_data many.csv 6000 2
how='note +with all 6000 rows as centres .* --time or --memory .* --approx exact'
for limit in '--time 0.01s' '--memory 16M'; do
    # shellcheck disable=SC2086
    ok fit many.csv --kernel rbf:sigma=0.5 --select loo $limit -o m.srm
    prints '^approx +rectangle, [0-9]*00 centres'
    prints "$how"
    # shellcheck disable=SC2086
    ok plan many.csv --kernel rbf:sigma=0.5 --select loo $limit
    prints '^approx +fit would take --approx rectangle .* \(--approx exact\)'
done
prints '^engine +none: training on 6000 rows .* needs at least'
ok fit many.csv --kernel rbf:sigma=0.5 --approx m=100 -o m.srm
grep -Eq "$how" "$out" && fail "whoever asks for fewer centres knows"
refused 1 'needs at least' fit many.csv --kernel rbf:sigma=0.5 --select loo --memory 16M --approx exact -o m2.srm
rm m.srm

checking "plan of files looks at some of the rows, and says of all what it says of a table with them"
npy part-0.npy 70000
npy part-1.npy 80000
npy whole.npy 150000
for kernel in rbf:sigma=0.01 linear; do
    ok plan whole.npy --kernel $kernel --time 10s --calibrate no --memory 4G --json whole.json
    ok plan 'part-?.npy' --kernel $kernel --time 10s --calibrate no --memory 4G --json parts.json
    [ "$(value parts.json data.n)" = 150000 ] || fail "rows $(value parts.json data.n)"
    for key in kernel_candidates search_engine engine runs; do
        [ "$(value parts.json $key)" = "$(value whole.json $key)" ] || fail "$key: $(value parts.json $key)"
    done
    for key in seconds memory_bytes; do
        awk -v a="$(value parts.json $key)" -v b="$(value whole.json $key)" \
            'BEGIN { exit !(a > 0.9 * b && a < 1.1 * b) }' || fail "$key: $(value parts.json $key), not $(value whole.json $key)"
    done
done
ok plan whole.npy --kernel rbf:sigma=0.01 --time 1s --calibrate no --json whole.json
ok plan 'part-?.npy' --kernel rbf:sigma=0.01 --time 1s --calibrate no --json parts.json
for key in approx.m approx.seconds; do
    [ "$(value parts.json $key)" = "$(value whole.json $key)" ] || fail "$key: $(value parts.json $key)"
done
ok fit 'part-?.npy' --kernel rbf:sigma=0.01 --time 1s --approx m=50 --explain -o m.srm
prints '^approx +fit would take --approx rectangle with up to 50 centres'
prints '^model +m.srm'
rm part-?.npy whole.npy m.srm

checking "more centres than rows, and rows that are listed twice"
refused 2 'there cannot be more centres than rows' fit one.csv --approx rectangle:m=3001 $one -o m.srm
printf '3\n2\n3\n' >twice.txt
refused 1 'twice\.txt:3: row 3 is on line 1 already' fit one.csv --approx rectangle:centers=file:twice.txt $one -o m.srm

checking "centres that are equal: the rank is told"
{ cat one.csv; sed 1d one.csv; } | sed -n '1,41p;3002,3041p' >equal.csv
ok fit equal.csv --approx rectangle:m=80 --kernel rbf:sigma=0.3 -o m.srm --json m.json
prints '80 centres \(uniform\), of which 40 are independent'
[ "$(value m.json approx.m) $(value m.json approx.rank)" = '80 40' ] || fail "rank $(value m.json approx.rank)"

checking "centres that a file lists may be any rows of many, in one file or several"
sed -n '1p;2,60001p' classes.csv | sed 's/,[abc]/,1/' >part-1.csv
sed -n '1p;60002,$p' classes.csv | sed 's/,[abc]/,2/' >part-2.csv
printf '139998\n3\n70001\n60000\n60001\n' >rows.txt
ok fit 'part-?.csv' --approx rectangle:centers=file:rows.txt $one --scale none --problem regression -o m.srm
cat >centres.py <<'PY'
import json, struct, sys
data = open(sys.argv[1], "rb").read()
size = struct.unpack("<Q", data[:8])[0]
first, last = json.loads(data[8:8 + size])["centres"]["data_offsets"]
print(*sorted(round(70000 * x) for x in struct.unpack("<%dd" % ((last - first) // 8), data[8 + size + first:8 + size + last])))
PY
[ "$(python3 centres.py m.srm)" = '3 60000 60001 70001 139998' ] || fail "centres $(python3 centres.py m.srm)"
echo 140001 >>rows.txt
refused 1 'rows\.txt:6: row 140001 is not among the rows' fit 'part-?.csv' --approx rectangle:centers=file:rows.txt $one --problem regression -o m2.srm

checking "with every row a centre, measures by class and of all rows at once are those of the exact solution"
awk 'BEGIN { srand(5); print "u,v,y"; for (i = 1; i <= 240; i++) { u = rand(); v = rand()
             print u "," v "," (sin(9 * u) + v + rand() > 1.2 ? "yes" : "no") } }' >two.csv
for criterion in auc f1 mcc log_loss error_rate balanced_error; do
    for approx in exact rectangle:m=240; do
        ok fit two.csv --approx $approx --kernel rbf:sigma=0.3 --features none --param 'lambda={1e-3,1e-2}' --select loo \
            --criterion $criterion -o m.srm --json $approx.json
    done
    python3 - exact.json rectangle:m=240.json <<'PY' || fail "$criterion"
import json, sys
exact, own = [json.load(open(name))["selection"] for name in sys.argv[1:]]
assert exact["criterion"] == own["criterion"]
for a, b in zip(sorted(r["value"] for r in exact["table"]), sorted(r["value"] for r in own["table"])):
    assert abs(a - b) < 1e-7, (a, b)
PY
done

checking "predictions of all rows that do not fit the memory: told before the pass"
refused 1 'criterion: auc needs the predictions of all' fit two.csv --approx rectangle:m=5 --kernel rbf:sigma=0.3 \
    --param lambda=log:1e-9:1:20000 --select loo --criterion auc --memory 64M -o m2.srm
