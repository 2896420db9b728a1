"""Panto's results as tables: data frames of pandas or polars, and HTML in notebooks.

>>> import panto
>>> panto.results("run.jsonl").points.to_pandas()   # doctest: +SKIP
>>> panto.predict("app.panto", machine="infiniband").time_s   # doctest: +SKIP

Everything is computed by the command ``panto``, which this package finds and runs; what it prints
as JSON or CSV becomes a :class:`Table`. Times are in the unit that a column's name ends with:
``_s`` seconds, ``_ns`` nanoseconds.
"""

from ._command import Error, Output, binary, run, version
from ._predict import Prediction, Sweep, predict, sweep
from ._results import Results, bench, results
from ._svg import Svg
from ._table import Table
from ._timeline import Timeline, timeline
from ._trace import Trace, trace

__all__ = [
    "Error",
    "Output",
    "Prediction",
    "Results",
    "Svg",
    "Sweep",
    "Table",
    "Timeline",
    "Trace",
    "bench",
    "binary",
    "predict",
    "results",
    "run",
    "sweep",
    "timeline",
    "trace",
    "version",
]
