"""Another accident on the same day belongs to the incident of the first, and is told all the same: once."""

from __future__ import annotations

from pathlib import Path

from engine.conftest import notes
from support.daemon import Daemon


def _told(daemon: Daemon) -> list[int]:
    return [one["incident"] for one in daemon.events(kind="notice") if one["incident"]]


def test_a_loss_of_other_entries_is_told_once_more(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    whole = memory.read_bytes()
    memory.write_bytes(whole[: len(whole) // 2])
    daemon.settle()
    assert memory.read_bytes() == whole
    (first,) = _told(daemon)
    daemon.pass_time(3 * 3_600_000)
    rest = whole[len(whole) * 3 // 4 :]
    elided = b"# Memory\n\n[earlier sections unchanged]\n\n" + rest[rest.index(b"\n## ") :]
    memory.write_bytes(elided)
    daemon.settle()
    assert b"note 1:" in memory.read_bytes()
    assert _told(daemon) == [first, first]
    daemon.restart()
    daemon.settle()
    assert _told(daemon) == [first, first]


def test_the_same_loss_again_is_told_once(daemon: Daemon, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    for number in range(2):
        memory.write_text(f"# Memory\n\n- rebuilt, run {number}, nothing was found to be kept this time\n")
        daemon.settle()
        assert set(notes().splitlines()) <= set(memory.read_text().splitlines())
        daemon.pass_time(3_600_000)
    assert len(_told(daemon)) == 1
