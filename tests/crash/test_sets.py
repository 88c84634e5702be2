"""A daemon killed within a set of writes: after the restart all of it is done, or none, and nothing is a loss."""

from __future__ import annotations

import signal
from contextlib import suppress
from pathlib import Path

import pytest

from crash import survey
from support.api import ApiError
from support.daemon import Daemon

SECTION = "".join(f"- {{0}} fact {n}: " + "some words to remember " * 6 + "\n" for n in range(45))
MEMORY = "# Memory\n\n- who I am\n" + "".join(
    f"\n## {name}\n\n" + SECTION.replace("{0}", name.lower())
    for name in ("Alpha 2024-01-01", "Beta 2025-01-01", "Gamma")
)
CONFIG = '[[workspaces]]\nroot = "{root}"\nprofile = "openclaw"\nagent_version = "2026.9.6"\n'
# The topic is created, then the file is swapped: steps of both, and what lies between.
POINTS = ("planned", "create.renamed", "between", "swap.exchanged")


def tree(root: Path) -> dict[str, bytes]:
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def made(tmp_path: Path) -> tuple[Daemon, Path]:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(MEMORY)
    return Daemon(tmp_path / "d", [root], config=CONFIG.format(root=root)), root


def killed(daemon: Daemon, route: str, body: dict[str, object]) -> None:
    with suppress(OSError, ApiError):  # it dies while we ask
        daemon.api.post(route, body)
    assert daemon.wait_for_exit() == -signal.SIGKILL


def assert_no_loss(daemon: Daemon) -> None:
    assert not [each for each in daemon.events() if each["severity"] == "alarm"]
    assert not daemon.api.get("/v1/incidents")


