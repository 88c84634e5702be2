"""The bytes that carry a verdict out.

Owns the choice of which versions a revert goes back to and a merge is made of; how texts are merged
is `core.merging.merge`'s. A pure function of the same case and verdict, so that a plan can be made again
after a crash and be the same. Called by the engine for verdicts with action `merge` or `revert`.
"""

from __future__ import annotations

from itertools import pairwise

from conductd.core.case import Case
from conductd.core.judging import actions
from conductd.core.judging.charge import trusted_name
from conductd.core.losses.encoding_damage import mended
from conductd.core.losses.foreign_text import NOTHING_NEW
from conductd.core.losses.pins import to_put_back
from conductd.core.losses.zero_runs import filled
from conductd.core.merging.fill_in import fill_in, holes
from conductd.core.merging.merge import append_after, merge_missing, merge_new_entries, three_way
from conductd.core.policy import Policy
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import decode
from conductd.model import Action, EventClass, Role, Verdict

_MENDED = {"letters-lost": mended, "zero-run": filled}


def target(case: Case, verdict: Verdict, policy: Policy) -> bytes | None:
    """What the file should hold after the verdict is carried out; None when there is nothing to write
    (no baseline, or an action that writes nothing)."""
    if case.baseline is None or verdict.action not in (Action.MERGE, Action.REVERT):
        return None
    good = _text(case, verdict.facts.get("good_seq"))
    if good is None:
        good = case.baseline.data
    now = case.versions[-1].data
    if verdict.action is Action.REVERT or now is None:
        return good
    if verdict.event_class is EventClass.LOST_UPDATE:
        return _without(_both_sides(case, verdict, good, now), case.told, now, case.key)
    if verdict.event_class is EventClass.PINNED_LOSS:
        return merge_missing(case.baseline.data, now, to_put_back(verdict))
    if verdict.event_class is EventClass.EROSION:
        return _all_small_losses(case, verdict, now)
    if verdict.event_class is EventClass.PLACEHOLDER:
        return _without_stand_ins(case, verdict, good, now, policy)
    if verdict.rule in _MENDED:
        return _MENDED[verdict.rule](good, now)
    if verdict.event_class is not EventClass.OVERWRITE:
        return merge_missing(good, now, verdict.change.lost)
    merged = good
    actor = next((v.actor for v in case.versions if v.seq == verdict.charged_to), case.versions[-1].actor)
    writer = trusted_name(actor)
    wanted = actions.wanted(EventClass.OVERWRITE, case.role, case.path, writer, policy).action
    if wanted is Action.MERGE and verdict.rule not in NOTHING_NEW:
        if case.role is Role.DAILY:
            merged = append_after(good, now, policy.thresholds)
        else:
            merged = merge_new_entries(good, now, verdict.change.added, policy.thresholds)
    if verdict.facts.get("added_later"):
        # Kept whatever it is: somebody wrote it after the loss, and not as part of it.
        charged = _text(case, verdict.charged_to)
        merged = three_way(charged or b"", merged, now).data
    return merged


def _without_stand_ins(case: Case, verdict: Verdict, good: bytes, now: bytes, policy: Policy) -> bytes:
    """What the stand-ins stood for in their place; what was moved to another file stays there."""
    found = holes(good, entry_table(good, case.key), now, entry_table(now, case.key))
    away = frozenset(place.old.fingerprint for place in verdict.change.moved)
    return fill_in(good, now, found, away, case.key, policy.thresholds).data


def _all_small_losses(case: Case, verdict: Verdict, now: bytes) -> bytes:
    """What this write and those before it took, newest first, each from the version it stood in."""
    assert case.baseline is not None
    merged = merge_missing(case.baseline.data, now, verdict.change.lost)
    held = {text.seq: text.data for text in case.bases}
    for write in reversed(verdict.writes):
        if write.file == 0 and write.base_seq in held:
            merged = merge_missing(held[write.base_seq], merged, write.lost)
    return merged


def _both_sides(case: Case, verdict: Verdict, good: bytes, now: bytes) -> bytes:
    """All that was made from one base, the oldest first."""
    base = _text(case, verdict.base_seq)
    start = good if base is None else base
    seqs = _numbers(verdict.facts.get("sides"))
    bases = _numbers(verdict.facts.get("side_bases"))
    made_from = [start, *(_text(case, seq) or start for seq in bases)] if bases else [start] * len(seqs)
    sides = [(text, of) for seq, of in zip(seqs, made_from, strict=False) if (text := _text(case, seq)) is not None]
    sides = sides or [(good, start), (now, start)]
    if not bases:  # one that only grew is in the next one
        sides = [side for side, after in pairwise(sides) if not after[0].startswith(side[0])] + sides[-1:]
    merged = sides[0][0]
    for text, of in sides[1:]:
        merged = three_way(of, merged, text).data
    return merged


def _without(merged: bytes, told: frozenset[bytes], now: bytes, key: bytes) -> bytes:
    """What was told as a secret, or as an order from outside, does not come back with the rest."""
    if not told:
        return merged
    standing = entry_table(now, key).places
    back = [e for e in entry_table(merged, key).entries if e.fingerprint in told and e.fingerprint not in standing]
    lines = merged.split(b"\n")
    if not back or len(lines) != len(decode(merged).text.split("\n")):
        return merged
    out = {line for e in back for line in range(e.line, e.last_line + 1)}
    return b"\n".join(line for number, line in enumerate(lines, 1) if number not in out)


def _numbers(fact: object) -> list[int]:
    return [int(number) for number in str(fact or "").split(",") if number]


def _text(case: Case, seq: object) -> bytes | None:
    """The bytes of a version of the case by its sequence."""
    for text in (case.baseline, *case.earlier):
        if text is not None and text.seq == seq:
            return text.data
    return next((version.data for version in case.versions if version.seq == seq), None)
