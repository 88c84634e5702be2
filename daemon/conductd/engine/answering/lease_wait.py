"""What the judge does about a file while a lease of it stands: nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conductd.engine.answering.judged import Again, Judged
from conductd.engine.answering.waits import Wait
from conductd.engine.fold.attribution import WINDOW_NS
from conductd.engine.fold.state import State
from conductd.model import Action
from conductd.ports import Clock

Member = tuple[Wait, Judged]


def let_through(
    state: State, clock: Clock, judged: Sequence[Member], put_off: Callable[[int, Wait, Again], None]
) -> list[Member]:
    """The verdicts that may be answered now. While a lease of a file stands nothing is done about it: a loss that the
    lease excuses waits until nobody can announce it as their own any more, all else until the lease has ended."""
    let = []
    for member in judged:
        wait, one = member
        due = _held_until(state, clock, one)
        if due is None:
            let.append(member)
        else:
            put_off(one.file, wait, Again(clock.mono_ns() + due, "lease"))
    return let


def _held_until(state: State, clock: Clock, judged: Judged) -> int | None:
    """How long from now, in nanoseconds."""
    now, file = clock.wall_ns(), state.files[judged.file]
    with state.lock:
        lease = state.decided.lease(file.workspace, file.path, now)
    if lease is None:
        return None
    until = lease.until_ns
    if judged.verdict.action is Action.RECORD:
        if not judged.verdict.change.lost:
            return None
        until = min(until, judged.seen.at_ns + WINDOW_NS)
    return until - now if until > now else None
