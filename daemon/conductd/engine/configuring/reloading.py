"""Reads the configuration again and puts it into force while the daemon runs: nothing is closed, nothing is missed.

A broken one changes nothing: the one before stays in force, and every fault is told. What protects less is told
before it holds. Runs on the main thread; what belongs to the judge and to the intake is changed on theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import structlog

from conductd.config import Config
from conductd.engine.configuring.changes import AT_START, as_running, changed_keys
from conductd.engine.configuring.reading import Read, keep, told
from conductd.engine.health.logs import configure as configure_logs
from conductd.engine.health.overview import Parts
from conductd.engine.people import settings
from conductd.engine.people.waiting import acted, result
from conductd.engine.roots import Chosen
from conductd.errors import ConductdError, ConfigError
from conductd.views.reload import ReloadView
from conductd.watch.watchset import WatchSet

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
        self._read, self._choose, self._others, self._tell = read, choose, others, tell
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
            self._apply(as_running(before.config, found.config), roots)
        except ConductdError as error:
            faults = error.faults if isinstance(error, ConfigError) else ()
            fault = ConfigError(error.message, error.hint, faults)
            self._is_broken(before.source, fault)
            said = f"{fault.message}: the configuration that was in force still is"
            return ReloadView(False, before.source, said, faults=list(faults or (fault.message,)), hint=fault.hint)
        except Exception as error:
            log.exception("the configuration could not be put into force")
            message = f"the configuration is in force in part only: {type(error).__name__}, see the log"
            self._tell(REASON, message, "conductd service restart")
            return ReloadView(False, before.source, message, faults=[message], hint="conductd service restart")
        return self._is_in_force(before, found)

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

    # ------------------------------------------------------------------ into force

    def _apply(self, config: Config, roots: tuple[Chosen, ...]) -> None:
        """Raises StoreUnavailable where nothing can be told, Busy where a thread does not get to it."""
        parts, policy = self._parts, config.policy()
        settings.compare(parts.state, parts.recorder, config, parts.journal.key, observe=parts.observing)
        watched = {each.id: parts.workspaces.watch_set(each) for each in parts.workspaces.handles()}
        agent_state = {root.path: root.agent_state for root in roots if root.agent_state}

        def judge_by_it() -> None:
            parts.workspaces.take(config, agent_state)
            parts.judge.take(policy)

        acted(parts.judge.call(judge_by_it))
        parts.weakening.take(config.people.request_days)
        ignored = [bytes.fromhex(mark) for mark in config.secrets.ignore]
        parts.secrets.take(policy, ignored, scan=config.secrets.scan)
        parts.loads.looker.take(config)
        parts.loads.take(policy.waits, config.rescan_seconds)
        if parts.intake.watcher is not None:
            parts.intake.watcher.take(config.poll_ms / 1000)
        for take in self._others:
            take(config)
        result(parts.intake.do(lambda: self._watch(config, roots, watched)))
        parts.loads.barrier()  # agents see other files, or as others: not waited for

    def _watch(self, config: Config, roots: tuple[Chosen, ...], before: Mapping[str, WatchSet]) -> None:
        """On the intake thread."""
        parts = self._parts
        wanted = {root.path for root in roots}
        for handle in parts.workspaces.handles():
            if handle.root not in wanted and not self._is_decided(handle.id):
                parts.intake.remove(handle)
        parts.intake.take(config.max_file_bytes, config.rescan_seconds)
        here = {handle.root: handle for handle in parts.workspaces.handles()}
        for root in roots:
            known = here.get(root.path)
            if known is None:
                parts.intake.add(parts.workspaces.register(root.path, root.mode, root.profile))
                continue
            parts.workspaces.settle(known, root.mode, root.profile)
            parts.intake.anew(known, rewatch=parts.workspaces.watch_set(known) != before.get(known.id))

    def _is_decided(self, workspace: str) -> bool:
        """A person took it on, or set its mode: the configuration does not let go of it."""
        with self._parts.state.lock:
            track = self._parts.state.workspaces.get(workspace)
        return track is not None and track.decided
