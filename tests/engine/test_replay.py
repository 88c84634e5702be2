"""A daemon's state while it runs is what its journal says, folded."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import msgspec

from conductd.engine.fold.state import State
from conductd.engine.recording.recorder import CHECKPOINT_AT_STOP
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock
from engine.conftest import notes
from support.daemon import Daemon


def test_the_live_state_is_the_journal_folded(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    live(daemon, workspace)
    # The daemon writes its state down when it stops, if there is enough that a start would have to read.
    for number in range(CHECKPOINT_AT_STOP + 1):
        daemon.api.post("/v1/evidence", {"path": str(memory), "actor": f"agent:{number}", "digest": "ab" * 32})
    assert daemon.stop() == 0
    journal, _ = Journal.open(
        DirectoryStorage(daemon.state_dir / "journal"), clock=SystemClock(), writer="test", read_only=True
    )
    found = journal.latest_checkpoint()
    assert found is not None
    stored, body = found
    folded = State().fold(each for each in journal.replay(0) if each.seq < stored.seq).dump()
    journal.close()
    assert history(folded) == history(body)


def live(daemon: Daemon, workspace: Path) -> None:
    """Something of everything: losses, repairs, a fight, a deletion, git, a person's commands, an outage, a restart."""
    memory, topic = workspace / "MEMORY.md", workspace / "memory" / "topic.md"
    topic.write_text(notes(200, 220))
    daemon.api.post("/v1/evidence", {"path": str(memory), "actor": "agent:one"})
    memory.write_text(notes(1, 41))
    daemon.settle()
    for _ in range(3):
        memory.write_text("# Memory\n\n- something else entirely\n")
        daemon.settle()
    daemon.cli("undo")
    daemon.settle()
    memory.write_text(notes(1, 30))
    daemon.settle()
    daemon.cli("accept", "MEMORY.md")
    topic.unlink()
    daemon.settle()
    shutil.rmtree(workspace / "memory")
    daemon.settle()
    daemon.cli("observe", str(workspace))
    daemon.cli("protect", str(workspace))
    daemon.fault("readonly_fs")
    memory.write_text(notes(1, 44))
    daemon.settle()
    daemon.clear_faults()
    daemon.settle()
    daemon.restart()
    memory.write_text(notes(1, 45))
    daemon.settle()
    memory.write_text(notes(1, 45))  # the same again: only an observation
    daemon.settle()


def history(dump: bytes) -> dict[str, Any]:
    """What is history in a snapshot: all but what the file system said last."""
    snapshot: dict[str, Any] = msgspec.msgpack.decode(dump)
    for file in snapshot["files"]:
        file.pop("stat", None)
        file["accepted"] = sorted(file.get("accepted", ()))
    return snapshot
