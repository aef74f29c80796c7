#!/usr/bin/env python3
"""The search as one writes it with scikit-learn: GridSearchCV over KernelRidge, row i of the
training rows in fold i mod 5.

    tools/python3 bench/sklearn_grid.py TRAIN TEST SIGMAS LAMBDAS classes|numbers JOBS

SIGMAS and LAMBDAS are JSON lists.  Prints the choice, its errors, seconds and peak memory (KiB) as
JSON: `search` is the time of the grid, `rest` that of the fit on all rows."""
import json
import resource
import sys
import time

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, PredefinedSplit

FOLDS, TIE = 5, 1e-9


def squared_error(model, X, y):
    return -np.mean((model.predict(X) - y)**2)


def error_rate(model, X, y):
    """The squared error breaks ties, as it does in specreg."""
    f = model.predict(X)
    return -np.mean(f * y <= 0) - TIE * np.mean((f - y)**2)


def main():
    train, test = (np.loadtxt(path, delimiter=",", skiprows=1) for path in sys.argv[1:3])
    sigmas, lambdas = json.loads(sys.argv[3]), json.loads(sys.argv[4])
    score = error_rate if sys.argv[5] == "classes" else squared_error
    X, y, n = train[:, :-1], train[:, -1], len(train)

    def grid(rows):
        trained = rows - rows // FOLDS
        cells = {"gamma": [0.5 / s**2 for s in sigmas], "alpha": [trained * v for v in lambdas]}
        search = GridSearchCV(KernelRidge(kernel="rbf"), cells, scoring=score, refit=False,
                              n_jobs=int(sys.argv[6]), cv=PredefinedSplit(np.arange(rows) % FOLDS))
        return search.fit(X[:rows], y[:rows]), trained

    grid(50)  # starts the processes, which is not to count
    start = time.perf_counter()
    found, trained = grid(n)
    searched = time.perf_counter()
    gamma, lam = found.best_params_["gamma"], found.best_params_["alpha"] / trained
    # the same lambda: GridSearchCV's own refit would keep alpha
    model = KernelRidge(kernel="rbf", gamma=gamma, alpha=n * lam).fit(X, y)
    rest = time.perf_counter() - searched
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"search": searched - start, "rest": rest, "peak": peak,
                      "sigma": (0.5 / gamma)**0.5, "lambda": lam, "value": -found.best_score_,
                      "test": -score(model, test[:, :-1], test[:, -1])}))


main()
