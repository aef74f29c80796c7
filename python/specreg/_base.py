"""What the estimators share: parameters, options, arrays or files in, attributes out."""
from __future__ import annotations

import numbers
import os
import tempfile
from contextlib import contextmanager
from typing import Any, Iterator, Mapping
from unicodedata import normalize

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import check_array
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ._c import lib
from ._call import Call, threads_of
from ._data import Arrays, Table, is_paths, mapped_file, one_path, paths_of, texts
from ._frame import frame
from ._mixed import Files, Mixed, conventional, is_missing, plain_target, text_of
from ._model import Model
from ._sums import write_labels

PARAMETERS = """kernel : str, default="auto"
        The kernel with its parameters, such as ``"rbf:sigma=1"`` or ``"{rbf,laplace}"``; what is
        left open is chosen (docs/KERNELS.md).
    filter : str, default="tikhonov"
        The spectral filter, such as ``"nu:nu=1"`` (docs/MATH.md, section 2).
    param : float, list of float, dict or str, default="auto"
        Values of the filter's parameter to try: numbers are values of lambda, a dict such as
        ``{"t": [10, 20]}`` names another parameter, a text is that of the command.
    select : str, int, list of (train, test) or splitter, default="auto"
        The rule that chooses parameters: ``"loo"``, ``"kfold:k=5"``, ``"none"`` and others; an int is
        the number of folds; splits as scikit-learn has them are taken as they are.
    criterion : str, default="auto"
        The measure by which parameters are chosen.
    scale : str, default="auto"
        How inputs are scaled: ``"standard"``, ``"minmax"``, ``"maxabs"``, ``"none"``.
    features : str, default="auto"
        Unpenalised terms: ``"auto"`` is a constant.
    approx : str, default="auto"
        Fewer centres than rows: ``"rectangle:m=1000"`` (docs/LARGE.md).
    engine : str, default="auto"
        How coefficients are computed.
    missing : str, default="error"
        What missing inputs (NaN) are: ``"error"``, ``"mean"`` or ``"indicator"``.
    options : dict, default=None
        Further options of the command by name, such as ``{"search": "race", "time": "1min"}``.
    random_state : int, RandomState or None, default=None
        The seed of folds and samples; None is 0, so that results can be repeated.
    n_jobs : int, default=None
        Threads; None and -1 are all processors (or OMP_NUM_THREADS).
    verbose : int, default=0
        Not 0: progress bars by tqdm, where it is installed."""

ATTRIBUTES = """model_ : Model
        The model of the library.
    record_ : dict
        What the fit did, with the keys of docs/JSON.md.
    dual_coef_ : ndarray
        Coefficients of the kernel functions.
    X_fit_ : ndarray
        The centres, encoded and scaled.
    lambda_, sigma_ : float
        The chosen regularization and width of the kernel; None where there is none.
    kernel_params_ : dict
        The chosen kernel.
    cv_error_ : float
        The criterion at the chosen parameters, by held-out rows; None for ``select="none"``.
    path_ : DataFrame
        Every candidate of the search; without pandas a list of dicts.
    n_iter_ : int or None
        Iterations, of filters and engines that iterate.
    n_features_in_ : int
        Columns of X.
    feature_names_in_ : ndarray of str
        Their names, where X had names."""


def documented(cls: Any) -> Any:
    """Fills the shared parts of a docstring."""
    cls.__doc__ = (cls.__doc__ or "").replace("%(parameters)s", PARAMETERS)
    cls.__doc__ = cls.__doc__.replace("%(attributes)s", ATTRIBUTES)
    return cls


