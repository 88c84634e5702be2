"""Which incidents are over: put back, come back by themselves, or the wait for another operation ended.

Reads the state, writes nothing. Called by whoever journals the end, on the judge thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from conductd.core.case import Text
from conductd.engine.answering import notices
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, OpenIncident, Seen
from conductd.model import Action, Cause, EventClass, FileState, IncidentRecord, NoticeRecord, Verdict


def paid(incident: OpenIncident, *files: int) -> IncidentRecord:
    """The incident without the debt of these files; resolved when no other file is owed anything."""
    debt = tuple(owed for owed in incident.record.debt if owed[0] not in files)
    state = incident.record.state if debt else "resolved"
    return msgspec.structs.replace(incident.record, incident=incident.id, state=state, debt=debt)


def in_part(incident: OpenIncident) -> IncidentRecord:
    """The pinned entries are put back; what else was lost is still owed, and offered."""
    why = "the pinned entries are back; what else was lost is left as written and offered back"
    return msgspec.structs.replace(incident.record, incident=incident.id, action=Action.PROPOSE, why=why)


def once_more(record: IncidentRecord, verdict: Verdict) -> IncidentRecord:
    """The record of a fight that goes on: pins are put back again, whatever is offered of the last round."""
    if record.event_class is not EventClass.PINNED_LOSS or verdict.action is Action.PROPOSE:
        return record
    return msgspec.structs.replace(record, action=verdict.action, why="")


def owing(debt: tuple[tuple[int, int], ...], file: int, base: Text | None) -> tuple[tuple[int, int], ...]:
    """The debt of an incident that grows: what its other files are owed stays."""
    others = tuple(owed for owed in debt if owed[0] != file)
    return (*others, (file, base.seq)) if base is not None else others


def held(state: State, file: FileTrack) -> list[OpenIncident]:
    """Where a verdict on this file waits for another operation to be over."""
    return [i for i in _open(state, file) if i.record.action is Action.HOLD and i.record.files == (file.id,)]


def came_back(state: State, file: FileTrack, holds: Callable[[Seen, Seen], bool]) -> list[OpenIncident]:
    """Those whose lost content stands in all their files again, whoever put it there. `holds(now, then)`: every entry
    of the one is in the other."""
    open_ = [i for i in _open(state, file) if i.record.debt]
    return [i for i in open_ if all(_stands(state, *owed, holds) for owed in i.record.debt)]


def cured(state: State, file: FileTrack, verdict: Verdict) -> list[OpenIncident]:
    """Those that owe this file alone what a cure brought back."""
    base = verdict.base_seq
    if verdict.rule != "cured" or base is None:
        return []
    return [
        i
        for i in _open(state, file)
        if i.record.debt and all(number == file.id and seq >= base for number, seq in i.record.debt)
    ]


def left(state: State, file: FileTrack) -> list[tuple[IncidentRecord, NoticeRecord | None]]:
    """What a crash, or a store that took no writes, left to be written of incidents whose files are all
    answered: who is paid, and the notice when nobody was told."""
    found = []
    for each in _open(state, file):
        if is_waiting(state, each) or each.record.event_class is EventClass.PIN_HIDDEN:
            continue  # the latter is about what an agent sees, and ends with that (`engine.loading`)
        now, told = paid(each, *repaired(state, each)), None if each.told else notice(state, each)
        if told is not None or now != msgspec.structs.replace(each.record, incident=each.id):
            found.append((now, told))
    return found


def repaired(state: State, incident: OpenIncident) -> list[int]:
    """Its files that hold what the daemon put back, and nothing since."""
    if incident.record.action not in (Action.REVERT, Action.MERGE) or incident.record.why:
        return []
    return [number for number in incident.record.files if _is_repaired(state.files[number], incident.id)]


def is_set(incident: OpenIncident) -> bool:
    """Files that were lost together, and that nobody fights over since."""
    return len(incident.record.files) > 1 and incident.record.rounds == 1


def is_waiting(state: State, incident: OpenIncident) -> bool:
    """Whether a write is still to come in one of its files."""
    return any(_waits(state.files[number], incident.id) for number in incident.record.files)


def notice(state: State, incident: OpenIncident, before: Sequence[int] = ()) -> NoticeRecord:
    """What is to be told of it, as things stand. `before`: other files of the same loss, answered earlier."""
    record = incident.record
    files = [state.files[number] for number in record.files]
    paths = [file.path for file in (*files, *(state.files[number] for number in before))]
    if len(paths) == 1:
        return notices.put_back(paths, record, incident.id)
    back = sum(_is_back(file, incident.id) for file in files)
    later = sum(_waits(file, incident.id) for file in files)
    progress = notices.Progress(back, later, len(files) - back - later, len(before))
    return notices.several(record, paths, incident.id, progress)


def _open(state: State, file: FileTrack) -> list[OpenIncident]:
    if not file.open_incidents:
        return []
    with state.lock:
        known = list(state.incidents.values())
    return [i for i in known if i.record.state == "open" and file.id in i.record.files]


def _is_repaired(file: FileTrack, incident: int) -> bool:
    return _is_back(file, incident) and not file.since and file.fight_incident == incident


def _is_back(file: FileTrack, incident: int) -> bool:
    return file.baseline is not None and file.baseline.cause is Cause.REPAIR and file.baseline.seq > incident


def _waits(file: FileTrack, incident: int) -> bool:
    return file.judged is not None and file.fight_incident == incident and not file.stood_down


def _stands(state: State, number: int, seq: int, holds: Callable[[Seen, Seen], bool]) -> bool:
    file = state.files[number]
    owed = next((s for s in (file.baseline, *file.earlier) if s is not None and s.seq == seq), None)
    if owed is None or file.head is None or (owed.state, file.head.state) != (FileState.FILE, FileState.FILE):
        return False
    return owed.digest == file.head.digest or holds(file.head, owed)
