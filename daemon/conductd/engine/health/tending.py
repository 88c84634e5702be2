"""Looks after the running daemon every few seconds: do its threads get on, is its store still there?

Called on the main thread, which has nothing else to do. Never blocks on what it looks after.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import structlog

from conductd.engine.forgetting.forgetting import Forgetting
from conductd.engine.health import pulse
from conductd.engine.health.overview import Parts
from conductd.engine.health.waking import Waking

log = structlog.get_logger("conductd")

EVERY_S = 2.0
SETS_NS = 60_000_000_000  # between two tries to take a half-done set of writes back

Tell = Callable[[str, str, str], None]


class Tending:
    """`face_alive`: whether the API is served. `tell(reason, message, hint)` makes a trouble known. `others`: threads
    without which recording goes on."""

    def __init__(
        self,
        parts: Parts,
        face_alive: Callable[[], bool],
        tell: Tell,
        forgetting: Forgetting,
        others: Sequence[pulse.Pulse] = (),
    ) -> None:
        self._others = others
        self._parts, self._face_alive, self._tell = parts, face_alive, tell
        self._forgetting = forgetting
        self._known: set[str] = set()
        self._sets_due_ns = 0
        parts.tended_ns = _now()
        self._waking = Waking(parts.clock.wall_ns(), parts.clock.mono_ns())
        self.is_hung = False  # only a restart can help: what a service manager's watchdog is for

    def tend(self, now_ns: int | None = None) -> None:
        """`now_ns`: monotonic, real."""
        parts = self._parts
        parts.recorder.tend()
        self._forgetting.erase_due()
        parts.weakening.expire()
        parts.tended_ns = _now()
        slept_ns = self._waking.slept_ns(parts.clock.wall_ns(), parts.clock.mono_ns())
        if slept_ns:
            # What other machines or systems did to the files meanwhile was announced to nobody.
            log.info("the machine slept, or its clock was set: everything is looked at", seconds=slept_ns // 10**9)
            parts.intake.do(parts.intake.rescan_all)
        now_ns = now_ns or _now()
        if now_ns >= self._sets_due_ns and parts.together.stuck():
            self._sets_due_ns = now_ns + SETS_NS
            parts.judge.call(parts.together.try_again)
        pulses = [parts.recorder.pulse, parts.judge.pulse, parts.intake.pulse]
        # What agents see lies outside of workspaces too: a mount that hangs there is no reason to end recording.
        found = pulse.troubles([*pulses, parts.loads.pulse, *self._others], now_ns)
        watcher = parts.intake.watcher
        lost = [] if watcher is None or watcher.alive() else [pulse.ended("watcher")]
        if not self._face_alive():
            lost.append(pulse.ended("api"))
        found += lost
        self.is_hung = bool(lost) or pulse.is_hung(pulses, now_ns)
        for trouble in found:
            if trouble.reason not in self._known and trouble.reason.startswith("stuck:"):
                log.error("a thread does not get on", reason=trouble.reason, message=trouble.message)
                self._tell(trouble.reason, trouble.message, trouble.hint)
            else:
                parts.degraded.raise_(trouble.reason, trouble.message, trouble.hint)
        now_known = {trouble.reason for trouble in found}
        for reason in self._known - now_known:
            parts.degraded.clear(reason)
        self._known = now_known


def _now() -> int:
    return time.monotonic_ns()
