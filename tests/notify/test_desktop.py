"""Notices on the desktop: a real bus, a real client, somebody who shows what comes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import desktop
from support.daemon import Daemon
from support.desktop import Shown
from support.until import until

TEXT = "# Memory\n\n" + "".join(f"- note {number}: {number * 7919:x} is worth keeping\n" for number in range(40))
CONFIG = '[[channels]]\nname = "desk"\nurl = "desktop"\n'
CLIENTS = ("notify-send", "busctl")

pytestmark = pytest.mark.skipif(
    bool(desktop.missing()) or not any(map(shutil.which, CLIENTS)),
    reason=f"needs {', '.join(desktop.NEEDED)} and one of {', '.join(CLIENTS)}",
)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    root.mkdir()
    (root / "MEMORY.md").write_text(TEXT)
    return root


@pytest.fixture
def bus(tmp_path: Path) -> Iterator[str]:
    with desktop.session_bus(tmp_path) as address:
        yield address


def on(bus: str) -> dict[str, str]:
    return {"DBUS_SESSION_BUS_ADDRESS": bus}


def state(daemon: Daemon) -> dict[str, object]:
    (channel,) = daemon.status()["channels"]
    return dict(channel)


def test_a_loss_is_shown_as_urgent_with_what_to_do(tmp_path: Path, workspace: Path, bus: str) -> None:
    with (
        desktop.desktop(bus) as shown,
        Daemon(tmp_path / "d", [workspace], config=CONFIG, environment=on(bus)) as daemon,
    ):
        (workspace / "MEMORY.md").write_text("# Memory\n\n- a stub\n")
        daemon.settle()
        until(lambda: shown, "a notice on the desktop")
        assert isinstance(shown[0], Shown)
        assert (shown[0].app, shown[0].urgency) == ("conductd", 2)
        assert "MEMORY.md" in shown[0].title + shown[0].body
        assert "conductd undo" in shown[0].body
        assert "note 7" not in shown[0].title + shown[0].body, "no content unless it is asked for"


def test_text_of_a_file_name_is_text(tmp_path: Path, bus: str) -> None:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    hostile = root / "memory" / "--help <b>$(touch x)`id`.md"
    hostile.write_text(TEXT)
    with desktop.desktop(bus) as shown, Daemon(tmp_path / "d", [root], config=CONFIG, environment=on(bus)) as daemon:
        hostile.write_text("# Memory\n\n- a stub\n")
        daemon.settle()
        until(lambda: shown, "a notice on the desktop")
        assert "$(touch x)`id`.md" in shown[0].title + shown[0].body
    assert not (root / "x").exists()


def test_nobody_who_shows_them_is_said_and_holds_nothing_up(tmp_path: Path, workspace: Path, bus: str) -> None:
    """A bus without a desktop, as over ssh: the notice waits, the file is whole all the same."""
    with Daemon(tmp_path / "d", [workspace], config=CONFIG, environment=on(bus)) as daemon:
        (workspace / "MEMORY.md").write_text("# Memory\n\n- a stub\n")
        daemon.settle()
        assert "note 39" in (workspace / "MEMORY.md").read_text()
        until(lambda: state(daemon)["error"], "why it is not shown")
        assert state(daemon)["waiting"]
        with desktop.desktop(bus) as shown:
            daemon.advance(3_600_000)
            until(lambda: shown, "it is shown once somebody is there")


def test_without_a_session_bus_that_is_said(tmp_path: Path, workspace: Path) -> None:
    daemon = Daemon(tmp_path / "d", [workspace], config=CONFIG)
    daemon.environment.pop("DBUS_SESSION_BUS_ADDRESS", None)
    if os.path.exists(f"/run/user/{os.getuid()}/bus"):
        pytest.skip("this user has a session bus, which is found by itself")
    with daemon:
        (workspace / "MEMORY.md").write_text("# Memory\n\n- a stub\n")
        daemon.settle()
        until(lambda: state(daemon)["error"], "why it is not shown")
        assert "no session bus" in str(state(daemon)["error"])
        assert "note 39" in (workspace / "MEMORY.md").read_text()
