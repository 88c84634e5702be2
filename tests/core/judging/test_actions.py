"""A person's rules about what is done and how loud, and what no rule can change."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from conductd.config.load import parse
from conductd.core.case import Git, Provenance
from conductd.core.merging.outcome import target
from conductd.core.policy import ActionRule, Policy
from conductd.model import Action, EventClass, Role, Severity, Verdict
from scenarios.texts import memory, transform
from support.cases import case, judged, written

OLD = memory(6, 8, 3)
SHRUNK = transform(OLD.encode(), [{"keep_ids": "1-32"}, {"drop_empty_sections": True}])
TOPIC = b"memory/notes-build.md"


def ruled(text: str) -> Policy:
    return parse(text).policy()


def shrunk(rules: str, path: bytes = TOPIC, by: str = "cron:tidy", **more: object) -> Verdict:
    return judged(path, OLD, written(101, SHRUNK, by=by), policy=ruled(rules), **more)


MERGE = '[[rules]]\nmatch = "memory/notes-*.md"\nactor = "cron:*"\nclass = "shrink"\naction = "merge"\n'


@dataclass(frozen=True)
class Row:
    name: str
    rules: str
    path: bytes = TOPIC
    by: str = "cron:tidy"
    action: Action = Action.PROPOSE
    setting: object = None


ROWS = [
    Row("no rule", ""),
    Row("fits", MERGE, action=Action.MERGE, setting="rules[0]"),
    Row("another file", MERGE, path=b"memory/other.md"),
    Row("another writer", MERGE, by="agent:one"),
    Row("another class", MERGE.replace("shrink", "overwrite")),
    Row("another role", '[[rules]]\nrole = "daily"\naction = "merge"'),
    Row("by role", '[[rules]]\nrole = "topic"\naction = "revert"', action=Action.REVERT, setting="rules[0]"),
    Row(
        "the first that fits",
        '[[rules]]\nactor = "agent:*"\naction = "merge"\n[[rules]]\nactor = "cron:*"\naction = "record"\n' + MERGE,
        action=Action.RECORD,
        setting="rules[1]",
    ),
    Row(
        "a rule that only says how loud is passed over",
        '[[rules]]\nactor = "cron:*"\nseverity = "info"\n' + MERGE,
        action=Action.MERGE,
        setting="rules[1]",
    ),
    Row("before [actions]", MERGE + '[actions]\nshrink = "record"', action=Action.MERGE, setting="rules[0]"),
    Row(
        "[actions] by role", '[actions]\nshrink.topic = "record"', action=Action.RECORD, setting="actions.shrink.topic"
    ),
    Row("[actions]", '[actions]\nshrink = "merge"', action=Action.MERGE, setting="actions.shrink"),
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_action_is_the_one_of_the_first_setting_that_fits(row: Row) -> None:
    verdict = shrunk(row.rules, row.path, row.by)
    assert (verdict.event_class, verdict.action) == (EventClass.SHRINK, row.action)
    assert verdict.facts.get("setting") == row.setting


def test_a_rule_quiets_what_is_told_and_not_what_is_done() -> None:
    quiet = shrunk(MERGE + 'severity = "info"')
    assert (quiet.action, quiet.severity, quiet.facts["loud_setting"]) == (Action.MERGE, Severity.INFO, "rules[0]")
    assert shrunk(MERGE).severity is Severity.ALARM


def test_a_rule_can_make_a_quiet_class_heard() -> None:
    policy = ruled('[[rules]]\nmatch = "MEMORY.md"\nclass = "edit"\nseverity = "notice"')
    verdict = judged(b"MEMORY.md", OLD, OLD.rstrip("\n").rsplit("\n", 1)[0] + "\n", policy=policy)
    assert (verdict.event_class, verdict.severity) == (EventClass.EDIT, Severity.NOTICE)


def test_no_rule_writes_under_the_feet_of_git() -> None:
    everything = '[[rules]]\nactor = "*"\naction = "revert"'
    verdict = shrunk(everything, git=Git(index_lock=True))
    assert (verdict.action, verdict.facts["git_unfinished"]) == (Action.PROPOSE, True)
    marks = "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n"
    held = judged(TOPIC, OLD, OLD + marks, policy=ruled(everything), git=Git(merge_head=True))
    assert (held.event_class, held.action) == (EventClass.CONFLICT_MARKERS, Action.HOLD)


def test_no_rule_writes_against_the_agents_own_record_or_hides_that() -> None:
    rules = '[[rules]]\nmatch = "MEMORY.md"\naction = "merge"\nseverity = "info"'
    verdict = shrunk(rules, b"MEMORY.md", provenance=Provenance("agent", b"other"))
    assert (verdict.rule, verdict.action, verdict.severity) == ("provenance", Action.PROPOSE, Severity.ALARM)


def test_no_rule_makes_a_directory_again() -> None:
    rules = ruled('[[rules]]\nmatch = "*"\naction = "revert"')
    assert judged(TOPIC, OLD, None, policy=rules, parent_missing=True).action is Action.PROPOSE


def test_what_is_excused_stays_excused() -> None:
    assert shrunk('[[rules]]\nmatch = "*"\naction = "revert"', by="human:vim").action is Action.RECORD
    assert shrunk('[[rules]]\nmatch = "*"\naction = "revert"', role=Role.REPLACEABLE).action is Action.RECORD


def test_the_bytes_follow_the_rule_that_decided() -> None:
    """An overwrite with new entries in a file whose rule says revert keeps nothing of the new text."""
    new = "# Memory\n\n- something quite new that nobody has ever written down\n"
    one = case(b"MEMORY.md", OLD, written(101, new, by="cron:tidy"))
    revert = Policy(rules=(ActionRule(actor="cron:*", action=Action.REVERT),))
    verdict = judged(b"MEMORY.md", OLD, written(101, new, by="cron:tidy"), policy=revert)
    assert (verdict.action, target(one, verdict, revert)) == (Action.REVERT, OLD.encode())
    merged = judged(b"MEMORY.md", OLD, written(101, new, by="agent:one"), policy=revert)
    assert merged.action is Action.MERGE