def param_text(param: Any) -> str:
    """The option `param` for a number, numbers, a dict or a text.

    >>> param_text(0.1), param_text([1, 0.5]), param_text({"t": [10, 20]})
    ('lambda=0.1', 'lambda={1.0,0.5}', 't={10,20}')
    """
    if isinstance(param, str):
        return param
    if isinstance(param, Mapping):
        if len(param) != 1:
            raise ValueError(f"param has {len(param)} names, it takes one: {dict(param)!r}")
        ((name, values),) = param.items()
    else:
        name, values = "lambda", param
    single = isinstance(values, numbers.Real)
    try:
        listed = [repr(float(v) if name == "lambda" else v) for v in np.atleast_1d(values).tolist()]
    except (TypeError, ValueError):
        raise ValueError(f"param={param!r} is neither a number, numbers, a dict of these, nor a text") from None
    return f"{name}={listed[0]}" if single else f"{name}={{{','.join(listed)}}}"


def seed_of(random_state: Any) -> int:
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state={random_state} is negative")
        return int(random_state)
    from sklearn.utils import check_random_state

    return int(check_random_state(random_state).randint(2**31 - 1))


def options_of(options: Any) -> dict[str, Any]:
    """The parameter `options`."""
    if options is not None and not isinstance(options, Mapping):
        raise ValueError(f"options={options!r} is no dict of options by name")
    return dict(options or {})


@contextmanager
def _select_text(select: Any, X: Any, y: Any, groups: Any) -> Iterator[str]:
    """The option `select`; splits of scikit-learn become a file as long as it is used.  X is None for files."""
    if isinstance(select, str):
        yield select
    elif isinstance(select, numbers.Integral) and not isinstance(select, bool):
        yield f"kfold:k={select}"
    elif not hasattr(select, "split") and not hasattr(select, "__iter__"):
        raise ValueError(f"select={select!r} is neither a rule, a number of folds nor splits of scikit-learn")
    elif X is None:
        raise ValueError("select: splits of scikit-learn are for arrays; for files it is a rule or a number of folds")
    else:
        pairs = select.split(X, y, groups) if hasattr(select, "split") else select
        with tempfile.TemporaryDirectory(prefix="specreg") as folder:
            path = os.path.join(folder, "splits.txt")
            with open(path, "w") as file:
                for train, test in pairs:
                    train = np.asarray(train)
                    train = np.flatnonzero(train) if train.dtype == bool else train
                    file.write(" ".join(map(str, train)) + "\n")
            yield f"splits:{path}"


