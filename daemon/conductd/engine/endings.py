"""Which incidents are over: put back, come back by themselves, or the wait for another operation ended.

Reads the state, writes nothing. Called by whoever journals the end, on the judge thread.
"""

from __future__ import annotations

import msgspec

from conductd.engine.state import State
from conductd.engine.tracks import FileTrack, OpenIncident
from conductd.model import Action, Cause, IncidentRecord


def paid(incident: OpenIncident, *files: int) -> IncidentRecord:
    """The incident without the debt of these files; resolved when no other file is owed anything."""
    debt = tuple(owed for owed in incident.record.debt if owed[0] not in files)
    state = incident.record.state if debt else "resolved"
    return msgspec.structs.replace(incident.record, incident=incident.id, state=state, debt=debt)


def held(state: State, file: FileTrack) -> list[OpenIncident]:
    """Where a verdict on this file waits for another operation to be over."""
    return [i for i in _open(state, file) if i.record.action is Action.HOLD and i.record.files == (file.id,)]


def came_back(state: State, file: FileTrack) -> list[OpenIncident]:
    """Those whose lost content stands in all their files again, whoever put it there."""
    return [i for i in _open(state, file) if i.record.debt and all(_stands(state, *owed) for owed in i.record.debt)]


def put_back(state: State, file: FileTrack) -> OpenIncident | None:
    """The one whose repair is done in every file, but that a crash or a store without writes left open."""
    known = state.incidents.get(file.fight_incident) if file.fight_incident is not None else None
    if known is None or known.record.state != "open" or known.record.why:
        return None
    if known.record.action not in (Action.REVERT, Action.MERGE):
        return None
    files = [state.files[number] for number in known.record.files]
    return known if all(_is_repaired(each, known.id) for each in files) else None


def _open(state: State, file: FileTrack) -> list[OpenIncident]:
    if not file.open_incidents:
        return []
    with state.lock:
        known = list(state.incidents.values())
    return [i for i in known if i.record.state == "open" and file.id in i.record.files]


def _is_repaired(file: FileTrack, incident: int) -> bool:
    base = file.baseline
    repaired = base is not None and base.cause is Cause.REPAIR and base.seq > incident
    return repaired and not file.since and file.fight_incident == incident


def _stands(state: State, number: int, seq: int) -> bool:
    file = state.files[number]
    owed = next((s for s in (file.baseline, *file.earlier) if s is not None and s.seq == seq), None)
    return owed is not None and file.head is not None and owed.digest == file.head.digest
