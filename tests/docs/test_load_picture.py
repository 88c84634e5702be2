"""The README's picture of what is loaded is what the program draws of that workspace today.

Drawn anew with `PYTHONPATH=daemon:tests python -m loads`.
"""

from __future__ import annotations

from pathlib import Path

from loads.golden import PICTURE, drawn


def test_the_picture_is_what_the_program_draws(tmp_path: Path) -> None:
    assert drawn(tmp_path / "here") == PICTURE.read_text(encoding="utf-8"), "draw it anew"
