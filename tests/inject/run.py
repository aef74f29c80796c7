#!/usr/bin/env python3
"""Whole commands in which one call fails: every allocation, open, read, write, sync, rename and
start of a program in turn (inject.c).

    tests/inject/run.py [--build FOLDER]          a sample of commands and calls, some seconds; SPECREG_TEST_WHOLE=1: all commands
    tests/inject/run.py --ways                    every way to a call: its first, second and last call
    tests/inject/run.py --all                     every call
    tests/inject/run.py --case fit --kind memory  some commands, some kinds (parts of their names)
    tests/inject/run.py --case fit --kind memory --at 17    one call, with the way that led to it

A run may fail or get over it.  Claimed of each:
  - it ends by itself, with exit code 0 or 1, and not by a signal;
  - with exit code 1 there is one line on stderr, and every output is the old file or the whole new one;
  - with exit code 0 all outputs are those of an undisturbed run, apart from times and memory;
  - no other file is left, and no memory that main has not freed (unless it left by exit()).
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent.parent
KINDS = ("memory", "open", "read", "write", "sync", "rename", "start", "partial", "interrupt",
         "starved", "full")
GETS_OVER = ("partial", "interrupt")  # no errors: every run must succeed
OLD = b"what was here before\n"
WHOLE = bool(os.environ.get("SPECREG_TEST_WHOLE"))
SAMPLE = 6 if WHOLE else 2  # calls of a kind and a command; half as many in a helper
MOST_CALLS = 1 << 20  # whose ways inject.c notes
CHUNK = 200  # calls that one process serves


# ------------------------------------------------------------------------------ commands


class Case:
    """A command; `outputs` are the files it writes in its folder, which is new for each case.

    old: they exist before.  grows: files whose lines stay when the command fails, and which the
    same command then completes.  replaced: files that are one of several whole states when the command
    fails, with which the same command then comes to its end.  helper: calls fail in this program instead of specreg.
    lost: blocks that a library does not free when its own allocation fails.  named: the file system
    has no files without a name.
    """

    def __init__(self, name, args, outputs=(), old=True, grows=(), replaced=(), helper=None,
                 kinds=KINDS, lost=0, named=False):
        self.name, self.args, self.outputs = name, args.split(), list(outputs)
        self.old, self.grows, self.replaced, self.kinds = old, list(grows), list(replaced), kinds
        self.program, self.lost = helper or "specreg", lost
        self.named = named


FIT = "--kernel rbf:sigma=1 --param lambda=log:0.001:1:3 --threads 1"
SMALL = "--kernel rbf:sigma=1 --param lambda=0.01 --select none --threads 1"
ZIP = dict(lost=1)  # libzip 1.7: the context of a layer whose source cannot be allocated
IN_HELPER = dict(helper="specreg-hdf5", kinds=("memory", "read", "write", "partial", "interrupt",
                                                "starved"))


def cases():
    d = "../data/"
    return [
        Case("fit", f"fit {d}t.csv {FIT} -o m.srm --json r.json", ["m.srm", "r.json"]),
        Case("fit-new", f"fit {d}t.csv {SMALL} -o m.srm -q", ["m.srm"], old=False),
        Case("fit-named", f"fit {d}t.csv {SMALL} -o m.srm --json r.json -q", ["m.srm", "r.json"],
             named=True),
        Case("fit-classes", f"fit {d}c.csv {FIT} -o m.srm.gz -q", ["m.srm.gz"]),
        Case("fit-checkpoint", f"fit {d}t.csv --kernel rbf:sigma=log:1:2:2 --param lambda=log:0.01:1:2 "
             "--threads 1 --checkpoint run.ck -o m.srm -q", ["m.srm", "run.ck"], old=False,
             grows=["run.ck"]),
        Case("fit-checkpoint-columns", f"fit {d}t.csv --kernel rbf:sigma=1 --param lambda=log:0.01:1:2 "
             "--approx rectangle:m=4,solver=cg --select kfold:k=2 --threads 1 --checkpoint run.ck -o m.srm -q",
             ["m.srm", "run.ck"], old=False, replaced=["run.ck"]),
        Case("fit-checkpoint-sums", f"fit {d}t.csv {FIT} --approx rectangle:m=4 --checkpoint run.ck -o m.srm -q",
             ["m.srm", "run.ck"], old=False, replaced=["run.ck"]),
        Case("fit-krylov", f"fit {d}t.csv {SMALL} --engine krylov -o m.srm -q", ["m.srm"]),
        Case("fit-nu", f"fit {d}t.csv --kernel laplace:sigma=1 --filter nu --select kfold:k=3 "
             "--threads 1 -o m.srm -q", ["m.srm"]),
        Case("fit-field", f"fit {d}f.csv --target u,v --kernel helmholtz:sigma=1,gamma=0.3 "
             "--param lambda=0.01 --select none --threads 1 -o m.srm -q", ["m.srm"]),
        Case("fit-tasks", f"fit {d}tasks.csv --task-column school --outputs common:omega=0.5 {SMALL} "
             "-o m.srm -q", ["m.srm"]),
        Case("fit-sparse", f"fit {d}s.svm --kernel linear --param lambda=0.1 --select none "
             "--threads 1 -o m.srm -q", ["m.srm"]),
        Case("fit-unpenalised", f"fit {d}t.csv --features poly:degree=1 {SMALL} -o m.srm -q",
             ["m.srm"]),
        Case("fit-columns", f"fit {d}messy.csv --decimal comma --missing indicator --id nr --drop note* "
             f"--dates dmy {SMALL} -o m.srm -q", ["m.srm"]),
        Case("fit-families", f"fit {d}t.csv --threads 1 --param lambda={{0.01,1}} -o m.srm -q",
             ["m.srm"]),
        Case("cv-precomputed", f"cv {d}gram.csv --kernel precomputed --param lambda=0.01 "
             "--select none --outer kfold:k=3 --threads 1 --json r.json", ["r.json"]),
        Case("predict-columns", f"predict {d}messy.srm {d}messy.csv --decimal comma -o p.csv",
             ["p.csv"]),
        Case("utf16-csv", f"convert {d}utf16.csv t.csv --decimal comma", ["t.csv"]),
        Case("info-latin1", f"info {d}latin1.csv --encoding latin1 --decimal comma --json r.json", ["r.json"]),
        Case("predict", f"predict {d}m.srm {d}t.csv -o p.csv", ["p.csv"]),
        Case("export-c", f"export {d}m.srm e.c", ["e.c", "e.h"]),
        Case("export-onnx", f"export {d}m.srm e.onnx", ["e.onnx"]),
        Case("export-libsvm", f"export {d}plain.srm e.model", ["e.model"]),
        Case("import-libsvm", f"convert {d}svm.model m.srm", ["m.srm"]),
        Case("predict-gz", f"predict {d}m.srm.gz {d}t.csv -o p.npy --json r.json",
             ["p.npy", "r.json"]),
        Case("predict-stdout", f"predict {d}m.srm {d}t.npz", **ZIP),
        Case("eval", f"eval {d}c.srm {d}c.csv --json r.json --roc roc.csv", ["r.json", "roc.csv"]),
        Case("importance", f"importance {d}m.srm {d}t.csv --repeats 2 -o i.csv --json r.json", ["i.csv", "r.json"]),
        Case("partial", f"partial {d}m.srm {d}t.csv --points 3 -o p.csv", ["p.csv"]),
        Case("path", f"path {d}t.csv {FIT} -o p.csv", ["p.csv"]),
        Case("cv", f"cv {d}t.csv {SMALL} --outer kfold:k=3 --json r.json", ["r.json"]),
        Case("spectrum", f"spectrum {d}t.csv --kernel rbf:sigma=1 --threads 1 -o s.csv", ["s.csv"]),
        Case("plan", f"plan {d}t.csv {FIT} --memory 1G --calibrate no --json r.json", ["r.json"]),
        Case("features-text", f"features {d}docs.txt --text words=20,min-docs=1 -o w.svm "
             "--vocabulary v.txt -q", ["w.svm", "v.txt"]),
        Case("features-plsa", f"features {d}docs.txt --text words=20,min-docs=1 "
             "--plsa topics=2,sweeps=3 -o s.csv --topics t.txt -q --threads 1", ["s.csv", "t.txt"]),
        Case("features-kpca", f"features {d}t.csv --kpca 3 --kernel rbf:sigma=1 -o k.csv "
             "--model k.srm --threads 1", ["k.csv", "k.srm"]),
        Case("features-apply", f"features {d}t.csv --apply {d}k.srm -o k.csv -q", ["k.csv"]),
        Case("csv-npy", f"convert {d}t.csv t.npy", ["t.npy"], old=False),
        Case("csv-npz", f"convert {d}t.csv t.npz", ["t.npz"], **ZIP),
        Case("csv-npz-named", f"convert {d}t.csv t.npz", ["t.npz"], named=True, old=False, **ZIP),
        Case("npz-csv", f"convert {d}t.npz t.csv", ["t.csv"], **ZIP),
        Case("npz-stdout", f"convert {d}t.npz -", **ZIP),
        Case("sparse-npz", f"convert {d}sparse.npz t.svm", ["t.svm"], **ZIP),
        Case("csv-gz", f"convert {d}t.csv t.csv.gz", ["t.csv.gz"]),
        Case("gz-zst", f"convert {d}t.csv.gz t.csv.zst", ["t.csv.zst"]),
        Case("zst-svm", f"convert {d}t.csv.zst t.svm", ["t.svm"]),
        Case("svm-csv", f"convert {d}s.svm t.csv", ["t.csv"]),
        Case("csv-h5", f"convert {d}c.csv t.h5", ["t.h5"]),
        Case("h5-csv", f"convert {d}t.h5 t.csv", ["t.csv"]),
        Case("npz-gz", f"convert {d}t.npz.gz t.csv", ["t.csv"], **ZIP),
        Case("csv-h5-helper", f"convert {d}c.csv t.h5", ["t.h5"], **IN_HELPER),
        Case("h5-csv-helper", f"convert {d}t.h5 t.csv", ["t.csv"], **IN_HELPER),
        Case("filters", "filters"),
        Case("filters-curve", "filters --curve --filter nu --param t=1:3 --s {0.1,1} -o f.csv", ["f.csv"]),
        Case("path-predict", f"path {d}t.csv {FIT} --predict {d}t.csv -o p.csv --coefficients a.csv",
             ["p.csv", "a.csv"]),
        Case("path-grid", f"path {d}t.csv {FIT} --filter landweber --param t={{1,4}} --select none "
             "--grid 0:1:2,0:1:2 -o p.npy", ["p.npy"]),
        Case("fit-unlabelled", f"fit {d}t.csv {FIT} --unlabelled {d}more.csv -o m.srm -q", ["m.srm"]),
        Case("fit-laplacian", f"fit {d}c.csv {SMALL} --unlabelled {d}more.csv "
             "--laplacian strength=10,neighbours=3 -o m.srm -q", ["m.srm"]),
        Case("fit-learn", f"fit {d}f.csv --target u,v --kernel rbf:sigma=1 --select kfold:k=2 --param lambda=0.01 "
             "--outputs learn:omega=0.3,penalty=1,lambda=0.01,iterations=2 --threads 1 -o m.srm -q",
             ["m.srm"]),
        Case("fit-delays", f"fit {d}f.csv --target u,v --outputs delays:file={d}delays.csv {SMALL} -o m.srm -q",
             ["m.srm"]),
        Case("fit-product", f"fit {d}t.csv --kernel rbf:sigma=1,columns=x1*linear:columns=x2 --param lambda=0.01 "
             "--select none --threads 1 -o m.srm -q", ["m.srm"]),
        Case("fit-spline", f"fit {d}t.csv --kernel thinplate --features poly:degree=1 "
             "--param lambda=0.01 --select none --threads 1 -o m.srm -q", ["m.srm"]),
        Case("fit-each-output", f"fit {d}f.csv --target u,v --kernel rbf:sigma=1 --threads 1 "
             "--param per-output:lambda={0.01,1} -o m.srm -q", ["m.srm"]),
        Case("fit-codewords", f"fit {d}c.csv --coding code:file={d}code.csv {SMALL} -o m.srm -q", ["m.srm"]),
        Case("fit-compare", f"fit {d}t.csv {FIT} --select compare -o m.srm --json r.json", ["m.srm", "r.json"]),
        Case("fit-rectangle", f"fit {d}t.csv {FIT} --approx rectangle:m=4 -o m.srm -q", ["m.srm"]),
        Case("fit-rectangle-pairs", f"fit {d}three.csv {FIT} --approx rectangle:m=4 --coding ovo --select loo -o m.srm -q", ["m.srm"]),
        Case("fit-rectangle-coupled", f"fit {d}f.csv --target u,v --outputs common:omega=0.5 {FIT} --approx rectangle:m=4 "
             "--select loo -o m.srm -q", ["m.srm"]),
        Case("fit-rectangle-gradients", f"fit {d}f.csv --target u,v --outputs common:omega=0.5 --kernel rbf:sigma=1 "
             "--threads 1 --filter cg --param t={1,2} --approx rectangle:m=4 --select kfold:k=2 -o m.srm -q", ["m.srm"]),
        Case("fit-rectangle-steps", f"fit {d}f.csv --target u,v --outputs common:omega=0.5 --kernel rbf:sigma=1 "
             "--threads 1 --filter cg --param t={1,2} --approx rectangle:m=4,solver=cg --select kfold:k=2 -o m.srm -q",
             ["m.srm"]),
        Case("fit-nystrom-gradients", f"fit {d}f.csv --target u,v --outputs common:omega=0.5 --kernel rbf:sigma=1 "
             "--threads 1 --filter cg --param t=2 --approx nystrom:m=4 --select none -o m.srm -q", ["m.srm"]),
        Case("sums-init", f"sums init {d}t.csv {FIT} --approx rectangle:m=4 -o b.srb -q", ["b.srb"]),
        Case("sums-add", f"sums add {d}b.srb {d}t.csv -o a.sums", ["a.sums"]),
        Case("sums-merge", f"sums merge {d}a.sums {d}a2.sums -o all.sums --json r.json", ["all.sums", "r.json"]),
        Case("fit-sums", f"fit --sums {d}a.sums -o m.srm -q", ["m.srm"]),
        Case("info", f"info {d}t.csv --json r.json", ["r.json"]),
        Case("info-model", f"info {d}m.srm"),
        Case("help", "help fit"),
    ]


def random_numbers(seed):
    while True:
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        yield (seed >> 11) / 2**53


def write_sparse_npz(name):
    """What SciPy's save_npz writes of a matrix of 3 x 4, and targets."""
    import io
    import zipfile

    def npy(kind, shape, data):
        head = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
        head = head.ljust(117) + "\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + data

    with zipfile.ZipFile(name, "w") as z:
        z.writestr("data.npy", npy("<f8", "(4,)", struct.pack("<4d", 1, 2, 3, 4)))
        z.writestr("indices.npy", npy("<i4", "(4,)", struct.pack("<4i", 0, 2, 1, 3)))
        z.writestr("indptr.npy", npy("<i4", "(4,)", struct.pack("<4i", 0, 2, 3, 4)))
        z.writestr("shape.npy", npy("<i8", "(2,)", struct.pack("<2q", 3, 4)))
        z.writestr("format.npy", npy("|S3", "()", b"csr"))
        z.writestr("y.npy", npy("<f8", "(3,)", struct.pack("<3d", 1, 2, 1)))


