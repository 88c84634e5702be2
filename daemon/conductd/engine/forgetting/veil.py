"""Hides what is forgotten from everybody who reads or writes, until it is erased and for good after that.

Owns no decision: what is forgotten is in the state. `shown` stands before every body that is read,
`cleaned` before every target that is written. Any thread.
"""

from __future__ import annotations

from conductd.core.forget import Marks, redact
from conductd.engine.fold.forgotten import marks_of
from conductd.engine.fold.state import State


class Veil:
    """See the module."""

    def __init__(self, state: State, key: bytes) -> None:
        self._state, self._key = state, key
        self._epoch = -1
        self._versions: frozenset[int] = frozenset()
        self._whole: frozenset[int] = frozenset()
        self._hidden = Marks()
        self._barred = Marks()

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
            self._epoch = epoch
