"""Model files."""
from __future__ import annotations

import os
from typing import Any

from ._base import keep_names
from ._estimators import SpectralClassifier, SpectralRegressor, classes_of
from ._model import Model
from ._tables import MultiTaskRegressor, TextClassifier, VectorFieldRegressor
from ._transform import SpectralTransformer


def save(estimator: Any, path: str | os.PathLike[str]) -> None:
    """Writes the model of a fitted estimator, or a :class:`Model`, to a file.

    Examples
    --------
    >>> import numpy as np, os, specreg, tempfile
    >>> X = np.linspace(0, 1, 20)[:, None]
    >>> model = specreg.SpectralRegressor(kernel="rbf").fit(X, X[:, 0] ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     specreg.save(model, os.path.join(folder, "square.srm"))
    ...     again = specreg.load(os.path.join(folder, "square.srm"))
    >>> bool((again.predict(X) == model.predict(X)).all())
    True
    """
    estimator.save(path)


def load(path: str | os.PathLike[str], inputs: int | None = None) -> Any:
    """The estimator whose model a file holds, written by :func:`save`, by the command or by LIBSVM.

    Parameters
    ----------
    path : str or path
        A model file of ours, or of LIBSVM (docs/EXPORT.md).
    inputs : int, optional
        Of LIBSVM: how many columns rows have; None is the largest index of a support vector.

    Returns
    -------
    SpectralRegressor, SpectralClassifier, VectorFieldRegressor, TextClassifier or SpectralTransformer
        Or MultiTaskRegressor, with the attributes of a fit; its parameters are the defaults.  Classes that
        look like numbers are numbers.  A model of many tasks whose columns have no names is a :class:`Model`.
    """
    model = Model.from_libsvm(path, inputs) if _is_libsvm(path) else Model.load(path)
    data, names = model.record.get("data", {}), model.classes
    if "task_column" in data and not data.get("header"):
        return model
    estimator = _empty(model.record, bool(names))
    estimator.model_ = model
    keep_names(estimator)
    if names:
        classes = classes_of(names)
        sorted_ = classes.argsort(kind="stable")  # LIBSVM has them in any order
        estimator.classes_ = classes[sorted_]
        estimator._labels = [names[i] for i in sorted_]
        estimator._order_classes()
    else:
        if isinstance(estimator, MultiTaskRegressor):
            estimator.tasks_ = model.tasks
        estimator._single = model.n_outputs == 1 and data.get("problem") != "field"
    return estimator


def _is_libsvm(path: str | os.PathLike[str]) -> bool:
    """Whether a file begins as LIBSVM writes models."""
    try:
        with open(path, "rb") as file:
            return file.read(9) == b"svm_type "
    except OSError:
        return False  # the library says why


def _empty(record: dict[str, Any], classes: bool) -> Any:
    """An estimator of the kind that a model's record tells."""
    if record.get("kind") in ("kpca", "nystrom"):
        return SpectralTransformer(record["kind"])
    if "task_column" in record["data"]:
        return MultiTaskRegressor()
    if record["data"].get("problem") == "field":
        return VectorFieldRegressor()
    if "text" in record and classes:
        return TextClassifier()
    return SpectralClassifier() if classes else SpectralRegressor()
