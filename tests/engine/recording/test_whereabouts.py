"""Where there are several workspaces a notice says which one it is about."""

from __future__ import annotations

import pytest

from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import WorkspaceTrack
from conductd.engine.recording.whereabouts import placed
from conductd.journal.journal import Draft
from conductd.model import EventClass, Mode, NoticeRecord, Severity


def _title(workspace: str, *roots: bytes, title: str = "MEMORY.md was overwritten") -> str:
    state = State()
    for number, root in enumerate(roots):
        state.workspaces[str(number)] = WorkspaceTrack(str(number), root, Mode.PROTECT)
    record = NoticeRecord(EventClass.OVERWRITE, Severity.ALARM, title, workspace=workspace)
    found = placed(state, Draft(record)).record
    assert isinstance(found, NoticeRecord)
    return found.title


@pytest.mark.parametrize(
    ("workspace", "roots", "where"),
    [
        ("0", (b"/home/ada/notes",), ""),
        ("0", (b"/home/ada/notes", b"/home/ada/work"), " (in notes)"),
        ("1", (b"/home/ada/notes", b"/srv/notes"), " (in /srv/notes)"),
        ("0", ("/home/ada/заметки".encode(), b"/srv/a"), " (in заметки)"),
        ("", (b"/home/ada/notes", b"/srv/notes"), ""),
        ("7", (b"/home/ada/notes", b"/srv/notes"), ""),
    ],
)
def test_it_is_named_where_there_are_several(workspace: str, roots: tuple[bytes, ...], where: str) -> None:
    assert _title(workspace, *roots) == "MEMORY.md was overwritten" + where


def test_it_is_not_named_twice() -> None:
    told = "another directory stands at /home/ada/notes: 2 files of the old one are kept"
    assert _title("0", b"/home/ada/notes", b"/srv/a", title=told) == told
