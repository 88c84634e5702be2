"""Every kind of record and every class of event has its place on the pages, and no other has."""

from __future__ import annotations

import re

from conductd.core.policy import DEFAULT_ACTIONS
from conductd.index.events import EVENT_KINDS
from conductd.model import RECORD_TYPES, Action, Cause, EventClass, FileState, Severity

from .pages import first_cells, read

EVENTS = read("docs/events.md")
KINDS = [record.kind for record in RECORD_TYPES]


def test_every_event_class_is_described_once() -> None:
    of_changes = first_cells(EVENTS, "## Classes of a change")
    of_the_daemon = first_cells(EVENTS, "## Classes of the daemon itself")
    of_loads = first_cells(EVENTS, "## Classes of what an agent sees")
    assert sorted(of_changes + of_loads + of_the_daemon) == sorted(EventClass)


def test_every_class_with_an_action_is_a_change() -> None:
    assert set(DEFAULT_ACTIONS) <= set(first_cells(EVENTS, "## Classes of a change"))


def test_every_record_kind_is_described_in_its_order() -> None:
    assert first_cells(EVENTS, "## Record kinds") == KINDS


def test_the_page_says_which_kinds_are_events() -> None:
    rows = re.findall(r"^\| `(\w+)` \| .* \| (yes|no) \|$", EVENTS, re.MULTILINE)
    assert {kind for kind, told in rows if told == "yes"} == EVENT_KINDS


def test_the_format_numbers_every_record_kind() -> None:
    page = read("docs/formats/journal.md")
    numbered = re.findall(r"(\d+) `(\w+)`", page.partition("| 1 | kind |")[2].partition("\n")[0])
    assert numbered == [(str(number), kind) for number, kind in enumerate(KINDS, start=1)]


def test_the_words_of_versions_and_verdicts_are_named() -> None:
    for word in (*Cause, *FileState, *Action, *Severity):
        assert f"`{word}`" in EVENTS, word


def test_every_class_that_a_rule_gives_is_in_the_present() -> None:
    """A class with a rule is no longer to come."""
    given = set(re.findall(r"`(\w+)`", re.sub(r"^#.*$", "", read("docs/judgement.md"), flags=re.MULTILINE)))
    to_come = set(re.findall(r"^\| `(\w+)` \| .* \| to come \|$", EVENTS, re.MULTILINE))
    assert not given & to_come