def make_data(specreg, folder, environment):
    """The inputs of all cases."""
    folder.mkdir()
    r = random_numbers(1)

    def write(name, head, rows):
        (folder / name).write_text("".join(line + "\n" for line in [head] * bool(head) + rows))

    points = [(2 * next(r) - 1, 2 * next(r) - 1) for _ in range(24)]
    write("t.csv", "x1,x2,y", [f"{a:.5f},{b:.5f},{a * a + b:.5f}" for a, b in points])
    write("c.csv", "x1,x2,y", [f"{a:.5f},{b:.5f},{'yes' if a + b > 0 else 'no'}" for a, b in points])
    write("three.csv", "x1,x2,y", [f"{a:.5f},{b:.5f},{'abc'[i % 3]}" for i, (a, b) in enumerate(points)])
    write("f.csv", "x,y,u,v", [f"{a:.5f},{b:.5f},{a - b:.5f},{b + a:.5f}" for a, b in points])
    write("tasks.csv", "x1,x2,school,y",
          [f"{a:.5f},{b:.5f},{'abc'[i % 3]},{a + i % 3:.5f}" for i, (a, b) in enumerate(points)])
    write("s.svm", "", [f"{i % 2} {1 + i % 5}:{a:.4f} {7 + i % 3}:{b:.4f}"
                        for i, (a, b) in enumerate(points)])
    write("docs.txt", "", [f"{'red' if i % 2 else 'blue'}\tthe {'rose' if i % 2 else 'sea'} and "
                           f"{'the garden' if i % 3 else 'a boat'} of day {i}" for i in range(12)])
    towns, comma = ["K\u00f6ln", "Li\u00e8ge", "Paris"], lambda v: f"{v:.3f}".replace(".", ",")
    write("messy.csv", "nr;day;town;size;note;price",
          [f"K{i};{1 + i % 28:02}.0{1 + i % 9}.2023;{towns[i % 3]};{'' if i % 7 == 3 else comma(a)};"
           f"all well {i};{comma(a + b)}" for i, (a, b) in enumerate(points)])
    messy = (folder / "messy.csv").read_text()
    (folder / "utf16.csv").write_bytes(messy.encode("utf-16"))
    (folder / "latin1.csv").write_bytes(messy.encode("latin1"))
    write("gram.csv", "", [",".join(f"{1 + a * c + b * e:.5f}" for c, e in points) + f",{a:.5f}"
                           for a, b in points])
    write_sparse_npz(folder / "sparse.npz")
    write("more.csv", "x1,x2", [f"{b:.5f},{a:.5f}" for a, b in points[:6]])
    write("t2.csv", "x1,x2,y", [f"{b:.5f},{a:.5f},{a:.5f}" for a, b in points])
    write("delays.csv", "", ["0,0.1", "0.2,0"])
    write("code.csv", "", ["1,-1,1", "-1,1,-1"])
    for args in (f"fit t.csv {SMALL} -o m.srm", f"fit t.csv {SMALL} -o m.srm.gz",
                 f"fit c.csv {SMALL} -o c.srm", f"fit t.csv {SMALL} --scale none -o plain.srm",
                 "export plain.srm svm.model", f"fit messy.csv --decimal comma --missing indicator {SMALL} -o messy.srm",
                 "features t.csv --kpca 3 --kernel rbf:sigma=1 -o k.csv --model k.srm",
                 f"sums init t.csv {FIT} --approx rectangle:m=4 -o b.srb",
                 "sums add b.srb t.csv -o a.sums", "sums add b.srb t2.csv -o a2.sums",
                 "convert t.csv t.npz", "convert t.csv t.csv.gz", "convert t.csv t.csv.zst",
                 "convert c.csv t.h5"):
        done = subprocess.run([specreg, *args.split(), "-q"], cwd=folder, env=environment,
                              capture_output=True, text=True)
        if done.returncode and "specreg-hdf5" not in done.stderr:
            sys.exit(f"specreg {args}: {done.stderr}")
    import gzip
    (folder / "t.npz.gz").write_bytes(gzip.compress((folder / "t.npz").read_bytes()))


