"""What a model makes of its columns: permutation importance and partial dependence."""
from __future__ import annotations

from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np

from ._base import class_names, seed_of
from ._c import lib
from ._call import Call, threads_of
from ._data import Arrays, Table, is_paths, one_path
from ._mixed import Mixed
from ._model import Model


def _model_of(model: Any) -> Model:
    """The model itself, of an estimator too."""
    if isinstance(model, Model):
        return model
    found = getattr(model, "model_", None)
    if not isinstance(found, Model):
        raise ValueError(f"{type(model).__name__} is not fitted: call fit before")
    return found


def takes_files(model: Any, X: Any) -> bool:
    """Whether X names files: texts may also be documents."""
    return bool(getattr(model, "_takes_files", is_paths)(X))


def table_of(call: Call, model: Any, X: Any, y: Any, tasks: Any = None) -> Table:
    """X, and y where it is given, as the model was fitted."""
    beside: dict[str, Any] = {}
    names = None
    at = 0
    if not isinstance(model, Model):
        if not hasattr(model, "_prediction_rows"):
            raise ValueError(f"{type(model).__name__} predicts no targets")
        X, beside, names = model._prediction_rows(X, tasks)
        at = model._beside_at(X, tasks)
    elif not hasattr(X, "tocsr"):
        X = np.asarray(X)
    columns = _target_of(model, X, y)
    if isinstance(X, Mixed):
        table = X.table(call, **columns)
    else:
        table = Table.of(call, Arrays(X, names=names, **columns))
    for name, column in beside.items():
        table.insert_text(at, name, column)
    return table


def _target_of(model: Any, X: Any, y: Any) -> dict[str, Any]:
    """The columns of a table that y is."""
    if y is None:
        return {}
    if np.shape(y)[:1] != X.shape[:1]:
        raise ValueError(f"X has {X.shape[0]} rows, y has {len(y)}")
    if not _model_of(model).classes:
        return {"Y": y}
    values, codes = np.unique(np.asarray(y), return_inverse=True)
    texts = class_names(values)
    known = getattr(model, "classes_", None)
    if known is not None:  # texts of classes depend on all of them
        of = dict(zip(list(known), class_names(known)))
        unknown = [v for v in list(values) if v not in of]
        if unknown:
            raise ValueError(f"y has the class {unknown[0]!r}, which training did not have")
        texts = [of[v] for v in list(values)]
    return {"labels": (texts, codes)}


@contextmanager
def _with_rows(
    model: Any, X: Any, y: Any, tasks: Any, options: dict[str, Any], verbose: int
) -> Iterator[tuple[Call, Any, Table]]:
    """A call, the model's handle, and the rows as a table; X may be the name of a file."""
    inner = _model_of(model)
    with Call(options, verbose) as call:
        if takes_files(model, X):
            with inner.read(call, one_path(X)) as table:
                yield call, inner._handle, table
        else:
            with table_of(call, model, X, y, tasks) as table:
                yield call, inner._handle, table


def _text_of(columns: str | Sequence[str | int] | None) -> str:
    """Columns as a text: names, or numbers from 0."""
    if columns is None:
        return ""
    if isinstance(columns, str):
        return columns
    return ",".join(str(c + 1) if isinstance(c, (int, np.integer)) else c for c in columns)


def _record(call: Call, made: Any, record: Any, free: Any, model: Any) -> dict[str, Any]:
    try:
        return call.record(record, model, made)
    finally:
        free(made)


def importance(
    model: Any, X: Any, y: Any = None, *, columns: Any = None, criterion: str = "auto",
    repeats: int = 10, random_state: Any = None, n_jobs: int | None = None, verbose: int = 0,
    tasks: Any = None,
) -> dict[str, Any]:
    """Permutation importance: by how much the criterion gets worse when a column is permuted.

    Parameters
    ----------
    model : a fitted estimator, or Model
        What predicts.
    X, y : arrays, or a file name
        Rows that the model has not seen, with their targets; a file has both.
    columns : list of names or of numbers from 0, or str, optional
        The columns to permute; a text is that of the command.  All inputs by default.
    criterion : str, default="auto"
        The measure; auto is the error rate for classes, else the mean squared error.
    repeats : int, default=10
        How many times each column is permuted.
    random_state : int, RandomState or None, default=None
        The seed; None is 0.
    n_jobs : int, default=None
        Threads; None and -1 are all processors.
    verbose : int, default=0
        Not 0: a progress bar by tqdm, where it is installed.
    tasks : sequence of length n, optional
        The task of each row, of a MultiTaskRegressor.

    Returns
    -------
    dict
        The record of docs/JSON.md, section importance: `baseline`, and `columns` with `name`, `mean`,
        `stddev` and `values`.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = specreg.SpectralRegressor("rbf").fit(X[:60], X[:60, 0])
    >>> told = specreg.importance(model, X[60:], X[60:, 0])
    >>> [column["mean"] > 0.5 for column in told["columns"]]
    [True, False]
    """
    options = {
        "columns": _text_of(columns), "criterion": criterion, "repeats": repeats,
        "seed": seed_of(random_state), "threads": threads_of(n_jobs),
    }
    with _with_rows(model, X, y, tasks, options, verbose) as (call, handle, table):
        made = call.make(lib.specreg_importance, handle, table.handle, call.options)
        return _record(
            call, made, lib.specreg_importance_record, lib.specreg_importances_free, handle
        )


def partial(
    model: Any, X: Any, *, columns: Any = None, surface: Any = None, points: int = 20,
    n_jobs: int | None = None, verbose: int = 0, tasks: Any = None,
) -> dict[str, Any]:
    """Partial dependence: mean predictions over all rows with the same value of a column in each.

    Parameters
    ----------
    model : a fitted estimator, or Model
        What predicts.
    X : array, or a file name
        The rows.
    columns : list of names or of numbers from 0, or str, optional
        The columns to look at, one by one; a text is that of the command.  All inputs by default.
    surface : two names or numbers, or str, optional
        Two columns that are changed together, in place of `columns`.
    points : int, default=20
        Values of a column at most: quantiles from 5 % to 95 %, or its most frequent categories.
    n_jobs : int, default=None
        Threads; None and -1 are all processors.
    verbose : int, default=0
        Not 0: a progress bar by tqdm, where it is installed.
    tasks : sequence of length n, optional
        The task of each row, of a MultiTaskRegressor.

    Returns
    -------
    dict
        The record of docs/JSON.md, section partial: `what`, and `curves` with `grid`, `mean`, and
        `low` and `high`, what 10 % and 90 % of the rows lie below.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.random.default_rng(0).normal(size=(80, 2))
    >>> model = specreg.SpectralRegressor("linear").fit(X, 2 * X[:, 0])
    >>> (curve,) = specreg.partial(model, X, columns=[0], points=5)["curves"]
    >>> slope = (curve["mean"][4][0] - curve["mean"][0][0]) / (curve["grid"][4] - curve["grid"][0])
    >>> round(slope, 2)
    2.0
    """
    options = {
        "columns": "" if surface is not None else _text_of(columns), "surface": _text_of(surface),
        "points": points, "threads": threads_of(n_jobs),
    }
    with _with_rows(model, X, None, tasks, options, verbose) as (call, handle, table):
        made = call.make(lib.specreg_partial, handle, table.handle, call.options)
        return _record(call, made, lib.specreg_partial_record, lib.specreg_partials_free, handle)
