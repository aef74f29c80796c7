"""Rows that are tables of the library: DataFrames with columns of texts, of which it makes columns of 0 and 1,
and files.  What is said of rows that no estimator can take."""
from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import Any, Iterator, Sequence

import numpy as np

from ._c import lib
from ._call import Call
from ._data import Arrays, Table, check_sparse, paths_of


def _missing_text(estimator: Any) -> str:
    return (
        f"Input X contains NaN: {type(estimator).__name__} takes missing values with missing='mean' or "
        f"missing='indicator'"
    )


@contextmanager
def conventional(estimator: Any, X: Any) -> Iterator[None]:
    """Around a check of scikit-learn, which recommends other estimators for missing values."""
    check_sparse(X)
    try:
        yield
    except ValueError as error:
        if "Input X contains NaN" not in str(error) or not hasattr(estimator, "missing"):
            raise
        raise ValueError(_missing_text(estimator)) from None


def plain_target(y: Any) -> Any:
    """Numbers of pandas that may be missing as those of NumPy, which scikit-learn takes."""
    kind: Any = getattr(y, "dtype", None)
    if getattr(kind, "kind", "") not in tuple("biuf") or not hasattr(kind, "numpy_dtype"):
        return y
    if y.isna().any():
        return y.to_numpy(dtype=np.float64, na_value=np.nan)
    return y.to_numpy(dtype=kind.numpy_dtype)


def is_missing(value: Any) -> bool:
    """None, NaN, NaT, and what pandas has, which differs from itself or cannot be compared."""
    try:
        return value is None or bool(value != value)
    except TypeError:
        return True


def _is_text(column: Any) -> bool:
    """Whether a column holds categories, dates or texts; one of objects that are all numbers does not."""
    kind = column.dtype
    if getattr(kind, "kind", "") == "m":
        raise ValueError(
            f"column {column.name!r} of X holds durations: make numbers of them, such as "
            f"X[{column.name!r}].dt.total_seconds()"
        )
    if _is_period(column):
        return True
    if getattr(kind, "name", "") in ("category", "string", "str") or getattr(kind, "kind", "") == "M":
        return True
    if kind != object:
        return False
    return any(isinstance(v, str) for v in column)


def _is_period(column: Any) -> bool:
    return str(getattr(column.dtype, "name", "")).startswith("period[")


def text_of(value: Any) -> str | None:
    """A cell as a text, whole numbers without a point; None where it is missing."""
    if is_missing(value):
        return None
    if isinstance(value, str):
        return value
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def _texts(column: Any) -> list[str | None]:
    if _is_period(column):
        column = column.dt.to_timestamp()
    if getattr(column.dtype, "kind", "") == "M":
        midnight = bool((column.dropna() == column.dropna().dt.normalize()).all())
        column = column.dt.strftime("%Y-%m-%d" if midnight else "%Y-%m-%dT%H:%M:%S")
    return [text_of(v) for v in column.tolist()]


class Tables:
    """Rows that predictions take as tables."""

    def tables(self, model: Any, call: Call) -> Iterator[Table]:
        """The rows, one table after the other; each is freed when the next one is asked for."""
        raise NotImplementedError

    def predicted(self, model: Any, options: Any) -> Iterator[Table]:
        """Predictions of these rows as tables, while each is looked at."""
        with Call(options) as call:
            for rows in self.tables(model, call):
                with model.predict_table(call, rows) as out:
                    yield out

    def columns(self, model: Any, names: Sequence[str], options: Any) -> Any:
        """Columns of the predictions by name, as numbers."""
        found = []
        for out in self.predicted(model, options):
            have = out.names
            found.append(np.hstack([out.numbers(have.index(name), 1) for name in names]))
        return np.concatenate(found)

    def texts_of(self, model: Any, name: str, options: Any) -> list[str | None]:
        """A column of texts of the predictions."""
        found: list[str | None] = []
        for out in self.predicted(model, options):
            found += out.text(out.names.index(name))
        return found


class Files(Tables):
    """The rows of files, as a model's."""

    def __init__(self, paths: Any) -> None:
        self.paths = paths_of(paths)

    def tables(self, model: Any, call: Call) -> Iterator[Table]:
        for path in self.paths:
            with model.read(call, path) as rows:
                yield rows


