"""The memory that `plan` predicts is what `fit` takes, within 15 %, for every engine, where matrices
of 200 MB and more decide.  A fit whose address space ends a little above the plan succeeds; with a
--memory below the plan it is refused before it begins.  The same for predictions of many rows.

Measured is the largest address space less that of the same command on a few rows: what is allocated.
The resident size is shown beside it; it is less where a triangle of a matrix is never touched, and
must not be more.  By hand, with the names of some cases:
    tests/cli/run tests/long/test_memory.py /tmp/scratch
    CASES=eig,band tests/cli/run tests/long/test_memory.py /tmp/scratch"""
import json
import os
import resource
import subprocess
import sys
import time

import numpy as np

SPECREG = os.environ["SPECREG"]
WITHIN = 0.15
FEW = 300
MIB = 1 << 20
ONE = ["--param", "lambda=1e-3"]
SOME = ["--param", "lambda={1e-4,1e-3,1e-2}"]
RBF = ["--kernel", "rbf:sigma=2"]
LINEAR = ["--kernel", "linear"]
KFOLD = ["--select", "kfold:k=4"]

# name: rows, columns, kind of data, options
CASES = {
    "eig loo": (3200, 5, "dense", [*RBF, *SOME, "--engine", "eig", "--select", "loo"]),
    "eig kfold": (3200, 5, "dense", [*RBF, *SOME, "--engine", "eig", *KFOLD]),
    "eig none": (3200, 5, "dense", [*RBF, *ONE, "--engine", "eig", "--select", "none"]),
    "cholesky gcv": (5500, 5, "dense", [*RBF, *SOME, "--engine", "cholesky", "--select", "gcv"]),
    "cholesky none": (5500, 5, "dense", [*RBF, *ONE, "--engine", "cholesky", "--select", "none"]),
    "band loo": (4500, 5, "dense", [*RBF, *SOME, "--engine", "band", "--select", "loo"]),
    "band gcv": (4500, 5, "dense", [*RBF, *SOME, "--engine", "band", "--select", "gcv"]),
    "band kfold": (4000, 5, "dense", [*RBF, *SOME, "--engine", "band", *KFOLD]),
    "krylov kfold": (7500, 5, "dense", [*RBF, *SOME, "--engine", "krylov", *KFOLD]),
    "krylov none": (7500, 5, "dense", [*RBF, *ONE, "--engine", "krylov", "--select", "none"]),
    "krylov nu none": (7500, 5, "dense", [*RBF, "--filter", "nu", "--param", "t=50", "--engine",
                                          "krylov", "--select", "none"]),
    "krylov single": (10500, 5, "dense", [*RBF, *ONE, "--engine", "krylov", "--select", "none",
                                          "--precision", "single"]),
    "iterate none": (7500, 5, "dense", [*RBF, "--filter", "nu", "--param", "t=30", "--engine",
                                        "iterate", "--select", "none"]),
    "iterate single": (10500, 5, "dense", [*RBF, "--filter", "nu", "--param", "t=30", "--engine",
                                           "iterate", "--select", "none", "--precision", "single"]),
    "iterate kfold": (4500, 5, "dense", [*RBF, "--filter", "nu", "--param", "t=10:30", "--engine",
                                         "iterate", *KFOLD]),
    "lowrank loo": (60000, 2, "dense", [*RBF, *SOME, "--engine", "lowrank", "--select", "loo"]),
    "lowrank kfold": (60000, 2, "dense", [*RBF, *SOME, "--engine", "lowrank", *KFOLD]),
    "primal loo": (30000, 500, "dense", [*LINEAR, *SOME, "--engine", "primal", "--select", "loo"]),
    "primal kfold": (30000, 500, "dense", [*LINEAR, *SOME, "--engine", "primal", *KFOLD]),
    "primal none": (30000, 500, "dense", [*LINEAR, *ONE, "--engine", "primal", "--select", "none"]),
    "primal sparse": (60000, 2500, "sparse", [*LINEAR, *SOME, "--engine", "primal", "--select", "gcv"]),
    "krylov sparse": (150000, 20000, "sparse", [*LINEAR, *ONE, "--engine", "krylov", "--select",
                                               "none"]),
    "eig sparse": (3200, 2000, "sparse", [*RBF, *ONE, "--engine", "eig", "--select", "none"]),
    "auto loo": (5000, 5, "dense", [*RBF, *SOME, "--select", "loo"]),
}


