"""Git's own rules: who is named for a change decides, not that git was about."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conductd.core.case import Git, Text, Write
from conductd.model import Action, Actor, EventClass, Role, Severity, Verdict
from scenarios.texts import memory
from support.cases import held, judged, written

GIT = Actor("git", 0.9, ("git checkout",))
AGENT = Actor("agent:main", 0.9, ("announced",))
OLD = memory(3, 8, 5)
STUB = "# Memory\n\n- [m-0900] a stub in place of it all\n"


def version(seq: int, text: str | None, actor: Actor, at_s: float = 0.0) -> Write:
    return msgspec.structs.replace(written(seq, text, at_s), actor=actor)


def by(actor: Actor, text: str | None = STUB, before: str | Text = OLD, **more: Any) -> Verdict:
    return judged(b"MEMORY.md", before, version(100, text, actor), **more)


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("after", [STUB, None, OLD[:300], "# Memory\n"])
def test_what_git_takes_is_offered_and_never_written(after: str | None, role: Role) -> None:
    verdict = by(GIT, after, role=role)
    if role is Role.REPLACEABLE:
        assert verdict.action is not Action.MERGE
        return
    assert (verdict.event_class, verdict.action, verdict.rule) == (
        EventClass.EXTERNAL_RESET,
        Action.PROPOSE,
        "git-at-work",
    )
    assert verdict.debt


def test_what_git_had_put_there_itself_is_no_loss() -> None:
    verdict = by(GIT, before=msgspec.structs.replace(held(90, OLD), actor=GIT))
    assert (verdict.event_class, verdict.action, verdict.rule) == (
        EventClass.EXTERNAL_RESET,
        Action.RECORD,
        "git-keeps-it",
    )
    assert not verdict.debt


@pytest.mark.parametrize("after", [STUB, None])
def test_what_a_commit_holds_is_offered_in_silence(after: str | None) -> None:
    verdict = by(GIT, after, git=Git(committed=True))
    assert (verdict.action, verdict.severity, verdict.facts["committed"]) == (Action.PROPOSE, Severity.INFO, True)
    assert by(AGENT, after, git=Git(committed=True)).severity is Severity.ALARM


def test_what_git_adds_keeps_its_class() -> None:
    assert by(GIT, OLD + "- [m-0901] brought by a pull\n").event_class is EventClass.APPEND


@pytest.mark.parametrize("git", [Git(index_lock=True), Git(merge_head=True)])
def test_in_the_middle_of_an_operation_a_known_writer_is_named_and_nothing_is_written(git: Git) -> None:
    verdict = by(AGENT, git=git)
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.PROPOSE)
    assert verdict.facts["git_unfinished"] is True
    assert judged(b"MEMORY.md", OLD, STUB, git=git).event_class is EventClass.EXTERNAL_RESET


@pytest.mark.parametrize(
    ("confidence", "action", "rule"),
    [
        (0.5, "merge", "mostly-lost"),
        (0.6, "propose", "mostly-lost"),
        (0.7, "propose", "mostly-lost"),
        (0.85, "record", "human"),
    ],
)
def test_how_sure_a_person_is_known_decides(confidence: float, action: str, rule: str) -> None:
    verdict = by(Actor("human:nano", confidence))
    assert (verdict.action, verdict.rule) == (action, rule)
    assert ("perhaps" in verdict.facts) == (verdict.action is Action.PROPOSE)