class Mixed(Tables):
    """The rows of a DataFrame of which some columns are texts."""

    def __init__(self, frame: Any, text_columns: Sequence[int]) -> None:
        self.frame = frame
        self.at = list(text_columns)
        self.shape = frame.shape
        self.names = [f"x{j + 1}" for j in range(frame.shape[1])]
        names = [str(name) for name in frame.columns]
        taken = {"y", "label", "weights", "group"}
        clash = any(n in taken or not n or (n[:1] == "y" and n[1:].isdigit()) for n in names)
        if len(set(names)) == len(names) and not clash:
            self.names = names

    @classmethod
    def of(cls, X: Any, known: Sequence[int] | None = None) -> Mixed | None:
        """None for everything but a DataFrame with texts; `known`: the columns that training had."""
        pandas = sys.modules.get("pandas")
        if pandas is None or not isinstance(X, pandas.DataFrame):
            return None
        if known is None:
            known = [j for j in range(X.shape[1]) if _is_text(X.iloc[:, j])]
        return cls(X, known) if len(known) else None

    def checked(self, estimator: Any, reset: bool, missing: str) -> Mixed:
        """What _validate_data of scikit-learn checks of arrays; an estimator keeps the columns of texts."""
        if reset or hasattr(estimator, "feature_names_in_"):
            estimator._check_feature_names(self.frame, reset=reset)
        estimator._check_n_features(self.frame, reset=reset)
        least = 2 if reset else 1
        if len(self) < least:
            raise ValueError(
                f"Found array with {len(self)} sample(s) (shape={self.shape}) while a minimum of {least} "
                f"is required."
            )
        if missing == "error" and bool(self.frame.isna().to_numpy().any()):
            raise ValueError(_missing_text(estimator))
        if reset:
            estimator._text_columns = self.at
        return self

    def apart_from(self, *taken: str) -> Mixed:
        """The same columns, with other names where one is among these."""
        if set(taken) & set(self.names):
            self.names = [f"x{j + 1}" for j in range(len(self.names))]
        return self

    def split(self, at: int) -> tuple[Mixed, list[str | None]]:
        """All columns but one, and the texts of that one."""
        rest = [j - (j > at) for j in self.at if j != at]
        others = self.frame.iloc[:, [j for j in range(self.shape[1]) if j != at]]
        return Mixed(others, rest), _texts(self.frame.iloc[:, at])

    def __getitem__(self, rows: Any) -> Mixed:
        return Mixed(self.frame.iloc[rows], self.at)

    def __len__(self) -> int:
        return int(self.shape[0])

    def _numbers(self) -> Any:
        """The other columns; what is no number raises as scikit-learn does."""
        others = [j for j in range(self.shape[1]) if j not in self.at]
        return np.ascontiguousarray(self.frame.iloc[:, others].astype(np.float64).to_numpy())

    def table(self, call: Call, **columns: Any) -> Table:
        """A table of the library; `columns`: those beside the inputs, as of Arrays."""
        names = [name for j, name in enumerate(self.names) if j not in self.at]
        numbers = self._numbers()
        if np.isinf(numbers).any():
            raise ValueError("Input X contains infinity or a value too large for dtype('float64').")
        table = Table.of(call, Arrays(numbers, names=names, **columns))
        try:
            for j in self.at:
                table.insert_text(j, self.names[j], _texts(self.frame.iloc[:, j]))
        except BaseException:
            table.__exit__()
            raise
        return table

    def tables(self, model: Any, call: Call) -> Iterator[Table]:
        with self.table(call) as rows:
            yield rows


def predict(model: Any, function: Any, rows: Tables, options: Any) -> Any:
    """What a function of the library says of arrays, by the table of predictions."""
    targets = model.record["data"]["targets"]
    if function is lib.specreg_predict_classes:
        place = {name: i for i, name in enumerate(model.classes)}
        found = rows.texts_of(model, "label", options)
        return np.array([[place[str(name)]] for name in found], dtype=np.int32).reshape(-1, 1)
    if function is lib.specreg_predict_proba_data:
        names = [f"prob:{name}" for name in model.classes]
        return rows.columns(model, names, {**(options or {}), "proba": "yes"})
    if function is lib.specreg_predict_interval_data:
        lower = rows.columns(model, [f"{name}:lower" for name in targets], options)
        upper = rows.columns(model, [f"{name}:upper" for name in targets], options)
        return np.concatenate([lower.ravel(), upper.ravel()])
    return rows.columns(
        model, [f"score:{name}" for name in model.classes] if model.classes else targets, options
    )
