"""Paths, cross-validation, plans and spectra of an estimator on data."""
from __future__ import annotations

from typing import Any

from ._base import Spectral, all_options, with_files, with_table
from ._c import lib
from ._data import paths_of, texts
from ._frame import frame

_DATA = """estimator : any but SpectralTransformer
        Its parameters are used; it is not changed.
    X, y : arrays, or a file name and the name of its target
        The data, as for `fit`; for TextClassifier a list of texts and their classes.
    sample_weight, groups : array of shape (n,), optional
        As for `fit`.
    unlabelled : array of shape (m, p), or a file name, optional
        Rows without targets, as for `fit` (docs/UNLABELLED.md).
    tasks : sequence of length n, optional
        For MultiTaskRegressor, as for `fit`."""


def documented_data(function: Any) -> Any:
    """Fills the words for the data into a documentation."""
    function.__doc__ = (function.__doc__ or "").replace("%(data)s", _DATA)
    return function


def _record(
    function: Any, estimator: Spectral, X: Any, y: Any, weights: Any, groups: Any, unlabelled: Any,
    tasks: Any, more: Any = None, last: tuple[Any, ...] = (),
) -> dict[str, Any]:
    with with_table(
        estimator, X, y, weights=weights, groups=groups, more=more, unlabelled=unlabelled, tasks=tasks
    ) as (call, table):
        return call.record(function, table.handle, *last, call.options)


@documented_data
def path(
    estimator: Spectral, X: Any, y: Any = None, *, sample_weight: Any = None, groups: Any = None,
    unlabelled: Any = None, tasks: Any = None,
) -> Any:
    """The whole regularization path: every kernel and parameter with its errors and degrees of freedom.

    Parameters
    ----------
    %(data)s

    Returns
    -------
    DataFrame
        Columns as in docs/JSON.md, section path; without pandas a list of dicts.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> table = specreg.path(specreg.SpectralRegressor("rbf:sigma=0.5"), X, np.sin(6 * X[:, 0]))
    >>> bool(table["train_mse"].iloc[0] > table["train_mse"].iloc[-1])
    True
    """
    return frame(
        _record(
            lib.specreg_path, estimator, X, y, sample_weight, groups, unlabelled, tasks, last=(None,)
        )["table"]
    )


@documented_data
def cv(
    estimator: Spectral, X: Any, y: Any = None, *, outer: Any = 5, sample_weight: Any = None,
    groups: Any = None, unlabelled: Any = None, tasks: Any = None,
) -> dict[str, Any]:
    """The error of the whole procedure, search included, by outer folds.

    Parameters
    ----------
    %(data)s
    outer : int or str, default=5
        The number of outer folds, or a rule such as ``"holdout:fraction=0.3"``.

    Returns
    -------
    dict
        The record of docs/JSON.md, section cv: `mean`, `stddev`, `folds`, `baseline`.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> record = specreg.cv(specreg.SpectralRegressor("rbf"), X, np.sin(6 * X[:, 0]), outer=3)
    >>> len(record["folds"]), record["mean"]["r2"] > 0.99
    (3, True)
    """
    rule = f"kfold:k={outer}" if isinstance(outer, int) else outer
    return _record(
        lib.specreg_cv, estimator, X, y, sample_weight, groups, unlabelled, tasks, {"outer": rule}
    )


@documented_data
def plan(
    estimator: Spectral, X: Any, y: Any = None, *, sample_weight: Any = None, groups: Any = None,
    unlabelled: Any = None, tasks: Any = None,
) -> dict[str, Any]:
    """What `fit` would do, with memory and seconds, without doing it.  X may be several files.

    Parameters
    ----------
    %(data)s

    Returns
    -------
    dict
        The record of docs/JSON.md, section plan: `seconds`, `memory_bytes`, `search_engine`, ...

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.random.default_rng(0).normal(size=(200, 4))
    >>> told = specreg.plan(specreg.SpectralRegressor("rbf"), X, X[:, 0])
    >>> told["kernel_candidates"], told["seconds"] > 0
    (11, True)
    """
    options = all_options(estimator)
    if not estimator._takes_files(X) or "text" in options:
        return _record(lib.specreg_plan, estimator, X, y, sample_weight, groups, unlabelled, tasks)
    names, kept = texts(paths_of(X))
    with with_files(
        estimator, y, options, weights=sample_weight, groups=groups, tasks=tasks, unlabelled=unlabelled
    ) as call:
        told = call.record(lib.specreg_plan_files, names.ctypes.data, len(names), call.options)
    del kept
    return told


@documented_data
def spectrum(
    estimator: Spectral, X: Any, y: Any = None, *, sample_weight: Any = None, groups: Any = None,
    unlabelled: Any = None, tasks: Any = None,
) -> dict[str, Any]:
    """Eigenvalues of the kernel matrix over n, the effective dimension, and where the target lies.

    Parameters
    ----------
    %(data)s

    Returns
    -------
    dict
        The record of docs/JSON.md, section spectrum.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> told = specreg.spectrum(specreg.SpectralRegressor("rbf:sigma=0.5"), X, X[:, 0])
    >>> len(told["eigenvalues"]) == 30 and told["eigenvalues"][0] > told["eigenvalues"][1]
    True
    """
    return _record(lib.specreg_spectrum, estimator, X, y, sample_weight, groups, unlabelled, tasks)
