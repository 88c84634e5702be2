"""What is told of pin marks that somebody who is no person set or took away. Pure: counts and lines, never content.

The baseline moves on with the change, so that each is told once.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from conductd.model import UNKNOWN, EventClass, NoticeRecord, Severity, Verdict
from conductd.views import shown


def of_marks(workspace: str, path: bytes, verdict: Verdict, writer: str) -> Iterator[NoticeRecord]:
    by = "an unknown writer" if writer == UNKNOWN.name else writer
    name = shlex.quote(shown(path))
    given, taken = (int(verdict.facts.get(fact, 0)) for fact in ("pin_marks_given", "pin_marks_taken"))
    if given:
        entries = "an entry" if given == 1 else f"{given} entries"
        title = f"{by} marked {entries} of {shown(path)} as pinned: nothing is pinned before you say so"
        yield _notice(workspace, path, writer, title, f"conductd pin {name} --marked")
    if taken:
        entries = "an entry" if taken == 1 else f"{taken} entries"
        title = f"{by} took the pin marks of {entries} of {shown(path)} away: what was pinned stays pinned"
        yield _notice(workspace, path, writer, title, f"conductd unpin {name}")


def _notice(workspace: str, path: bytes, writer: str, title: str, command: str) -> NoticeRecord:
    return NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=title,
        workspace=workspace,
        files=(path,),
        command=command,
        writer="" if writer == UNKNOWN.name else writer,
    )
