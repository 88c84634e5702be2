"""The command as a process: signals, pipes, terminals, colours, start time, and a daemon that goes and comes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.served import Served, serving, wait_until
from support.service import FakeService
from support.terminal import Ran, run_in_terminal

from .conftest import Run

CONDUCTD = [sys.executable, "-m", "conductd"]


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """What a script starts in the background ignores Ctrl-C, and so do its children: not these."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def spawn(environ: dict[str, str], *arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*CONDUCTD, *arguments],
        env={**environ, "PYTHONUNBUFFERED": "1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def in_terminal(
    environ: dict[str, str], directory: Path, *arguments: str, answer: str = "y", term: str = "xterm"
) -> Ran:
    return run_in_terminal([*CONDUCTD, *arguments], {**environ, "TERM": term}, directory, answer)


# ------------------------------------------------------------------ no daemon, or not ours


def test_without_a_daemon_every_question_says_how_to_start_one(run: Run) -> None:
    for arguments in (["status"], ["log"], ["undo"], ["watch"], ["accept", "1"], ["protect", "."]):
        ran = run(*arguments)
        assert ran.returncode == 5, arguments
        assert ran.stderr.startswith(b"conductd: no daemon is running"), arguments
        assert ran.stderr.endswith(b"\n\nhint: start it with: conductd run\n")
        assert ran.stdout == b""


def test_a_file_in_place_of_the_socket_is_not_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / "conductd.sock").write_text("")
    ran = run("status")
    assert ran.returncode == 6
    assert b"not a socket" in ran.stderr


def test_verify_and_rebuild_without_daemon_or_journal_name_the_place(run: Run, tmp_path: Path) -> None:
    for arguments in (["verify"], ["index", "rebuild"]):
        ran = run(*arguments)
        assert ran.returncode == 3
        assert os.fsencode(tmp_path) in ran.stderr
    assert not (tmp_path / "journal").exists()


def test_a_broken_configuration_stops_the_start_with_all_its_faults(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text('mod = "protect"\nmax_file_bytes = "many"\n')
    ran = run("run", "--config", str(tmp_path / "config.toml"))
    assert ran.returncode == 78
    said = ran.stderr.decode()
    assert said.startswith("conductd: ")
    assert "mod" in said
    assert "max_file_bytes" in said
    assert "\n\nhint: " in said
    assert "Traceback" not in said


# ------------------------------------------------------------------ signals and pipes


def test_ctrl_c_ends_watch_without_a_word(served: Served, environ: dict[str, str]) -> None:
    with spawn(environ, "watch") as process:
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"watching")
        wait_until(lambda: served.service.subscribers, "it listens")
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr.read().strip() == b""


def test_ctrl_c_ends_a_waiting_question_without_a_word(
    served: Served, service: FakeService, environ: dict[str, str]
) -> None:
    service.write(b"MEMORY.md", b"x")
    service.hold = threading.Event()
    with spawn(environ, "log") as process:
        assert service.entered.acquire(timeout=20)
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 130
        assert process.stderr is not None
        assert process.stderr.read().strip() == b""
    service.hold.set()