def with_unlabelled(
    more: Any, X: Any, y: Any, labels: Any, weights: Any, groups: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """The columns of a fit with further rows, which have no targets."""
    count = more.shape[0]
    if hasattr(X, "tocsr") or hasattr(more, "tocsr"):
        raise ValueError("unlabelled: rows without targets are for dense arrays")
    if more.shape[1] != X.shape[1]:
        raise ValueError(f"unlabelled has {more.shape[1]} features, X has {X.shape[1]} features")
    if y is not None:
        y = np.concatenate([y, np.full((count, *np.shape(y)[1:]), np.nan)])
    if labels is not None:
        names, codes = labels
        labels = [*names, None], np.append(codes, np.full(count, len(names)))
    if weights is not None:
        weights = np.append(weights, np.ones(count))
    if groups is not None:
        groups = np.append(groups, np.zeros(count, dtype=np.int64))
    return np.concatenate([X, more]), y, labels, weights, groups


def no_tasks(tasks: Any) -> None:
    if tasks is not None:
        raise ValueError("tasks are of MultiTaskRegressor, with arrays and DataFrames")


def target_of_file(y: Any) -> dict[str, str]:
    """The option that names the target of a file."""
    if y is None:
        return {}
    if not is_paths(y) or isinstance(y, os.PathLike):
        raise ValueError("y: with files it is the name of a column, or a list of names")
    return {"target": y if isinstance(y, str) else ",".join(y)}


def keep_names(estimator: Any) -> None:
    """The columns of a model that was read or fitted by files, as those of a DataFrame."""
    model = estimator.model_
    estimator.n_features_in_ = model.n_inputs
    estimator.__dict__.pop("feature_names_in_", None)
    names = model.input_names
    if names:
        estimator.feature_names_in_ = np.array(names, dtype=object)


def unlabelled_file(unlabelled: Any) -> dict[str, Any]:
    """The option that names the rows without targets, where X is a file too."""
    if unlabelled is None:
        return {}
    if not is_paths(unlabelled):
        raise ValueError("unlabelled: with files it is the name of a file")
    return {"unlabelled": one_path(unlabelled)}


class Spectral(BaseEstimator):
    """The base of all estimators that learn a target."""

    _text_columns: list[int] | None  # of a DataFrame; None: it has numbers alone

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
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.kernel = kernel
        self.filter = filter
        self.param = param
        self.select = select
        self.criterion = criterion
        self.scale = scale
        self.features = features
        self.approx = approx
        self.engine = engine
        self.missing = missing
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # -------------------------------------------------------- options
    _as_they_are: tuple[str, ...] = (
        "kernel", "filter", "criterion", "scale", "features", "approx", "engine", "missing",
    )

    def _options(self) -> dict[str, Any]:
        """Those of the library, but for `select`."""
        chosen: dict[str, Any] = {name: getattr(self, name) for name in self._as_they_are}
        for name, value in chosen.items():
            if value is None:  # for `scale` it might mean "auto" or "none"
                raise ValueError(f"{name}=None is not a choice: leave {name} out for its default")
        chosen["param"] = param_text(self.param)
        chosen["seed"] = seed_of(self.random_state)
        chosen["threads"] = threads_of(self.n_jobs)
        chosen.update(options_of(self.options))
        return chosen

    def _predict_options(self) -> dict[str, Any]:
        return {"threads": threads_of(self.n_jobs)}

    # ------------------------------------------------------------ fit
    def _validate_data(
        self, X: Any = "no_validation", y: Any = "no_validation", **checks: Any
    ) -> Any:
        with conventional(self, X):
            return super()._validate_data(X, plain_target(y), **checks)

    def _finite(self) -> Any:
        return True if self.missing == "error" else "allow-nan"

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self.missing != "error", "pairwise": self._pairwise}

    @property
    def _pairwise(self) -> bool:
        return self.kernel == "precomputed"

    def _fit_arrays(
        self, X: Any, *, y: Any, weights: Any, groups: Any, labels: Any = None, more: Any = None,
        unlabelled: Any = None,
    ) -> None:
        """Fits what was validated; `more` are options that only this fit has."""
        if isinstance(X, Mixed):
            self._fit_mixed(X, y, weights, groups, labels, more, unlabelled)
            return
        if weights is not None:
            weights = _check_sample_weight(
                weights, X, dtype=np.float64, only_non_negative=True
            )
        numbers_of = None if groups is None else _group_numbers(groups, X.shape[0])
        names = _usable_names(getattr(self, "feature_names_in_", None))
        columns = (X, None if labels else y, labels, weights, numbers_of)
        if unlabelled is not None:
            more = {**(more or {}), "missing-targets": "unlabelled"}
            columns = with_unlabelled(self._rows_like(unlabelled), *columns)
        arrays = Arrays(*columns, names=names)
        with _select_text(self.select, X, y, groups) as select:
            with Call({**self._options(), "select": select, **(more or {})}, self.verbose) as call:
                self.model_ = Model(
                    call.make(lib.specreg_fit_data, arrays.pointer, call.options)
                )

    def _fit_files(
        self, X: Any, y: Any, more: dict[str, Any], *, weights: Any = None, groups: Any = None
    ) -> None:
        """Fits files, whose target is a column that y names, or that the library finds."""
        no_arrays_beside_files(weights, groups)
        options = {**self._options(), **more, **target_of_file(y)}
        names, kept = texts(paths_of(X))
        with _select_text(self.select, None, None, None) as select:
            with Call({**options, "select": select}, self.verbose) as call:
                self.model_ = Model(
                    call.make(lib.specreg_fit_files, names.ctypes.data, len(names), call.options)
                )
        del kept
        keep_names(self)

    def _fit_mapped(self, path: str, column: Any, more: dict[str, Any]) -> None:
        """Fits the NPY file of a memory map, read by the library; the targets are texts."""
        with tempfile.TemporaryDirectory(prefix="specreg") as folder:
            targets = os.path.join(folder, "targets.csv")
            write_labels(targets, column)
            self._fit_files(path, "label", {**more, "labels": targets})
            self.__dict__.pop("feature_names_in_", None)  # an array has none

    def _mapped(self, X: Any, y: Any, *others: Any) -> str | None:
        """The file of X, where the library can read it in place of the array."""
        plain = all(o is None for o in others) and isinstance(self.select, str)
        path = mapped_file(X) if plain and y is not None and self.approx != "exact" else None
        if path is None or np.ndim(y) != 1:
            return None
        if len(y) != X.shape[0]:
            raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                             f"{[X.shape[0], len(y)]}")
        return path

    def _rows(self, X: Any) -> Any:
        """X of a prediction, validated; it may be file names."""
        check_is_fitted(self)
        return Files(X) if is_paths(X) else self._rows_like(X)

    def _rows_like(self, X: Any) -> Any:
        """Further rows like those of the fit, validated."""
        texts = getattr(self, "_text_columns", ())  # a model from a file does not say
        mixed = None if texts is None else Mixed.of(X, texts or None)
        if mixed is not None:
            return mixed.checked(self, False, self.missing)
        return self._validate_data(
            X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32],
            force_all_finite=self._finite(),
        )

    # ------------------------------------------- columns of texts
    def _fit_mixed(
        self, X: Mixed, y: Any, weights: Any, groups: Any, labels: Any, more: Any, unlabelled: Any
    ) -> None:
        """Fits a DataFrame with columns of texts."""
        if unlabelled is not None:
            raise ValueError("unlabelled: rows without targets are for columns of numbers")
        if weights is not None:
            weights = _check_sample_weight(weights, X.frame, dtype=np.float64, only_non_negative=True)
        numbered = None if groups is None else _group_numbers(groups, len(X))
        columns = dict(Y=None if labels else y, labels=labels, weights=weights, groups=numbered)
        targets = 1 if labels or np.ndim(y) == 1 else np.shape(y)[1]
        options = {
            **self._options(), "problem": "classification" if labels else "regression",
            "target": "label" if labels
            else "y" if targets == 1 else ",".join(f"y{t + 1}" for t in range(targets)),
            **({} if weights is None else {"weights": "weights"}),
            **({} if groups is None else {"group": "group"}), **(more or {}),
        }
        with _select_text(self.select, X.frame, y, groups) as select:
            with Call({**options, "select": select}, self.verbose) as call:
                with X.table(call, **columns) as table:
                    self.model_ = Model(call.make(lib.specreg_fit, table.handle, call.options))

    # --------------------------------------------------------- tables
    def _takes_files(self, X: Any) -> bool:
        return is_paths(X)

    def _file_options(self) -> dict[str, Any]:
        """Options for files, beside those of all data."""
        return {}

    def _checked_array(self, X: Any) -> Any:
        with conventional(self, X):
            return check_array(
                X, input_name="X", accept_sparse="csr", dtype=[np.float64, np.float32],
                force_all_finite=self._finite(),
            )

    def _table_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], dict[str, Any]]:
        """Rows of functions such as `path`: checked, with the columns of texts beside them by name, and
        the options that these want."""
        no_tasks(tasks)
        mixed = Mixed.of(X)
        return mixed if mixed is not None else self._checked_array(X), {}, {}

    def _prediction_rows(self, X: Any, tasks: Any) -> tuple[Any, dict[str, Any], Any]:
        """Rows of a fitted estimator: checked, the columns of texts beside them, and names of the others."""
        no_tasks(tasks)
        return self._rows(X), {}, _usable_names(getattr(self, "feature_names_in_", None))

    def _beside_at(self, X: Any, tasks: Any) -> int:
        """Where the columns of texts stand, so that numbers of columns are those of the rows that were given."""
        return int(X.shape[1])

    # ----------------------------------------------------- attributes
    @property
    def record_(self) -> dict[str, Any]:
        check_is_fitted(self)
        return self.model_.record

    @property
    def dual_coef_(self) -> Any:
        check_is_fitted(self)
        coefficients = self.model_.array("coefficients")
        return coefficients[:, 0] if coefficients.shape[1] == 1 else coefficients

    @property
    def X_fit_(self) -> Any:
        check_is_fitted(self)
        return self.model_.array("centres")

    @property
    def kernel_params_(self) -> dict[str, Any]:
        return dict(self.record_["kernel"])

    @property
    def lambda_(self) -> Any:
        return self.record_["filter"].get("lambda")

    @property
    def sigma_(self) -> Any:
        return self.record_["kernel"].get("sigma")

    @property
    def cv_error_(self) -> Any:
        return self.record_["selection"].get("value")

    @property
    def n_iter_(self) -> int | None:
        iterations = self.record_["filter"].get("t", self.record_.get("steps"))
        return None if iterations is None else int(iterations)

    @property
    def path_(self) -> Any:
        return frame(self.record_["selection"]["table"])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file, which the command and :func:`specreg.load` read."""
        check_is_fitted(self)
        self.model_.save(path)

    def report(self, data: Any = None, path: str | os.PathLike[str] | None = None) -> Any:
        """A page with pictures of the model, which a notebook shows; see :func:`specreg.report`."""
        from ._report import report

        check_is_fitted(self)
        return report(self, data=data, path=path)

    def export(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the model for others, as the ending of `path` says (docs/EXPORT.md)."""
        check_is_fitted(self)
        self.model_.export(path, format)


