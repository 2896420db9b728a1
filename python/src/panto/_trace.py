"""Summaries of traces, which ``panto trace`` writes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._command import options, run
from ._table import Table, flat


@dataclass(frozen=True)
class Trace:
    """What was recorded of a program.

    ``ranks`` has a row for each rank, ``functions`` for each MPI function, ``pairs`` for each two
    ranks that exchanged messages, ``collectives`` for each pattern and number of ranks. ``facts``
    says how it was recorded.
    """

    path: Path
    calls: int
    computation_ns: int
    complete: bool
    ranks: Table
    functions: Table
    pairs: Table
    collectives: Table
    facts: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        return self.functions._repr_html_()


def trace(path: str | os.PathLike[str], *, salvage: bool = False) -> Trace:
    """Loads the summary of a trace. ``salvage`` reads a damaged one up to the damage."""
    document = run("info", path, "--format", "json", *options({"salvage": salvage})).json()
    tables = {name: Table(map(flat, document[name])) for name in ("functions", "pairs", "collectives")}
    ranks = Table({"rank": rank, **flat(each)} for rank, each in enumerate(document["ranks"]))
    return Trace(
        Path(path),
        document["calls"],
        document["computation_ns"],
        document["complete"],
        ranks,
        tables["functions"],
        tables["pairs"],
        tables["collectives"],
        document["facts"],
    )
