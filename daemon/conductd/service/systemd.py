"""The daemon as a systemd user service: its unit, and how systemctl is asked. Runs nothing.

Sources: systemd.unit(5), systemd.service(5), systemctl(1), loginctl(1).
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from conductd.config.paths import home
from conductd.service.managed import Run, Standing, Start
from conductd.service.unit_words import assignment, command, words

UNIT = "conductd.service"
_EXEC = re.compile(r"^ExecStart=.*$", re.MULTILINE)
_RELOAD = re.compile(r"^ExecReload=.*$", re.MULTILINE)
_SHOWN = ("ActiveState", "SubState", "Result", "MainPID", "UnitFileState", "StatusText", "ExecMainStatus")
_STATES = {"active": "running", "reloading": "running", "activating": "starting", "failed": "failed"}
_INSTALL = (
    "# Written by `conductd service install`, which writes it anew. Changes of your own: systemctl --user edit conductd"
)


class Systemd:
    """`managed.Manager`. ``template``: the text of `systemd/conductd.service`."""

    name = "systemd"

    def __init__(self, env: Mapping[str, str], template: str, user: str) -> None:
        config = env.get("XDG_CONFIG_HOME", "")
        self._home = home(env)
        base = config if os.path.isabs(config) else os.path.join(self._home, ".config")
        self.file = os.path.join(base, "systemd", "user", UNIT)
        self._template, self._user = template, user

    def text(self, start: Start) -> str:
        body = self._template[self._template.index("[Unit]") :]
        lines = [f"Environment={assignment(name, value)}" for name, value in start.environment]
        lines.append(f"ExecStart={command(start.command)}")
        reload = f"ExecReload={command(start.reload)}"
        body = _EXEC.sub(lambda _: "\n".join(lines), body, count=1)
        return f"{_INSTALL}\n\n" + _RELOAD.sub(lambda _: reload, body, count=1)

    def is_ours(self, text: str) -> bool:
        return text.startswith(_INSTALL.partition(",")[0])

    def started_by(self, text: str) -> tuple[str, ...]:
        found = _EXEC.search(text)
        return words(found[0].partition("=")[2], self._home) if found else ()

    def installing(self, *, start: bool) -> tuple[Run, ...]:
        runs = (_systemctl("daemon-reload"), _systemctl("enable", UNIT))
        return (*runs, _systemctl("restart", UNIT)) if start else runs

    def lingering(self) -> tuple[Run, ...]:
        return (Run(("loginctl", "enable-linger", self._user)),)

    def removing(self) -> tuple[Run, ...]:
        return (_systemctl("disable", "--now", UNIT, may_fail=True),)

    def removed(self) -> tuple[Run, ...]:
        return (_systemctl("daemon-reload"), _systemctl("reset-failed", UNIT, may_fail=True))

    def restarting(self) -> tuple[Run, ...]:
        return (_systemctl("restart", UNIT),)

    def asking(self) -> tuple[Run, ...]:
        shown = [f"--property={each}" for each in _SHOWN]
        linger = Run(("loginctl", "show-user", self._user, "--property=Linger"), may_fail=True)
        return (_systemctl("show", UNIT, *shown), linger)

    def standing(self, answers: tuple[str, ...]) -> Standing:
        shown = dict(line.split("=", 1) for line in answers[0].splitlines() if "=" in line)
        linger = answers[1].strip().partition("=")[2] if len(answers) > 1 else ""
        state = _STATES.get(shown.get("ActiveState", ""), "stopped")
        if shown.get("SubState") == "auto-restart":
            state = "failed"
        why, code = shown.get("StatusText", ""), 0
        if state == "failed":
            code = int(shown.get("ExecMainStatus") or 0)
            why = f"{shown.get('Result', 'failed')}{f', exit code {code}' if code else ''}"
        return Standing(
            state,
            why,
            int(shown.get("MainPID") or 0),
            shown.get("UnitFileState") == "enabled",
            {"yes": True, "no": False}.get(linger),
            code,
        )

    def logs(self, lines: int, *, follow: bool) -> tuple[str, ...]:
        wanted = ("journalctl", "--user", "--user-unit", UNIT, "--no-hostname", "-n", str(lines))
        return (*wanted, "--follow") if follow else (*wanted, "--no-pager")


def _systemctl(*words: str, may_fail: bool = False) -> Run:
    return Run(("systemctl", "--user", *words), may_fail)
