"""What a job is given of a workspace: its files as they are, its day as the history has it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from conductd.core.night.facts import Occasion
from conductd.engine.jobs.reports import Reports
from conductd.engine.service import Daemon
from conductd.model import EventClass, Role
from support.until import until

Make = Callable[..., Occasion]


def test_files_come_with_their_roles_and_versions(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "2026-03-08.md").write_text("- met Anna\n", encoding="utf-8")
    (workspace / "memory" / os.fsdecode(b"caf\xe9.md")).write_text("- not UTF-8 by name\n", encoding="utf-8")
    service.sync()
    night = service.gathering.night(occasion())
    assert [(file.path, file.role) for file in night.files] == [
        (b"MEMORY.md", Role.CURATED),
        (b"memory/2026-03-08.md", Role.DAILY),
        (b"memory/caf\xe9.md", Role.TOPIC),
    ]
    assert all(file.seq for file in night.files)
    assert night.unread == ()


def test_what_cannot_be_read_is_named(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "a.md").write_text("- one\n", encoding="utf-8")
    service.sync()
    (workspace / "memory" / "a.md").unlink()
    (workspace / "memory" / "a.md").symlink_to(workspace.parent / "elsewhere.md")
    night = service.gathering.night(occasion())
    assert [path for path, _why in night.unread] == [b"memory/a.md"]
    assert [file.path for file in night.files] == [b"MEMORY.md"]


def test_a_link_to_another_note_hides_nothing(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "a.md").write_text("- one\n", encoding="utf-8")
    service.sync()
    (workspace / "memory" / "a.md").unlink()
    (workspace / "memory" / "a.md").symlink_to("../MEMORY.md")
    assert service.gathering.night(occasion()).unread == ()


def test_the_day_has_its_changes_and_incidents(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "a.md").write_text("- one more\n", encoding="utf-8")
    service.sync()
    (workspace / "MEMORY.md").write_text("# Memory\n", encoding="utf-8")
    until(lambda: service.incidents("resolved"))
    day = service.gathering.day(occasion())
    assert day.incidents is not None
    assert day.versions_per_hour is not None
    assert day.changes == 2, "the new note and the overwrite; of what was there, and of our own write, is no verdict"
    assert [each.event_class for each in day.incidents] == [EventClass.OVERWRITE]
    assert [each.paths for each in day.incidents] == [(b"MEMORY.md",)]
    assert (day.incidents[0].state, day.incidents[0].entries_lost) == ("resolved", 0)
    assert len(day.versions_per_hour) == 24
    assert sum(day.versions_per_hour) >= 3
    before = service.gathering.day(occasion(day=day.day - timedelta(days=1)))
    assert (before.changes, before.incidents, before.versions_per_hour) == (None, None, None), "it was not known then"


def test_what_was_written_about_it_is_given_too(service: Daemon, occasion: Make) -> None:
    run = occasion()
    reports = Reports(service.gathering.state_dir, run.workspace)
    reports.put(b"continuity/parser.md", b"# Parser\n")
    assert service.gathering.night(run).reports == ((b"continuity/parser.md", b"# Parser\n"),)


def test_what_a_changed_file_held_at_the_beginning_of_the_day(service: Daemon, workspace: Path, occasion: Make) -> None:
    first = (workspace / "MEMORY.md").read_bytes()
    (workspace / "MEMORY.md").write_bytes(first + b"- one more\n")
    (workspace / "memory" / "new.md").write_text("- new\n", encoding="utf-8")
    service.sync()
    before = {each.path: each for each in service.gathering.night(occasion()).before}
    assert before[b"MEMORY.md"].data == first  # met at first sight today: it was there before
    assert before[b"memory/new.md"].data is None
    assert all(each.is_known for each in before.values())


def test_what_is_on_disk_is_on_record_first(service: Daemon, workspace: Path, occasion: Make) -> None:
    """Also where no event tells of it, as on some network mounts: nothing is awaited here."""
    for number in range(50):
        (workspace / "memory" / "a.md").write_text(f"- written {number} times\n", encoding="utf-8")
        (file,) = [each for each in service.gathering.night(occasion()).files if each.path == b"memory/a.md"]
        assert file.seq, number


def test_an_index_that_is_being_made_tells_of_no_day(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "a.md").write_text("- one more\n", encoding="utf-8")
    until(lambda: service.gathering.day(occasion()).changes)
    whole = service.gathering.day(occasion())
    steps = service.rebuild_index()
    next(steps)
    told = [service.gathering.day(occasion()), *(service.gathering.day(occasion()) for _ in steps)]
    assert all(day.changes is None or day == whole for day in told)
    assert service.gathering.day(occasion()) == whole


def test_what_waits_to_be_judged_is_named(service: Daemon, workspace: Path, occasion: Make) -> None:
    (workspace / "memory" / "a.md").write_text("- one more\n", encoding="utf-8")
    day = service.gathering.night(occasion()).day
    assert b"memory/a.md" in day.unjudged or day.changes == 1
    until(lambda: not service.gathering.day(occasion()).unjudged, "it is judged")
    assert service.gathering.day(occasion()).changes == 1


def test_a_workspace_that_was_first_seen_by_a_clock_that_was_ahead_has_its_days(
    service: Daemon, occasion: Make
) -> None:
    runs, of = service._.state.job_runs, occasion()
    runs.known_ns[of.workspace] = time.time_ns() + 400 * 86_400_000_000_000
    assert service.gathering.day(of).is_watched
    runs.known_ns[of.workspace] = time.time_ns()
    assert not service.gathering.day(occasion(day=of.day - timedelta(days=1))).is_watched
