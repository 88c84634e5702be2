"""What the service says while something is missing, and how it shows entries."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.engine.service import IndexHistory
from conductd.errors import Busy
from conductd.index.reader import IndexReader
from engine.conftest import notes
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
