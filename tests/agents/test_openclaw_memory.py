"""The scan of OpenClaw's memory where it has bounds, and an order of its own."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from conductd.agents import openclaw_memory
from conductd.agents.openclaw_memory import listing
from conductd.agents.openclaw_memory_settings import Extra, MemorySettings
from conductd.core.load.openclaw_versions import NEWEST


def paths(own: MemorySettings) -> list[str]:
    return [each.path for each in listing(own, NEWEST).files]


def test_a_huge_tree_is_not_walked_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    for number in range(60):
        (tmp_path / f"memory/{number}.md").touch()
    monkeypatch.setattr(openclaw_memory, "ENTRIES", 50)
    found = listing(MemorySettings(str(tmp_path)), NEWEST)
    assert not found.is_whole
    assert len(found.files) == 49
    monkeypatch.setattr(openclaw_memory, "ENTRIES", 100)
    assert listing(MemorySettings(str(tmp_path)), NEWEST).is_whole


def test_what_is_not_taken_is_counted_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory").mkdir()
    for number in range(20):
        (tmp_path / f"memory/{number}.MD").touch()
    monkeypatch.setattr(openclaw_memory, "TOLD", 5)
    found = listing(MemorySettings(str(tmp_path)), NEWEST)
    assert (len(found.not_taken), found.more) == (5, 15)


def test_the_order_is_that_of_utf16_units(tmp_path: Path) -> None:
    names = ["a.md", "B.md", "b/z.md", "b.md", "b-.md", "é.md", "\uffee.md", "\U0001f600.md"]
    for name in random.Random(7).sample(names, len(names)):
        (tmp_path / "memory" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "memory" / name).touch()
    expected = sorted((f"memory/{name}" for name in names), key=lambda each: each.encode("utf-16-be"))
    assert paths(MemorySettings(str(tmp_path))) == expected
    assert expected[-2:] == ["memory/\U0001f600.md", "memory/\uffee.md"]


def test_two_patterns_of_one_place_add_up(tmp_path: Path) -> None:
    root = tmp_path / "w"
    for name in ("n/a/1.md", "n/b/2.md", "n/c/3.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    place = str(root / "n")
    own = MemorySettings(str(root), extra=(Extra(place, "a/*.md"), Extra(place, "{b,a}/*.md")))
    assert paths(own) == ["n/a/1.md", "n/b/2.md"]


def test_a_workspace_within_another_s_extra_path_is_skipped_where_its_repair_is(tmp_path: Path) -> None:
    root = tmp_path / "w"
    for name in ("memory.md", "MEMORY.md", ".openclaw-repair/root-memory/1/memory.md", "notes/x.md"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    own = MemorySettings(str(root), extra=(Extra(str(root)),))
    assert paths(own) == ["MEMORY.md", "notes/x.md"]
    own = MemorySettings(str(root), extra=(Extra(str(root / "memory.md")),))
    assert paths(own) == ["MEMORY.md"]


def test_a_hard_link_is_the_same_name_no_more(tmp_path: Path) -> None:
    """By the real path, not by the inode: OpenClaw takes both."""
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/a.md").touch()
    os.link(tmp_path / "memory/a.md", tmp_path / "memory/b.md")
    assert paths(MemorySettings(str(tmp_path))) == ["memory/a.md", "memory/b.md"]


def test_a_workspace_that_is_gone_has_nothing(tmp_path: Path) -> None:
    found = listing(MemorySettings(str(tmp_path / "gone")), NEWEST)
    assert found.files == ()
    assert [each.why for each in found.not_taken] == ["cannot be read: No such file or directory"]
