"""What is forgotten, as far as the journal says it: a part of the state.

Plain mutable structs that msgpack can write. Only `engine.fold.state` changes them, through `take`; it reads
nothing but the record it is given. Holds fingerprints, never a text.
"""

from __future__ import annotations

from hashlib import blake2b
from itertools import islice

import msgspec

from conductd.core.forget import Marks
from conductd.model import Cause, EventRecord, ForgetRecord, Stored, VersionRecord

TOLD_KEPT = 20_000


class Forget(msgspec.Struct, omit_defaults=True):
    """One act of forgetting: its number, when it was begun, and its latest record."""

    id: int
    at_ns: int
    record: ForgetRecord

    @property
    def pending(self) -> bool:
        """Hidden, and not erased yet."""
        return self.record.state == "hidden"

    @property
    def versions(self) -> tuple[int, ...]:
        return rising(self.record.versions)


class Forgotten(msgspec.Struct, omit_defaults=True):
    """``standing``: by file, the keyed digest of what stands in it and was erased in the journal. ``epoch`` grows
    with every change of what is forgotten. ``told``: entries that were told of, oldest first."""

    forgets: dict[int, Forget] = msgspec.field(default_factory=dict)
    standing: dict[int, bytes] = msgspec.field(default_factory=dict)
    epoch: int = 0
    told: dict[bytes, None] = msgspec.field(default_factory=dict)

    def take(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, VersionRecord):
            if record.cause is not Cause.SWAPPED_OUT:
                self.standing.pop(record.file, None)
        elif isinstance(record, ForgetRecord):
            self._forget(stored, record)
        elif isinstance(record, EventRecord):
            self.told.update(dict.fromkeys(record.marks))
            for mark in list(islice(self.told, max(0, len(self.told) - TOLD_KEPT))):
                del self.told[mark]

    def _forget(self, stored: Stored, record: ForgetRecord) -> None:
        self.epoch += 1
        number = stored.seq if record.forget is None else record.forget
        known = self.forgets.get(number)
        if record.state == "cancelled":
            self.forgets.pop(number, None)
            return
        if record.state == "erased":
            record = msgspec.structs.replace(record, versions=(), whole=(), exact=())
        for mark in record.entries:
            self.told.pop(mark, None)  # should one come back, that is news
        self.standing.update(record.standing)
        self.forgets[number] = Forget(number, known.at_ns if known else stored.wall_ns, record)

    def pending(self) -> list[Forget]:
        """What is hidden and waits to be erased, oldest first."""
        return [each for each in self.forgets.values() if each.pending]


def marks_of(record: ForgetRecord) -> Marks:
    """What is taken out of the versions it names."""
    return Marks(frozenset(record.entries), frozenset(record.exact))


def standing_mark(held: bytes, key: bytes) -> bytes:
    """What tells that a file (by its digest) or link (by its target) still holds what was erased."""
    return blake2b(held, digest_size=16, key=key[:64], person=b"standing").digest()


def differences(sequences: tuple[int, ...]) -> tuple[int, ...]:
    """Rising numbers as the small steps between them."""
    return tuple(after - before for before, after in zip((0, *sequences), sequences, strict=False))


def rising(steps: tuple[int, ...]) -> tuple[int, ...]:
    """The opposite of `differences`."""
    out, at = [], 0
    for step in steps:
        at += step
        out.append(at)
    return tuple(out)
