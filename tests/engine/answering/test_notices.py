"""What a person reads: who it was, which files, and the one command."""

from __future__ import annotations

import msgspec
import pytest

from conductd.engine.answering import notices
from conductd.model import Action, EventClass, IncidentRecord, NoticeRecord, Severity, Verdict

RECORD = IncidentRecord("w", None, "open", EventClass.OVERWRITE, Severity.ALARM, Action.REVERT, (1,))
VERDICT = Verdict(EventClass.OVERWRITE, Severity.ALARM, Action.REVERT, "overwrite")
PATHS = [b"MEMORY.md", b"USER.md"]


def _all(record: IncidentRecord) -> list[NoticeRecord]:
    return [
        notices.first(PATHS[0], VERDICT, record, 7),
        notices.put_back(PATHS[:1], record, 7),
        notices.loop(PATHS[0], record, 7),
        notices.stood_down(PATHS[0], record, 7),
        notices.several(record, PATHS, 7, notices.Progress(2, 0, 0)),
        notices.offer(b"/home/me/notes", record, 7),
    ]


def test_a_writer_that_nobody_knows_is_not_named_as_if_that_were_a_name() -> None:
    for notice in _all(RECORD):
        assert "by unknown" not in notice.title
        assert not notice.title.startswith("unknown")
        assert notice.writer == ""


def test_a_known_writer_is_named() -> None:
    for notice in _all(msgspec.structs.replace(RECORD, writer="agent:night"))[:5]:
        assert "agent:night" in notice.title
        assert notice.writer == "agent:night"


def test_every_notice_of_an_incident_names_a_command_for_that_incident() -> None:
    for notice in _all(RECORD):
        assert notice.incident == 7
        assert notice.command.split()[-1] == "7"


@pytest.mark.parametrize(
    ("action", "why", "command"),
    [
        (Action.REVERT, "", "conductd undo 7"),
        (Action.MERGE, "", "conductd undo 7"),
        (Action.PROPOSE, "", "conductd restore --incident 7"),
        (Action.REVERT, "not written: this workspace is only observed", "conductd restore --incident 7"),
    ],
)
def test_what_was_written_is_undone_and_what_was_not_is_brought_back(action: Action, why: str, command: str) -> None:
    assert notices.way_back(msgspec.structs.replace(RECORD, action=action, why=why), 7) == command


@pytest.mark.parametrize(
    ("progress", "count", "words"),
    [
        (notices.Progress(3, 0, 0), 3, "all put back"),
        (notices.Progress(2, 1, 0), 3, "2 put back, 1 to be put back"),
        (notices.Progress(2, 0, 1, 1), 4, "2 put back, 1 left as they are and offered back, 1 answered before"),
    ],
)
def test_what_became_of_the_files_of_a_set(progress: notices.Progress, count: int, words: str) -> None:
    assert progress.of(count) == words


def test_five_files_are_named() -> None:
    paths = [b"%d.md" % number for number in range(8)]
    title = notices.several(RECORD, paths, 7, notices.Progress(8, 0, 0)).title
    assert "0.md, 1.md, 2.md, 3.md, 4.md and 3 more" in title
