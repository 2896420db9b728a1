"""Predictions of a traced program: on one machine, and on many."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ._command import Word, options, run
from ._table import Table, flat


@dataclass(frozen=True)
class Prediction:
    """A predicted run.

    ``time_s`` is when its last rank ends. ``ranks`` has a row for each rank, ``functions`` for each
    MPI function, ``critical_path`` for each part of the chain that determines the end.
    """

    time_s: float
    ranks: Table
    functions: Table
    critical_path: Table
    assumed: tuple[str, ...] = field(repr=False)
    document: dict[str, Any] = field(repr=False)

    def _repr_html_(self) -> str:
        return f"<p>{self.time_s:.4g} s</p>{self.ranks._repr_html_()}"


def predict(
    trace: str | os.PathLike[str],
    machine: str | os.PathLike[str],
    *,
    set: Mapping[str, str] | None = None,  # noqa: A002
    timeline: str | os.PathLike[str] | None = None,
    **settings: Any,
) -> Prediction:
    """Predicts a traced program on a machine, with the options of ``panto simulate``.

    ``set={"link.latency": "2us"}`` overrides parameters of the machine; ``timeline`` names a file
    for what happens when, which :func:`panto.timeline` loads.
    """
    words: list[Word] = ["simulate", trace, "--machine", machine, "--format", "json"]
    words += repeated("--set", set or {})
    document = run(*words, *options({"timeline": timeline, **settings})).json()
    ranks = Table({"rank": rank, **flat(each)} for rank, each in enumerate(document["ranks"]))
    path = document.get("critical_path") or {}
    return Prediction(
        document["time_s"],
        ranks,
        Table(map(flat, document.get("functions", ()))),
        Table(map(flat, path.get("shares", ()))),
        tuple(document.get("assumed", ())),
        document,
    )


@dataclass(frozen=True)
class Sweep:
    """Predictions for many machines and settings: ``settings`` has a row for each."""

    settings: Table
    ranks: int
    complete: bool

    def _repr_html_(self) -> str:
        return self.settings._repr_html_()


def sweep(
    trace: str | os.PathLike[str],
    machine: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    vary: Mapping[str, Sequence[str]] | None = None,
    set: Mapping[str, str] | None = None,  # noqa: A002
    **settings: Any,
) -> Sweep:
    """Predicts a traced program for every combination, with the options of ``panto sweep``.

    ``vary={"link.latency": ["1us", "2us"]}`` varies a parameter of the machines.
    """
    machines = [machine] if isinstance(machine, (str, os.PathLike)) else list(machine)
    words: list[Word] = ["sweep", trace, "--format", "json"]
    words += repeated("--vary", {name: list(values) for name, values in (vary or {}).items()})
    words += repeated("--set", set or {})
    document = run(*words, *options({"machine": machines, **settings})).json()
    rows = Table(row(each) for each in document["settings"])
    return Sweep(rows, document["ranks"], document["complete"])


def row(setting: dict[str, Any]) -> dict[str, Any]:
    """Returns a setting as a row: what was varied first, its figures after."""
    return {**setting.pop("settings"), **flat(setting)}


def repeated(option: str, values: Mapping[str, Any]) -> list[Word]:
    """Returns an option for each value: ``--set link.latency=2us``."""
    words: list[Word] = []
    for name, value in values.items():
        text = ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
        words += [option, f"{name}={text}"]
    return words
