"""NumPy and SciPy arrays as the views of the C interface, without copies where the layout allows."""
from __future__ import annotations

import ctypes
import os
from typing import Any, Sequence

import numpy as np

from ._c import CsrView, Data, FloatView, StridedView, View, lib
from ._call import Call

Paths = "str | os.PathLike[str] | Sequence[str | os.PathLike[str]]"


def is_paths(X: Any) -> bool:
    """Whether X is the name of a file, or a list of such names."""
    one = (str, os.PathLike)
    many = isinstance(X, (list, tuple)) and len(X) > 0
    return isinstance(X, one) or (many and all(isinstance(x, one) for x in X))


def mapped_file(X: Any) -> str | None:
    """The NPY file that X maps as a whole; None for every other array."""
    if not isinstance(X, np.memmap) or X.ndim != 2 or X.filename is None:
        return None
    if X.mode == "c":  # copy on write: the file may hold other numbers
        return None
    try:
        whole: Any = np.load(X.filename, mmap_mode="r")
    except (OSError, ValueError):
        return None
    same = (whole.shape, whole.strides, whole.dtype) == (X.shape, X.strides, X.dtype)
    return os.fspath(X.filename) if same and X.dtype.kind == "f" else None


def paths_of(X: Any) -> list[str]:
    """One or several names as a list."""
    return [os.fspath(x) for x in ([X] if isinstance(X, (str, os.PathLike)) else X)]


def one_path(X: Any) -> str:
    """The name of one file, where only one can be taken."""
    paths = paths_of(X)
    if len(paths) != 1:
        raise ValueError(f"there are {len(paths)} files, where one is taken: {paths[0]!r}, ...")
    return paths[0]


def texts(values: Sequence[str | None]) -> tuple[Any, Any]:
    """An array of char * with these texts, and what must be kept while it is used."""
    kept = [None if v is None else ctypes.create_string_buffer(v.encode()) for v in values]
    return pointers([0 if b is None else ctypes.addressof(b) for b in kept]), kept


def pointers(addresses: Any) -> Any:
    """Addresses as an array of char *."""
    return np.ascontiguousarray(addresses, dtype=np.uintp)


def repeated(values: Sequence[str], which: Any) -> tuple[Any, Any]:
    """The same for texts of which many rows have the same: the text of row i is values[which[i]]."""
    each, kept = texts(values)
    return np.ascontiguousarray(each[np.asarray(which, dtype=np.intp)]), kept


def _plain(a: Any) -> Any:
    """float32 and float64 stay as they are; all else becomes float64."""
    a = np.asarray(a)
    if a.dtype.type not in (np.float32, np.float64) or not a.dtype.isnative:
        a = a.astype(np.float64)
    return a


def check_sparse(X: Any) -> None:
    """Refuses a CSR or CSC matrix whose row starts are wrong: SciPy would read beyond its arrays."""
    if not hasattr(X, "indptr") or getattr(X, "format", "") not in ("csr", "csc"):
        return
    major, minor = X.shape if X.format == "csr" else X.shape[::-1]
    start = X.indptr
    if (
        len(start) != major + 1 or start[0] != 0 or bool((np.diff(start) < 0).any())
        or start[-1] > min(len(X.indices), len(X.data))
    ):
        raise ValueError(f"X is a broken {X.format} matrix: its indptr does not fit its entries")
    used = X.indices[: start[-1]]
    if len(used) and (used.min() < 0 or used.max() >= minor):
        raise ValueError(f"X is a broken {X.format} matrix: it has indices outside its shape {X.shape}")


