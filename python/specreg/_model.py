"""A fitted model of the library."""
from __future__ import annotations

import ctypes
import json
import os
from typing import Any, Mapping

import numpy as np

from ._c import View, lib
from ._call import Call
from ._data import Arrays, Table
from ._frame import words
from ._mixed import Tables, predict

Options = Mapping[str, Any]
_PARTS = ("year", "month", "weekday", "days", "missing")  # columns that one input becomes


class Model:
    """A model: predictions, its numbers, its record, its file.

    It never changes and may be used by several threads at once.  Estimators hold one as ``model_``.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> model = specreg.SpectralRegressor(kernel="rbf").fit(X, np.sin(6 * X[:, 0])).model_
    >>> model.record["kernel"]["name"]
    'rbf'
    >>> model.array("coefficients").shape
    (30, 1)
    """

    def __init__(self, handle: ctypes.c_void_p) -> None:
        self._handle = handle
        self._record: dict[str, Any] | None = None

    def __repr__(self) -> str:
        record = self.record
        kind = record.get("kind") or record.get("data", {}).get("problem", "predictor")
        kernel = words(record.get("kernel", {}))
        return f"<specreg.Model: {kind}, kernel {kernel}, {self.n_inputs} inputs, {self.n_outputs} outputs>"

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and lib is not None:
            lib.specreg_model_free(self._handle)

    def __reduce__(self) -> Any:
        return Model.from_bytes, (self.to_bytes(),)

    def __deepcopy__(self, memo: Any) -> Model:
        return self

    # ------------------------------------------------------------ files
    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Model:
        """The model in a file."""
        with Call() as call:
            return cls(call.make(lib.specreg_model_load, os.fsencode(path)))

    @classmethod
    def from_libsvm(cls, path: str | os.PathLike[str], inputs: int | None = None) -> Model:
        """The model in a model file of LIBSVM (docs/EXPORT.md); `inputs`: how many columns rows have,
        None: the largest index of a support vector."""
        with Call() as call:
            return cls(call.make(lib.specreg_model_import, os.fsencode(path), inputs or 0))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file (docs/MODEL_FILE.md)."""
        with Call() as call:
            call.check(lib.specreg_model_save(call.ctx, self._handle, os.fsencode(path)))

    def export(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the model for others (docs/EXPORT.md); the format is as the ending of `path` says."""
        chosen = None if format is None else format.encode()
        with Call() as call:
            call.check(
                lib.specreg_model_export(call.ctx, self._handle, chosen, os.fsencode(path))
            )

    def report(self, data: Any = None, path: str | os.PathLike[str] | None = None) -> Any:
        """A page with pictures of the model, which a notebook shows; see `specreg.report`."""
        from ._report import report

        return report(self, data=data, path=path)

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """A model from the content of a model file."""
        with Call() as call:
            return cls(call.make(lib.specreg_model_from_memory, data, len(data)))

    def to_bytes(self) -> bytes:
        """The content of the model file."""
        size = ctypes.c_size_t()
        data = ctypes.c_void_p()
        with Call() as call:
            call.check(
                lib.specreg_model_to_memory(
                    call.ctx, self._handle, ctypes.byref(data), ctypes.byref(size)
                )
            )
            try:
                return ctypes.string_at(data, size.value)
            finally:
                lib.specreg_bytes_free(data)

    # ---------------------------------------------------------- content
    @property
    def record(self) -> dict[str, Any]:
        """What the fit did, with the keys of docs/JSON.md."""
        if self._record is None:
            with Call() as call:
                self._record = call.record(lib.specreg_model_record, self._handle)
        return self._record

    @property
    def classes(self) -> list[str]:
        """The labels of the classes; empty for a regression."""
        found: list[str] = []
        while (name := lib.specreg_model_class(self._handle, len(found))) is not None:
            found.append(name.decode())
        return found

    @property
    def tasks(self) -> list[str]:
        """The tasks of a model of several; else empty."""
        if "task_column" not in self.record.get("data", {}):
            return []
        content = self.to_bytes()  # its header has them, docs/MODEL_FILE.md
        size = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + size])["__metadata__"]
        return list(json.loads(metadata["tasks"])["labels"])

    @property
    def input_names(self) -> list[str]:
        """The names of the inputs; empty where the training table had none."""
        data = self.record.get("data", {})
        found: list[str] = []
        for name in data.get("columns", []) if data.get("header") else []:
            column, _, part = name.rpartition(":")
            name = column if part in _PARTS and column else name
            if name not in found:
                found.append(name)
        numbered = [f"x{j + 1}" for j in range(len(found))]
        return found if len(found) == self.n_inputs and found != numbered else []

    @property
    def n_inputs(self) -> int:
        return int(lib.specreg_model_inputs(self._handle))

    @property
    def n_outputs(self) -> int:
        return int(lib.specreg_model_outputs(self._handle))

    def array(self, name: str) -> Any:
        """Numbers of the model, not copied and read-only: "centres", "coefficients", "slopes" or
        "features" (docs/C.md)."""
        view = View()
        with Call() as call:
            call.check(
                lib.specreg_model_array(call.ctx, self._handle, name.encode(), ctypes.byref(view))
            )
        if view.rows * view.cols == 0:
            return np.empty((view.rows, view.cols))
        size = (view.rows - 1) * view.ld + view.cols
        numbers = (ctypes.c_double * size).from_address(view.data)
        numbers._owner = self  # as long as the array lives
        step = 8 * view.ld
        array = np.lib.stride_tricks.as_strided(
            np.frombuffer(numbers), (view.rows, view.cols), (step, 8), writeable=False
        )
        return array

    # ------------------------------------------------------ predictions
    def scores(self, X: Any, options: Options | None = None) -> Any:
        """A number for each target, or a score for each class."""
        return self._numbers(lib.specreg_predict_data, X, options, self.n_outputs, np.float64)

    def class_numbers(self, X: Any, options: Options | None = None) -> Any:
        """The number of each row's class, of `classes`."""
        return self._numbers(lib.specreg_predict_classes, X, options, 1, np.int32)[:, 0]

    def proba(self, X: Any, options: Options | None = None) -> Any:
        """The probability of each class."""
        return self._numbers(lib.specreg_predict_proba_data, X, options, self.n_outputs, np.float64)

    def interval(self, X: Any, level: float, options: Options | None = None) -> tuple[Any, Any]:
        """Lower and upper ends of intervals, for each target."""
        options = {**(options or {}), "interval": repr(float(level))}
        X = np.asarray(X) if isinstance(X, np.memmap) else X
        ends = self._numbers(
            lib.specreg_predict_interval_data, X, options, 2 * self.n_outputs, np.float64
        )
        lower, upper = ends.reshape(2, -1, self.n_outputs)  # all lower ends come first
        return lower, upper

    def _numbers(self, function: Any, X: Any, options: Options | None, cols: int, kind: Any) -> Any:
        if isinstance(X, Tables):
            return predict(self, function, X, options)
        X = X if hasattr(X, "shape") else np.asarray(X)
        rows = X.shape[0]
        out = np.empty((rows, cols), dtype=kind)
        # the library copies what it predicts: maps of large files go in parts
        step = 65536 if isinstance(X, np.memmap) else max(rows, 1)
        for first in range(0, rows, step):
            arrays, part = Arrays(X[first : first + step]), out[first : first + step]
            with Call(options) as call:
                call.check(
                    function(
                        call.ctx, self._handle, arrays.pointer, call.options, part.ctypes.data,
                        part.size,
                    )
                )
        return out

    def parts(self, X: Any, options: Options | None = None) -> dict[str, Any]:
        """The parts of the predictions by name, such as curlfree and divfree."""
        X = np.ascontiguousarray(X, dtype=np.float64)
        view = View(X.ctypes.data, *X.shape, X.shape[1])
        found = {}
        for part in range(lib.specreg_model_parts(self._handle)):
            out = np.empty((X.shape[0], self.n_outputs))
            with Call(options) as call:
                call.check(
                    lib.specreg_predict_part_array(
                        call.ctx, self._handle, ctypes.byref(view), part, call.options,
                        out.ctypes.data, out.size,
                    )
                )
            found[lib.specreg_model_part(self._handle, part).decode()] = out
        return found

    def predict_table(self, call: Call, table: Table) -> Table:
        """Predictions as a table, for what arrays cannot hold: texts, tasks."""
        return Table(
            call, call.make(lib.specreg_predict, self._handle, table.handle, call.options)
        )

    def read(self, call: Call, path: str) -> Table:
        """A file as this model's rows."""
        return Table(
            call,
            call.make(lib.specreg_table_read_for, self._handle, os.fsencode(path), call.options),
        )
