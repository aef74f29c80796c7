"""Rows that come in parts: sums over blocks of rows, as files of the library in a folder of their own."""
from __future__ import annotations

import csv
import os
import shutil
import tempfile
from typing import Any, Mapping

import numpy as np

from ._c import lib
from ._call import Call
from ._data import texts
from ._model import Model


class Sums:
    """The sums of the rows seen so far; they can be pickled."""

    def __init__(self) -> None:
        self.basis: bytes = b""
        self.sums: bytes = b""

    def add(self, X: Any, y: Any, options: Mapping[str, Any]) -> None:
        """Adds rows; the first ones decide about scaling, centres and folds.  `y`: numbers, or a list
        of classes as texts."""
        folder = tempfile.mkdtemp(prefix="specreg")
        try:
            if isinstance(y, list):
                path = os.path.join(folder, "rows.csv")
                _write_rows(path, X, y)
                self._add(folder, path, {**options, "target": "label"})
            else:
                path = os.path.join(folder, "rows.npy")
                np.save(path, np.column_stack([X, y]).astype(np.float64, copy=False))
                self._add(folder, path, dict(options))
        finally:
            shutil.rmtree(folder)

    def _add(self, folder: str, rows: str, options: dict[str, Any]) -> None:
        def at(name: str) -> bytes:
            return os.path.join(folder, name).encode()

        with Call(options) as call:
            if not self.basis:
                call.check(
                    lib.specreg_sums_init(call.ctx, rows.encode(), call.options, at("basis"))
                )
                self.basis = _read(at("basis"))
            else:
                _write(at("basis"), self.basis)
            part, kept = texts([rows])
            call.check(
                lib.specreg_sums_add(
                    call.ctx, at("basis"), part.ctypes.data, 1, call.options, at("part")
                )
            )
            if not self.sums:
                self.sums = _read(at("part"))
            else:
                _write(at("all"), self.sums)
                both, kept = texts([at("all").decode(), at("part").decode()])
                call.check(lib.specreg_sums_merge(call.ctx, both.ctypes.data, 2, at("merged")))
                self.sums = _read(at("merged"))
            del kept

    def model(self, options: Mapping[str, Any], verbose: int = 0) -> Model:
        """The model of all rows."""
        folder = tempfile.mkdtemp(prefix="specreg")
        try:
            path = os.path.join(folder, "sums").encode()
            _write(path, self.sums)
            with Call(options, verbose) as call:
                return Model(call.make(lib.specreg_fit_sums, path, call.options))
        finally:
            shutil.rmtree(folder)


def _write_rows(path: str, X: Any, labels: list[str]) -> None:
    """Rows with classes that are texts; numbers read back as they are."""
    with open(path, "w", newline="") as file:
        out = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        out.writerow([*(f"x{j + 1}" for j in range(X.shape[1])), "label"])
        out.writerows([*map(float, row), label] for row, label in zip(X.tolist(), labels))


def write_labels(path: str, rows: Any) -> None:
    """A column `label` beside a file of inputs, for the option `labels`."""
    with open(path, "w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_NONNUMERIC).writerows([["label"], *rows])


def _read(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: bytes, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
