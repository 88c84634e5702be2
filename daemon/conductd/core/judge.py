"""The judgement of one change: class, severity, action, and why.

Owns the precedence of the rules (docs/judgement.md). A pure function of the case and the policy:
the same case gives the same verdict, live and on replay. It writes nothing and knows no mode: in
`observe` the engine does not act on the verdict. Called by the engine when a file is quiet.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conductd.core import actions, stale
from conductd.core.case import Case
from conductd.core.change import Place, compare, grown, spans_weight
from conductd.core.charge import Charges, State, added_after, baseline_state, charge, is_human, standing
from conductd.core.entries import EntryTable, TableSource, entry_table
from conductd.core.loss import Loss, effective, section_lost, silent_lines
from conductd.core.policy import Policy
from conductd.core.standins import says_something
from conductd.model import Action, Change, EventClass, FileState, Role, Severity, Verdict

JUDGE_VERSION = 1

Facts = dict[str, str | int | float | bool]

_BLOCK = 4096
_REWORDED_SAMPLE = 0.05  # of the entries that were looked for in other words
_PROVENANCE_FILES = (b"MEMORY.md", b"USER.md")
_CONFLICT_MARKS = tuple(re.compile(mark, re.M) for mark in (rb"^<{7}(?: |\r?$)", rb"^={7}\r?$", rb"^>{7}(?: |\r?$)"))


class Finding(NamedTuple):
    """What the content says, before it is asked who did it and what the policy wants."""

    event_class: EventClass
    rule: str
    facts: Facts
    base_seq: int | None = None
    charged_to: int | None = None


class Evidence(NamedTuple):
    """Everything that the rules look at, worked out once."""

    case: Case
    policy: Policy
    baseline: State
    states: tuple[State, ...]
    elsewhere: tuple[Place, ...]
    change: Change
    charges: Charges
    table_of: TableSource

    @property
    def last(self) -> State:
        return self.states[-1]


def judge(case: Case, policy: Policy, table_of: TableSource = entry_table) -> Verdict:
    """The verdict on ``case.versions[-1]``. ``table_of`` may be a cache in front of `entry_table`.

    Never raises, whatever the bytes are; ``case.versions`` must hold at least one version.
    """
    now = case.versions[-1]
    if now.state is FileState.OVERSIZE:
        return _verdict(EventClass.OVERSIZE, Action.RECORD, "oversize", facts={"size": now.size})
    if now.state is FileState.UNREADABLE or (now.state is FileState.FILE and now.data is None):
        return _verdict(EventClass.WATCHER_DEGRADED, Action.HOLD, "unreadable")
    if now.state is FileState.SYMLINK or case.baseline_is_link is not None:
        return _judge_link(case, policy, table_of)
    if case.baseline is None:
        return _judge_first(case)
    evidence = _gather(case, policy, table_of)
    if now.state is FileState.SPECIAL:
        return _verdict(EventClass.DELETION, Action.PROPOSE, "special-file", evidence.change, debt=True)
    if now.state is FileState.ABSENT:
        return _judge_absence(evidence)
    return _judge_text(evidence)


def unjudged(trouble: str) -> Verdict:
    """The verdict where none could be worked out: nobody knows what was lost, so it is offered."""
    return _verdict(EventClass.SHRINK, Action.PROPOSE, "too-large", facts={"trouble": trouble}, debt=True)


# --------------------------------------------------------------------------- no text to compare


def _judge_first(case: Case) -> Verdict:
    if case.versions[-1].state is not FileState.FILE:
        return _verdict(EventClass.DELETION, Action.RECORD, "deleted-empty")
    if case.renamed_from is not None:
        return _verdict(EventClass.RENAME, Action.RECORD, "renamed")
    return _verdict(EventClass.FIRST_SIGHT, Action.RECORD, "first-sight")


def _judge_link(case: Case, policy: Policy, table_of: TableSource) -> Verdict:
    now = case.versions[-1]
    if now.state is FileState.SYMLINK and now.link_target == case.baseline_is_link:
        return _verdict(EventClass.FORMAT, Action.RECORD, "same-bytes")
    change = Change()
    if case.baseline is not None and now.state is FileState.SYMLINK:
        before = table_of(case.baseline.data, case.key, case.baseline.digest)
        change = compare(before, table_of(b"", case.key), _places(case, table_of), policy.thresholds)
    facts: Facts = {"was_link": case.baseline_is_link is not None, "is_link": now.state is FileState.SYMLINK}
    hidden = change.lost and change.lost_share >= policy.thresholds.shrink_share
    if hidden and case.role is not Role.REPLACEABLE and not is_human(now.actor):
        facts["lost_share"] = round(change.lost_share, 4)
        return _verdict(EventClass.SYMLINK_CHANGE, Action.PROPOSE, "link-hides", change, facts, debt=True)
    return _verdict(EventClass.SYMLINK_CHANGE, Action.RECORD, "link-changed", change, facts)


def _places(case: Case, table_of: TableSource) -> tuple[Place, ...]:
    return tuple((e.path, table_of(e.data, case.key, e.digest)) for e in case.elsewhere)


def _gather(case: Case, policy: Policy, table_of: TableSource) -> Evidence:
    assert case.baseline is not None
    baseline = baseline_state(case.baseline, case.key, table_of)
    states = standing(case, policy, table_of)
    last = states[-1]
    elsewhere: tuple[Place, ...] = ()
    if last.data.startswith(baseline.data):
        change = grown(baseline.table, last.table, policy.thresholds)
    else:
        if any(entry.fingerprint not in last.table.places for entry in baseline.table.entries):
            elsewhere = _places(case, table_of)
        change = compare(baseline.table, last.table, elsewhere, policy.thresholds)
    charges = charge(change, baseline, states)
    return Evidence(case, policy, baseline, states, elsewhere, change, charges, table_of)


# --------------------------------------------------------------------------- the file is gone


def _judge_absence(e: Evidence) -> Verdict:
    case, loss = e.case, effective(e.case, e.baseline.table, e.change, e.charges)
    everything = loss.without_excuse
    facts = _facts(e, loss.share)

    def recorded(event_class: EventClass, rule: str) -> Verdict:
        return _verdict(event_class, Action.RECORD, rule, e.change, facts, charged_to=e.last.seq)

    if case.renamed_to is not None:
        return recorded(EventClass.RENAME, "renamed")
    if not everything.destroys:
        return recorded(EventClass.MOVE, "moved") if e.change.moved else recorded(EventClass.DELETION, "deleted-empty")
    if e.change.moved and everything.share < e.policy.thresholds.shrink_share:
        return recorded(EventClass.MOVE, "moved")
    if case.role is Role.REPLACEABLE:
        return recorded(EventClass.DELETION, "replaceable")
    if _git_at_work(e):
        return _act(e, Finding(EventClass.EXTERNAL_RESET, "git-at-work", facts, charged_to=e.last.seq))
    if not loss.destroys:
        return recorded(EventClass.DELETION, loss.excuse)
    if case.retention:
        return recorded(EventClass.DELETION, "deleted-by-retention")
    if case.restored_ns is not None:
        since_ms = (e.last.at_ns - case.restored_ns) // 1_000_000
        if 0 <= since_ms <= e.policy.thresholds.deleted_again_ms:
            return recorded(EventClass.DELETION, "deleted-again")
    rule = "deleted-with-parent" if case.parent_missing else "deleted"
    return _act(e, Finding(EventClass.DELETION, rule, facts, charged_to=e.last.seq))


# --------------------------------------------------------------------------- the file has a text


def _judge_text(e: Evidence) -> Verdict:
    case = e.case
    if e.last.data == e.baseline.data:
        return _verdict(EventClass.FORMAT, Action.RECORD, "same-bytes", e.change)
    if case.git.merge_head and all(mark.search(e.last.data) for mark in _CONFLICT_MARKS):
        finding = Finding(EventClass.CONFLICT_MARKERS, "conflict-marks", _facts(e, e.change.lost_share))
        return _act(e, finding)
    silent = silent_lines(e.baseline.table) if e.change.lost else frozenset[int]()
    loss = effective(case, e.baseline.table, e.change, e.charges, silent)
    whole = _classify(e, loss.without_excuse)
    if case.role is Role.REPLACEABLE and whole.event_class is not EventClass.PARTIAL_WRITE:
        return _act(e, whole._replace(rule="replaceable"), Action.RECORD)
    if _git_at_work(e) and (loss.without_excuse.destroys or whole.rule in ("cut-off", "stale-copy")):
        return _act(e, whole._replace(event_class=EventClass.EXTERNAL_RESET, rule="git-at-work", base_seq=None))
    if not loss.excuse:
        return _act(e, whole)
    finding = _classify(e, loss)
    if _harms(finding):
        return _act(e, finding)
    if _harms(whole):
        return _act(e, whole._replace(rule=loss.excuse), Action.RECORD)
    return _act(e, whole)


def _harms(finding: Finding) -> bool:
    return finding.rule in ("cut-off", "stale-copy", "mostly-lost", "stand-in", "large-loss", "section-lost")


def _git_at_work(e: Evidence) -> bool:
    git = e.case.git
    if git.index_lock or git.merge_head:
        return True
    if git.head_changed_ns is None:
        return False
    near = e.policy.waits.git_ms * 1_000_000
    return any(abs(at - git.head_changed_ns) <= near for at in (e.charges.main.at_ns, e.last.at_ns))


def _classify(e: Evidence, loss: Loss) -> Finding:
    """The first rule that fits, with the losses that count."""
    limits = e.policy.thresholds
    facts = _facts(e, loss.share)
    main = e.charges.main.seq
    if not (loss.excuse and not loss.destroys) and (sign := _cut_sign(e)):
        facts["sign"] = sign
        return Finding(EventClass.PARTIAL_WRITE, "cut-off", facts, charged_to=e.last.seq)
    if not (loss.excuse and is_human(e.last.actor)) and not e.case.leased and (old := _stale(e, loss)):
        facts |= {
            "base_distance": old.distance,
            "dropped_entries": old.dropped,
            "sides": ",".join(map(str, old.sides)),
        }
        return Finding(EventClass.LOST_UPDATE, "stale-copy", facts, old.base_seq, old.charged_to)
    if loss.destroys:
        if loss.share >= limits.shrink_share and not says_something(e.last.table):
            return Finding(EventClass.OVERWRITE, "stand-in", facts, charged_to=main)
        if loss.share >= limits.overwrite_share:
            return Finding(EventClass.OVERWRITE, "mostly-lost", facts, charged_to=main)
        if loss.share >= limits.shrink_share:
            return Finding(EventClass.SHRINK, "large-loss", facts, charged_to=main)
        if section := section_lost(e.baseline.table, loss.spans, limits.section_entries):
            facts["section_entries"] = section
            return Finding(EventClass.SHRINK, "section-lost", facts, charged_to=main)
    charged_to = main if loss.spans else None
    return _harmless(e, facts)._replace(charged_to=charged_to)


def _cut_sign(e: Evidence) -> str:
    """How an unfinished write shows, or "" when the text is not the old one cut off."""
    old, new = e.baseline.data, e.last.data
    if not new or len(new) >= len(old) or not old.startswith(new) or not e.last.table.entries:
        return ""
    rest = old[len(new) :]
    if not rest.strip():
        return ""
    mid_line = new[-1:] not in (b"\n", b"\r") and rest[:1] not in (b"\n", b"\r")
    at_block = len(new) % _BLOCK == 0
    # The last words of an unended last line: that is somebody's edit, and no line was cut.
    if mid_line and not at_block and b"\n" not in rest:
        return ""
    if at_block:
        return f"cut at a multiple of {_BLOCK}, {'mid-line, ' if mid_line else ''}rest identical"
    return "cut mid-line, rest identical" if mid_line else ""


def _stale(e: Evidence, loss: Loss) -> stale.Stale | None:
    charges, lost = e.charges, loss.spans if loss.destroys else ()
    older = stale.from_older(
        e.case, charges.good, charges.main, e.last, e.change, lost, loss.share, e.policy, e.table_of
    )
    if older is not None:
        return older
    if loss.share < e.policy.thresholds.shrink_share:
        return stale.from_sibling(e.baseline, e.states, e.elsewhere, e.policy)
    return None


def _harmless(e: Evidence, facts: Facts) -> Finding:
    change, old, new = e.change, e.baseline.table, e.last.table
    if change.moved and spans_weight(place.old for place in change.moved) >= spans_weight(change.lost):
        return Finding(EventClass.MOVE, "moved", facts)
    if e.case.renamed_from is not None:
        return Finding(EventClass.RENAME, "renamed", facts)
    if old.encoding is not new.encoding and old.entries:
        facts |= {"encoding_before": str(old.encoding), "encoding": str(new.encoding)}
        return Finding(EventClass.ENCODING_CHANGE, "encoding", facts)
    untouched = change.kept == change.entries_before
    if untouched and not change.added and _marks(old) == _marks(new):
        return Finding(EventClass.FORMAT, "layout", facts)
    if untouched and (e.last.data.startswith(e.baseline.data) or _marks(new)[: len(old.entries)] == _marks(old)):
        return Finding(EventClass.APPEND, "only-added", facts)
    return Finding(EventClass.EDIT, "edited", facts)


def _marks(table: EntryTable) -> list[bytes]:
    return [entry.fingerprint for entry in table.entries]


# --------------------------------------------------------------------------- what is done


def _act(e: Evidence, finding: Finding, forced: Action | None = None) -> Verdict:
    """The finding with its action: the table, refined by what can and may be done here."""
    event_class = finding.event_class
    action = forced if forced is not None else actions.default_action(event_class, e.case.role, e.policy)
    rule, facts = finding.rule, dict(finding.facts)
    configured = actions.configured(event_class, e.case.role, e.policy)
    loud: Severity | None = None
    if forced is None:
        if e.case.consolidator and not configured and event_class in _REWRITES:
            action, rule = Action.PROPOSE, "consolidator"
        if event_class is EventClass.DELETION and e.case.parent_missing:
            action = Action.PROPOSE
        if event_class is EventClass.SHRINK and e.case.role is Role.DAILY and e.case.append_only_writer:
            action = action if configured or e.case.consolidator else Action.MERGE
        if event_class in (EventClass.OVERWRITE, EventClass.SHRINK) and action in (Action.MERGE, Action.REVERT):
            action = _merge_or_revert(e, event_class, action, facts)
        if action in (Action.MERGE, Action.REVERT) and _may_be_reworded(e.change):
            action = Action.PROPOSE
        if action in (Action.MERGE, Action.REVERT):
            facts["good_seq"] = e.charges.good.seq
            if _provenance_forbids(e, action):
                action, rule, loud = Action.PROPOSE, "provenance", Severity.ALARM
                facts["found"] = finding.rule
    return _verdict(
        event_class,
        action,
        rule,
        e.change,
        facts,
        base_seq=finding.base_seq,
        charged_to=finding.charged_to,
        debt=action in (Action.PROPOSE, Action.HOLD) and bool(e.change.lost),
        severity=loud,
    )


_REWRITES = (EventClass.OVERWRITE, EventClass.SHRINK, EventClass.LOST_UPDATE)


def _merge_or_revert(e: Evidence, event_class: EventClass, action: Action, facts: Facts) -> Action:
    """Nothing to merge: revert. Something that a later version added: never thrown away."""
    later = added_after(e.charges, e.states, e.policy)
    if later:
        facts["added_later"] = later
        return Action.MERGE
    if action is Action.MERGE and event_class is EventClass.OVERWRITE and not e.change.new_entries:
        return Action.REVERT
    return action


def _may_be_reworded(change: Change) -> bool:
    """The search for other words ended before it was through, and the sample that it looked at had some:
    a large text that was written anew, perhaps, and no loss."""
    searched = change.entries_before - change.kept - change.unsearched
    return change.unsearched > 0 and len(change.reworded) > _REWORDED_SAMPLE * searched


def _provenance_forbids(e: Evidence, action: Action) -> bool:
    """A write out of band would make the agent drop the file from its prompt for good. A revert to
    the very bytes that the agent's record names is no such write."""
    record = e.case.provenance
    if record is None or e.policy.provenance_repair or e.case.path not in _PROVENANCE_FILES:
        return False
    return action is Action.MERGE or record.digest != e.charges.good.digest


def _facts(e: Evidence, lost_share: float) -> Facts:
    facts: Facts = {"similarity_bounded": e.change.unsearched} if e.change.unsearched else {}
    return facts | {
        "lost_share": round(lost_share, 4),
        "weight_before": e.change.weight_before,
        "weight_lost": e.change.weight_lost,
        "lost": len(e.change.lost),
        "moved": len(e.change.moved),
        "reworded": len(e.change.reworded),
        "added": len(e.change.added),
        "new_entries": e.change.new_entries,
    }


def _verdict(
    event_class: EventClass,
    action: Action,
    rule: str,
    change: Change | None = None,
    facts: Facts | None = None,
    *,
    base_seq: int | None = None,
    charged_to: int | None = None,
    debt: bool = False,
    severity: Severity | None = None,
) -> Verdict:
    return Verdict(
        event_class=event_class,
        severity=severity or actions.severity(event_class, action),
        action=action,
        rule=rule,
        change=change or Change(),
        facts=facts or {},
        base_seq=base_seq,
        charged_to=charged_to,
        debt=debt,
        judge_version=JUDGE_VERSION,
    )
