"""What the service says while something is missing, and how it shows entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.engine.service import IndexHistory
from conductd.errors import Busy
from conductd.index.reader import IndexReader
from engine.conftest import notes
from support.api import ApiError
from support.daemon import Daemon


def test_nothing_is_decided_from_half_an_index(tmp_path: Path) -> None:
    history = IndexHistory(IndexReader(str(tmp_path / "index.sqlite3")), lambda: False)
    with pytest.raises(Busy):
        history.changes_of(1)


def test_an_explanation_shows_the_lines_that_the_judge_counted(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("# Memory\n\n- a line\u2028with\x0cmarks inside that are no line ends\n" + notes())
    daemon.settle()
    memory.write_text("gone\n")
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents")
    (change,) = daemon.api.get(f"/v1/incidents/{incident['id']}")["changes"]
    assert [one["text"][:9] for one in change["lost"]][-1] == "- note 40"


@pytest.mark.parametrize(
    "actor",
    [
        *("HUMAN:me", " human:me", "human:me", "git", "conductd", "unknown", "agent:", "Agent:x", " agent:x"),
        *("agent:a\x1b[31m", "agent:x\n", "agent:" + "x" * 191),
    ],
)
def test_nobody_can_claim_to_be_a_person_or_to_look_like_one(daemon: Daemon, workspace: Path, actor: str) -> None:
    with pytest.raises(ApiError) as refused:
        daemon.api.post("/v1/evidence", {"path": str(workspace / "MEMORY.md"), "actor": actor})
    assert refused.value.code in ("refused", "usage")


def test_agents_jobs_and_sync_clients_can_announce_a_write(daemon: Daemon, workspace: Path) -> None:
    for actor in ("agent:main:subagent 1", "cron:nightly", "sync:dropbox", "agent:" + "ü" * 190):
        daemon.api.post("/v1/evidence", {"path": str(workspace / "MEMORY.md"), "actor": actor})
