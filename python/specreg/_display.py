"""Figures in scikit-learn's manner, drawn by matplotlib."""
from __future__ import annotations

from typing import Any

import numpy as np

from ._functions import path, spectrum


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("figures need matplotlib (Debian: python3-matplotlib)") from None
    return plt.subplots()[1]


class PathDisplay:
    """Errors along the regularization path, of the kernel that is best.

    Parameters
    ----------
    values : ndarray
        The filter's parameter.
    curves : dict of str to ndarray
        The errors by name.
    parameter : str
        What the parameter is called.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        After `plot`.
    lines_ : list
        The curves.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> y = np.sin(6 * X[:, 0]) + 0.1 * np.cos(50 * X[:, 0])
    >>> table = specreg.path(specreg.SpectralRegressor("rbf:sigma=0.3"), X, y)
    >>> display = specreg.PathDisplay.from_path(table)         # from_estimator does both, and draws
    >>> sorted(display.curves)
    ['train_mse', 'value']
    """

    def __init__(self, values: Any, curves: dict[str, Any], *, parameter: str = "lambda") -> None:
        self.values, self.curves, self.parameter = values, curves, parameter

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None, **named: Any
    ) -> PathDisplay:
        """Draws the path of an estimator's parameters on data.

        Parameters
        ----------
        estimator, X, y, **named
            As for :func:`specreg.path`.
        ax : matplotlib axes, optional
            Where; a new figure by default.

        Returns
        -------
        PathDisplay
        """
        return cls.from_path(path(estimator, X, y, **named)).plot(ax)

    @classmethod
    def from_path(cls, table: Any) -> PathDisplay:
        """The curves of a table that :func:`specreg.path` made, or of `path_` of a fitted estimator."""
        rows = table if isinstance(table, list) else table.to_dict("records")
        parameter = next(p for p in ("lambda", "t", "components", "order") if p in rows[0])
        scored = [r for r in rows if r.get("value") == r.get("value") and r.get("value") is not None]
        best = min(scored, key=lambda r: float(r["value"])) if scored else rows[0]
        rows = [r for r in rows if r.get("kernel") == best.get("kernel")]
        curves = {
            name: np.array([np.nan if r.get(name) is None else r[name] for r in rows], dtype=float)
            for name in ("train_mse", "train_error_rate", "value")
            if any(r.get(name) is not None for r in rows)
        }
        return cls(np.array([r[parameter] for r in rows]), curves, parameter=parameter)

    def plot(self, ax: Any = None) -> PathDisplay:
        """Draws the curves.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where; a new figure by default.

        Returns
        -------
        self
        """
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        self.lines_ = [
            self.ax_.plot(self.values, curve, label="held out" if name == "value" else name)[0]
            for name, curve in self.curves.items()
        ]
        self.ax_.set_xscale("log")
        self.ax_.set_xlabel(self.parameter)
        self.ax_.set_ylabel("error")
        self.ax_.legend()
        return self


class SpectrumDisplay:
    """Eigenvalues of the kernel matrix over n, and the share of the target along each.

    Parameters
    ----------
    eigenvalues : ndarray
        From the largest.
    target_share : ndarray or None
        The share of the squared target along each eigenvector.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        After `plot`.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> record = specreg.spectrum(specreg.SpectralRegressor("rbf:sigma=1"), X, X[:, 0])
    >>> display = specreg.SpectrumDisplay.from_spectrum(record)     # from_estimator does both, and draws
    >>> len(display.eigenvalues)
    30
    """

    def __init__(self, eigenvalues: Any, target_share: Any = None) -> None:
        self.eigenvalues, self.target_share = eigenvalues, target_share

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any = None, *, ax: Any = None, **named: Any
    ) -> SpectrumDisplay:
        """Draws the spectrum of an estimator's kernel on data; see :meth:`PathDisplay.from_estimator`."""
        return cls.from_spectrum(spectrum(estimator, X, y, **named)).plot(ax)

    @classmethod
    def from_spectrum(cls, record: dict[str, Any]) -> SpectrumDisplay:
        """The eigenvalues of a record that :func:`specreg.spectrum` made."""
        share = record.get("target_share")
        return cls(np.array(record["eigenvalues"]), None if share is None else np.array(share))

    def plot(self, ax: Any = None) -> SpectrumDisplay:
        """Draws both over the number of the eigenvalue; see :meth:`PathDisplay.plot`."""
        self.ax_ = _axes(ax)
        self.figure_ = self.ax_.figure
        number = np.arange(1, len(self.eigenvalues) + 1)
        positive = self.eigenvalues > 0
        self.ax_.plot(number[positive], self.eigenvalues[positive], ".-", label="eigenvalues of K/n")
        if self.target_share is not None:
            self.ax_.plot(number, np.maximum(self.target_share, 1e-20), ".", label="share of y")
        self.ax_.set_yscale("log")
        self.ax_.set_xlabel("number")
        self.ax_.legend()
        return self
