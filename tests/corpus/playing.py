"""Plays a change through the judge, as the engine would: one step after the other.

Owns what a step leaves for the next: the baseline, older baselines, and the ledger of small losses.
Writes nothing; every file is a value.
"""

from __future__ import annotations

from hashlib import sha256
from typing import NamedTuple

from msgspec import structs

from conductd.core.case import Case, LedgerLine, Text
from conductd.core.judging.judge import judge
from conductd.core.losses import erosion
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.model import DAEMON, Verdict
from corpus.changes import Change
from corpus.tables import table_of


class Played(NamedTuple):
    """A case, what the judge said of it, and the bytes that the daemon would write (None: nothing)."""

    case: Case
    verdict: Verdict
    written: bytes | None


def play(change: Change, policy: Policy) -> list[Played]:
    """The verdicts on the steps of a change."""
    played: list[Played] = []
    held: list[Text] = []  # baselines, newest first
    ledger: list[LedgerLine] = []
    for step in change.steps:
        case = step.case
        if not step.follows:
            held, ledger = [case.baseline] if case.baseline else [], []
        else:
            case = structs.replace(
                case,
                baseline=held[0],
                earlier=tuple(held[1:]),
                ledger=tuple(ledger),
                bases=tuple(text for text in held if any(line.base_seq == text.seq for line in ledger)),
            )
        verdict = judge(case, policy, table_of)
        written = target(case, verdict, policy)
        played.append(Played(case, verdict, written))
        last = case.versions[-1]
        line = erosion.line_of(
            verdict, case.baseline.seq if case.baseline else None, last.seq, last.at_ns, last.actor.name
        )
        if line is not None:
            ledger = erosion.entered(ledger, line)
        data = written if written is not None else last.data or b""
        by = last.actor if written is None else DAEMON
        held.insert(0, Text(last.seq, sha256(data).digest(), data, last.at_ns, by))
    return played
