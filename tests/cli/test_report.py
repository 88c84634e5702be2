"""`conductd report` against a real daemon: kept and made, in each form, opened, refused."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.report.reading import Page, of_markdown
from support.daemon import Daemon
from support.until import until


@pytest.fixture
def daemon(tmp_path: Path, workspace: Path) -> Iterator[Daemon]:
    (workspace / "MEMORY.md").write_text("# Memory\n\n- one thing worth keeping\n")
    with Daemon(tmp_path / "d", [workspace], jobs=None) as made:
        yield made
        made.assert_no_traceback()


def test_a_day_without_one_gets_one_now(daemon: Daemon) -> None:
    shown = daemon.cli("report")
    assert shown.exit_code == 0
    assert "made now, and is not kept" in shown.output
    view = json.loads(daemon.cli("report", "--json").output)
    assert (view["kept"], view["where"]) == (False, "")
    assert view["figures"] == of_markdown(view["markdown"]) == Page(view["html"]).figures
    assert "worth keeping" not in view["markdown"] + view["html"]


def test_the_kept_one_is_shown(daemon: Daemon) -> None:
    assert daemon.cli("jobs", "run", "report").exit_code == 0
    view = json.loads(daemon.cli("report", "--json").output)
    assert view["kept"]
    assert view["shape"] != "clean"
    assert Path(view["where"]).read_text() == view["html"]
    assert "made now" not in daemon.cli("report", "--date", view["day"]).output
    assert daemon.cli("report", "--html").output.replace("\r\n", "\n").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize(
    ("words", "code"), [(("--date", "yesterday"), 2), (("--date", "2999-01-01"), 2), (("--open", "--html"), 2)]
)
def test_what_cannot_be_is_refused(daemon: Daemon, words: tuple[str, ...], code: int) -> None:
    refused = daemon.cli("report", *words)
    assert refused.exit_code == code
    assert "Traceback" not in refused.output


def test_a_page_is_opened_or_it_is_said_why_not(daemon: Daemon, tmp_path: Path) -> None:
    daemon.cli("jobs", "run", "report")
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    daemon.environment |= {"PATH": str(bin_), "DISPLAY": ":0"}
    refused = daemon.cli("report", "--open")
    assert refused.exit_code == 8
    assert "there is no xdg-open" in refused.output
    said = tmp_path / "opened"
    for name in ("xdg-open", "open"):
        (bin_ / name).write_text(f'#!/bin/sh\necho "$1" > {said}.new\n/bin/mv {said}.new {said}\n')
        os.chmod(bin_ / name, 0o700)
    assert daemon.cli("report", "--open").exit_code == 0
    until(said.exists, "the page is opened")
    assert said.read_text().strip().endswith(".html")
