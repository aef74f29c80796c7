"""kill -9 at random moments, and at every call that makes a file: the old output or the complete new
one is there each time, a checkpoint goes on to the same model, and what was left behind is gone
after the next run.

    KILLS=10 tests/cli/run tests/long/test_kill.py /tmp/scratch      fewer kills for each command"""
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time

import numpy as np

SPECREG = os.environ["SPECREG"]
KILLS = int(os.environ.get("KILLS", "60"))
CALLS = "write,fsync,linkat,rename,fchmod,fchown,unlink,flock"
TEMP = re.compile(r"^\.(.+)\.[0-9a-f]{8}$")
OLD = b"what was there before\n"


def fail(what):
    sys.exit("FAILED: " + what)


def content(name):
    with open(name, "rb") as f:
        return f.read()


def is_record(data):
    """Whether it is a whole JSON record: its times differ from run to run."""
    try:
        return data.endswith(b"\n") and isinstance(json.loads(data), dict)
    except ValueError:
        return False


def finish(args):
    began = time.time()
    done = subprocess.run([SPECREG, *args], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        fail(f"specreg {' '.join(args)}: {done.stderr.decode()}")
    return time.time() - began


def kill_after(args, delay):
    """Whether it was still running."""
    p = subprocess.Popen([SPECREG, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        p.wait(delay)
    except subprocess.TimeoutExpired:
        p.send_signal(signal.SIGKILL)
    p.wait()
    if p.returncode not in (0, -signal.SIGKILL):
        fail(f"specreg {' '.join(args)}: exit code {p.returncode}")
    return p.returncode != 0


def calls_of(args):
    """How often each of CALLS is made by an undisturbed run."""
    subprocess.run(["strace", "-f", "-qq", "-o", "trace.txt", "-e", "trace=" + CALLS, SPECREG, *args],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    counts = {}
    for line in content("trace.txt").decode(errors="replace").splitlines():
        call = re.match(r"\d+\s+(\w+)\(", line)
        if call:
            counts[call.group(1)] = counts.get(call.group(1), 0) + 1
    os.remove("trace.txt")
    return counts


def kill_at(args, call, when):
    """Killed when it enters that call for the `when`-th time."""
    subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=" + call,
                    "-e", f"inject={call}:signal=SIGKILL:when={when}", SPECREG, *args],
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def left_behind():
    return [name for name in os.listdir(".") if TEMP.match(name)]


def make_old(names):
    for name in names:
        with open(name, "wb") as f:
            f.write(OLD)


class Command:
    """A command, the files that it writes, and what they hold when it has ended."""

    def __init__(self, name, args, outputs, keeps=()):
        self.name, self.args, self.outputs, self.keeps = name, args, outputs, keeps
        make_old(outputs)
        self.seconds = finish(args)
        self.expected = {o: content(o) for o in outputs}
        self.others = sorted(set(os.listdir(".")) - set(outputs))
        self.old = self.new = self.killed = self.left = 0

    def start(self):
        make_old(self.outputs)
        for name in self.keeps:
            if os.path.exists(name):
                os.remove(name)

    def look(self):
        """The outputs are old or complete, and nothing but temporary files came beside them."""
        for name in self.outputs:
            data = content(name)
            complete = is_record(data) if name.endswith(".json") else data == self.expected[name]
            if data != OLD and not complete:
                fail(f"{self.name}: {name} is neither old nor complete: {len(data)} bytes")
            self.old, self.new = self.old + (data == OLD), self.new + (data != OLD)
        for name in set(os.listdir(".")) - set(self.outputs) - set(self.others) - set(self.keeps):
            if not TEMP.match(name):
                fail(f"{self.name} left {name}")
        self.left = max(self.left, len(left_behind()))

    def at_random(self):
        for _ in range(KILLS):
            self.start()
            self.killed += kill_after(self.args, random.uniform(0, 1.1 * self.seconds))
            self.look()

    def at_calls(self):
        """At the last calls of each kind, where files are made: more at random."""
        for call, count in sorted(calls_of(self.args).items()):
            last = range(max(1, count - 2), count + 1)
            more = random.sample(range(1, count + 1), min(count, KILLS // 10))
            for when in sorted({*last, *more}):
                self.start()
                kill_at(self.args, call, when)
                self.killed += 1
                self.look()

    def clean(self):
        before = time.time() - 120
        for name in left_behind():
            os.utime(name, (before, before))
        finish(self.args)
        if left_behind():
            fail(f"{self.name}: still there after the next run: {left_behind()}")


def checkpoint(command):
    """Killed again and again without the checkpoint being taken away: it goes on, to the same."""
    runs = kills = 0
    while kills < KILLS:
        command.start()
        while kill_after(command.args, random.uniform(0.05, 0.5 * command.seconds)):
            kills += 1
        command.killed += 1
        command.look()
        if content(command.outputs[0]) != command.expected[command.outputs[0]]:
            fail("the checkpoint led to another model")
        runs += 1
    print(f"{'checkpoint goes on':24} {kills:6} kills in {runs} searches, each to the same model")


def make_files():
    rng = np.random.default_rng(1)
    for name, n in (("train.csv", 200), ("rows.csv", 30000)):
        X = rng.standard_normal((n, 3))
        y = np.sin(X.sum(axis=1))
        np.savetxt(name, np.column_stack([X, y]), delimiter=",", header="a,b,c,y", comments="", fmt="%.6g")
    finish(["fit", "train.csv", "-q", "-o", "base.srm", "--threads", "1"])


def main():
    seed = int(os.environ.get("SEED", random.randrange(10**6)))
    random.seed(seed)
    print(f"random moments from SEED={seed}")
    make_files()
    grid = ["--kernel", "rbf:sigma=log:0.1:10:12", "--threads", "1", "-q"]
    commands = (("fit -o", ["fit", "train.csv", *grid, "-o", "m.srm"], ["m.srm"], ()),
                ("fit -o --json", ["fit", "train.csv", *grid, "-o", "m.srm", "--json", "r.json"],
                 ["m.srm", "r.json"], ()),
                ("fit -o --checkpoint", ["fit", "train.csv", *grid, "-o", "m.srm", "--checkpoint", "c.ck"],
                 ["m.srm"], ("c.ck",)),
                ("convert csv", ["convert", "rows.csv", "out.csv"], ["out.csv"], ()),
                ("convert npy", ["convert", "rows.csv", "out.npy"], ["out.npy"], ()),
                ("predict -o", ["predict", "base.srm", "rows.csv", "-o", "p.csv", "--threads", "1", "-q"],
                 ["p.csv"], ()))
    print(f"{'command':24} {'kills':>6} {'old':>6} {'new':>6} {'left behind, at most':>21}")
    total = 0
    for what in commands:
        command = Command(*what)
        command.at_random()
        if shutil.which("strace"):
            command.at_calls()
        if command.keeps:
            checkpoint(command)
        command.clean()
        total += command.killed
        print(f"{command.name:24} {command.killed:6} {command.old:6} {command.new:6} {command.left:21}",
              flush=True)
        for name in (*command.outputs, *command.keeps):
            if os.path.exists(name):
                os.remove(name)
    print(f"{total} kills; nothing lost, nothing left behind")


if __name__ == "__main__":
    main()