# ---------------------------------------------------------------------------------- runs

VARYING = re.compile(r"second|peak|memory|budget|^time")


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not VARYING.search(k)}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def comparable(name, data):
    """The content of an output without what differs from run to run."""
    if name.endswith(".json"):
        try:
            return without_times(json.loads(data))
        except ValueError:
            return data
    if name == "stdout":
        return [line for line in data.split(b"\n") if not re.match(rb"time|memory", line)]
    return data


class Server:
    """A process that runs a command again and again, each time in a child of its own."""

    def __init__(self, case, setting, number, notes_ways=False):
        self.case, self.setting = case, setting
        self.folder = setting.scratch / f"{case.name}.{number}"
        self.logs = setting.scratch / f"{case.name}.{number}.logs"
        self.folder.mkdir()
        self.logs.mkdir()
        environment = dict(setting.environment, LD_PRELOAD=str(setting.library),
                           INJECT_SERVE=str(self.logs), INJECT_COUNT=str(self.logs / "count"),
                           INJECT_SECONDS=str(setting.seconds))
        if setting.traces:
            environment["INJECT_TRACE"] = str(self.logs / "trace")
        if case.named:
            environment["INJECT_NAMED"] = "1"
        if notes_ways:  # at its full size: a helper must not let files grow
            environment["INJECT_WAYS"] = str(self.logs / "ways")
            with open(self.logs / "ways", "wb") as file:
                file.truncate(MOST_CALLS * 8)
        self.process = subprocess.Popen([setting.specreg, *case.args], cwd=self.folder,
                                        env=environment, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)
        self.reset()

    def reset(self):
        for path in self.folder.iterdir():
            path.unlink()
        for name in self.case.outputs if self.case.old else ():
            (self.folder / name).write_bytes(OLD)

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir()}

    def run(self, kind, at):
        """The status of waitpid, the counts of inject.c, and the outputs."""
        (self.logs / "count").write_bytes(struct.pack("3q", 0, 0, -1))
        self.process.stdin.write(f"{kind} {at} {self.case.program}\n".encode())
        self.process.stdin.flush()
        status = int(self.process.stdout.readline())
        calls, fired, live = struct.unpack("3q", (self.logs / "count").read_bytes())
        outputs = self.files()
        outputs["stdout"] = (self.logs / "out").read_bytes()
        outputs["stderr"] = (self.logs / "err").read_bytes()
        return status, calls, fired, live, outputs

    def ways(self, calls):
        """For each call of the last run a number that is the same where the same functions led to it."""
        with open(self.logs / "ways", "rb") as file:
            data = file.read(8 * calls)
        return struct.unpack(f"{len(data) // 8}Q", data)

    def way(self):
        """The functions that led to the call that failed, and those that took blocks which are left."""
        trace = self.logs / "trace"
        return trace.read_text() if trace.exists() else ""

    def close(self):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        shutil.rmtree(self.folder)
        shutil.rmtree(self.logs)


