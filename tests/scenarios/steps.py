"""Plays a scenario's steps against a real daemon: files, time, faults, processes, a person's commands.

A file step is over when its hints are recorded. Time moves only where a step says so, and then
every deadline on the way is met at its own time.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

from scenarios import language
from scenarios.language import FILE_STEPS, Folder, Scenario, Step, operation_of
from scenarios.manager import played_ms
from scenarios.witness import Witness
from support import editors
from support.api import ApiError
from support.daemon import Daemon
from support.terminal import Ran

_UNITS_MS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_LOOKS_ONLY = ("snapshot", "fact")


def milliseconds(duration: object) -> int:
    """`"18m"`, `"45s"`, `"365d"`; a bare number is milliseconds."""
    found = re.fullmatch(r"(\d+)\s*(ms|s|m|h|d)?", str(duration))
    if found is None:
        raise ValueError(f"no duration: {duration!r}")
    return int(found[1]) * _UNITS_MS[found[2] or "ms"]


class Player:
    """Plays the steps in order. `outcomes` keeps by label what a command or a second start said.

    `labelled(label)` is called once the step with that label is over.
    """

    def __init__(self, scenario: Scenario, folder: Folder, daemon: Daemon, labelled: Callable[[str], None]) -> None:
        self._scenario = scenario
        self._folder = folder
        self._daemon = daemon
        self._labelled = labelled
        self.witness = Witness(scenario, folder)
        self.outcomes: dict[str, Ran] = {}

    def play(self) -> None:
        self._folder.set_up(language.setup_of(self._scenario))
        if not self._starts_by_itself():
            self._start()
        self._play(self._scenario["steps"])

    def _starts_by_itself(self) -> bool:
        """The first thing the steps do with the daemon is to start it."""
        done = [argument for name, argument in map(operation_of, self._scenario["steps"]) if name == "daemon"]
        return bool(done) and done[0] == "start"

    def _play(self, steps: list[Step]) -> None:
        for step in steps:
            name, argument = operation_of(step)
            try:
                self._step(step, name, argument)
            except Exception as error:
                error.add_note(f"in step {step}")
                raise
            if "label" in step:
                self._labelled(step["label"])

    def _step(self, step: Step, name: str, argument: Any) -> None:
        if name == "write" or name in FILE_STEPS:
            self._file_step(step, name, argument)
        elif name == "repeat":
            for _ in range(argument["times"]):
                self._play(argument["steps"])
        else:
            STEPS[name](self, argument, step)

    # ------------------------------------------------------------------ files

    def _file_step(self, step: Step, name: str, argument: Any) -> None:
        if step.get("via") == "hook":
            self._announce(step["actor"], name, argument)
        with self._editor(step, name, argument):
            self._folder.play(name, argument, self._gap)
        if name not in _LOOKS_ONLY:
            self.witness.after_writer()
            self._sync()

    @contextmanager
    def _editor(self, step: Step, name: str, argument: Any) -> Iterator[None]:
        """A person saves from a living editor; one who uses a shell leaves no trace of it."""
        who = str(step.get("actor", ""))
        if name != "write" or not who.startswith("human:") or who == "human:shell":
            yield
            return
        editor, file = who.removeprefix("human:"), self._folder.at(argument["path"])
        display = ":0" if argument.get("mode") == "gedit" else ""
        holds = [editors.swap_file(file)] if editor in ("vim", "nvim") else []
        with editors.running(editor, file.name, directory=file.parent, display=display, holds=holds) as pid:
            with editors.saving(editor, file, pid):
                yield
            self._sync()
            editors.close(file)

    def _announce(self, actor: str, name: str, argument: Any) -> None:
        """What a hook that saw the call tells the daemon before the tool runs."""
        if not self._daemon.listening:
            return
        for path, content in self._folder.announced(name, argument):
            digest = None if content is None else hashlib.sha256(content).hexdigest()
            body = {"actor": actor, "path": str(self._folder.at(path)), "digest": digest}
            try:
                self._daemon.api.post("/v1/evidence", body)
            except ApiError as error:
                # A hook announces every write of its agent, also those that are none of the daemon's business.
                if error.code != "not_found":
                    raise

    def _gap(self, gap_ms: int) -> None:
        self._sync()
        self._pass_time(gap_ms)

    def _sync(self) -> None:
        if self._daemon.listening:
            self._daemon.sync()

    # ------------------------------------------------------------------ time

    def _pass_time(self, ms: int) -> None:
        self._daemon.pass_time(ms)
        self.witness.after_daemon()

    def _settle(self, _: Any, __: Step) -> None:
        if self._daemon.listening:
            self._daemon.settle()
        self.witness.after_daemon()

    def _sleep(self, argument: Any, _: Step) -> None:
        self._pass_time(milliseconds(argument["ms"]))

    def _clock(self, argument: Any, _: Step) -> None:
        ((how, value),) = argument.items()
        match how:
            case "advance":
                self._pass_time(milliseconds(value))
            case "back":
                self._daemon.set_wall(self._daemon.wall_ns - milliseconds(value) * 1_000_000)
            case "suspend":
                # Monotonic time stands still while a machine sleeps.
                self._daemon.set_wall(self._daemon.wall_ns + milliseconds(value) * 1_000_000)
            case "tz":
                self._daemon.set_zone(value)
            case "set":
                at = value if isinstance(value, datetime) else datetime.fromisoformat(value)
                self._daemon.set_wall(int(at.timestamp() * 1_000_000_000))
            case unknown:
                raise ValueError(f"no clock step {unknown}")
        if self._daemon.listening and how != "advance":
            self._daemon.jobs_done()

    # ------------------------------------------------------------------ the daemon

    def _start(self) -> None:
        self._daemon.start()
        self._daemon.sync()

    def _daemon_step(self, argument: Any, step: Step) -> None:
        match argument:
            case "start" if self._daemon.running:
                self.outcomes[step.get("label", "start")] = self._daemon.start_another()
            case "start":
                self._start()
            case "stop":
                self._daemon.stop()
            case "kill9":
                self._daemon.kill()
            case "restart":
                self._daemon.restart()
                self._daemon.sync()
            case "sigstop":
                self._daemon.freeze()
            case "sigcont":
                self._daemon.thaw()
            case unknown:
                raise ValueError(f"no daemon step {unknown}")

    def _fault(self, argument: Any, _: Step) -> None:
        kind = argument["kind"]
        if kind == "none":
            self._daemon.clear_faults()
            return
        for_ms = argument.get("for_ms")
        value = argument.get("value", 0)
        if kind == "dbus_absent":
            assert not self._daemon.running
            for name in ("DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"):
                self._daemon.environment.pop(name, None)
            return
        amount = played_ms(milliseconds(value)) if kind == "slow_fsync" else int(value)
        self._daemon.fault(kind, path=argument.get("path", ""), value=amount, for_ms=for_ms)
        if kind == "enospc_after_bytes" and amount == 0 and self._daemon.listening:
            # "Full" is meant: not only for what comes after the space the journal made ahead.
            self._daemon.fill_store()
        if for_ms is not None:
            self._pass_time(for_ms)

    def _cli(self, argument: Any, step: Step) -> None:
        ran = self._daemon.cli(*map(str, argument), directory=self._folder.root)
        self.outcomes[step.get("label", "cli")] = ran
        assert ran.exit_code == 0, f"conductd {' '.join(map(str, argument))} ended with {ran.exit_code}:\n{ran.output}"
        self._sync()
        self.witness.after_daemon()

    def _note(self, argument: Any, _: Step) -> None:
        """A note is for the reader; what it says of a pid file is also done, where there is one."""
        if "pid file" in str(argument) and not self._daemon.running:
            for pid_file in self._daemon.state_dir.rglob("*.pid"):
                pid_file.write_text(f"{os.getpid()}\n")


STEPS: dict[str, Callable[[Player, Any, Step], None]] = {
    "settle": Player._settle,
    "sleep": Player._sleep,
    "clock": Player._clock,
    "daemon": Player._daemon_step,
    "fault": Player._fault,
    "cli": Player._cli,
    "note": Player._note,
}
