"""``docs/python.md`` is true: its code runs, part after part, in a folder with a trace."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY


def parts(page: str) -> list[str]:
    """Returns the blocks of Python of a page."""
    blocks = page.split("```")[1::2]
    return [block.removeprefix("python\n") for block in blocks if block.startswith("python\n")]


def test_the_code_of_the_page_runs(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(folder / "app.panto", tmp_path)
    monkeypatch.chdir(tmp_path)
    code = parts((REPOSITORY / "docs/python.md").read_text(encoding="utf-8"))
    assert len(code) >= 7
    names: dict[str, Any] = {}
    for part in code:
        exec(compile(part, part, "exec"), names)  # noqa: S102
    assert (tmp_path / "echo.svg").is_file() and (tmp_path / "report.html").is_file()
