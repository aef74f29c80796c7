#!/bin/sh
# The first use at a terminal: what is going to be done comes first, then a bar that moves and never
# goes back, Ctrl-C says what is done and how to go on, and the same command goes on from there.
. "$SOURCE_DIR/tests/cli/lib.sh"
regression_data train.csv 350 1
regression_data long.csv 1700 2

python3 - "$SPECREG" <<'PY' || exit 1
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, termios, time
specreg = sys.argv[1]

try:
    for fd in pty.openpty():
        os.close(fd)
except OSError as error:
    print(f"- not checked, there are no pseudo-terminals: {error}")
    sys.exit(0)

def check(condition, what, shown=""):
    if not condition:
        print("FAILED:", what, "\n" + shown[:1000] + " ... " + shown[-1000:])
        sys.exit(1)

def at_terminal(args, width=80, stop_at=None):
    """The exit code and all that a terminal of this width shows; Ctrl-C comes when the bar shows so
    many per cent."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    p = subprocess.Popen([specreg] + args, stdin=slave, stdout=slave, stderr=slave)
    os.close(slave)
    shown, stopped, end = "", False, time.time() + 120
    while time.time() < end:
        if not select.select([master], [], [], 0.1)[0]:
            continue
        try:
            more = os.read(master, 65536)
        except OSError: # the other end is closed
            break
        if not more:
            break
        shown += more.decode()
        if stop_at and not stopped and max(percent(shown), default=0) >= stop_at:
            p.send_signal(signal.SIGINT)
            stopped = True
    os.close(master)
    return p.wait(), shown.replace("\r\n", "\n")

def percent(shown):
    return [int(x) for x in re.findall(r"\] +(\d+) %", shown)]

fit = ["fit", "train.csv", "--kernel", "rbf:sigma=log:0.1:10:200", "--engine", "eig", "--threads", "1", "-o", "m.srm"]

print("- the data and the plan come first, then the bar")
code, shown = at_terminal(fit + ["--checkpoint", "c.ck"], stop_at=20)
check(code == 130, f"exit code {code}", shown)
first = shown.split("\n")
check(re.match(r"data +train.csv: 350 rows.*regression of y", first[0]), "the first line", shown)
check(re.match(r"plan +200 kernels x \d+ values of lambda by leave-one-out; engine \w+; about [\d.]+ (s|min)$", first[1]),
      "the second line", shown)
check(shown.index("%") > shown.index("plan"), "the bar comes later", shown)

print("- the bar never goes back, and the time left is there from the beginning")
values = percent(shown)
check(values and values == sorted(values), f"per cent {values}", shown)
check("-:--" not in shown and re.search(r"%  \d+:\d\d left", shown), "the time left", shown)

print("- Ctrl-C says what is done and how to go on, and leaves no model")
line = shown.split("\033[K")[-1]
check(re.fullmatch(r"specreg: stopped at \d+ %: \d+ of 200 kernels compared; the same command goes on from there "
                   r"\(--checkpoint c.ck\)\n", line), "the last line", shown)
check(not os.path.exists("m.srm") and os.path.getsize("c.ck") > 1000, f"files: {os.listdir('.')}")

print("- inside the first of few kernels Ctrl-C says no less than the bar has shown")
code, long = at_terminal(["fit", "long.csv", "--kernel", "rbf:sigma=log:1:4:3", "--search", "exhaustive", "--engine", "eig",
                          "--threads", "1", "-o", "long.srm"], stop_at=5)
stopped = re.search(r"stopped at (\d+) %: 0 of 3 kernels", long)
check(code == 130 and stopped and int(stopped[1]) >= max(percent(long)) >= 5, f"exit code {code}", long)

print("- passes over the rows share one bar, which goes by the plan's time and is full only at the end")
code, passes = at_terminal(["fit", "long.csv", "--approx", "rectangle:m=700", "--kernel", "rbf:sigma=log:0.05:0.1:5",
                            "--threads", "1", "-o", "long.srm"])
values = percent(passes)
check(code == 0 and re.search(r"\nplan +\d+ kernels .*; rectangle with up to 700 centres; about", passes), f"exit code {code}", passes)
check(len(values) > 1 and values == sorted(values) and values[0] < 60 and values[-1] < 100, f"per cent {values}", passes)

print("- the same command goes on from there")
before = os.path.getsize("c.ck")
code, shown = at_terminal(fit + ["--checkpoint", "c.ck"])
check(code == 0, f"exit code {code}", shown)
check(re.search(r"\nmodel +m.srm \(", shown) and os.path.getsize("c.ck") > before, "the summary", shown)
check(shown.count("data  ") == 1 and shown.count("plan  ") == 1, "no line comes twice", shown)

print("- and gives what a run without a stop gives")
model = subprocess.run([specreg, "predict", "m.srm", "train.csv"], capture_output=True).stdout
code, shown = at_terminal(fit, width=40)
check(code == 0, f"exit code {code}", shown)
values = percent(shown)
check(len(values) > 3 and values == sorted(values), f"per cent {values}", shown)
check(model == subprocess.run([specreg, "predict", "m.srm", "train.csv"], capture_output=True).stdout, "the predictions differ")

print("- a terminal of 40 columns shows the bar, the percentage and the time left")
bars = [b.split("\033[K")[0] for b in re.split("[\r\n]", shown) if "] " in b and "%" in b]
check(bars and all(len(b) < 40 and re.search(r"\[[#.]{5,}\] +\d+ %  \d+:\d\d left$", b) for b in bars[1:]), f"bars {bars[:3]}")
PY
