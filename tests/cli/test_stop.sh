#!/bin/sh
# Ctrl-C and other signals: exit 128 + signal, soon, one line, no file.  And the bar on a terminal.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 400 1
regression_data big.csv 3000 1

python3 - "$SPECREG" <<'PY' || exit 1
import os, pty, re, select, signal, subprocess, sys, time
specreg = sys.argv[1]
before = sorted(os.listdir("."))
# many short steps, and few long ones
steps = ["fit", "train.csv", "--kernel", "rbf:sigma=log:0.1:10:3000", "--threads", "1", "-o", "m.srm"]
long = ["fit", "big.csv", "--engine", "eig", "--select", "gcv", "--threads", "1", "-o", "m.srm"]

def check(condition, what):
    if not condition:
        print("FAILED:", what)
        sys.exit(1)

def stop(args, delay, sig, times=1):
    p = subprocess.Popen([specreg] + args, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(delay)
    check(p.poll() is None, f"specreg {' '.join(args)} should still be running after {delay} s")
    began = time.time()
    for _ in range(times):
        p.send_signal(sig)
        time.sleep(0.05)
    out, err = p.communicate()
    return p.returncode, out, err, time.time() - began

whole = os.environ.get("SPECREG_TEST_WHOLE")
both = ((steps, 0.3), (steps, 1.0), (long, 1.0)) if whole else ((steps, 0.3), (long, 0.7))
for name, sig, code, runs in (("Ctrl-C", signal.SIGINT, 130, both), ("SIGTERM", signal.SIGTERM, 143, both if whole else both[:1]),
                              ("a hang-up", signal.SIGHUP, 129, both[:1]), ("SIGQUIT", signal.SIGQUIT, 131, both[:1])):
    for args, delay in runs:
        print(f"- {name} after {delay} s of a fit on {args[1]}")
        got, out, err, took = stop(args, delay, sig)
        check(got == code, f"exit code {got}, should be {code}; stderr {err}")
        check(all(line.split()[0] in (b"data", b"plan", b"note") for line in out.splitlines()), f"stdout {out}")
        check(re.fullmatch(rb"specreg: stopped(| .*; with --checkpoint FILE the same command would go on from there)\n", err),
              f"stderr {err}")
        check(took < (2 if args is steps else 10), f"it took {took:.1f} s to stop")
        check(sorted(os.listdir(".")) == before, f"left behind: {os.listdir('.')}")

print("- steps with many centres have no checkpoint, and a stop promises none")
got, out, err, took = stop(["fit", long[1], "--approx", "rectangle:m=1000,solver=cg", "--kernel", "laplace:sigma=0.1",
                            "--filter", "landweber", "--param", "t=1000", "--select", "kfold", "-o", "m.srm"], 1.5, signal.SIGINT)
check(got == 130 and err.startswith(b"specreg: stopped") and b"checkpoint" not in err, f"exit code {got}, stderr {err}")
check(sorted(os.listdir(".")) == before, f"left behind: {os.listdir('.')}")

print("- a second Ctrl-C leaves at once")
got, out, err, took = stop(long, 1.0, signal.SIGINT, 3)
check(got == 130 and took < 2, f"exit code {got} after {took:.1f} s")
check(sorted(os.listdir(".")) == before, f"left behind: {os.listdir('.')}")

print("- Ctrl-C while waiting for standard input")
p = subprocess.Popen([specreg, "fit", "-", "-o", "m.srm"], stdin=subprocess.PIPE,
                     stderr=subprocess.PIPE)
time.sleep(0.3)
p.send_signal(signal.SIGINT)
check(p.wait() == 130, f"exit code {p.returncode}")
check(p.stderr.read() == b"specreg: stopped\n", "stderr")
p.stdin.close()

print("- Ctrl-C while a pipe without a reader is opened for output")
os.mkfifo("pipe")
p = subprocess.Popen([specreg, "convert", "train.csv", "pipe"], stderr=subprocess.PIPE)
time.sleep(0.5)
p.send_signal(signal.SIGINT)
check(p.wait() == 130, f"exit code {p.returncode}")
os.remove("pipe")

try:
    for fd in pty.openpty():
        os.close(fd)
except OSError as error:
    print(f"- the bar is not checked: {error}")
    sys.exit(0)

def on_terminal(args, seconds):
    master, slave = pty.openpty()
    p = subprocess.Popen([specreg] + args, stdout=subprocess.DEVNULL, stderr=slave)
    os.close(slave)
    shown, end = b"", time.time() + seconds
    while time.time() < end and p.poll() is None:
        if select.select([master], [], [], 0.1)[0]:
            shown += os.read(master, 65536)
    if p.poll() is None:
        p.send_signal(signal.SIGINT)
    p.wait()
    while select.select([master], [], [], 0.1)[0]:
        try:
            more = os.read(master, 65536)
        except OSError:
            break
        if not more:
            break
        shown += more
    return p.returncode, shown

print("- on a terminal there is a bar with a percentage and the time left, erased at the end")
code, shown = on_terminal(steps, 2)
check(b"%" in shown and b" left" in shown, f"no bar: {shown[:200]}")
check(shown.count(b"left") <= 21, "drawn more than ten times a second")
tail = shown.replace(b"\r\n", b"\n").split(b"\r")[-1]
check(code == 0 and tail == b"\033[K" or code == 130 and tail.startswith(b"\033[Kspecreg: stopped at "),
      f"the bar should be erased: {tail}")
for option in ("--quiet", "--no-progress"):
    print(f"- {option}: no bar")
    code, shown = on_terminal(steps + [option], 1)
    check(b"left" not in shown, f"{option}: {shown[:200]}")
PY
