"""Results of measurements, which ``panto bench -o`` writes."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ._command import Word, options, run
from ._svg import Svg
from ._table import Row, Table, flat

#: Fields of a line of a results file that are not its position in the sweep.
POSITION = ("kernel", "ranks", "params", "algorithm", "machine")


@dataclass(frozen=True)
class Results:
    """A results file.

    ``points`` has a row for each point: its position in the sweep (``kernel``, ``ranks``,
    ``bytes``, ``hops``, ...), its median with the 95 % interval (``median_ns``, ``low_ns``,
    ``high_ns``), and how it was measured. ``findings`` has what follows from them, ``quality`` how
    far they can be believed (``None`` for simulated ones). ``manifest`` says where and by which
    command the last launch measured.
    """

    path: Path
    points: Table
    findings: Table
    quality: dict[str, Any] | None
    manifest: dict[str, Any] = field(repr=False)

    @property
    def kernels(self) -> list[str]:
        """The kernels in the order of the file."""
        return list(dict.fromkeys(str(name) for name in self.points["kernel"]))

    def samples(self) -> Table:
        """Returns every undisturbed sample: a row for each, in the order of measurement."""
        return Table(samples(self.path))

    def plots(self) -> list[Svg]:
        """Returns a figure for each kernel."""
        with tempfile.TemporaryDirectory() as folder:
            run("info", self.path, "--plot", folder)
            files = sorted(Path(folder).glob("**/*.svg"))
            return [Svg(file.read_text(encoding="utf-8"), file.stem) for file in files]

    def plot(self, kernel: str | None = None) -> Svg:
        """Returns the figure of a kernel, or of the first one."""
        wanted = (kernel or self.kernels[0]).replace("/", "-")
        plots = {plot.name: plot for plot in self.plots()}
        for name, plot in plots.items():
            if name == wanted or name.endswith(wanted):
                return plot
        raise KeyError(f"no figure of `{kernel}`; there are {', '.join(plots)}")

    def _repr_html_(self) -> str:
        return self.points._repr_html_()


def results(path: str | os.PathLike[str], *, salvage: bool = False) -> Results:
    """Loads a results file. ``salvage`` reads a damaged one up to the damage."""
    words: list[Word] = ["info", path, "--format", "json", *options({"salvage": salvage})]
    document = run(*words).json()
    return Results(
        Path(path),
        Table(map(row, document["points"])),
        Table(map(flat, document["findings"])),
        document["quality"],
        document["manifest"],
    )


def bench(*kernels: str, output: str | os.PathLike[str] | None = None, **settings: Any) -> Results:
    """Measures kernels and returns the results: ``bench("echo", on="infiniband", sizes="0..1M")``.

    Settings are the options of ``panto bench``. ``output`` keeps the results file; otherwise it is
    temporary, and only the points remain.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(output) if output is not None else Path(folder) / "results.jsonl"
        run("bench", *kernels, "-o", path, *options(settings))
        return results(path)


def row(point: dict[str, Any]) -> Row:
    """Returns a point as a row, with the description of its time as one column."""
    return flat({**point, "metric": point["metric"]["words"]})


def samples(path: Path) -> Iterator[Row]:
    """Yields the samples of a results file. The last line of a point replaces earlier ones."""
    latest: dict[str, dict[str, Any]] = {}
    with path.open(encoding="utf-8") as file:
        for text in file:
            line = json.loads(text)
            if line.get("line") == "point":
                position = {name: line.get(name) for name in (*POSITION, "launch")}
                latest[json.dumps(position, sort_keys=True)] = line
    for line in latest.values():
        position = flat({name: line[name] for name in POSITION if name in line})
        for index, time in enumerate(line.get("samples_ns", ())):
            yield {**position, "sample": index, "time_ns": time}
