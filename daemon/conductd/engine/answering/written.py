"""The records that a verdict becomes: of a change, of an incident."""

from __future__ import annotations

from conductd.core.comparing.change import recordable
from conductd.core.judging import inputs
from conductd.engine.answering import eroding
from conductd.engine.answering.judged import Judged
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.model import ChangeRecord, IncidentRecord


def parents(judged: Judged) -> tuple[int, ...]:
    base = judged.case.baseline
    start = judged.verdict.base_seq
    return tuple(seq for seq in (base.seq if base else None, start, judged.seen.seq) if seq is not None)


def incident(judged: Judged, file: FileTrack, *, why: str, rounds: int = 1) -> IncidentRecord:
    verdict, base = judged.verdict, judged.case.baseline
    record = IncidentRecord(
        workspace=file.workspace,
        incident=None,
        state="open",
        event_class=verdict.event_class,
        severity=verdict.severity,
        action=verdict.action,
        files=(file.id,),
        rounds=rounds,
        writer=judged.seen.actor.name,
        debt=((file.id, base.seq),) if base is not None else (),
        why=why,
    )
    return eroding.owing(judged, record)


def _unkept(state: State, judged: Judged, matched: set[bytes]) -> int:
    """How many files that nobody records were looked through in vain."""
    workspace = state.files[judged.file].workspace
    others = [each.path for each in judged.elsewhere if each.path not in matched]
    return sum(state.track(workspace, path) is None for path in others)


def change(state: State, judged: Judged, incident: int | None, *, moves: bool) -> ChangeRecord:
    case, verdict = judged.case, judged.verdict
    matched = {place.path for place in verdict.change.moved if place.path is not None}
    return ChangeRecord(
        workspace=state.files[judged.file].workspace,
        file=judged.file,
        path=case.path,
        version_seq=judged.seen.seq,
        verdict=recordable(verdict),
        baseline_seq=case.baseline.seq if case.baseline else None,
        incident=incident,
        moves_baseline=moves,
        elsewhere=tuple((e.path, e.digest) for e in judged.elsewhere if e.path in matched),
        inputs=inputs.kept(case, _unkept(state, judged, matched)),
    )
