"""Regions of an MPI program in Python for Panto's tracer: names for parts of it.

>>> from panto.regions import region
>>> with region("solve"):
...     pass

Under ``panto trace`` the beginning and the end are recorded, and timelines and profiles show the
region. Without the tracer nothing happens. This module imports nothing of the package: a program
may take a copy of this file.
"""

import contextlib
import ctypes
from collections.abc import Iterator

_process = ctypes.CDLL(None)


def _function(name: str, *arguments: type) -> "ctypes._NamedFuncPointer | None":
    """Returns a function of the tracer; none if the program is not traced."""
    found: ctypes._NamedFuncPointer
    try:
        found = getattr(_process, name)
    except AttributeError:
        return None
    found.argtypes, found.restype = arguments, None
    return found


_begin = _function("panto_region_begin", ctypes.c_char_p)
_end = _function("panto_region_end")


@contextlib.contextmanager
def region(name: str) -> Iterator[None]:
    """Runs the body of a ``with`` statement as a region of this name. Regions nest."""
    if _begin is None or _end is None:
        yield
        return
    _begin(name.encode())
    try:
        yield
    finally:
        _end()