def class_names(classes: Any) -> list[str]:
    """Texts that the model keeps as they are: others would become empty, cut or the same.

    >>> class_names([0.0, 1.0]), class_names(["", "x"])
    (['0', '1'], ['class1', 'class2'])
    """
    names = [str(text_of(c)) for c in classes]
    kept = all(n and "\0" not in n and normalize("NFC", n) == n for n in names)
    if not kept or len(set(names)) < len(names):
        names = [f"class{i + 1}" for i in range(len(names))]
    return names


def _labels_of(estimator: Any, y: Any) -> tuple[list[str], Any] | None:
    """Classes as texts, for estimators that learn classes."""
    if not is_classifier(estimator):
        return None
    values, codes = np.unique(np.asarray(y), return_inverse=True)
    return class_names(values), codes


def no_arrays_beside_files(weights: Any, groups: Any) -> None:
    """Refuses weights and groups as arrays."""
    for given, name, option in ((weights, "sample_weight", "weights"), (groups, "groups", "group")):
        if given is not None:
            raise ValueError(
                f"{name}: with files it is a column of theirs, options={{{option!r}: NAME}}"
            )


@contextmanager
def with_files(
    estimator: Spectral, y: Any, options: dict[str, Any], *, weights: Any, groups: Any, tasks: Any,
    unlabelled: Any,
) -> Iterator[Call]:
    """A call with these options, those of the estimator for files, and a column y of theirs as the target."""
    no_tasks(tasks)
    no_arrays_beside_files(weights, groups)
    options.update(estimator._file_options())
    options.update(unlabelled_file(unlabelled))
    options.update(target_of_file(y))
    with _select_text(estimator.select, None, None, None) as select:
        with Call({**options, "select": select}, estimator.verbose) as call:
            yield call