def is_prefix_in_lines(part, whole):
    return whole.startswith(part) and (not part or part.endswith(b"\n"))


def same(case, reference, outputs):
    """The first output that is not the reference's, or None."""
    for name in ("stdout", "stderr", *case.outputs):
        if comparable(name, outputs.get(name)) != reference[name]:
            return name
    return None


def fault(server, reference, kind, result):
    """What is wrong with a run, or None."""
    status, _, _, live, outputs = result
    case = server.case
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return "hangs" if number == signal.SIGALRM else f"ends by signal {number}"
    code = os.WEXITSTATUS(status)
    extra = set(outputs) - {"stdout", "stderr", *case.outputs}
    if extra:
        return f"leaves {' '.join(sorted(extra))}"
    if live > reference["live"] + case.lost and case.program == "specreg":
        return f"leaves {live} blocks of memory"
    if code == 0:
        other = same(case, reference, outputs)
        return f"exit code 0, but another {other}" if other else None
    if code != 1 or kind in GETS_OVER:
        return f"exit code {code}: {outputs['stderr'].decode(errors='replace').strip()}"
    text = outputs["stderr"]
    if not (text.startswith(b"specreg: ") and text.count(b"\n") == 1 and len(text) > 10):
        return f"exit code 1 and stderr {text!r}"
    for name in case.outputs:
        data = outputs.get(name)
        if data == (OLD if case.old else None):
            continue
        if name in case.grows and data is not None and is_prefix_in_lines(data, reference[name]):
            continue
        if name in case.replaced and data is not None:
            continue
        if data is None or comparable(name, data) != reference[name]:
            return f"exit code 1 and spoils {name}"
    return None


