"""Regression and classification in scikit-learn's manner."""
from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, check_consistent_length, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight

from ._base import Spectral, class_names, documented, unlabelled_file
from ._data import is_paths
from ._mixed import Mixed, plain_target, text_of
from ._sums import Sums

if TYPE_CHECKING:
    from typing_extensions import Self

_FLOATS = [np.float64, np.float32]


def _given(estimator: Any, y: Any) -> Any:
    if y is None:
        raise ValueError(f"{type(estimator).__name__} requires y to be passed, but the target y is None")
    return y


def target_numbers(estimator: Any, y: Any) -> Any:
    """Targets, checked."""
    return check_array(
        plain_target(_given(estimator, y)), ensure_2d=False, dtype=np.float64, input_name="y"
    )


class Regressor(RegressorMixin, Spectral):
    """What regressions share."""

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
        outputs: str = "independent",
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            kernel, filter=filter, param=param, select=select, criterion=criterion, scale=scale,
            features=features, approx=approx, engine=engine, missing=missing, options=options,
            random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        )
        self.outputs = outputs

    _as_they_are = (*Spectral._as_they_are, "outputs")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None,
        unlabelled: Any = None,
    ) -> Self:
        """Searches the parameters and trains.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p), or file names
            The inputs.  Files are read by the library, and in blocks with ``approx``.
        y : array of shape (n,) or (n, T)
            The targets; for files the name of their column, or a list of names.
        sample_weight : array of shape (n,), optional
            Weights of the rows, 0 or more.
        groups : array of shape (n,), optional
            Rows of a group stay in one fold.
        unlabelled : array of shape (m, p), or a file name, optional
            Rows without targets that help to learn (docs/UNLABELLED.md).

        Returns
        -------
        self
        """
        self.__dict__.pop("_sums", None)  # those of partial_fit
        if is_paths(X):
            self._fit_files(
                X, y, {"problem": "regression", **unlabelled_file(unlabelled)}, weights=sample_weight,
                groups=groups,
            )
            self._single = self.model_.n_outputs == 1
            return self
        mapped = self._mapped(X, y, sample_weight, groups, unlabelled)
        if mapped is not None:
            column = check_array(y, ensure_2d=False, dtype=np.float64)
            self._fit_mapped(mapped, ([v] for v in column.tolist()), {"problem": "regression"})
            self._single = True
            return self
        self._text_columns = None
        mixed = Mixed.of(X)
        if mixed is not None:
            X, y = mixed.checked(self, True, self.missing), target_numbers(self, y)
            check_consistent_length(X.frame, y)
        else:
            X, y = self._validate_data(
                X, y, accept_sparse="csr", dtype=_FLOATS, multi_output=True, y_numeric=True,
                ensure_min_samples=2, force_all_finite=self._finite(),
            )
        self._fit_arrays(X, y=y, weights=sample_weight, groups=groups, unlabelled=unlabelled)
        self._single = y.ndim == 1
        return self

    def predict(self, X: Any) -> Any:
        """The targets of the rows of X, an array or file names.

        Returns
        -------
        ndarray of shape (n,) or (n, T)
        """
        X = self._rows(X)
        f = self.model_.scores(X, self._predict_options())
        return f[:, 0] if self._single else f

    def predict_interval(self, X: Any, level: float = 0.9) -> tuple[Any, Any]:
        """Intervals that hold a target with the probability `level` (docs/UNCERTAINTY.md).

        Returns
        -------
        lower, upper : ndarray
            Each of the shape of :meth:`predict`.
        """
        X = self._rows(X)
        lower, upper = self.model_.interval(X, level, self._predict_options())
        return (lower[:, 0], upper[:, 0]) if self._single else (lower, upper)

    def _more_tags(self) -> dict[str, Any]:
        return {**super()._more_tags(), "multioutput": True}


