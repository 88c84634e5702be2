"""Tells the state what erasure made of versions: new digests and sizes in the place of the old ones, other words in
records that it keeps.

What is folded from the rewritten journal has them anyway; this is for the daemon that goes on running. A
digest that stayed could be tried against guesses of what was erased.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol, TypeVar

import msgspec

from conductd.core.load.finding import Finding
from conductd.engine.fold.loads import decoded
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.model import EventRecord, Record, Severity

R = TypeVar("R", bound=Record)


class Cleaned(Protocol):
    def __call__(self, record: R, /) -> R: ...


def redigest(
    state: State,
    versions: Mapping[int, tuple[bytes | None, int]],
    digests: Mapping[bytes, bytes | None],
    links: Mapping[int, bytes],
    cleaned: Cleaned,
) -> None:
    """``versions``: by sequence, the digest (None: nothing is left) and size; ``digests``: old to new; ``links``: by
    sequence, the target; ``cleaned``: a record without what is erased. Under the state's lock."""

    def new(digest: bytes | None) -> bytes | None:
        return digests.get(digest, digest) if digest is not None else None

    for file in state.files.values():
        for seen in _seen(file):
            if seen.seq in versions:
                seen.digest, seen.size = versions[seen.seq]
            seen.link_target = links.get(seen.seq, seen.link_target)
        for number, each in enumerate(file.rounds):
            stale = each.writer.removeprefix("stale:")
            known = digests.get(bytes.fromhex(stale)) if stale != each.writer else None
            writer = each.writer if known is None else f"stale:{known.hex()}"
            file.rounds[number] = msgspec.structs.replace(each, digest=new(each.digest), writer=writer)
    for undo in state.undo:
        undo.before, undo.after = new(undo.before), new(undo.after)
    for number, plan in state.plans.items():
        state.plans[number] = cleaned(plan)
    state.evidence[:] = [cleaned(each) for each in state.evidence]
    for asked in state.decided.requests.values():
        asked.record = cleaned(asked.record)
    for place in state.loads.told.values():
        for told in place.values():
            before = msgspec.structs.replace(told.finding, marks=tuple(told.marks))
            told.marks = list(_finding(before, cleaned).marks)
            told.finding = _finding(told.finding, cleaned)
    for number, incident in state.incidents.items():
        state.incidents[number] = msgspec.structs.replace(incident, record=cleaned(incident.record))


def _finding(finding: Finding, cleaned: Cleaned) -> Finding:
    event = EventRecord(finding.event_class, Severity.INFO, facts=msgspec.msgpack.encode(finding))
    return decoded(cleaned(event).facts) or finding


def _seen(file: FileTrack) -> Iterator[Seen]:
    for seen in (file.head, file.baseline, *file.since, *file.earlier):
        if seen is not None:
            yield seen