@pytest.mark.parametrize("point", POINTS)
def test_killed_in_the_middle_it_is_done_as_a_whole(point: str, tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    with daemon.ended_at_exit():
        daemon.start(kill_at=point)
        daemon.sync()
        before = tree(root)
        killed(daemon, "/v1/rotate", {"path": str(root / "MEMORY.md")})
        daemon.start()
        daemon.settle()
        after = tree(root)
        assert set(after) == {"MEMORY.md", "memory/memory-archive.md"}
        assert set(MEMORY.encode().split(b"\n")) <= set(b"\n".join(after.values()).split(b"\n"))
        assert len(after["MEMORY.md"]) < len(before["MEMORY.md"])
        assert_no_loss(daemon)
        daemon.kill()
        daemon.start()
        daemon.settle()
        assert tree(root) == after, "a second recovery changed something"
        daemon.api.post("/v1/undo", {})
        assert tree(root) == before
        survey.assert_whole_store(daemon)


def test_killed_while_it_is_undone_it_is_undone_as_a_whole(tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    with daemon.ended_at_exit():
        daemon.start()
        daemon.sync()
        before = tree(root)
        daemon.api.post("/v1/rotate", {"path": str(root / "MEMORY.md")})
        daemon.kill()
        daemon.start(kill_at="between")
        killed(daemon, "/v1/undo", {})
        daemon.start()
        daemon.settle()
        assert tree(root) == before
        assert_no_loss(daemon)
        daemon.api.post("/v1/undo", {})
        assert set(tree(root)) == {"MEMORY.md", "memory/memory-archive.md"}


def test_written_on_while_it_was_down_nothing_of_the_set_is_left(tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    with daemon.ended_at_exit():
        daemon.start(kill_at="between")
        daemon.sync()
        killed(daemon, "/v1/rotate", {"path": str(root / "MEMORY.md")})
        assert (root / "memory" / "memory-archive.md").exists()
        with (root / "MEMORY.md").open("a") as file:
            file.write("- a note while the daemon was down\n")
        daemon.start()
        daemon.settle()
        assert tree(root) == {"MEMORY.md": MEMORY.encode() + b"- a note while the daemon was down\n"}
        assert_no_loss(daemon)
        with pytest.raises(ApiError, match="nothing to undo"):
            daemon.api.post("/v1/undo", {})


def test_somebody_who_saves_in_between_wins_and_nothing_of_the_set_is_left(tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    theirs = MEMORY.encode() + b"- saved at this very moment\n"
    with daemon.ended_at_exit():
        daemon.start(write_at={"between": (root / "MEMORY.md", theirs)})
        daemon.sync()
        with pytest.raises(ApiError, match="nothing of the set stands"):
            daemon.api.post("/v1/rotate", {"path": str(root / "MEMORY.md")})
        daemon.settle()
        assert tree(root) == {"MEMORY.md": theirs}
        assert_no_loss(daemon)
        done = daemon.api.post("/v1/rotate", {"path": str(root / "MEMORY.md")})
        assert done["outcome"] == "moved"
        daemon.api.post("/v1/undo", {})
        assert tree(root) == {"MEMORY.md": theirs}


def stands(root: Path) -> bool:
    held = set(b"\n".join(tree(root).values()).split(b"\n"))
    return set(MEMORY.encode().split(b"\n")) - {b"- who I am"} <= held


@pytest.mark.parametrize("point", ["swap.exchanged", "swap.looked", "swap.temp_removed", "applied"])
@pytest.mark.parametrize("how", ["appended", "a word changed", "all of it written anew"])
def test_written_on_after_the_swap_no_section_is_nowhere(point: str, how: str, tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    file = root / "MEMORY.md"
    with daemon.ended_at_exit():
        daemon.start(kill_at="swap.temp_removed" if point == "applied" else point)
        daemon.sync()
        killed(daemon, "/v1/rotate", {"path": str(file)})
        text = file.read_text()
        changed = {
            "appended": text + "- a note while the daemon was down\n",
            "a word changed": text.replace("who I am", "who I was"),
            "all of it written anew": "# Memory\n\n" + SECTION.replace("{0}", "gamma"),
        }[how]
        file.write_text(changed)
        daemon.start()
        daemon.settle()
        assert stands(root) or how == "all of it written anew"
        assert b"alpha 2024-01-01 fact 7" in (root / "memory" / "memory-archive.md").read_bytes()
        assert file.read_text() == changed or how == "all of it written anew"
        daemon.kill()
        daemon.start()
        daemon.settle()
        assert (root / "memory" / "memory-archive.md").exists(), "a second recovery took it away"
        with suppress(ApiError):
            daemon.api.post("/v1/undo", {})
        assert b"alpha 2024-01-01 fact 7" in b"".join(tree(root).values())


def test_who_saves_at_the_swap_and_again_into_ours_takes_no_section_away(tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    file = root / "MEMORY.md"
    with daemon.ended_at_exit():
        daemon.start()
        daemon.sync()
        daemon.api.post("/v1/rotate", {"path": str(file)})
        rotated = file.read_bytes()
        daemon.api.post("/v1/undo", {})
        daemon.settle()
        daemon.stop()
        first, second = b"- one note of somebody\n", b"- another note of somebody\n"
        daemon.start(
            write_at={"swap.checked": (file, MEMORY.encode() + first), "undo.before": (file, rotated + second)}
        )
        daemon.sync()
        daemon.api.post("/v1/rotate", {"path": str(file)})
        daemon.settle()
        daemon.pass_time(70_000)
        daemon.settle()
        held = b"".join(tree(root).values())
        assert stands(root)
        assert first in held
        assert second in held
        daemon.api.post("/v1/undo", {})
        assert stands(root)


@pytest.mark.parametrize("point", ["between", "remove.before", "remove.renamed"])
def test_killed_while_a_file_is_renamed_what_it_holds_is_never_nowhere(point: str, tmp_path: Path) -> None:
    daemon, root = made(tmp_path)
    (root / "MEMORY.md").rename(root / "Memory.md")
    with daemon.ended_at_exit():
        daemon.start(kill_at=point)
        daemon.sync()
        killed(daemon, "/v1/doctor/fix", {})
        assert MEMORY.encode() in tree(root).values()
        assert (root / "MEMORY.md").exists()
        daemon.start()
        daemon.settle()
        assert tree(root) == {"MEMORY.md": MEMORY.encode()}
        assert_no_loss(daemon)
