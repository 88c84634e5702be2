"""What the checks of a night are given, gathered beforehand. Values that do nothing.

`None` means that it could not be had: a check that needs it says `unknown`, never `pass`.
"""

from __future__ import annotations

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.doctor.finding import Finding as Diagnosis
from conductd.core.night.facts import Night
from conductd.model import Frozen


class Drill(Frozen, frozen=True):
    """The state of the day's beginning, restored into a directory of its own and read again. ``different``: files whose
    bytes are not those on record; ``unreadable``: whose content could not be had. ``left_out``: how many were not tried
    for want of room."""

    files: int
    different: tuple[bytes, ...] = ()
    unreadable: tuple[bytes, ...] = ()
    left_out: int = 0


class CardFacts(Frozen, frozen=True):
    """The boot card: upper end of its tokens, its limit, lines for which it had no room, pinned ones among them."""

    tokens: int
    limit: int
    left_out: int
    pins_left_out: int


class PinFacts(Frozen, frozen=True):
    """How many entries are pinned, and of how many it is open that an agent does not see them."""

    pinned: int
    hidden: int


class QcFacts(Frozen, frozen=True):
    """``diagnoses``: what `doctor` says of the workspace and its agents. ``verified``: the last checkpoint of this day
    or the one before. ``missing``: of the paths that the notes name, relative to the workspace, those that are not
    there. ``searched``: paths that the agent's own memory search takes; ``has_search`` False: it has none, or it is
    off."""

    night: Night
    diagnoses: tuple[Diagnosis, ...] | None = None
    verified: CheckpointResult | None = None
    pins: PinFacts | None = None
    card: CardFacts | None = None
    drill: Drill | None = None
    missing: frozenset[bytes] | None = None
    searched: frozenset[bytes] | None = None
    has_search: bool = True
