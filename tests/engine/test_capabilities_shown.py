"""What the file system of a workspace can do is kept in the journal, and shown."""

from __future__ import annotations

from pathlib import Path

from conductd.journal.storage import DirectoryStorage
from conductd.model import WorkspaceRecord
from support.daemon import Daemon
from support.journals import open_journal

TEXT = "# Memory\n\n" + "".join(f"- note {number}: something worth keeping\n" for number in range(40))


def test_it_is_shown_kept_once_and_how_a_file_was_written_over(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    memory = workspace / "MEMORY.md"
    memory.write_text(TEXT)
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        daemon.settle()
        shown = daemon.status()["workspaces"][0]["capabilities"]
        assert {"ctime", "two cases"} <= set(shown) or {"no ctime", "one case"} & set(shown)
        assert not {"swap", "in place"} & set(shown), "nothing was written yet"
        memory.write_text("# Memory\n\n- a stub of an agent\n")
        daemon.settle()
        assert "note 39" in memory.read_text()
        assert daemon.status()["workspaces"][0]["capabilities"][-1] in ("swap", "in place")
        daemon.restart()
        assert daemon.status()["workspaces"][0]["capabilities"] == shown
    with DirectoryStorage(daemon.state_dir / "journal") as storage:
        journal, _ = open_journal(storage, read_only=True)
        kept = [each.record for each in journal.replay() if isinstance(each.record, WorkspaceRecord)]
        journal.close()
    assert [list(each.capabilities) for each in kept] == [shown], "a restart that finds the same writes nothing"
