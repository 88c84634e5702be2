"""Names for the files that sections go to."""

from __future__ import annotations

from itertools import islice

import pytest

from conductd.core.roles import classify, is_throw_away
from conductd.core.rotating.places import link, topics
from conductd.model import Role

CASES = [
    (b"MEMORY.md", False, b"memory/memory-archive.md"),
    (b"memory.md", False, b"memory/memory-archive.md"),
    (b"USER.md", False, b"memory/user-archive.md"),
    (b"CLAUDE.md", False, b"memory/claude-archive.md"),
    (b".cursorrules", False, b"memory/cursorrules-archive.md"),
    (b"MEMORY.md", True, b"memory-archive.md"),
    (b"memory/projects.md", False, b"memory/projects-archive.md"),
    (b"memory/2026-01-02.md", False, b"memory/notes-of-2026-01-02-archive.md"),
    (b"memory/projects-archive.md", False, b"memory/projects-archive.md"),
    (b"notes\xff.md", False, b"memory/notes-archive.md"),
]


@pytest.mark.parametrize(("path", "beside", "wanted"), CASES)
def test_the_likeliest_name(path: bytes, beside: bool, wanted: bytes) -> None:
    assert next(topics(path, beside=beside)) == wanted


@pytest.mark.parametrize("path", [case[0] for case in CASES])
def test_no_name_in_the_memory_directory_is_a_days_note_or_thrown_away(path: bytes) -> None:
    for name in islice(topics(path, beside=False), 20):
        assert not is_throw_away(name)
        if name.startswith(b"memory/"):
            assert classify(name) is Role.TOPIC


def test_links_are_relative_and_sayable() -> None:
    assert link(b"MEMORY.md", b"memory/a b.md") == "memory/a b.md"
    assert link(b".claude/CLAUDE.md", b"memory/x.md") == "../memory/x.md"
    assert link(b"memory/x.md", b"memory/x-archive.md") == "x-archive.md"
    assert link(b"MEMORY.md", b"memory/\xff.md") is None
    assert link(b"MEMORY.md", b"memory/a\nb.md") is None
