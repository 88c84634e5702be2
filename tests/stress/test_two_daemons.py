"""Two daemons on one state directory or one workspace: one works, the other refuses or observes, and says why."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.daemon import Daemon

NOTES = "# Memory\n\n" + "".join(f"- rule {number}: never touch account {number * 7}\n" for number in range(40))


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "ws"
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text(NOTES)
    return workspace


def test_a_second_daemon_on_one_state_directory_refuses_and_names_the_first(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        outcome = daemon.start_another()
        assert outcome.exit_code == 7
        assert str(daemon.pids[0]) in outcome.output
        assert "hint:" in outcome.output
        assert daemon.api.get("/v1/hello")["pid"] == daemon.pids[0], "the first was disturbed"


def test_a_second_daemon_on_one_workspace_only_observes_and_names_the_first(tmp_path: Path, workspace: Path) -> None:
    file = workspace / "MEMORY.md"
    with Daemon(tmp_path / "one", [workspace]) as first, Daemon(tmp_path / "two", [workspace]) as second:
        (theirs,) = second.status()["workspaces"]
        assert theirs["state"].startswith("locked by")
        assert str(first.pids[0]) in theirs["state"]
        file.write_text("# Memory\n")
        second.settle()
        assert file.read_text() == "# Memory\n", "the second wrote"
        assert any(str(first.pids[0]) in event["text"] for event in second.events(kind="notice"))
        first.settle()
        assert file.read_text() == NOTES
        second.settle()
        causes = [version["cause"] for version in second.versions(file)]
        assert "repair" not in causes, "the second claims the first one's repair"


def test_the_second_daemon_takes_over_when_it_is_started_after_the_first_has_gone(
    tmp_path: Path, workspace: Path
) -> None:
    file = workspace / "MEMORY.md"
    second = Daemon(tmp_path / "two", [workspace])
    with Daemon(tmp_path / "one", [workspace]) as first:
        first.kill()
        with second:
            assert second.status()["workspaces"][0]["state"] == "ok"
            file.write_text("# Memory\n")
            second.settle()
            assert file.read_text() == NOTES
