"""Conflict marks that nobody resolved, and copies that sync clients made."""

from __future__ import annotations

from typing import Any

import pytest

from conductd.core.case import Elsewhere, Git
from conductd.core.judging.judge import judge
from conductd.core.losses.conflict_copy import is_certain, merged_copy, originals
from conductd.core.losses.conflict_marks import conflicts
from conductd.core.policy import Policy
from conductd.model import Action, EventClass, Severity, Verdict
from scenarios.texts import ids_of, memory
from support.cases import case, judged, raw, written

OLD = memory(3, 4, 37)
LINE = OLD.split("\n")[4] + "\n"
GIT = OLD.replace(LINE, f"<<<<<<< HEAD\n{LINE}=======\n- [m-0901] the other side\n>>>>>>> feature\n")
DIFF3 = GIT.replace("=======", "||||||| base\n- [m-0902] what both had\n=======")
JJ = (
    GIT.replace("<<<<<<< HEAD", "<<<<<<< Conflict 1 of 1\n%%%%%%% Changes from base to side #1")
    .replace("=======", "+++++++ Contents of side #2")
    .replace(">>>>>>> feature", ">>>>>>> Conflict 1 of 1 ends")
)
HG = GIT.replace("HEAD", "working copy: 1a2b3c").replace("feature", "merge rev: 4d5e6f")


@pytest.mark.parametrize("new", [GIT, DIFF3, JJ, HG, GIT.replace("\n", "\r\n")])
def test_marks_that_came_are_told_and_left(new: str) -> None:
    verdict = judged(b"MEMORY.md", OLD, new)
    assert (verdict.event_class, verdict.action) == (EventClass.CONFLICT_MARKERS, Action.RECORD)
    assert (verdict.rule, verdict.severity) == ("conflict-left", Severity.NOTICE)
    assert judged(b"MEMORY.md", OLD, new, git=Git(merge_head=True)).action is not Action.REVERT


def test_what_is_lost_with_them_is_offered() -> None:
    new = "# Memory\n\n<<<<<<< HEAD\n- [m-0901] ours\n=======\n- [m-0902] theirs\n>>>>>>> feature\n"
    verdict = judged(b"MEMORY.md", OLD, new)
    assert (verdict.event_class, verdict.action) == (EventClass.CONFLICT_MARKERS, Action.PROPOSE)


@pytest.mark.parametrize(
    "new",
    [
        OLD + "\nGit writes such marks:\n\n```\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> other\n```\n",
        OLD + "\nA heading\n=======\n",
        OLD + "\n> quoted\n>>>>>>> deeply\n",
        OLD + "\n- a <<<<<<< in the middle of a line ======= is >>>>>>> none\n",
    ],
)
def test_other_marks_are_none(new: str) -> None:
    assert judged(b"MEMORY.md", OLD, new).event_class is not EventClass.CONFLICT_MARKERS


def test_marks_that_stood_there_or_are_resolved_say_nothing() -> None:
    assert judged(b"MEMORY.md", GIT, GIT + "- one more note here\n").event_class is EventClass.APPEND
    assert judged(b"MEMORY.md", GIT, OLD).action is Action.RECORD
    assert conflicts(GIT) == ((5, 9),)


# --------------------------------------------------------------------------- copies: names


@pytest.mark.parametrize(
    "name",
    [
        "MEMORY (Anna's conflicted copy 2026-11-30).md",
        "MEMORY (Anna's conflicted copy 2026-11-30 (1)).md",
        "MEMORY (In Konflikt stehende Kopie von Anna 2026-11-30).md",
        "MEMORY (copie en conflit de Anna 2026-11-30).md",
        "MEMORY (copia en conflicto de Anna).md",
        "MEMORY (Cópia em conflito de Anna).md",
        "MEMORY (копия Anna с конфликтом).md",
        "MEMORY (Anna 的冲突副本 2026-11-30).md",
        "MEMORY (Anna の競合コピー).md",
        "MEMORY (Anna의 충돌된 사본).md",
        "MEMORY (نسخة متعارضة من Anna).md",
        "MEMORY (Case Conflict).md",
        "MEMORY (Conflict 2026-11-30).md",
        "MEMORY (conflicted copy 2026-11-30 101112).md",
        "MEMORY (SFConflict anna@example.org 2026-11-30-10-11-12).md",
        "MEMORY.sync-conflict-20261130-101112-ABCDEFG.md",
        "MEMORY_conflict-20261130-101112.md",
        "MEMORY.variant-a1b2.md",
        "MEMORY.Conflict.md",
        "MEMORY [Conflict].md",
        "[Conflict] MEMORY.md",
        "MEMORY.md.conflict",
    ],
)
def test_names_that_only_sync_clients_give(name: str) -> None:
    for folder in ("", "memory/people/"):
        assert f"{folder}MEMORY.md".encode() in originals((folder + name).encode())
        assert is_certain((folder + name).encode())


