"""How a check of the night is asked. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conductd.core.qc.notes import Given
from conductd.core.qc.results import Finding, Grade

MOST_EVIDENCE = 12


@dataclass(frozen=True, slots=True)
class Check:
    """``looks_at``: one phrase for docs/qc.md. ``needs``: fields of `QcFacts`, or of its ``night.day``, without which
    nothing can be said."""

    name: str
    looks_at: str
    look: Callable[[Given], Seen]
    needs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found, before its check is named."""

    grade: Grade
    words: str
    evidence: Sequence[str] = ()
    fix: str = ""


_LACKS = {
    "diagnoses": "what doctor sees could not be gathered",
    "verified": "no checkpoint verified the journal on this day or the one before",
    "pins": "the pins are not known",
    "card": "the boot card could not be made",
    "drill": "yesterday's state could not be restored for a try",
    "missing": "which of the named files are there could not be looked up",
    "searched": "what the agent's memory search takes could not be looked up",
    "changes": "the history of the day cannot be read",
    "incidents": "the incidents cannot be read",
}


def asked(check: Check, given: Given) -> Finding:
    """One finding, whatever the facts; missing ones are `unknown`."""
    for need in check.needs:
        holder = given.night.day if need in ("changes", "incidents") else given.facts
        if getattr(holder, need) is None:
            return Finding(check.name, Grade.UNKNOWN, _LACKS[need])
    seen = check.look(given)
    more = len(seen.evidence) - MOST_EVIDENCE
    evidence = (*seen.evidence[:MOST_EVIDENCE], *([f"and {more} more"] if more > 0 else []))
    return Finding(
        check.name, seen.grade, seen.words, tuple(evidence), seen.fix if seen.grade is not Grade.PASS else ""
    )
