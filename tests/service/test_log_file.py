"""The log that launchd has a daemon write does not grow for ever. (With a plain file: launchd is not asked.)"""

from __future__ import annotations

import stat
import subprocess
import sys
from pathlib import Path

from conductd.service.launchd import log_path
from conductd.service.log_file import MOST_BYTES
from support.daemon import Daemon

ANEW = "import os, sys; from conductd.service.log_file import begin_anew; os.write(2, b'before;'); "
ANEW += "print(begin_anew(sys.argv[1], int(sys.argv[2]))); os.write(2, b'after;')"


def begun(log: Path, stderr: Path, most: int) -> bool:
    with open(stderr, "ab") as file:
        ran = subprocess.run(
            [sys.executable, "-c", ANEW, log, str(most)], stdout=subprocess.PIPE, stderr=file, check=True
        )
    return ran.stdout == b"True\n"


def test_a_long_log_begins_anew_and_the_last_one_is_kept(tmp_path: Path) -> None:
    log, last = tmp_path / "conductd.log", tmp_path / "conductd.log.1"
    last.write_text("the one before;")
    log.write_text("lines;")
    log.chmod(0o600)
    assert not begun(log, log, 100)
    assert begun(log, log, 20)
    assert (log.read_text(), last.read_text()) == ("after;", "lines;before;after;before;")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_the_log_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    log, other = tmp_path / "conductd.log", tmp_path / "other.log"
    log.write_text("x" * 100)
    assert not begun(log, other, 1)
    log.unlink()
    assert not begun(log, other, 1)
    assert other.read_text() == "before;after;" * 2


def test_a_log_that_cannot_be_kept_goes_on(tmp_path: Path) -> None:
    log = tmp_path / "conductd.log"
    log.touch()
    log.with_name(f"{log.name}.1").mkdir()
    assert not begun(log, log, 1)
    assert log.read_text() == "before;after;"


def test_a_daemon_begins_its_log_anew_at_a_start_and_while_it_runs(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    daemon = Daemon(tmp_path, [workspace])
    log = daemon.log_path = Path(log_path(str(daemon.home)))
    last = log.with_name(f"{log.name}.1")
    log.parent.mkdir(parents=True)
    log.write_text("of the last start\n" + "x" * MOST_BYTES)
    with daemon:
        assert last.read_text().startswith("of the last start")
        daemon.wait_until(lambda: '"event": "ready"' in log.read_text(), "it writes into the new one")
        with open(log, "a", encoding="utf-8") as file:
            file.write("x" * MOST_BYTES)
        daemon.wait_until(lambda: '"event": "ready"' in last.read_text()[:MOST_BYTES], "a new log while it runs")
        assert log.stat().st_size < MOST_BYTES
