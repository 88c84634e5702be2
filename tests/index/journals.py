"""Made-up journals: record lists as the engine writes them, with some references that lead nowhere."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
from typing import Any

import msgspec

from conductd.index import rows
from conductd.index.apply import Extra
from conductd.model import (
    Action,
    Actor,
    Cause,
    Change,
    ChangeRecord,
    CheckpointRecord,
    DecisionRecord,
    ErasureRecord,
    EventClass,
    EventRecord,
    EvidenceRecord,
    FileState,
    IncidentRecord,
    JobRunRecord,
    Mode,
    NoticeRecord,
    Record,
    Relocated,
    RepairDoneRecord,
    RepairPlanRecord,
    Severity,
    Span,
    Stored,
    Verdict,
    VersionRecord,
    WorkspaceRecord,
)

WORKSPACES = ("a" * 32, "b" * 32)
START_NS = 1_760_000_000_000_000_000
SECOND = 1_000_000_000


class Journal:
    """Appends records and numbers them; gaps in the sequence are what damage leaves."""

    def __init__(self) -> None:
        self.records: list[Stored] = []
        self.seq = 0
        self.at_ns = START_NS

    def add(self, record: Record, *, after_s: float = 1, skip: int = 0) -> int:
        self.seq += 1 + skip
        self.at_ns += int(after_s * SECOND)
        self.records.append(Stored(self.seq, self.at_ns, self.at_ns - START_NS, record))
        return self.seq

    def workspace(self, workspace: str = WORKSPACES[0], root: bytes = b"/ws/a", mode: Mode = Mode.PROTECT) -> int:
        return self.add(WorkspaceRecord(workspace, root, mode, "generic"))

    def version(self, file: int = 1, path: bytes = b"MEMORY.md", text: bytes | None = b"text", **more: Any) -> int:
        fields: dict[str, Any] = {"workspace": WORKSPACES[0], "cause": Cause.CHANGE, "actor": Actor("agent:main", 0.9)}
        if text is None:
            fields |= {"state": FileState.ABSENT}
        else:
            fields |= {"state": FileState.FILE, "digest": hashlib.sha256(text).digest(), "size": len(text)}
        after_s = more.pop("after_s", 1)
        return self.add(VersionRecord(file=file, path=path, **(fields | more)), after_s=after_s)

    def change(self, version: int, action: Action = Action.REVERT, *, file: int = 1, **more: Any) -> int:
        verdict = Verdict(
            more.pop("event_class", EventClass.OVERWRITE),
            more.pop("severity", Severity.ALARM),
            action,
            "overwrite",
            more.pop("change", Change(entries_before=10, kept=2, lost=spans(8), lost_share=0.8)),
        )
        fields: dict[str, Any] = {"workspace": WORKSPACES[0], "path": b"MEMORY.md"}
        return self.add(ChangeRecord(file=file, version_seq=version, verdict=verdict, **(fields | more)))

    def incident(self, *changes: int, incident: int | None = None, state: str = "open", **more: Any) -> int:
        fields: dict[str, Any] = {
            "workspace": WORKSPACES[0],
            "event_class": EventClass.OVERWRITE,
            "severity": Severity.ALARM,
            "action": Action.REVERT,
            "files": (1,),
        }
        return self.add(IncidentRecord(incident=incident, state=state, changes=changes, **(fields | more)))

    def repair(self, *, purpose: str = "repair", outcome: str = "applied", **more: Any) -> int:
        """A plan and its end; returns the plan's sequence."""
        fields: dict[str, Any] = {
            "workspace": WORKSPACES[0],
            "file": 1,
            "path": b"MEMORY.md",
            "judged_digest": None,
            "target_digest": hashlib.sha256(b"old").digest(),
            "temp_name": b".tmp",
        }
        plan = self.add(RepairPlanRecord(purpose=purpose, **(fields | more)))
        if outcome:
            self.add(RepairDoneRecord(plan, outcome, method="swap"))
        return plan


def spans(count: int) -> tuple[Span, ...]:
    return tuple(Span(line, line, 5, line.to_bytes(8, "big")) for line in range(1, count + 1))


