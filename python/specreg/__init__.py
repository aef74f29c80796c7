"""specreg: learning by spectral regularization.

Estimators in scikit-learn's manner over the C library: kernel ridge regression and other filters
with kernels, widths and regularization chosen in one search.  docs/PYTHON.md has the whole tour.

Examples
--------
>>> import numpy as np, specreg
>>> X = np.linspace(0, 1, 40)[:, None]
>>> model = specreg.SpectralRegressor().fit(X, np.sin(6 * X[:, 0]))
>>> model.predict([[0.5]]).round(2).tolist()
[0.14]
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._c import lib as _lib  # before NumPy, which may load OpenMP: see _short_waits
from ._errors import SpecregError
from ._model import Model

if TYPE_CHECKING:  # `as` says that a name is exported
    from ._display import PathDisplay as PathDisplay
    from ._display import SpectrumDisplay as SpectrumDisplay
    from ._estimators import SpectralClassifier as SpectralClassifier
    from ._estimators import SpectralRegressor as SpectralRegressor
    from ._explain import importance as importance
    from ._explain import partial as partial
    from ._files import load as load
    from ._files import save as save
    from ._filters import filter_curve as filter_curve
    from ._filters import filters as filters
    from ._functions import cv as cv
    from ._functions import path as path
    from ._functions import plan as plan
    from ._functions import spectrum as spectrum
    from ._points import PathPoint as PathPoint
    from ._points import path_points as path_points
    from ._report import Report as Report
    from ._report import report as report
    from ._tables import MultiTaskRegressor as MultiTaskRegressor
    from ._tables import TextClassifier as TextClassifier
    from ._tables import VectorFieldRegressor as VectorFieldRegressor
    from ._transform import SpectralTransformer as SpectralTransformer

__version__: str = _lib.specreg_version().decode()

# scikit-learn takes longer to load than everything else: it comes with the first estimator.
_LATER = {
    "SpectralRegressor": "_estimators",
    "SpectralClassifier": "_estimators",
    "MultiTaskRegressor": "_tables",
    "VectorFieldRegressor": "_tables",
    "TextClassifier": "_tables",
    "SpectralTransformer": "_transform",
    "PathDisplay": "_display",
    "SpectrumDisplay": "_display",
    "path": "_functions",
    "path_points": "_points",
    "PathPoint": "_points",
    "cv": "_functions",
    "plan": "_functions",
    "spectrum": "_functions",
    "filters": "_filters",
    "filter_curve": "_filters",
    "importance": "_explain",
    "partial": "_explain",
    "report": "_report",
    "Report": "_report",
    "load": "_files",
    "save": "_files",
}

__all__ = ["Model", "SpecregError"]
__all__ += _LATER


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'specreg' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *(name for name in globals() if name.startswith("_"))])
