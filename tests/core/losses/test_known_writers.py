"""Memory jobs are known by their form; a mark softens, it never excuses."""

from __future__ import annotations

import pytest

from conductd.core.judging.charge import known, trusted_name
from conductd.core.losses.known_writers import LONGEST, recognise
from conductd.model import Action, EventClass, Severity
from scenarios.texts import memory
from support.cases import judged, who, written

NOTES = memory(3, 8, 4)
OTHERS = memory(3, 8, 91, first_id=400)
PROMOTED = (
    "\n## Promoted From Short-Term Memory (2026-03-08)\n\n"
    "<!-- openclaw-memory-promotion:k1 -->\n- The NAS is at 10.0.4.7.\n"
)
FRONT = "---\nname: {name}\ntype: project\nmodified: {when}\n---\n"
HERMES = "The user lives in Lyon.\n§\nThe user prefers tea.\n§\nThe build machine is called Ada.\n"


@pytest.mark.parametrize(
    ("path", "before", "after", "name"),
    [
        ("MEMORY.md", NOTES, NOTES + PROMOTED, "cron:dreaming"),
        ("MEMORY.md", NOTES + PROMOTED, NOTES + PROMOTED.replace("k1", "k2"), "cron:dreaming"),
        ("MEMORY.md", NOTES + PROMOTED * 2, NOTES + PROMOTED, "cron:dreaming"),
        ("DREAMS.md", "# Dreams\n", "# Dreams\n\n## Deep Sleep\n\n- a promotion\n", "cron:dreaming"),
        ("memory/2026-03-08.md", "# Day\n", "# Day\n\n## Light Sleep\n\n- x\n", "cron:dreaming"),
        ("MEMORY.md", NOTES, NOTES + "\n## Imported From Legacy Root memory.md\n\n- x\n", "agent:openclaw-doctor"),
        ("AGENTS.md", "# Agents\n", "# Agents\n\n## Tools\n\n- x\n", "agent:openclaw-doctor"),
        ("memory/2026-03-08-1412.md", "", "# Session: 2026-03-08 14:12:00 UTC\n\nuser: hi\n", "agent:session-memory"),
        ("memory/imports/chat/old.md", NOTES, OTHERS, "agent:memory-import"),
        ("project.md", FRONT.format(name="a", when="1") + NOTES, FRONT.format(name="a", when="2") + OTHERS,
         "agent:claude-memory"),
        ("MEMORY.md", HERMES, HERMES.replace("tea", "coffee"), "agent:hermes-memory"),
        ("memory_summary.md", "v1\n- a\n", "v1\n- b\n", "cron:codex-memories"),
        ("MEMORY.md", NOTES, OTHERS, None),
        ("MEMORY.md", NOTES + PROMOTED, OTHERS, None),
        ("MEMORY.md", NOTES + PROMOTED, "# Memory\n", None),
        ("SOUL.md", "# Soul\n", "# Soul\n\n## Deep Sleep\n", None),
        ("AGENTS.md", "# A\n\n## Tools\n", "# A\n\n## Tools\n\n- x\n", None),
        ("notes/2026-03-08-1412.md", "", "# Session: 2026-03-08 14:12\n", None),
        ("memory/2026-03-08-1412.md", NOTES, "# Session: 2026-03-08 14:12\n", None),
        ("project.md", FRONT.format(name="a", when="1") + NOTES, FRONT.format(name="a", when="1") + OTHERS, None),
        ("project.md", NOTES, FRONT.format(name="a", when="2") + OTHERS, None),
        ("MEMORY.md", NOTES, HERMES, None),
        ("MEMORY.md", HERMES, "gone\n", None),
        ("MEMORY.md", "v1\n- a\n", "v1\n- b\n", None),
    ],
)  # fmt: skip
def test_by_the_form_of_the_step(path: str, before: str, after: str, name: str | None) -> None:
    found = recognise(path.encode(), before.encode(), after.encode())
    assert (found.name if found else None) == name
    if found is not None:
        assert not known(found.actor)
        assert trusted_name(found.actor) == "unknown"


def test_a_text_of_any_length_is_no_jobs_memory() -> None:
    text = (HERMES * 2).encode() + b"- x\n" * (LONGEST // 4)
    assert recognise(b"MEMORY.md", text, text + b"- y\n") is None


def test_a_rewrite_of_a_known_job_is_asked_about() -> None:
    verdict = judged(b"MEMORY.md", NOTES, OTHERS + PROMOTED)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.OVERWRITE, Action.PROPOSE, "known-job")
    assert (verdict.facts["known_writer"], verdict.severity) == ("cron:dreaming", Severity.NOTICE)
    assert verdict.debt


def test_of_a_writer_who_is_known_it_is_not() -> None:
    write = written(100, OTHERS + PROMOTED, by="agent:main")
    assert judged(b"MEMORY.md", NOTES, write).rule == "mostly-lost"
    write = written(100, OTHERS + PROMOTED, by="cron:dreaming")
    assert judged(b"MEMORY.md", NOTES, write).rule == "known-job"


@pytest.mark.parametrize(
    "after",
    ["# Memory\n" + PROMOTED, "", "unchanged\n", PROMOTED],
)
def test_marks_on_a_stub_gain_nothing(after: str) -> None:
    verdict = judged(b"MEMORY.md", NOTES, after)
    assert verdict.action in (Action.MERGE, Action.REVERT)


@pytest.mark.parametrize("marks", [PROMOTED, "\n## Imported From Legacy Root memory.md\n\n- x y z\n", "\n§\na\n§\nb\n"])
def test_marks_never_make_a_loss_a_record(marks: str) -> None:
    lines = NOTES.splitlines(keepends=True)
    for kept in (4, 8, 16):
        verdict = judged(b"MEMORY.md", NOTES, "".join(lines[:kept]) + marks)
        assert verdict.action is not Action.RECORD


def test_a_forged_name_is_meant_by_no_setting() -> None:
    """Who is named by marks alone is nobody for the configuration; an announced one is."""
    assert trusted_name(who("cron:dreaming")) == "cron:dreaming"
    found = recognise(b"MEMORY.md", NOTES.encode(), (NOTES + PROMOTED).encode())
    assert found is not None
    assert found.actor.confidence < 0.5