@documented
class SpectralRegressor(Regressor):
    """Regression by spectral regularization; kernel ridge regression by default.

    The kernel, its width and the amount of regularization are chosen by exact leave-one-out or
    folds in one search.

    Parameters
    ----------
    %(parameters)s
    outputs : str, default="independent"
        How several targets are coupled (docs/OUTPUTS.md), such as ``"common"``.

    Attributes
    ----------
    %(attributes)s

    Examples
    --------
    >>> import numpy as np
    >>> from specreg import SpectralRegressor
    >>> X = np.linspace(0, 1, 40)[:, None]
    >>> y = np.sin(6 * X[:, 0])
    >>> model = SpectralRegressor(kernel="rbf").fit(X, y)
    >>> bool(abs(model.predict([[0.5]]) - np.sin(3.0)) < 1e-3)
    True
    >>> lower, upper = model.predict_interval([[0.5]], level=0.9)
    >>> bool(lower < upper)
    True
    """

    def partial_fit(self, X: Any, y: Any) -> Self:
        """Adds rows to those seen before, by sums (docs/LARGE.md); the model is that of all of them.

        The first call decides about scaling, widths and centres: give it rows that are like the
        others.  `approx` other than ``"auto"`` says how many centres there are, 500 by default.
        Batches of a multiple of 2,048 rows cost least.

        Parameters
        ----------
        X : array of shape (n, p)
            The inputs.
        y : array of shape (n,) or (n, T)
            The targets.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from specreg import SpectralRegressor
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> model = SpectralRegressor("rbf:sigma=1", approx="rectangle:m=50")
        >>> for part in np.split(X, 3):
        ...     model = model.partial_fit(part, np.sin(part[:, 0]))
        >>> model.record_["data"]["n"]
        300
        """
        first = not hasattr(self, "_sums")
        X, y = self._validate_data(
            X, y, reset=first, dtype=np.float64, multi_output=True, y_numeric=True,
            ensure_min_samples=2 if first else 1,
        )
        T = 1 if y.ndim == 1 else y.shape[1]
        target = ",".join(str(X.shape[1] + 1 + t) for t in range(T))
        if first:
            self._single = y.ndim == 1
        _add_rows(self, X, y, {"problem": "regression", "target": target})
        return self


def _add_rows(self: Any, X: Any, y: Any, named: Mapping[str, Any]) -> None:
    """Adds rows to the sums of an estimator, which has none before the first, and fits its model."""
    options = {**self._options(), "select": self.select, **named}
    if self.approx == "auto":
        options["approx"] = f"rectangle:m={min(500, X.shape[0])}"
    if not hasattr(self, "_sums"):
        self._sums, self._sums_approx = Sums(), options["approx"]
    options["approx"] = self._sums_approx
    sums = copy(self._sums)  # rows that are refused leave the estimator as it was
    sums.add(X, y, options)
    self.model_ = sums.model(options, self.verbose)
    self._sums = sums


