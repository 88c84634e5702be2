"""The judge on the kinds of loss that public reports tell of."""

from __future__ import annotations

import re

import pytest

from conductd.model import Action, EventClass, Severity
from scenarios.texts import memory, transform
from support.cases import held, judged, written


def kept_only(text: str, ids: str) -> bytes:
    return transform(text.encode(), [{"keep_ids": ids}, {"drop_empty_sections": True}])


def without(text: str, ids: str) -> bytes:
    return transform(text.encode(), [{"drop_ids": ids}, {"drop_empty_sections": True}])


@pytest.mark.parametrize(
    "stub",
    [
        "# Memory\n\n- (new entry)\n",
        "# Memory\n",
        "unchanged",
        "gone\n",
        "x\n",
        "NO_REPLY",
        "null",
        "none\n",
        "No changes needed.\n",
        "(the rest of the file stays the same)\n",
        "无变化\n",
        "変更なし\n",
        "keine Änderungen\n",
        "",
        "\n\n",
        "\ufeff",
        "\0" * 4000,
    ],
)
@pytest.mark.parametrize("path", [b"MEMORY.md", b"memory/2026-03-08.md", b"memory/preferences.md", b"AGENTS.md"])
def test_a_text_that_says_nothing_is_reverted(path: bytes, stub: str) -> None:
    verdict = judged(path, memory(12, 12, 11), stub)
    assert (verdict.event_class, verdict.action, verdict.severity) == (
        EventClass.OVERWRITE,
        Action.REVERT,
        Severity.ALARM,
    )
    assert verdict.change.new_entries == 0


def test_a_daily_log_written_over_by_another_session_is_merged() -> None:
    verdict = judged(
        b"memory/2026-03-08.md",
        memory(5, 12, 8, title="2026-03-08"),
        memory(1, 18, 9, first_id=500, title="Price watch"),
    )
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.MERGE)
    assert verdict.change.new_entries == 18


def test_instructions_written_over_are_reverted_whatever_is_new() -> None:
    verdict = judged(b"AGENTS.md", memory(6, 8, 82, title="Agents"), memory(2, 6, 83, first_id=900))
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.REVERT)


def test_part_moved_part_lost_is_only_proposed() -> None:
    before = memory(6, 10, 6)
    verdict = judged(
        b"MEMORY.md",
        before,
        kept_only(before, "1-10"),
        elsewhere={b"memory/deploy.md": kept_only(before, "11-20"), b"memory/people.md": kept_only(before, "21-40")},
    )
    assert (verdict.event_class, verdict.action, verdict.severity) == (
        EventClass.SHRINK,
        Action.PROPOSE,
        Severity.NOTICE,
    )
    assert len(verdict.change.lost) == 22  # twenty items and their two headings
    assert {place.path for place in verdict.change.moved} == {b"memory/deploy.md", b"memory/people.md"}
    assert verdict.debt


def test_everything_moved_is_a_move() -> None:
    before = memory(60, 60, 141, title="Project", words=5)
    verdict = judged(
        b"CLAUDE.md",
        before,
        kept_only(before, "1-360") + b"\nMore in docs/claude/.\n",
        elsewhere={
            b"docs/claude/one.md": kept_only(before, "361-1800"),
            b"docs/claude/two.md": kept_only(before, "1801-3600"),
        },
    )
    assert (verdict.event_class, verdict.action, verdict.severity) == (EventClass.MOVE, Action.RECORD, Severity.INFO)
    assert verdict.change.lost == ()


def test_a_section_moved_with_other_words_is_a_move() -> None:
    before = memory(6, 10, 142)
    verdict = judged(
        b"MEMORY.md",
        before,
        without(before, "51-60") + b"- details: memory/open-threads.md\n",
        elsewhere={
            b"memory/open-threads.md": transform(
                kept_only(before, "51-60"),
                [{"replace": [["unless", "except when"], ["# Memory", "# Open threads"]]}],
            )
        },
    )
    assert (verdict.event_class, verdict.action) == (EventClass.MOVE, Action.RECORD)
    assert verdict.change.lost == ()


def test_two_appends_from_one_base_are_a_lost_update() -> None:
    base = memory(2, 8, 71, title="2026-08-02")
    verdict = judged(
        b"memory/2026-08-02.md",
        base,
        written(101, base + "- [m-0401] session one saw the quota change.\n", 0.0),
        written(102, base + "- [m-0402] session two fixed the retry.\n", 0.04),
    )
    assert (verdict.event_class, verdict.action, verdict.severity) == (
        EventClass.LOST_UPDATE,
        Action.MERGE,
        Severity.INFO,
    )
    assert verdict.base_seq == 90
    assert verdict.charged_to == 102
    assert verdict.facts["sides"] == "101,102"


