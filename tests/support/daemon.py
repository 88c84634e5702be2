"""The real daemon as a child process, with a clock and faults that a test controls.

`Daemon` gives each test a private home, state directory, socket and log below one directory. With
the fake clock nothing in the daemon happens by waiting: `settle` moves its time to each pending
deadline in turn. Use it as a context manager; nothing it started survives.

    with Daemon(tmp_path, [workspace]) as daemon:
        (workspace / "MEMORY.md").write_text("…")
        daemon.settle()
        assert daemon.events(event_class="overwrite")
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, TypeVar

import msgspec

from conductd.engine.fold.job_runs import STARTED
from conductd.journal.storage import DirectoryStorage
from conductd.model import JobRunRecord
from support.api import Api, ApiError, Json
from support.journals import open_journal
from support.terminal import Ran, run_in_terminal

T = TypeVar("T")
WritesAt = Mapping[str, tuple[Path, bytes]]

_TESTS = Path(__file__).resolve().parents[1]
_PACKAGE = _TESTS.parent / "daemon"
_PATIENCE_S = 60.0  # real time; only a hang is ever this slow
_MS = 1_000_000
_SETTLE_LIMIT = 500
# Reasons that time alone does not end. After so many deadlines without any change, all that can settle has.
_STUCK_WHY = frozenset({"store", "git", "busy", "hold"})
_STUCK_ROUNDS = 4
_BLOCKED_ROUNDS = 12


class NotStarted(AssertionError):
    """The process ended before it answered: its exit code and what it said."""

    def __init__(self, exit_code: int, output: str) -> None:
        super().__init__(f"the daemon ended with {exit_code} before it answered:\n{output[-4000:]}")
        self.exit_code = exit_code
        self.output = output


class Daemon:
    """One daemon, started and stopped as often as a test likes, on one state directory.

    `config` is the text of its config file. `jobs`: jobs of the night of these names that only look; None: the
    product's own. `faults` and the fake time survive its restarts.
    """

    def __init__(
        self,
        directory: Path,
        workspaces: Sequence[Path],
        *,
        config: str = "",
        fake_clock: bool = True,
        arguments: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
        jobs: Sequence[str] | None = (),
    ) -> None:
        self.directory = directory
        self.workspaces = list(workspaces)
        self.arguments = list(arguments)
        self.home = directory / "home"
        self.state_dir = directory / "state"
        self.socket_path = self.state_dir / "conductd.sock"
        self.config_path = directory / "config.toml"
        self.log_path = directory / "daemon.log"
        self.home.mkdir(parents=True, exist_ok=True)
        self.config_path.write_text(config, encoding="utf-8")
        self.api = Api(self.socket_path)
        self.environment = self._environment(environment or {})
        self.cwd: Path | None = None  # the working directory of the next start
        self.fake_clock = fake_clock
        self.wall_ns = time.time_ns()
        self.mono_ns = time.monotonic_ns()
        self.jobs = jobs
        self.awake: list[tuple[int, int]] = []  # stretches of wall time that passed while it ran
        self.runs_before = 0  # how many runs of jobs there were when the wall clock last jumped
        self.faults: list[dict[str, Any]] = []
        self.process: subprocess.Popen[bytes] | None = None
        self.pids: list[int] = []
        self._crashes = 0
        self._control: _Control | None = None
        self._stopped = False

    def __enter__(self) -> Daemon:
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if error is not None:
            error.add_note(self._last_words(error))
        self.close()

    @contextmanager
    def ended_at_exit(self) -> Iterator[Daemon]:
        """For a test that starts it itself: whatever happens, nothing survives."""
        try:
            yield self
        except BaseException as error:
            error.add_note(self._last_words(error))
            raise
        finally:
            self.close()

    # ------------------------------------------------------------------ the process

    def start(self, *, kill_at: str | None = None, write_at: WritesAt | None = None) -> Daemon:
        """Start and wait until it answers. Raises NotStarted.

        `kill_at`: the kill point at which the process kills itself. `write_at`: at these points somebody
        else saves a file, once.
        """
        self.launch(kill_at=kill_at, write_at=write_at)
        self.wait_until(self._answers, "the daemon answers")
        return self

    def launch(self, *, kill_at: str | None = None, write_at: WritesAt | None = None) -> None:
        """Start without waiting for anything."""
        assert not self.running, "already started"
        options = [] if kill_at is None else [f"--kill-at={kill_at}"]
        for name, (path, data) in (write_at or {}).items():
            options.append("--write-at=" + json.dumps({"name": name, "path": str(path), "hex": data.hex()}))
        self.process, self._control = self._spawn(self.log_path, options)
        self.pids.append(self.process.pid)
        self._stopped = False

    def start_another(self) -> Ran:
        """Start a second daemon with the same arguments; it must end by itself."""
        log = self.directory / f"another-{time.monotonic_ns()}.log"
        process, control = self._spawn(log, [])
        try:
            exit_code = process.wait(_PATIENCE_S)
        finally:
            process.kill()
            process.wait()
            control.close()
        return Ran(exit_code, log.read_text(encoding="utf-8", errors="replace"))

    def stop(self) -> int:
        """Ask it to end (SIGTERM) and wait; its exit code."""
        return self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def freeze(self) -> None:
        self._signal(signal.SIGSTOP)
        self._stopped = True

    def thaw(self) -> None:
        self._signal(signal.SIGCONT)
        self._stopped = False

    def close(self) -> None:
        """End whatever still runs. Never raises for a daemon that has gone."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self._forget_process()

    @property
    def running(self) -> bool:
        """Started, not ended, whether or not it is frozen."""
        return self.process is not None and self.process.poll() is None

    @property
    def crashes(self) -> int:
        """How often it ended although nobody asked it to."""
        return self._crashes + (self.process is not None and self.process.poll() is not None)

    @property
    def listening(self) -> bool:
        return self.running and not self._stopped

    def wait_for_exit(self) -> int:
        """Wait until it ends by itself (a kill point); its exit code, negative for a signal."""
        assert self.process is not None
        exit_code = self.process.wait(_PATIENCE_S)
        self._forget_process()
        return exit_code

    def log(self) -> str:
        """What it printed, and the tracebacks of its command lines."""
        written = [self.log_path, *sorted(self.home.glob("conductd-*.log"))]
        return "".join(path.read_text(encoding="utf-8", errors="replace") for path in written if path.exists())

    def _last_words(self, error: BaseException) -> str:
        """The end of its log; when it did not answer in time, with what each of its threads is doing."""
        told = f"the end of the daemon's log:\n{self.log()[-4000:]}"
        if not (self.listening and isinstance(error, TimeoutError)):
            return told
        assert self.process is not None
        size = len(self.log())
        self.process.send_signal(signal.SIGUSR1)
        with suppress(AssertionError):
            self.wait_until(lambda: "Current thread" in self.log()[size:], "its threads are told")
        return f"{told}\nits threads:\n{self.log()[size:]}"

    def assert_no_traceback(self) -> None:
        """Nothing inside it failed in a way nobody thought of."""
        log = self.log()
        found = [json.loads(line)["exception"] for line in log.splitlines() if '"exception"' in line]
        found += [log[log.index("Traceback") :]] if "\nTraceback" in log else []
        assert not found, f"{len(found)} unexpected errors in the daemon, the first:\n{found[0]}"

    # ------------------------------------------------------------------ time and faults

    def advance(self, ms: float) -> None:
        """Move the fake clock by `ms` at once."""
        self._advance_ns(round(ms * _MS))

    def set_wall(self, ns: int) -> None:
        """Set the wall clock only, as a person, NTP or a suspend does."""
        self.runs_before = len(self.job_runs())
        if self.running:
            self._tell({"do": "set_wall", "ns": ns})
        else:
            self.wall_ns = ns

    def set_zone(self, name: str) -> None:
        """The system is in another time zone from now on, also after a restart."""
        self.environment["TZ"] = name
        if self.running:
            self._tell({"do": "tz", "zone": name})

    def fault(self, kind: str, *, path: str = "", value: int = 0, for_ms: int | None = None) -> None:
        """Turn a fault on (see entry.faults); it stays on over restarts, at most `for_ms` of fake time."""
        until = None if for_ms is None else self.mono_ns + for_ms * _MS
        fault = {"kind": kind, "path": path, "value": value, "until_mono_ns": until}
        self.faults.append(fault)
        if self.running:
            self._tell({"do": "fault", **fault})

    def fill_store(self) -> None:
        """With a full disk: use up the space the journal has ahead, until it takes nothing ordinary any more."""
        for _ in range(20_000):
            noise = secrets.token_hex(32)
            body = {"actor": "agent:filler", "path": str(self.workspaces[0] / "MEMORY.md"), "digest": noise}
            try:
                self.api.post("/v1/evidence", {**body, "session": secrets.token_hex(250)})
            except ApiError as error:
                if error.code != "store_unavailable":
                    raise
                return
        raise AssertionError("the store never fills up: is there a full disk?")

    def clear_faults(self) -> None:
        self.faults.clear()
        if self.running:
            self._tell({"do": "clear"})

    # ------------------------------------------------------------------ the API

    def sync(self) -> Json:
        """All that happened before this call is recorded; the answer names what still waits."""
        return self.api.post("/v1/sync")

    def settle(self) -> None:
        """Sync, then advance to each pending deadline until nothing waits that time can end."""
        unchanged, before, blocked = 0, None, 0
        give_up = time.monotonic() + 2 * _PATIENCE_S
        for _ in range(_SETTLE_LIMIT):
            pending = self.catch_up()["pending"]
            if not pending:
                return
            waits = sorted((one["workspace"], one["path_b64"], one["what"], one["why"]) for one in pending)
            unchanged = unchanged + 1 if waits == before else 0
            before = waits
            if unchanged >= _STUCK_ROUNDS and all(why in _STUCK_WHY for *_, why in waits):
                return
            # While nothing can be recorded, whatever else waits comes back for ever.
            blocked = blocked + 1 if any(one["what"] == "recording" for one in pending) else 0
            if blocked >= _BLOCKED_ROUNDS:
                return
            self._pass_time(min(self._to_come(pending), default=None))
            assert time.monotonic() < give_up, f"does not settle: {waits}"
        raise AssertionError(f"does not settle in {_SETTLE_LIMIT} deadlines: {before}")

    def catch_up(self) -> Json:
        """Sync until nothing is overdue: what the present time allows is done. Returns the last answer."""
        give_up = time.monotonic() + _PATIENCE_S
        while True:
            answer = self.sync()
            overdue = [
                one for one in answer["pending"] if one["due_mono_ns"] <= self.mono_ns and one["why"] not in _STUCK_WHY
            ]
            if not overdue or not self.fake_clock:
                self.jobs_done()
                return answer
            assert time.monotonic() < give_up, f"overdue and not done: {overdue}"
            time.sleep(0.005)

    def jobs_done(self) -> None:
        """Jobs of the night that are due now have run."""

        def are_done() -> bool:
            return not any(one["state"] in ("due", "running") for one in self.api.get("/v1/jobs"))

        if self.jobs != () and self.fake_clock:
            self.wait_until(are_done, "the jobs of the night are done")

    def job_runs(self) -> list[Json]:
        """What the journal has of the runs of jobs, oldest first."""
        if self.jobs == () or not (self.state_dir / "journal").exists():
            return []
        with DirectoryStorage(self.state_dir / "journal", exclusive=False) as storage:
            journal, _ = open_journal(storage, read_only=True)
            found = [each.record for each in journal.replay() if isinstance(each.record, JobRunRecord)]
            journal.close()
        return [msgspec.structs.asdict(each) for each in found if each.day and each.result != STARTED]

    def pass_time(self, ms: float) -> None:
        """Let `ms` pass as they really pass: every deadline on the way is met at its own time."""
        if not self.listening:
            self.advance(ms)
            return
        target = self.mono_ns + round(ms * _MS)
        for _ in range(_SETTLE_LIMIT):
            due = min([*self._to_come(self.catch_up()["pending"]), *self._jobs_to_come()], default=target)
            if due >= target:
                break
            self._advance_ns(due - self.mono_ns)
        self._advance_ns(target - self.mono_ns)
        self.catch_up()

    def events(self, since: int = 0, **wanted: object) -> list[Json]:
        """The event log, oldest first; keyword arguments must equal the event's fields."""
        found: list[Json] = []
        while True:
            page = self.api.get("/v1/log", since=since, limit=1000)
            page = page["events"] if isinstance(page, dict) else page
            if not page:
                break
            found.extend(page)
            since = page[-1]["seq"]
        return [event for event in found if all(event.get(key) == value for key, value in wanted.items())]

    def status(self) -> Json:
        return self.api.get("/v1/status")

    def versions(self, path: Path) -> list[Json]:
        """Newest first."""
        answer = self.api.get("/v1/versions", path=path, limit=10_000)
        return answer["versions"] if isinstance(answer, dict) else answer

    def content(self, path: Path, version: object) -> bytes:
        return self.api.get_bytes("/v1/content", path=path, version=version)

    def cli(self, *arguments: str, directory: Path | None = None, answer: str = "y") -> Ran:
        """A person runs `conductd …` in a terminal, in the first workspace, and confirms."""
        command = [sys.executable, "-m", "conductd", *arguments]
        return run_in_terminal(command, self.environment, directory or self.workspaces[0], answer)

    def wait_until(self, condition: Callable[[], T], what: str) -> T:
        """Poll a condition on the outside of the daemon, in real time, until it is true."""
        deadline = time.monotonic() + _PATIENCE_S
        while not (value := condition()):
            assert time.monotonic() < deadline, f"waited {_PATIENCE_S} s in vain until {what}\n{self.log()[-4000:]}"
            time.sleep(0.005)
        return value

    # ------------------------------------------------------------------ inside

    def _to_come(self, pending: Sequence[Json]) -> list[int]:
        """Deadlines that lie ahead of the fake clock."""
        return [one["due_mono_ns"] for one in pending if one["due_mono_ns"] > self.mono_ns]

    def _jobs_to_come(self) -> list[int]:
        """When jobs of the night are due next, monotonic."""
        if self.jobs == ():
            return []
        found = [one["next_ns"] for one in self.api.get("/v1/jobs") if one["next_ns"] is not None]
        return [self.mono_ns + at_ns - self.wall_ns for at_ns in found if at_ns > self.wall_ns]

    def _pass_time(self, due_mono_ns: int | None) -> None:
        if self.fake_clock and due_mono_ns is not None:
            self._advance_ns(due_mono_ns - self.mono_ns)
        else:
            # It is at work, or time is real.
            time.sleep(0.005)

    def _advance_ns(self, ns: int) -> None:
        if self.running:
            self.awake.append((self.wall_ns, self.wall_ns + ns))
            self._tell({"do": "advance", "ns": ns})
        else:
            self.wall_ns += ns
            self.mono_ns += ns

    def bare(self, environment: Mapping[str, str]) -> None:
        """The next start has this environment, and what the tests themselves need."""
        ours = ("PYTHONPATH", "PYTHONUNBUFFERED", "CONDUCTD_STATE_DIR", "CONDUCTD_SOCKET", "CONDUCTD_CONFIG")
        self.environment = {name: self.environment[name] for name in ours} | dict(environment)

    def _environment(self, extra: Mapping[str, str]) -> dict[str, str]:
        return {
            "HOME": str(self.home),
            "TMPDIR": str(self.home),
            "PATH": os.environ.get("PATH", os.defpath),
            "PYTHONPATH": f"{_PACKAGE}{os.pathsep}{_TESTS}",
            "PYTHONUNBUFFERED": "1",
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "CONDUCTD_STATE_DIR": str(self.state_dir),
            "CONDUCTD_SOCKET": str(self.socket_path),
            "CONDUCTD_CONFIG": str(self.config_path),
            **extra,
        }

    def _spawn(self, log: Path, options: Sequence[str]) -> tuple[subprocess.Popen[bytes], _Control]:
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-m", "entry", f"--control-fd={theirs.fileno()}"]
        if self.fake_clock:
            command += [f"--wall-ns={self.wall_ns}", f"--mono-ns={self.mono_ns}"]
        command += ["--own-jobs"] if self.jobs is None else [f"--job={name}" for name in self.jobs]
        command += options
        command += [f"--fault={json.dumps(fault)}" for fault in self.faults]
        command += ["--", "run", *(f"--workspace={root}" for root in self.workspaces), *self.arguments]
        with theirs, open(log, "ab") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=self.environment,
                cwd=self.cwd,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        return process, _Control(ours)

    def _answers(self) -> bool:
        assert self.process is not None
        exit_code = self.process.poll()
        if exit_code is not None:
            self._crashes += 1
            self._forget_process()
            raise NotStarted(exit_code, self.log())
        try:
            return bool(self.api.get("/v1/hello")["pid"] == self.process.pid)
        except (OSError, ApiError):
            return False

    def _end(self, with_signal: int) -> int:
        assert self.process is not None, "not started"
        if self._stopped and with_signal != signal.SIGKILL:
            self.thaw()
        self.process.send_signal(with_signal)
        try:
            exit_code = self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            self._forget_process()
            raise AssertionError(f"does not stop:\n{self.log()[-4000:]}") from None
        self._forget_process()
        return exit_code

    def _signal(self, number: int) -> None:
        assert self.process is not None, "not started"
        self.process.send_signal(number)
        if number == signal.SIGSTOP:
            # Delivered when the parent is told so, not when kill(2) returns.
            os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def _forget_process(self) -> None:
        self.process = None
        self._stopped = False
        if self._control is not None:
            self._control.close()
            self._control = None

    def _tell(self, command: dict[str, Any]) -> None:
        assert self._control is not None
        if self._stopped:
            assert command["do"] in ("fault", "clear"), "a frozen daemon cannot move its clock"
            self._control.send(command)
            return
        state = self._control.ask(command)
        if "wall_ns" in state:
            self.wall_ns, self.mono_ns = state["wall_ns"], state["mono_ns"]


class _Control:
    """Our end of the control socket. Commands to a frozen daemon are answered later."""

    def __init__(self, end: socket.socket) -> None:
        end.settimeout(_PATIENCE_S)
        self._socket = end
        self._stream: BinaryIO = end.makefile("rwb")  # type: ignore[assignment]  # BufferedRWPair
        self._unanswered = 0

    def send(self, command: dict[str, Any]) -> None:
        self._stream.write(json.dumps(command).encode() + b"\n")
        self._stream.flush()
        self._unanswered += 1

    def ask(self, command: dict[str, Any]) -> dict[str, Any]:
        self.send(command)
        answer: dict[str, Any] = {}
        while self._unanswered:
            line = self._stream.readline()
            if not line:
                raise ConnectionError("the daemon closed its control socket")
            answer = json.loads(line)
            self._unanswered -= 1
            if "error" in answer:
                raise AssertionError(f"{command}: {answer['error']}")
        return answer

    def close(self) -> None:
        for end in (self._stream, self._socket):
            with suppress(OSError):
                end.close()
