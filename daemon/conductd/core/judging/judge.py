"""The judgement of one change: class, severity, action, and why.

Owns the precedence of the rules (docs/judgement.md). A pure function of the case and the policy:
the same case gives the same verdict, live and on replay. It writes nothing and knows no mode: in
`observe` the engine does not act on the verdict. Called by the engine when a file is quiet.
"""

from __future__ import annotations

import re

from msgspec import structs

from conductd.core.case import Case
from conductd.core.comparing.change import Place, compare, grown
from conductd.core.comparing.quotations import quotations
from conductd.core.judging.absence import judge_absence
from conductd.core.judging.answer import act, told, verdict
from conductd.core.judging.charge import State, baseline_state, charge, is_human, standing
from conductd.core.judging.classify import classify
from conductd.core.judging.finding import Evidence, Facts, Finding, figures
from conductd.core.judging.loss import Loss, effective, entries_alone, silent_lines
from conductd.core.losses.conflict_copy import judge_copy, not_fought
from conductd.core.losses.conflict_marks import other_sides, without_settled
from conductd.core.losses.consolidation import folded
from conductd.core.losses.erosion import booking
from conductd.core.losses.fields import given_way, weighed
from conductd.core.losses.git_work import answer_to_git, git_at_work
from conductd.core.losses.interleaved import has_sides
from conductd.core.losses.passing import ended
from conductd.core.losses.pins import at_first, followed, held_to, of_baseline, pinned_lines, pinned_loss
from conductd.core.losses.pointers import led_nowhere
from conductd.core.losses.recounted import recounted
from conductd.core.losses.respelled import respelled
from conductd.core.policy import Policy
from conductd.core.reading.entries import TableSource, entry_table
from conductd.model import Action, Change, EventClass, FileState, Role, Verdict

_CONFLICT_MARKS = tuple(re.compile(mark, re.M) for mark in (rb"^<{7}(?: |\r?$)", rb"^={7}\r?$", rb"^>{7}(?: |\r?$)"))

_OFFERED = (EventClass.OVERWRITE, EventClass.SHRINK, EventClass.EROSION, EventClass.LOST_UPDATE, EventClass.PLACEHOLDER)

_BY_WEIGHT = ("mostly-lost", "large-loss", "section-lost", "small-losses", "edited")

_LEFT = ("replaceable", "consolidator")


def judge(case: Case, policy: Policy, table_of: TableSource = entry_table) -> Verdict:
    """The verdict on ``case.versions[-1]``. ``table_of`` may be a cache in front of `entry_table`.

    Never raises, whatever the bytes are; ``case.versions`` must hold at least one version.
    """
    return told(_judge(case, policy, table_of), case, policy)


def _judge(case: Case, policy: Policy, table_of: TableSource) -> Verdict:
    now = case.versions[-1]
    if now.state is FileState.OVERSIZE:
        return verdict(EventClass.OVERSIZE, Action.RECORD, "oversize", facts={"size": now.size})
    if now.state is FileState.UNREADABLE or (now.state is FileState.FILE and now.data is None):
        return verdict(EventClass.WATCHER_DEGRADED, Action.HOLD, "unreadable")
    if now.state is FileState.SYMLINK or case.baseline_is_link is not None:
        return _judge_link(case, policy, table_of)
    if (of_copy := judge_copy(case, policy, table_of)) is not None:
        return of_copy
    if case.baseline is None:
        return _judge_first(case, table_of)
    evidence = _gather(case, policy, table_of)
    if now.state is FileState.SPECIAL:
        return verdict(EventClass.DELETION, Action.PROPOSE, "special-file", evidence.change, debt=True)
    if now.state is FileState.ABSENT:
        absence = structs.replace(judge_absence(evidence), pins=of_baseline(evidence))
        return not_fought(absence, case, table_of)
    return _judge_text(evidence)


def unjudged(trouble: str) -> Verdict:
    """The verdict where none could be worked out: nobody knows what was lost, so it is offered."""
    return verdict(EventClass.SHRINK, Action.PROPOSE, "too-large", facts={"trouble": trouble}, debt=True)


# --------------------------------------------------------------------------- no text to compare


def _judge_first(case: Case, table_of: TableSource) -> Verdict:
    if case.versions[-1].state is not FileState.FILE:
        return verdict(EventClass.DELETION, Action.RECORD, "deleted-empty")
    if case.renamed_from is not None:
        return verdict(EventClass.RENAME, Action.RECORD, "renamed")
    pins, facts = at_first(case, table_of)
    return structs.replace(verdict(EventClass.FIRST_SIGHT, Action.RECORD, "first-sight", facts=facts), pins=pins)


