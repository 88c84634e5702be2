"""Hides what is forgotten from everybody who reads or writes, until it is erased and for good after that.

Owns no decision: what is forgotten is in the state. `shown` stands before every body that is read,
`cleaned` before every target that is written, `event` and `finding` before everything that is told. Any thread.
"""

from __future__ import annotations

import msgspec

from conductd.core.forget import Marks, redact
from conductd.core.load.finding import Finding
from conductd.core.load.unsaid import heading_without, without
from conductd.engine.fold.forgotten import marks_of
from conductd.engine.fold.state import State
from conductd.model import EventRecord
from conductd.views import EventView


class Veil:
    """See the module."""

    def __init__(self, state: State, key: bytes) -> None:
        self._state, self._key = state, key
        self._epoch = -1
        self._versions: frozenset[int] = frozenset()
        self._whole: frozenset[int] = frozenset()
        self._hidden = Marks()
        self._barred = Marks()
        self._unsaid = Marks()

    def hides(self, seq: int) -> bool:
        """Whether a record holds something that is forgotten and not erased yet."""
        self._look()
        return seq in self._versions

    def shown(self, seq: int, data: bytes) -> bytes | None:
        """The bytes of a record as anybody may see them; None when nothing of them is left."""
        self._look()
        if seq not in self._versions:
            return data
        return None if seq in self._whole else redact(data, self._hidden, self._key)

    def cleaned(self, data: bytes) -> bytes | None:
        """Bytes that may be written into a file: nothing forgotten comes back with them. None: none of them may."""
        self._look()
        return redact(data, self._barred, self._key)

    @property
    def barred(self) -> Marks:
        """What must not come back."""
        self._look()
        return self._barred

    def finding(self, finding: Finding) -> Finding:
        """What is told of a load, as anybody may see it."""
        self._look()
        return without(finding, self._unsaid, self._key)

    def heading(self, heading: str) -> str:
        self._look()
        return heading_without(heading, self._unsaid, self._key)

    def event(self, view: EventView) -> EventView:
        """An event as anybody may see it: its facts hold headings."""
        facts = view.data.get("facts")
        if view.kind != EventRecord.kind or not facts:
            return view
        try:
            finding = msgspec.convert(facts, Finding)
        except msgspec.ValidationError:
            return view  # those of another kind hold no text
        left = self.finding(finding)
        if left is finding:
            return view
        return msgspec.structs.replace(view, data={**view.data, "facts": msgspec.to_builtins(left)})

    def _look(self) -> None:
        with self._state.lock:
            forgotten = self._state.forgotten
            if forgotten.epoch == self._epoch:
                return
            known = list(forgotten.forgets.values())
            epoch = forgotten.epoch
            pending = [each for each in known if each.pending]
            self._versions = frozenset(seq for each in pending for seq in each.versions)
            self._whole = frozenset(seq for each in pending for seq in each.record.whole)
            hidden = [marks_of(each.record) for each in pending]
            self._hidden = Marks(
                frozenset().union(*(m.entries for m in hidden)), frozenset().union(*(m.exact for m in hidden))
            )
            self._barred = Marks(
                entries=frozenset(mark for each in known for mark in each.record.entries),
                guards=frozenset(mark for each in known for mark in each.record.guards),
            )
            self._unsaid = Marks(self._barred.entries, self._hidden.exact, self._barred.guards)
            self._epoch = epoch
