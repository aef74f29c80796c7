"""What filters are, and their values over the spectrum."""
from __future__ import annotations

from typing import Any

from ._c import lib
from ._call import Call
from ._frame import frame


def filters() -> Any:
    """What each filter is: g, r = 1 - s g, qualification, constants of the theory, engines.

    Returns
    -------
    DataFrame
        A row for each filter (docs/MATH.md, section 2); without pandas a list of dicts.

    Examples
    --------
    >>> import specreg
    >>> table = specreg.filters().set_index("name")
    >>> table.g["tikhonov"], table.qualification["tikhonov"], "cholesky" in table.engines["tikhonov"]
    ('1/(s+lambda)', '1', True)
    """
    with Call() as call:
        return frame(call.record(lib.specreg_filters)["filters"])


def filter_curve(
    filter: str = "tikhonov", param: Any = "auto", *, s: str = "log:1e-4:1:101", nu: float = 1.0
) -> Any:
    """g, r and the residual of order nu, s^nu r, over s.

    Where the step of an iteration is not a number, the largest eigenvalue is 1.

    Parameters
    ----------
    filter : str, default="tikhonov"
        The filter, as for the estimators.
    param : float, list of float, dict or str, default="auto"
        Values of its parameter, as for the estimators.
    s : str, default="log:1e-4:1:101"
        Where s runs: a list ``"{0.1,0.5}"`` or a range.
    nu : float, default=1.0
        The order of the residual.

    Returns
    -------
    DataFrame
        Columns lambda, t or components, then s, g, r, residual; without pandas a list of dicts.

    Examples
    --------
    >>> import specreg
    >>> specreg.filter_curve("landweber", {"t": [1, 2]}, s="{0.5}").r.tolist()
    [0.5, 0.25]
    """
    from ._base import param_text

    with Call() as call:
        texts = (text.encode() for text in (filter, param_text(param), s))
        return frame(call.record(lib.specreg_filter_curve, *texts, float(nu))["curve"])