def test_three_appends_from_one_base_are_one_lost_update() -> None:
    base = memory(2, 8, 71)
    verdict = judged(
        b"memory/2026-08-02.md",
        base,
        *(
            written(101 + n, base + f"- [m-040{n}] session {n} saw the quota change again.\n", 0.04 * n)
            for n in range(3)
        ),
    )
    assert verdict.event_class is EventClass.LOST_UPDATE
    assert verdict.facts["sides"] == "101,102,103"


def test_one_program_that_rewrites_its_own_lines_is_no_crowd_of_sessions() -> None:
    base = memory(2, 8, 71)
    words = base.split()
    lines = ("- " + " ".join(words[n * 9 : n * 9 + 8]) + f" {n} status\n" for n in range(3, 18))
    verdict = judged(b"memory/log.md", base, *(written(101 + n, base + line, 0.01 * n) for n, line in enumerate(lines)))
    assert verdict.event_class is EventClass.APPEND


def test_the_same_writer_correcting_an_addition_loses_nothing() -> None:
    base = memory(2, 8, 71)
    verdict = judged(
        b"memory/2026-08-02.md",
        base,
        written(101, base + "- [m-0401] session one saw the quota change.\n", 0.0, "agent:one"),
        written(102, base + "- [m-0402] the retry was fixed instead.\n", 0.04, "agent:one"),
    )
    assert verdict.event_class is EventClass.APPEND


PAD = "- [m-0001] only entry known to session two.\n"
FIRST = PAD + "x" * (1361 - len(PAD)) + "\n"


@pytest.mark.parametrize("by", ["unknown", "agent:two"])
def test_a_stale_copy_flattens_a_grown_file(by: str) -> None:
    grown = FIRST + memory(6, 11, 72, first_id=100, title="Standing orders")
    verdict = judged(
        b"MEMORY.md",
        grown,
        written(101, "- [m-0001] only entry known to session two, reworded.\n", 0.0, by),
        earlier=[FIRST],
    )
    assert (verdict.event_class, verdict.action, verdict.severity) == (
        EventClass.LOST_UPDATE,
        Action.MERGE,
        Severity.INFO,
    )
    assert verdict.base_seq == 89
    assert verdict.facts["base_distance"] == 1


def test_an_older_base_is_found_behind_newer_ones() -> None:
    old = memory(3, 8, 5)
    newer = old + "- [m-0300] one more about the queue and its owner.\n"
    newest = newer + memory(2, 10, 6, first_id=400, title="More")
    verdict = judged(
        b"MEMORY.md", newest, old + "- [m-0900] from the old copy with a new line.\n", earlier=[newer, old]
    )
    assert verdict.event_class is EventClass.LOST_UPDATE
    assert (verdict.base_seq, verdict.facts["base_distance"]) == (88, 2)


def test_whoever_added_the_entries_may_take_them_away() -> None:
    old = memory(3, 8, 5)
    added = memory(2, 10, 6, first_id=400, title="More")
    verdict = judged(
        b"MEMORY.md", held(90, old + added, by="agent:one"), written(101, old, 0.0, "agent:one"), earlier=[old]
    )
    assert verdict.event_class is EventClass.SHRINK


def test_a_text_without_anything_of_the_older_baseline_is_no_lost_update() -> None:
    old = "# Memory\n\n- [m-0001] the first note of all about tea\n"
    grown = old + memory(4, 8, 5, first_id=10)
    for text in ("# Memory\n", "unchanged", "# Memory\n\n- [m-0900] something new about the harbour\n"):
        assert judged(b"MEMORY.md", grown, text, earlier=[old]).event_class is EventClass.OVERWRITE


def test_a_destructive_version_is_no_base() -> None:
    old = memory(3, 8, 5)
    grown = old + memory(2, 10, 6, first_id=400, title="More")
    verdict = judged(b"MEMORY.md", grown, old, earlier=[held(80, old, destructive=True)])
    assert verdict.event_class is EventClass.SHRINK


def test_a_short_write_at_a_block_is_a_partial_write() -> None:
    text = memory(12, 60, 74).encode()
    text += b"x" * (70_000 - len(text))
    verdict = judged(b"MEMORY.md", text, text[:65_536])
    assert (verdict.event_class, verdict.action) == (EventClass.PARTIAL_WRITE, Action.REVERT)
    assert verdict.facts["sign"] == "cut at a multiple of 4096, mid-line, rest identical"


