"""What an erosion is on record: one incident that grows with every small loss, told once; and what it owes.

Reads the state, writes nothing. Called by whoever answers, brings back or accepts, on the judge thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from conductd.core.comparing.change import compare
from conductd.core.merging.merge import merge_missing
from conductd.core.reading.entries import entry_table
from conductd.engine.answering.judged import Judged
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, OpenIncident
from conductd.model import Action, ChangeRecord, EventClass, IncidentRecord, SmallLoss


def owing(judged: Judged, record: IncidentRecord) -> IncidentRecord:
    """The record; of an erosion that is offered with all its files, each owed what its first small loss took."""
    if record.event_class is not EventClass.EROSION or record.action is not Action.PROPOSE:
        return record
    own = record.files[0]
    first = dict[int, int]()
    for write in judged.verdict.writes:
        first.setdefault(write.file or own, write.base_seq)
    if judged.case.baseline is not None:
        first.setdefault(own, judged.case.baseline.seq)
    files = (own, *(file for file in sorted(first) if file != own))
    return msgspec.structs.replace(record, files=files, debt=tuple((file, first[file]) for file in files))


def grows(state: State, judged: Judged, file: FileTrack) -> OpenIncident | None:
    """The open incident that a further small loss belongs to: it names this file, or an earlier write of it."""
    if judged.verdict.event_class is not EventClass.EROSION:
        return None
    files = {file.id, *(write.file for write in judged.verdict.writes if write.file)}
    with state.lock:
        known = [i for i in state.incidents.values() if i.record.state == "open" and files & set(i.record.files)]
    return max((i for i in known if i.record.event_class is EventClass.EROSION), key=lambda i: i.id, default=None)


def grown(known: OpenIncident, record: IncidentRecord) -> IncidentRecord:
    """The incident with one write more; what it owes goes back to the first of all."""
    debt = dict(record.debt) | dict(known.record.debt)
    files = tuple(dict.fromkeys((*known.record.files, *record.files)))
    return msgspec.structs.replace(
        known.record,
        incident=known.id,
        files=files,
        rounds=known.record.rounds + 1,
        writer=record.writer if record.writer == known.record.writer else "several writers",
        debt=tuple(debt.items()),
    )


def small_losses(changes: Iterable[ChangeRecord]) -> dict[int, list[SmallLoss]]:
    """By file, every small loss that the changes of an erosion name, oldest first; each entry once."""
    found: dict[tuple[int, int, int], SmallLoss] = {}
    for change in changes:
        if change.verdict.event_class is not EventClass.EROSION or change.baseline_seq is None:
            continue
        verdict = change.verdict
        last = SmallLoss(change.file, change.path, change.baseline_seq, change.version_seq, 0, "", verdict.change.lost)
        for write in (*verdict.writes, last):
            file = write.file or change.file
            key = (file, write.base_seq, write.version_seq)
            known = found.get(key)
            if known is None or len(known.lost) < len(write.lost):
                found[key] = msgspec.structs.replace(write, file=file)
    by_file: dict[int, list[SmallLoss]] = {}
    for key in sorted(found):
        by_file.setdefault(key[0], []).append(found[key])
    return by_file


def fingerprints(losses: Iterable[SmallLoss]) -> frozenset[bytes]:
    return frozenset(span.fingerprint for loss in losses for span in loss.lost)


def put_back(now: bytes, losses: Iterable[SmallLoss], content: Callable[[int], bytes]) -> bytes:
    """The text with what is still lost of these back where it stood, the newest loss first."""
    for loss in sorted(losses, key=lambda loss: -loss.base_seq):
        base = content(loss.base_seq)
        lines = {span.line for span in compare(entry_table(base, b""), entry_table(now, b"")).lost}
        still = [span for span in loss.lost if span.line in lines]
        if still:
            now = merge_missing(base, now, still)
    return now
