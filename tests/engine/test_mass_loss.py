"""Many files destroyed at once are one incident, one notice, one undo, and each is explained by itself."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support.daemon import Daemon

COUNT = 12


@pytest.fixture
def files(daemon: Daemon, workspace: Path) -> list[Path]:
    found = [workspace / "memory" / f"t{number:02}.md" for number in range(COUNT)]
    for number, path in enumerate(found):
        path.write_text(notes(number * 40 + 100, number * 40 + 130))
    daemon.settle()
    daemon.advance(60_000)
    return found


def texts(files: list[Path]) -> list[str | None]:
    return [path.read_text() if path.exists() else None for path in files]


def one_incident(daemon: Daemon) -> Any:
    incidents = daemon.api.get("/v1/incidents")
    assert [one["event_class"] for one in incidents] == ["mass_loss"], incidents
    return daemon.api.get(f"/v1/incidents/{incidents[0]['id']}")


def notices(daemon: Daemon) -> list[str]:
    return [event["text"] for event in daemon.events(kind="notice")]


def wipe(files: list[Path]) -> None:
    """rm -rf memory/*"""
    for path in files:
        path.unlink()


def move_away(files: list[Path]) -> None:
    away = files[0].parents[2] / "away"
    away.mkdir()
    for path in files:
        path.rename(away / path.name)


def overwrite(files: list[Path]) -> None:
    """A script with one wrong line."""
    for path in files:
        path.write_text(f"# {path.stem}\n")


def sync_client(files: list[Path]) -> None:
    """An empty state is taken over from elsewhere: each file by a rename, as sync clients do."""
    for path in files:
        fresh = path.with_name(f".{path.name}.tmp")
        fresh.write_bytes(b"")
        fresh.rename(path)


@pytest.mark.parametrize("destroy", [wipe, move_away, overwrite, sync_client])
def test_it_is_one_incident_that_is_put_back_undone_and_redone(daemon: Daemon, files: list[Path], destroy: Any) -> None:
    before = texts(files)
    destroy(files)
    destroyed = texts(files)
    daemon.settle()
    assert texts(files) == before
    view = one_incident(daemon)
    assert len(view["incident"]["files"]) == len(view["changes"]) == COUNT
    assert all(change["event_class"] != "mass_loss" and change["rule"] for change in view["changes"])
    assert view["incident"]["state"] == "resolved"
    assert len(notices(daemon)) == 1
    assert "12 files were destroyed together" in notices(daemon)[0]
    ran = daemon.cli("explain", str(view["incident"]["id"]))
    assert all(f"memory/{path.name}: version" in ran.output for path in files)
    assert daemon.cli("undo").exit_code == 0
    assert texts(files) == destroyed
    daemon.settle()
    assert texts(files) == destroyed, "what a person undid stays"
    assert daemon.cli("undo").exit_code == 0
    assert texts(files) == before


def test_files_that_had_to_be_waited_for_join_the_set(daemon: Daemon, files: list[Path]) -> None:
    """Each is judged after its own wait: an overwrite at once, a deletion after 2 s, a cut after 30 s."""
    before = texts(files)
    files[0].write_text("# Nothing\n")
    files[1].write_text("# Nothing\n")
    files[2].unlink()
    files[3].write_text("\n".join(before[3].splitlines()[:20]) + "\n")  # type: ignore[union-attr]
    cut = files[3].read_text()
    daemon.settle()
    view = one_incident(daemon)
    by_path = {change["path"]: (change["event_class"], change["action"]) for change in view["changes"]}
    assert by_path == {
        "memory/t00.md": ("overwrite", "revert"),
        "memory/t01.md": ("overwrite", "revert"),
        "memory/t02.md": ("deletion", "revert"),
        "memory/t03.md": ("shrink", "propose"),
    }
    assert view["incident"]["state"] == "open", "what was cut is only offered"
    assert texts(files)[:4] == [*before[:3], cut]
    assert "4 files were destroyed together" in notices(daemon)[-1]
    number = str(view["incident"]["id"])
    assert daemon.cli("restore", "--incident", number, "--yes").exit_code == 0
    assert texts(files) == before
    assert one_incident(daemon)["incident"]["state"] == "resolved"


def test_a_directory_that_went_is_offered_as_a_set(daemon: Daemon, workspace: Path, files: list[Path]) -> None:
    before = texts(files)
    shutil.rmtree(workspace / "memory")
    daemon.settle()
    view = one_incident(daemon)
    assert {change["rule"] for change in view["changes"]} == {"deleted-with-parent"}
    assert not (workspace / "memory").exists()
    assert daemon.cli("restore", "--incident", str(view["incident"]["id"]), "--yes").exit_code == 0
    assert texts(files) == before
    assert daemon.cli("undo").exit_code == 0
    assert not any(path.exists() for path in files)


def test_one_that_was_answered_before_is_named_by_the_set(daemon: Daemon, files: list[Path]) -> None:
    before = texts(files)
    files[0].write_text("# Nothing\n")
    daemon.catch_up()
    daemon.pass_time(3_000)
    assert texts(files) == before
    overwrite(files[1:4])
    daemon.settle()
    assert texts(files) == before
    last = notices(daemon)[-1]
    assert all(path.name in last for path in files[:4]), last
    assert "1 answered before" in last
    classes = sorted(one["event_class"] for one in daemon.api.get("/v1/incidents"))
    assert classes == ["mass_loss", "overwrite"]
