"""Entries that stand, word for word, within a longer one that came.

Similarity finds most of them. Not where a longer sentence of several scripts is read in other words than the part was
(whether kana carry something depends on what stands beside them). Pure; called by `core.comparing.change`.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.comparing.wording import core_words, fact
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry
from conductd.core.reading.text import ids
from conductd.model import Relocated

_LEAST = 4  # words, or characters
_MOST = 40_000  # pairs


def grown(missing: Sequence[Entry], fresh: Sequence[Entry]) -> dict[int, Relocated]:
    """Where the missing entries are as parts of new ones, with all of their numbers and their "not"."""
    found: dict[int, Relocated] = {}
    if not missing or not fresh or len(missing) * len(fresh) > _MOST:
        return found
    texts = [(entry, f" {' '.join(entry.words)} ") for entry in fresh if entry.kind is not Kind.HEADING]
    for index, entry in enumerate(missing):
        if entry.weight < _LEAST or entry.kind is Kind.HEADING:
            continue
        part = f" {' '.join(entry.words)} "
        fit = next((other for other, text in texts if part in text and _says_it(entry, other)), None)
        if fit is not None:
            found[index] = Relocated(entry.span, None, fit.line, 1.0)
    return found


def _says_it(part: Entry, whole: Entry) -> bool:
    mine, other = ids(part.text), ids(whole.text)
    if mine and other and not mine & other:
        return False
    return fact(core_words(part.words)).negated <= fact(core_words(whole.words)).negated
