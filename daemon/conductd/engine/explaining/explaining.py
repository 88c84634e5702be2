"""Incidents as people read them: what was seen, which rule decided, what can be done now. Reading only."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

import msgspec

from conductd.core.judging.otherwise import Other
from conductd.core.judging.rules import RULES
from conductd.core.load.finding import Finding
from conductd.core.losses.erosion import all_lost
from conductd.core.policy import Policy
from conductd.core.provenance import worst
from conductd.core.reading.text import decode
from conductd.engine.answering.notices import NOT_WRITTEN
from conductd.engine.explaining.explained import notes, rule_text, sign_lines
from conductd.engine.explaining.recalling import Recall
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.gate import Gate
from conductd.engine.loading.words import command as command_of_load
from conductd.errors import ConductdError, NotFound
from conductd.index.reader import IndexReader
from conductd.index.rows import IncidentRow
from conductd.model import Action, ChangeRecord, EventClass, IncidentRecord, Relocated, SmallLoss, Span, Stored
from conductd.views import (
    EntryView,
    ExplainChangeView,
    ExplainView,
    IncidentView,
    OtherwiseView,
    SmallLossView,
    b64,
    iso,
    shown,
)
from conductd.views.words import pasted

TEXT = 200  # characters of an entry that are shown
TRIED = 3  # changes of an incident for which it is tried out what would have decided otherwise
RECENT = 500  # changes of a file among which its newest incident is looked for

_UNJUDGED = {
    "first_sight": "it was there when the file was seen first",
    "repair": "conductd wrote it, to put back what was lost",
    "restore": "conductd wrote it, because a person asked",
    "swapped_out": "these bytes were taken out of place, they stood at no path any more",
}

_DONE = {
    ("open", Action.PROPOSE): "left as written; what is lost is offered back",
    ("open", Action.HOLD): "left alone until the other operation is over",
    ("open", Action.REVERT): "to be put back",
    ("open", Action.MERGE): "to be merged back",
    ("resolved", Action.REVERT): "put back as it was",
    ("resolved", Action.MERGE): "merged: what was lost is back, what is new is kept",
    ("resolved", Action.PROPOSE): "brought back on request",
}


class Explainer:
    """See the module."""

    def __init__(self, state: State, reader: IndexReader, contents: Contents, policy: Policy, key: bytes) -> None:
        self._state, self._reader, self._contents = state, reader, contents
        self._policy = policy
        self._recall = Recall(state, reader, contents, policy, key)
        self.gate: Gate | None = None

    def take(self, policy: Policy) -> None:
        """The daemon judges by other figures from now on."""
        self._policy = policy
        self._recall.take(policy)

    def incident(self, row: IncidentRow) -> IncidentView:
        return self._view(row, self._newest_changes(row.incident))

    def explain(self, number: int) -> ExplainView:
        row = self._reader.incident(number)
        if row is None:
            raise NotFound(f"no incident {number}", "conductd incidents --all")
        stored = self._newest_stored(number)
        changes = [change for _, change in stored]
        view = self._view(row, changes)
        return ExplainView(
            incident=view,
            changes=[self._change(*each, tries=n < TRIED) for n, each in enumerate(stored)],
            history=self._reader.incident_events(number),
            notes=notes(row.record, changes, self._policy),
            commands=[
                view.command,
                *([view.accept_command] if row.record.state == "open" else []),
                *(f"conductd log {shlex.quote(os.path.join(view.root, name))}" for name in view.files[:1]),
            ],
        )

    def explain_file(self, file: FileTrack, seq: int | None) -> ExplainView:
        """The verdict on a version; without one the file's newest incident, else its last verdict. Raises NotFound.

        A file that was deleted again since is not as its incident left it: that is explained then.
        """
        if seq is None:
            recent = self._reader.changes(file.id, RECENT)
            found = next((each for each in recent if _incident_of(each) is not None), None)
            incident = _incident_of(found) if found is not None else None
            if incident is not None and not _was_deleted_again(recent):
                return self.explain(incident)
            stored = recent[0] if recent else None
        else:
            stored = self._reader.change_of(seq)
        if stored is None or not isinstance(stored.record, ChangeRecord):
            raise self._not_judged(file, seq)
        record = stored.record
        row = self._reader.incident(record.incident) if record.incident is not None else None
        changes = self._newest_changes(row.incident) if row is not None else []
        with self._state.lock:
            root = self._state.workspaces[file.workspace].root
        name = shlex.quote(shown(os.path.join(root, file.path)))
        back = record.baseline_seq
        view = self._view(row, changes) if row is not None else None
        commands = [view.command] if view is not None else []
        commands += [f"conductd diff {name}@{back} @{record.version_seq}"] if back is not None else []
        commands += [f"conductd restore {name}@{back}"] if back is not None else []
        commands.append(f"conductd log {name}")
        return ExplainView(
            incident=view,
            changes=[self._change(stored, record, tries=True)],
            history=self._reader.incident_events(row.incident) if row is not None else [],
            notes=notes(row.record, changes, self._policy) if row is not None else [],
            commands=commands,
        )

    def _not_judged(self, file: FileTrack, seq: int | None) -> NotFound:
        name = shown(file.path)
        view = self._reader.version(seq) if seq is not None else None
        if view is None:
            return NotFound(f"nothing that happened to {name} was judged yet", f"conductd log {name}")
        if any(each.seq == view.seq for each in file.since):
            return NotFound(f"version {view.seq} of {name} is still to be judged", "conductd status")
        what = _UNJUDGED.get(view.cause, "it was the middle of something: what came after it was judged")
        return NotFound(f"version {view.seq} of {name} was not judged: {what}", f"conductd log {name}")

    def _newest_changes(self, number: int) -> list[ChangeRecord]:
        return [change for _, change in self._newest_stored(number)]

    def _newest_stored(self, number: int) -> list[tuple[Stored, ChangeRecord]]:
        """The newest change of each file of an incident."""
        newest: dict[int, tuple[Stored, ChangeRecord]] = {}
        for stored in self._reader.incident_changes(number):
            if isinstance(stored.record, ChangeRecord):
                newest[stored.record.file] = (stored, stored.record)
        return list(newest.values())

    def _view(self, row: IncidentRow, changes: list[ChangeRecord]) -> IncidentView:
        record = row.record
        with self._state.lock:
            tracks = [self._state.files[number] for number in row.files if number in self._state.files]
            workspace = self._state.workspaces.get(record.workspace)
            written = any(each.incident == row.incident for each in self._state.undo)
            told = self._state.loads.of(record.workspace).values()
            hidden = next((each.finding for each in told if each.incident == row.incident), None)
        done = record.why or _DONE.get((record.state, record.action), record.state)
        if record.stood_down and record.state == "open":
            done = "conductd has stood down: it waits for a person"
        undo = written and record.state == "resolved"
        weights = sum(c.verdict.change.weight_before for c in changes)
        effect, words = self._provenance(record, tracks, changes)
        return IncidentView(
            id=row.incident,
            state=record.state,
            event_class=str(record.event_class),
            severity=str(record.severity),
            action=str(record.action),
            workspace=record.workspace,
            root=shown(workspace.root) if workspace else "",
            files=[shown(track.path) for track in tracks],
            opened=iso(row.opened_ns),
            opened_ns=row.opened_ns,
            rounds=record.rounds,
            writer=record.writer,
            loop=record.loop,
            stood_down=record.stood_down,
            lost=sum(all_lost(c.verdict) for c in changes),
            lost_share=sum(c.verdict.change.weight_lost for c in changes) / weights if weights else 0.0,
            done=done,
            command=_command(row, tracks, shown(workspace.root) if workspace else "", hidden, undo=undo),
            accept_command=f"conductd accept {row.incident}",
            provenance=effect,
            provenance_text=words,
        )

    def _provenance(
        self, record: IncidentRecord, tracks: Sequence[FileTrack], changes: Sequence[ChangeRecord]
    ) -> tuple[str, str]:
        """What the agent makes of what was written, or as things stand now would make of what is offered; in words,
        of the first file that there is something to say of."""
        gate = self.gate
        if gate is None:
            return record.provenance, ""
        files = {track.id: track for track in tracks}
        is_offer = record.state == "open" and (record.action is Action.PROPOSE or record.why.startswith(NOT_WRITTEN))
        if not is_offer:
            words = (gate.words(file, record.provenance) for file in tracks)
            return record.provenance, next(filter(None, words), "")
        effects = {}
        for change in changes:
            base = self._reader.version(change.baseline_seq) if change.baseline_seq is not None else None
            if base is not None and change.file in files:
                digest, made = bytes.fromhex(base.digest or ""), change.verdict.change
                effects[change.file] = gate.of_offer(files[change.file], digest or None, made.weight_added).value
        found = worst(effects.values())
        words = (gate.words(files[each], effect) for each, effect in effects.items() if effect == found)
        said = next(filter(None, words), "")
        return found, f"were it put back: {said}" if said else ""

    def _change(self, stored: Stored, change: ChangeRecord, *, tries: bool) -> ExplainChangeView:
        verdict = change.verdict
        old, new = self._lines(change.baseline_seq), self._lines(change.version_seq)
        charged = verdict.charged_to if verdict.charged_to is not None else change.version_seq
        writer = self._reader.version(charged)
        others = self._recall.otherwise(change) if tries else None
        facts: dict[str, object] = dict(verdict.facts)
        writes = [self._write(write) for write in verdict.writes]
        return ExplainChangeView(
            path=shown(change.path),
            path_b64=b64(change.path),
            version_seq=change.version_seq,
            baseline_seq=change.baseline_seq,
            event_class=str(verdict.event_class),
            severity=str(verdict.severity),
            action=str(verdict.action),
            rule=verdict.rule,
            rule_text=rule_text(verdict.rule, self._policy) if others is not None else RULES.get(verdict.rule, ""),
            facts=facts,
            entries_before=verdict.change.entries_before,
            kept=verdict.change.kept,
            reworded=[_now(self._relocated(each, old, change.path), new) for each in verdict.change.reworded],
            moved=[self._relocated(each, old, change.path) for each in verdict.change.moved],
            lost=[
                *(entry for write in writes for entry in write.lost),
                *(_entry(span, old) for span in verdict.change.lost),
            ],
            added=len(verdict.change.added),
            lost_share=verdict.change.lost_share,
            writes=writes,
            at=iso(stored.wall_ns),
            at_ns=stored.wall_ns,
            judge_version=verdict.judge_version,
            writer=writer.actor if writer is not None else "unknown",
            confidence=writer.confidence if writer is not None else 0.0,
            evidence=writer.evidence if writer is not None else [],
            charged_to=verdict.charged_to,
            base_seq=verdict.base_seq,
            signs=[_entry(Span(line, line, 0, b""), new) for line in sign_lines(verdict, old, new)],
            otherwise=[_other(each) for each in (others.others if others is not None else ())],
            tried=others is not None,
            untried=others.left_out if others is not None else 0,
        )

    def _write(self, write: SmallLoss) -> SmallLossView:
        old = self._lines(write.base_seq)
        return SmallLossView(
            path=shown(write.path),
            version_seq=write.version_seq,
            base_seq=write.base_seq,
            at=iso(write.at_ns),
            at_ns=write.at_ns,
            writer=write.actor,
            lost=[_entry(span, old) for span in write.lost],
        )

    def _lines(self, seq: int | None) -> list[str]:
        if seq is None:
            return []
        try:
            # As the judge cuts it: other characters that end a line elsewhere do not count in an entry's place.
            return decode(self._contents.get(seq)).text.split("\n")
        except ConductdError:
            return []

    @staticmethod
    def _relocated(place: Relocated, old: list[str], path: bytes) -> EntryView:
        return msgspec.structs.replace(
            _entry(place.old, old),
            to_path=shown(place.path if place.path is not None else path),
            to_line=place.line,
            similarity=place.similarity,
        )


def _command(row: IncidentRow, tracks: Sequence[FileTrack], root: str, hidden: Finding | None, *, undo: bool) -> str:
    """The one command for it. Of entries that an agent does not see nothing is lost: it shows what it sees."""
    if hidden is not None:
        return command_of_load(hidden, root)
    if row.record.event_class is EventClass.PIN_HIDDEN:
        return pasted("conductd", "load", *(os.path.join(root, shown(track.path)) for track in tracks[:1]))
    return f"conductd undo {row.incident}" if undo else f"conductd restore --incident {row.incident}"


def _other(other: Other) -> OtherwiseView:
    verdict = other.verdict
    return OtherwiseView(
        other.words, other.setting, str(verdict.event_class), str(verdict.action), str(verdict.severity)
    )


def _now(place: EntryView, new: list[str]) -> EntryView:
    """With what a reworded entry says now."""
    text = _entry(Span(place.to_line, place.to_line, 0, b""), new).text
    return msgspec.structs.replace(place, to_text=text)


def _was_deleted_again(recent: Sequence[Stored]) -> bool:
    last = recent[0].record if recent else None
    return isinstance(last, ChangeRecord) and last.verdict.rule == "deleted-again"


def _incident_of(stored: Stored) -> int | None:
    return stored.record.incident if isinstance(stored.record, ChangeRecord) else None


def _entry(span: Span, lines: list[str]) -> EntryView:
    from conductd.secrets.scan import masked  # many patterns, and seldom asked for

    text = masked(" ".join(line.strip() for line in lines[span.line - 1 : span.last_line]))
    return EntryView(span.line, span.last_line, span.weight, text[:TEXT], "", 0, 0.0)
