"""Estimators that need a table of the library: rows with a task or a document."""
from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from ._base import Spectral, class_names, column_names, documented, fit_table
from ._call import Call
from ._data import Arrays, Table
from ._estimators import Regressor, SpectralClassifier, target_numbers
from ._mixed import Mixed


@documented
class MultiTaskRegressor(Regressor):
    """Related regressions learned together: each row belongs to a task (docs/OUTPUTS.md).

    Parameters
    ----------
    %(parameters)s
    outputs : str, default="common"
        How tasks are coupled, such as ``"common:omega=0.5"`` or ``"independent"``.
    task_column : int or str, default=None
        The column of X that names the tasks, for tools that pass X and y alone; it is no input.  By its
        number, or in a DataFrame with columns of texts also by its name.

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
    ) -> Any:
        """Searches the parameters and trains.

        Parameters
        ----------
        X : array of shape (n, p), or DataFrame
            The inputs; a DataFrame may have columns of texts.
        y : array of shape (n,)
            The target.
        sample_weight, groups : array of shape (n,), optional
            Weights of the rows; rows of a group stay in one fold.
        tasks : sequence of length n, optional
            The task of each row; without it, and without `task_column`, there is one task.
        unlabelled : None
            Rows without targets are for problems without tasks.

        Returns
        -------
        self
        """
        if unlabelled is not None:
            raise ValueError("unlabelled: rows without targets are for problems without tasks")
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
        if len(self.tasks_) == 1:  # nothing to couple
            alone = {"outputs": "independent"}
            self._fit_arrays(inputs, y=y, weights=sample_weight, groups=groups, more=alone)
        else:
            self.model_ = fit_table(
                self, inputs, y, weights=sample_weight, groups=groups, tasks=names,
                more={"task-column": "task"},
            )
        self._single = True
        return self

    def predict(self, X: Any, tasks: Any = None) -> Any:
        """The target of each row.

        Parameters
        ----------
        X : array of shape (n, p)
            The inputs.
        tasks : sequence of length n, optional
            The task of each row; one that training did not have gets what all have in common.

        Returns
        -------
        ndarray of shape (n,)
        """
        inputs, names = self._split(self._rows(X), tasks)
        if len(self.tasks_) == 1:
            return self.model_.scores(inputs, self._predict_options())[:, 0]
        with Call(self._predict_options()) as call:
            with self._rows_table(call, inputs) as table:
                table.insert_text(0, "task", names)
                with self.model_.predict_table(call, table) as out:
                    return out.numbers(out.names.index("y"), 1)[:, 0]

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """Tasks have no intervals yet."""
        raise NotImplementedError("intervals of many tasks: predict a file with the command")

    def _rows_table(self, call: Call, inputs: Any) -> Table:
        if isinstance(inputs, Mixed):
            return inputs.table(call)
        return Table.of(call, Arrays(inputs, names=column_names(inputs)))

    def _split(self, X: Any, tasks: Any) -> tuple[Any, list[str]]:
        """The inputs, and the task of each row."""
        if tasks is None and self.task_column is not None:
            X, tasks = self._take_tasks(X, self.task_column)
        if isinstance(X, Mixed):
            X.apart_from("task")
        names = ["0"] * X.shape[0] if tasks is None else [f"{t}" for t in np.asarray(tasks).tolist()]
        if len(names) != X.shape[0]:
            raise ValueError(f"there are {len(names)} tasks for {X.shape[0]} rows")
        return X, names

    def _take_tasks(self, X: Any, column: int | str) -> tuple[Any, Any]:
        """The inputs, and the column that names tasks."""
        if isinstance(X, Mixed):
            inputs, tasks = X.split(column)
            if None in tasks:
                raise ValueError(f"row {tasks.index(None)} of X has no task")
            return inputs, np.array(tasks, dtype=object)
        if isinstance(column, str):
            raise ValueError(f"task_column={column!r}: names are for DataFrames with columns of texts")
        tasks = X[:, [column]]
        tasks = (tasks.toarray() if hasattr(tasks, "toarray") else np.asarray(tasks)).ravel()
        keep = np.arange(X.shape[1]) != column % X.shape[1]
        return X[:, np.flatnonzero(keep)], tasks

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

    def fit(self, documents: Sequence[str], y: Any) -> Any:
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
            documents=documents,
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
    ) -> Any:
        """As :meth:`SpectralRegressor.fit`, with a vector for each row; all rows have targets."""
        if unlabelled is not None:
            raise ValueError("unlabelled: rows without targets are not for vector fields")
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
        X = self._rows(X)
        return self.model_.parts(X, self._predict_options())

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput_only": True}


__all__ = ["MultiTaskRegressor", "TextClassifier", "VectorFieldRegressor"]
