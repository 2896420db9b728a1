"""What the tests share: a folder with a results file, a trace and a timeline."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import panto

REPOSITORY = Path(__file__).resolve().parents[2]
FILES = REPOSITORY / "crates/cli/tests/files/0.1"


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as a user has it: ``run.jsonl``, ``app.panto`` and ``app.ptl``."""
    path = tmp_path_factory.mktemp("files")
    shutil.copy(FILES / "trace.panto", path / "app.panto")
    panto.run("bench", "echo", "barrier", "--on", "infiniband", "-n", 4, "--sizes", "8,1K", "-o", path / "run.jsonl")
    panto.run("simulate", path / "app.panto", "-m", "infiniband", "--timeline", path / "app.ptl")
    return path
