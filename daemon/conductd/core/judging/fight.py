"""Fights: a writer that destroys a file again after each repair.

Owns the answer to "may the repair be made now?": at once for the first rounds, then only after
longer and longer quiet, then not at all. An endless fight does more harm than a lost file. Pure;
called by the engine before a repair, with the rounds it has recorded.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.policy import Fights
from conductd.model import Frozen

_MINUTE_NS = 60 * 1_000_000_000
_DAY_NS = 24 * 60 * _MINUTE_NS


class Round(Frozen, frozen=True):
    """One write that destroyed the file. Every write hint counts, also with unchanged bytes.

    ``digest`` None: the file was removed. ``writer`` is the actor's name; "unknown" counts as one
    writer, so that a program that writes other rubbish each time cannot keep a fight going.
    ``answered``: a repair followed it, or will; a round that another overtook while its repair
    waited may be passed as False and then does not count towards the daily limit.
    """

    at_ns: int
    digest: bytes | None
    writer: str
    answered: bool = True


class Answer(Frozen, frozen=True):
    """What to do about the last round.

    ``wait_ns``: 0 = repair now, else only after the file was left alone for that long from now (a
    further write starts it anew). ``rounds`` counts in this fight, from 1. ``loop``: it is a loop.
    ``stand_down``: write no more; a person decides.
    """

    rounds: int
    wait_ns: int = 0
    loop: bool = False
    stand_down: bool = False


def next_answer(rounds: Sequence[Round], now_ns: int, fights: Fights | None = None) -> Answer:
    """The answer to the last of ``rounds`` (in order of time). Without rounds: repair now."""
    rules = fights or Fights()
    if not rounds:
        return Answer(0)
    fight = current_fight(rounds)
    number = len(fight)
    loop = number > rules.at_once
    before = sum(1 for r in rounds[:-1] if r.answered and 0 <= now_ns - r.at_ns < _DAY_NS)
    if before >= rules.per_day or (loop and not rules.backoff_minutes):
        return Answer(number, 0, loop, stand_down=True)
    if not loop:
        return Answer(number)
    step = min(number - rules.at_once, len(rules.backoff_minutes)) - 1
    quiet_ns = rules.backoff_minutes[step] * _MINUTE_NS
    # A clock set back must not turn a wait of minutes into one of years.
    since_ns = max(0, now_ns - fight[-1].at_ns)
    return Answer(number, max(0, quiet_ns - since_ns), loop)


def current_fight(rounds: Sequence[Round]) -> tuple[Round, ...]:
    """The rounds that belong with the last one: same writer or same bytes, no day without a round."""
    last = rounds[-1]
    fight = [last]
    for earlier in reversed(rounds[:-1]):
        if earlier.writer != last.writer and earlier.digest != last.digest:
            continue
        if fight[-1].at_ns - earlier.at_ns >= _DAY_NS:
            break
        fight.append(earlier)
    return tuple(reversed(fight))
