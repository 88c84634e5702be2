"""Mass loss: many files of one workspace destroyed at once.

Owns the grouping of verdicts into one incident that is restored as a set; each file keeps its own
class. Pure; called by the engine with the recent verdicts of one workspace.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.policy import Thresholds
from conductd.model import Action, EventClass, Verdict

_DESTRUCTIVE = frozenset(
    {
        EventClass.OVERWRITE,
        EventClass.SHRINK,
        EventClass.DELETION,
        EventClass.PARTIAL_WRITE,
        EventClass.PLACEHOLDER,
        EventClass.PINNED_LOSS,
    }
)


def counts(verdict: Verdict) -> bool:
    """The verdict takes part in a mass loss: destroyed, and not meant or moved."""
    return verdict.event_class in _DESTRUCTIVE and verdict.action is not Action.RECORD


def is_mass(
    losses: Sequence[tuple[int, Verdict]],
    files: int,
    thresholds: Thresholds | None = None,
    answered: Sequence[int] = (),
) -> tuple[int, ...]:
    """Which of ``losses`` are part of one mass loss, by index; none when it is not one.

    ``losses``: when each file was written (ns) and what was found, one per file, in any order.
    ``files``: how many protected files the workspace had before. ``answered``: when other files of it
    were destroyed whose loss has been answered already; they count, and are in no result.
    """
    limits = thresholds or Thresholds()
    window_ns = limits.mass_window_ms * 1_000_000
    found = [(at_ns, index) for index, (at_ns, verdict) in enumerate(losses) if counts(verdict)]
    found = sorted([*found, *((at_ns, -1) for at_ns in answered)])
    members: set[int] = set()
    first = 0
    for last, (at_ns, _) in enumerate(found):
        while at_ns - found[first][0] > window_ns:
            first += 1
        together = found[first : last + 1]
        if _enough(len(together), files, limits):
            members.update(index for _, index in together)
    return tuple(sorted(members - {-1}))


def _enough(lost: int, files: int, limits: Thresholds) -> bool:
    if lost >= limits.mass_files:
        return True
    return (
        lost >= limits.mass_small_files
        and files >= limits.mass_small_workspace
        and lost >= limits.mass_small_share * files
    )
