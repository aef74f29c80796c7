"""Report pages: models and records as one HTML file with pictures."""
from __future__ import annotations

import ctypes
import html as _html
import json
import os
from contextlib import ExitStack
from typing import Any, Mapping

from ._c import ReportPart, lib
from ._call import Call

__all__ = ["Report", "report"]


class Report:
    """A page, which a notebook shows in place.

    Attributes
    ----------
    html : str
        The whole page; it needs no network.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> page = specreg.SpectralRegressor("rbf:sigma=0.5").fit(X, X[:, 0] ** 2).report()
    >>> "specreg-data" in page.html
    True
    """

    def __init__(self, html: str) -> None:
        self.html = html

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the page; the file is complete or not there."""
        with Call() as call:
            call.check(lib.specreg_text_write(call.ctx, self.html.encode(), os.fsencode(path)))

    def __str__(self) -> str:
        return self.html

    def __repr__(self) -> str:
        return f"<specreg.Report of {len(self.html.encode()) // 1024} KiB: save(path), or shown by a notebook>"

    def _repr_html_(self) -> str:
        page = _html.escape(self.html, quote=True)
        return (
            '<iframe sandbox="allow-scripts allow-downloads" title="specreg report" srcdoc="' + page
            + '" style="width:100%;height:720px;border:1px solid #ccc"></iframe>'
        )


def _sources(things: tuple[Any, ...]) -> list[tuple[str, Any, bytes | None]]:
    """A title, a model or None, and a record or None, of each."""
    from ._explain import _model_of
    from ._model import Model

    found: list[tuple[str, Any, bytes | None]] = []
    for thing in things:
        if isinstance(thing, Mapping):
            found.append((str(thing.get("command", "record")), None, json.dumps(thing).encode()))
        elif isinstance(thing, (str, os.PathLike)):
            path = os.fspath(thing)
            title = os.path.basename(path)
            if lib.specreg_is_model_file(os.fsencode(path)):
                found.append((title, Model.load(path), None))
            else:
                with open(path, "rb") as file:
                    found.append((title, None, file.read()))
        else:
            title = "model" if isinstance(thing, Model) else type(thing).__name__
            found.append((title, _model_of(thing), None))
    return found


def _rows(stack: ExitStack, call: Call, thing: Any, data: Any) -> Any:
    """Labelled rows as a table: a file name, or (X, y)."""
    from ._data import one_path
    from ._explain import _model_of, table_of, takes_files

    if takes_files(thing, data):
        return stack.enter_context(_model_of(thing).read(call, one_path(data)))
    X, y, *tasks = data
    return stack.enter_context(table_of(call, thing, X, y, *tasks))


def report(
    *things: Any, data: Any = None, path: str | os.PathLike[str] | None = None
) -> Report:
    """One page of models and records, side by side.

    Parameters
    ----------
    *things : fitted estimator, Model, dict or file name
        What is shown: models, and records such as ``model.record`` or what ``cv`` gives.
    data : (X, y), of a MultiTaskRegressor (X, y, tasks), or file name, optional
        Labelled rows that the models predict, in place of the rows that they hold out.
    path : str, optional
        Also writes the page here.

    Returns
    -------
    Report
        With `html` and `save`; a notebook shows it.

    Examples
    --------
    >>> import numpy as np, specreg
    >>> X = np.linspace(0, 1, 30)[:, None]
    >>> model = specreg.SpectralRegressor("rbf:sigma=0.5").fit(X, np.sin(6 * X[:, 0]))
    >>> specreg.report(model).html[:15].lower()
    '<!doctype html>'
    """
    if not things:
        raise ValueError("report needs a model or a record")
    sources = _sources(things)
    parts = (ReportPart * len(sources))()
    with ExitStack() as stack:
        call = stack.enter_context(Call())
        for part, thing, (title, model, record) in zip(parts, things, sources):
            part.struct_size = ctypes.sizeof(ReportPart)
            part.title = title.encode()
            part.record = record
            if model is not None:
                part.model = model._handle
                if data is not None:
                    whose = model if isinstance(thing, (str, os.PathLike)) else thing
                    part.data = _rows(stack, call, whose, data).handle
        text = call.make(lib.specreg_report_page, parts, len(sources), call.options)
        try:
            made = Report(ctypes.string_at(text).decode())
        finally:
            lib.specreg_string_free(text)
    if path is not None:
        made.save(path)
    return made
