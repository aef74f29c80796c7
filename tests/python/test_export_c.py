"""`specreg export --format c`: the source of every kind of model compiles without a warning, as C and as C++,
and gives the command's scores to rounding; what C source cannot carry is refused."""
import ctypes
import os
import re
import shutil
import subprocess
import sys
import threading

import numpy as np
from exported import FIXED, M, Case, Sparse, everything, numbers, run, write

WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
if not shutil.which("cc"):
    print("skipped: there is no C compiler")
    sys.exit(77)


def categories(header):
    """Of a header's comment: for each input its name, and the numbers of its categories by text."""
    inputs = []
    for line in header[header.index("`row`"):header.index("`scores`")].splitlines()[1:]:
        if found := re.match(r" \*     \d+  '(.*)'(, the number of its category:)?$", line):
            inputs.append((found[1], {} if found[2] else None))
        elif found := re.match(r" \*            (\d+)  '(.*)'$", line):
            inputs[-1][1][found[2]] = int(found[1])
    return inputs


def rows_of(case, inputs):
    """New rows as the function takes them."""
    if isinstance(case, Sparse):
        return case.X
    place = [case.header.index(name) for name, _ in inputs]
    out = np.empty((M, len(inputs)))
    for i, row in enumerate(case.rows):
        for j, (_, known) in enumerate(inputs):
            value = row[place[j]]
            out[i, j] = np.nan if isinstance(value, str) and not value else \
                float(value) if known is None else known.get(value, -1)
    return out


def compile_and_load(stem, name):
    subprocess.run(["cc", "-std=c11", *WARNINGS, "-O1", "-shared", "-fPIC", stem + ".c", "-o", stem + ".so", "-lm"],
                   check=True)
    return ctypes.CDLL(os.path.abspath(stem + ".so"))[name + "_predict"]


def predict(function, rows, scores):
    out = np.full((len(rows), scores), -7.0)
    for i, row in enumerate(np.ascontiguousarray(rows)):
        function(row.ctypes.data_as(ctypes.c_void_p), out[i].ctypes.data_as(ctypes.c_void_p))
    return out


def check(case):
    run("export", case.model, case.name + ".c", "-q")
    with open(case.name + ".c") as file:
        source = file.read()
    with open(case.name + ".h") as file:
        header = file.read()
    assert len(re.findall(r"\w*predict\w*\(", source)) == 1, case.name
    assert f"enum {{ {case.name}_INPUTS = " in header and f"{case.name}_SCORES = {len(case.names)} }}" in header
    function = compile_and_load(case.name, case.name)
    inputs = categories(header)
    rows = rows_of(case, inputs)
    got = predict(function, rows, len(case.names))
    worst = np.abs(got - case.scores).max() / np.abs(case.scores).max()
    assert worst < 1e-11, (case.name, worst)
    if case.labels:
        assert [case.names[k] for k in got.argmax(axis=1)] == case.labels, case.name
    return worst, function, rows, got


worst = 0
last = None
for case in everything():
    found = check(case)
    worst = max(worst, found[0])
    if case.name == "c0":
        last = found[1:]

# Threads may call it at once.
function, rows, got = last
equal = []


def again():
    equal.append(all((predict(function, rows, got.shape[1]) == got).all() for _ in range(20)))


threads = [threading.Thread(target=again) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert equal == [True] * 4

# A gap where training had none, and numbers that are not finite: NaN, never a number.
for bad in (np.nan, np.inf):
    assert np.isnan(predict(function, np.where(np.arange(3) == 0, bad, rows[:1]), got.shape[1])).all()

# C++ takes header and source; the name of the function is one of C.
if shutil.which("c++"):
    subprocess.run(["c++", "-x", "c++", "-std=c++17", *WARNINGS, "-c", "c0.c", "-o", "c0.o"], check=True)
run("export", "c0.srm", "2 models-x", "--format", "c", "-q")
compile_and_load("2 models-x", "_2_models_x")
assert not os.path.exists("2 models-x")

# What is refused, in one line.
_, X, y = numbers()
date = Case("date", ["x1", "when", "y"], [[a, f"2021-03-{i % 28 + 1:02d}", b] for i, (a, b) in enumerate(zip(X[:, 0], y))],
            ["--kernel", "rbf:sigma=2"])
run("export", "date.srm", "date.c", fails=(1, "dates, as those of column 'when'"))
assert not os.path.exists("date.c") and not os.path.exists("date.h")
run("export", "c0.srm", "-", "--format", "c", fails=(2, "two files"))
run("export", "c0.srm", 'a"b.c', fails=(2, "quotes"))
run("export", "c0.srm", "c0.txt", fails=(2, "does not tell the format"))
run("export", "c0.srm", "c0.c", "--format", "C++", fails=(2, "C++"))
run("export", "c0_new.csv", "c0.c", fails=(1, "c0_new.csv"))
run("export", "absent.srm", "c0.c", fails=(1, "absent.srm"))
run("export", "c0.srm", "absent/c0.c", fails=(1, "absent"))
run("export", "c0.srm", fails=(2, "OUT"))
with open("wide.libsvm", "w") as file:  # a small file that needs a place for each of five million columns
    file.write("1 1:1\n2 5000000:1\n3 2:1\n")
for kernel in ("rbf:sigma=1", "linear"):
    run("fit", "wide.libsvm", "-o", "wide.srm", "--problem", "regression", "--scale", "none", "--kernel", kernel, *FIXED)
    for format in ("c", "onnx", "libsvm"):
        run("export", "wide.srm", "wide.out", "--format", format, fails=(1, "5000000 are too many"))
print(f"largest difference, relative to the scores: {worst:.1e}")

# The example of the page.
with open(os.path.join(os.environ["SOURCE_DIR"], "docs", "EXPORT.md")) as file:
    block = re.search(r"^```c\n(.*?)^```", file.read(), flags=re.S | re.M)[1]
rng = np.random.default_rng(1)
size, kind = rng.random(60) * 5, rng.choice(["large", "small"], size=60)
write("examples.csv", ["size", "kind", "price"], zip(size, kind, size + (kind == "small")))
run("fit", "examples.csv", "-o", "shop.srm", "-q")
run("export", "shop.srm", "shop.c", "-q")
with open("main.c", "w") as file:
    file.write(block)
subprocess.run(["cc", "-std=c11", *WARNINGS, "main.c", "shop.c", "-o", "shop", "-lm"], check=True)
write("one.csv", ["size", "kind"], [[3.5, "small"]])
said = subprocess.run(["./shop"], check=True, capture_output=True, text=True).stdout
assert abs(float(said) - float(run("predict", "shop.srm", "one.csv").split()[1])) < 1e-6, said
