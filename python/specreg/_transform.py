"""Coordinates as features: kernel principal components, Nyström coordinates."""
from __future__ import annotations

import numbers
import os
from typing import TYPE_CHECKING, Any, Mapping

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._base import options_of, seed_of
from ._c import lib
from ._call import Call, threads_of
from ._data import Arrays, Table
from ._mixed import Mixed, conventional
from ._model import Model

if TYPE_CHECKING:
    from typing_extensions import Self


class SpectralTransformer(TransformerMixin, BaseEstimator):
    """Coordinates along kernel principal components, or in the span of some rows (docs/FEATURES.md).

    Parameters
    ----------
    kind : {"kpca", "nystrom"}, default="kpca"
        Kernel principal components, or whitened Nyström coordinates, whose inner products approximate
        the kernel.
    n_components : int or None, default=10
        How many components, or centres of nystrom, at most: fewer where the rest would be rounding.  None:
        as many as rows.
    kernel : str, default="rbf"
        One kernel with its parameters; a width left open is the median distance.
    center : bool, default=True
        Whether components are of centred kernel functions, as those of sklearn.decomposition.KernelPCA.
    centers : str, default="uniform"
        How nystrom takes its rows: ``"uniform"``, ``"rpcholesky"``, ``"kmeans"`` and others.
    scale : str, default="auto"
        How inputs are scaled.
    missing : str, default="error"
        What missing inputs (NaN) are: ``"error"``, ``"mean"`` or ``"indicator"``.
    options : dict, default=None
        Further options of the command.
    random_state : int, RandomState or None, default=None
        The seed; None is 0.
    n_jobs : int, default=None
        Threads; None and -1 are all processors.

    Attributes
    ----------
    model_ : Model
        The model of the library.
    eigenvalues_, explained_variance_ratio_ : ndarray
        Of kpca: eigenvalues of the kernel matrix over n, and their shares of its trace.
    n_features_in_ : int
        Columns of X.

    Examples
    --------
    >>> import numpy as np
    >>> from specreg import SpectralTransformer
    >>> X = np.random.default_rng(0).normal(size=(50, 3))
    >>> SpectralTransformer(n_components=2).fit_transform(X).shape
    (50, 2)
    >>> SpectralTransformer("nystrom", n_components=5).fit(X).get_feature_names_out().tolist()
    ['b1', 'b2', 'b3', 'b4', 'b5']
    """

    def __init__(
        self,
        kind: str = "kpca",
        *,
        n_components: int | None = 10,
        kernel: str = "rbf",
        center: bool = True,
        centers: str = "uniform",
        scale: str = "auto",
        missing: str = "error",
        options: Mapping[str, Any] | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kind = kind
        self.n_components = n_components
        self.kernel = kernel
        self.center = center
        self.centers = centers
        self.scale = scale
        self.missing = missing
        self.options = options
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> Self:
        """Finds the components; y is not used.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, p), or DataFrame
            The rows; a DataFrame may have columns of texts.
        y : None
            Not used.

        Returns
        -------
        self
        """
        if self.kind not in ("kpca", "nystrom"):
            raise ValueError(f"kind={self.kind!r} is neither 'kpca' nor 'nystrom'")
        X = self._checked(X, reset=True)
        count = self._count(X.shape[0])
        how = {
            "kpca": f"{count},fewer=yes,center={'yes' if self.center else 'no'}",
            "nystrom": f"m={count},centers={self.centers}",
        }[self.kind]
        options = {
            "kernel": self.kernel, "scale": self.scale, "missing": self.missing,
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs), self.kind: how,
            **options_of(self.options),
        }
        with Call(options) as call, self._table(call, X) as table:
            if self.kind == "kpca":
                handle = call.make(lib.specreg_kpca, table.handle, call.options, 0)
            else:
                handle = call.make(lib.specreg_nystrom, table.handle, call.options)
            self.model_ = Model(handle)
        return self

    def transform(self, X: Any) -> Any:
        """The coordinates of the rows of X.

        Returns
        -------
        ndarray of shape (n, components)
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        options = {"threads": threads_of(self.n_jobs)}
        if isinstance(X, Mixed):
            return X.columns(self.model_, self.get_feature_names_out().tolist(), options)
        return self.model_.scores(X, options)

    def _count(self, rows: int) -> int:
        count = rows if self.n_components is None else self.n_components
        if not isinstance(count, numbers.Integral) or count < 1:
            raise ValueError(f"n_components={count!r} is neither a whole number from 1 on nor None")
        return min(int(count), rows)

    def _checked(self, X: Any, reset: bool) -> Any:
        """X, validated; a DataFrame with columns of texts as these."""
        if reset:
            self._text_columns: list[int] | None = None
        texts = None if reset else getattr(self, "_text_columns", ())  # a model from a file does not say
        mixed = None if texts is None and not reset else Mixed.of(X, texts or None)
        if mixed is not None:
            return mixed.checked(self, reset, self.missing).apart_from("target")
        with conventional(self, X):
            return self._validate_data(
                X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32],
                ensure_min_samples=2 if reset else 1,
                force_all_finite=True if self.missing == "error" else "allow-nan",
            )

    def _more_tags(self) -> dict[str, Any]:
        return {"allow_nan": self.missing != "error"}

    def _table(self, call: Call, X: Any) -> Table:
        return X.table(call) if isinstance(X, Mixed) else Table.of(call, Arrays(X))

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """pc1, pc2, ... or b1, b2, ..."""
        check_is_fitted(self)
        prefix = "pc" if self.kind == "kpca" else "b"
        names = [f"{prefix}{j + 1}" for j in range(self.model_.n_outputs)]
        return np.array(names, dtype=object)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the model file."""
        check_is_fitted(self)
        self.model_.save(path)

    def export(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Writes the model for others, as the ending of `path` says (docs/EXPORT.md)."""
        check_is_fitted(self)
        self.model_.export(path, format)

    @property
    def eigenvalues_(self) -> Any:
        return self._of_components("eigenvalues")

    @property
    def explained_variance_ratio_(self) -> Any:
        return self._of_components("share")

    def _of_components(self, name: str) -> Any:
        check_is_fitted(self)
        if self.kind != "kpca":
            raise AttributeError(f"kind={self.kind!r} has no eigenvalues, 'kpca' has")
        return np.array(self.model_.record[name])
