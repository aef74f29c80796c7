"""The solutions of a path, one after the other."""
from __future__ import annotations

import ctypes
import queue
import threading
from contextlib import ExitStack
from typing import Any, Iterator, NamedTuple

import numpy as np

from ._base import Spectral, with_table
from ._c import PathFn, PathRequest, lib
from ._data import Arrays, Table, is_paths
from ._functions import documented_data


class PathPoint(NamedTuple):
    """One point of a path, trained on all rows.

    Its kernel's numbers and parameter as a text, the parameter's name and value, the number of the kernel,
    from 0; coefficients of the centres (as `Model.array("coefficients")`), those of the unpenalised terms and
    the names of these; predictions of the rows that were asked for, or None; the training row of each centre,
    from 0 (rows without targets of another table are counted on).

    Examples
    --------
    >>> import numpy as np, specreg
    >>> estimator = specreg.SpectralRegressor("linear", param=[0.1], select="none")
    >>> point = next(specreg.path_points(estimator, np.eye(4), [1, 2, 3, 4]))
    >>> point.parameter, point.value, point.terms.tolist()
    ('lambda', 0.1, [[2.5]])
    """

    name: str
    parameter: str
    value: float
    kernel: int
    coefficients: Any
    terms: Any
    term_names: list[str]
    predictions: Any
    rows: Any


class _Stopped(Exception):
    """Nobody asks for further points."""


def _copied(address: int | None, rows: int, cols: int) -> Any:
    if not address:
        return None
    array = np.ctypeslib.as_array((ctypes.c_double * (rows * cols)).from_address(address))
    return array.reshape(rows, cols).copy()


def _point(at: Any) -> PathPoint:
    names = [at.term_names[i].decode() for i in range(at.n_terms)]
    terms = _copied(at.terms, at.n_terms, at.columns)
    return PathPoint(
        at.name.decode(), at.parameter.decode(), at.value, at.kernel,
        _copied(at.coefficients, at.centres, at.columns),
        np.empty((0, at.columns)) if terms is None else terms, names,
        _copied(at.predictions, at.rows, at.outputs),
        np.ctypeslib.as_array((ctypes.c_int64 * at.centres).from_address(at.centre_rows)).copy(),
    )


class _Producer:
    """Runs the path in a thread of its own, which waits with each point until it is asked for."""

    def __init__(self, data: Any, rows: Any) -> None:
        self.data, self.rows = data, rows
        self.out: queue.Queue[Any] = queue.Queue(maxsize=1)
        self.stopped = False
        self.call: Any = None
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _each(self, point: Any, payload: Any) -> int:
        try:
            if not self.stopped:
                self.out.put(_point(point.contents))
        except BaseException as error:
            self.out.put(error)
            return 1
        return int(self.stopped)

    def _run(self) -> None:
        try:
            with ExitStack() as stack:
                self.call, table = stack.enter_context(self.data)
                request = PathRequest(struct_size=ctypes.sizeof(PathRequest), each=PathFn(self._each))
                if self.rows is not None:
                    read = Table.read(self.call, self.rows) if is_paths(self.rows) else Table.of(
                        self.call, Arrays(self.rows)
                    )
                    request.rows = stack.enter_context(read).handle
                self.call.record(
                    lib.specreg_path_solutions, table.handle, ctypes.byref(request), self.call.options
                )
            self.out.put(None)
        except BaseException as error:
            self.out.put(error)

    def stop(self) -> None:
        self.stopped = True
        if self.call is not None:
            self.call.cancel(_Stopped())
        while self.thread.is_alive():  # it may be waiting with a point
            try:
                self.out.get(timeout=0.05)
            except queue.Empty:
                pass


@documented_data
def path_points(
    estimator: Spectral, X: Any, y: Any = None, *, predict: Any = None, sample_weight: Any = None,
    groups: Any = None, unlabelled: Any = None, tasks: Any = None,
) -> Iterator[PathPoint]:
    """The points of a path with their solutions, kernel by kernel, from smooth to rough.

    Each is made while the one before it is used; leaving the loop ends the work.

    Parameters
    ----------
    %(data)s
    predict : array of shape (m, p), or a file name, optional
        Rows to predict by every point.

    Yields
    ------
    PathPoint
        `name`, `parameter`, `value`, `kernel`, `coefficients`, `terms`, `term_names`, `predictions`,
        `rows`.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> estimator = specreg.SpectralRegressor("rbf:sigma=0.5", param=[1, 0.01])
    >>> for point in specreg.path_points(estimator, X, np.sin(6 * X[:, 0]), predict=[[0.25]]):
    ...     print(point.name, point.coefficients.shape, point.predictions.round(1).tolist())
    sigma=0.5 lambda=1 (30, 1) [[0.2]]
    sigma=0.5 lambda=0.01 (30, 1) [[1.0]]
    """
    producer = _Producer(
        with_table(
            estimator, X, y, weights=sample_weight, groups=groups, unlabelled=unlabelled, tasks=tasks
        ),
        predict,
    )
    try:
        while (point := producer.out.get()) is not None:
            if isinstance(point, BaseException):
                raise point
            yield point
    finally:
        producer.stop()