@documented
class SpectralClassifier(ClassifierMixin, Spectral):
    """Classification by spectral regularization of coded classes.

    Parameters
    ----------
    %(parameters)s
    coding : str, default="ova"
        How classes become outputs (docs/CODINGS.md).
    class_weight : "balanced" or dict, default=None
        Weights of the classes, multiplied with those of the rows.

    Attributes
    ----------
    classes_ : ndarray
        The classes.
    %(attributes)s

    Examples
    --------
    >>> import numpy as np
    >>> from specreg import SpectralClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, "same", "other")
    >>> model = SpectralClassifier(kernel="rbf").fit(X, y)
    >>> model.predict([[1, 1], [1, -1]]).tolist()
    ['same', 'other']
    >>> model.predict_proba([[1, 1]]).shape
    (1, 2)
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
        coding: str = "ova",
        class_weight: Any = None,
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            kernel, filter=filter, param=param, select=select, criterion=criterion, scale=scale,
            features=features, approx=approx, engine=engine, missing=missing, options=options,
            random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        )
        self.coding = coding
        self.class_weight = class_weight

    _as_they_are = (*Spectral._as_they_are, "coding")

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, *, groups: Any = None,
        unlabelled: Any = None,
    ) -> Self:
        """Searches the parameters and trains.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p), or file names
            The inputs.
        y : array of shape (n,)
            The classes, numbers or texts; for files the name of their column.
        sample_weight : array of shape (n,), optional
            Weights of the rows, 0 or more.
        groups : array of shape (n,), optional
            Rows of a group stay in one fold.
        unlabelled : array of shape (m, p), or a file name, optional
            Rows without targets that help to learn (docs/UNLABELLED.md).

        Returns
        -------
        self
        """
        self.__dict__.pop("_sums", None)  # those of partial_fit
        self.__dict__.pop("_labels", None)
        if is_paths(X):
            more = {"problem": "classification", **self._class_weight_text(), **unlabelled_file(unlabelled)}
            self._fit_files(X, y, more, weights=sample_weight, groups=groups)
            self.classes_ = classes_of(self.model_.classes)
        elif (
            mapped := self._mapped(X, y, sample_weight, groups, self.class_weight, unlabelled)
        ) is not None:
            y = column_or_1d(y)
            check_classification_targets(y)
            self.classes_, codes = np.unique(y, return_inverse=True)
            self._labels = class_names(self.classes_)
            column = ([self._labels[code]] for code in codes)
            self._fit_mapped(mapped, column, {"problem": "classification"})
        else:
            self._text_columns = None
            mixed = Mixed.of(X)
            if mixed is not None:
                X = mixed.checked(self, True, self.missing)
                check_consistent_length(X.frame, _given(self, y))
            else:
                X, y = self._validate_data(
                    X, y, accept_sparse="csr", dtype=_FLOATS, ensure_min_samples=2,
                    force_all_finite=self._finite(),
                )
            self._fit_classes(X, y, sample_weight, groups, unlabelled)
        self._order_classes()
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Adds rows to those seen before, by sums (docs/LARGE.md); the model is that of all of them.

        The first call decides about scaling, widths, centres and classes: give it rows that are like
        the others, with every class among them.  See :meth:`SpectralRegressor.partial_fit`.

        Parameters
        ----------
        X : array of shape (n, p)
            The inputs.
        y : array of shape (n,)
            The classes.
        classes : array, optional
            All classes; those of the first part by default.

        Returns
        -------
        self

        Examples
        --------
        >>> import numpy as np
        >>> from specreg import SpectralClassifier
        >>> X = np.random.default_rng(0).normal(size=(300, 2))
        >>> model = SpectralClassifier("rbf:sigma=1", approx="rectangle:m=50")
        >>> for part in np.split(X, 3):
        ...     model = model.partial_fit(part, part[:, 0] > 0)
        >>> model.predict([[1, 0], [-1, 0]]).tolist()
        [True, False]
        """
        first = not hasattr(self, "_sums")
        X, y = self._validate_data(
            X, y, reset=first, dtype=np.float64, ensure_min_samples=2 if first else 1
        )
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        known = np.unique(y if classes is None else classes) if first else self.classes_
        missing = sorted({*known.tolist()} - {*y.tolist()})
        new = sorted({*y.tolist()} - {*known.tolist()})
        if first and missing:
            raise ValueError(f"the first part has no row of the classes {missing}: it needs some of each")
        if first and len(known) < 2:
            raise ValueError(f"{type(self).__name__} needs two or more classes, the first part has 1 class")
        if new:
            raise ValueError(f"y has classes that the first part had not: {new}")
        if self.class_weight is not None:
            raise ValueError("class_weight: sums of rows have no weights of classes")
        labels = class_names(known)
        codes = np.searchsorted(known, y)
        texts: Any = [labels[code] for code in codes]
        numbered = all(label.lstrip("-").isdigit() for label in labels)
        target = {"target": str(X.shape[1] + 1)} if numbered else {}
        _add_rows(
            self, X, np.array(texts, dtype=float) if numbered else texts,
            {"problem": "classification", **target},
        )
        self.classes_, self._labels = known, labels
        self._order_classes()
        return self

    def _fit_classes(
        self, X: Any, y: Any, weights: Any, groups: Any, unlabelled: Any = None
    ) -> None:
        y = column_or_1d(plain_target(y), warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if weights is not None or isinstance(self.class_weight, Mapping):
            rows = X.frame if isinstance(X, Mixed) else X
            weights = _check_sample_weight(weights, rows, dtype=np.float64, only_non_negative=True)
        counted = codes if weights is None else codes[weights > 0]
        if len(np.unique(counted)) < 2:
            raise ValueError(
                f"{type(self).__name__} needs two or more classes, the rows of y that count have "
                f"{len(np.unique(counted))} class"
            )
        self._labels = names = class_names(self.classes_)
        more = {"class-weight": "balanced"} if self.class_weight == "balanced" else None
        if isinstance(self.class_weight, Mapping):
            from sklearn.utils.class_weight import compute_sample_weight

            weights = weights * compute_sample_weight(self.class_weight, y)
        elif self.class_weight not in (None, "balanced"):
            raise ValueError(f"class_weight={self.class_weight!r} is neither 'balanced' nor a dict")
        self._fit_arrays(
            X, y=y, weights=weights, groups=groups, labels=(names, codes), more=more,
            unlabelled=unlabelled,
        )

    def _class_weight_text(self) -> dict[str, str]:
        """The option of the command for `class_weight`, with files."""
        if self.class_weight is None:
            return {}
        if isinstance(self.class_weight, Mapping):
            named = [f"{text_of(label)}={weight!r}" for label, weight in self.class_weight.items()]
            return {"class-weight": ",".join(named)}
        return {"class-weight": str(self.class_weight)}

    def _order_classes(self) -> None:
        """Where each of `classes_` stands in the model; rows of weight 0 may have taken one away."""
        inside = self.model_.classes
        names = getattr(self, "_labels", None) or inside
        kept = [i for i, name in enumerate(names) if name in inside]
        self.classes_ = self.classes_[kept]
        self._labels = [names[i] for i in kept]
        self._order = np.array([inside.index(name) for name in self._labels], dtype=np.intp)

    def predict(self, X: Any) -> Any:
        """The class of each row of X, an array or file names.

        Returns
        -------
        ndarray of shape (n,)
        """
        X = self._rows(X)
        place = np.empty_like(self._order)
        place[self._order] = np.arange(len(place))
        return self.classes_[place[self.model_.class_numbers(X, self._predict_options())]]

    def decision_function(self, X: Any) -> Any:
        """The score of each class; of two classes that of the second, positive where it is predicted.

        Returns
        -------
        ndarray of shape (n,) or (n, classes)
        """
        X = self._rows(X)
        scores = self.model_.scores(X, self._predict_options())[:, self._order]
        return (scores[:, 1] - scores[:, 0]) / 2 if scores.shape[1] == 2 else scores

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class, of models chosen by leave-one-out or folds.

        Returns
        -------
        ndarray of shape (n, classes)
        """
        X = self._rows(X)
        return self.model_.proba(X, self._predict_options())[:, self._order]

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithm of :meth:`predict_proba`."""
        return np.log(self.predict_proba(X))


def classes_of(names: list[str]) -> Any:
    """Labels as numbers where all are such.

    >>> classes_of(["0", "1"]).tolist(), classes_of(["a", "1"]).tolist()
    ([0, 1], ['a', '1'])
    """
    for kind in (int, float):
        try:
            values = [kind(name) for name in names]
        except ValueError:
            continue
        if kind is float or all(str(v) == name for v, name in zip(values, names)):
            return np.array(values)
    return np.array(names)
