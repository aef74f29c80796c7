"""Estimators that need a table of the library: rows with a task or a document."""
from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import Spectral, class_names, documented, fit_table, no_tasks
from ._call import Call
from ._data import Arrays, Table, is_paths
from ._estimators import Regressor, SpectralClassifier, target_numbers
from ._explain import table_of
from ._mixed import Files, Mixed, text_of

if TYPE_CHECKING:
    from typing_extensions import Self


@documented
class MultiTaskRegressor(Regressor):
    """Related regressions learned together: each row belongs to a task (docs/OUTPUTS.md).

    Parameters
    ----------
    %(parameters)s
    outputs : str, default="common"
        How tasks are coupled, such as ``"common:omega=0.5"`` or ``"independent"``.
    task_column : int or str, default=None
        The column of X that names the tasks, for tools that pass X and y alone, and for files; it is no
        input.  By its number from 0, or by its name.

    Attributes
    ----------
    tasks_ : list of str
        The tasks.
    %(attributes)s

    Examples
    --------
    >>> import numpy as np
    >>> from specreg import MultiTaskRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(size=(60, 1))
    >>> school = np.repeat(["Hill", "Lake", "Mill"], 20)
    >>> y = np.sin(4 * X[:, 0]) + 1.0 * (school == "Lake")
    >>> model = MultiTaskRegressor(kernel="rbf").fit(X, y, tasks=school)
    >>> model.predict([[0.5], [0.5]], tasks=["Hill", "Lake"]).round(1).tolist()
    [0.9, 1.9]
    """

    def __init__(
        self,
        kernel: str = "auto",
        *,
        filter: str = "tikhonov",
        param: Any = "auto",
        select: Any = "auto",
        criterion: str = "auto",
        scale: str = "auto",
        features: str = "auto",
        approx: str = "auto",
        engine: str = "auto",
        missing: str = "error",
        outputs: str = "common",
        task_column: int | str | None = None,
        options: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            kernel, filter=filter, param=param, select=select, criterion=criterion, scale=scale,
            features=features, approx=approx, engine=engine, missing=missing, outputs=outputs,
            options=options, random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        )
        self.task_column = task_column

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, tasks: Any = None,
        groups: Any = None, unlabelled: Any = None,
    ) -> Self:
        """Searches the parameters and trains.

        Parameters
        ----------
        X : array of shape (n, p), DataFrame, or file names
            The inputs; a DataFrame may have columns of texts, files have a `task_column`.
        y : array of shape (n,)
            The target; for files the name of its column.
        sample_weight, groups : array of shape (n,), optional
            Weights of the rows; rows of a group stay in one fold.
        tasks : sequence of length n, or one task, optional
            The task of each row; without it, and without `task_column`, there is one task.
        unlabelled : None
            Rows without targets are for problems without tasks.

        Returns
        -------
        self
        """
        if unlabelled is not None:
            raise ValueError("unlabelled: rows without targets are for problems without tasks")
        if is_paths(X):
            no_tasks(tasks)
            self._fit_files(
                X, y, {"problem": "regression", **self._file_options()}, weights=sample_weight, groups=groups
            )
            self.tasks_ = self.model_.tasks
            self._single = True
            return self
        self._text_columns = None
        mixed = Mixed.of(X)
        if mixed is not None:
            X, y = mixed.checked(self, True, self.missing), column_or_1d(target_numbers(self, y))
            check_consistent_length(X.frame, y)
        else:
            X, y = self._validate_data(
                X, y, accept_sparse="csr", dtype=[np.float64, np.float32], y_numeric=True,
                ensure_min_samples=2, force_all_finite=self._finite(),
            )
        inputs, names = self._split(X, tasks)
        self.tasks_ = sorted(set(names))
        beside, more = self._coupled(names)
        if beside:
            self.model_ = fit_table(
                self, inputs, y, weights=sample_weight, groups=groups, beside=beside, more=more
            )
        else:
            self._fit_arrays(inputs, y=y, weights=sample_weight, groups=groups, more=more)
        self._single = True
        return self

    def predict(self, X: Any, tasks: Any = None) -> Any:
        """The target of each row.

        Parameters
        ----------
        X : array of shape (n, p), DataFrame, or file names
            The inputs.
        tasks : sequence of length n, or one task, optional
            The task of each row; one that training did not have gets what all have in common.

        Returns
        -------
        ndarray of shape (n,)
        """
        check_is_fitted(self)
        if is_paths(X):
            no_tasks(tasks)
            return self.model_.scores(Files(X), self._predict_options())[:, 0]
        if len(self.tasks_) == 1:
            inputs, _ = self._split(self._rows(X), tasks)
            return self.model_.scores(inputs, self._predict_options())[:, 0]
        with Call(self._predict_options()) as call, table_of(call, self, X, None, tasks) as table:
            with self.model_.predict_table(call, table) as out:
                target = self.record_["data"]["targets"][0]
                return out.numbers(out.names.index(target), 1)[:, 0]

    def score(self, X: Any, y: Any, sample_weight: Any = None, *, tasks: Any = None) -> float:
        """The coefficient of determination; X and tasks as for :meth:`predict`."""
        return float(r2_score(y, self.predict(X, tasks), sample_weight=sample_weight))

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """As :meth:`SpectralRegressor.predict_interval`, of one task; many have no intervals."""
        check_is_fitted(self)
        if len(self.tasks_) > 1:
            raise NotImplementedError("there are no intervals of several tasks")
        inputs = Files(X) if is_paths(X) else self._split(self._rows(X), None)[0]
        lower, upper = self.model_.interval(inputs, level, self._predict_options())
        return lower[:, 0], upper[:, 0]

    def _coupled(self, names: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
        """The column beside the inputs, and options; one task has nothing to couple."""
        if len(set(names)) == 1:
            return {}, {"outputs": "independent"}
        return {"task": names}, {"task-column": "task"}

    def _table_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        checked, _, _ = super()._table_rows(X, None)
        inputs, names = self._split(checked, tasks, getattr(X, "columns", ()))
        return inputs, *self._coupled(names)

    def _prediction_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], Any]:
        inputs, names = self._split(self._rows(X), tasks)
        if len(self.tasks_) == 1:
            return inputs, {}, None
        if tasks is None and self.task_column is None:
            raise ValueError(f"the model has {len(self.tasks_)} tasks: pass tasks, that of each row")
        data = self.record_["data"]
        return inputs, {data["task_column"]: names}, data["columns"]

    def _beside_at(self, X: Any, tasks: Any) -> int:
        if tasks is not None:
            return super()._beside_at(X, tasks)
        at = self.task_column
        if isinstance(at, str):
            return int(list(self.feature_names_in_).index(at))
        return int((at or 0) % (X.shape[1] + 1))

    def _file_options(self) -> dict[str, Any]:
        column = self.task_column
        if column is None or (not isinstance(column, str) and column < 0):
            raise ValueError("task_column: with files it is the column of the tasks, by name or number from 0")
        return {"task-column": column if isinstance(column, str) else str(column + 1)}

    def _split(self, X: Any, tasks: Any, columns: Any = None) -> tuple[Any, list[str]]:
        """The inputs, and the task of each row; `columns`: names of the columns of X."""
        if tasks is None and self.task_column is not None:
            names = getattr(self, "feature_names_in_", ()) if columns is None else columns
            X, tasks = self._take_tasks(X, self._column_number(X, list(names)))
        if isinstance(X, Mixed):
            X.apart_from("task")
        if tasks is None or np.ndim(tasks) == 0:
            tasks = ["0" if tasks is None else tasks] * X.shape[0]
        names = [text_of(t) for t in tasks]
        if len(names) != X.shape[0]:
            raise ValueError(f"there are {len(names)} tasks for {X.shape[0]} rows")
        if None in names:
            raise ValueError(f"row {names.index(None)} of X has no task")
        return X, names

    def _column_number(self, X: Any, columns: list[Any]) -> int:
        """The number of the column that names tasks."""
        at, count = self.task_column, X.shape[1]
        if isinstance(at, str):
            if at not in columns:
                raise ValueError(f"task_column={at!r} is no column of X")
            at = columns.index(at)
        if not isinstance(at, numbers.Integral) or not -count <= at < count:
            raise ValueError(f"task_column={at!r} is no column of X, which has {count}")
        return int(at) % count

    def _take_tasks(self, X: Any, column: int) -> tuple[Any, Any]:
        """The inputs, and the column that names tasks."""
        if isinstance(X, Mixed):
            return X.split(column)
        tasks = X[:, [column]]
        tasks = (tasks.toarray() if hasattr(tasks, "toarray") else np.asarray(tasks)).ravel()
        return X[:, np.flatnonzero(np.arange(X.shape[1]) != column)], tasks

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput": False}


