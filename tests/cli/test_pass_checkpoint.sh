#!/bin/sh
# fit --approx rectangle --checkpoint: a first pass that is killed goes on from its sums, and gives
# the model of an undisturbed one, byte for byte.
. "$SOURCE_DIR/tests/cli/lib.sh"
python3 - "$SPECREG" <<'PY' || exit 1
import json, os, random, signal, struct, subprocess, sys, time
specreg = sys.argv[1]

def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)

def content(name):
    with open(name, "rb") as f:
        return f.read()

def write_npy(name, rows, times, seed):
    """float32 rows (x1, x2, y), over and over."""
    r = random.Random(seed)
    with open(name, "wb") as f:
        head = "{'descr': '<f4', 'fortran_order': False, 'shape': (%d, 3), }" % (rows * times)
        head += " " * (-(len(head) + 11) % 64) + "\n"
        f.write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode())
        x = [r.random() for _ in range(2 * rows)]
        some = b"".join(struct.pack("<3f", x[i], x[i + rows], x[i] - x[i + rows]) for i in range(rows))
        for _ in range(times):
            f.write(some)

def blocks(name):
    """How many blocks the sums of a checkpoint have."""
    return struct.unpack("<q", content(name)[40:48])[0] if os.path.exists(name) else 0

write_npy("all.npy", 20000, 30, 1)
fit = ["fit", "all.npy", "-q", "--threads", "1", "--approx", "rectangle:m=100", "--kernel", "rbf:sigma=0.5"]

def start(*more):
    return subprocess.Popen([specreg] + fit + list(more), stdout=subprocess.PIPE, stderr=subprocess.PIPE)

def finish(*more):
    p = start(*more)
    out, err = p.communicate()
    check(p.returncode == 0, f"{more}: exit code {p.returncode}: {err}")
    return err

