"""A fit through Python beside the same fit by a C program over the public header, in turns, one thread.
    tools/python3 bench/python_fit.py [BUILD] [ROWS] [ROUNDS]
Processor seconds, the least of all rounds; then what Python adds to the memory of its process in a fit, as a
multiple of X, for each layout."""
import os
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
build = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "../build"))
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 3000
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
COLUMNS, REPEATS = 10, 3
sys.path.insert(0, os.path.join(build, "python"))

import numpy as np  # noqa: E402
from specreg import SpectralRegressor  # noqa: E402

FITS = [("rbf:sigma=3", "lambda=1e-3", "none"), ("rbf:sigma=3", "auto", "loo"), ("linear", "auto", "loo")]
rng = np.random.default_rng(0)


def compiled(folder):
    program = os.path.join(folder, "python_fit")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-I" + os.path.join(here, "../include"),
                    os.path.join(here, "python_fit.c"), "-L" + build, "-lspecreg", "-Wl,-rpath," + build,
                    "-o", program], check=True)
    return program


def in_python(model, X, y):
    least = np.inf
    for _ in range(REPEATS):
        start = time.process_time()
        model.fit(X, y)
        least = min(least, time.process_time() - start)
    return least


def times(folder):
    X = rng.normal(size=(ROWS, COLUMNS))
    y = np.sin(X[:, 0]) + 0.1 * rng.normal(size=ROWS)
    data = os.path.join(folder, "rows")
    with open(data, "wb") as file:
        file.write(X.tobytes() + y.tobytes())
    program = compiled(folder)
    print(f"{ROWS} rows, {COLUMNS} columns     C ms  Python ms  added ms   added")
    for kernel, param, select in FITS:
        model = SpectralRegressor(kernel, param=param, select=select, n_jobs=1)
        c = python = np.inf
        for _ in range(ROUNDS):
            told = subprocess.run([program, data, str(ROWS), str(COLUMNS), str(REPEATS), kernel, param, select],
                                  check=True, capture_output=True, text=True).stdout
            c, python = min(c, float(told)), min(python, in_python(model, X, y))
        print(f"{kernel + ' ' + select:22} {1e3 * c:8.1f} {1e3 * python:10.1f} {1e3 * (python - c):9.1f} "
              f"{100 * (python / c - 1):6.1f} %", flush=True)


def resident(what):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(what))


def memory():
    shapes = [("linear", "none", "auto", 400000, 50), ("linear", "standard", "auto", 400000, 50),
              ("rbf:sigma=150", "none", "auto", 1000, 20000), ("rbf:sigma=10", "standard", "rectangle:m=100", 400000, 50)]
    print("most memory of a fit, and what stays, as multiples of X in float64")
    for kernel, scale, approx, n, p in shapes:
        X = rng.normal(size=(n, p))
        y = X[:, 0] + 0.1 * rng.normal(size=n)
        model = SpectralRegressor(kernel, param=1e-3, select="none", scale=scale, approx=approx)
        model.fit(X[:200], y[:200])
        told = []
        for layout in (X, np.asfortranarray(X), X.astype(np.float32)):
            model.model_ = None
            with open("/proc/self/clear_refs", "w") as file:
                file.write("5")
            before = resident("VmRSS")
            model.fit(layout, y)
            told.append(f"{(resident('VmHWM') - before) / X.nbytes:.2f} {(resident('VmRSS') - before) / X.nbytes:.2f}")
        print(f"{kernel:14} {approx:16} scale {scale:9} {n:6} x {p:5}  C {told[0]}  Fortran {told[1]}  "
              f"float32 {told[2]}", flush=True)


with tempfile.TemporaryDirectory() as place:
    times(place)
if os.path.exists("/proc/self/clear_refs"):
    memory()
