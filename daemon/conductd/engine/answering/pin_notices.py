"""What is told of pin marks that somebody who is no person set or took away. Pure: counts and lines, never content.

The baseline moves on with the change, so that each is told once.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from conductd.engine.answering.judged import Judged
from conductd.engine.fold.tracks import FileTrack
from conductd.journal.journal import Draft
from conductd.model import UNKNOWN, EventClass, NoticeRecord, Severity
from conductd.views import shown
from conductd.views.words import pasted


def of_marks(root: bytes, file: FileTrack, judged: Judged) -> Iterator[Draft]:
    """The notices of a verdict that is about to be recorded. `root`: of the file's workspace."""
    workspace, path, writer = file.workspace, file.path, judged.seen.actor.name
    facts = judged.verdict.facts
    by = "an unknown writer" if writer == UNKNOWN.name else writer
    name = shown(os.path.join(root, path))
    given, taken = (int(facts.get(fact, 0)) for fact in ("pin_marks_given", "pin_marks_taken"))
    if given:
        entries = "an entry" if given == 1 else f"{given} entries"
        title = f"{by} marked {entries} of {shown(path)} as pinned: nothing is pinned before you say so"
        yield _notice(workspace, path, writer, title, pasted("conductd", "pin", name, "--marked"))
    if taken:
        entries = "an entry" if taken == 1 else f"{taken} entries"
        title = f"{by} took the pin marks of {entries} of {shown(path)} away: what was pinned stays pinned"
        yield _notice(workspace, path, writer, title, pasted("conductd", "unpin", name))


def _notice(workspace: str, path: bytes, writer: str, title: str, command: str) -> Draft:
    told = NoticeRecord(
        event_class=EventClass.DECISION,
        severity=Severity.NOTICE,
        title=title,
        workspace=workspace,
        files=(path,),
        command=command,
        writer="" if writer == UNKNOWN.name else writer,
    )
    return Draft(told)