def _judge_link(case: Case, policy: Policy, table_of: TableSource) -> Verdict:
    now = case.versions[-1]
    if now.state is FileState.SYMLINK and now.link_target == case.baseline_is_link:
        return verdict(EventClass.FORMAT, Action.RECORD, "same-bytes")
    change = Change()
    if case.baseline is not None and now.state is FileState.SYMLINK:
        before = table_of(case.baseline.data, case.key, case.baseline.digest)
        change = compare(before, table_of(b"", case.key), _places(case, table_of), policy.thresholds)
    facts: Facts = {"was_link": case.baseline_is_link is not None, "is_link": now.state is FileState.SYMLINK}
    hidden = change.lost and change.lost_share >= policy.thresholds.shrink_share
    if hidden and case.role is not Role.REPLACEABLE and not is_human(now.actor):
        facts["lost_share"] = round(change.lost_share, 4)
        return verdict(EventClass.SYMLINK_CHANGE, Action.PROPOSE, "link-hides", change, facts, debt=True)
    return verdict(EventClass.SYMLINK_CHANGE, Action.RECORD, "link-changed", change, facts)


def _places(case: Case, table_of: TableSource) -> tuple[Place, ...]:
    tables = [(each, table_of(each.data, case.key, each.digest)) for each in case.elsewhere]
    return tuple(Place(each.path, table, each.stood | quotations(table, case.path)) for each, table in tables)


def _gather(case: Case, policy: Policy, table_of: TableSource) -> Evidence:
    assert case.baseline is not None
    baseline = _without_conflicts(baseline_state(case.baseline, case.key, table_of), case, table_of)
    states = standing(case, policy, table_of)
    last = states[-1]
    elsewhere: tuple[Place, ...] = ()
    if last.data.startswith(baseline.data):
        change = grown(baseline.table, last.table, policy.thresholds)
    else:
        if any(entry.fingerprint not in last.table.places for entry in baseline.table.entries):
            elsewhere = _places(case, table_of)
        change = compare(baseline.table, last.table, elsewhere, policy.thresholds)
        change = folded(change, baseline.table, last.table, policy.thresholds)
    change, pinned = held_to(change, pinned_lines(case, baseline.table), baseline.table, last.table)
    charges = charge(change, baseline, states)
    return Evidence(case, policy, baseline, states, elsewhere, change, charges, table_of, pinned)


def _without_conflicts(baseline: State, case: Case, table_of: TableSource) -> State:
    """Both sides of a conflict are no content of a text from which the marks went: one of them was taken, or both."""
    settled = without_settled(baseline.data, baseline.table, case.versions[-1].data or b"")
    return baseline if settled is None else baseline._replace(table=table_of(settled, case.key))


# --------------------------------------------------------------------------- the file has a text


def _judge_text(e: Evidence) -> Verdict:
    case = e.case
    if e.last.data == e.baseline.data and not has_sides(e):
        return verdict(EventClass.FORMAT, Action.RECORD, "same-bytes", e.change)
    if case.git.merge_head and all(mark.search(e.last.data) for mark in _CONFLICT_MARKS):
        finding = Finding(EventClass.CONFLICT_MARKERS, "conflict-marks", figures(e, e.change.lost_share))
        return act(e, finding)
    silent = frozenset[int]()
    if e.change.lost:
        silent = (
            silent_lines(e.baseline.table) | given_way(e) | ended(e) | other_sides(e) | recounted(e) | led_nowhere(e)
        )
    loss = effective(case, e.baseline.table, weighed(e), e.charges, silent)
    mended = respelled(e) if loss.without_excuse.destroys else frozenset[int]()
    if mended and classify(e, loss.without_excuse).rule in _BY_WEIGHT:
        loss = effective(case, e.baseline.table, weighed(e), e.charges, silent | mended)
    return followed(e, loss, _entered(e, loss, _pins_first(e, loss, _weigh(e, loss))))


def _pins_first(e: Evidence, loss: Loss, found: Verdict) -> Verdict:
    """Pinned entries come back also where all else is only offered, or recorded because of the file's role."""
    if found.rule not in _LEFT and (found.action is not Action.PROPOSE or found.event_class not in _OFFERED):
        return found
    finding = pinned_loss(e, loss)
    return found if finding is None or finding.softened is not None else act(e, finding)


def _entered(e: Evidence, loss: Loss, found: Verdict) -> Verdict:
    """With what the ledger of small losses should remember, when nothing else is done about it."""
    if found.rule in ("replaceable", "cured") or not (
        found.action is Action.RECORD or (found.event_class is EventClass.EROSION and found.action is Action.PROPOSE)
    ):
        return found
    return structs.replace(found, booked=booking(e, loss))


def _weigh(e: Evidence, loss: Loss) -> Verdict:
    case = e.case
    if git_at_work(e):
        loss = entries_alone(loss)
    whole = classify(e, loss.without_excuse)
    if whole.rule == "cured":
        return act(e, whole)
    if case.role is Role.REPLACEABLE and whole.event_class is not EventClass.PARTIAL_WRITE:
        return act(e, whole._replace(rule="replaceable"), Action.RECORD)
    if git_at_work(e) and (loss.without_excuse.destroys or whole.harms):
        rule, forced = answer_to_git(e)
        return act(e, whole._replace(event_class=EventClass.EXTERNAL_RESET, rule=rule, base_seq=None), forced)
    if not loss.excuse:
        return act(e, whole)
    finding = classify(e, loss)
    if finding.harms:
        return act(e, finding)
    if whole.harms:
        return act(e, whole._replace(rule=loss.excuse), Action.RECORD)
    return act(e, whole)