def all_options(estimator: Spectral, more: Any = None) -> dict[str, Any]:
    """The estimator's options and others, with the kind of problem."""
    options = {**estimator._options(), **(more or {})}
    options.setdefault("problem", "classification" if is_classifier(estimator) else "regression")
    return options


@contextmanager
def with_table(
    estimator: Spectral, X: Any, y: Any, *, weights: Any = None, groups: Any = None,
    labels: Any = None, tasks: Any = None, beside: Any = None, more: Any = None, unlabelled: Any = None,
) -> Iterator[tuple[Call, Table]]:
    """A call with the estimator's options, and the data as a table; X may be a file.  `beside`: columns of
    texts, of X as the estimator has checked it."""
    options = all_options(estimator, more)
    if beside is None and estimator._takes_files(X):
        with with_files(
            estimator, y, options, weights=weights, groups=groups, tasks=tasks, unlabelled=unlabelled
        ) as call:
            with Table.read(call, one_path(X)) as table:
                yield call, table
        return
    if beside is None:
        X, beside, coupled = estimator._table_rows(X, tasks)
        options.update(coupled)
    mixed = X if isinstance(X, Mixed) else None
    if mixed is not None:
        X = mixed.frame
    given = y if labels is None else labels[1]
    if given is None or X.shape[0] != len(given):
        raise ValueError(f"Found input variables with inconsistent numbers of samples: "
                         f"[{X.shape[0]}, {0 if given is None else len(given)}]")
    labels = labels or _labels_of(estimator, y)
    if weights is not None:
        weights = _check_sample_weight(weights, X, dtype=np.float64, only_non_negative=True)
        options["weights"] = "weights"
    if groups is not None:
        options["group"] = "group"
    targets = 1 if labels or np.ndim(y) == 1 else np.shape(y)[1]
    options["target"] = (
        "label" if labels else ",".join(["y"] if targets == 1 else [f"y{t + 1}" for t in range(targets)])
    )
    numbered = None if groups is None else _group_numbers(groups, X.shape[0])
    names = column_names(X) if beside else None
    columns = (X, None if labels else y, labels, weights, numbered)
    if unlabelled is not None:
        if mixed is not None:
            raise ValueError("unlabelled: rows without targets are for columns of numbers")
        options["missing-targets"] = "unlabelled"
        if beside:
            raise ValueError("unlabelled: rows without targets are for problems without tasks and texts")
        columns = with_unlabelled(estimator._checked_array(unlabelled), *columns)
    with _select_text(estimator.select, X, y, groups) as select:
        options["select"] = select
        with Call(options, estimator.verbose) as call, _table_of(call, mixed, columns, names) as table:
            for name, column in beside.items():
                table.insert_text(0, name, column)
            yield call, table


