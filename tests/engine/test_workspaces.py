"""Workspaces over time: modes that outlive restarts, two daemons on one, roots that are replaced."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.engine import roots
from conductd.engine.roots import refuse_root
from conductd.engine.workspaces import Handle
from conductd.errors import UsageError
from engine.conftest import notes
from support.daemon import Daemon, NotStarted


def test_a_decided_mode_outlives_a_restart(daemon: Daemon, workspace: Path) -> None:
    daemon.cli("observe", str(workspace))
    daemon.restart()
    assert [one["mode"] for one in daemon.api.get("/v1/workspaces")] == ["observe"]
    daemon.cli("protect", str(workspace))
    daemon.restart()
    assert [one["mode"] for one in daemon.api.get("/v1/workspaces")] == ["protect"]


def test_a_directory_added_by_command_is_there_after_a_restart(daemon: Daemon, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text(notes())
    daemon.cli("protect", str(other))
    (other / "MEMORY.md").write_text("gone\n")
    daemon.settle()
    assert (other / "MEMORY.md").read_text() == notes()
    daemon.restart()
    roots = {one["root"] for one in daemon.api.get("/v1/workspaces")}
    assert str(other) in roots


def test_a_second_daemon_observes_and_names_the_first(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    with Daemon(tmp_path / "second", [workspace]) as second:
        (view,) = second.api.get("/v1/workspaces")
        assert view["mode"] == "observe"
        assert view["state"].startswith("locked by process ")
        daemon.stop()
        second.sync()
        (view,) = second.api.get("/v1/workspaces")
        assert (view["mode"], view["state"]) == ("protect", "ok")


def test_what_a_replaced_root_held_is_offered_once(daemon: Daemon, workspace: Path) -> None:
    shutil.move(workspace, workspace.with_name("aside"))
    workspace.mkdir()
    (workspace / "MEMORY.md").write_text("# Memory\n\n- a third life begins here\n")
    daemon.settle()
    offers = [one for one in daemon.api.get("/v1/incidents?state=open") if one["event_class"] == "deletion"]
    assert len(offers) == 1
    daemon.cli("restore", "--incident", str(offers[0]["id"]))
    text = (workspace / "MEMORY.md").read_text()
    assert "a third life begins here" in text
    assert "note 40" in text


def test_a_missing_root_is_told_and_never_made(daemon: Daemon, workspace: Path) -> None:
    shutil.rmtree(workspace)
    daemon.settle()
    assert not workspace.exists()
    status = daemon.status()
    assert status["health"] == "degraded"
    assert [one["state"] for one in status["workspaces"]] == ["missing"]


@pytest.fixture
def decided(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    """A daemon that was told of its workspace by `protect` alone, started without a word about it."""
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        daemon.settle()
        daemon.cli("protect", str(workspace))
        daemon.stop()
        daemon.workspaces = []
        yield daemon


def test_a_protected_workspace_that_went_while_nobody_watched_is_missed(decided: Daemon, workspace: Path) -> None:
    shutil.rmtree(workspace)
    decided.start()
    decided.settle()
    status = decided.status()
    assert [(one["root"], one["state"]) for one in status["workspaces"]] == [(str(workspace), "missing")]
    assert status["health"] == "degraded"
    (incident,) = decided.api.get("/v1/incidents?state=open")
    assert "MEMORY.md" in incident["files"]
    assert not workspace.exists()
    assert not (decided.directory / "conductd-demo").exists()


def test_a_workspace_that_is_let_go_is_forgotten_at_the_next_start(decided: Daemon, workspace: Path) -> None:
    decided.arguments = ["--no-demo"]
    other = workspace.with_name("other")
    other.mkdir()
    decided.start()
    decided.cli("protect", str(other), directory=other)
    shutil.rmtree(workspace)
    decided.settle()
    assert decided.cli("protect", "--end", str(workspace), directory=other).exit_code == 0
    assert [one["root"] for one in decided.api.get("/v1/workspaces")] == [str(other)]
    assert decided.status()["health"] == "ok"
    decided.restart()
    decided.settle()
    assert [one["root"] for one in decided.api.get("/v1/workspaces")] == [str(other)]
    assert decided.status()["health"] == "ok"


def test_a_workspace_that_was_let_go_can_be_taken_again(decided: Daemon, workspace: Path) -> None:
    decided.start()
    decided.cli("protect", "--end", str(workspace), directory=workspace)
    (workspace / "MEMORY.md").write_text("gone\n")
    decided.settle()
    assert (workspace / "MEMORY.md").read_text() == "gone\n"
    decided.cli("protect", str(workspace), directory=workspace)
    decided.settle()
    assert (workspace / "MEMORY.md").read_text() == notes(), "what changed meanwhile is judged"


def test_a_workspace_moved_and_named_anew_is_not_missed_at_its_old_place(decided: Daemon, workspace: Path) -> None:
    moved = workspace.rename(workspace.with_name("moved"))
    decided.workspaces = [moved]
    decided.start()
    decided.settle()
    assert [(one["root"], one["state"]) for one in decided.api.get("/v1/workspaces")] == [(str(moved), "ok")]


def test_changes_while_the_daemon_was_down_are_offline(daemon: Daemon, workspace: Path) -> None:
    daemon.stop()
    (workspace / "MEMORY.md").write_text(notes() + "- appended while nobody watched\n")
    daemon.start()
    daemon.settle()
    assert daemon.versions(workspace / "MEMORY.md")[0]["offline"]


def test_a_notice_of_what_happened_while_nobody_watched_says_so(daemon: Daemon, workspace: Path) -> None:
    daemon.stop()
    (workspace / "MEMORY.md").write_text("gone\n")
    daemon.start()
    daemon.settle()
    (notice,) = [event for event in daemon.events() if event["kind"] == "notice"]
    assert notice["text"].endswith("(found at start)")


def test_a_moved_workspace_keeps_its_history(daemon: Daemon, workspace: Path) -> None:
    elsewhere = workspace.with_name("elsewhere")
    workspace.rename(elsewhere)
    daemon.settle()
    daemon.cli("protect", str(elsewhere), directory=elsewhere)
    daemon.settle()
    (view,) = daemon.api.get("/v1/workspaces")
    assert (view["root"], view["state"]) == (str(elsewhere), "ok")
    assert [one["cause"] for one in daemon.versions(elsewhere / "MEMORY.md")][-1] == "first_sight"
    assert daemon.api.get("/v1/incidents?state=open") == [], "what it held is there again"
    (elsewhere / "MEMORY.md").write_text("gone\n")
    daemon.settle()
    assert (elsewhere / "MEMORY.md").read_text() == notes()
    daemon.restart()
    states = {one["root"]: one["state"] for one in daemon.api.get("/v1/workspaces")}
    assert states == {str(elsewhere): "ok", str(workspace): "missing"}, "the command line still names the old place"


def test_another_directory_is_no_moved_workspace(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    shutil.rmtree(workspace)
    daemon.settle()
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("# Memory\n\n- something else altogether\n")
    daemon.cli("protect", str(other), directory=other)
    assert len(daemon.api.get("/v1/workspaces")) == 2


def test_a_workspace_behind_a_link_is_guarded_under_its_real_path(tmp_path: Path, workspace: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    config = f'[[workspaces]]\nroot = "{link}"\nroles = {{ "MEMORY.md" = "replaceable" }}\n'
    with Daemon(tmp_path / "d", [], config=config) as daemon:
        (view,) = daemon.api.get("/v1/files")
        assert (view["root"], view["role"]) == (str(workspace), "replaceable")
        assert daemon.versions(link / "MEMORY.md") == daemon.versions(workspace / "MEMORY.md")


def test_a_root_replaced_while_nothing_can_be_recorded_is_still_offered(daemon: Daemon, workspace: Path) -> None:
    daemon.fault("readonly_fs")
    shutil.rmtree(workspace)
    workspace.mkdir()
    (workspace / "USER.md").write_text(notes(200, 210))
    daemon.sync()
    daemon.clear_faults()
    daemon.settle()
    daemon.settle()
    (incident,) = daemon.api.get("/v1/incidents?state=open")
    assert incident["files"] == ["MEMORY.md"]
    daemon.cli("restore", "--incident", str(incident["id"]))
    assert "note 40" in (workspace / "MEMORY.md").read_text()


def test_a_lent_root_is_not_closed_under_the_borrower(tmp_path: Path) -> None:
    handle = Handle("w", os.fsencode(tmp_path), "generic")
    handle.fd = os.open(tmp_path, os.O_RDONLY | os.O_DIRECTORY)
    with handle.opened() as root:
        assert root is not None
        handle.let_go()
        assert os.path.samestat(os.fstat(root), tmp_path.stat())
    with handle.opened() as gone:
        assert gone is None


@pytest.mark.parametrize(
    "root",
    [
        *("/", "/proc", "/proc/self/fd", "/sys", "/dev", "/dev/shm", "/etc", "/etc/ssl", "/usr", "/usr/bin", "/bin"),
        *("/usr/share/doc", "/lib", "/boot", "/tmp", "/var", "/var/tmp", "/home", "/opt", "/mnt", "/srv", "/run"),
        *("/Users", "/System/Library"),
    ],
)
def test_what_is_the_systems_is_no_workspace(root: str) -> None:
    with pytest.raises(UsageError, match="is the system's"):
        refuse_root(os.fsencode(root), [])


def test_no_workspace_is_in_or_around_another_one_or_the_state_directory(daemon: Daemon, workspace: Path) -> None:
    (daemon.state_dir / "x").mkdir()
    for root, why in (
        (workspace / "memory", "is inside the workspace"),
        (daemon.state_dir / "x", "inside conductd's own state directory"),
    ):
        for how in ("protect", "observe"):
            ran = daemon.cli(how, str(root))
            assert ran.exit_code != 0
            assert why in ran.output
    assert len(daemon.status()["workspaces"]) == 1
    assert daemon.cli("protect", str(workspace)).exit_code == 0


def test_workspaces_given_together_are_apart(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path / "d", [workspace, workspace / "memory"]).ended_at_exit() as daemon:
        with pytest.raises(NotStarted) as ended:
            daemon.start()
        assert "a file can be in one workspace only" in ended.value.output


@pytest.mark.parametrize(
    "root", ["/home/ada", "/root", "/srv/agent", "/opt/claw", "/var/lib/claw", "/tmp/x", "/dev/shm/x"]
)
def test_a_directory_below_the_systems_is_a_workspace(root: str) -> None:
    refuse_root(os.fsencode(root), [])


def test_an_agents_directory_among_the_systems_files_is_known_by_its_notes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(roots, "SYSTEM_PLACES", (os.fsencode(tmp_path),))
    (tmp_path / "claw").mkdir()
    with pytest.raises(UsageError, match="is the system's"):
        refuse_root(os.fsencode(tmp_path / "claw"), [])
    (tmp_path / "claw" / "MEMORY.md").write_text("- one\n")
    refuse_root(os.fsencode(tmp_path / "claw"), [])


def test_a_workspace_that_another_one_leaves_alone_is_protected_beside_it(tmp_path: Path) -> None:
    outer = tmp_path / "claw"
    for place in (outer, outer / "helper", outer / "helper" / "deep"):
        (place / "memory").mkdir(parents=True)
        (place / "MEMORY.md").write_text(f"# {place.name}\n\n- its own note\n")
    with Daemon(tmp_path / "d", [outer, outer / "helper"]).ended_at_exit() as daemon:
        daemon.start()
        for place in (outer, outer / "helper", outer / "helper" / "deep", outer):
            ran = daemon.cli("protect", str(place))
            assert ran.exit_code == 0, ran.output
        daemon.settle()
        assert [each["files"] for each in daemon.status()["workspaces"]] == [1, 1, 1]
        ran = daemon.cli("protect", str(outer / "memory"))
        assert ran.exit_code == 2
        assert "is inside the workspace" in ran.output


def test_what_is_watched_already_is_never_refused(tmp_path: Path) -> None:
    """Two that have files in common by the configuration: which one gives way is a person's to say, not a command's."""
    outer = tmp_path / "a"
    (outer / "memory").mkdir(parents=True)
    tables = [f'[[workspaces]]\nroot = "{each}"\nmode = "observe"\n' for each in (outer, outer / "memory")]
    with Daemon(tmp_path / "d", [], config="".join(tables)).ended_at_exit() as daemon:
        daemon.start()
        ran = daemon.cli("protect", str(outer), directory=tmp_path)
        assert ran.exit_code == 0, ran.output
        assert "no file of it is memory yet" in ran.output


def test_directories_with_like_names_are_apart() -> None:
    refuse_root(b"/ws/one", [b"/ws/one", b"/ws/one-more", b"/ws/on"])


def test_a_workspace_by_another_name_is_the_same_one(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(workspace)
    asked = daemon.api.post("/v1/workspaces", {"root": str(link), "mode": "observe"})
    assert asked["request"] is not None, "it is protected: only asked for"
    daemon.api.post("/v1/workspaces", {"root": str(link), "mode": "protect"})
    assert [one["root"] for one in daemon.api.get("/v1/workspaces")] == [str(workspace)]
