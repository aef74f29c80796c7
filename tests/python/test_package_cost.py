"""What Python adds to a fit: no copy of X that its layout does not force, and no more than 5 ms or 5 %."""
import os
import time
import tracemalloc

import numpy as np
import package
import specreg._base as base
from specreg import SpectralRegressor

rng = np.random.default_rng(0)


def test_no_copies():
    """NumPy's allocations during fit and predict, of inputs in all layouts that the library reads."""
    import scipy.sparse as sp

    X = rng.normal(size=(40000, 20))
    y = X[:, 0]
    wide = np.zeros((40000, 40))
    wide[:, ::2] = X
    sparse = sp.random(40000, 20, 0.5, format="csr", random_state=0)
    model = SpectralRegressor("linear", param=1e-3, select="none")
    for what, rows in (("C order", X), ("Fortran order", np.asfortranarray(X)), ("with gaps", wide[:, ::2]),
                       ("float32", X.astype(np.float32)), ("float32, Fortran", np.asfortranarray(X.astype("f4")))):
        tracemalloc.start()
        model.fit(rows, y).predict(rows)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        print(f"    {what:20} {peak / rows.nbytes:.2f} of X")
        assert peak < 0.35 * rows.nbytes, what  # y, checks, predictions
    size = sparse.data.nbytes + sparse.indices.nbytes
    tracemalloc.start()
    model.fit(sparse, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.35 * size, peak / size


def resident(what):
    """Bytes of this process in memory (VmRSS), or the most since the last forget() (VmHWM)."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith(what))


def forget():
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def check_growth(kernel, n, p, allowed, layouts, **named):
    """What the process grows by in a fit of X (n x p), whatever its layout, is at most `allowed` times X."""
    X = rng.normal(size=(n, p))
    y = X[:, 0] + 0.1 * rng.normal(size=n)
    model = SpectralRegressor(kernel, param=1e-3, select="none", **named)
    model.fit(X[:3000], y[:3000])  # memory that stays with the process
    for what in layouts:
        rows = np.asfortranarray(X) if what == "Fortran order" else X.astype("f4") if what == "float32" else X
        forget()
        before = resident("VmRSS")
        model.fit(rows, y)
        added = (resident("VmHWM") - before) / X.nbytes
        print(f"    {kernel:12} {what:14} {added:.2f} of X in float64, at most {allowed:.2f}")
        assert added < allowed, what


def test_peak_of_the_process():
    """All rows, a linear kernel: X once, scaled, and some 16 numbers for each row.  Fewer centres than rows: a sample
    of 65,536 rows, in three forms, and eight numbers for each row."""
    if not os.path.exists("/proc/self/clear_refs") or package.sanitized:
        return
    check_growth("linear", 160000, 50, 1 + 20 / 50, ("C order", "Fortran order", "float32"))
    check_growth("rbf:sigma=5", 400000, 20, 3 * 65536 / 400000 + 8 / 20, ("C order",), approx="rectangle:m=20")


def test_overhead():
    """Time of fit less that of the call of the library inside it, at 3,000 rows: the least of three."""
    X = rng.normal(size=(3000, 10))
    y = np.sin(X[:, 0])
    model = SpectralRegressor("rbf:sigma=3", param=1e-3, select="none")
    call, inside = base.lib.specreg_fit_data, []

    def timed(*arguments):
        started = time.perf_counter()
        status = call(*arguments)
        inside.append(time.perf_counter() - started)
        return status

    whole = []
    base.lib.specreg_fit_data = timed
    for _ in range(3):
        started = time.perf_counter()
        model.fit(X, y)
        whole.append(time.perf_counter() - started)
    base.lib.specreg_fit_data = call
    added = min(w - i for w, i in zip(whole, inside))
    print(f"    fit {1e3 * min(whole):.0f} ms, of which Python {1e3 * added:.2f} ms")
    assert added < max(5e-3, 0.05 * min(inside))


package.run(globals())
