#!/usr/bin/env python3
"""What a loss of power can leave behind, from the order of system calls (strace): the old file or the
new one, whole.

    tests/inject/order.py [--build FOLDER]

Claimed of every output: its last byte is written before the file is synced, the file is synced
before it gets a name, it gets its final name by rename, and the folder is synced after that.  Of a
checkpoint: every line is synced before the next one is written, and the folder after the first.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
CALLS = "openat,open,write,pwrite64,fsync,fdatasync,rename,renameat,renameat2,linkat,ftruncate"
SKIPPED = 77


class Call:
    """A line of strace: its name, its arguments as text, its result."""

    def __init__(self, name, arguments, result):
        self.name, self.arguments, self.result = name, arguments, int(result)
        self.texts = re.findall(r'"((?:[^"\\]|\\.)*)"', arguments)

    def first_number(self):
        match = re.match(r"(\d+)", self.arguments)
        return int(match.group(1)) if match else None

    def is_write_to(self, fd):
        return self.name in ("write", "pwrite64", "ftruncate") and self.first_number() == fd

    def is_sync_of(self, fd):
        return self.name in ("fsync", "fdatasync") and self.first_number() == fd


def traced(command, folder, environment, log):
    """The calls of a command that succeeded."""
    done = subprocess.run(["strace", "-o", log, "-s", "4096", "-e", f"trace={CALLS}", *command],
                          cwd=folder, env=environment, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit code {done.returncode}: {done.stderr}")
    calls = []
    for line in log.read_text().split("\n"):
        match = re.match(r"(\w+)\((.*)\)\s+= (-?\d+)", line)
        if match and int(match.group(3)) >= 0:
            calls.append(Call(*match.groups()))
    return calls


def last(calls, claim):
    return max((i for i, call in enumerate(calls) if claim(call)), default=-1)


def folder_is_synced(calls, begin):
    """Whether a folder is opened and synced after call `begin`."""
    for i in range(begin + 1, len(calls)):
        opened = calls[i]
        if opened.name in ("open", "openat") and "O_DIRECTORY" in opened.arguments:
            if any(call.is_sync_of(opened.result) for call in calls[i + 1:]):
                return True
    return False


def fault_of_file(calls, name):
    """What is wrong with the order in which an output came to be, or None."""
    renamed = last(calls, lambda c: c.name.startswith("rename") and c.texts[-1:] == [name])
    if renamed < 0:
        return "is not put in place by rename"
    temporary = calls[renamed].texts[0]
    named = last(calls[:renamed], lambda c: c.texts[-1:] == [temporary])
    if named < 0:
        return f"{temporary} has no beginning"
    if calls[named].name == "linkat":  # had no name until here
        fd, before = int(calls[named].texts[0].rsplit("/", 1)[1]), named
    else:
        fd, before = calls[named].result, renamed
    synced = last(calls[:before], lambda c: c.is_sync_of(fd))
    written = last(calls[:renamed], lambda c: c.is_write_to(fd))
    if synced < 0:
        return "is not synced before it gets its name"
    if not 0 <= written < synced:
        return "is written after it was synced, or never"
    return None if folder_is_synced(calls, renamed) else "its folder is not synced afterwards"


def fault_of_checkpoint(calls, name):
    opened = last(calls, lambda c: c.name in ("open", "openat") and c.texts[-1:] == [name])
    if opened < 0:
        return "is not opened"
    fd = calls[opened].result
    calls = calls[opened + 1:]
    writes = [i for i, c in enumerate(calls) if c.is_write_to(fd)]
    if len(writes) < 2:
        return f"has {len(writes)} lines"
    for i, end in zip(writes, writes[1:] + [len(calls)]):
        if not any(c.is_sync_of(fd) for c in calls[i:end]):
            return "a line is not synced before the next one"
    return None if folder_is_synced(calls[:writes[1]], writes[0]) else "its folder is not synced"


FIT = "fit t.csv --kernel rbf:sigma=log:1:2:2 --param lambda=log:0.01:1:2 --threads 1 -q"
COMMANDS = (  # arguments, outputs, checkpoint
    (f"{FIT} -o m.srm --json r.json", ["m.srm", "r.json"], None),
    (f"{FIT} -o sub/m.srm.gz --checkpoint run.ck", ["sub/m.srm.gz"], "run.ck"),
    ("convert t.csv t.npz", ["t.npz"], None),
    ("convert t.csv t.csv.zst", ["t.csv.zst"], None),
    ("predict m.srm t.csv -o p.csv", ["p.csv"], None),
)


def check(specreg, folder, environment, log):
    """The number of outputs looked at, and what is wrong with them."""
    looked, faults = 0, []
    (folder / "sub").mkdir()
    rows = (f"{i % 7},{i % 5},{i % 7 + i % 5 / 2}" for i in range(20))
    (folder / "t.csv").write_text("x1,x2,y\n" + "\n".join(rows) + "\n")
    for arguments, outputs, checkpoint in COMMANDS:
        for when in ("new", "replaced"):
            if checkpoint and (folder / checkpoint).exists():
                (folder / checkpoint).unlink()
            calls = traced([specreg, *arguments.split()], folder, environment, log)
            found = [(name, fault_of_file(calls, name)) for name in outputs]
            if checkpoint:
                found.append((checkpoint, fault_of_checkpoint(calls, checkpoint)))
            looked += len(found)
            faults += [f"{arguments}: {name}, {when}: {wrong}" for name, wrong in found if wrong]
    return looked, faults


def can_trace():
    if not shutil.which("strace"):
        return False
    return subprocess.run(["strace", "-o", "/dev/null", "true"], capture_output=True).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--build", type=Path, default=os.environ.get("BUILD_DIR", SOURCE / "build"))
    build = Path(parser.parse_args().build).resolve()
    if not can_trace():
        print("skipped: strace is not here, or may not trace (Debian: apt-get install strace)")
        return SKIPPED
    plain = dict(os.environ, OMP_NUM_THREADS="1", OMP_WAIT_POLICY="passive", LC_ALL="C",
                 XDG_CACHE_HOME="/dev/null")
    named = dict(plain, INJECT_NAMED="1", LD_PRELOAD=str(build / "tests" / "libinject.so"))
    looked, faults = 0, []
    for environment in (plain, named):  # with and without files that have no name
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch) / "folder"
            folder.mkdir()
            count, found = check(build / "specreg", folder, environment, Path(scratch) / "log")
            looked, faults = looked + count, faults + found
    for line in faults:
        print("FAILED:", line)
    print(f"{looked} outputs; {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