print("- killed, or stopped by Ctrl-C, as soon as some rows are in the sums; then run to the end")
finish("--checkpoint", "whole.ck", "-o", "whole.srm")
check(blocks("whole.ck") == (600000 + 2047) // 2048, "the checkpoint should have all blocks at the end")
for name, signal_, code in (("kill", signal.SIGKILL, -9), ("stop", signal.SIGINT, 130)):
    p = start("--checkpoint", name, "-o", "m.srm")
    while p.poll() is None and not 0 < blocks(name):
        time.sleep(0.01)
    p.send_signal(signal_)
    p.communicate()
    check(p.returncode == code, f"{name}: exit code {p.returncode}; was it too quick?")
    check(not os.path.exists("m.srm"), "there should be no model yet")
    had = blocks(name)
    check(0 < had < 293, f"{had} blocks")
    said = finish("--checkpoint", name, "-o", "m.srm", "--verbose")
    check(f"{had} blocks of rows are in the sums already".encode() in said, f"it should go on: {said}")
    check(content("m.srm") == content("whole.srm"), f"another model after {name}")
    check(content(name) == content("whole.ck"), f"another checkpoint after {name}")
    os.remove("m.srm")

print("- conjugate gradients go on with the columns that they had: the same bytes, the same passes")
def passes(name):
    return struct.unpack("<q", content(name)[56:64])[0] if os.path.exists(name) else 0

def passes_of(model):
    said = subprocess.run([specreg, "info", model, "--json", "-"], stdout=subprocess.PIPE).stdout
    return json.loads(said)["approx"]["passes"]

write_npy("some.npy", 20000, 10, 1)
fit[1] = "some.npy"
solve = ["--approx", "rectangle:m=60,solver=cg,residual=1e-9", "--select", "kfold:k=3", "--param", "lambda=log:1e-6:1e-2:4"]
finish(*solve, "-o", "plain.srm")
p = start(*solve, "--checkpoint", "cg.ck", "-o", "m.srm")
while p.poll() is None and passes("cg.ck") < 4:
    time.sleep(0.01)
p.send_signal(signal.SIGKILL)
p.communicate()
had = passes("cg.ck")
check(p.returncode == -9 and had >= 4, f"exit code {p.returncode} after {had} passes; was it too quick?")
said = finish(*solve, "--checkpoint", "cg.ck", "-o", "m.srm", "--verbose")
check(f"goes on after {had} passes".encode() in said, f"it should go on: {said}")
check(content("m.srm") == content("plain.srm"), "another model after conjugate gradients were killed")
check(passes_of("m.srm") == passes_of("plain.srm") > had, "the passes of both runs should be counted")
said = finish(*solve, "--checkpoint", "cg.ck", "-o", "m.srm", "--verbose")
check(f"goes on after {passes_of('plain.srm')} passes".encode() in said, f"all is there: {said}")
check(content("m.srm") == content("plain.srm"), "another model of a finished checkpoint")
for name, make in (("cg.ck", ["--param", "lambda=log:1e-6:1e-2:5"]), ("bad.ck", [])):
    with open("bad.ck", "wb") as f:
        f.write(content("cg.ck")[:-900] + b"x" + content("cg.ck")[-899:])
    p = subprocess.run([specreg] + fit + solve + make + ["--checkpoint", name, "-o", "bad.srm"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(p.returncode == 1 and name.encode() in p.stderr and p.stderr.count(b"\n") == 1, f"{name}: {p.stderr}")
    check(not os.path.exists("bad.srm"), "there should be no model")
os.remove("m.srm")

fit[1] = "all.npy"
print("- the same where memory is for some of the columns at a time, and the first of them were done")
r = random.Random(3)
with open("few.csv", "w") as f:
    f.write("a,b,y\n" + "".join("%.6f,%.6f,%.6f\n" % (a, b, a * b + r.random())
                                for a, b in ((6 * r.random(), 6 * r.random()) for _ in range(4000))))
fit = ["fit", "few.csv", "-q", "--threads", "1", "--approx", "rectangle:m=300,solver=cg,residual=1e-9", "--kernel", "laplace:sigma=1",
       "--select", "kfold:k=2", "--param", "lambda=log:1e-5:1e-2:60", "--memory", "8MB"]
finish("-o", "plain.srm")
p = start("--checkpoint", "some.ck", "-o", "m.srm")
while p.poll() is None and not (os.path.exists("some.ck") and 0 < blocks("some.ck") < 180):
    time.sleep(0.01)
p.send_signal(signal.SIGKILL)
p.communicate()
check(p.returncode == -9, f"exit code {p.returncode}; was it too quick?")
finish("--checkpoint", "some.ck", "-o", "m.srm")
check(content("m.srm") == content("plain.srm"), "another model where some columns were done")
os.remove("m.srm")
fit = ["fit", "all.npy", "-q", "--threads", "1", "--approx", "rectangle:m=100", "--kernel", "rbf:sigma=0.5"]

print("- rows that changed, or are gone, since the checkpoint was written are found")
for name, change in (("other", lambda b: b[:500000] + b"\0\0\0?" + b[500004:]),
                     ("short", lambda b: b.replace(b"600000", b"200000")[:128 + 12 * 200000])):
    with open("changed.npy", "wb") as f:
        f.write(change(content("all.npy")))
    p = subprocess.run([specreg, "fit", "changed.npy"] + fit[2:] + ["--checkpoint", "whole.ck", "-o", "m.srm"],
                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(p.returncode == 1 and b"whole.ck" in p.stderr and p.stderr.count(b"\n") == 1, f"{name}: {p.stderr}")
    check(not os.path.exists("m.srm"), "there should be no model")
PY
how='--threads 1 --approx rectangle:m=20 --kernel rbf:sigma=0.5 -q'
regression_data train.csv 500 1
regression_data other.csv 500 2

checking "checkpoints of other data or options, files that are none, and places for none"
ok fit train.csv $how --checkpoint run.ck -o a.srm
cp run.ck full.ck
other='run\.ck: belongs to other data or options: remove it or name another file'
refused 1 "$other" fit other.csv $how --checkpoint run.ck -o b.srm
refused 1 "$other" fit train.csv $how --seed 3 --checkpoint run.ck -o b.srm
cmp -s run.ck full.ck || fail "run.ck should be as it was"
refused 1 'train\.csv is not a checkpoint' fit train.csv $how --checkpoint train.csv -o b.srm
mkdir folder
refused 1 'folder: is a directory' fit train.csv $how --checkpoint folder -o b.srm
refused 1 'must be a regular file' fit train.csv $how --checkpoint - -o b.srm
refused 1 'none/run\.ck' fit train.csv $how --checkpoint none/run.ck -o b.srm
head -c 300 full.ck >run.ck
refused 1 'run\.ck: the file ends too early' fit train.csv $how --checkpoint run.ck -o b.srm

checking "a disk that fills up: one line, no model, nothing half-written"
if (ulimit -f 1) 2>/dev/null; then
    (trap '' XFSZ; ulimit -f 1; "$SPECREG" fit train.csv $how --approx rectangle:m=90 --checkpoint full -o b.srm) >"$out" 2>"$err"
    rc=$?
    [ "$rc" -eq 1 ] || fail "exit code $rc, should be 1"
    grep -q '^specreg: full.*: ' "$err" || fail "the line should name the file"
    [ ! -e b.srm ] && [ "$(ls full* 2>/dev/null)" = full.ck ] || fail "something is left: $(ls)"
fi

checking "several kernels and numbers of centres have files of their own"
ok fit train.csv --threads 1 --approx rectangle --kernel 'rbf:sigma={0.5,1}' -q --checkpoint auto.ck -o c.srm
[ "$(ls auto.ck* | tr '\n' ' ')" = 'auto.ck.m400 auto.ck.m400.2 ' ] || fail "$(ls)"
cp c.srm d.srm
ok fit train.csv --threads 1 --approx rectangle --kernel 'rbf:sigma={0.5,1}' -q --checkpoint auto.ck -o c.srm
cmp -s c.srm d.srm || fail "the model should be the same"
