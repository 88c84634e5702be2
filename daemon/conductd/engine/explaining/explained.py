"""The sentences and places that explain a verdict beside its rule: what several files or rounds have to do with it, and
which lines of the new text the rule saw. Pure: figures come from the policy, text is only pointed at.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.judging.rules import RULES
from conductd.core.losses.conflict_marks import conflicts
from conductd.core.losses.elision import is_elision
from conductd.core.policy import Policy, Thresholds
from conductd.engine.answering.notices import NOT_WRITTEN
from conductd.model import Action, ChangeRecord, EventClass, IncidentRecord, Verdict

SIGNS = 20


def rule_text(rule: str, policy: Policy) -> str:
    """The sentence of a rule, with the figures in force where they are not the usual ones."""
    text, usual, limits = RULES.get(rule, ""), Thresholds(), policy.thresholds
    for was, now in (
        (f"{usual.overwrite_share:.0%}", f"{limits.overwrite_share:.0%}"),
        (f"{usual.shrink_share:.0%}", f"{limits.shrink_share:.0%}"),
    ):
        text = text.replace(was.replace("%", " %"), now.replace("%", " %"))
    hours = limits.deleted_again_ms / 3_600_000
    if limits.deleted_again_ms != usual.deleted_again_ms:
        text = text.replace("within 24 hours", f"within {hours:g} hours")
    if limits.section_entries != usual.section_entries:
        text = text.replace("three or more entries", f"{limits.section_entries} or more entries")
    return text


def notes(record: IncidentRecord, changes: Sequence[ChangeRecord], policy: Policy) -> list[str]:
    """One sentence each, from the figures in force."""
    out = []
    limits, fights = policy.thresholds, policy.fights
    if record.event_class is EventClass.MASS_LOSS:
        out.append(
            f"{len(changes)} files were destroyed within {limits.mass_window_ms / 1000:g} s of one another. From "
            f"{limits.mass_files} files (thresholds.mass_files), or {limits.mass_small_files} that are "
            f"{limits.mass_small_share:.0%} of a workspace of {limits.mass_small_workspace} or more, that is one loss: "
            "one incident, restored as a set, one undo. Each file keeps its own class"
        )
    if record.rounds > 1 or record.loop:
        waits = ", ".join(map(str, fights.backoff_minutes))
        out.append(
            f"round {record.rounds} of a fight: {fights.at_once} are answered at once (fights.at_once), then the file "
            f"must be left alone for {waits} minutes (fights.backoff_minutes), {fights.per_day} times a day at most"
        )
    if record.stood_down:
        out.append(
            f"more than {fights.per_day} repairs in a day (fights.per_day): conductd writes nothing until you decide"
        )
    if record.action is Action.HOLD:
        out.append("nothing is decided before the other operation is over; then it is judged again")
    if record.why.startswith(NOT_WRITTEN):
        wanted = sorted({_WANTED[c.verdict.action] for c in changes if c.verdict.action in _WANTED})
        out.append(f"{record.why}" + (f"; it would have been {' and '.join(wanted)}" if wanted else ""))
    return out


_WANTED = {Action.REVERT: "put back", Action.MERGE: "merged"}


def sign_lines(verdict: Verdict, old: Sequence[str], new: Sequence[str]) -> list[int]:
    """Lines (from 1) of the new text that made the rule fit."""
    if verdict.event_class is EventClass.PLACEHOLDER or verdict.rule == "stand-in":
        known = set(old)
        return [n for n, line in enumerate(new, 1) if line not in known and is_elision(line)][:SIGNS]
    if verdict.event_class is EventClass.CONFLICT_MARKERS:
        return [line for first, last in conflicts("\n".join(new)) for line in (first, last)][:SIGNS]
    if verdict.event_class is EventClass.PARTIAL_WRITE:
        return [len(new) if new and new[-1] else max(1, len(new) - 1)] if new else []
    return []