def fault_of_second_run(server, reference):
    """After a failure the same command, undisturbed, completes what it finds."""
    status, *_, outputs = server.run("none", 0)
    if status != 0:
        return f"the next run ends with status {status}: {outputs['stderr']!r}"
    other = same(server.case, reference, outputs)
    return f"the next run gives another {other}" if other else None


# ----------------------------------------------------------------------------- the whole


class Setting:
    """Where things are, and what was found so far."""

    def __init__(self, options, scratch):
        build = Path(options.build).resolve()
        self.specreg, self.library = build / "specreg", build / "tests" / "libinject.so"
        self.scratch, self.seconds, self.notes_ways = scratch, options.seconds, options.ways
        self.traces = options.at is not None
        self.environment = dict(os.environ, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1",
                                OMP_WAIT_POLICY="passive", XDG_CACHE_HOME="/dev/null", LC_ALL="C", MALLOC_PERTURB_="165",
                                SPECREG_HDF5=str(build / "specreg-hdf5"))
        self.lock = threading.Lock()
        self.runs = self.fired = self.failed = 0
        self.faults = []
        self.numbers = iter(range(10**9))

    def server(self, case, **more):
        with self.lock:
            number = next(self.numbers)
        return Server(case, self, number, **more)


def measure(setting, case):
    """The outputs of an undisturbed run, and of each kind the ways that led to its calls; where they are
    not asked for, each call counts as a way of its own."""
    server = setting.server(case, notes_ways=setting.notes_ways)
    calls, most_live = {}, 0
    try:
        for kind in case.kinds:
            server.reset()
            status, count, _, live, outputs = server.run(kind, 0)
            calls[kind] = server.ways(count) if setting.notes_ways else range(count)
            if status != 0:
                sys.exit(f"{case.name}: {outputs['stderr'].decode()}")
            most_live = max(most_live, live)
        reference = {name: comparable(name, data) for name, data in outputs.items()}
        reference["live"] = most_live
    finally:
        server.close()
    return reference, calls


