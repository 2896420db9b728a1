"""Files become tables, and tables become data frames."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import panto


def test_results(folder: Path) -> None:
    results = panto.results(folder / "run.jsonl")
    assert results.kernels == ["comet/echo", "comet/barrier"]
    assert results.manifest["machine"]["name"] == "infiniband" and results.quality is None
    echo = results.points.where(kernel="comet/echo", bytes=1024, hops=2)
    frame = echo.to_pandas()
    assert len(frame) == 1 and frame["median_ns"].iloc[0] > 900
    assert frame["metric"].iloc[0].startswith("one way")
    assert echo.to_polars()["median_ns"].to_list() == frame["median_ns"].to_list()
    medians = {row["time_ns"] for row in results.samples().where(kernel="comet/echo", bytes=1024, hops=2)}
    assert medians == {frame["median_ns"].iloc[0]}, "all samples of a simulated point are equal"
    assert "value" in results.findings.columns or len(results.findings) == 0


def test_plots(folder: Path, tmp_path: Path) -> None:
    results = panto.results(folder / "run.jsonl")
    svg = results.plot("comet/echo")
    assert svg._repr_svg_().rstrip().endswith("</svg>")
    assert svg.save(tmp_path / "echo.svg").read_text(encoding="utf-8") == svg.text
    assert len(results.plots()) == 2
    with pytest.raises(KeyError, match="comet-barrier"):
        results.plot("comet/nothing")


def test_bench(tmp_path: Path) -> None:
    kept = tmp_path / "kept.jsonl"
    results = panto.bench("echo", on="infiniband", ranks=2, hops=2, sizes="8,16", output=kept)
    assert results.points["bytes"] == [8, 16] and kept.is_file()
    assert len(panto.bench("barrier", on="infiniband", ranks=4).points) > 0


def test_trace(folder: Path) -> None:
    trace = panto.trace(folder / "app.panto")
    assert trace.complete and trace.calls == sum(int(calls or 0) for calls in trace.functions["calls"])
    assert trace.ranks["rank"] == list(range(len(trace.ranks)))
    assert set(trace.pairs.columns) == {"from", "to", "messages", "bytes"}
    assert trace.ranks.to_pandas()["computation_ns"].sum() == trace.computation_ns


def test_prediction(folder: Path) -> None:
    fast = panto.predict(folder / "app.panto", "infiniband")
    slow = panto.predict(folder / "app.panto", "infiniband", set={"link.latency": "1ms"}, sharing="none")
    assert slow.time_s > fast.time_s > 0
    assert max(fast.ranks.to_pandas()["end_s"]) == pytest.approx(fast.time_s)
    assert fast.assumed and {"activity", "rank", "time_s"} <= set(fast.critical_path.columns)


def test_sweep(folder: Path) -> None:
    latencies = ["1us", "1ms"]
    sweep = panto.sweep(folder / "app.panto", ["infiniband", "cm5"], vary={"link.latency": latencies})
    frame = sweep.settings.to_polars()
    assert sweep.complete and frame.height == 4
    assert frame["link.latency"].to_list() == latencies * 2
    times = frame["time_s"].to_list()
    assert times[0] < times[1]


def test_timeline(folder: Path) -> None:
    timeline = panto.timeline(folder / "app.ptl")
    states = timeline.states.to_pandas()
    predicted = panto.predict(folder / "app.panto", "infiniband").time_s
    assert states["end_s"].max() == pytest.approx(predicted)
    assert (states["end_s"] >= states["begin_s"]).all() and "compute" in set(states["what"])
    messages = timeline.messages.to_polars()
    assert (messages["arrived_s"] >= messages["sent_s"]).all()


def test_a_damaged_file_is_an_error(folder: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.panto"
    data = (folder / "app.panto").read_bytes()
    damaged.write_bytes(data[: len(data) // 2])
    with pytest.raises(panto.Error) as caught:
        panto.trace(damaged)
    assert caught.value.code == 2


def test_a_table_is_html() -> None:
    table = panto.Table([{"name": "<script>", "time_s": 0.123456}, {"name": None, "count": 3}])
    assert table.columns == ("name", "time_s", "count")
    text = table._repr_html_()
    assert "&lt;script&gt;" in text and "0.1235" in text and "<script>" not in text
    assert "50 of 60 rows" in panto.Table([{"n": n} for n in range(60)])._repr_html_()
    assert table[1] == {"name": None, "time_s": None, "count": 3} and len(table[:1]) == 1
    with pytest.raises(KeyError, match="there are name, time_s, count"):
        table["nothing"]


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name in ("pandas", "polars"):
            raise ImportError(name)
        return real(name, *rest, **named)

    monkeypatch.setattr(builtins, "__import__", without)
    table = panto.Table([{"n": 1}])
    for convert in (table.to_pandas, table.to_polars):
        with pytest.raises(panto.Error, match="pip install 'panto-hpc"):
            convert()
