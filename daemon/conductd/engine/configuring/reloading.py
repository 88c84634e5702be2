"""Reads the configuration again and puts it into force while the daemon runs: nothing is closed, nothing is missed.

A broken one changes nothing: the one before stays in force, and every fault is told. What cannot be put into force is
taken back (`engine.configuring.applying`). Runs on the main thread.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import structlog

from conductd.config import Config
from conductd.engine.configuring.applying import Applying, InPart, sentence
from conductd.engine.configuring.changes import AT_START, as_running, changed_keys
from conductd.engine.configuring.reading import Read, keep, told
from conductd.engine.health.logs import configure as configure_logs
from conductd.engine.health.overview import Parts
from conductd.engine.roots import Chosen
from conductd.errors import ConductdError, ConfigError
from conductd.views.reload import ReloadView

log = structlog.get_logger("config")

REASON = "config"
LATER = "config_restart"
THEN = "then: conductd reload"

Tell = Callable[[str, str, str], None]


class Reloading:
    """``read`` reads what is written now, given the text in force; ``choose`` says which workspaces that means (both
    raise ConductdError); ``others`` take up what neither the judge nor the intake has to do with.
    ``tell(reason, message, hint)`` makes a trouble known."""

    def __init__(
        self,
        parts: Parts,
        in_force: Read,
        read: Callable[[str], Read],
        choose: Callable[[Config], tuple[Chosen, ...]],
        others: Sequence[Callable[[Config], object]],
        tell: Tell,
    ) -> None:
        self._parts, self._in_force = parts, in_force
        self._read, self._choose, self._tell = read, choose, tell
        self._applying = Applying(parts, others)
        if in_force.fault is not None:
            self._is_broken(in_force.source, in_force.fault)
        else:
            keep(parts.state_dir, in_force)

    def reload(self) -> ReloadView:
        """Never raises: what went wrong is in the answer, in the log and in the status."""
        before = self._in_force
        try:
            found = self._read(before.text)
            roots = self._choose(found.config)
            self._applying.apply(before.config, as_running(before.config, found.config), roots)
        except InPart as error:
            self._tell(REASON, error.message, error.hint)
            return ReloadView(False, before.source, error.message, faults=[error.message], hint=error.hint)
        except ConductdError as error:
            faults = error.faults if isinstance(error, ConfigError) else ()
            return self._refused(before, ConfigError(error.message, error.hint, faults))
        except Exception as error:
            log.exception("the configuration could not be put into force")
            what = f"the configuration cannot be put into force: {sentence(error)}"
            return self._refused(before, ConfigError(what, "correct it, or report the fault"))
        return self._is_in_force(before, found)

    def _refused(self, before: Read, fault: ConfigError) -> ReloadView:
        self._is_broken(before.source, fault)
        said = f"{fault.message}: the configuration that was in force still is"
        return ReloadView(False, before.source, said, faults=list(fault.faults or (fault.message,)), hint=fault.hint)

    def _is_in_force(self, before: Read, found: Read) -> ReloadView:
        parts = self._parts
        keep(parts.state_dir, found)
        parts.degraded.clear(REASON)
        keys = changed_keys(before.config, found.config)
        later = [key for key in keys if key in AT_START]
        changed = [key for key in keys if key not in AT_START]
        self._in_force = Read(as_running(before.config, found.config), found.source, found.text)
        if later:
            names = ", ".join(later)
            message = f"the configuration names another {names}: it holds from the next start on"
            parts.degraded.raise_(LATER, message, "conductd service restart")
        else:
            parts.degraded.clear(LATER)
        log.info("configuration reloaded", source=found.source, changed=changed, at_restart=later)
        configure_logs(found.config.log)
        said = f"in force now: {', '.join(changed)}" if changed else "nothing that holds while it runs has changed"
        return ReloadView(True, found.source, said, changed, later)

    def _is_broken(self, source: str, fault: ConfigError) -> None:
        for each in fault.faults or (fault.message,):
            log.error("the configuration has a fault", source=source, fault=each)
        self._tell(REASON, told(fault), f"{fault.hint or 'correct it'}; {THEN}")
