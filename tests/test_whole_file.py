"""Files of the daemon's own are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from conductd import whole_file


def test_what_stood_there_is_replaced_and_the_file_is_private(tmp_path: Path) -> None:
    path = tmp_path / "log.md"
    path.write_text("older and longer", encoding="utf-8")
    path.chmod(0o644)
    whole_file.put(str(path), b"new")
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o600
    assert os.listdir(tmp_path) == ["log.md"]


def test_a_link_is_replaced_and_what_it_leads_to_is_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"theirs")
    (tmp_path / "link").symlink_to(other)
    whole_file.put(os.fsencode(tmp_path / "link"), b"ours")
    assert other.read_bytes() == b"theirs"
    assert not (tmp_path / "link").is_symlink()


def test_what_cannot_take_the_place_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "busy").mkdir()
    (tmp_path / "busy" / "below").write_bytes(b"")
    with pytest.raises(OSError):
        whole_file.put(os.fsencode(tmp_path / "busy"), b"ours")
    assert sorted(os.listdir(tmp_path)) == ["busy"]