@pytest.mark.parametrize(
    "name", ["MEMORY (1).md", "MEMORY(2).md", "MEMORY 2.md", "MEMORY-DESKTOP-AB12.md", "MEMORY-Annas-MacBook-Pro.md"]
)
def test_names_that_people_give_too(name: str) -> None:
    assert originals(name.encode()) == (b"MEMORY.md",)
    assert not is_certain(name.encode())


@pytest.mark.parametrize(
    "name",
    [
        "MEMORY.md",
        "notes.md",
        "memory/2026-03-08.md",
        "conflict.md",
        "memory/conflict resolution.md",
        "MEMORY-ARCHIVE.md",
    ],
)
def test_names_of_their_own(name: str) -> None:
    assert originals(name.encode()) == ()


# --------------------------------------------------------------------------- copies: verdicts

COPY = b"MEMORY.sync-conflict-20261130-101112-ABCDEFG.md"
NEWS = "- [m-0950] the other device wrote this line while away\n"


def of(*texts: str, path: bytes = b"MEMORY.md") -> dict[str, Any]:
    return {"copy_of": tuple(Elsewhere(path, bytes(32), raw(text)) for text in texts)}


def found(verdict: Verdict) -> tuple[EventClass, Action, str]:
    return verdict.event_class, verdict.action, verdict.rule


WITH = (EventClass.CONFLICT_COPY, Action.PROPOSE, "copy-with-news")
WITHOUT = (EventClass.CONFLICT_COPY, Action.RECORD, "copy-without-news")


@pytest.mark.parametrize("name", [COPY, b"MEMORY (1).md", b"MEMORY 2.md"])
def test_a_copy_with_news_is_offered(name: bytes) -> None:
    mine = OLD + "- [m-0960] written here meanwhile\n"
    verdict = judged(name, None, OLD + NEWS, **of(mine))
    assert found(verdict) == WITH
    assert verdict.facts["extra"] == 1
    merged = merged_copy(raw(mine), raw(OLD + NEWS))
    assert ids_of(merged) == {*range(1, 13), 950, 960}


def test_a_copy_without_news_is_recorded() -> None:
    assert found(judged(COPY, None, OLD, **of(OLD + NEWS))) == WITHOUT
    assert found(judged(COPY, None, OLD.replace("- ", "* "), **of(OLD))) == WITHOUT
    assert found(judged(COPY, OLD + NEWS, OLD + NEWS + "\n", **of(OLD))) == WITHOUT, "it was asked about before"


def test_a_copy_that_got_more_news_is_offered_again() -> None:
    assert (
        found(judged(COPY, OLD + NEWS, OLD + NEWS + "- [m-0951] and a second line of that kind\n", **of(OLD))) == WITH
    )


def test_other_texts_under_such_names_are_judged_like_any() -> None:
    other = memory(3, 4, 99, first_id=500)
    for name in (COPY, b"MEMORY (1).md", b"MEMORY 2.md"):
        assert judged(name, None, other, **of(OLD)).event_class is EventClass.FIRST_SIGHT
    part = OLD.split("## ")[2]
    assert judged(b"MEMORY 2.md", None, "## " + part, **of(OLD.replace("## " + part, ""), OLD)).rule == "first-sight"
    assert found(judged(COPY, None, OLD, **of("# Memory\n\n- gone\n", OLD))) == WITH


def test_removing_a_copy_is_not_fought() -> None:
    verdict = judged(COPY, OLD + NEWS, None, **of(OLD))
    assert (verdict.event_class, verdict.action) == (EventClass.DELETION, Action.PROPOSE)
    assert judged(COPY, OLD, None, **of(OLD), elsewhere={b"MEMORY.md": OLD}).action is Action.RECORD
    other = memory(3, 4, 99, first_id=500)
    assert judged(b"memory/a 2.md", other, None, **of(OLD)).action is Action.REVERT


def test_a_stub_of_a_cloud_client_is_waited_for() -> None:
    verdict = judged(b"MEMORY.md", OLD, None, dehydrated=True)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.DELETION, Action.HOLD, "dehydrated")


def test_what_a_copy_still_holds_is_said() -> None:
    the_case = case(b"MEMORY.md", OLD, "# Memory\n\n- (new entry)\n", copies=(Elsewhere(COPY, bytes(32), raw(OLD)),))
    verdict = judge(the_case, Policy())
    assert verdict.action is Action.REVERT
    assert verdict.facts["held_by_copy"] == verdict.facts["lost"]


def test_a_person_may_make_copies() -> None:
    verdict = judged(b"MEMORY (1).md", None, written(101, OLD, by="human:vim"), **of(OLD))
    assert verdict.action is Action.RECORD
