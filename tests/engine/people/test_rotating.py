"""`conductd rotate` on a real daemon: what moves where, what stands in the way, undo and redo."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.test_provenance import record
from support.api import ApiError, Json
from support.callers import CONDUCTD, called
from support.daemon import Daemon

OPENCLAW = """
[[workspaces]]
root = "{root}"
profile = "openclaw"
agents = ["openclaw"]
agent_version = "2026.9.6"
"""


def section(heading: str, lines: int = 40) -> str:
    name = heading.lower().replace(" ", "").replace("-", "")
    return (
        f"## {heading}\n\n"
        + "".join(f"- {name} fact {n}: " + "words and words " * 8 + "\n" for n in range(lines))
        + "\n"
    )


MEMORY = (
    "# Memory\n\n- who I am\n\n"
    + section("Decisions 2025-01-02")
    + section("Decisions 2024-03-04")
    + section("Always") * 1
)
PINNED = "## Rules\n\n<!-- pin -->\n- never deploy on a Friday\n<!-- /pin -->\n\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "AGENTS.md").write_text("# Agents\n\n- be kind\n")
    (root / "MEMORY.md").write_text(MEMORY + PINNED + section("Notes 2026-01-01"))
    return root


@pytest.fixture
def daemon(tmp_path: Path, root: Path) -> Iterator[Daemon]:
    with Daemon(tmp_path / "d", [root], config=OPENCLAW.format(root=root)) as running:
        running.sync()
        yield running


def rotate(daemon: Daemon, root: Path, name: str = "MEMORY.md", **asked: object) -> Json:
    return daemon.api.post("/v1/rotate", {"path": str(root / name), **asked})


def tree(root: Path) -> dict[str, bytes]:
    return {
        str(p.relative_to(root)): p.read_bytes()
        for p in sorted(root.rglob("*"))
        if p.is_file() and ".git" not in p.relative_to(root).parts
    }


def lines(tree: dict[str, bytes]) -> list[bytes]:
    return sorted(line for data in tree.values() for line in data.split(b"\n") if line)


def quiet(daemon: Daemon) -> bool:
    """Nothing was taken for a loss."""
    losses = [e for e in daemon.events() if e["severity"] == "alarm" or e["event_class"] in ("shrink", "overwrite")]
    incidents = [each for each in daemon.api.get("/v1/incidents") if each["event_class"] != "pin_hidden"]
    return not losses and not incidents


def test_an_oversize_file_fits_afterwards_and_undo_brings_it_back(daemon: Daemon, root: Path) -> None:
    before = tree(root)
    planned = rotate(daemon, root, dry_run=True)
    assert planned["outcome"] == "planned"
    assert tree(root) == before
    done = rotate(daemon, root)
    assert (done["outcome"], done["to"], done["is_new"]) == ("moved", "memory/memory-archive.md", True)
    assert done["undo_command"].removeprefix("conductd undo ").isdecimal()
    assert [each["heading"] for each in done["sections"]] == [e["heading"] for e in planned["sections"]]
    assert done["sections"][0]["heading"] == "Decisions 2025-01-02"  # in the order of the file
    assert done["is_enough"]
    after = tree(root)
    assert len(after["MEMORY.md"]) <= 16_000
    assert b"never deploy on a Friday" in after["MEMORY.md"]
    assert set(lines(before)) <= set(lines(after))
    daemon.settle()
    assert quiet(daemon)

    again = rotate(daemon, root)
    assert (again["outcome"], again["sections"], tree(root)) == ("fits", [], after)

    daemon.api.post("/v1/undo", {})
    assert tree(root) == before
    daemon.api.post("/v1/undo", {})
    assert tree(root) == after
    daemon.api.post("/v1/undo", {})
    daemon.settle()
    assert tree(root) == before
    assert quiet(daemon)


def directories(root: Path) -> set[str]:
    return {str(each.relative_to(root)) for each in root.rglob("*") if each.is_dir()}


def test_undo_removes_the_directories_that_were_made_and_no_other(daemon: Daemon, root: Path) -> None:
    (root / "memory" / "old").mkdir()  # empty, and not ours
    rotate(daemon, root, to="memory/old/kept/2026/notes.md")
    made = {"memory", "memory/old", "memory/old/kept", "memory/old/kept/2026"}
    assert directories(root) == made
    daemon.restart()  # what was made is on record
    for left in ({"memory", "memory/old"}, made, {"memory", "memory/old"}):  # undone, done again, undone
        daemon.api.post("/v1/undo", {})
        assert directories(root) == left
    daemon.assert_no_traceback()


def test_a_directory_that_was_made_and_holds_something_else_by_now_stays(daemon: Daemon, root: Path) -> None:
    rotate(daemon, root, to="memory/old/kept/2026/notes.md")
    (root / "memory" / "old" / "kept" / "mine.txt").write_text("mine\n")
    daemon.api.post("/v1/undo", {})
    assert directories(root) == {"memory", "memory/old", "memory/old/kept"}
    assert (root / "memory" / "old" / "kept" / "mine.txt").read_text() == "mine\n"


def test_the_log_says_what_wrote_each_version(daemon: Daemon, root: Path) -> None:
    def written() -> list[str]:
        return [each["purpose"] for each in daemon.versions(root / "MEMORY.md") if each["cause"] == "restore"]

    rotate(daemon, root)
    daemon.api.post("/v1/undo", {})
    assert written() == ["undo", "rotate"]
    listed = daemon.cli("log", "MEMORY.md").output
    assert " rotate " in listed
    assert " undo " in listed
    assert " restore " not in listed
    told = {each["data"]["purpose"]: each["text"] for each in daemon.events(kind="version")}
    assert told["rotate"].endswith(", written by rotate")
    assert told["undo"].endswith(", undone")
    oldest = daemon.versions(root / "MEMORY.md")[-1]["seq"]
    daemon.cli("restore", f"MEMORY.md@{oldest}", "--yes")
    daemon.stop()
    (daemon.state_dir / "index.sqlite3").unlink()  # and of an older journal, whose index is made anew
    daemon.start()
    daemon.wait_until(lambda: not daemon.status()["degraded"], "the index is whole")
    assert written()[-2:] == ["undo", "rotate"]


def test_what_was_written_since_stays_when_it_is_undone(daemon: Daemon, root: Path) -> None:
    before = tree(root)
    rotate(daemon, root)
    with (root / "MEMORY.md").open("a") as file:
        file.write("- a new note of the evening\n")
    daemon.settle()
    daemon.api.post("/v1/undo", {})
    assert (root / "MEMORY.md").read_bytes() == before["MEMORY.md"] + b"- a new note of the evening\n"
    assert not (root / "memory" / "memory-archive.md").exists()


def test_the_next_time_it_is_appended(daemon: Daemon, root: Path) -> None:
    rotate(daemon, root)
    with (root / "MEMORY.md").open("a") as file:
        file.write(section("Later 2026-02-02", 80))
    daemon.settle()
    first = (root / "memory" / "memory-archive.md").read_bytes()
    done = rotate(daemon, root)
    assert (done["outcome"], done["is_new"]) == ("moved", False)
    assert (root / "memory" / "memory-archive.md").read_bytes().startswith(first)
    daemon.settle()
    assert quiet(daemon)


def test_what_stands_in_the_way_is_said(daemon: Daemon, root: Path) -> None:
    before = tree(root)
    assert daemon.cli("lease", str(root / "MEMORY.md")).exit_code == 0
    with pytest.raises(ApiError, match="lease"):
        rotate(daemon, root)
    assert daemon.cli("lease", "--end", str(root / "MEMORY.md")).exit_code == 0
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".git" / "index.lock").touch()
    with pytest.raises(ApiError, match="git"):
        rotate(daemon, root)
    (root / ".git" / "index.lock").unlink()
    (root / "MEMORY.md").write_text("gone\n")
    daemon.settle()
    assert tree(root) == before


def test_where_it_goes_can_be_said(daemon: Daemon, root: Path) -> None:
    for wrong in (
        "memory/2026-01-01.md",
        "USER.md",
        "MEMORY.md",
        "../out.md",
        "docs/x.md",
        "memory/x.txt",
        "memory/tasks.md",
    ):
        with pytest.raises(ApiError):
            rotate(daemon, root, to=wrong)
    done = rotate(daemon, root, to="memory/old decisions.md")
    assert (root / "memory" / "old decisions.md").exists()
    assert done["to"] == "memory/old decisions.md"
    assert b"](<memory/old decisions.md>)" in (root / "MEMORY.md").read_bytes()


def test_names_that_are_taken_are_passed_over(daemon: Daemon, root: Path) -> None:
    (root / "memory" / "memory-archive.md").write_text("```\nnever closed\n")
    (root / "memory" / "memory-archive-2.md").symlink_to("/nowhere")
    daemon.settle()
    assert rotate(daemon, root)["to"] == "memory/memory-archive-3.md"


def test_a_file_without_a_limit_and_one_that_fits_are_left(daemon: Daemon, root: Path) -> None:
    (root / "memory" / "big.md").write_text(section("A", 200) + section("B", 200))
    daemon.settle()
    with pytest.raises(ApiError, match="no agent is known to load"):
        rotate(daemon, root, "memory/big.md")
    assert rotate(daemon, root, "AGENTS.md")["outcome"] == "fits"
    with pytest.raises(ApiError):
        rotate(daemon, root, "nothing.md")


def test_more_room_can_be_made_than_is_needed(daemon: Daemon, root: Path) -> None:
    rotate(daemon, root)
    done = rotate(daemon, root, until_percent=40)
    assert (done["outcome"], done["is_enough"]) == ("moved", True)
    assert len((root / "MEMORY.md").read_bytes()) <= 8_000


def test_an_observed_workspace_is_not_written(tmp_path: Path, root: Path) -> None:
    config = 'mode = "observe"\n' + OPENCLAW.format(root=root)
    with Daemon(tmp_path / "o", [root], config=config) as daemon:
        daemon.sync()
        before = tree(root)
        with pytest.raises(ApiError, match="only observed"):
            rotate(daemon, root)
        assert tree(root) == before


def test_the_command_line_says_what_it_does(daemon: Daemon, root: Path) -> None:
    file = str(root / "MEMORY.md")
    planned = daemon.cli("rotate", file, "--dry-run")
    assert planned.exit_code == 0
    assert "would move to memory/memory-archive.md" in planned.output
    done = daemon.cli("rotate", file, "--json")
    assert '"outcome": "moved"' in done.output
    assert daemon.cli("rotate", file).output.startswith("MEMORY.md fits")
    assert daemon.cli("rotate", file, "--until-percent", "1").exit_code == 20
    assert daemon.cli("rotate", file, "--until-percent", "101").exit_code == 2
    assert daemon.cli("undo").exit_code == 0


def as_agent(daemon: Daemon, root: Path, *arguments: str) -> int:
    command = called("claude", [*CONDUCTD, "rotate", *arguments])
    done = subprocess.run(command, env=daemon.environment, cwd=root, capture_output=True, check=False)
    return done.returncode


def test_an_agent_may_make_its_notes_fit_and_asks_for_more(daemon: Daemon, root: Path) -> None:
    (root / "AGENTS.md").write_text("# Agents\n\n- be kind\n\n" + section("Rules A", 90) + section("Rules B", 90))
    daemon.settle()
    before = tree(root)
    assert as_agent(daemon, root, str(root / "AGENTS.md")) == 15
    assert as_agent(daemon, root, str(root / "MEMORY.md"), "--until-percent", "10") == 15
    assert tree(root) == before
    assert as_agent(daemon, root, str(root / "MEMORY.md")) == 0
    assert len((root / "MEMORY.md").read_bytes()) <= 16_000
    told = daemon.events(kind="notice")[-1]["data"]
    assert "claude" in told["title"], told
    assert told["command"].removeprefix("conductd undo ").isdecimal()
    request = next(each for each in daemon.api.get("/v1/requests") if "AGENTS.md" in each["words"])
    assert request["shows"][0].startswith("move lines ")
    assert daemon.cli("confirm", str(request["id"])).exit_code == 0
    assert (root / "memory" / "agents-archive.md").exists()


MINUTE_MS, DAY_MS = 60_000, 86_400_000


def test_by_itself_only_where_it_is_quiet_and_never_again_once_undone(tmp_path: Path, root: Path) -> None:
    config = '[rotate]\nautomatic = true\nfiles = ["MEMORY.md", "USER.md"]\n' + OPENCLAW.format(root=root)
    with Daemon(tmp_path / "a", [root], config=config) as daemon:
        daemon.settle()
        before = tree(root)
        archive = root / "memory" / "memory-archive.md"
        daemon.advance(12 * MINUTE_MS)
        daemon.wait_until(archive.exists, "the sections are moved")
        daemon.settle()
        told = [e for e in daemon.events(kind="notice") if "moved to memory/memory-archive.md" in e["data"]["title"]]
        assert [each["data"]["command"].rstrip("0123456789") for each in told] == ["conductd undo "]
        assert quiet(daemon)

        daemon.api.post("/v1/undo", {})
        daemon.settle()
        assert tree(root) == before
        (root / "USER.md").write_text(
            "# User\n\n" + section("Likes 2024-01-01", 60) + section("Dislikes 2025-01-01", 60)
        )
        daemon.settle()
        daemon.advance(2 * DAY_MS)
        daemon.wait_until((root / "memory" / "user-archive.md").exists, "the other file's sections are moved")
        assert (root / "MEMORY.md").read_bytes() == before["MEMORY.md"], "a person had undone it"


def test_a_file_whose_writer_openclaw_records_is_left_to_the_agent(tmp_path: Path) -> None:
    root = tmp_path / "home/.openclaw/workspace"
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text("Be kind.\n")
    (root / "MEMORY.md").write_text(MEMORY + section("Notes 2026-01-01"))
    record(root, (root / "MEMORY.md").read_text())
    with Daemon(tmp_path, [root], config=OPENCLAW.format(root=root)) as daemon:
        daemon.sync()
        before = tree(root)
        with pytest.raises(ApiError, match="vanish from the prompt"):
            rotate(daemon, root)
        assert tree(root) == before


def test_what_openclaw_recorded_since_is_not_undone_behind_its_back(tmp_path: Path) -> None:
    root = tmp_path / "home/.openclaw/workspace"
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text("Be kind.\n")
    (root / "MEMORY.md").write_text(MEMORY + section("Notes 2026-01-01"))
    with Daemon(tmp_path, [root], config=OPENCLAW.format(root=root)) as daemon:
        daemon.sync()
        rotate(daemon, root)
        daemon.settle()
        record(root, (root / "MEMORY.md").read_text())
        before = tree(root)
        with pytest.raises(ApiError, match="vanish from the prompt"):
            daemon.api.post("/v1/undo", {})
        assert tree(root) == before


def test_what_the_loader_does_not_even_read_does_not_fit(daemon: Daemon, root: Path) -> None:
    memory = root / "MEMORY.md"
    memory.write_text(memory.read_text() + "- much: " + "x" * 2_100_000 + "\n")
    daemon.settle()
    said = daemon.cli("rotate", str(memory))
    assert said.exit_code == 8
    assert "nothing of MEMORY.md is loaded" in said.output
