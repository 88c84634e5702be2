"""The daemon as a process of its own: started, asked, measured from outside, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from benchmarks.tap import Tap
from conductd.api.client import Client
from conductd.errors import ConductdError
from conductd.journal.journal import Journal
from conductd.journal.storage import DirectoryStorage
from conductd.ports import SystemClock

_CHECKOUT = Path(__file__).resolve().parents[1]
_PATIENCE_S = 120.0
_TICKS = os.sysconf("SC_CLK_TCK")


class Rig:
    """One daemon on ``directory``/state. ``tapped``: `tap` knows when each content was durable. ``config``: TOML."""

    def __init__(self, directory: Path, workspaces: Sequence[Path], *, tapped: bool = False, config: str = "") -> None:
        self.directory = directory
        self.state_dir = directory / "state"
        self.workspaces = list(workspaces)
        self.home = directory / "home"
        self.home.mkdir(exist_ok=True)
        self._config = directory / "config.toml"
        self._config.write_text(config)
        self.log = directory / "daemon.log"
        self._tap = Tap() if tapped else None
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Rig:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        if self._tap is not None:
            self._tap.close()

    @property
    def tap(self) -> Tap:
        assert self._tap is not None, "this rig is not tapped"
        return self._tap

    @property
    def environment(self) -> dict[str, str]:
        """Nothing of the caller's own but where programs are."""
        return {
            "HOME": str(self.home),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(_CHECKOUT),
            "CONDUCTD_STATE_DIR": str(self.state_dir),
            "CONDUCTD_CONFIG": str(self._config),
        }

    def start(self) -> float:
        """Start it and wait until it answers; seconds that took."""
        command = [sys.executable, "-m", "conductd"]
        if self._tap is not None:
            command = [sys.executable, "-m", "benchmarks.tapped", str(self._tap.fd)]
        command += ["run", "--state-dir", str(self.state_dir), *(f"--workspace={root}" for root in self.workspaces)]
        begun = time.monotonic()
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                env=self.environment,
                pass_fds=[] if self._tap is None else [self._tap.fd],
            )
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() - begun > _PATIENCE_S:
                raise RuntimeError(f"the daemon does not start: {self.log.read_text(errors='replace')[-2000:]}")
            time.sleep(0.005)
        return time.monotonic() - begun

    def _answers(self) -> bool:
        with suppress(ConductdError, OSError), self.client() as client:
            return client.hello().pid == self.pid
        return False

    def stop(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(signal.SIGCONT)
        process.terminate()
        try:
            process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise

    def client(self) -> Client:
        return Client(os.fsencode(self.state_dir / "conductd.sock"))

    # ------------------------------------------------------------------ the process from outside

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def freeze(self) -> None:
        os.kill(self.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, self.pid, os.WSTOPPED)

    def thaw(self) -> None:
        os.kill(self.pid, signal.SIGCONT)

    def memory_mb(self, what: str = "VmRSS", where: str = "status") -> float:
        """``VmRSS`` now, ``VmHWM`` at its highest; ``Pss`` in ``smaps_rollup``: what others have too counts in part."""
        for line in Path(f"/proc/{self.pid}/{where}").read_text().splitlines():
            if line.startswith(what + ":"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"no {what}")

    def children_mb(self) -> float:
        """Resident memory now of the processes that it started, together."""
        found = 0.0
        with suppress(FileNotFoundError, ProcessLookupError):  # a thread has ended meanwhile
            for task in Path(f"/proc/{self.pid}/task").iterdir():
                for pid in (task / "children").read_text().split():
                    found += _resident_mb(pid)
        return found

    def cpu_s(self) -> float:
        """User and system time so far."""
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS

    def wake_ups(self) -> dict[int, int]:
        """How often each thread, by its id, has gone to sleep by itself so far: as often it was woken."""
        found: dict[int, int] = {}
        for task in Path(f"/proc/{self.pid}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
                for line in (task / "status").read_text().splitlines():
                    if line.startswith("voluntary_ctxt_switches:"):
                        found[int(task.name)] = int(line.split()[1])
        return found

    def settle(self, quiet_s: float = 1.0) -> None:
        """Until it has used next to no processor time for so long."""
        give_up = time.monotonic() + _PATIENCE_S
        while time.monotonic() < give_up:
            before = self.cpu_s()
            time.sleep(quiet_s)
            if self.cpu_s() - before <= 0.03 * quiet_s:
                return


def _resident_mb(pid: str) -> float:
    with suppress(FileNotFoundError, ProcessLookupError):
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    return 0.0  # it has ended


@contextmanager
def reading(state_dir: Path) -> Iterator[Journal]:
    """The journal as it is on disk, read-only."""
    with DirectoryStorage(state_dir / "journal") as storage:
        journal, _ = Journal.open(storage, clock=SystemClock(), writer="benchmarks", read_only=True)
        try:
            yield journal
        finally:
            journal.close()
