"""Rows that come in parts: sums over blocks of rows, as files of the library in a folder of their own."""
from __future__ import annotations

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
        """Adds rows; the first ones decide about scaling, centres and folds."""
        folder = tempfile.mkdtemp(prefix="specreg")
        try:
            self._add(folder, np.column_stack([X, y]), dict(options))
        finally:
            shutil.rmtree(folder)

    def _add(self, folder: str, rows: Any, options: dict[str, Any]) -> None:
        def at(name: str) -> bytes:
            return os.path.join(folder, name).encode()

        np.save(at("rows.npy").decode(), np.ascontiguousarray(rows, dtype=np.float64))
        with Call(options) as call:
            if not self.basis:
                call.check(
                    lib.specreg_sums_init(call.ctx, at("rows.npy"), call.options, at("basis"))
                )
                self.basis = _read(at("basis"))
            else:
                _write(at("basis"), self.basis)
            part, kept = texts([at("rows.npy").decode()])
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


def _read(path: bytes) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _write(path: bytes, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)
