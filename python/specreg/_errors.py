"""Failures of the library as Python exceptions, with the library's own text."""
from __future__ import annotations

__all__ = ["SpecregError"]


class SpecregError(Exception):
    """What every failure of the library is; also one of Python's own kinds, see below."""


class InputError(SpecregError, ValueError):
    """An argument, a shape or a file's content is wrong."""


class MemoryShort(SpecregError, MemoryError):
    """There is too little memory, or the option `memory` allows too little."""


class FileError(SpecregError, OSError):
    """A file cannot be read or written."""


class NumericError(SpecregError, ArithmeticError, ValueError):
    """The numbers defeat the method, such as a kernel matrix that is not positive."""


class UnavailableError(SpecregError, NotImplementedError):
    """This model or this build of the library cannot do what was asked."""


class Cancelled(SpecregError):
    """A callback stopped the call."""


_KINDS = {
    -1: InputError,
    -2: InputError,
    -3: MemoryShort,
    -4: FileError,
    -5: InputError,
    -6: NumericError,
    -7: UnavailableError,
    -8: Cancelled,
}


def error_of(status: int, text: str) -> SpecregError:
    """The exception for a status that is not 0."""
    return _KINDS.get(status, SpecregError)(text)