class Arrays:
    """A specreg_data over arrays, which it keeps."""

    def __init__(
        self,
        X: Any,
        Y: Any = None,
        labels: tuple[Sequence[str], Any] | None = None,
        weights: Any = None,
        groups: Any = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.data = Data(struct_size=ctypes.sizeof(Data))
        self.kept: list[Any] = []
        if hasattr(X, "tocsr"):
            self._sparse(X)
        else:
            self._dense(_plain(X))
            if names is not None:
                self._put("x_names", *texts(names))
        if Y is not None:
            Y = np.ascontiguousarray(Y, dtype=np.float64)
            Y = Y.reshape(len(Y), -1)
            self._view("Y", View(Y.ctypes.data, Y.shape[0], Y.shape[1], Y.shape[1]), Y)
        if labels is not None:
            self._put("labels", *repeated(*labels))
        if weights is not None:
            self._put("weights", np.ascontiguousarray(weights, dtype=np.float64))
        if groups is not None:
            self._put("groups", np.ascontiguousarray(groups, dtype=np.int64))

    def _put(self, field: str, array: Any, *kept: Any) -> None:
        setattr(self.data, field, array.ctypes.data)
        self.kept += [array, *kept]

    def _view(self, field: str, view: Any, *kept: Any) -> None:
        setattr(self.data, field, ctypes.pointer(view))
        self.kept += [view, *kept]

    def _dense(self, X: Any) -> None:
        if X.ndim != 2:
            raise ValueError(f"Expected 2D array, got {X.ndim}D array instead")
        self.rows, self.cols = X.shape
        size = X.dtype.itemsize
        by_rows = X.shape[1] <= 1 or X.strides[1] == size
        step = X.strides[0] if X.shape[0] > 1 else size * X.shape[1]
        if by_rows and step % size == 0 and step >= size * X.shape[1] and X.flags.aligned:
            kind, field = (View, "X") if size == 8 else (FloatView, "X_float")
            self._view(field, kind(X.ctypes.data, *X.shape, step // size), X)
        else:
            self._view("X_strided", StridedView(X.ctypes.data, *X.shape, *X.strides, size == 4), X)

    def _sparse(self, X: Any) -> None:
        check_sparse(X)
        csr = X.tocsr()
        if not csr.has_canonical_format:
            csr = csr.copy() if csr is X else csr
            csr.sum_duplicates()
        self.rows, self.cols = csr.shape
        if self.cols > np.iinfo(np.int32).max:
            raise ValueError(f"X has {self.cols} columns: sparse matrices have at most 2147483647")
        value = np.ascontiguousarray(csr.data, dtype=np.float64)
        if not np.isfinite(value).all():
            raise ValueError("Input X contains NaN or infinity.")
        start = np.ascontiguousarray(csr.indptr, dtype=np.int64)
        index = np.ascontiguousarray(csr.indices, dtype=np.int32)
        view = CsrView(value.ctypes.data, start.ctypes.data, index.ctypes.data, *csr.shape)
        self._view("X_csr", view, value, start, index)

    @property
    def pointer(self) -> Any:
        return ctypes.byref(self.data)


class Table:
    """A table of the library, freed at the end of a `with`; `kept`: the arrays that it looks at."""

    def __init__(self, call: Call, handle: Any, kept: Arrays | None = None) -> None:
        self.call, self.handle, self.kept = call, handle, kept

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *error: Any) -> None:
        lib.specreg_table_free(self.handle)

    @classmethod
    def of(cls, call: Call, arrays: Arrays) -> Table:
        return cls(call, call.make(lib.specreg_table_over_data, arrays.pointer), arrays)

    @classmethod
    def read(cls, call: Call, path: Any) -> Table:
        name = os.fspath(path).encode()
        return cls(call, call.make(lib.specreg_table_read, name, call.options))

    def insert_text(self, at: int, name: str, values: Sequence[str | None]) -> None:
        array, kept = texts(values)
        self.call.check(
            lib.specreg_table_insert_text(
                self.call.ctx, self.handle, at, name.encode(), array.ctypes.data
            )
        )
        del kept

    @property
    def shape(self) -> tuple[int, int]:
        return lib.specreg_table_rows(self.handle), lib.specreg_table_cols(self.handle)

    @property
    def names(self) -> list[str]:
        return [
            lib.specreg_table_name(self.handle, j).decode() for j in range(self.shape[1])
        ]

    def is_text(self, col: int) -> bool:
        return bool(lib.specreg_table_is_text(self.handle, col))

    def numbers(self, first: int, count: int) -> Any:
        out = np.empty((self.shape[0], count))
        self.call.check(
            lib.specreg_table_numbers(
                self.call.ctx, self.handle, first, count, out.ctypes.data, out.size
            )
        )
        return out

    def text(self, col: int) -> list[str | None]:
        cells = (lib.specreg_table_text(self.handle, i, col) for i in range(self.shape[0]))
        return [None if cell is None else cell.decode() for cell in cells]
