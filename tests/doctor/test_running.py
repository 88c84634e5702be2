"""`conductd doctor` beside a real daemon, and after it: what only the daemon, or the journal, knows."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from support.daemon import Daemon


def doctor(daemon: Daemon, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    command = [sys.executable, "-m", "conductd", "doctor", "--json", *arguments]
    done = subprocess.run(command, env=daemon.environment, capture_output=True, check=False, timeout=60)
    assert done.stdout, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)["checks"]


def results(told: list[dict[str, Any]], check: str) -> list[str]:
    return [each["result"] for each in told if each["check"] == check]


def test_a_daemon_and_its_workspace_are_well_until_they_are_not(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Memory\n\n- The gate code is kept with Ana\n")
    before = sorted(each.name for each in workspace.iterdir())
    daemon = Daemon(tmp_path / "daemon", [workspace], fake_clock=False)
    with daemon.ended_at_exit():
        daemon.start()
        daemon.sync()
        _, told = doctor(daemon)
        for check in ("daemon", "daemon_version", "daemon_health", "workspace", "identity", "clock", "state_private"):
            assert results(told, check) == ["ok"], check
        assert {each["workspace"] for each in told} == {"", str(workspace)}
        seq = daemon.status()["last_seq"]
        assert daemon.status()["last_seq"] == seq  # looking changes nothing
        assert sorted(each.name for each in workspace.iterdir()) == before

        # What is pinned and cut out is said; what the daemon watches is found by itself.
        with open(workspace / "MEMORY.md", "a") as file:
            file.write("- words of a note\n" * 900 + "- the pinned rule stays\n" + "- more of it\n" * 900)
        daemon.sync()
        pin = {"path": str(workspace / "MEMORY.md"), "text": "the pinned rule stays"}
        daemon.api.post("/v1/pins", pin)
        _, told = doctor(daemon, "--agent", "openclaw", "--agent-version", "2026.9.6")
        (cut,) = [each for each in told if each["check"] == "load_cut"]
        assert cut["result"] == "fail"
        assert "pinned entries among them" in cut["what"]
        daemon.stop()

        # While it is down another directory is put there.
        elsewhere = tmp_path / "elsewhere"
        shutil.copytree(workspace, elsewhere)
        os.rename(workspace, tmp_path / "away")
        os.rename(elsewhere, workspace)
        code, told = doctor(daemon)
        assert code == 17
        assert results(told, "daemon") == ["fail"]
        assert results(told, "identity") == ["fail"]
        assert results(told, "workspace") == ["warn"]  # nobody guards it now
        assert results(told, "daemon_health") == ["unknown"]

        # A damaged journal is no obstacle.
        for segment in (daemon.state_dir / "journal").iterdir():
            segment.write_bytes(b"garbage" * 1_000)
        code, told = doctor(daemon, "--workspace", str(workspace))
        assert results(told, "identity") == ["unknown"]
