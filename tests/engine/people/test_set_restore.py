"""A restore to a time: planned, written as one set, undone and redone as one, and honest about what it cannot do."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from conductd.api.client import Client
from conductd.errors import NotFound, UsageError
from conductd.views import SetFileView, SetView
from engine.conftest import notes
from support.daemon import Daemon


def moment(daemon: Daemon) -> str:
    """Now, by the daemon's clock; a second goes by on both sides."""
    daemon.settle()
    daemon.advance(5_000)
    told = datetime.fromtimestamp(daemon.wall_ns / 1e9).astimezone().isoformat()
    daemon.advance(5_000)
    return told


def restored(daemon: Daemon, at: str, place: Path | None = None, **more: Any) -> SetView:
    with Client(os.fsencode(daemon.socket_path)) as client:
        *steps, view = client.restore_at(at, None if place is None else os.fsencode(place), **more)
    assert all(isinstance(step, float) for step in steps)
    assert isinstance(view, SetView)
    return view


def by_path(view: SetView) -> dict[str, SetFileView]:
    return {file.path: file for file in view.files}


def held(workspace: Path) -> dict[str, bytes]:
    return {str(p.relative_to(workspace)): p.read_bytes() for p in sorted(workspace.rglob("*.md")) if p.is_file()}


def grown(daemon: Daemon, workspace: Path) -> str:
    """A workspace that goes on living after a moment; nothing of it is a loss. That moment."""
    memory = workspace / "memory"
    (memory / "old").mkdir()
    for name, first in (("old/a.md", 100), ("old/b.md", 200), ("topic.md", 300), ("steady.md", 400)):
        (memory / name).write_text(notes(first, first + 20))
    at = moment(daemon)
    (workspace / "MEMORY.md").write_text(notes(1, 44))
    (memory / "topic.md").write_text(notes(300, 323))
    (memory / "later.md").write_text(notes(500, 505))
    daemon.settle()
    return at


def lost(daemon: Daemon, workspace: Path) -> str:
    """The same, and a whole directory went in a way that was meant, or that nobody put back."""
    at = grown(daemon, workspace)
    shutil.rmtree(workspace / "memory" / "old")
    daemon.settle()
    return at


def test_the_plan_says_what_would_be_done_and_writes_nothing(daemon: Daemon, workspace: Path) -> None:
    at = lost(daemon, workspace)
    before = held(workspace)
    view = restored(daemon, at, workspace, dry_run=True)
    files = by_path(view)
    assert {path: file.what for path, file in files.items()} == {
        "MEMORY.md": "changed",
        "memory/old/a.md": "created",
        "memory/old/b.md": "created",
        "memory/topic.md": "changed",
        "memory/steady.md": "unchanged",
        "memory/later.md": "left",
    }
    changed = files["MEMORY.md"]
    assert (changed.outcome, changed.newer_entries) == ("planned", 5)
    assert (changed.now_entries, changed.then_entries) == (51, 46)
    assert changed.now_size > changed.then_size > 1_000
    assert files["memory/old/a.md"].then_entries == 24
    assert (view.undo_command, view.again_command, view.note) == ("", "", "")
    assert held(workspace) == before
    exact = by_path(restored(daemon, at, workspace, dry_run=True, exact=True))
    assert (exact["memory/later.md"].what, exact["memory/later.md"].newer_entries) == ("removed", 8)


@pytest.mark.parametrize("exact", [False, True])
def test_all_of_it_is_one_act_that_is_undone_and_redone(daemon: Daemon, workspace: Path, exact: bool) -> None:
    then = {}
    at = grown(daemon, workspace)
    then = {name: daemon.content(workspace / name, at) for name in held(workspace) if name != "memory/later.md"}
    shutil.rmtree(workspace / "memory" / "old")
    daemon.settle()
    before = held(workspace)
    view = restored(daemon, at, workspace, exact=exact)
    later = {} if exact else {"memory/later.md": before["memory/later.md"]}
    assert held(workspace) == then | later
    assert view.counts["refused"] == 0
    assert view.undo_command.removeprefix("conductd undo ").isdecimal()
    assert daemon.cli("undo").exit_code == 0
    assert held(workspace) == before
    assert daemon.cli("undo").exit_code == 0
    assert held(workspace) == then | later
    daemon.settle()
    assert held(workspace) == then | later, "what a person restored is nobody's loss"
    assert not restored(daemon, at, workspace, dry_run=True, exact=exact).counts.keys() & {
        "changed",
        "created",
        "removed",
    }


def test_a_directory_alone_even_one_that_is_gone(daemon: Daemon, workspace: Path) -> None:
    at = lost(daemon, workspace)
    view = restored(daemon, at, workspace / "memory" / "old")
    assert {file.path for file in view.files} == {"memory/old/a.md", "memory/old/b.md"}
    assert (workspace / "memory" / "old" / "a.md").read_text() == notes(100, 120)
    assert (workspace / "MEMORY.md").read_text() == notes(1, 44)
    with pytest.raises(NotFound):
        restored(daemon, at, workspace.parent / "nowhere")


