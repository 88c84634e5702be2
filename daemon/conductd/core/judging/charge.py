"""Which of several versions caused a loss, and whose it is.

Owns the reading of the versions between baseline and now: saves in progress are seen through,
each lost entry is charged to the version that dropped it, and what a later version added is told
apart. Pure; called by `core.judging.judge`.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import NamedTuple, Protocol

from conductd.core.case import Case, Text, Write
from conductd.core.comparing.change import compare
from conductd.core.losses.standins import is_stand_in
from conductd.core.policy import Policy
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable, TableSource
from conductd.model import Actor, Change, FileState, Span

PERHAPS = 0.6
MARKED = 0.4  # how sure it is who wrote a text that holds somebody's marks: anybody can write them


class State(NamedTuple):
    """A content state that stood: a version with its text, or the baseline."""

    seq: int
    at_ns: int
    actor: Actor
    digest: bytes
    data: bytes
    table: EntryTable
    leased: bool = False


def baseline_state(text: Text, key: bytes, table_of: TableSource) -> State:
    return State(text.seq, text.at_ns, text.actor, text.digest, text.data, table_of(text.data, key, text.digest))


def known(actor: Actor) -> bool:
    return actor.name != "unknown" and actor.confidence > MARKED


def trusted_name(actor: Actor) -> str:
    """The name that a setting of the configuration may be meant for."""
    return actor.name if known(actor) else "unknown"


def is_human(actor: Actor) -> bool:
    return actor.name.startswith("human:") and actor.confidence >= 0.8


class Leasable(Protocol):
    """A version, wherever it is looked at. ``leased``: it was written while a lease stood."""

    @property
    def actor(self) -> Actor: ...

    @property
    def leased(self) -> bool: ...


def is_leased(write: Leasable) -> bool:
    """A lease excuses what nobody else is known to have written: a person said that they are at it."""
    others = known(write.actor) and not write.actor.name.startswith("human:")
    return write.leased and not others


def is_perhaps_human(actor: Actor) -> bool:
    """An editor may well have done it: enough not to write over it, not enough to leave it at that."""
    return actor.name.startswith("human:") and PERHAPS <= actor.confidence < 0.8


def _is_some_human(actor: Actor) -> bool:
    return is_human(actor) or is_perhaps_human(actor)


def standing(case: Case, policy: Policy, table_of: TableSource) -> tuple[State, ...]:
    """The versions since the baseline that were more than a moment of somebody's save. The last
    one is always there, as empty text when the file is absent."""
    out: list[State] = []
    for index, version in enumerate(case.versions):
        last = index == len(case.versions) - 1
        if not last and _in_passing(version, case.versions[index + 1], case, policy):
            continue
        data = version.data if version.state is FileState.FILE and version.data is not None else b""
        digest = version.digest if data and version.digest is not None else sha256(data).digest()
        table = table_of(data, case.key, digest)
        out.append(State(version.seq, version.at_ns, version.actor, digest, data, table, version.leased))
    return tuple(out)


def _in_passing(version: Write, after: Write, case: Case, policy: Policy) -> bool:
    """The version is only the middle of a save: absent, empty, or the beginning of what came next
    or of what was there before, by (as far as is known) the same writer."""
    if version.state is not FileState.FILE or not version.data:
        return True
    if known(version.actor) and known(after.actor) and version.actor.name != after.actor.name:
        return False
    if _is_some_human(after.actor) != _is_some_human(version.actor):
        return False
    if after.at_ns - version.at_ns > policy.waits.save_ms * 1_000_000:
        return False
    before = case.baseline.data if case.baseline is not None else b""
    if len(version.data) < len(before) and before.startswith(version.data):
        return True
    if after.data is None or not after.data.startswith(version.data):
        return False
    # A whole text that was then added to is no middle of a save.
    return not (version.data.endswith(b"\n") and len(version.data) >= len(before))


class Charges(NamedTuple):
    """``by_entry[i]``: the standing version that dropped ``change.lost[i]``. ``main``: the one that
    dropped the most weight. ``good``: the last state before it (the baseline, or a version after it)."""

    by_entry: tuple[State, ...]
    main: State
    good: State


def charge(change: Change, baseline: State, states: tuple[State, ...]) -> Charges:
    """Charge each lost entry to the version after which it never came back."""
    last = states[-1]
    by_entry = tuple(_dropped_by(span, states) for span in change.lost)
    weights: Counter[int] = Counter()
    # What a person took out is charged to them, and hides nobody who took the rest.
    others = any(not _is_meant(state) for state in by_entry)
    for span, state in zip(change.lost, by_entry, strict=True):
        if not (others and _is_meant(state)):
            weights[state.seq] += span.weight or 1
    if not weights:
        return Charges(by_entry, last, baseline)
    main_seq = max(weights, key=lambda seq: (weights[seq], -seq))
    place = next(i for i, state in enumerate(states) if state.seq == main_seq)
    before = {state.seq for state in states[:place]}
    whole = not any(state.seq in before and not _is_meant(state) for state in by_entry)
    return Charges(by_entry, states[place], states[place - 1] if place and whole else baseline)


def _is_meant(state: State) -> bool:
    """A person took it out: whoever comes after is charged with the rest, and that is what is put back."""
    return is_human(state.actor) or is_leased(state)


def _dropped_by(span: Span, states: tuple[State, ...]) -> State:
    for place in range(len(states) - 2, -1, -1):
        if span.fingerprint in states[place].table.places:
            return states[place + 1]
    return states[0]


def added_after(charges: Charges, states: tuple[State, ...], policy: Policy) -> int:
    """Entries that versions after the charged one added: they are kept whatever happens to the rest.
    A writer known to go on with its own overwrite adds nothing to it."""
    main, last = charges.main, states[-1]
    later = [state for state in states if state.seq > main.seq]
    if not later or (known(main.actor) and all(state.actor.name == main.actor.name for state in later)):
        return 0
    change = compare(main.table, last.table, (), policy.thresholds)
    lines = {span.line for span in change.added}
    good = charges.good.table.places
    return sum(
        1
        for entry in last.table.entries
        if entry.line in lines
        and entry.fingerprint not in good
        and entry.kind is not Kind.HEADING
        and not is_stand_in(entry)
    )
