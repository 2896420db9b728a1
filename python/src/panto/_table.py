"""Rows with named columns: the form of everything that this package returns."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Union, overload

from ._command import Error

if TYPE_CHECKING:
    import pandas
    import polars

#: What a cell holds.
Value = Union[str, int, float, bool, None]
Row = dict[str, Value]

#: Rows that a notebook shows.
SHOWN = 50


class Table(Sequence[Row]):
    """A sequence of rows; ``table["bytes"]`` is a column, ``table[0]`` a row.

    Columns are in the order of their first appearance, and a value that a row lacks is ``None``.
    """

    def __init__(self, rows: Iterable[Mapping[str, Value]], columns: Iterable[str] = ()) -> None:
        given = [dict(row) for row in rows]
        names = dict.fromkeys(columns)
        for row in given:
            names.update(dict.fromkeys(row))
        self.columns: tuple[str, ...] = tuple(names)
        self._rows: list[Row] = [{name: row.get(name) for name in self.columns} for row in given]

    @overload
    def __getitem__(self, index: int) -> Row: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    @overload
    def __getitem__(self, index: str) -> list[Value]: ...
    def __getitem__(self, index: int | slice | str) -> Row | Table | list[Value]:
        if isinstance(index, str):
            if index not in self.columns:
                raise KeyError(f"no column `{index}`; there are {', '.join(self.columns)}")
            return [row[index] for row in self._rows]
        if isinstance(index, slice):
            return Table(self._rows[index], self.columns)
        return self._rows[index]

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self._rows)

    def __repr__(self) -> str:
        return f"<panto.Table: {len(self)} rows of {', '.join(self.columns)}>"

    def where(self, **values: Value) -> Table:
        """Returns the rows that have these values: ``points.where(kernel="comet/echo")``."""
        rows = (row for row in self if all(row.get(name) == value for name, value in values.items()))
        return Table(rows, self.columns)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns a data frame of pandas."""
        try:
            import pandas
        except ImportError as error:
            raise missing("pandas") from error
        return pandas.DataFrame({name: self[name] for name in self.columns})

    def to_polars(self) -> polars.DataFrame:
        """Returns a data frame of polars."""
        try:
            import polars
        except ImportError as error:
            raise missing("polars") from error
        return polars.DataFrame({name: self[name] for name in self.columns}, strict=False)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(f"<tr>{''.join(cell(value) for value in row.values())}</tr>" for row in self._rows[:SHOWN])
        rest = f"<p>{SHOWN} of {len(self)} rows</p>" if len(self) > SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{rest}"


def cell(value: Value) -> str:
    """Returns a cell of an HTML table; four digits of a number are enough to look at."""
    if value is None:
        return "<td></td>"
    if isinstance(value, float):
        return f'<td style="text-align:right">{value:.4g}</td>'
    if isinstance(value, int) and not isinstance(value, bool):
        return f'<td style="text-align:right">{value}</td>'
    return f'<td style="text-align:left">{html.escape(str(value))}</td>'


def missing(library: str) -> Error:
    """Returns the error that names what to install."""
    return Error(f"{library} is not installed; `pip install 'panto-hpc[{library}]'` adds it")


def flat(record: Mapping[str, Any]) -> Row:
    """Returns the plain values of a record. Those of an object inside are its own, by their names;
    lists are left out."""
    row: Row = {}
    for name, value in record.items():
        if isinstance(value, Mapping):
            row.update(flat(value))
        elif not isinstance(value, list):
            row[name] = value
    return row
