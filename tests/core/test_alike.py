"""The glob for files like one that was met."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.alike import glob_for
from conductd.core.globs import matches


@pytest.mark.parametrize(
    ("path", "glob"),
    [
        ("memory/handoff-2026-03-08.md", "memory/handoff-*.md"),
        ("memory/handoff.md", "memory/handoff.md"),
        ("memory/session_20260308_1403_ab12cd.md", "memory/session_*.md"),
        ("memory/2026-03-08-handoff.md", "memory/*-handoff.md"),
        ("memory/2026/03/plan.md", "memory/*/*/plan.md"),
        ("memory/run-550e8400-e29b-41d4-a716-446655440000.md", "memory/run-*.md"),
        ("memory/2026-03-08.md", "memory/2026-03-08.md"),
        ("memory/日报-2026年3月8日.md", "memory/日报-*年*月*日.md"),
        ("memory/تسليم-12.md", "memory/تسليم-*.md"),
        ("notes-7.md", "/notes-*.md"),
        ("memory/decade of coffee.md", "memory/decade of coffee.md"),
        ("memory/todo [7]?.md", "memory/todo [[]*][?].md"),
        ("memory/2026-03-08T14:03Z status.md", "memory/* status.md"),
        ("memory/v2 notes.txt", "memory/v* notes.txt"),
    ],
)
def test_dates_numbers_and_ids_vary(path: str, glob: str) -> None:
    assert glob_for(path.encode()) == glob
    assert matches(glob, path.encode())


@given(st.binary(min_size=1, max_size=30).filter(lambda path: not path.startswith(b"/") and b"//" not in path))
def test_a_file_always_fits_the_glob_made_for_it(path: bytes) -> None:
    assert matches(glob_for(path), path)


def test_a_file_with_another_name_does_not_fit() -> None:
    glob = glob_for(b"memory/handoff-2026-03-08.md")
    assert matches(glob, b"memory/handoff-12.md")
    assert not matches(glob, b"memory/people.md")
    assert not matches(glob_for(b"notes-7.md"), b"memory/notes-8.md")
