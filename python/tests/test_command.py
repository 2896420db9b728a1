"""The command is found, run, and its errors are exceptions."""

from __future__ import annotations

from pathlib import Path

import pytest

import panto
from panto._command import options


def test_the_binary_says_its_version() -> None:
    assert panto.binary().is_file()
    assert panto.version().startswith("panto 0.")


def test_an_error_has_the_message_and_the_code() -> None:
    with pytest.raises(panto.Error, match="no-such-file.panto") as caught:
        panto.run("info", "no-such-file.panto")
    assert caught.value.code == 2
    assert panto.run("info", "no-such-file.panto", check=False).code == 2


def test_a_missing_binary_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PANTO", "/no/such/panto")
    with pytest.raises(panto.Error, match="cannot start /no/such/panto") as caught:
        panto.version()
    assert caught.value.code is None


def test_the_binary_of_the_path_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    real = panto.binary()
    monkeypatch.delenv("PANTO", raising=False)
    (tmp_path / "panto").symlink_to(real)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert panto.binary().name == "panto"


def test_keywords_are_options() -> None:
    given = {"time_budget": "1s", "quiet": True, "pin": False, "sizes": [8, 16], "on": Path("m.toml"), "x": None}
    assert options(given) == ["--time-budget", "1s", "--quiet", "--sizes", "8,16", "--on", "m.toml"]


def test_text_is_shown_as_it_is() -> None:
    output = panto.run("machines")
    assert "infiniband" in str(output) and output.code == 0
