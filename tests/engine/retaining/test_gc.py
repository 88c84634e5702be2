"""gc with a real daemon: old versions go as the policy says, what is needed stays, and a crash changes nothing."""

from __future__ import annotations

import fcntl
import json
import os
import random
import select
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from conductd.api.client import Client
from conductd.engine.fold.state import State
from conductd.errors import ContentUnavailable
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock
from conductd.views import VerifyView
from support.callers import CONDUCTD, called
from support.daemon import Daemon
from support.terminal import run_in_terminal

READER = Path(__file__).resolve().parents[3] / "docs" / "formats" / "reader.py"
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS
REQUESTED = 15
CONFIG = "[retention]\nkeep_days = 2\nhourly_days = 3\ndaily_days = 40\nkeep_last = 3\n"
LINES = [f"- [m-{n}] the boiler was serviced on day {n} by the same two people\n" for n in range(60)]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text("# Memory\n\n" + "".join(LINES[:3]))
    return root


def client(daemon: Daemon) -> Client:
    return Client(os.fsencode(daemon.socket_path), 60)


def grow(daemon: Daemon, file: Path, count: int, start: int = 3) -> None:
    """So many versions within one hour, of which only the last is judged and becomes a baseline."""
    for number in range(start, start + count):
        file.write_text("# Memory\n\n" + "".join(LINES[: number + 1]))
        daemon.sync()
        daemon.advance(1)
    daemon.settle()
    daemon.advance(HOUR_MS // 8)


def held(daemon: Daemon, file: Path) -> dict[int, bytes]:
    """By sequence, every version that can be restored."""
    with client(daemon) as asked:
        return {
            each["seq"]: asked.content(os.fsencode(file), str(each["seq"]))[1]
            for each in daemon.versions(file)
            if each["restorable"]
        }


def gc(daemon: Daemon, *options: str) -> dict[str, Any]:
    ran = daemon.cli("gc", "--json", *options)
    assert ran.exit_code == 0, ran.output
    view: dict[str, Any] = json.loads(ran.output)
    return view


def verified(daemon: Daemon) -> VerifyView:
    *_, view = client(daemon).verify()
    assert isinstance(view, VerifyView)
    assert view.ok, view
    return view


def restored(daemon: Daemon, directory: Path) -> dict[int, bytes]:
    """What the stand-alone reader gets out of the journal."""
    reader = [sys.executable, str(READER), str(daemon.state_dir / "journal"), str(directory)]
    subprocess.run(reader, check=True, stdout=subprocess.DEVNULL)
    return {int(path.name): path.read_bytes() for path in (directory / "versions").rglob("*") if path.is_file()}


def test_old_versions_go_and_the_rest_is_there_byte_for_byte(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        grow(daemon, memory, 24)
        daemon.advance(10 * DAY_MS)
        before = held(daemon, memory)
        planned = gc(daemon, "--dry-run")
        assert planned["dry_run"]
        assert planned["erased"] > 10
        assert planned["freed"] is None
        assert [each["path"] for each in planned["files"]] == ["MEMORY.md"]
        assert held(daemon, memory) == before, "nothing was done"
        done = gc(daemon)
        assert done["erased"] == planned["erased"]
        assert done["bytes"] == planned["bytes"] > 0
        after = held(daemon, memory)
        assert len(after) == len(before) - done["erased"]
        assert after == {seq: body for seq, body in before.items() if seq in after}
        assert set(sorted(before)[-3:]) <= after.keys()
        view = verified(daemon)
        assert view.restorable == len(after)
        assert (view.erased, view.not_restorable) == (done["erased"], 0), "what is thinned out is no damage"
        said = daemon.cli("verify").output
        assert f"{view.versions} versions with content" in said
        assert f"{view.erased} versions erased on purpose" in said
        copied = daemon.cli("snapshot", str(tmp_path / "copy")).output
        assert f"{view.restorable} versions that can be restored" in copied
        assert gc(daemon)["erased"] == 0, "once is enough"
        assert restored(daemon, tmp_path / "out").items() >= after.items()
        erased = [each for each in daemon.versions(memory) if each["erased"]]
        assert {each["erased"] for each in erased} == {"gc"}
        assert all(each["size"] and each["at_ns"] and each["actor"] for each in erased), "the record stays"
        shown = daemon.cli("show", f"{memory}@{erased[0]['seq']}")
        assert "erased by gc" in shown.output
        assert "erased by gc" in daemon.cli("log", str(memory)).output
        told = [each for each in daemon.events(kind="notice") if "erased by gc" in each["text"]]
        assert len(told) == 1
        daemon.stop()
        assert daemon.cli("verify").exit_code == 0
        daemon.start()
        assert held(daemon, memory) == after
        daemon.assert_no_traceback()


def test_the_journal_folds_into_the_same_state_as_before(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        grow(daemon, memory, 12)
        memory.write_text("# Memory\n")
        daemon.settle()
        grow(daemon, memory, 12, start=20)
        daemon.stop()
        upto, before = folded(daemon)
        daemon.start()
        daemon.advance(10 * DAY_MS)
        assert gc(daemon)["erased"] > 10
        daemon.stop()
        assert folded(daemon, upto)[1] == before


def folded(daemon: Daemon, upto: int | None = None) -> tuple[int, bytes]:
    """The newest sequence, and the state that the records up to one make."""
    with DirectoryStorage(daemon.state_dir / "journal") as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="test", read_only=True)
        with closing(journal):
            upto = upto or journal.last_seq
            return upto, State().fold(each for each in journal.replay() if each.seq <= upto).dump()


@pytest.mark.parametrize("place", ["gc.recorded", "gc.rewritten"])
def test_a_crash_in_the_middle_is_finished_by_the_next_start(place: str, tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    daemon = Daemon(tmp_path, [workspace], config=CONFIG)
    with daemon.ended_at_exit():
        daemon.start()
        grow(daemon, memory, 16)
        daemon.advance(10 * DAY_MS)
        before = held(daemon, memory)
        daemon.stop()
        daemon.start(kill_at=place)
        planned = gc(daemon, "--dry-run")
        daemon.cli("gc", "--json")
        daemon.wait_for_exit()
        daemon.start(kill_at=place if place == "gc.rewritten" else None)
        if place == "gc.rewritten":
            daemon.start() if not daemon.running else None
        daemon.wait_until(lambda: not (daemon.state_dir / "gc.unfinished").exists(), "it is finished")
        after = held(daemon, memory)
        assert len(after) == len(before) - planned["erased"]
        assert after == {seq: body for seq, body in before.items() if seq in after}
        verified(daemon)
        assert gc(daemon)["erased"] == 0
        daemon.restart()
        assert held(daemon, memory) == after
        verified(daemon)


class Held:
    """A place in the daemon that waits until it is let go: it writes more into a pipe than goes in."""

    SIZE = 4096

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self._fd = os.open(path, os.O_RDWR)
        fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ, self.SIZE)
        self.writes = (path, bytes(2 * self.SIZE))

    def reached(self) -> bool:
        return bool(select.select([self._fd], [], [], 0)[0])

    def let_go(self) -> None:
        left = len(self.writes[1])
        while left:
            left -= len(os.read(self._fd, left))
        os.close(self._fd)


@pytest.mark.skipif(not hasattr(fcntl, "F_SETPIPE_SZ"), reason="only Linux makes a pipe small")
def test_what_is_asked_for_and_pinned_while_it_is_planned_wins(tmp_path: Path, workspace: Path) -> None:
    memory, place = workspace / "MEMORY.md", Held(tmp_path / "planned")
    later = ("# Memory\n\n" + "".join(LINES[:30])).encode()
    daemon = Daemon(tmp_path, [workspace], config=CONFIG)
    with daemon.ended_at_exit(), ThreadPoolExecutor(1) as pool:
        daemon.start(write_at={"gc.planned": place.writes, "gc.recorded": (memory, later)})
        grow(daemon, memory, 24)
        daemon.advance(10 * DAY_MS)
        before = held(daemon, memory)
        planned = gc(daemon, "--dry-run")
        doomed = sorted(before)[4]
        running = pool.submit(gc, daemon)
        try:
            daemon.wait_until(lambda: place.reached() or running.done(), "it is planned")
            asking = called("claude", [*CONDUCTD, "restore", f"{memory}@{doomed}", "--json"])
            asked = run_in_terminal(asking, daemon.environment, workspace)
            assert daemon.cli("pin", f"{memory}:4").exit_code == 0
        finally:
            place.let_go()
        done = running.result()
        assert asked.exit_code == REQUESTED, asked.output
        assert 0 < done["erased"] < planned["erased"]
        daemon.settle()
        after = held(daemon, memory)
        assert after[doomed] == before[doomed]
        assert after.items() & before.items() == {(seq, body) for seq, body in before.items() if seq in after}
        assert later in after.values(), "what came with it"
        assert verified(daemon).not_restorable == 0
        number = daemon.api.get("/v1/requests")[0]["id"]
        ran = daemon.cli("confirm", str(number))
        assert ran.exit_code == 0, ran.output
        assert memory.read_bytes() == before[doomed]


def test_what_was_lost_and_what_stood_around_it_stays(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        grow(daemon, memory, 8)
        whole = memory.read_bytes()
        memory.write_text("# Memory\n")
        daemon.settle()
        assert memory.read_bytes() == whole, "put back"
        around = list(held(daemon, memory))[:3]
        grow(daemon, memory, 12, start=20)
        daemon.advance(1000 * DAY_MS)
        assert gc(daemon)["erased"] > 5
        assert set(around) <= held(daemon, memory).keys()
        assert daemon.cli("undo").exit_code == 0, "the undo stack is whole"
        assert daemon.cli("restore", f"{memory}@{around[0]}", "--yes").exit_code == 0
        verified(daemon)


def test_an_agent_only_asks_for_it(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        grow(daemon, memory, 10)
        daemon.advance(10 * DAY_MS)
        before = held(daemon, memory)
        asked = run_in_terminal(called("claude", [*CONDUCTD, "gc", "--json"]), daemon.environment, workspace)
        assert asked.exit_code == REQUESTED, asked.output
        assert held(daemon, memory) == before
        number = daemon.api.get("/v1/requests")[0]["id"]
        assert "old versions" in daemon.api.get("/v1/requests")[0]["words"]
        ran = daemon.cli("confirm", str(number))
        assert ran.exit_code == 0, ran.output
        assert len(held(daemon, memory)) < len(before)


def test_forgetting_after_gc_and_gc_after_forgetting(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        memory.write_text(memory.read_text() + "- nas password is Example-Pass-4711\n")
        daemon.settle()
        grow(daemon, memory, 12)
        daemon.advance(10 * DAY_MS)
        assert gc(daemon)["erased"] > 3
        assert daemon.cli("forget", "--matching", "nas password", "--now", answer="y").exit_code == 0
        verified(daemon)
        assert daemon.cli("forget", "--check", "--matching", "Example-Pass-4711").exit_code == 0
        grow(daemon, memory, 12, start=20)
        daemon.advance(10 * DAY_MS)
        before = held(daemon, memory)
        assert gc(daemon)["erased"] > 3
        after = held(daemon, memory)
        assert after == {seq: body for seq, body in before.items() if seq in after}
        verified(daemon)
        assert daemon.cli("forget", "--check", "--matching", "Example-Pass-4711").exit_code == 0


def test_the_last_version_with_a_pinned_entry_stays(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        ran = daemon.cli("pin", f"{memory}:4")
        assert ran.exit_code == 0, ran.output
        grow(daemon, memory, 4)
        text = memory.read_text()
        assert daemon.cli("lease", str(memory), "--for", "20m").exit_code == 0
        memory.write_text(text.replace(LINES[1], ""))
        daemon.settle()
        last = list(held(daemon, memory))[1]
        for number in range(8):
            memory.write_text(text.replace(LINES[1], "") + f"- and {number} more of it\n")
            daemon.settle()
            daemon.advance(HOUR_MS // 60)
        daemon.advance(100 * DAY_MS)
        gc(daemon)
        assert last in held(daemon, memory)


def test_a_clock_that_jumps_ahead_makes_nothing_old(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        grow(daemon, memory, 8)
        daemon.set_wall(daemon.wall_ns + 4 * 365 * DAY_MS * 1_000_000)
        assert gc(daemon)["erased"] == 0
        grow(daemon, memory, 2, start=15)
        assert gc(daemon)["erased"] == 0
        daemon.restart()
        assert gc(daemon)["erased"] == 0
        daemon.advance(10 * DAY_MS)
        assert gc(daemon)["erased"] > 0, "time that really passes counts"


def test_by_itself_once_a_day_only_where_it_is_switched_on(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace], config=CONFIG + "automatic = true\n") as daemon:
        grow(daemon, memory, 10)
        daemon.advance(10 * DAY_MS)
        daemon.wait_until(lambda: any(each["erased"] for each in daemon.versions(memory)), "old versions go")
        daemon.wait_until(
            lambda: [each for each in daemon.events(kind="notice") if "erased by gc" in each["text"]], "it is told"
        )
        with pytest.raises(ContentUnavailable):
            client(daemon).content(None, str(next(e["seq"] for e in daemon.versions(memory) if e["erased"])))
        verified(daemon)


def test_a_journal_near_its_limit_is_told_once_and_nothing_is_deleted(tmp_path: Path, workspace: Path) -> None:
    config = CONFIG + "max_bytes = 1000\n"
    with Daemon(tmp_path, [workspace], config=config) as daemon:
        daemon.wait_until(
            lambda: "journal_size" in {d["reason"] for d in daemon.status()["degraded"]}, "it is degraded"
        )
        daemon.wait_until(lambda: daemon.events(kind="notice", event_class="near_limit"), "it is told")
        daemon.restart()
        daemon.wait_until(lambda: "journal_size" in {d["reason"] for d in daemon.status()["degraded"]}, "still so")
        assert len(daemon.events(kind="notice", event_class="near_limit")) == 1
        assert all(each["restorable"] for each in daemon.versions(workspace / "MEMORY.md"))


def test_the_pace_is_what_was_written_lately_however_old_the_segment_is(tmp_path: Path, workspace: Path) -> None:
    """All of it stands in one segment that was begun long before."""
    with Daemon(tmp_path, [workspace], config=CONFIG) as daemon:
        daemon.advance(20 * DAY_MS)
        (workspace / "memory" / "notes.md").write_bytes(random.Random(7).randbytes(150_000).hex().encode())
        daemon.sync()
        limit = int(1.3 * daemon.status()["journal_bytes"])
        daemon.config_path.write_text(CONFIG + f"max_bytes = {limit}\n")
        assert daemon.process is not None
        daemon.process.send_signal(signal.SIGHUP)
        daemon.wait_until(lambda: "configuration reloaded" in daemon.log(), "the limit is in force")
        daemon.advance(HOUR_MS)
        daemon.wait_until(lambda: daemon.events(kind="notice", event_class="near_limit"), "it is told")
        assert "at the pace of the last 14 days" in daemon.events(kind="notice", event_class="near_limit")[0]["text"]