def test_around_several_workspaces(tmp_path: Path) -> None:
    roots = [tmp_path / "home" / name for name in ("one", "two")]
    for root in roots:
        root.mkdir(parents=True)
        (root / "MEMORY.md").write_text(notes())
    with Daemon(tmp_path / "d", roots) as daemon:
        at = moment(daemon)
        for root in roots:
            (root / "MEMORY.md").write_text(notes(1, 43))
        daemon.settle()
        ran = daemon.cli("restore", "--at", at, "--yes", directory=tmp_path, answer="n")
        assert ran.exit_code == 2
        assert "which of 2 workspaces?" in ran.output
        view = restored(daemon, at, tmp_path / "home")
        assert view.counts["changed"] == 2
        assert all((root / "MEMORY.md").read_text() == notes() for root in roots)
        assert daemon.cli("undo").exit_code == 0
        assert all((root / "MEMORY.md").read_text() == notes(1, 43) for root in roots)


def test_what_cannot_be_written_is_named_and_the_same_command_does_the_rest(daemon: Daemon, workspace: Path) -> None:
    at = grown(daemon, workspace)
    topic, memory = workspace / "memory" / "topic.md", workspace / "MEMORY.md"
    with topic.open("ab"):
        view = restored(daemon, at, workspace)
        assert by_path(view)["memory/topic.md"].outcome == "refused"
        assert "open for writing" in by_path(view)["memory/topic.md"].reason
        assert by_path(view)["MEMORY.md"].outcome == "applied"
    assert view.again_command.startswith("conductd restore --at ")
    again = daemon.cli(*view.again_command.split()[1:], "--yes")
    assert again.exit_code == 0
    assert (topic.read_text(), memory.read_text()) == (notes(300, 320), notes())
    assert daemon.cli("undo").exit_code == 0
    assert (topic.read_text(), memory.read_text()) == (notes(300, 323), notes(1, 44)), "both belong to one undo"


def test_one_that_was_killed_goes_on_as_the_same_act(daemon: Daemon, workspace: Path) -> None:
    at = grown(daemon, workspace)
    before = held(workspace)
    daemon.stop()
    daemon.start(kill_at="applied")
    daemon.settle()
    assert daemon.cli("restore", "--at", at, str(workspace), "--yes").exit_code != 0
    daemon.wait_until(lambda: not daemon.running, "it is dead")
    assert held(workspace) != before, "one file is written"
    daemon.start()
    daemon.settle()
    assert restored(daemon, at, workspace).counts["changed"] == 1, "the rest of two"
    assert daemon.cli("undo").exit_code == 0
    assert held(workspace) == before


