"""Tells somebody outside, now and then, that the daemon lives and records: when it falls silent, they raise the alarm.

Asked on the main thread every few seconds, which only starts a thread; that one waits for the recorder to answer, then
has the URL asked for by a process of its own. A daemon that hangs is silent: neither of the two gets that far.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError

import structlog

from conductd.config.paths import expand
from conductd.config.schema import Config
from conductd.config.schema import Heartbeat as Settings
from conductd.core.notifying.urls import web_fault
from conductd.core.pinging import Condition, is_due, whereto
from conductd.engine.health.overview import Parts
from conductd.errors import ConfigError
from conductd.notify.places import filled, variables
from conductd.notify.sending import Outcome, ping
from conductd.views import HeartbeatView
from conductd.views.reasons import NOT_RECORDING, kind_of

log = structlog.get_logger("heartbeat")

REASON = "heartbeat"
ANSWER_S = 20.0  # within which the recorder has to answer
MINUTE_NS = 60_000_000_000


class Heartbeat:
    """`reasons`: why the daemon is degraded now. `pings(url)` is tried once for each beat."""

    def __init__(
        self,
        parts: Parts,
        env: Mapping[str, str],
        reasons: Callable[[], list[str]],
        *,
        pings: Callable[[str], Outcome] = ping,
        answer_s: float = ANSWER_S,
    ) -> None:
        self._answer_s = answer_s
        self._parts, self._env, self._reasons, self._pings = parts, env, reasons, pings
        self._settings = Settings()
        self._failures = 0
        self._tried_mono_ns: int | None = None
        self._tried_wall_ns = 0
        self._last_ns: int | None = None
        self._over_ns: int | None = None
        self._error = ""
        self._thread: threading.Thread | None = None
        self._urls = ("", "")

    def take(self, config: Config) -> None:
        """From now on as this says: at the start, and when the configuration was read again. On the main thread."""
        self._settings, self._urls = config.heartbeat, ("", "")
        self._tried_mono_ns, self._failures = None, 0
        self._trouble("")
        if not config.heartbeat.url:
            return
        try:
            self._urls = _urls(config, self._env)
        except ConfigError as error:
            self._trouble(error.message, error.hint)

    def tend(self, *, is_hung: bool) -> None:
        """On the main thread, every few seconds; never waits."""
        clock = self._parts.clock
        now, wall = clock.mono_ns(), clock.wall_ns()
        busy = self._thread is not None and self._thread.is_alive()
        if is_hung or busy or not self._urls[0]:
            return
        every = self._settings.every_minutes * MINUTE_NS
        if not is_due(self._tried_mono_ns, self._tried_wall_ns, now, wall, every, self._failures):
            return
        self._tried_mono_ns, self._tried_wall_ns = now, wall
        self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Does not wait for an attempt that hangs."""
        if self._thread is not None:
            self._thread.join(1.0)

    def view(self) -> HeartbeatView | None:
        """None where none is configured."""
        if not self._settings.url:
            return None
        return HeartbeatView(self._settings.every_minutes, self._last_ns, self._error, self._over_ns)

    def _beat(self) -> None:
        try:
            self._beat_once()
        finally:
            self._over_ns = self._parts.clock.wall_ns()

    def _beat_once(self) -> None:
        urls = self._urls
        try:
            url = whereto(*urls, self._condition())
            if not url:
                return  # silence is what says it
            outcome = self._pings(url)
        except Exception:  # never worth the daemon
            log.exception("the heartbeat could not be sent")
            outcome = Outcome("an unexpected failure, see the log")
        if urls != self._urls:
            return  # another configuration is in force meanwhile
        if outcome.is_sent:
            self._failures, self._last_ns = 0, self._parts.clock.wall_ns()
            self._trouble("")
            return
        self._failures += 1
        log.warning("a heartbeat was not taken", error=outcome.error, attempts=self._failures)
        self._trouble(outcome.error)

    def _condition(self) -> Condition:
        """What there is to tell. A recorder that does not answer does not record."""
        recorder = self._parts.recorder
        try:
            recorder.barrier().result(self._answer_s)
        except (TimeoutError, CancelledError):
            return Condition.NOT_RECORDING
        kinds = {kind_of(each) for each in self._reasons()} - {REASON}
        if recorder.down or kinds & NOT_RECORDING:
            return Condition.NOT_RECORDING
        return Condition.DEGRADED if kinds else Condition.WELL

    def _trouble(self, error: str, hint: str = "") -> None:
        self._error = error
        if error:
            message = f"the heartbeat does not get out: {error}"
            self._parts.degraded.raise_(REASON, message, hint or "look at the network and at [heartbeat]")
        else:
            self._parts.degraded.clear(REASON)


def _urls(config: Config, env: Mapping[str, str]) -> tuple[str, str]:
    """The two of the configuration with their secrets. Raises ConfigError, which holds none."""
    path = config.notify.env_file
    given = variables(expand(path, env) if path else "", env)
    found = []
    for key, url in (("url", config.heartbeat.url), ("fail_url", config.heartbeat.fail_url)):
        whole = filled("the heartbeat", url, given)
        fault = web_fault(whole) if whole else ""
        if fault:
            raise ConfigError(f"heartbeat.{key} {fault}", 'url = "https://…"')
        found.append(whole)
    return found[0], found[1]
