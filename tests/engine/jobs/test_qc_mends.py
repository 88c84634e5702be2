"""What `qc_fix` mends at night: only where it is true, never where conductd only observes, each fix with one undo."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from conductd.app import App, Ports, Request
from conductd.engine.service import Daemon
from conductd.faces import Caller
from conductd.views import JobRunView

from .houses import NoFace

OFF = '[jobs]\ncheckpoint = ""\ncontinuity = ""\nqc = ""\nreport = ""\nrecap = ""\n'
FIXES = OFF + "qc_fix = true\n"
PERSON = Caller(("1 bash",), terminal=True)
UNDO = re.compile(r"to take it back: conductd undo (\d+)")


class House:
    """A daemon in this process, whose configuration stands in a file; a workspace with three faults that can be mended:
    a name in another case, a link in the place of a note, a note with a second name."""

    def __init__(
        self, tmp_path: Path, workspace: Path, stack: ExitStack, config: str, *, observe: bool = False, mode: str = ""
    ) -> None:
        self.root = workspace
        home = tmp_path / "home"
        home.mkdir()
        table = f'[[workspaces]]\nroot = "{workspace}"\nagents = ["openclaw"]\n'
        table += f'mode = "{mode}"\n' if mode else ""
        (tmp_path / "config.toml").write_text(config + table, encoding="utf-8")
        (workspace / "agents.md").write_text("- never push on Fridays\n", encoding="utf-8")
        (workspace / "memory" / "parser.md").symlink_to("../MEMORY.md")
        (workspace / "memory" / "deploy.md").write_text("- deploy on Mondays\n", encoding="utf-8")
        os.link(workspace / "memory" / "deploy.md", tmp_path / "deploy.md")
        request = Request(
            (), state_dir=str(tmp_path / "state"), demo=False, config=str(tmp_path / "config.toml"), observe=observe
        )
        app = App(request, lambda _service, _path: NoFace(), Ports(environ={"HOME": str(home)}), stack)
        app.start()
        assert isinstance(app.service, Daemon)
        self.daemon = app.service
        self.daemon.sync()

    def run(self, *, dry_run: bool = False) -> tuple[JobRunView, str]:
        """What came of it, and the page it wrote (of a dry run: none)."""
        *_, view = self.daemon.jobs.run("qc", None, "", dry_run=dry_run)
        assert isinstance(view, JobRunView)
        return view, "" if dry_run else Path(view.written[0]).read_text(encoding="utf-8")

    def undo(self, number: str) -> None:
        self.daemon.acts.undo(int(number), PERSON, False)
        self.daemon.sync()

    def stands(self) -> dict[str, tuple[str, int, bytes]]:
        """Each path below the workspace: where it leads, how many names it has, its bytes."""
        return {
            str(path.relative_to(self.root)): (
                os.readlink(path) if path.is_symlink() else "",
                path.lstat().st_nlink,
                path.read_bytes(),
            )
            for path in sorted(self.root.rglob("*"))
            if not path.is_dir()
        }

    def faults(self) -> tuple[bool, bool, bool]:
        """Which of the three stand."""
        return (
            (self.root / "agents.md").exists(),
            (self.root / "memory" / "parser.md").is_symlink(),
            (self.root / "memory" / "deploy.md").stat().st_nlink > 1,
        )


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_each_fault_is_mended_with_an_undo_of_its_own(tmp_path: Path, workspace: Path, stack: ExitStack) -> None:
    house = House(tmp_path, workspace, stack, FIXES)
    assert house.faults() == (True, True, True)
    _, page = house.run()
    assert house.faults() == (False, False, False)
    assert (workspace / "AGENTS.md").read_text(encoding="utf-8") == "- never push on Fridays\n"
    assert (workspace / "memory" / "parser.md").read_bytes() == (workspace / "MEMORY.md").read_bytes()
    assert "- ok: one_name: " in page
    assert "- ok: links: " in page
    case, link = UNDO.findall(page)
    assert "memory/deploy.md a copy of its own; its content is the same" in page
    house.undo(link)
    assert house.faults() == (False, True, False), "the one is taken back, and only that"
    house.undo(case)
    assert house.faults() == (True, True, False)
    assert house.daemon.incidents("open") == [], "none of it is a loss"


@pytest.mark.parametrize(
    ("config", "observe", "dry_run"),
    [
        pytest.param(OFF, False, False, id="not-allowed"),
        pytest.param(OFF + "qc_fix = false\n", False, False, id="forbidden"),
        pytest.param(FIXES, False, True, id="tried"),
        pytest.param(FIXES, True, False, id="daemon-observes"),
    ],
)
def test_else_nothing_is_mended(
    tmp_path: Path, workspace: Path, stack: ExitStack, config: str, observe: bool, dry_run: bool
) -> None:
    house = House(tmp_path, workspace, stack, config, observe=observe)
    before = house.stands()
    _, page = house.run(dry_run=dry_run)
    assert house.stands() == before
    assert "## Actions taken" not in page
    assert ("- not mended: rename agents.md to AGENTS.md: this daemon only observes" in page) is observe


def test_a_workspace_that_is_only_observed_keeps_its_faults(tmp_path: Path, workspace: Path, stack: ExitStack) -> None:
    house = House(tmp_path, workspace, stack, FIXES, mode="observe")
    before = house.stands()
    _, page = house.run()
    assert house.stands() == before
    assert "## Actions taken" not in page
    assert "- not mended: rename agents.md to AGENTS.md: " in page


def test_what_cannot_be_mended_just_now_is_said_and_the_rest_is(
    tmp_path: Path, workspace: Path, stack: ExitStack
) -> None:
    house = House(tmp_path, workspace, stack, FIXES)
    house.daemon.leases.lease(os.fsencode(workspace / "memory" / "parser.md"), None, 3_600, "", True, PERSON)
    _, page = house.run()
    assert house.faults() == (False, True, False)
    assert len(UNDO.findall(page)) == 1
    assert "a lease of it stands" in page


def test_what_openclaw_may_hide_then_is_left_to_a_person(tmp_path: Path, workspace: Path, stack: ExitStack) -> None:
    """Where its record of who wrote is not known, nobody knows whether the file stays in the prompt."""
    house = House(tmp_path, workspace, stack, FIXES)
    (workspace / "user.md").write_text("- her name is Anna\n", encoding="utf-8")
    house.daemon.sync()
    _, page = house.run()
    assert (workspace / "user.md").exists()
    assert not (workspace / "USER.md").exists()
    assert "- not mended: rename user.md to USER.md: where OpenClaw keeps its record" in page
    assert house.faults() == (False, False, False)
