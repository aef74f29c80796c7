"""One call of the library: a context of its own, options, progress, Ctrl-C, errors.

A context belongs to one thread at a time, so every call has its own: estimators and models can be
used by several threads at once.  ctypes releases the interpreter's lock during a call.
"""
from __future__ import annotations

import ctypes
import json
import logging
import numbers
import os
import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Callable, Mapping

from ._c import LogFn, Progress, ProgressFn, lib
from ._errors import error_of

log = logging.getLogger("specreg")

# The threads of OpenMP do not survive fork(): a child that would use them waits forever.
_forked = False


def _note_fork() -> None:
    global _forked
    _forked = True


os.register_at_fork(after_in_child=_note_fork)


class _Bars:
    """A tqdm bar for each stage, where tqdm is installed; else nothing is shown."""

    def __init__(self) -> None:
        try:
            from tqdm.auto import tqdm
        except ImportError:
            tqdm = None
        self.make: Callable[..., Any] | None = tqdm
        self.bar: Any = None
        self.stage: str | None = None

    def show(self, progress: Progress) -> None:
        if self.make is None:
            return
        stage = progress.stage.decode()
        if stage != self.stage or self.bar.total != progress.steps:
            self.close()
            self.bar = self.make(total=progress.steps, desc=stage)
            self.stage = stage
        self.bar.update(progress.step - self.bar.n)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()
            self.bar = None


class Call:
    """A context for the calls inside a `with`; Ctrl-C cancels them and is raised afterwards."""

    def __init__(self, options: Mapping[str, Any] | None = None, verbose: int = 0) -> None:
        self._given = dict(options or {})
        self._raised: BaseException | None = None
        self._previous: Any = None
        self._bars = _Bars() if verbose else None
        self.notes: list[str] = []

    def __enter__(self) -> Call:
        self.ctx = ctypes.c_void_p()
        self.options = ctypes.c_void_p()
        if lib.specreg_context_new(ctypes.byref(self.ctx)) != 0:
            raise MemoryError("specreg: no memory for a context")
        try:
            self._set_options()
        except BaseException:
            self._free()
            raise
        self._progress_fn = ProgressFn(self._progress)  # kept: C holds only their addresses
        self._log_fn = LogFn(self._log)
        lib.specreg_set_progress(self.ctx, self._progress_fn, None)
        lib.specreg_set_log(self.ctx, self._log_fn, None)
        if threading.current_thread() is threading.main_thread():
            previous = signal.getsignal(signal.SIGINT)
            if callable(previous):
                self._previous = previous
                signal.signal(signal.SIGINT, self._interrupted)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._previous is not None:
            signal.signal(signal.SIGINT, self._previous)
        if self._bars:
            self._bars.close()
        self._free()
        if self._raised is not None and error is not self._raised:
            raise self._raised from None

    def _free(self) -> None:
        lib.specreg_options_free(self.options)
        lib.specreg_context_free(self.ctx)

    def _set_options(self) -> None:
        self.check(lib.specreg_options_new(self.ctx, ctypes.byref(self.options)))
        if _forked:
            self._given["threads"] = 1
        for name, value in self._given.items():
            text = None if value is None else str(value).encode()
            if text is not None and b"\0" in text:
                raise ValueError(f"{name}={value!r} has a zero byte")
            self.check(
                lib.specreg_options_set(self.ctx, self.options, name.replace("_", "-").encode(), text)
            )

    def _interrupted(self, number: int, frame: FrameType | None) -> None:
        try:
            self._previous(number, frame)
        except BaseException as error:  # an exception inside a callback would be lost
            self._raised = error

    def _progress(self, progress: Any, payload: Any) -> int:
        try:
            if self._bars:
                self._bars.show(progress.contents)
        except BaseException as error:
            self._raised = error
        return 1 if self._raised is not None else 0

    def _log(self, line: bytes, payload: Any) -> None:
        text = line.decode(errors="replace")
        if text.startswith("note: "):
            self.notes.append(text[6:])
        log.info("%s", text)

    def check(self, status: int) -> None:
        """Raises what a status stands for."""
        if self._raised is not None:
            raise self._raised
        if status != 0:
            text = lib.specreg_last_error(self.ctx) or b""
            raise error_of(status, text.decode(errors="replace"))

    def cancel(self, error: BaseException) -> None:
        """Ends the call that another thread is in; it raises this error there."""
        self._raised = error

    def make(self, function: Any, *arguments: Any) -> ctypes.c_void_p:
        """The object that a call puts into its last parameter."""
        out = ctypes.c_void_p()
        self.check(function(self.ctx, *arguments, ctypes.byref(out)))
        return out

    def record(self, function: Any, *arguments: Any) -> dict[str, Any]:
        """The JSON record that a call puts into its last parameter."""
        text = self.make(function, *arguments)
        try:
            return dict(json.loads(ctypes.string_at(text)))
        finally:
            lib.specreg_string_free(text)


def threads_of(n_jobs: int | None) -> int:
    """The option `threads` for scikit-learn's n_jobs; None and -1 are all there are."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, numbers.Integral):
        raise ValueError(f"n_jobs={n_jobs!r} is no whole number")
    if n_jobs == 0:
        raise ValueError("n_jobs=0 has no meaning; None and -1 take all processors")
    return n_jobs if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + n_jobs)
