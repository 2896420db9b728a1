"""Finds and runs the command ``panto``."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

#: What a command line consists of.
Word = Union[str, int, float, "os.PathLike[str]"]

#: Names another binary than that of the package.
VARIABLE = "PANTO"


class Error(RuntimeError):
    """A command that failed, or a binary that is missing.

    ``code`` is the exit code of ``panto`` (1: the run failed, 2: an invalid command line or file,
    3: ``compare`` found a slowdown), and ``None`` if it was not started.
    """

    def __init__(self, message: str, code: int | None = None) -> None:
        super().__init__(message)
        self.code = code


@dataclass(frozen=True)
class Output:
    """What a command printed: its result in ``text``, its remarks in ``notes``."""

    command: tuple[str, ...]
    text: str
    notes: str
    code: int = 0

    def json(self) -> Any:
        """Returns the result of a command that was given ``--format json``."""
        return json.loads(self.text)

    def __str__(self) -> str:
        return self.text

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self.text.rstrip("\n"))


def binary() -> Path:
    """Returns the path of the command: ``$PANTO``, that of this package, or one on the path."""
    chosen = os.environ.get(VARIABLE)
    if chosen:
        return Path(chosen)
    own = Path(sysconfig.get_path("scripts")) / "panto"
    if own.is_file():
        return own
    found = shutil.which("panto")
    if found is None:
        raise Error(f"there is no `panto` on the path; {VARIABLE} may name it")
    return Path(found)


def run(
    *words: Word,
    check: bool = True,
    cwd: str | os.PathLike[str] | None = None,
    env: Mapping[str, str] | None = None,
) -> Output:
    """Runs ``panto`` with these words and returns what it printed.

    Raises :class:`Error` with the command's own message if it fails, unless ``check`` is false.
    ``env`` is added to the environment.
    """
    command = (str(binary()), *(os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in words))
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            cwd=cwd,
            env={**os.environ, **env} if env else None,
            check=False,
        )
    except OSError as error:
        raise Error(f"cannot start {command[0]}: {error.strerror}") from error
    if check and done.returncode != 0:
        message = done.stderr.strip() or f"`panto {' '.join(command[1:])}` ended with {done.returncode}"
        raise Error(message, done.returncode)
    return Output(command, done.stdout, done.stderr, done.returncode)


def version() -> str:
    """Returns what ``panto --version`` prints: the version, the commit and the target."""
    return run("--version").text.strip()


def options(values: Mapping[str, Any]) -> list[str]:
    """Returns keyword arguments as options: ``time_budget="1s"`` is ``--time-budget 1s``.

    ``True`` is an option without a value, ``False`` and ``None`` are left out, and a list is joined
    with commas.
    """
    words: list[str] = []
    for name, value in values.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(joined(value))
    return words


def joined(value: Any) -> str:
    """Returns a value as a word of the command line; the items of a list have commas between."""
    if isinstance(value, (list, tuple)):
        return ",".join(joined(item) for item in value)
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
