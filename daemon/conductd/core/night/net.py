"""What a day really brought and took: entries at its end against those at its beginning. Pure.

Verdicts count what each write lost, also what was put back a moment later; an entry that went to another file is in
both counts of theirs. Here an entry counts once, wherever it stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from conductd.core.night.facts import Before
from conductd.core.reading.entries import entry_table
from conductd.model import Frozen


class Net(Frozen, frozen=True):
    """Entries; None: what a file held is not known any more."""

    gained: int | None
    lost: int | None


def net(changed: Iterable[Before]) -> Net:
    was: Counter[bytes] = Counter()
    now: Counter[bytes] = Counter()
    for each in changed:
        if not (each.is_known and each.is_after_known):
            return Net(None, None)
        if each.data == each.after:
            continue
        for data, counts in ((each.data, was), (each.after, now)):
            counts.update(entry.fingerprint for entry in entry_table(data or b"", b"").entries)
    return Net((now - was).total(), (was - now).total())