def run_some(setting, case, reference, kind, numbers):
    """One job: some calls of one kind in one command."""
    server = setting.server(case)
    try:
        for at in numbers:
            server.reset()
            result = server.run(kind, at)
            wrong = fault(server, reference, kind, result)
            if not wrong and (case.grows or case.replaced) and result[0] != 0:
                wrong = fault_of_second_run(server, reference)
            with setting.lock:
                setting.runs += 1
                setting.fired += result[2]
                setting.failed += result[0] != 0
                if wrong:
                    setting.faults.append((case.name, kind, at, wrong, server.way()))
    finally:
        server.close()


def chosen(case, ways, options):
    """The numbers of the calls to fail: all, some of each way, or some from the whole range."""
    sample = options.sample or SAMPLE
    count, most = len(ways), sample if case.program == "specreg" else max(2, sample // 2)
    if options.at:
        return [options.at]
    if options.all or count <= most:
        return list(range(1, count + 1))
    if options.ways:
        numbers = {}
        for number, way in enumerate(ways, 1):
            numbers.setdefault(way, []).append(number)
        return sorted({n for of_way in numbers.values() for n in (*of_way[:2], of_way[-1])})
    if options.seed is not None:
        return sorted(random.Random(f"{options.seed} {case.name} {count}").sample(range(1, count + 1), most))
    return sorted({1 + i * (count - 1) // (most - 1) for i in range(most)})


def parse(argv):
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--all", action="store_true", help="every call, not a sample")
    parser.add_argument("--ways", action="store_true",
                        help="the first, second and last of the calls that come the same way, function by function")
    parser.add_argument("--sample", type=int, help="of all commands so many calls of each kind")
    parser.add_argument("--seed", type=int, help="with --sample: calls drawn at random, not at equal distances")
    parser.add_argument("--build", type=Path, default=os.environ.get("BUILD_DIR", SOURCE / "build"))
    parser.add_argument("--case", default="", help="only this command, or those with this word in their names")
    parser.add_argument("--kind", default="", help="only kinds with this word in their name")
    parser.add_argument("--at", type=int, help="only this call, with the way that led to it")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=30,
                        help="after which a run counts as hanging; more on a busy computer")
    parser.add_argument("--counts", action="store_true", help="also print the numbers of calls and of ways to them")
    return parser.parse_args(argv)


def plan_jobs(setting, options, pool):
    """(case, reference, kind, numbers) of everything to do."""
    has_hdf5 = (setting.scratch / "data" / "t.h5").exists()
    usable = [c for c in cases() if has_hdf5 or "h5" not in c.name]
    wanted = [c for c in usable if c.name == options.case]
    wanted = wanted or [c for c in usable if options.case in c.name]
    if not (WHOLE or options.case or options.all or options.ways or options.sample):
        wanted = wanted[::3]  # `make test-all` has the others
    jobs = []
    for case, (reference, calls) in zip(wanted, pool.map(lambda c: measure(setting, c), wanted)):
        if options.counts:
            print(f"{case.name:16}", " ".join(f"{k} {len(w)}/{len(set(w))}" for k, w in calls.items() if w))
        for kind, ways in calls.items():
            numbers = chosen(case, ways, options)
            if options.kind in kind:
                jobs += [(case, reference, kind, numbers[i:i + CHUNK])
                         for i in range(0, len(numbers), CHUNK)]
    return len(wanted), jobs


def report(setting, n_cases, seconds, shows_way):
    for name, kind, at, wrong, way in sorted(setting.faults, key=lambda f: f[:3])[:200]:
        print(f"FAILED: {name}: {kind} {at}: {wrong}")
        if shows_way:
            print(way)
    print(f"{n_cases} commands, {setting.runs} runs with {setting.fired} failing calls, "
          f"{setting.failed} of them exit code 1; {len(setting.faults)} faults; {seconds:.1f} s")


def main():
    options = parse(sys.argv[1:])
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="inject.", dir=os.environ.get("TMPDIR")) as scratch:
        setting = Setting(options, Path(scratch))
        make_data(setting.specreg, setting.scratch / "data", setting.environment)
        with ThreadPoolExecutor(options.jobs) as pool:
            n_cases, jobs = plan_jobs(setting, options, pool)
            for job in [pool.submit(run_some, setting, *job) for job in jobs]:
                job.result()
    report(setting, n_cases, time.monotonic() - start, options.at is not None)
    return 1 if setting.faults else 0


if __name__ == "__main__":
    sys.exit(main())
