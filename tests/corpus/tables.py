"""Entry tables of the texts, each made once while it is in use: a text is labelled, judged and checked."""

from __future__ import annotations

from functools import lru_cache

from conductd.core.reading.entries import EntryTable, entry_table

KEY = b"the corpus"  # of the fingerprints


@lru_cache(maxsize=128)
def _kept(data: bytes) -> EntryTable:
    return entry_table(data, KEY)


def table_of(data: bytes, key: bytes = KEY, _digest: bytes | None = None, /) -> EntryTable:
    """`core.reading.entries.TableSource`, for the corpus's key alone."""
    assert key == KEY
    return _kept(data)
