"""Every event class has words, and so has every rule that can say more than its class."""

from __future__ import annotations

import pytest

from conductd.core.judging.rules import RULES
from conductd.engine.answering import notices
from conductd.engine.answering.class_words import CLASSES, said
from conductd.engine.answering.class_words import RULES as CLOSER
from conductd.model import Action, Change, EventClass, IncidentRecord, Severity, Span, Verdict


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


def test_git_is_named_once() -> None:
    verdict = Verdict(EventClass.EXTERNAL_RESET, Severity.NOTICE, Action.PROPOSE, "git-at-work")
    assert notices.describe(b"MEMORY.md", verdict, "git").startswith("MEMORY.md was changed by git: ")
