"""A card in a file: private, whole, only when it changed, over nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conductd.core.notes.source import MARK
from conductd.engine.bootcards.card_file import put
from conductd.errors import Refused

CARD = f"{MARK}2026-03-08: nothing left out\n"


def test_it_is_written_once_and_private(tmp_path: Path) -> None:
    path = tmp_path / "card.md"
    assert put(os.fsencode(path), CARD)
    assert path.read_text() == CARD
    assert path.stat().st_mode & 0o777 == 0o600
    before = path.stat()
    assert not put(os.fsencode(path), CARD)
    assert path.stat() == before
    assert put(os.fsencode(path), CARD + "- x\n")
    assert os.listdir(tmp_path) == ["card.md"]


def test_an_empty_file_may_become_one(tmp_path: Path) -> None:
    path = tmp_path / "card.md"
    path.touch()
    assert put(os.fsencode(path), CARD)


@pytest.mark.parametrize("kind", ["file", "directory", "link", "fifo"])
def test_what_is_no_card_is_left_alone(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "MEMORY.md"
    if kind == "file":
        path.write_text("# Memory\n")
    elif kind == "directory":
        path.mkdir()
    elif kind == "link":
        (tmp_path / "real.md").write_text(CARD)
        path.symlink_to(tmp_path / "real.md")
    else:
        os.mkfifo(path)
    with pytest.raises(Refused):
        put(os.fsencode(path), CARD)
    if kind == "file":
        assert path.read_text() == "# Memory\n"


def test_nothing_is_left_behind_when_it_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "rename", fails)
    with pytest.raises(OSError, match="No space"):
        put(os.fsencode(tmp_path / "card.md"), CARD)
    assert os.listdir(tmp_path) == []
