"""Forgetting with a real daemon: hidden at once, erased later, never brought back, and checked."""

from __future__ import annotations

from pathlib import Path

import pytest

from conductd.core.entries import fingerprint
from support.daemon import Daemon

SECRET = "Example-Pass-4711"
KEPT = "".join(f"- [m-{n}] the boiler was serviced on day {n} by the same two people\n" for n in range(12))
HELD = f"# Memory\n\n{KEPT}- nas password is {SECRET}\n"
DAY_MS = 24 * 3_600_000


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    return root


def anywhere(daemon: Daemon, text: str = SECRET) -> list[str]:
    """Where the store holds the text, found without the product: raw, and in every version through the reader."""
    raw = [path.name for path in daemon.state_dir.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
    return raw


def left(daemon: Daemon) -> bool:
    return daemon.cli("forget", "--check", "--matching", SECRET).exit_code == 16


def test_hidden_at_once_and_gone_after_a_day(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    memory.write_text(HELD)
    with Daemon(tmp_path, [workspace]) as daemon:
        memory.write_text(HELD.replace(f"- nas password is {SECRET}\n", ""))
        daemon.settle()
        ran = daemon.cli("forget", "--matching", "nas password")
        assert ran.exit_code == 0, ran.output
        assert SECRET not in ran.output
        for version in daemon.versions(memory):
            shown = daemon.cli("show", f"MEMORY.md@{version['seq']}").output
            assert SECRET not in shown
            assert "boiler" in shown
        assert "[forgotten]" in daemon.cli("show", f"MEMORY.md@{daemon.versions(memory)[-1]['seq']}").output
        assert daemon.status()["forgotten"][0]["records"] >= 1
        assert left(daemon), "only hidden yet"
        daemon.stop()
        daemon.start()
        assert SECRET not in daemon.cli("show", f"MEMORY.md@{daemon.versions(memory)[-1]['seq']}").output
        daemon.advance(DAY_MS + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        daemon.wait_until(lambda: not left(daemon), "nothing is left")
        assert not anywhere(daemon)
        assert daemon.cli("verify").exit_code == 0
        daemon.stop()
        assert daemon.cli("verify").exit_code == 0
        assert not left(daemon)
        daemon.start()
        memory.write_text("# Memory\n")
        daemon.settle()
        assert memory.read_text() == HELD.replace(f"- nas password is {SECRET}\n", "")
