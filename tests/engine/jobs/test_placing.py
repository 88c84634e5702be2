"""Where the texts of the night end up: in the workspace as a write of ours with one undo, or in the reports."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.night.placement import Placement
from conductd.engine.jobs.placing import Placed, Placing, appended
from conductd.engine.service import Daemon
from conductd.faces import Caller

LOG = Path("memory") / "2026-03-08.md"
TEXT = "## Pre-Reset Checkpoint 03:30\n\n- talked about the parser\n"
Make = Callable[..., Placing]


@pytest.fixture
def placing(service: Daemon) -> Make:
    def make(write_into: str = "daily-log", *, is_dry: bool = False) -> Placing:
        return service.placing(service.workspaces()[0].id, write_into, is_dry=is_dry)

    return make


def add(placing: Placing) -> Placed:
    return placing.into(os.fsencode(LOG), Placement.DAILY_LOG, lambda there: appended(there, TEXT), "checkpoint")


def test_an_addition_is_ours_no_incident_and_one_undo(service: Daemon, workspace: Path, placing: Make) -> None:
    (workspace / LOG).write_text("# 8 March\n\n- met Anna\n", encoding="utf-8")
    service.sync()
    placed = add(placing())
    assert placed.where == str(workspace / LOG)
    assert (workspace / LOG).read_text() == "# 8 March\n\n- met Anna\n\n" + TEXT
    service.sync()
    newest = service.versions(os.fsencode(workspace / LOG), None, 1, None)[0]
    assert newest.actor == "conductd"
    assert service.incidents(None) == []
    service.acts.undo(placed.undo, Caller(("1 bash",), terminal=True), False)
    assert (workspace / LOG).read_text() == "# 8 March\n\n- met Anna\n"


def test_a_log_that_is_not_there_is_made(workspace: Path, placing: Make) -> None:
    assert add(placing()).is_inside
    assert (workspace / LOG).read_text() == TEXT


@pytest.mark.parametrize("write_into", ["never", "daily-log"])
def test_what_may_not_be_written_is_not(workspace: Path, placing: Make, write_into: str) -> None:
    placed = placing(write_into).into(b"memory/qc/log.md", Placement.OTHER, lambda _there: b"- one\n", "qc")
    assert (placed.where, placed.why) == ("", f'write_into_workspace is "{write_into}"')
    assert not (workspace / "memory" / "qc").exists()


def test_a_dry_run_writes_nowhere_and_says_where(workspace: Path, placing: Make) -> None:
    dry = placing(is_dry=True)
    assert add(dry).where == str(workspace / LOG)
    assert not (workspace / LOG).exists()
    assert dry.report(b"qc/2026-03-08.md", b"clean\n").where
    assert dry.reports.all() == ()


def test_a_link_on_the_way_keeps_the_text_out(tmp_path: Path, workspace: Path, placing: Make) -> None:
    (tmp_path / "elsewhere.md").write_text("- theirs\n", encoding="utf-8")
    (workspace / LOG).symlink_to(tmp_path / "elsewhere.md")
    placed = add(placing())
    assert placed.where == ""
    assert "symlink" in placed.why
    assert (tmp_path / "elsewhere.md").read_text() == "- theirs\n"


def test_reports_are_private_and_written_once(placing: Make) -> None:
    made = placing()
    first, again = made.report(b"qc/2026-03-08.md", b"clean\n"), made.report(b"qc/2026-03-08.md", b"clean\n")
    assert first.where
    assert not again.where
    path = Path(first.where)
    assert path.read_text() == "clean\n"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    moved = [made.reports.move(b"qc/2026-03-08.md", b"qc/done/a.md")]
    made.report(b"qc/2026-03-08.md", b"again\n")
    moved.append(made.reports.move(b"qc/2026-03-08.md", b"qc/done/a.md"))
    assert moved == [b"qc/done/a.md", b"qc/done/a-2.md"]


# --------------------------------------------------------------------------- the bytes


@pytest.mark.parametrize(
    ("there", "expected"),
    [
        (None, b"- x\n"),
        (b"", b"- x\n"),
        (b"- a", b"- a\n\n- x\n"),
        (b"- a\n", b"- a\n\n- x\n"),
        (b"- a\n\n", b"- a\n\n- x\n"),
        (b"- a\r\n- b\r\n", b"- a\r\n- b\r\n\r\n- x\r\n"),
        (b"\xef\xbb\xbf- a\n", b"\xef\xbb\xbf- a\n\n- x\n"),
        ("\ufeff- a\n".encode("utf-16-le"), "\ufeff- a\n\n- x\n".encode("utf-16-le")),
        ("- caf\xe9 cr\xe8me\n".encode("latin-1"), "- caf\xe9 cr\xe8me\n\n- x\n".encode("latin-1")),
        (bytes(range(256)) * 4 + bytes(2_000), None),
    ],
)
def test_a_text_is_put_after_what_a_file_holds_in_its_own_way(there: bytes | None, expected: bytes | None) -> None:
    assert appended(there, "- x\n") == expected


@pytest.mark.parametrize(
    ("there", "goes"),
    [
        (b"# Log\n\n```sh\nrm -rf x\n", False),
        (b"# Log\n\n~~~\ncode\n~~~\n", True),
        (b"# Log\n\n<!-- a comment\n", False),
        (b"# Log\n\n<!-- a comment -->\n", True),
        (b"text \x00 and more text of a file that is none\n", False),
        (b"- one\n" + TEXT.encode(), True),
    ],
)
def test_a_section_is_not_put_where_it_would_be_no_section(there: bytes, goes: bool) -> None:
    assert (appended(there, TEXT) is not None) is goes


def test_what_its_encoding_cannot_say_is_not_put_there() -> None:
    assert appended("- caf\xe9 cr\xe8me\n".encode("latin-1"), "- \u5f85\u529e\n") is None


@given(st.binary(max_size=200), st.text(max_size=50))
def test_nothing_that_stood_there_changes(there: bytes, text: str) -> None:
    made = appended(there, text)
    assert made is None or made.startswith(there)
