"""What `conductd explain` says of a verdict: what was seen, who wrote, what decided, and what would have changed it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from conductd.api.client import Client
from conductd.errors import NotFound
from conductd.views import ExplainChangeView, ExplainView, OtherwiseView
from engine.conftest import notes
from support.daemon import Daemon


def explained(daemon: Daemon, what: int | Path, version: str = "") -> ExplainView:
    with Client(os.fsencode(daemon.socket_path)) as client:
        if isinstance(what, int):
            return client.explain(what)
        return client.explain_file(os.fsencode(what), version)


def only(view: ExplainView) -> ExplainChangeView:
    assert len(view.changes) == 1
    return view.changes[0]


def ways(change: ExplainChangeView) -> dict[str, OtherwiseView]:
    assert change.tried
    return {other.words: other for other in change.otherwise}


def announce(daemon: Daemon, path: Path, actor: str, **more: Any) -> None:
    daemon.api.post("/v1/evidence", {"path": str(path), "actor": actor, **more})


def test_a_loss_is_told_with_the_figure_nearest_to_its_limit(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    announce(daemon, memory, "agent:one")
    memory.write_text(notes(1, 27))
    daemon.settle()
    view = explained(daemon, memory)
    change = only(view)
    assert view.incident is not None
    assert (change.rule, change.action, change.writer, change.evidence) == (
        "large-loss",
        "propose",
        "agent:one",
        ["announced"],
    )
    figure = next(other for other in change.otherwise if other.setting == "thresholds.overwrite_share")
    assert figure.words.startswith("32% was lost; had it been 80%") or figure.words.startswith("33% was lost")
    assert (figure.event_class, figure.action) == ("overwrite", "revert")
    others = ways(change)
    assert others['with actions.shrink = "merge"'].action == "merge"
    assert others["had the loss been accepted"].action == "record"
    assert others["had the writer been known to be a person"].action == "record"
    assert others["were it a file made to be replaced (role replaceable)"].action == "record"
    assert others["were the lost entries pinned (conductd pin)"].event_class == "pinned_loss"
    number = view.incident.id
    assert view.commands[:2] == [f"conductd restore --incident {number}", f"conductd accept {number}"]
    assert view.commands[2] == f"conductd log {memory}"


def test_what_is_said_is_what_happens(daemon: Daemon, workspace: Path, tmp_path: Path) -> None:
    """The setting that explain names, set: the same change is decided as it was said."""
    memory = workspace / "MEMORY.md"
    memory.write_text(notes(1, 27))
    daemon.settle()
    said = ways(only(explained(daemon, memory)))['with actions.shrink = "merge"']
    second = tmp_path / "second" / "MEMORY.md"
    second.parent.mkdir()
    second.write_text(notes())
    with Daemon(tmp_path / "e", [second.parent], config='[actions]\nshrink = "merge"\n') as other:
        second.write_text(notes(1, 27))
        other.settle()
        change = only(explained(other, second))
        assert (change.action, change.severity) == (said.action, said.severity)
        assert change.facts["setting"] == "actions.shrink"
        assert "without your setting actions.shrink" in ways(change)
        assert "by your setting actions.shrink" in other.cli("explain", str(second)).output


def test_a_verdict_that_was_only_recorded_is_explained_as_well(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    text = notes().replace("note 3:", "the note 3 says:")
    memory.write_text(text + "- one more thing that is worth keeping\n")
    daemon.settle()
    edited = daemon.versions(memory)[0]["seq"]
    memory.write_text(text + "- one more thing that is worth keeping\n- and a second one after it\n")
    daemon.settle()
    last = explained(daemon, memory)
    assert (last.incident, only(last).event_class, only(last).action) == (None, "append", "record")
    view = explained(daemon, memory, str(edited))
    change = only(view)
    assert (view.incident, change.version_seq, change.event_class) == (None, edited, "edit")
    one = change.reworded[0]
    assert one.text.startswith("- note 3:")
    assert one.to_text.startswith("- the note 3 says:")
    assert one.to_line == one.line
    assert any(command.startswith("conductd diff ") for command in view.commands)
    output = daemon.cli("explain", f"MEMORY.md@{edited}").output
    assert "~ line" in output
    assert "edited: Entries were added" in output


def test_what_was_not_judged_says_why(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with pytest.raises(NotFound, match="nothing that happened"):
        explained(daemon, memory)
    with pytest.raises(NotFound, match="when the file was seen first"):
        explained(daemon, memory, str(daemon.versions(memory)[0]["seq"]))
    memory.write_text("# Memory\n")
    daemon.settle()
    with pytest.raises(NotFound, match="conductd wrote it"):
        explained(daemon, memory, str(daemon.versions(memory)[0]["seq"]))
    assert daemon.cli("explain", "99999").exit_code == 3
    assert daemon.cli("explain", "MEMORY.md@99999").exit_code == 3


def test_moved_entries_are_told_with_their_place(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    (workspace / "archive.txt").write_text(notes(33, 40))
    memory.write_text(notes(1, 32))
    daemon.settle()
    change = only(explained(daemon, memory))
    assert change.event_class == "move"
    assert {entry.to_path for entry in change.moved} == {"archive.txt"}
    assert "archive.txt:" in daemon.cli("explain", "MEMORY.md").output


def test_a_mass_loss_is_told_file_by_file(daemon: Daemon, workspace: Path) -> None:
    files = [workspace / "memory" / f"t{number}.md" for number in range(4)]
    for number, path in enumerate(files):
        path.write_text(notes(number * 50 + 100, number * 50 + 130))
    daemon.settle()
    files[0].write_text("# Nothing\n")
    files[1].unlink()
    files[2].write_text("# Other\n")
    files[3].write_text("# New\n\n- an entirely other thing that somebody wrote\n")
    daemon.settle()
    number = daemon.api.get("/v1/incidents")[0]["id"]
    view = explained(daemon, number)
    assert view.incident is not None
    assert view.incident.event_class == "mass_loss"
    assert sorted((change.path, change.event_class) for change in view.changes) == [
        ("memory/t0.md", "overwrite"),
        ("memory/t1.md", "deletion"),
        ("memory/t2.md", "overwrite"),
        ("memory/t3.md", "overwrite"),
    ]
    assert "From 3 files (thresholds.mass_files)" in view.notes[0]
    ran = daemon.cli("explain", str(number))
    assert ran.exit_code == 0
    assert all(f"memory/t{n}.md: version" in ran.output for n in range(4))


def test_rounds_of_a_fight_are_told(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    for _ in range(3):
        memory.write_text("# Memory\n\n- something else entirely\n")
        daemon.settle()
    view = explained(daemon, memory)
    assert any(note.startswith("round 3 of a fight: 2 are answered at once") for note in view.notes)


def test_where_nothing_may_be_written_it_says_what_was_wanted(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path / "d", [workspace], arguments=["--observe"]) as daemon:
        memory.write_text("# Memory\n")
        daemon.settle()
        view = explained(daemon, memory)
        assert any("only observed; it would have been put back" in note for note in view.notes), view.notes


def test_stand_ins_and_cuts_are_shown(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(notes(1, 12) + "\n[rest of the file unchanged]\n")
    daemon.settle()
    change = only(explained(daemon, memory))
    if change.event_class == "placeholder":
        assert [sign.text for sign in change.signs] == ["[rest of the file unchanged]"]
    memory.write_bytes(notes().encode()[:1_000])
    daemon.settle()
    change = only(explained(daemon, memory))
    assert change.event_class == "partial_write"
    assert change.signs[0].text == notes()[:1_000].split("\n")[-1].strip()


def test_json_is_complete_and_a_screen_is_not_endless(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(notes(1, 12))
    daemon.settle()
    told = json.loads(daemon.cli("explain", "MEMORY.md", "--json").output)
    assert len(told["changes"][0]["lost"]) == 28 + 3
    shown = daemon.cli("explain", "MEMORY.md").output
    assert "and 16 more (conductd explain --json has them all)" in shown
    assert "it would have been" in shown