@documented
class TextClassifier(ClassifierMixin, Spectral):
    """Classification of documents: words are chosen, counted and weighted (docs/TEXT.md).

    Parameters
    ----------
    %(parameters)s
    text : str, default="auto"
        The vocabulary, such as ``"words=5000,min-docs=3,tfidf=yes"``.
    coding : str, default="ova"
        How classes become outputs (docs/CODINGS.md).

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    %(attributes)s

    Examples
    --------
    >>> from specreg import TextClassifier
    >>> good, bad = ["a fine day with sun", "sun and a fine lake"], ["rain and cold wind", "cold rain"]
    >>> model = TextClassifier(text="min-docs=1").fit((good + bad) * 5, (["good"] * 2 + ["bad"] * 2) * 5)
    >>> model.predict(["a fine sun", "cold wind"]).tolist()
    ['good', 'bad']
    """

    def __init__(
        self,
        kernel: str = "linear",
        *,
        text: str = "auto",
        filter: str = "tikhonov",
        param: Any = "auto",
        select: Any = "auto",
        criterion: str = "auto",
        scale: str = "auto",
        features: str = "auto",
        approx: str = "auto",
        engine: str = "auto",
        missing: str = "error",
        coding: str = "ova",
        options: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            kernel, filter=filter, param=param, select=select, criterion=criterion, scale=scale,
            features=features, approx=approx, engine=engine, missing=missing, options=options,
            random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        )
        self.text = text
        self.coding = coding

    _as_they_are = (*Spectral._as_they_are, "coding", "text")
    _order_classes = SpectralClassifier._order_classes

    def fit(self, documents: Sequence[str], y: Any) -> Self:
        """Chooses the words, searches the parameters and trains.

        Parameters
        ----------
        documents : sequence of str
            The texts.
        y : array of shape (n,)
            Their classes.

        Returns
        -------
        self
        """
        documents = _documents(documents)
        y = column_or_1d(y, warn=True)
        if len(y) != len(documents):
            raise ValueError(f"there are {len(documents)} documents and {len(y)} classes")
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError("TextClassifier needs two or more classes, y has 1 class")
        self._labels = class_names(self.classes_)
        self.model_ = fit_table(
            self, np.empty((len(documents), 0)), None, labels=(self._labels, codes),
            beside={"text": documents},
        )
        self.n_features_in_ = 1
        self._order_classes()
        return self

    def predict(self, documents: Sequence[str]) -> Any:
        """The class of each document."""
        place = {name: i for i, name in enumerate(self._labels)} if hasattr(self, "_labels") else {}
        found = self._predicted(documents, {}, lambda out: out.text(out.names.index("label")))
        return self.classes_[[place[str(name)] for name in found]]

    def decision_function(self, documents: Sequence[str]) -> Any:
        """The score of each class; of two classes that of the second."""
        scores = self._columns(documents, "score:", {})
        return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores

    def predict_proba(self, documents: Sequence[str]) -> Any:
        """The probability of each class."""
        return self._columns(documents, "prob:", {"proba": "yes"})

    def _takes_files(self, X: Any) -> bool:
        return isinstance(X, (str, os.PathLike))  # a list of texts is one of documents

    def _table_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        documents = _documents(X)
        return np.empty((len(documents), 0)), {"text": documents}, {}

    def _prediction_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], Any]:
        rows, beside, _ = self._table_rows(X, tasks)
        return rows, beside, None

    def _columns(self, documents: Sequence[str], prefix: str, options: dict[str, Any]) -> Any:
        def numbers(out: Table) -> Any:
            names = out.names
            return np.column_stack(
                [out.numbers(names.index(prefix + label), 1) for label in self._labels]
            )

        return self._predicted(documents, options, numbers)

    def _predicted(self, documents: Sequence[str], options: dict[str, Any], take: Any) -> Any:
        check_is_fitted(self)
        documents = _documents(documents)
        with Call({**self._predict_options(), **options}) as call:
            with Table.of(call, Arrays(np.empty((len(documents), 0)))) as table:
                table.insert_text(0, "text", documents)
                with self.model_.predict_table(call, table) as out:
                    return take(out)