@pytest.mark.parametrize("arguments", [["show", "big.md"], ["log", "-n", "100000"], ["log", "--json", "-n", "100000"]])
def test_a_reader_that_leaves_is_no_failure(
    served: Served, service: FakeService, environ: dict[str, str], workspace: Path, arguments: list[str]
) -> None:
    service.write(b"big.md", b"x" * 1_000_000)
    for _ in range(2_000):
        service.write(b"MEMORY.md", b"x")
    with subprocess.Popen(
        [*CONDUCTD, *arguments], env=environ, cwd=workspace, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.wait(30) == 141
        assert process.stderr.read() == b""


# ------------------------------------------------------------------ watch


def test_watch_prints_events_and_survives_a_restart(
    service: FakeService, tmp_path: Path, environ: dict[str, str]
) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(serving(service, tmp_path))
        process = stack.enter_context(spawn(environ, "watch", "--json"))
        stack.callback(process.kill)
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stderr.readline().startswith(b"watching")
        wait_until(lambda: service.subscribers, "it listens")
        service.write(b"MEMORY.md", b"1")
        assert json.loads(process.stdout.readline())["seq"] == 1
        first.server.stop(1)
        assert b"gone" in process.stderr.readline()
        service.write(b"MEMORY.md", b"2")  # while nobody listens
        stack.enter_context(serving(service, tmp_path))
        assert json.loads(process.stdout.readline())["seq"] == 2
        assert b"connected again" in process.stderr.readline()
        service.write(b"MEMORY.md", b"3")
        assert json.loads(process.stdout.readline())["seq"] == 3


def test_watch_lines_are_for_people(served: Served, service: FakeService, environ: dict[str, str]) -> None:
    service.write(b"MEMORY.md", b"1")
    service.lose(b"MEMORY.md", b"x")
    with spawn(environ, "watch", "--since", "1") as process:
        assert process.stdout is not None
        assert re.match(rb"\d\d:\d\d:\d\d +2 +alarm +MEMORY.md: overwrite +by agent:main\n", process.stdout.readline())
        process.kill()


# ------------------------------------------------------------------ terminals and colours


def test_restore_shows_the_plan_and_asks(
    served: Served, service: FakeService, environ: dict[str, str], workspace: Path
) -> None:
    service.write(b"MEMORY.md", b"1")
    service.write(b"MEMORY.md", b"2")
    ran = in_terminal(environ, workspace, "restore", "MEMORY.md@1", answer="n")
    assert "would be written" in ran.output
    assert "nothing is written" in ran.output
    assert ran.exit_code == 1
    assert len(service.versions_made) == 2
    ran = in_terminal(environ, workspace, "restore", "MEMORY.md@1", answer="y")
    assert (ran.exit_code, len(service.versions_made)) == (0, 3)
    ran = in_terminal(environ, workspace, "restore", "MEMORY.md@1", "--yes")
    assert "?" not in ran.output
    assert (ran.exit_code, len(service.versions_made)) == (0, 4)


def test_accept_says_what_it_would_do_and_asks(
    served: Served, service: FakeService, environ: dict[str, str], workspace: Path
) -> None:
    service.write(b"MEMORY.md", b"1")
    service.lose(b"MEMORY.md", b"x")
    for what in ("2", "MEMORY.md"):
        ran = in_terminal(environ, workspace, "accept", what, answer="n")
        assert "would be accepted" in ran.output
        assert (ran.exit_code, service.calls) == (1, [])
    for arguments in (["2"], ["--yes", "MEMORY.md"]):
        in_terminal(environ, workspace, "accept", *arguments)
        assert service.calls.pop()[0] == "accept"


def test_colour_only_where_it_is_wanted(
    served: Served, service: FakeService, environ: dict[str, str], workspace: Path, run: Run
) -> None:
    service.write(b"MEMORY.md", b"1")
    service.lose(b"MEMORY.md", b"x")
    assert "\x1b[31m" in in_terminal(environ, workspace, "log").output
    assert "\x1b[" not in in_terminal(environ, workspace, "log", term="dumb").output
    assert "\x1b[" not in in_terminal({**environ, "NO_COLOR": "1"}, workspace, "log").output
    assert b"\x1b[" not in run("log").stdout


def test_a_file_cannot_command_the_terminal(
    served: Served, service: FakeService, environ: dict[str, str], workspace: Path, run: Run
) -> None:
    evil = b"plain\n\x1b]0;owned\x07\x1b[2J\n"
    service.write(b"MEMORY.md", b"")
    service.write(b"MEMORY.md", evil)
    assert run("show", "MEMORY.md").stdout == evil
    for command in ("show", "diff"):
        output = in_terminal(environ, workspace, command, "MEMORY.md").output
        assert "plain" in output
        assert "\x1b]" not in output
        assert "\x1b[2J" not in output
        assert "\\x1b]0;owned\\x07" in output


def test_long_work_shows_a_bar_on_a_terminal(served: Served, environ: dict[str, str], workspace: Path) -> None:
    output = in_terminal(environ, workspace, "verify").output
    assert "verifying" in output
    assert "100%" in output
    assert "the journal is whole" in output


# ------------------------------------------------------------------ the last door, and the first milliseconds


def test_an_unexpected_failure_is_a_sentence_and_a_place(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "sitecustomize.py"
    broken.write_text(
        "import conductd.cli.options as o\ndef fail(self): raise RuntimeError('inside')\no.Options.client = fail\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    ran = run("status", PYTHONPATH=path, TMPDIR=str(tmp_path))
    assert ran.returncode == 70
    assert b"Traceback" not in ran.stderr
    found = re.search(rb"hint: the traceback is in (\S+);", ran.stderr)
    assert found
    log = Path(os.fsdecode(found[1]))
    assert "RuntimeError: inside" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600
    assert b"Traceback" in run("status", PYTHONPATH=path, TMPDIR=str(tmp_path), CONDUCTD_DEBUG="1").stderr


def test_nothing_but_click_is_loaded_for_a_command_to_be_found(environ: dict[str, str]) -> None:
    code = "import sys; before = set(sys.modules); import conductd.cli.main; print(*(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=environ)
    loaded = {name.partition(".")[0] for name in ran.stdout.decode().split()}
    assert loaded - set(sys.stdlib_module_names) <= {"click", "conductd"}
    assert not loaded & {"asyncio", "sqlite3", "http", "email", "json", "tomllib", "logging"}


def test_status_starts_quickly(served: Served, environ: dict[str, str]) -> None:
    """The target is 120 ms on a quiet machine (the benchmarks measure it); this catches a slow import.

    Processor time, so that other tests beside it do not count.
    """
    best = 60.0
    for _ in range(5):
        process = subprocess.Popen([*CONDUCTD, "status"], env=environ, stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        best = min(best, used.ru_utime + used.ru_stime)
    assert best < 0.3
