"""The first line of the card: what it is, what it saves, what it does not hold. As much of it as fits. Pure."""

from __future__ import annotations

from datetime import date

from conductd.core.notes.source import MARK
from conductd.core.tokens import Calibration, Tokens, estimate
from conductd.model import Frozen

_SHARE = 4  # of the tokens of the card at most one in so many
_LEAST = 40  # or so many


class Facts(Frozen, frozen=True):
    """What the first line counts; see `card.Card`."""

    today: date
    tokens: int
    instead: Tokens
    files: int
    left_out: int
    left_first: str
    pins_known: bool
    secrets: int
    orders: int
    unread: int
    missing: tuple[str, ...]


def header(facts: Facts, most: int, calibration: Calibration) -> str:
    """The fullest that takes a quarter of ``most`` tokens. What is not known, and what was left out, is always said."""
    room = max(_LEAST, most // _SHARE)
    found = ""
    for level in range(4):
        found = f"{MARK}{facts.today.isoformat()}: {'; '.join(_parts(facts, level))}"
        if estimate(found, calibration).high <= room:
            break
    return found


def _parts(facts: Facts, level: int) -> list[str]:
    """``level`` 0: all of it; 3: the least."""
    parts = []
    if level < 3:
        files = counted(facts.files, "file")
        parts.append(f"≈ {facts.tokens:,} tokens instead of ≈ {facts.instead.tokens:,} in {files}")
    if facts.left_out:
        first = f", the first {facts.left_first}" if level == 0 and facts.left_first else ""
        parts.append(f"{counted(facts.left_out, 'line')} left out{first}")
    if not facts.pins_known:
        parts.append("pins not known" if level > 1 else "pins of the daemon not known")
    held = facts.secrets + facts.orders
    if held and level < 2:
        why = " and ".join(
            f"{number} {what}"
            for number, what in ((facts.secrets, "with a secret"), (facts.orders, "like an order"))
            if number
        )
        parts.append(f"not quoted: {why}")
    elif held:
        parts.append(f"{held} not quoted")
    if facts.unread:
        parts.append(f"{facts.unread} not read")
    if facts.missing and level < 1:
        parts.append(f"not found: {', '.join(facts.missing)}")
    return parts or ["nothing left out"]


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
