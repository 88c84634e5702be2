"""The daemon as a launchd agent of one user: its property list, and how launchctl is asked. Runs nothing.

NOT RUN ON macOS YET: the property list is checked with plistlib, the commands are launchctl(1)'s as documented.
Sources: launchd.plist(5), launchctl(1).
"""

from __future__ import annotations

import os
import plistlib
import re
from collections.abc import Mapping

from conductd.config.paths import home
from conductd.errors import ServiceManagerError
from conductd.service.managed import Run, Standing, Start

LABEL = "dev.conductd.daemon"
_MARK = "CONDUCTD_SERVICE_WRITTEN_BY"
# No character of XML, or one that XML makes another of; bytes that are no UTF-8.
_NO_TEXT = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")
_PID = re.compile(r"^\s*pid = (\d+)", re.MULTILINE)
_STATE = re.compile(r"^\s*state = (.+)$", re.MULTILINE)
_EXIT = re.compile(r"^\s*last exit code = (.+)$", re.MULTILINE)


def log_path(home: str) -> str:
    """Where launchd has the daemon's stderr written."""
    return os.path.join(home, "Library", "Logs", "conductd.log")


class Launchd:
    """`managed.Manager`. ``template``: the text of `launchd/dev.conductd.daemon.plist`."""

    name = "launchd"

    def __init__(self, env: Mapping[str, str], template: str, uid: int) -> None:
        self._home = home(env)
        self.file = os.path.join(self._home, "Library", "LaunchAgents", f"{LABEL}.plist")
        self._template, self._domain = template, f"gui/{uid}"

    @property
    def log(self) -> str:
        return log_path(self._home)

    def text(self, start: Start) -> str:
        told = (("the service's command", " ".join(start.command)), *start.environment, ("HOME", self._home))
        for name, value in told:
            if _NO_TEXT.search(value):
                raise ServiceManagerError(
                    f"{name} holds control characters, or bytes that are no UTF-8: no property list can hold them",
                    "give it a path without, by a symbolic link for instance",
                )
        agent = plistlib.loads(self._template.encode())
        agent["ProgramArguments"] = list(start.command)
        agent["StandardErrorPath"] = self.log
        # A property list that is written anew has no comments: the mark that it is ours stands in the environment.
        agent["EnvironmentVariables"] = {**dict(start.environment), _MARK: "conductd service install"}
        return plistlib.dumps(agent, sort_keys=False).decode()

    def is_ours(self, text: str) -> bool:
        return _MARK in text

    def started_by(self, text: str) -> tuple[str, ...]:
        try:
            agent = plistlib.loads(text.encode())
        except (plistlib.InvalidFileException, ValueError):
            return ()
        words = agent.get("ProgramArguments") if isinstance(agent, dict) else None
        return tuple(map(str, words)) if isinstance(words, list) else ()

    def installing(self, *, start: bool) -> tuple[Run, ...]:
        # What is loaded already is loaded anew: launchd does not look at a file that has changed.
        return (*self.removing(), Run(("launchctl", "bootstrap", self._domain, self.file))) if start else ()

    def lingering(self) -> tuple[Run, ...]:
        return ()  # an agent lives as long as its user is logged in, whatever is asked

    def removing(self) -> tuple[Run, ...]:
        # It may say "Operation now in progress", and return before the daemon has ended; a bootstrap would fail then.
        agent = f"{self._domain}/{LABEL}"
        return (Run(("launchctl", "bootout", agent), may_fail=True, until_unknown=("launchctl", "print", agent)),)

    def removed(self) -> tuple[Run, ...]:
        return ()

    def restarting(self) -> tuple[Run, ...]:
        return (Run(("launchctl", "kickstart", "-k", f"{self._domain}/{LABEL}")),)

    def asking(self) -> tuple[Run, ...]:
        return (Run(("launchctl", "print", f"{self._domain}/{LABEL}"), may_fail=True),)

    def standing(self, answers: tuple[str, ...]) -> Standing:
        told = answers[0]
        pid, state, ended = _PID.search(told), _STATE.search(told), _EXIT.search(told)
        if pid is not None:
            return Standing("running", state[1].strip() if state else "", int(pid[1]), at_login=True)
        if not told.strip():
            return Standing("stopped", "not loaded")
        code = ended[1].strip() if ended else ""
        failed = code not in ("", "0", "(never exited)")
        return Standing("failed" if failed else "stopped", f"last exit code {code}" if failed else "", at_login=True)

    def logs(self, lines: int, *, follow: bool) -> tuple[str, ...]:
        return ("tail", "-n", str(lines), *(("-F",) if follow else ()), self.log)