def _documents(documents: Any) -> list[str]:
    if isinstance(documents, (str, bytes)):
        raise ValueError("documents is one text: pass a list of texts")
    if np.ndim(documents) == 2:
        raise ValueError("documents is a table: pass one column, or a list of texts")
    found = list(documents)
    if not found:
        raise ValueError("documents has 0 samples")
    for i, text in enumerate(found):
        if not isinstance(text, str) or "\0" in text:
            raise ValueError(f"document {i} is not a text without zero bytes: {type(text).__name__}")
    return found


@documented
class VectorFieldRegressor(Regressor):
    """A vector at each point, learned with field kernels (docs/FIELDS.md).

    y has as many columns as X.

    Parameters
    ----------
    %(parameters)s
    outputs : str, default="independent"
        Left at its default.

    Attributes
    ----------
    %(attributes)s

    Examples
    --------
    >>> import numpy as np
    >>> from specreg import VectorFieldRegressor
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(60, 2))
    >>> swirl = np.column_stack([-X[:, 1], X[:, 0]])
    >>> model = VectorFieldRegressor(kernel="helmholtz:sigma=1").fit(X, swirl)
    >>> (model.predict([[0.5, 0.0]]).round(1) + 0.0).tolist()
    [[0.0, 0.5]]
    >>> sorted(model.predict_parts([[0.5, 0.0]]))
    ['curlfree', 'divfree']
    """

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None,
        unlabelled: Any = None,
    ) -> Self:
        """As :meth:`SpectralRegressor.fit`, with a vector for each row; all rows have targets."""
        if unlabelled is not None:
            raise ValueError("unlabelled: rows without targets are not for vector fields")
        if is_paths(X):
            self._fit_files(X, y, {"problem": "field"}, weights=sample_weight, groups=groups)
            self._single = False
            return self
        X, y = self._validate_data(
            X, y, dtype=[np.float64, np.float32], multi_output=True, y_numeric=True,
            ensure_min_samples=2, force_all_finite=self._finite(),
        )
        if y.ndim != 2 or y.shape[1] != X.shape[1]:
            raise ValueError(
                f"a vector field has as many outputs as inputs: X has shape {X.shape}, y {y.shape}"
            )
        self._fit_arrays(X, y=y, weights=sample_weight, groups=groups, more={"problem": "field"})
        self._single = False
        return self

    def predict_parts(self, X: Any) -> dict[str, Any]:
        """The parts that sum to the prediction, by name: curlfree and divfree."""
        check_is_fitted(self)
        return self.model_.parts(self._rows_like(X), self._predict_options())

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput_only": True}


__all__ = ["MultiTaskRegressor", "TextClassifier", "VectorFieldRegressor"]
