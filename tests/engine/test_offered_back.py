"""What `conductd restore --incident N` writes where a proposal is more than lost entries, and its undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.conftest import notes
from support.daemon import Daemon

COPY = "MEMORY (Anna's conflicted copy 2026-11-30).md"
NEWS = "- the other device wrote that Mara moved to Oslo\n"


def _incident(daemon: Daemon, event_class: str, state: str = "open") -> dict[str, Any]:
    views = daemon.api.get(f"/v1/incidents?state={state}")
    (found,) = (each for each in views if each["event_class"] == event_class)
    assert isinstance(found, dict)
    return found


def _restore(daemon: Daemon, number: int) -> None:
    assert daemon.cli("restore", "--incident", str(number)).exit_code == 0
    daemon.settle()


@pytest.mark.parametrize(
    "name", [COPY, "MEMORY.sync-conflict-20261130-101112-ABCDEFG.md", "MEMORY (1).md", "MEMORY 2.md"]
)
def test_what_only_a_conflict_copy_has_goes_to_the_file(daemon: Daemon, workspace: Path, name: str) -> None:
    memory, copy = workspace / "MEMORY.md", workspace / name
    mine = notes() + "- written on this device while the other was away\n"
    memory.write_text(mine)
    daemon.settle()
    copy.write_text(notes() + NEWS)
    daemon.settle()
    incident = _incident(daemon, "conflict_copy")
    assert (incident["action"], incident["severity"], incident["state"]) == ("propose", "notice", "open")
    assert memory.read_text() == mine
    explained = daemon.cli("explain", str(incident["id"]))
    assert explained.exit_code == 0
    assert "MEMORY.md" in explained.output
    _restore(daemon, incident["id"])
    assert set(mine.splitlines()) < set(memory.read_text().splitlines())
    assert NEWS in memory.read_text()
    assert copy.read_text() == notes() + NEWS
    assert _incident(daemon, "conflict_copy", "resolved")["id"] == incident["id"]
    assert daemon.cli("undo", str(incident["id"])).exit_code == 0
    assert memory.read_text() == mine


def test_copies_without_news_and_other_files_are_only_recorded(daemon: Daemon, workspace: Path) -> None:
    (workspace / COPY).write_text(notes(1, 39))
    (workspace / "MEMORY 3.md").write_text(notes(500, 520))
    (workspace / "memory" / "trip 2.md").write_text(notes(600, 620))
    (workspace / "Chapter (1).md").write_text(notes(700, 720))
    daemon.settle()
    assert daemon.api.get("/v1/incidents") == []
    assert not daemon.events(kind="notice")


def test_a_copy_that_is_removed_is_not_put_back(daemon: Daemon, workspace: Path) -> None:
    copy = workspace / COPY
    copy.write_text(notes() + NEWS)
    daemon.settle()
    copy.unlink()
    daemon.settle()
    assert not copy.exists()


def test_a_copy_is_no_home_for_what_was_lost(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / COPY).write_text(notes())
    daemon.settle()
    memory.write_text("# Memory\n\n- (new entry)\n")
    daemon.settle()
    assert memory.read_text() == notes()


def test_values_under_a_mark_come_back_in_place(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    whole = notes() + "- the door code of the office is 4711 since March\n"
    memory.write_text(whole)
    daemon.settle()
    covered = whole.replace("4711", "[REDACTED]")
    memory.write_text(covered)
    daemon.settle()
    incident = _incident(daemon, "placeholder")
    assert incident["action"] == "propose"
    memory.write_text(covered + "- something was added later on\n")
    daemon.settle()
    _restore(daemon, incident["id"])
    assert memory.read_text() == whole + "- something was added later on\n"
    assert daemon.cli("undo", str(incident["id"])).exit_code == 0
    assert memory.read_text() == covered + "- something was added later on\n"


def test_front_matter_and_letters_come_back(daemon: Daemon, workspace: Path) -> None:
    topic, letters = workspace / "memory" / "trip.md", workspace / "memory" / "umlaut.md"
    text = "---\nname: trip\ntags: [sea, boat]\n---\n" + notes(200, 240)
    german = notes(300, 340) + "- Größe und Gewicht der Schränke für Zürich\n- Käse, Brötchen, Müsli fürs Frühstück\n"
    topic.write_text(text)
    letters.write_text(german)
    daemon.settle()
    topic.write_text(text.replace("tags: [sea, boat]\n", ""))
    letters.write_text(german.encode().decode("latin-1"))
    daemon.settle()
    _restore(daemon, _incident(daemon, "frontmatter_loss")["id"])
    _restore(daemon, _incident(daemon, "encoding_change")["id"])
    assert topic.read_text() == text
    assert letters.read_text() == german


def test_a_text_that_is_no_memory_is_taken_back(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text("<!DOCTYPE html>\n<html><body>\n\nPlease log in to go on with this page\n\n</body></html>\n")
    daemon.settle()
    assert memory.read_text() == notes()
    memory.write_text("".join(f"{n:6}\t{line}\n" for n, line in enumerate((notes() + NEWS).splitlines(), 1)))
    daemon.settle()
    _restore(daemon, _incident(daemon, "overwrite")["id"])
    assert memory.read_text() == notes() + NEWS


def test_a_file_that_a_cloud_client_took_away_is_waited_for(daemon: Daemon, workspace: Path) -> None:
    memory, stub = workspace / "MEMORY.md", workspace / ".MEMORY.md.icloud"
    stub.write_bytes(b"bplist00")
    memory.unlink()
    daemon.settle()
    assert not memory.exists()
    assert _incident(daemon, "deletion")["action"] == "hold"
    stub.unlink()
    memory.write_text(notes())
    daemon.settle()
    assert [each for each in daemon.api.get("/v1/incidents") if each["state"] == "open"] == []
    stub.write_bytes(b"bplist00")
    memory.unlink()
    daemon.settle()
    stub.unlink()
    daemon.pass_time(70_000)
    daemon.settle()
    assert memory.read_text() == notes()