def random_journal(seed: int, length: int) -> list[Stored]:
    """A journal of about this many records of every kind, the same for the same seed."""
    chance = random.Random(seed)
    journal = Journal()
    journal.workspace()
    paths = {number: f"memory/n{number}.md".encode() + bytes([number]) for number in range(1, 6)}
    made: dict[str, list[int]] = {"version": [0], "change": [0], "incident": [0], "plan": [0]}
    while len(journal.records) < length:
        file = chance.choice(list(paths))
        workspace = WORKSPACES[file % 2]
        where: dict[str, Any] = {"workspace": workspace, "file": file}
        kind = chance.choices(
            ["version", "change", "incident", "plan", "done", "decision", "evidence", "notice", "event", "other"],
            [8, 6, 3, 3, 3, 1, 2, 1, 1, 2],
        )[0]
        skip = chance.choice([0, 0, 0, 3])
        if kind == "version":
            text = chance.choice([None, b"", b"one", b"two", chance.randbytes(8)])
            more: dict[str, Any] = {
                "cause": chance.choice(list(Cause)),
                "actor": chance.choice([Actor(), Actor("agent:x", 0.5, ("hook", "marker")), Actor("cron:y", 1.0)]),
                "coalesced": chance.choice([0, 0, 2]),
                "link_target": chance.choice([None, b"\xff"]),
                "after_s": chance.choice([0.01, 3, -5]),
            }
            made[kind].append(journal.version(path=paths[file], text=text, **where, **more))
        elif kind == "change":
            action = chance.choice(list(Action))
            incident = chance.choice([None, chance.choice(made["incident"])])
            version = chance.choice(made["version"])
            made[kind].append(journal.change(version, action, path=paths[file], incident=incident, **where))
        elif kind == "incident":
            known = chance.choice([None, *made["incident"][1:]])
            state = chance.choice(["open", "open", "resolved", "accepted", "expired"])
            changes = chance.sample(made["change"], min(2, len(made["change"])))
            seq = journal.incident(*changes, incident=known, state=state, workspace=workspace, files=(file, 1))
            if known is None:
                made[kind].append(seq)
        elif kind == "plan":
            undoes = chance.choice([None, chance.choice(made["plan"])])
            purpose = "undo" if undoes else chance.choice(["repair", "repair", "restore"])
            made[kind].append(
                journal.repair(purpose=purpose, outcome="", undoes=undoes, set_id=chance.choice([0, 1]), **where)
            )
        elif kind == "done":
            outcome = chance.choice(["applied", "applied", "refused", "superseded"])
            journal.add(RepairDoneRecord(chance.choice(made["plan"]), outcome), skip=skip)
        elif kind == "decision":
            journal.add(DecisionRecord("accept", workspace, file, false_positive=chance.random() < 0.5), skip=skip)
        elif kind == "evidence":
            digest = chance.choice([None, hashlib.sha256(b"one").digest()])
            journal.add(EvidenceRecord(workspace, paths[file], "agent:late", digest, at_ns=journal.at_ns))
        elif kind == "notice":
            journal.add(NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, "a title", workspace, (paths[file],)))
        elif kind == "event":
            journal.add(EventRecord(EventClass.CLOCK_JUMP, Severity.NOTICE, reason="back"), skip=skip)
        else:
            other: Record = chance.choice(
                [
                    CheckpointRecord(journal.seq),
                    JobRunRecord("qc", "ok"),
                    ErasureRecord("gc", (chance.choice(made["version"]),)),
                    WorkspaceRecord(workspace, b"/ws/" + workspace.encode(), chance.choice(list(Mode)), "generic"),
                ]
            )
            journal.add(other)
    return journal.records


def moved(path: bytes | None, line: int = 1) -> Relocated:
    return Relocated(spans(1)[0], path, line, 1.0)


def contents(path: str | os.PathLike[str]) -> dict[str, list[dict[str, object]]]:
    """Every row of every table but `meta`, records decoded: equal values may be encoded in more than one way
    (a default that was read from a journal is spelled out)."""
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    try:
        names = [row["name"] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {
            name: sorted((_decoded(name, dict(row)) for row in connection.execute(f"SELECT * FROM {name}")), key=repr)
            for name in names
            if name != "meta"
        }
    finally:
        connection.close()


def _decoded(table: str, row: dict[str, Any]) -> dict[str, object]:
    kinds = {
        "record": {"incidents": "incident", "plans": "repair_plan"}.get(table, row.get("kind")),
        "done": "repair_done",
    }
    for column, kind in kinds.items():
        if isinstance(row.get(column), bytes) and isinstance(kind, str):
            row[column] = rows.record(kind, row[column])
    if table == "versions" and row["extra"] is not None:
        row["extra"] = msgspec.msgpack.decode(row["extra"], type=Extra)
    return row
