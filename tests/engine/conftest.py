"""Real daemon processes for the engine's tests, and the texts they guard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.daemon import Daemon


def notes(first: int = 1, last: int = 40) -> str:
    """A file of entries that have no words in common, eight a section."""
    lines = ["# Memory"]
    for number in range(first, last + 1):
        if (number - 1) % 8 == 0:
            lines += ["", f"## Section {number // 8}"]
        lines.append(f"- note {number}: " + " ".join(_word(number * 7 + place) for place in range(7)))
    return "\n".join(lines) + "\n"


def _word(number: int) -> str:
    """A pronounceable word of its own for each number below 250,000."""
    syllables = [consonant + vowel for consonant in "bdfghjklmnprstvwz" for vowel in "aeiou"]
    size = len(syllables)
    return syllables[number % size] + syllables[number // size % size] + syllables[number * 31 % size]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(notes())
    return root


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path / "d", [workspace]) as running:
        yield running
