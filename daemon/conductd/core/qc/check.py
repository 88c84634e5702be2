"""How a check of the night is asked. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from conductd.core.qc.notes import Given
from conductd.core.qc.results import Finding, Grade
from conductd.views import shown
from conductd.views.words import counted, pasted

MOST_EVIDENCE = 12


@dataclass(frozen=True, slots=True)
class Check:
    """``looks_at``: one phrase for docs/qc.md. ``needs``: fields of `QcFacts`, or of its ``night.day``, without which
    nothing can be said. ``reads``: it looks at the text of files, so that it says nothing of those it has not."""

    name: str
    looks_at: str
    look: Callable[[Given], Seen]
    needs: tuple[str, ...] = ()
    reads: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """What a look found, before its check is named."""

    grade: Grade
    words: str
    evidence: Sequence[str] = ()
    fix: str = ""


_LACKS = {
    "diagnoses": ("what doctor sees could not be gathered", "conductd doctor"),
    "verified": ("no checkpoint verified the journal on this day or the one before", "conductd jobs run checkpoint"),
    "pins": ("the pins are not known", "conductd pins"),
    "card": ("the boot card could not be made", "conductd bootcard"),
    "drill": ("yesterday's state could not be restored for a try", "conductd verify"),
    "missing": ("which of the named files are there could not be looked up", "conductd status"),
    "searched": ("what the agent's memory search takes could not be looked up", "conductd memory list"),
    "changes": ("the history of the day cannot be read", "conductd verify"),
    "incidents": ("the incidents cannot be read", "conductd verify"),
}
"""What is said of a fact that is missing, and what helps."""

_OF_WORKSPACE = {
    "conductd bootcard": (),
    "conductd doctor": ("--workspace",),
    "conductd doctor --fix": ("--workspace",),
    "conductd jobs run checkpoint": ("--workspace",),
    "conductd load": ("--workspace",),
    "conductd memory list": ("--workspace",),
    "conductd pins": (),
}
"""Commands that are about one workspace, and the option that names it."""


def asked(check: Check, given: Given) -> Finding:
    """One finding, whatever the facts; missing ones are `unknown`."""
    for need in check.needs:
        holder = given.night.day if need in ("changes", "incidents") else given.facts
        if getattr(holder, need) is None:
            words, fix = _LACKS[need]
            return Finding(check.name, Grade.UNKNOWN, words, fix=_pasted(fix, given))
    seen = check.look(given)
    unread = [f"{shown(path)}: {why}" for path, why in given.night.unread] if check.reads else []
    if unread and seen.grade is Grade.PASS:
        said = f"{seen.words}, but {counted(len(unread), 'file')} could not be read"
        seen = Seen(Grade.UNKNOWN, said, unread, "conductd doctor")
    more = len(seen.evidence) - MOST_EVIDENCE
    evidence = (*seen.evidence[:MOST_EVIDENCE], *([f"and {more} more"] if more > 0 else []))
    fix = _pasted(seen.fix, given) if seen.grade is not Grade.PASS else ""
    return Finding(check.name, seen.grade, seen.words, tuple(evidence), fix)


def _pasted(fix: str, given: Given) -> str:
    """With the workspace, where the command takes one: it holds wherever it is pasted."""
    option = _OF_WORKSPACE.get(fix)
    return fix if option is None else " ".join([fix, pasted(*option, shown(given.night.occasion.root))])
