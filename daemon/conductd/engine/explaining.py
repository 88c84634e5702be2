"""Incidents as people read them: what was seen, which rule decided, what can be done now. Reading only."""

from __future__ import annotations

import msgspec

from conductd.core.erosion import all_lost
from conductd.core.rules import RULES
from conductd.core.text import decode
from conductd.engine.content import Contents
from conductd.engine.state import State
from conductd.errors import ConductdError, NotFound
from conductd.index.reader import IndexReader
from conductd.index.rows import IncidentRow
from conductd.model import Action, ChangeRecord, Relocated, SmallLoss, Span
from conductd.views import EntryView, ExplainChangeView, ExplainView, IncidentView, SmallLossView, b64, iso, shown

TEXT = 200  # characters of an entry that are shown

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

    def __init__(self, state: State, reader: IndexReader, contents: Contents) -> None:
        self._state, self._reader, self._contents = state, reader, contents

    def incident(self, row: IncidentRow) -> IncidentView:
        return self._view(row, self._newest_changes(row.incident))

    def explain(self, number: int) -> ExplainView:
        row = self._reader.incident(number)
        if row is None:
            raise NotFound(f"no incident {number}", "conductd incidents --all")
        changes = self._newest_changes(number)
        return ExplainView(
            incident=self._view(row, changes),
            changes=[self._change(change) for change in changes],
            history=self._reader.incident_events(number),
        )

    def _newest_changes(self, number: int) -> list[ChangeRecord]:
        newest: dict[int, ChangeRecord] = {}
        for stored in self._reader.incident_changes(number):
            if isinstance(stored.record, ChangeRecord):
                newest[stored.record.file] = stored.record
        return list(newest.values())

    def _view(self, row: IncidentRow, changes: list[ChangeRecord]) -> IncidentView:
        record = row.record
        with self._state.lock:
            tracks = [self._state.files[number] for number in row.files if number in self._state.files]
            workspace = self._state.workspaces.get(record.workspace)
            written = any(each.incident == row.incident for each in self._state.undo)
        done = record.why or _DONE.get((record.state, record.action), record.state)
        if record.stood_down and record.state == "open":
            done = "conductd has stood down: it waits for a person"
        undo = written and record.state == "resolved"
        weights = sum(c.verdict.change.weight_before for c in changes)
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
            command=f"conductd undo {row.incident}" if undo else f"conductd restore --incident {row.incident}",
            accept_command=f"conductd accept {row.incident}",
        )

    def _change(self, change: ChangeRecord) -> ExplainChangeView:
        verdict = change.verdict
        old = self._lines(change.baseline_seq)
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
            rule_text=RULES.get(verdict.rule, ""),
            facts=facts,
            entries_before=verdict.change.entries_before,
            kept=verdict.change.kept,
            reworded=[self._relocated(each, old, change.path) for each in verdict.change.reworded],
            moved=[self._relocated(each, old, change.path) for each in verdict.change.moved],
            lost=[
                *(entry for write in writes for entry in write.lost),
                *(_entry(span, old) for span in verdict.change.lost),
            ],
            added=len(verdict.change.added),
            lost_share=verdict.change.lost_share,
            writes=writes,
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


def _entry(span: Span, lines: list[str]) -> EntryView:
    from conductd.secrets.scan import masked  # many patterns, and seldom asked for

    text = masked(" ".join(line.strip() for line in lines[span.line - 1 : span.last_line]))
    return EntryView(span.line, span.last_line, span.weight, text[:TEXT], "", 0, 0.0)
