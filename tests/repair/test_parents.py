"""Directories above a file, made again."""

from __future__ import annotations

import os
from pathlib import Path

from conductd.repair.parents import make_parents


def test_missing_directories_are_made(tmp_path: Path) -> None:
    root = os.open(tmp_path, os.O_RDONLY)
    make_parents(root, b"memory/2026/03/day.md")
    os.close(root)
    assert (tmp_path / "memory/2026/03").is_dir()


def test_a_link_on_the_way_is_not_followed(tmp_path: Path) -> None:
    outside, inside = tmp_path / "outside", tmp_path / "inside"
    outside.mkdir()
    inside.mkdir()
    (inside / "memory").symlink_to(outside)
    root = os.open(inside, os.O_RDONLY)
    make_parents(root, b"memory/2026/day.md")
    os.close(root)
    assert list(outside.iterdir()) == []


def test_a_file_on_the_way_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "memory").write_text("a file")
    root = os.open(tmp_path, os.O_RDONLY)
    make_parents(root, b"memory/day.md")
    os.close(root)
    assert (tmp_path / "memory").read_text() == "a file"
