"""What a judgement says: what became of each entry, the class, the action. Values that do nothing."""

from __future__ import annotations

import msgspec

from conductd.model.vocabulary import Action, EventClass, Frozen, Severity


class Span(Frozen, frozen=True):
    """An entry of some version by place: 1-based first and last line, its weight (word tokens)
    and a keyed fingerprint (8 bytes) of its normalised text."""

    line: int
    last_line: int
    weight: int
    fingerprint: bytes


class Relocated(Frozen, frozen=True):
    """An old entry and where it is now. ``path`` is None for the same file."""

    old: Span
    path: bytes | None
    line: int
    similarity: float


class Change(Frozen, frozen=True):
    """From the baseline to what is there now. ``kept`` + reworded + moved + lost = entries before.

    Weights are word tokens; ``lost_share`` is weight lost / weight before (0..1).
    ``moved`` is in other files of the workspace, reworded ones included.
    """

    entries_before: int = 0
    kept: int = 0
    reworded: tuple[Relocated, ...] = ()
    moved: tuple[Relocated, ...] = ()
    lost: tuple[Span, ...] = ()
    added: tuple[Span, ...] = ()  # places in the new version
    new_entries: int = 0  # of the added: those that count for merging
    weight_before: int = 0
    weight_lost: int = 0
    weight_added: int = 0
    lost_share: float = 0.0
    unsearched: int = 0  # of the lost: entries that were not fully looked for in other words


class Booking(Frozen, frozen=True):
    """What a change that nothing is done about puts into the ledger of small losses. ``lost``: those of
    its lost entries that count. ``gained``: fingerprints of its new entries (the first ones; ``gains``
    is their number)."""

    lost: tuple[Span, ...] = ()
    gained: tuple[bytes, ...] = ()
    gains: int = 0
    weight_gained: int = 0
    entries_before: int = 0


class SmallLoss(Frozen, frozen=True):
    """One earlier write of an erosion: of what it dropped, what is still lost (places in ``base_seq``).
    ``file`` 0: the file under judgement."""

    file: int
    path: bytes
    base_seq: int
    version_seq: int
    at_ns: int
    actor: str
    lost: tuple[Span, ...] = ()


class PinSet(Frozen, frozen=True):
    """What a change does to the pins of its workspace. ``pinned``: entries that are pinned from now on, by place
    in the version judged; ``before``: by place in its baseline; ``unpinned``: fingerprints that are no more."""

    pinned: tuple[Span, ...] = ()
    before: tuple[Span, ...] = ()
    unpinned: tuple[bytes, ...] = ()


class Verdict(Frozen, frozen=True):
    """Class, severity and action for one change of one file, and why.

    ``rule`` names the rule that decided (see docs/judgement.md), ``facts`` the figures it used
    (JSON scalars). ``base_seq`` is the version a stale writer had. ``charged_to`` is the version
    sequence that caused the loss. ``debt`` true: what was lost stays offered in an incident.
    ``writes``: of an erosion, the earlier writes that belong to it.
    """

    event_class: EventClass
    severity: Severity
    action: Action
    rule: str
    change: Change = Change()
    facts: dict[str, str | int | float | bool] = msgspec.field(default_factory=dict)
    base_seq: int | None = None
    charged_to: int | None = None
    debt: bool = False
    judge_version: int = 1
    booked: Booking | None = None
    writes: tuple[SmallLoss, ...] = ()
    pins: PinSet | None = None
