"""Forgetting with a real daemon: hidden at once, erased later, never brought back."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from conductd.api.client import Client
from conductd.errors import ContentUnavailable
from conductd.views import ForgetCheckView, VerifyView
from support.callers import CONDUCTD, called
from support.daemon import Daemon
from support.terminal import run_in_terminal

SECRET = "Example-Pass-4711"
LINE = f"- nas password is {SECRET}\n"
KEPT = "# Memory\n\n" + "".join(
    f"- [m-{n}] the boiler was serviced on day {n} by the same two people\n" for n in range(12)
)
HELD = KEPT + LINE
DAY_MS = 24 * 3_600_000
FOUND, REQUESTED = 16, 15


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "ws"
    (root / "memory").mkdir(parents=True)
    (root / "MEMORY.md").write_text(HELD)
    return root


def raw(daemon: Daemon) -> list[str]:
    """The files of the store that hold the secret as it is."""
    files = [path for path in daemon.state_dir.rglob("*") if path.is_file()]
    forms = [SECRET.encode(codec) for codec in ("utf-8", "utf-16-le", "utf-16-be")]
    return [path.name for path in files if any(form in path.read_bytes() for form in forms)]


def client(daemon: Daemon) -> Client:
    return Client(os.fsencode(daemon.socket_path), 60)


def left(daemon: Daemon, text: str = SECRET) -> list[str]:
    """Where `forget --check` still finds it."""
    *_, view = client(daemon).check_forgotten(text)
    assert isinstance(view, ForgetCheckView)
    assert not view.unreadable
    return [f"{each.where}: {each.what}" for each in view.left]


def texts(daemon: Daemon, file: Path) -> list[str]:
    """Every version of a file as it is shown, oldest first."""
    seqs = [version["seq"] for version in reversed(daemon.versions(file)) if version["state"] == "file"]
    with client(daemon) as asked:
        return [asked.content(os.fsencode(file), str(seq))[1].decode() for seq in seqs]


def is_clean(daemon: Daemon) -> None:
    assert not raw(daemon)
    assert not left(daemon)
    assert not left(daemon, "")
    *_, view = client(daemon).verify()
    assert isinstance(view, VerifyView)
    assert view.ok


def piped(daemon: Daemon, secret: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """In a session of its own, without a terminal, the secret from standard input."""
    return subprocess.run(
        [sys.executable, "-m", "conductd", *arguments],
        input=secret,
        env=dict(daemon.environment),
        cwd=daemon.workspaces[0],
        capture_output=True,
        start_new_session=True,
        check=False,
    )


def test_hidden_at_once_and_gone_after_a_day(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        memory.write_text(KEPT)
        daemon.settle()
        ran = daemon.cli("forget", "--matching", "nas password")
        assert ran.exit_code == 0, ran.output
        assert SECRET not in ran.output
        assert "backups" in ran.output
        shown = texts(daemon, memory)
        assert shown == [HELD.replace(LINE, "- [forgotten]\n"), KEPT]
        assert SECRET not in daemon.cli("diff", str(memory)).output
        assert daemon.status()["forgotten"][0]["records"] == 1
        assert "to be erased" in daemon.cli("status").output
        assert daemon.cli("forget", "--check", "--matching", SECRET).exit_code == FOUND, "only hidden yet"
        daemon.kill()
        daemon.start()
        assert texts(daemon, memory) == shown
        daemon.advance(DAY_MS + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        daemon.wait_until(lambda: not left(daemon), "nothing is left")
        is_clean(daemon)
        assert texts(daemon, memory) == shown
        assert all(version["restorable"] for version in daemon.versions(memory))
        daemon.stop()
        assert daemon.cli("forget", "--check", "--matching", SECRET).exit_code == 0, "also without a daemon"
        assert daemon.cli("verify").exit_code == 0
        daemon.start()
        memory.write_text("# Memory\n")
        daemon.settle()
        assert memory.read_text() == KEPT


@pytest.mark.parametrize("jump_ms", [30 * DAY_MS, -30 * DAY_MS], ids=["ahead", "back"])
def test_a_clock_that_is_set_makes_nothing_due_and_puts_nothing_off(
    jump_ms: int, tmp_path: Path, workspace: Path
) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        memory.write_text(HELD + "- the gate code is on the blue card\n")
        daemon.settle()
        memory.write_text(KEPT)
        daemon.settle()
        for words in ("nas password", "gate code"):
            ran = daemon.cli("forget", "--matching", words)
            assert ran.exit_code == 0, ran.output
        stays, goes = [each["id"] for each in daemon.status()["forgotten"]]
        daemon.set_wall(daemon.wall_ns + jump_ms * 1_000_000)
        memory.write_text(KEPT + "- and a line\n")
        daemon.settle()
        daemon.restart()
        daemon.advance(DAY_MS // 2)
        ran = daemon.cli("forget", "--cancel", str(stays))
        assert ran.exit_code == 0, "half of the time is left to call it off"
        assert [each["id"] for each in daemon.status()["forgotten"]] == [goes]
        daemon.advance(DAY_MS // 2 + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        assert daemon.cli("forget", "--check", "--matching", "gate code is on").exit_code == 0


def test_a_file_that_still_holds_it_is_named_and_not_recorded_again(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        ran = daemon.cli("forget", "--matching", "nas password", "--now")
        assert str(memory) in ran.output
        assert memory.read_text() == HELD
        for _ in range(2):
            daemon.settle()
            is_clean(daemon)
            assert len(daemon.versions(memory)) == 1
            daemon.stop()
            daemon.start()
        os.utime(memory)
        daemon.settle()
        assert len(daemon.versions(memory)) == 1
        memory.write_text(HELD + "- one more line about the boiler\n")
        daemon.settle()
        assert len(daemon.versions(memory)) == 2, "what somebody writes is recorded"
        told = [e for e in daemon.events(event_class="secret_seen") if e["data"].get("reason") == "forgotten"]
        assert len(told) == 1
        assert any("forgotten is back" in n["data"]["title"] for n in daemon.events(kind="notice"))
        assert SECRET not in daemon.log()
        assert daemon.cli("forget", "--matching", "nas password", "--now", "--in-files").exit_code == 0
        is_clean(daemon)


def test_a_file_that_still_holds_what_is_erased_can_be_written_and_cleaned(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        assert daemon.cli("forget", "--matching", "nas password", "--now").exit_code == 0
        first = daemon.versions(memory)[0]["seq"]
        assert daemon.cli("restore", f"{memory}@{first}", "--yes").exit_code == 0
        assert memory.read_text() == HELD.replace(LINE, "- [forgotten]\n")
        memory.write_text(HELD)
        daemon.settle()
        assert len(daemon.versions(memory)) == 3, "written again, recorded again"
        assert daemon.cli("forget", "--matching", "nas password", "--now").exit_code == 0
        ran = daemon.cli("forget", "--matching", "nas password", "--in-files", "--now")
        assert ran.exit_code == 0, ran.output
        assert memory.read_text() == HELD.replace(LINE, "- [forgotten]\n")
        memory.write_text(HELD)
        daemon.settle()
        assert texts(daemon, memory)[-1] == HELD


def test_in_files_it_is_a_write_that_undo_cannot_take_back(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        ran = daemon.cli("forget", "--matching", "nas password", "--in-files")
        assert ran.exit_code == 0, ran.output
        assert memory.read_text() == HELD.replace(LINE, "- [forgotten]\n")
        daemon.settle()
        daemon.cli("undo", "--yes")
        assert SECRET not in memory.read_text()
        daemon.advance(DAY_MS + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        daemon.cli("undo", "--yes")
        assert SECRET not in memory.read_text()
        daemon.wait_until(lambda: not left(daemon), "nothing is left")


def test_neither_a_repair_nor_a_restore_nor_a_stale_writer_brings_it_back(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        memory.write_text(KEPT)
        daemon.settle()
        before = daemon.versions(memory)[-1]["seq"]
        assert daemon.cli("forget", "--matching", "nas password").exit_code == 0
        assert daemon.cli("restore", f"{memory}@{before}", "--yes").exit_code == 0
        assert memory.read_text() == HELD.replace(LINE, "- [forgotten]\n")
        memory.write_text(KEPT + "- a note that is younger than the stale copy of the other session\n")
        daemon.settle()
        memory.write_text(HELD + "- what the stale session adds to its old copy of the file\n")
        daemon.settle()
        memory.write_text("gone\n")
        daemon.settle()
        assert SECRET not in memory.read_text()
        assert "boiler" in memory.read_text()


def test_the_secret_itself_from_standard_input(tmp_path: Path, workspace: Path) -> None:
    (workspace / "memory" / "other.md").write_text(f"# Other\n\n- log in with {SECRET.upper()} at home\n- kept\n")
    (workspace / "memory" / "wide.md").write_bytes("- Example-\r\n  Pass-4711 wrapped\r\n- kept\r\n".encode("utf-16"))
    (workspace / "memory" / "link.md").symlink_to(f"{SECRET}.md")
    (workspace / "memory" / "torn.md").write_bytes(b"\0" * 400 + f"- {SECRET}\n".encode() + b"- kept\n" + b"\0" * 400)
    (workspace / "MEMORY.md").write_text(KEPT)
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        assert SECRET.lower() not in daemon.log().lower()
        asked = piped(daemon, SECRET.encode() + b"\n", "forget", "--stdin", "--now")
        assert asked.returncode == REQUESTED, asked.stderr
        assert SECRET.encode() not in asked.stdout + asked.stderr
        request = daemon.api.get("/v1/requests")[0]
        assert SECRET not in str(request)
        assert daemon.cli("confirm", str(request["id"])).exit_code == 0
        daemon.advance(DAY_MS + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        daemon.wait_until(lambda: not raw(daemon), "nothing is left")
        is_clean(daemon)
        assert texts(daemon, workspace / "memory" / "other.md")[-1] == "# Other\n\n- [forgotten]\n- kept\n"
        daemon.settle()
        (workspace / "memory" / "new.md").write_text(f"# New\n\n- in other words: {SECRET}\n")
        daemon.settle()
        assert any("forgotten is back" in n["data"]["title"] for n in daemon.events(kind="notice"))


def test_an_agent_only_asks(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        command = called("claude", [*CONDUCTD, "forget", "--matching", "nas password", "--now", "--yes"])
        ran = run_in_terminal(command, daemon.environment, workspace)
        assert ran.exit_code == REQUESTED, ran.output
        assert not daemon.status()["forgotten"]
        assert texts(daemon, workspace / "MEMORY.md") == [HELD]


def test_it_can_be_called_off(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        daemon.cli("forget", "--matching", "nas password")
        number = daemon.status()["forgotten"][0]["id"]
        assert SECRET not in texts(daemon, workspace / "MEMORY.md")[0]
        assert daemon.cli("forget", "--cancel", str(number)).exit_code == 0
        assert texts(daemon, workspace / "MEMORY.md") == [HELD]
        assert not daemon.status()["forgotten"]
        assert daemon.cli("forget", "--cancel", str(number)).exit_code != 0


def test_a_no_forgets_nothing(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        for options in ((), ("--now",), ("--now", "--yes")):
            ran = daemon.cli("forget", "--matching", "nas password", *options, answer="n")
            assert ran.exit_code == 1, ran.output
        assert daemon.cli("forget", "--matching", "nas password", "--dry-run").exit_code == 0
        assert daemon.cli("forget", "--matching", "na").exit_code != 0
        assert not daemon.status()["forgotten"]


def test_the_content_of_a_version_and_of_a_file(tmp_path: Path, workspace: Path) -> None:
    memory, other = workspace / "MEMORY.md", workspace / "memory" / "private.md"
    other.write_text("# Private\n\n- " + "a longer line about something that is nobody's business\n- " * 5)
    with Daemon(tmp_path, [workspace]) as daemon:
        memory.write_text(KEPT)
        daemon.settle()
        first = daemon.versions(memory)[-1]["seq"]
        assert daemon.cli("forget", "--version", str(first), "--now").exit_code == 0
        is_clean(daemon)
        with pytest.raises(ContentUnavailable):
            texts(daemon, memory)
        assert [version["restorable"] for version in daemon.versions(memory)] == [True, False]
        other.unlink()
        daemon.settle()
        assert other.exists(), "put back"
        assert daemon.cli("forget", "--file", str(other), "--now").exit_code == 0
        assert not left(daemon, "nobody's business")
        other.unlink()
        daemon.settle()
        assert not other.exists(), "nothing of it can be put back"
        other.write_text("# Private\n\n- something new that is kept as ever\n")
        daemon.settle()
        assert daemon.status()["health"] == "ok", daemon.status()["degraded"]


def test_only_the_match(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        (workspace / "MEMORY.md").write_text(KEPT)
        daemon.settle()
        assert daemon.cli("forget", "--matching", SECRET, "--bytes", "--now").exit_code == 0
        is_clean(daemon)
        assert texts(daemon, workspace / "MEMORY.md")[0] == HELD.replace(SECRET, "[forgotten]")


def test_a_regular_expression_is_bounded(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        (workspace / "MEMORY.md").write_text(KEPT)
        daemon.settle()
        assert daemon.cli("forget", "--regex", "--matching", "(", "--now").exit_code == 2
        assert daemon.cli("forget", "--regex", "--matching", r"Example-\w+-\d{4}", "--now").exit_code == 0
        is_clean(daemon)
        assert texts(daemon, workspace / "MEMORY.md")[0] == HELD.replace(LINE, "- [forgotten]\n")


def test_recording_goes_on_while_it_is_erased(tmp_path: Path, workspace: Path) -> None:
    memory, other = workspace / "MEMORY.md", workspace / "memory" / "other.md"
    with Daemon(tmp_path, [workspace], fake_clock=False) as daemon:
        for number in range(12):
            memory.write_text(HELD + f"- entry {number} about the garden and the well\n")
            daemon.api.post("/v1/sync", {})
        memory.write_text(KEPT)
        daemon.api.post("/v1/sync", {})
        written: list[str] = []
        done = threading.Event()

        def write() -> None:
            while not done.is_set():
                written.append(f"# Other\n\n- line {len(written)} of a log that grows while this goes on\n")
                other.write_text(written[-1])
                done.wait(0.005)

        writer = threading.Thread(target=write)
        writer.start()
        try:
            assert daemon.cli("forget", "--matching", "nas password", "--now").exit_code == 0
        finally:
            done.set()
            writer.join()
        daemon.api.post("/v1/sync", {})
        is_clean(daemon)
        assert texts(daemon, other)[-1] == written[-1]
        assert len(daemon.versions(other)) > 5
        assert len(texts(daemon, memory)) == len(daemon.versions(memory)) >= 10


@pytest.mark.parametrize("place", ["forget.hidden", "forget.noted", "forget.rewritten", "forget.recorded"])
def test_killed_anywhere_it_stays_hidden_and_is_erased_in_the_end(tmp_path: Path, workspace: Path, place: str) -> None:
    memory = workspace / "MEMORY.md"
    daemon = Daemon(tmp_path, [workspace])
    with daemon.ended_at_exit():
        daemon.start(kill_at=place)
        (workspace / "memory" / "other.md").write_text("# Other\n\n- a line about the garden and the well\n")
        daemon.settle()
        daemon.cli("forget", "--matching", "nas password", "--now")
        daemon.wait_until(lambda: not daemon.running, "it is dead")
        daemon.start()
        daemon.settle()
        assert texts(daemon, memory)[0] == HELD.replace(LINE, "- [forgotten]\n")
        assert len(daemon.versions(memory)) == 1
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased, without waiting for a day")
        daemon.wait_until(lambda: not left(daemon), "nothing is left")
        is_clean(daemon)
        assert memory.read_text() == HELD
        daemon.settle()
        assert len(daemon.versions(memory)) == 1, "what still stands is not recorded anew"


def asking(*arguments: str) -> list[str]:
    return called("claude", [*CONDUCTD, "forget", *arguments])


def test_an_agent_does_not_call_it_off(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        daemon.cli("forget", "--matching", "nas password")
        number = str(daemon.status()["forgotten"][0]["id"])
        ran = run_in_terminal(asking("--cancel", number), daemon.environment, workspace)
        assert ran.exit_code == REQUESTED, ran.output
        assert daemon.status()["forgotten"]
        assert SECRET not in texts(daemon, workspace / "MEMORY.md")[0]
        (request,) = daemon.api.get("/v1/requests")
        assert "MEMORY.md" in request["words"]
        assert daemon.cli("confirm", str(request["id"])).exit_code == 0
        assert not daemon.status()["forgotten"]
        assert texts(daemon, workspace / "MEMORY.md") == [HELD]
        assert "shown again" in daemon.events(kind="notice")[-1]["text"]


def test_what_an_agent_asks_for_is_never_erased_at_once(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        run_in_terminal(asking("--matching", "nas password", "--now"), daemon.environment, workspace)
        (request,) = daemon.api.get("/v1/requests")
        assert "in 24 h" in request["words"]
        assert daemon.cli("confirm", str(request["id"])).exit_code == 0
        assert daemon.status()["forgotten"], "hidden, and a person can still call it off"


def test_the_same_asked_for_again_is_the_same_request(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        run_in_terminal(asking("--matching", "nas password"), daemon.environment, workspace)
        (workspace / "MEMORY.md").write_text(HELD + "- one more line about the garden and the well\n")
        daemon.settle()
        run_in_terminal(asking("--matching", "nas password"), daemon.environment, workspace)
        (request,) = daemon.api.get("/v1/requests")
        daemon.cli("refuse", str(request["id"]))
        ran = run_in_terminal(asking("--matching", "nas password"), daemon.environment, workspace)
        assert ran.exit_code == 8, ran.output
        assert not daemon.api.get("/v1/requests")


def test_words_of_requests_and_announcements_that_are_in_memory_are_erased_too(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        (workspace / "MEMORY.md").write_text(KEPT)
        daemon.settle()
        path = str(workspace / "memory" / "new.md")
        daemon.api.post("/v1/evidence", {"path": path, "actor": "agent:one", "tool_call": f"write {SECRET}"})
        daemon.api.post("/v1/roles", {"glob": f"memory/{SECRET}-*.md", "role": "replaceable"})
        daemon.settle()
        assert daemon.cli("forget", "--matching", SECRET, "--now").exit_code == 0
        is_clean(daemon)
        for _ in range(2):
            (request,) = daemon.api.get("/v1/requests")
            assert SECRET not in str(request)
            assert daemon.cli("confirm", str(request["id"])).exit_code == 3
            daemon.stop()
            daemon.start()
        is_clean(daemon)


def test_what_is_erased_is_not_called_off(tmp_path: Path, workspace: Path) -> None:
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        daemon.cli("forget", "--matching", "nas password")
        number = str(daemon.status()["forgotten"][0]["id"])
        daemon.pass_time(DAY_MS + 1)
        daemon.wait_until(lambda: not daemon.status()["forgotten"], "it is erased")
        ran = daemon.cli("forget", "--cancel", number)
        assert ran.exit_code == 3
        assert "is erased" in ran.output
        assert "no" in daemon.cli("forget", "--cancel", "99999").output


def test_what_came_since_it_was_asked_for_is_said_and_goes_too(tmp_path: Path, workspace: Path) -> None:
    memory, other = workspace / "MEMORY.md", workspace / "memory" / "other.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        run_in_terminal(asking("--matching", SECRET), daemon.environment, workspace)
        memory.write_text(HELD + f"- and in other words: {SECRET} once more\n")
        daemon.settle()
        other.write_text(f"# Other\n\n- it is {SECRET[:3]}\u200b**{SECRET[3:]}**\n")
        daemon.settle()
        (request,) = daemon.api.get("/v1/requests")
        assert "memory/other.md: to be forgotten, written since it was asked for" in request["shows"]
        assert "3 versions in all: 2 since it was asked for" in request["shows"]
        assert daemon.cli("confirm", str(request["id"])).exit_code == 0
        assert not any(SECRET in text for text in texts(daemon, memory))
        assert SECRET[3:] not in "".join(texts(daemon, other))


def test_forms_that_read_the_same_are_erased_and_looked_for(tmp_path: Path, workspace: Path) -> None:
    memory = workspace / "MEMORY.md"
    with Daemon(tmp_path, [workspace]) as daemon:
        daemon.settle()
        memory.write_text(KEPT + "- it is Velvet\u00ad\u2011**Otter**\u20119, they say\n")
        daemon.settle()
        memory.write_text(KEPT)
        daemon.settle()
        assert daemon.cli("forget", "--check", "--matching", "velvet-otter-9").exit_code == 16
        assert daemon.cli("forget", "--matching", "velvet-otter-9", "--now").exit_code == 0
        assert daemon.cli("forget", "--check", "--matching", "velvet-otter-9").exit_code == 0
        assert not any("Otter" in text for text in texts(daemon, memory))