def make_data(kind, n, p):
    """The name of a file with these rows; y is their last column, or their label."""
    rng = np.random.default_rng(n + p)
    if kind == "dense":
        name = f"dense{n}x{p}.npy"
        X = rng.standard_normal((n, p + 1))
        X[:, p] = np.sin(X[:, :p].sum(axis=1)) + 0.1 * X[:, p]
        np.save(name, X)
        return name
    name, each = f"sparse{n}x{p}.svm", 20
    with open(name, "w") as f:
        for i in range(n):
            at = np.unique(rng.integers(1, p + 1, each))
            at = np.append(at, p) if i == 0 and at[-1] != p else at
            values = rng.standard_normal(len(at))
            f.write(f"{values.sum():.6g} " + " ".join(f"{j}:{v:.4g}" for j, v in zip(at, values)) + "\n")
    return name


def largest(pid):
    """The largest address space of a process so far; 0 where it has ended."""
    try:
        with open(f"/proc/{pid}/status") as f:
            return max([int(line.split()[1]) * 1024 for line in f if line.startswith("VmPeak")], default=0)
    except OSError:
        return 0


def run(*what, address_space=None):
    """The command's record, with the peak of its address space, or None where it fails; what it says."""
    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    call = [SPECREG, *what, "--json", "record.json", "--no-progress", "--threads", "2"]
    peak = 0
    with open("said", "w+") as said:
        process = subprocess.Popen(call, preexec_fn=limit, stdout=subprocess.DEVNULL, stderr=said)
        while process.poll() is None:
            peak = max(peak, largest(process.pid))
            time.sleep(0.002)
        said.seek(0)
        if process.returncode:
            return None, f"exit status {process.returncode}: {said.read().strip()}"
    with open("record.json") as f:
        return {**json.load(f), "address_space": peak}, ""


def peak_of(*what):
    """Address space and resident size at their largest."""
    record, text = run(*what)
    if record is None:
        sys.exit(f"{' '.join(what)}: {text}")
    return np.array([record["address_space"], record["peak_bytes"]])


def address_space_of(*what):
    """Address space that the command takes on a few rows: the least in steps of 16 MiB."""
    low, high = 256, 4096
    while high - low > 16:
        middle = (low + high) // 2
        record, _ = run(*what, address_space=middle * MIB)
        low, high = (low, middle) if record else (middle, high)
    return high * MIB


def check(n, p, kind, options, space):
    """The plan and the measured peaks in MiB, and what is wrong."""
    train, few, wrong = make_data(kind, n, p), make_data(kind, FEW, min(p, FEW // 4)), []
    plan, text = run("plan", train, *options)
    if plan is None:
        return 0, 0, 0, [text]
    planned, budget = plan["memory_bytes"], int(0.8 * plan["memory_bytes"])
    base = peak_of("fit", few, *options)
    taken, resident = peak_of("fit", train, *options) - base
    if abs(taken - planned) > WITHIN * planned or resident > (1 + WITHIN) * planned:
        wrong.append(f"{taken / planned:.2f} of the plan")
    record, text = run("fit", train, *options, "--memory", str(int(1.01 * planned)),
                       address_space=int(space + 1.15 * planned))
    if record is None:
        wrong.append("just above the plan: " + text)
    record, text = run("fit", train, *options, "--memory", str(budget))
    if record is None and ("exit status 1:" not in text or "memory" not in text):
        wrong.append("below the plan: " + text)
    if record and record["peak_bytes"] - base[1] > (1 + WITHIN) * budget:
        wrong.append("below the plan: neither refused nor done with less")
    os.remove(train)
    return planned / MIB, taken / MIB, resident / MIB, wrong


def main():
    chosen = [c for c in os.environ.get("CASES", "").split(",") if c]
    few = make_data("dense", 1000, 5)
    space = address_space_of("fit", few, *RBF, *ONE)
    print(f"address space of a fit of 1000 rows: {space // MIB} MiB")
    print(f"{'case':16} {'rows':>7} {'plan MiB':>9} {'taken MiB':>9} {'resident':>9} {'taken/plan':>10}")
    failed = 0
    for name, (n, p, kind, options) in CASES.items():
        if chosen and not any(c in name for c in chosen):
            continue
        planned, taken, resident, wrong = check(n, p, kind, options, space)
        print(f"{name:16} {n:7} {planned:9.0f} {taken:9.0f} {resident:9.0f} {taken / max(planned, 1):10.2f}"
              f"  {'; '.join(wrong)}", flush=True)
        failed += bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
