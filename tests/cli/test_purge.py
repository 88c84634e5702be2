"""Purging takes all that conductd made, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.cli.purge import purged
from conductd.errors import Refused
from engine.conftest import notes
from support.daemon import Daemon

CONFIG = """
[retention]
keep_days = 1
hourly_days = 1
daily_days = 1
keep_last = 1
max_bytes = 1048576

[[channels]]
name = "hook"
url = "webhook+http://127.0.0.1:1/"
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(notes(1, 10))
    return root


def test_all_that_a_daemon_makes_is_known_and_what_others_put_there_stays(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path / "d", [workspace], config=CONFIG, jobs=None)
    memory = workspace / "MEMORY.md"
    with daemon.ended_at_exit():
        daemon.start()
        for size in range(11, 24):
            memory.write_text(notes(1, size))
            daemon.sync()
            daemon.advance(1)
        daemon.settle()
        daemon.advance(600_000)
        memory.write_text("# Nothing\n")
        daemon.settle()
        for job in ("checkpoint", "continuity", "qc", "report", "recap"):
            assert daemon.cli("jobs", "run", job).exit_code == 0, job
        assert daemon.cli("bootcard").exit_code == 0
        assert daemon.cli("reload").exit_code == 0
        assert daemon.cli("snapshot", str(tmp_path / "copy")).exit_code == 0
        assert daemon.cli("export", "--dir", str(tmp_path / "files")).exit_code == 0
        assert daemon.cli("index", "rebuild").exit_code == 0
        assert daemon.cli("verify").exit_code == 0
        daemon.kill()
        assert daemon.cli("index", "rebuild").exit_code == 0, "also without a daemon"
        daemon.start()
        daemon.advance(20 * 86_400_000)
        daemon.stop()
        daemon.start(kill_at="gc.recorded")
        daemon.cli("gc")
        daemon.wait_for_exit()
        left = {each.name for each in daemon.state_dir.iterdir()}
        assert {"journal", "reports", "gc.unfinished", "notices.sqlite3", "last-good-config.json"} <= left
        (daemon.state_dir / "mine.txt").write_text("kept by hand\n")
        with Daemon(tmp_path / "other", [workspace / "memory"]) as other, pytest.raises(Refused):
            purged(str(other.state_dir))
        assert purged(str(daemon.state_dir)) == [str(daemon.state_dir / "mine.txt")]
        (daemon.state_dir / "mine.txt").unlink()
        assert purged(str(daemon.state_dir)) == []
        assert not daemon.state_dir.exists()
    assert memory.read_text() == notes(1, 23), "no file of a workspace is touched"
