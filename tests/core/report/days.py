"""Days to report on: clean, busy, broken, of names that are not Latin, empty."""

from __future__ import annotations

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.facts import DayIncident
from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.core.report.facts import Facts, FileSizes, JobFact, Unreported
from conductd.model import EventClass, Severity

SEVEN = tuple((f"2026-03-0{day}", 9_000 + 300 * day) for day in range(1, 9))
JOBS = (
    JobFact("checkpoint", "2026-03-07", "ok", "3 lines quoted"),
    JobFact("continuity", "2026-03-08", "ok", "2 pieces of unfinished work"),
    JobFact("qc", "2026-03-08", "ok", "2 checks passed"),
)
CLEAN = Facts(
    day="2026-03-08",
    zone="Europe/Berlin",
    workspace="/home/anna/clawd",
    agent="openclaw",
    version="2026.3.1",
    jobs=JOBS,
    checkpoint=CheckpointResult(files=12, recorded=12, is_whole=True, versions=340),
    continuity=ContinuityResult(unfinished=2),
    qc=QcResult(findings=(Finding("history", Grade.PASS, "whole"), Finding("names", Grade.PASS, "one spelling"))),
    incidents=(),
    gained=12,
    lost=1,
    versions_per_hour=(0,) * 9 + (4, 7, 1) + (0,) * 12,
    sizes=(FileSizes(b"MEMORY.md", SEVEN, 20_000, "20,000 characters"),),
    degraded=(),
    false_alarms=0,
)


def incident(number: int, path: bytes, state: str, severity: Severity = Severity.NOTICE, lost: int = 0) -> DayIncident:
    command = f"conductd restore --incident {number}" if state == "open" else ""
    done = "put back as it was" if state != "open" else "nothing yet"
    return DayIncident(number, EventClass.OVERWRITE, severity, state, (path,), lost, 1, done, command)


def changed(facts: Facts, **fields: object) -> Facts:
    return Facts(**{**{name: getattr(facts, name) for name in facts.__struct_fields__}, **fields})


BUSY = changed(
    CLEAN,
    incidents=(incident(41, b"MEMORY.md", "resolved"), incident(42, b"memory/2026-03-08.md", "accepted")),
    gained=1_240,
    lost=310,
    versions_per_hour=tuple(range(23)),
    unreported=Unreported("2026-03-07 23:20", 3, 2, 1),
    jobs=(*JOBS[:2], JobFact("qc", "2026-03-08", "warn", "1 of 2 checks warns", ("2026-03-05..2026-03-07",), True)),
    qc=QcResult(findings=(Finding("history", Grade.PASS, "whole"), Finding("size", Grade.WARN, "97% of the limit"))),
)
BROKEN = changed(
    CLEAN,
    jobs=(JobFact("checkpoint", "2026-03-07", "fail", "damage"), JobFact("qc", "2026-03-08", "failed", "see the log")),
    checkpoint=CheckpointResult(files=12, recorded=11, damaged=2, unread=1),
    continuity=None,
    qc=None,
    incidents=(incident(43, b"MEMORY.md", "open", Severity.ALARM, 17),),
    unread=(b"USER.md",),
    degraded=("notices do not get out on the channel mail: the server answered 550",),
)
CJK = changed(
    CLEAN,
    workspace="/home/anna/記憶",
    incidents=(incident(7, "memory/会議メモ.md".encode(), "resolved"),),
    sizes=(FileSizes("記憶.md".encode(), SEVEN, 60_000, "20,000 characters"),),
)
EMPTY = Facts(day="2026-03-08", zone="UTC", workspace="/home/anna/new")
DAYS = {"clean": CLEAN, "busy": BUSY, "broken": BROKEN, "cjk": CJK, "empty": EMPTY}
