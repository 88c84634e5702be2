"""Entries that only quote another file, with its place: `"the line" (MEMORY.md:12)`. Pure.

What conductd writes into memory (the checkpoint before a reset, continuity files) is made of such lines. They would
read like the new home of an entry that went, and are none: whoever takes the original away takes it away.
"""

from __future__ import annotations

import re

from conductd.core.notes.quoting import harmless
from conductd.core.reading.entries import EntryTable
from conductd.views import shown

_QUOTATION = re.compile(r'".+" \((?P<name>.+?):\d+(?:,\d+)*\)$')


def quotations(table: EntryTable, path: bytes) -> frozenset[bytes]:
    """Fingerprints of the entries of a table that quote the file ``path``."""
    name = harmless(shown(path))
    return frozenset(
        entry.fingerprint
        for entry in table.entries
        if entry.text.endswith(")") and (found := _QUOTATION.search(entry.text)) and found["name"] == name
    )
