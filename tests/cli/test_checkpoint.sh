#!/bin/sh
# fit --checkpoint: a search that is killed, at any moment and any number of times, goes on where it
# was and gives the model of an undisturbed one, byte for byte.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 200 1
regression_data other.csv 200 2
grid='rbf:sigma=log:0.1:10:60' # a search of some tenths of a second

python3 - "$SPECREG" "$grid" <<'PY' || exit 1
import os, random, signal, subprocess, sys, time
specreg, grid = sys.argv[1:]
seed = random.randrange(10**6)
print(f"- random moments from seed {seed}")
random.seed(seed)

def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)

def content(name):
    with open(name, "rb") as f:
        return f.read()

def remove(*names):
    for name in names:
        if os.path.exists(name):
            os.remove(name)

def size(name):
    return os.path.getsize(name) if os.path.exists(name) else 0

def finish(args):
    """Runs to the end; how long that took, which only says when others may be killed."""
    began = time.time()
    p = subprocess.run([specreg] + args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    check(p.returncode == 0, f"specreg {' '.join(args)}: exit code {p.returncode}: {p.stderr}")
    check(p.stderr == b"", f"specreg {' '.join(args)}: stderr {p.stderr}")
    return time.time() - began

def killed(p):
    """Whether a process that was to be killed had not ended before."""
    p.send_signal(signal.SIGKILL)
    err = p.communicate()[1]
    check(p.returncode in (0, -signal.SIGKILL), f"exit code {p.returncode}: {err}")
    return p.returncode != 0

def start(args):
    return subprocess.Popen([specreg] + args, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)

def kill_after(args, delay):
    p = start(args)
    try:
        p.wait(delay)
    except subprocess.TimeoutExpired:
        pass
    return killed(p)

def kill_when_kept(args, name, more):
    """Kills as soon as the file has so many bytes more than before."""
    p, before = start(args), size(name)
    while p.poll() is None and size(name) < before + more:
        time.sleep(0.001)
    return killed(p)

# all rows at once, and some rows that others judge
times = (6, 2) if os.environ.get("SPECREG_TEST_WHOLE") else (2, 1)
searches = (("leave-one-out", times[0], ["--kernel", grid]),
            ("hold-out", times[1], ["--kernel", grid, "--select", "holdout"]))
for name, times, options in searches:
    fit = ["fit", "train.csv", "-q", "--threads", "1", "--checkpoint", "run.ck", "-o", "m.srm"]
    fit += options
    took = finish(fit)
    expected = content("m.srm")
    print(f"- a search by {name} takes {took:.1f} s")

    print("- with all evaluations there none is made again, and the model is the same")
    kept = content("run.ck")
    remove("m.srm")
    finish(fit)
    check(content("m.srm") == expected, "the model should be the same with a full checkpoint")
    check(content("run.ck") == kept, f"{size('run.ck') - len(kept)} bytes of evaluations were made again")

    print(f"- killed {times} times, each followed by a run to the end")
    for i in range(times):
        remove("m.srm", "run.ck")
        delay = random.uniform(0, took)
        was_killed = kill_after(fit, delay)
        check(not was_killed or not os.path.exists("m.srm") or content("m.srm") == expected,
              f"a model that is not whole after {delay:.3f} s")
        finish(fit)
        check(content("m.srm") == expected, f"another model when killed after {delay:.3f} s")

    print("- killed again and again within one search, which gets further each time")
    remove("m.srm", "run.ck")
    kills = 0
    while kill_when_kept(fit, "run.ck", len(kept) // 8):
        kills += 1
        check(kills <= 16, "what was kept is not used")
    check(content("m.srm") == expected, f"another model after {kills} kills")
    remove("run.ck", "m.srm")
PY


checking "the predictions are those of a search without a checkpoint"
ok fit train.csv -q --threads 1 --kernel "$grid" -o plain.srm
ok fit train.csv -q --threads 1 --kernel "$grid" -o kept.srm --checkpoint run.ck
ok predict plain.srm other.csv
cp "$out" plain.csv
ok predict kept.srm other.csv
cmp -s plain.csv "$out" || fail "the model should predict the same"
cp run.ck full.ck

checking "what is shown and where it goes is no matter of the checkpoint"
run fit train.csv --threads 1 --kernel "$grid" --checkpoint run.ck -o new.srm --json new.json
[ "$rc" -eq 0 ] || fail "another output should be taken"
cmp -s new.srm kept.srm || fail "the model should be the same under another name"
rm -f new.srm new.json

checking "a checkpoint of other data or options: one line, no model, the file as it was"
other='run\.ck: belongs to other data or options: remove it or name another file'
refused 1 "$other" fit other.csv -q --threads 1 --kernel "$grid" --checkpoint run.ck -o new.srm
for option in '--select gcv' '--select kfold' '--seed 7 --select kfold' '--scale none' \
    '--filter tsvd' '--target x1' '--param lambda=log:0.001:1:5'; do
    # shellcheck disable=SC2086
    refused 1 "$other" fit train.csv -q --threads 1 --kernel "$grid" $option \
        --checkpoint run.ck -o new.srm
done
refused 1 "$other" fit train.csv -q --threads 1 --kernel laplace --checkpoint run.ck -o new.srm
cmp -s run.ck full.ck || fail "run.ck should be as it was"

checking "files that are no checkpoints, and places for none"
cp train.csv table.csv
refused 1 'table\.csv: is not a checkpoint' fit train.csv -q --checkpoint table.csv -o new.srm
cmp -s train.csv table.csv || fail "table.csv should be as it was"
refused 1 'plain\.srm: is not a checkpoint' fit train.csv -q --checkpoint plain.srm -o new.srm
mkdir folder
refused 1 'folder: is a directory' fit train.csv -q --checkpoint folder -o new.srm
refused 1 'nowhere/run\.ck: cannot write' fit train.csv -q --checkpoint nowhere/run.ck -o new.srm

checking "a damaged line in the middle"
python3 - <<'PY'
bytes = bytearray(open("full.ck", "rb").read())
bytes[len(bytes) // 2] ^= 1
open("damaged.ck", "wb").write(bytes)
PY
refused 1 'damaged\.ck: is damaged in line [0-9]+' fit train.csv -q --threads 1 --kernel "$grid" \
    --checkpoint damaged.ck -o new.srm

checking "a checkpoint that another process uses"
exec 9<run.ck
flock 9
refused 1 'run\.ck: is in use by another process' fit train.csv -q --threads 1 --kernel "$grid" \
    --checkpoint run.ck -o new.srm
exec 9<&-
ok fit train.csv -q --threads 1 --kernel "$grid" --checkpoint run.ck -o new.srm
cmp -s new.srm kept.srm || fail "the model should be the same afterwards"