def _table_of(call: Call, mixed: Mixed | None, columns: tuple[Any, ...], names: Any) -> Table:
    X, y, labels, weights, groups = columns
    if mixed is None:
        return Table.of(call, Arrays(X, y, labels, weights, groups, names))
    return mixed.table(call, Y=y, labels=labels, weights=weights, groups=groups)


def fit_table(estimator: Spectral, X: Any, y: Any, **named: Any) -> Model:
    """The model of a table, see with_table."""
    with with_table(estimator, X, y, **named) as (call, table):
        return Model(call.make(lib.specreg_fit, table.handle, call.options))


def _group_numbers(groups: Any, rows: int) -> Any:
    groups = np.asarray(groups)
    if groups.ndim != 1 or len(groups) != rows:
        raise ValueError(f"groups has shape {groups.shape}, X has {rows} rows")
    gone = [i for i, g in enumerate(groups.tolist()) if is_missing(g)]
    if gone:
        raise ValueError(f"groups: row {gone[0]} has none")
    try:
        return np.unique(groups, return_inverse=True)[1]
    except TypeError:  # values of several kinds have no order
        return np.unique(groups.astype(str), return_inverse=True)[1]


def column_names(X: Any) -> list[str]:
    """Names for columns that have none, so that predictions find theirs by name."""
    return [f"x{j + 1}" for j in range(X.shape[1])]


def _usable_names(names: Any) -> list[str] | None:
    """Names of columns for the model file, unless one of them is also that of a role."""
    if names is None or len(set(names)) < len(names):
        return None
    taken = {"y", "label", "weights", "group"}
    clash = any(n in taken or (n[:1] == "y" and n[1:].isdigit()) for n in names)
    return None if clash else [str(n) for n in names]


__all__ = ["Spectral", "documented", "is_paths"]
