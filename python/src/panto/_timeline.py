"""Timelines: what happens when, predicted or measured."""

from __future__ import annotations

import csv
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ._command import run
from ._table import Row, Table, Value

#: Columns of the exported files that hold text.
TEXTS = frozenset({"what", "call", "lane"})


@dataclass(frozen=True)
class Timeline:
    """The states and messages of a run, in seconds.

    ``states`` has a row for each interval of a rank (``what``: compute, wait, ...), ``messages`` for
    each message with the times at which it was sent, arrived and was received.
    """

    path: Path
    states: Table
    messages: Table

    def _repr_html_(self) -> str:
        return self.states._repr_html_()


def timeline(path: str | os.PathLike[str]) -> Timeline:
    """Loads a timeline, or the measured run of a trace that was recorded with ``--stamps``."""
    with tempfile.TemporaryDirectory() as folder:
        base = Path(folder) / "timeline.csv"
        run("export", path, "-o", base)
        states, messages = (Table(*read(base.with_suffix(f".{kind}.csv"))) for kind in ("states", "messages"))
        return Timeline(Path(path), states, messages)


def read(path: Path) -> tuple[list[Row], list[str]]:
    """Returns the rows and the columns of a file of comma-separated values."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        return list(rows(reader)), list(reader.fieldnames or ())


def rows(reader: csv.DictReader[str]) -> Iterator[Row]:
    for record in reader:
        yield {name: value(name, text) for name, text in record.items()}


def value(column: str, text: str) -> Value:
    """Returns a cell as the number or the text that its column holds."""
    if text == "":
        return None
    if column in TEXTS:
        return text
    return float(text) if column.endswith("_s") else int(text)
