"""A new directory, and workspaces that are gone: taken for one only when it is one, and not written into for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.conftest import notes
from support.daemon import Daemon

STOCK = {
    "AGENTS.md": "# Agents\n\n- read SOUL.md before anything else\n- answer in the language of the question\n",
    "SOUL.md": "# Soul\n\n- be kind\n- be brief where brevity helps\n",
    "TOOLS.md": "# Tools\n\n- ask before a command removes files\n",
}


def project(root: Path, **files: str) -> Path:
    root.mkdir()
    for name, text in {**STOCK, **{name.replace("_", "."): text for name, text in files.items()}}.items():
        (root / name).write_text(text)
    return root


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return project(tmp_path / "x8", MEMORY_md=notes())


@pytest.fixture
def running(tmp_path: Path, old: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path / "d", [old]) as daemon:
        daemon.settle()
        yield daemon


def protect(daemon: Daemon, root: Path) -> None:
    daemon.settle()
    assert daemon.cli("protect", str(root), directory=root.parent).exit_code == 0
    daemon.settle()


def spaces(daemon: Daemon) -> dict[str, str]:
    return {one["root"]: one["id"] for one in daemon.api.get("/v1/workspaces")}


def texts(root: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in root.iterdir()}


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"MEMORY_md": "# Memory\n\n- of a project that has nothing to do with the first\n"},
        {"MEMORY_md": ""},
        {"MEMORY_md": notes(), "SOUL_md": "# Soul\n\n- another one\n"},
    ],
    ids=["template", "own memory", "empty memory", "same memory, other stock"],
)
def test_a_sibling_of_a_workspace_that_is_gone_is_a_new_one(
    running: Daemon, old: Path, tmp_path: Path, files: dict[str, str]
) -> None:
    (known,) = spaces(running).values()
    shutil.rmtree(old)
    new = project(tmp_path / "y8", **files)
    before = texts(new)
    protect(running, new)
    assert spaces(running)[str(new)] != known
    running.restart()
    running.settle()
    assert texts(new) == before


def test_a_sibling_is_a_new_one_while_the_daemon_is_down(running: Daemon, old: Path, tmp_path: Path) -> None:
    (known,) = spaces(running).values()
    running.stop()
    shutil.rmtree(old)
    new = project(tmp_path / "y8", CLAUDE_md="# Claude\n\n- copied from elsewhere\n")
    before = texts(new)
    running.workspaces = [new]
    running.start()
    running.settle()
    assert spaces(running)[str(new)] != known
    assert texts(new) == before


def test_two_that_are_gone_never_flow_into_one(tmp_path: Path) -> None:
    one, two = project(tmp_path / "one", USER_md=notes(50, 60)), project(tmp_path / "two", MEMORY_md=notes())
    with Daemon(tmp_path / "d", [one, two]) as daemon:
        daemon.settle()
        known = set(spaces(daemon).values())
        shutil.rmtree(one)
        shutil.rmtree(two)
        new = project(tmp_path / "new")
        protect(daemon, new)
        assert spaces(daemon)[str(new)] not in known
        assert set(texts(new)) == set(STOCK)


def test_a_file_of_one_workspace_that_others_have_too_tells_nothing(tmp_path: Path) -> None:
    template = "# Claude\n\n- the stock file of every project here\n"
    one, two, new = tmp_path / "one", tmp_path / "two", tmp_path / "new"
    for root in (one, two):
        root.mkdir()
        (root / "CLAUDE.md").write_text(template)
    with Daemon(tmp_path / "d", [one, two]) as daemon:
        daemon.settle()
        known = set(spaces(daemon).values())
        shutil.rmtree(one)
        new.mkdir()
        (new / "CLAUDE.md").write_text(template)
        protect(daemon, new)
        assert spaces(daemon)[str(new)] not in known


@pytest.mark.parametrize("down", [False, True], ids=["running", "across a restart"])
def test_a_renamed_workspace_is_the_same(running: Daemon, old: Path, tmp_path: Path, down: bool) -> None:
    (known,) = spaces(running).values()
    if down:
        running.stop()
    new = old.rename(tmp_path / "moved")
    if down:
        running.workspaces = [new]
        running.start()
    protect(running, new)
    assert spaces(running) == {str(new): known}
    assert running.api.get("/v1/incidents?state=open") == []
    (new / "MEMORY.md").write_text("gone\n")
    running.settle()
    assert (new / "MEMORY.md").read_text() == notes()


def test_a_workspace_copied_to_another_file_system_and_removed_is_the_same(
    running: Daemon, old: Path, tmp_path: Path
) -> None:
    (known,) = spaces(running).values()
    new = tmp_path / "copied"
    shutil.copytree(old, new)
    shutil.rmtree(old)
    protect(running, new)
    assert spaces(running) == {str(new): known}


def test_a_copy_beside_the_first_is_a_workspace_of_its_own(running: Daemon, old: Path, tmp_path: Path) -> None:
    new = tmp_path / "copied"
    shutil.copytree(old, new)
    protect(running, new)
    assert len(set(spaces(running).values())) == 2


@pytest.mark.parametrize("down", [False, True], ids=["running", "across a restart"])
def test_what_differs_in_a_moved_workspace_is_offered_and_never_written(
    running: Daemon, old: Path, tmp_path: Path, down: bool
) -> None:
    (known,) = spaces(running).values()
    if down:
        running.stop()
    new = old.rename(tmp_path / "moved")
    (new / "MEMORY.md").write_text("# Memory\n\n- begun anew\n")
    (new / "SOUL.md").unlink()
    before = texts(new)
    if down:
        running.workspaces = [new]
        running.start()
    protect(running, new)
    assert spaces(running)[str(new)] == known
    assert texts(new) == before
    running.restart()
    running.settle()
    assert texts(new) == before
    offered = {name for one in running.api.get("/v1/incidents?state=open") for name in one["files"]}
    assert {"MEMORY.md", "SOUL.md"} <= offered
