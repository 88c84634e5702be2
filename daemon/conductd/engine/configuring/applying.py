"""Puts a configuration into force while the daemon runs: all of it, or what was in force before again.

What may be refused or have to wait comes in an order in which the most is known before the first thing is changed.
Where something fails after that, everything is given the configuration of before once more; where even that fails,
or a thread has begun and does not end, `InPart` says so. Runs on the main thread; what belongs to the judge and to the
intake is changed on theirs. Called by `engine.configuring.reloading`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any

import structlog

from conductd.config import Config
from conductd.engine.health.overview import Parts
from conductd.engine.people import settings
from conductd.engine.people.waiting import PATIENCE_S, acted
from conductd.engine.roots import Chosen
from conductd.engine.workspaces import Handle
from conductd.errors import Busy, ConductdError, ConfigError
from conductd.model import Frozen
from conductd.watch.watchset import WatchSet

log = structlog.get_logger("config")

HINT = "conductd reload; if it stays, conductd service restart"


class InPart(ConfigError):
    """Some of it is in force, some of what was in force before still is."""


class _Before(Frozen, frozen=True):
    """What was in force. ``roots`` by workspace."""

    config: Config
    roots: Mapping[str, Chosen]
    watched: Mapping[str, WatchSet]


class Applying:
    """``others`` take up what neither the judge nor the intake has to do with. ``patience_s``: how long a thread may
    take to begin."""

    def __init__(
        self, parts: Parts, others: Sequence[Callable[[Config], object]], patience_s: float = PATIENCE_S
    ) -> None:
        self._parts, self._others, self._patience_s = parts, others, patience_s
        self._has_begun = False  # something is by the new one already
        self._has_watched = False  # workspaces, too

    def apply(self, before: Config, config: Config, roots: Sequence[Chosen]) -> None:
        """Raises InPart, or whatever kept it from being in force: nothing of it is in force then."""
        was = self._now(before)
        watched = was.watched  # a thread may hold on to what it did last: not to the configuration of before
        self._has_begun = self._has_watched = False
        try:
            self._compare(config)  # what protects less is told before it holds
            self._judge_by(config, roots)
            self._done(self._parts.intake.do(lambda: self._watch(config, roots, watched)))
        except Exception as error:
            if not isinstance(error, ConductdError):
                log.exception("the configuration could not be put into force")
            if self._has_begun:
                self._take_back(was, error)
            raise
        self._parts.loads.barrier()  # agents see other files, or as others: not waited for

    def _compare(self, config: Config) -> None:
        parts = self._parts
        settings.compare(parts.state, parts.recorder, config, parts.journal.key, observe=parts.observing)

    def _now(self, config: Config) -> _Before:
        parts, roots, watched = self._parts, {}, {}
        for handle in parts.workspaces.handles():
            with parts.state.lock:
                track = parts.state.workspaces[handle.id]
            roots[handle.id] = Chosen(handle.root, track.mode, handle.profile, "config")
            watched[handle.id] = parts.workspaces.watch_set(handle)
        return _Before(config, roots, watched)

    def _take_back(self, was: _Before, error: Exception) -> None:
        """Raises InPart where what was in force cannot be put back."""
        said = sentence(error)
        if isinstance(error, _Hangs):
            log.error("a thread does not come to an end with the configuration", fault=said)
            raise InPart(f"the configuration is in force in part only: {said}", HINT) from error
        here = {handle.id: handle.root for handle in self._parts.workspaces.handles()}
        # One that was moved meanwhile is where it is now, whichever configuration found it.
        roots = [_at(each, here.get(workspace, each.path)) for workspace, each in was.roots.items()]
        now = {each.id: self._parts.workspaces.watch_set(each) for each in self._parts.workspaces.handles()}
        try:
            self._judge_by(was.config, roots)
            if self._has_watched:
                self._done(self._parts.intake.do(lambda: self._watch(was.config, roots, now)))
            self._compare(was.config)
        except Exception as other:
            log.exception("the configuration of before could not be put back")
            both = (
                said
                if sentence(other) == said
                else f"{said}; and what was in force cannot be put back: {sentence(other)}"
            )
            raise InPart(f"the configuration is in force in part only: {both}", HINT) from error

    def _judge_by(self, config: Config, roots: Sequence[Chosen]) -> None:
        """All but what the intake does."""
        parts, policy = self._parts, config.policy()
        agent_state = {root.path: root.agent_state for root in roots if root.agent_state}
        ignored = [bytes.fromhex(mark) for mark in config.secrets.ignore]

        def judge_by_it() -> None:
            self._has_begun = True
            parts.workspaces.take(config, agent_state)
            parts.judge.take(policy)

        self._done(parts.judge.call(judge_by_it))
        parts.weakening.take(config.people.request_days)
        parts.secrets.take(policy, ignored, scan=config.secrets.scan)
        parts.loads.looker.take(config)
        parts.loads.take(policy.waits, config.rescan_seconds)
        if parts.intake.watcher is not None:
            parts.intake.watcher.take(config.poll_ms / 1000)
        for take in self._others:
            take(config)

    def _watch(self, config: Config, roots: Sequence[Chosen], before: Mapping[str, WatchSet]) -> None:
        """On the intake thread. What is put on record comes first: until then no workspace is let go of."""
        self._has_watched = True
        parts = self._parts
        wanted = {root.path for root in roots}
        here = {handle.root: handle for handle in parts.workspaces.handles()}
        new: list[Handle] = []
        for root in roots:
            known = here.get(root.path)
            if known is None:
                new.append(parts.workspaces.register(root.path, root.mode, root.profile))
            else:
                parts.workspaces.settle(known, root.mode, root.profile)
        for handle in parts.workspaces.handles():
            if handle.root not in wanted and not self._is_decided(handle.id):
                parts.intake.remove(handle)
        parts.intake.take(config.max_file_bytes, config.rescan_seconds)
        for handle in new:
            parts.intake.add(handle)
        for path, handle in here.items():
            if path in wanted and handle.root == path:
                rewatch = parts.workspaces.watch_set(handle) != before.get(handle.id)
                parts.intake.anew(handle, rewatch=rewatch)

    def _done(self, reply: Future[Any]) -> None:
        """Raises Busy where the thread has not begun, and will not."""
        try:
            acted(reply, self._patience_s)
        except Busy as error:
            if reply.cancelled():
                raise
            raise _Hangs(error.message, error.hint) from error

    def _is_decided(self, workspace: str) -> bool:
        """A person took it on, or set its mode: the configuration does not let go of it."""
        with self._parts.state.lock:
            track = self._parts.state.workspaces.get(workspace)
        return track is not None and track.decided


class _Hangs(Busy):
    """A thread has begun with it and does not come to an end."""


def _at(root: Chosen, path: bytes) -> Chosen:
    return Chosen(path, root.mode, root.profile, root.why)


def sentence(error: Exception) -> str:
    """For people: what is no sentence of ours is in the log."""
    return error.message if isinstance(error, ConductdError) else f"{type(error).__name__}, see the log"
