"""Entries that are moved out of a file: into one that stays, or into a copy kept for a while."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from support.daemon import Daemon

LEARNED = (
    ("that the archive key is with Mara", "to water the plants on Mondays"),
    ("how the printer wakes up at noon",),
    ("why the bridge closes in winter", "where the spare fuses are kept", "when the bakery opens"),
)


@pytest.mark.parametrize("aside", ["MEMORY.md.bak", "MEMORY.old.md", "tmp/MEMORY.txt", "MEMORY - Kopie.md"])
def test_a_file_put_aside_and_written_anew_is_overwritten(daemon: Daemon, workspace: Path, aside: str) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "tmp").mkdir()
    memory.rename(workspace / aside)
    memory.write_text("# Memory\n\n- a few words of a new file\n")
    daemon.settle()
    assert "note 40" in memory.read_text()
    assert "a few words of a new file" in memory.read_text()


@pytest.mark.parametrize("stub", ["# Memory\n\nSee archive.md\n", "# Memory\n\n- what was here is in [[archive]]\n"])
def test_entries_moved_into_another_text_are_no_loss(daemon: Daemon, workspace: Path, stub: str) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "archive.md").write_text(memory.read_text())
    memory.write_text(stub)
    daemon.settle()
    assert memory.read_text() == stub
    assert daemon.events(event_class="move", kind="change")


def test_a_file_that_was_moved_and_begun_anew_is_no_loss(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.rename(workspace / "archive.md")
    memory.write_text("# Memory\n")
    daemon.settle()
    assert memory.read_text() == "# Memory\n"
    assert daemon.events(event_class="move", kind="change")


@pytest.mark.parametrize("aside", ["sub/NOTES.md", "archive.md", "memory/2026-03-08.md", "notes.txt"])
@pytest.mark.parametrize("left", ["# M\n", "# M\n\n- a new thought about the harbour\n"])
def test_an_overwrite_beside_a_copy_from_long_before_is_put_back(
    daemon: Daemon, workspace: Path, aside: str, left: str
) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / aside).parent.mkdir(exist_ok=True)
    (workspace / aside).write_text(memory.read_text())
    daemon.settle()
    daemon.pass_time(3_600_000)
    memory.write_text(left)
    daemon.settle()
    assert "note 40" in memory.read_text()
    assert len(daemon.events(event_class="overwrite", kind="change")) == 1
    assert not daemon.events(event_class="move", kind="change")


def test_what_was_copied_a_moment_before_is_moved(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "memory" / "2026-03-08.md").write_text(memory.read_text())
    memory.write_text("# Memory\n")
    daemon.settle()
    assert memory.read_text() == "# Memory\n"
    assert daemon.events(event_class="move", kind="change")


def test_what_another_workspace_inside_holds_is_its_own(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    inner = workspace / "helper"
    inner.mkdir()
    (inner / "MEMORY.md").write_text(memory.read_text())
    daemon.cli("protect", str(inner))
    daemon.settle()
    good = memory.read_text()
    os.utime(inner / "MEMORY.md")
    memory.write_text("# M\n")
    daemon.settle()
    assert memory.read_text() == good
    assert daemon.events(event_class="overwrite", kind="change")


@pytest.mark.parametrize("into", ["memory/topics/section-4.md", "memory/2026-03-08.md", "docs/notes/section-4.md"])
@pytest.mark.parametrize("reworded", [False, True])
def test_what_is_cut_here_and_pasted_there_is_a_move(
    daemon: Daemon, workspace: Path, into: str, reworded: bool
) -> None:
    memory = workspace / "MEMORY.md"
    kept, cut = memory.read_text().split("## Section 4")
    memory.write_text(kept + f"- the rest is in {into}\n")
    daemon.sync()
    daemon.pass_time(12_000)
    assert not daemon.events(kind="change"), "a cut waits for its paste"
    target = workspace / into
    target.parent.mkdir(parents=True, exist_ok=True)
    pasted = cut.replace("- note", "* The note of number") if reworded else cut
    target.write_text("# Section 4\n" + pasted)
    daemon.settle()
    assert memory.read_text() == kept + f"- the rest is in {into}\n"
    assert len(daemon.events(event_class="move", kind="change")) == 1
    assert not [each for each in daemon.events(kind="incident") if each["event_class"] != "move"]


@pytest.mark.parametrize("by_rename", [False, True])
@pytest.mark.parametrize("editor", [False, True])
def test_sessions_that_write_at_once_lose_nothing(
    daemon: Daemon, workspace: Path, by_rename: bool, editor: bool
) -> None:
    """Each read the same text, and writes it back with lines of its own; a fourth changes a note."""
    memory = workspace / "MEMORY.md"
    base = memory.read_text()
    texts = [base + "".join(f"- session {n} learned {word}\n" for word in words) for n, words in enumerate(LEARNED)]
    if editor:
        texts.insert(2, base.replace("- note 7:", "- note 7, as corrected by the owner:"))
    for text in texts:
        if by_rename:
            (workspace / ".MEMORY.md.tmp").write_text(text)
            (workspace / ".MEMORY.md.tmp").replace(memory)
        else:
            memory.write_text(text)
        daemon.sync()
        daemon.pass_time(40)
    daemon.settle()
    now = memory.read_text()
    for words in LEARNED:
        assert all(now.count(word) == 1 for word in words)
    assert all(f"- note {number}" in now for number in range(1, 41))
    assert ("as corrected by the owner" in now) == editor


@pytest.mark.parametrize("touched", [False, True])
def test_notes_about_somebody_else_are_no_home_of_those_that_go(
    daemon: Daemon, workspace: Path, *, touched: bool
) -> None:
    """Another file says the same of another subject, and has for long; a line that is added to it changes nothing."""
    facts = "# Facts\n\n- X needs the inhaler before sport lessons\n- X is allergic to peanuts and wasp stings\n"
    one, other = workspace / "memory" / "anna.md", workspace / "memory" / "ben.md"
    one.parent.mkdir(exist_ok=True)
    one.write_text(facts.replace("X", "Anna"))
    other.write_text(facts.replace("X", "Ben"))
    daemon.settle()
    daemon.pass_time(3 * 24 * 3_600_000)
    if touched:
        other.write_text(other.read_text() + "- Ben swims on Fridays\n")
        daemon.settle()
    one.unlink()
    daemon.settle()
    assert one.read_text() == facts.replace("X", "Anna")