def test_one_that_is_done_is_another_act_the_next_time(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    at = grown(daemon, workspace)
    restored(daemon, at, workspace)
    between = memory.read_text() + "- one more line about the garden and the well\n"
    memory.write_text(between)
    daemon.settle()
    restored(daemon, at, workspace)
    assert daemon.cli("undo").exit_code == 0
    assert memory.read_text() == between


def test_git_at_work_and_links_are_named(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    topic = workspace / "memory" / "topic.md"
    at = grown(daemon, workspace)
    topic.unlink()
    topic.symlink_to(tmp_path / "elsewhere.md")
    subprocess.run(["git", "init", "-q", str(workspace)], check=True, env=daemon.environment)
    daemon.settle()
    (workspace / ".git" / "index.lock").touch()
    os.utime(workspace / ".git" / "index.lock", ns=(daemon.wall_ns, daemon.wall_ns))
    view = by_path(restored(daemon, at, workspace))
    assert (view["memory/topic.md"].outcome, view["memory/topic.md"].reason) == ("refused", "it is a link now")
    assert "git is at work" in view["MEMORY.md"].reason
    (workspace / ".git" / "index.lock").unlink()
    view = by_path(restored(daemon, at, workspace))
    assert view["MEMORY.md"].outcome == "applied"
    assert topic.is_symlink()


def test_a_link_of_then_is_not_made_again(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    topic = workspace / "memory" / "topic.md"
    topic.symlink_to(tmp_path / "elsewhere.md")
    at = moment(daemon)
    topic.unlink()
    topic.write_text(notes(300, 320))
    daemon.settle()
    view = by_path(restored(daemon, at, workspace))
    assert (view["memory/topic.md"].outcome, view["memory/topic.md"].reason) == ("refused", "it was a link then")


def test_incidents_that_it_pays_are_closed_and_waiting_verdicts_are_void(daemon: Daemon, workspace: Path) -> None:
    memory, topic = workspace / "MEMORY.md", workspace / "memory" / "topic.md"
    topic.write_text(notes(300, 320))
    at = moment(daemon)
    topic.write_text(notes(300, 312))
    daemon.settle()
    assert daemon.status()["open_incidents"] == 1
    for _ in range(2):
        memory.write_text("# Memory\n\n- nothing\n")
        daemon.settle()
    memory.write_text("# Memory\n\n- nothing\n")
    daemon.catch_up()
    daemon.pass_time(1_000)
    assert daemon.api.get("/v1/pending"), "the third round is answered only after quiet"
    view = restored(daemon, at, workspace)
    assert view.counts["refused"] == 0
    assert (memory.read_text(), topic.read_text()) == (notes(), notes(300, 320))
    assert daemon.status()["open_incidents"] == 0
    assert not [one for one in daemon.api.get("/v1/pending") if one["what"] != "late_writer_watch"]
    daemon.settle()
    assert (memory.read_text(), topic.read_text()) == (notes(), notes(300, 320))


def test_the_middle_of_a_save_is_not_what_the_file_was(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.advance(5_000)
    memory.unlink()
    daemon.sync()
    daemon.advance(1)
    at = datetime.fromtimestamp(daemon.wall_ns / 1e9).astimezone().isoformat()
    daemon.advance(300)
    memory.write_text(notes(1, 41))
    daemon.settle()
    memory.write_text(notes(1, 45))
    daemon.settle()
    restored(daemon, at, workspace)
    assert memory.read_text() == notes()


def test_before_anything_was_recorded(daemon: Daemon, workspace: Path) -> None:
    (workspace / "memory" / "later.md").write_text(notes(500, 510))
    daemon.settle()
    before = held(workspace)
    view = restored(daemon, "2001-01-01", workspace, exact=True, dry_run=True)
    files = by_path(view)
    assert (files["MEMORY.md"].what, files["MEMORY.md"].outcome) == ("unknown", "left")
    assert files["memory/later.md"].what == "removed"
    assert "nothing was recorded" in view.note
    restored(daemon, "2001-01-01", workspace)
    assert held(workspace) == before


def test_times_that_make_no_sense(daemon: Daemon, workspace: Path) -> None:
    for at in ("the day the music died", "2999-01-01"):
        with pytest.raises(UsageError):
            restored(daemon, at, workspace)
    assert daemon.cli("restore", "--exact").exit_code == 2
    assert daemon.cli("restore", "--at", "now", "--incident", "3").exit_code == 2


def test_names_that_are_no_utf8_and_five_hundred_files(tmp_path: Path) -> None:
    workspace = tmp_path / "ws"
    many = workspace / "memory" / "many"
    many.mkdir(parents=True)
    names = [b"f%03d-\xff.md" % number for number in range(500)]
    for number, name in enumerate(names):
        (many / os.fsdecode(name)).write_text(notes(number * 3, number * 3 + 3))
    huge = workspace / "MEMORY.md"
    huge.write_text(notes(5_000, 10_000))
    assert huge.stat().st_size > 256 * 1024
    with Daemon(tmp_path / "d", [workspace], arguments=["--observe"]) as daemon:
        at = moment(daemon)
        shutil.rmtree(many)
        huge.write_text(notes(5_000, 5_100))
        daemon.settle()
        view = restored(daemon, at, workspace)
        assert view.counts["created"] == 500
        assert (many / os.fsdecode(names[7])).read_text() == notes(21, 24)
        assert huge.read_text() == notes(5_000, 10_000)
        assert daemon.cli("undo").exit_code == 0
        assert not any(many.iterdir())
        assert huge.read_text() == notes(5_000, 5_100)
        daemon.assert_no_traceback()


def test_on_a_terminal_the_plan_is_shown_first(daemon: Daemon, workspace: Path) -> None:
    at = lost(daemon, workspace)
    before = held(workspace)
    no = daemon.cli("restore", "--at", at, answer="n")
    assert no.exit_code == 1
    assert held(workspace) == before
    for words in ("2 files made again", "2 files written back", "came later and stay", "5 entries written since",
                  "restore all of it?"):  # fmt: skip
        assert words in no.output, no.output
    yes = daemon.cli("restore", "--at", at, answer="y")
    assert yes.exit_code == 0
    assert "undo all of it with: conductd undo" in yes.output
    assert (workspace / "memory" / "old" / "b.md").exists()
    assert "is already as it was" in daemon.cli("restore", "--at", at).output


def test_what_is_written_is_what_the_plan_showed_to_the_microsecond(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon.settle()
    daemon.advance(5_000)
    memory.write_text(notes(1, 42))
    daemon.settle()
    stood_ns = daemon.versions(memory)[0]["at_ns"]
    daemon.advance(5_000)
    memory.write_text(notes(1, 44))
    daemon.settle()
    at = datetime.fromtimestamp((stood_ns + 2_000) / 1e9).astimezone().isoformat(timespec="microseconds")
    assert daemon.cli("restore", "--at", at).exit_code == 0
    assert memory.read_text() == notes(1, 42)


@pytest.mark.parametrize("more", [(), ("--yes",), ("--exact", "--dry-run"), ("--json",)])
def test_a_time_before_the_first_record_is_no_state_that_it_is_in(
    daemon: Daemon, workspace: Path, more: tuple[str, ...]
) -> None:
    before = held(workspace)
    ran = daemon.cli("restore", "--at", "2001-01-01 12:00", str(workspace), *more)
    assert ran.exit_code == 3
    assert "nothing is recorded of" in ran.output
    assert "already as it was" not in ran.output
    assert held(workspace) == before