@pytest.mark.parametrize("script", ["latin", "cjk", "emoji"])
@pytest.mark.parametrize("at", [700, 1111, 1112, 1113])
def test_a_cut_inside_a_line_or_a_character_is_a_partial_write(script: str, at: int) -> None:
    text = memory(5, 12, 74, script=script).encode()
    cut = text[:at]
    if text[at : at + 1] == b"\n":
        cut = cut[:-1]
    verdict = judged(b"TASKS.md", text, cut)
    assert (verdict.event_class, verdict.action) == (EventClass.PARTIAL_WRITE, Action.REVERT)
    assert verdict.facts["sign"] == "cut mid-line, rest identical"


def test_a_person_adding_to_a_stub_keeps_what_was_added() -> None:
    stub = "# Memory\n\n- [m-0900] stub\n"
    for first, second in (("agent:main", "human:vim"), ("unknown", "human:vim"), ("unknown", "unknown")):
        verdict = judged(
            b"MEMORY.md",
            memory(5, 8, 159),
            written(101, stub, 0.0, first),
            written(102, stub + "- [m-0901] typed by a person just now\n", 0.2, second),
        )
        assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.MERGE)


def test_what_a_person_added_to_a_stub_survives_even_in_instructions() -> None:
    stub = "# Agents\n\n- stub\n"
    verdict = judged(
        b"AGENTS.md",
        memory(5, 8, 159),
        written(101, stub, 0.0, "agent:main"),
        written(102, stub + "- ok then\n", 0.2, "human:vim"),
    )
    assert (verdict.event_class, verdict.action, verdict.charged_to) == (EventClass.OVERWRITE, Action.MERGE, 101)
    assert verdict.facts["added_later"] == 1


def test_a_large_cut_without_new_entries_is_reverted_then_accepted() -> None:
    before = memory(6, 8, 160)
    wanted = kept_only(before, "1-5")
    verdict = judged(b"MEMORY.md", before, wanted)
    assert (verdict.event_class, verdict.action) == (EventClass.OVERWRITE, Action.REVERT)
    accepted = frozenset(span.fingerprint for span in verdict.change.lost)
    again = judged(b"MEMORY.md", before, wanted, accepted=accepted)
    assert (again.event_class, again.action, again.rule) == (EventClass.OVERWRITE, Action.RECORD, "accepted")
    onwards = judged(b"MEMORY.md", wanted, wanted + b"- [m-0900] goes on from there\n", earlier=[before])
    assert (onwards.event_class, onwards.action) == (EventClass.APPEND, Action.RECORD)


def test_duplicates_merged_by_a_consolidator_are_no_loss_and_a_cut_is_only_proposed() -> None:
    rules = memory(2, 20, 158)
    before = rules + "".join(f"- [m-0{n:03d}] same words again and again.\n" for n in range(1, 11))
    tidy = rules + "- same words again and again.\n"
    good = judged(b"MEMORY.md", before, tidy, consolidator=True)
    assert (good.event_class, good.severity) == (EventClass.EDIT, Severity.INFO)
    assert good.change.lost == ()
    cut = judged(b"MEMORY.md", tidy, transform(tidy.encode(), [{"drop_ids": "1-26"}]), consolidator=True)
    assert (cut.event_class, cut.action) == (EventClass.SHRINK, Action.PROPOSE)


def test_one_changed_line_among_changed_line_ends_and_a_bom_is_an_encoding_change() -> None:
    before = transform(memory(5, 9, 61).encode(), [{"eol": "crlf"}])
    after = transform(before, [{"eol": "lf"}, {"replace": [["- [m-0007]", "- [m-0007] (checked)"]]}, {"bom": True}])
    verdict = judged(b"MEMORY.md", before, after)
    assert (verdict.event_class, verdict.action) == (EventClass.ENCODING_CHANGE, Action.RECORD)
    assert verdict.change.lost == ()


def test_a_rewrapped_file_is_only_layout() -> None:
    before = memory(5, 9, 61)
    verdict = judged(b"MEMORY.md", before, transform(before.encode(), [{"rewrap": 40}]))
    assert (verdict.event_class, verdict.action) == (EventClass.FORMAT, Action.RECORD)


def test_ids_are_no_content() -> None:
    before = memory(4, 9, 61)
    verdict = judged(b"MEMORY.md", before, re.sub(r"\[m-\d+\] ", "", before))
    assert verdict.change.lost == ()
    assert verdict.action is Action.RECORD
