"""Figures."""

from __future__ import annotations

import os
from pathlib import Path


class Svg:
    """A figure, which a notebook draws."""

    def __init__(self, text: str, name: str = "figure") -> None:
        self.text = text
        self.name = name

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Writes the figure to a file and returns its path."""
        target = Path(path)
        target.write_text(self.text, encoding="utf-8")
        return target

    def __repr__(self) -> str:
        return f"<panto.Svg: {self.name}>"

    def _repr_svg_(self) -> str:
        return self.text
