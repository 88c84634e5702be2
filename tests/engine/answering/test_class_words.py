"""Every event class has words, and so has every rule that can say more than its class."""

from __future__ import annotations

import itertools

import pytest

from conductd.core.judging.rules import RULES
from conductd.engine.answering import notices
from conductd.engine.answering.class_words import CLASSES, said
from conductd.engine.answering.class_words import RULES as CLOSER
from conductd.model import Action, Change, EventClass, IncidentRecord, Severity, Span, Verdict

OFFERED = (Action.PROPOSE, Action.REVERT, Action.MERGE)
OTHERWISE = ("redacted", "damaged", "keys_lost")


@pytest.mark.parametrize("event_class", EventClass)
def test_every_class_is_said_in_words(event_class: EventClass) -> None:
    words = CLASSES[event_class]
    assert words == words.strip()
    assert "_" not in words
    assert not words.endswith(".")


def test_closer_words_are_of_rules_that_there_are() -> None:
    assert set(CLOSER) <= set(RULES)
    assert said(EventClass.OVERWRITE, "mostly-lost") == "was overwritten"
    assert said(EventClass.OVERWRITE, "error-text") == "was replaced by an error message"


@pytest.mark.parametrize("event_class", EventClass)
def test_a_notice_names_the_file_the_writer_and_counts(event_class: EventClass) -> None:
    change = Change(entries_before=4, kept=3, lost=(Span(7, 7, 5, b"fingerpr"),), lost_share=0.25)
    verdict = Verdict(event_class, Severity.NOTICE, Action.PROPOSE, "mostly-lost", change)
    record = IncidentRecord("w", None, "open", event_class, Severity.NOTICE, Action.PROPOSE, (1,), writer="agent:one")
    notice = notices.first(b"MEMORY.md", verdict, record, 7)
    assert notice.title.startswith(f"MEMORY.md {CLASSES[event_class]} by agent:one: ")
    assert notice.command == "conductd restore --incident 7"


@pytest.mark.parametrize("event_class", EventClass)
@pytest.mark.parametrize("rule", sorted({"mostly-lost", *CLOSER}))
def test_no_notice_says_that_nothing_is_lost_and_gives_it_back(event_class: EventClass, rule: str) -> None:
    lost = Change(entries_before=4, kept=3, lost=(Span(7, 7, 5, b"fingerpr"),), lost_share=0.25)
    facts: list[dict[str, str | int | float | bool]] = [{}, {"redacted": 2}, {"damaged": 1}, {"keys_lost": 1}]
    facts += [{"pinned_lines": "7"}, {"refused": "it is a link"}, {"committed": True}]
    whys = ("", "not written: it is a link", "the pinned entries are back; what else was lost is offered back")
    for change, fact, action, why in itertools.product((Change(entries_before=4, kept=4), lost), facts, Action, whys):
        verdict = Verdict(event_class, Severity.NOTICE, action, rule, change, facts=fact)
        record = IncidentRecord("w", None, "open", event_class, Severity.NOTICE, action, (1,), writer="git", why=why)
        told = notices.first(b"MEMORY.md", verdict, record, 7)
        again = notices.put_back([b"MEMORY.md"], record, 7)
        for notice in (told, again):
            if "nothing lost" in notice.title:
                assert action not in OFFERED
                assert not any(words in notice.title for words in ("offered back", "is back", "put back as"))
        if why:
            assert why in told.title
        if change is lost and event_class is not EventClass.EROSION and not any(name in fact for name in OTHERWISE):
            assert "1 of 4 entries lost (25 %)" in told.title


def test_git_is_named_once() -> None:
    verdict = Verdict(EventClass.EXTERNAL_RESET, Severity.NOTICE, Action.PROPOSE, "git-at-work")
    words = "MEMORY.md was changed by git; left as written; what stood there is offered back"
    assert notices.describe(b"MEMORY.md", verdict, "git") == words


def test_files_that_git_changed_together_are_not_said_to_be_removed() -> None:
    record = IncidentRecord(
        "w", None, "open", EventClass.EXTERNAL_RESET, Severity.NOTICE, Action.PROPOSE, (1, 2), writer="git"
    )
    title = notices.several(record, [b"MEMORY.md", b"USER.md"], 7, notices.Progress(0, 0, 2)).title
    assert title.startswith("2 files were changed together by git: MEMORY.md, USER.md; ")
