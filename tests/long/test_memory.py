"""The memory that `plan` predicts is what `fit` takes, within 15 %, for every engine, where matrices
of 200 MB and more decide.  A fit whose address space ends a little above the plan succeeds; with a
--memory below the plan it is refused before it begins.  A prediction takes at most what docs/RELIABILITY.md
says: the table, the encoded inputs and twice the outputs, within 15 %.

Measured is the largest resident size, less what the same command takes on a few rows beyond its plan.
By hand, with the names of some cases:
    tests/cli/run tests/long/test_memory.py /tmp/scratch
    MEASURE_ONLY=1 CASES=eig,band tests/cli/run tests/long/test_memory.py /tmp/scratch"""
import json
import os
import resource
import subprocess
import sys

import numpy as np

SPECREG = os.environ["SPECREG"]
WITHIN = 0.15
FEW = 1000 # enough for all threads to take part
MIB = 1 << 20
ONE = ["--param", "lambda=1e-3"]
SOME = ["--param", "lambda={1e-4,1e-3,1e-2}"]
RBF = ["--kernel", "rbf:sigma=2"]
LINEAR = ["--kernel", "linear"]
KFOLD = ["--select", "kfold:k=4"]
PROGRAM = 8 * MIB  # resident before there are data
SPACE = 900 * MIB  # program, buffers of BLAS and stacks for two threads

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
    "iterate df": (1500, 5, "dense", [*RBF, "--filter", "nu", "--param", "t=30", "--engine",
                                      "iterate", "--select", "none"]),
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
# name: rows, columns, options of the fit, options of the prediction
PREDICTIONS = {
    "predict rbf": (500000, 20, [*RBF, *ONE, "--select", "none"], []),
    "predict linear": (30000, 500, [*LINEAR, *ONE, "--select", "none"], []),
    "predict interval": (30000, 500, [*LINEAR, *SOME, "--select", "loo"], ["--interval", "0.9"]),
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


def run(*what, address_space=None):
    """The command's record, or None where it fails, and what it says."""
    def limit():
        if address_space:
            resource.setrlimit(resource.RLIMIT_AS, (address_space, address_space))
    call = [SPECREG, *what, "--json", "record.json", "--no-progress", "--threads", "2"]
    done = subprocess.run(call, preexec_fn=limit, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          text=True, timeout=1800)
    if done.returncode:
        return None, f"exit status {done.returncode}: {done.stderr.strip()}"
    with open("record.json") as f:
        return json.load(f), ""


def peak_of(*what):
    record, text = run(*what)
    if record is None:
        sys.exit(f"{' '.join(what)}: {text}")
    return record["peak_bytes"]


def check(n, p, kind, options):
    """The plan and the measured peak in MiB, and what is wrong."""
    train, few, wrong = make_data(kind, n, p), make_data(kind, FEW, min(p, FEW // 4)), []
    plan, text = run("plan", train, *options)
    of_few, more = run("plan", few, *options)
    if plan is None or of_few is None:
        return 0, 0, [text + more]
    planned = plan["memory_bytes"]
    base = peak_of("fit", few, *options) - of_few["memory_bytes"]
    taken = peak_of("fit", train, *options) - base
    if not (1 - WITHIN) * planned <= taken <= (1 + WITHIN) * planned:
        wrong.append(f"{taken / planned:.2f} of the plan")
    if not os.environ.get("MEASURE_ONLY"):
        wrong += check_limits(train, options, planned, base)
    os.remove(train)
    return planned / MIB, taken / MIB, wrong


def check_limits(train, options, planned, base):
    """Just above the plan it succeeds; below, it is refused, or done another way with less."""
    wrong, budget = [], int(0.8 * planned)
    record, text = run("fit", train, *options, "--memory", str(int(1.05 * planned)),
                       address_space=int(SPACE + 1.15 * planned))
    if record is None:
        wrong.append("just above the plan: " + text)
    record, text = run("fit", train, *options, "--memory", str(budget))
    if record is None and not text.startswith(("exit status 1: specreg: ", "exit status 2: specreg: ")):
        wrong.append("below the plan: " + text)
    if record and record["peak_bytes"] - base > (1 + WITHIN) * budget:
        wrong.append("below the plan: neither refused nor done with less")
    return wrong


def peak_of_process(*what):
    """What the system says, for commands whose record does not."""
    child = subprocess.Popen([SPECREG, *what, "--threads", "2", "--quiet"])
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f"{' '.join(what)}: exit status {child.returncode}")
    return usage.ru_maxrss * 1024


def check_prediction(n, p, fit, options):
    """The bound of the docs and the measured peak in MiB, and what is wrong."""
    few, many, wrong = make_data("dense", FEW, p), make_data("dense", n, p), []
    subprocess.run([SPECREG, "fit", few, *fit, "-o", "model.srm", "--quiet"], check=True)
    def predict(*more, **limits):
        return run("predict", "model.srm", many, *options, "-o", "out.npy", *more, **limits)
    columns = 4 if options else 2  # an interval has two bounds
    bound = 8 * n * (p + 1 + p + columns)
    taken = peak_of_process("predict", "model.srm", many, *options, "-o", "out.npy") - PROGRAM
    if taken > (1 + WITHIN) * bound:
        wrong.append(f"{taken / bound:.2f} of the bound")
    if not os.environ.get("MEASURE_ONLY"):
        record, text = predict("--memory", str(int(1.05 * bound)), address_space=int(SPACE + 1.15 * bound))
        if record is None:
            wrong.append("just above the bound: " + text)
        record, text = predict("--memory", str(bound // 4))
        if record is None and not text.startswith("exit status 1: specreg: "):
            wrong.append("far below the bound: " + text)
    os.remove(many)
    return bound / MIB, taken / MIB, wrong


def main():
    chosen = [c for c in os.environ.get("CASES", "").split(",") if c]
    print(f"{'case':16} {'rows':>7} {'plan MiB':>9} {'peak MiB':>9} {'peak/plan':>9}")
    failed, ratios = 0, []
    for name, case in {**CASES, **PREDICTIONS}.items():
        if chosen and not any(c in name for c in chosen):
            continue
        planned, taken, wrong = check(*case) if name in CASES else check_prediction(*case)
        n = case[0]
        print(f"{name:16} {n:7} {planned:9.0f} {taken:9.0f} {taken / max(planned, 1):9.2f}"
              f"  {'; '.join(wrong)}", flush=True)
        failed += bool(wrong)
        ratios.append(taken / max(planned, 1))
    print(f"{len(ratios)} cases with peak/plan from {min(ratios):.2f} to {max(ratios):.2f}; {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
