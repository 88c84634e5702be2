"""The judge, rule by rule, and what holds for every text."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.case import Git, Provenance, Write
from conductd.core.judging.judge import judge
from conductd.core.judging.rules import RULES
from conductd.core.policy import Policy
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.model import UNKNOWN, Action, EventClass, FileState, Role, Severity, Verdict
from scenarios.texts import memory, transform
from support.cases import START_NS, case, held, judged, written

OLD = memory(6, 8, 3)
STUB = "# Memory\n\n- (new entry)\n"
RECORDED = {EventClass.APPEND, EventClass.EDIT, EventClass.FORMAT, EventClass.MOVE, EventClass.ENCODING_CHANGE}


def cut(text: str, ids: str) -> bytes:
    return transform(text.encode(), [{"keep_ids": ids}, {"drop_empty_sections": True}])


def found(verdict: Verdict) -> tuple[str, str, str]:
    return (str(verdict.event_class), str(verdict.action), verdict.rule)


def other(state: FileState, **more: Any) -> Write:
    return Write(101, state, START_NS, UNKNOWN, **more)


# --------------------------------------------------------------------------- one rule each

SHRUNK = cut(OLD, "1-32")
GIT_BUSY = Git(index_lock=True)
CONFLICT = "# Memory\n\n<<<<<<< HEAD\n- [m-0001] ours\n=======\n- [m-0001] theirs\n>>>>>>> other\n"
GREW = memory(2, 8, 5)
LATER = GREW + memory(1, 9, 6, first_id=300, title="More")


@pytest.mark.parametrize(
    ("expected", "arguments", "more"),
    [
        (("first_sight", "record", "first-sight"), (None, OLD), {}),
        (("rename", "record", "renamed"), (None, OLD), {"renamed_from": b"draft.md"}),
        (("rename", "record", "renamed"), (OLD, None), {"renamed_to": b"memory/archive/x.md"}),
        (("format", "record", "same-bytes"), (OLD, OLD), {}),
        (("format", "record", "layout"), (OLD, OLD.replace("- ", "*  ")), {}),
        (("format", "record", "layout"), (OLD, OLD.replace("\n", "\r\n")), {}),
        (("append", "record", "only-added"), (OLD, OLD + "- one more\n"), {}),
        (("append", "record", "only-added"), (b"", OLD), {}),
        (("edit", "record", "edited"), (OLD, OLD.replace("## Deploy\n", "## Deploy\n- put in between\n")), {}),
        (("edit", "record", "edited"), (OLD, cut(OLD, "1-3,5-48")), {}),
        (("encoding_change", "record", "encoding"), ("- Grüße\n", "- Grüße\n".encode("latin-1")), {}),
        (("encoding_change", "record", "encoding"), (OLD, OLD.encode("utf-16")), {}),
        (("overwrite", "revert", "mostly-lost"), (OLD, cut(OLD, "1-3")), {}),
        (("overwrite", "merge", "mostly-lost"), (OLD, "- this is a new entry about tea\n"), {}),
        (("overwrite", "revert", "stand-in"), (OLD, STUB), {}),
        (("shrink", "propose", "large-loss"), (OLD, SHRUNK), {}),
        (("shrink", "propose", "section-lost"), (memory(10, 8, 3), cut(memory(10, 8, 3), "1-72")), {}),
        (("partial_write", "revert", "cut-off"), (OLD, OLD[:777]), {}),
        (("lost_update", "merge", "stale-copy"), (LATER, GREW + "- a line of my own here\n"), {"earlier": [GREW]}),
        (("deletion", "revert", "deleted"), (OLD, None), {}),
        (("deletion", "revert", "deleted"), ("- [m-0001] a\n", None), {}),
        (("deletion", "record", "deleted-empty"), ("# Memory\n", None), {}),
        (("deletion", "record", "deleted-empty"), (None, None), {}),
        (("deletion", "record", "deleted-by-retention"), (OLD, None), {"retention": True}),
        (("deletion", "record", "deleted-again"), (OLD, None), {"restored_ns": START_NS - 3600 * 10**9}),
        (("deletion", "revert", "deleted"), (OLD, None), {"restored_ns": START_NS - 25 * 3600 * 10**9}),
        (("deletion", "propose", "deleted-with-parent"), (OLD, None), {"parent_missing": True}),
        (("deletion", "record", "lease"), (OLD, None), {"leased": True}),
        (("deletion", "revert", "deleted"), (OLD, None), {"consolidator": True}),
        (("move", "record", "moved"), (OLD, None), {"elsewhere": {b"memory/all.md": OLD}}),
        (("move", "record", "moved"), (OLD, SHRUNK), {"elsewhere": {b"memory/rest.md": cut(OLD, "33-48")}}),
        (("overwrite", "record", "replaceable"), (OLD, STUB), {"role": Role.REPLACEABLE}),
        (("overwrite", "record", "replaceable"), (OLD, ""), {"role": Role.REPLACEABLE}),
        (("deletion", "record", "replaceable"), (OLD, None), {"role": Role.REPLACEABLE}),
        (("partial_write", "revert", "cut-off"), (OLD, OLD[:777]), {"role": Role.REPLACEABLE}),
        (("external_reset", "propose", "git-at-work"), (OLD, STUB), {"git": GIT_BUSY}),
        (("external_reset", "propose", "git-at-work"), (OLD, None), {"git": GIT_BUSY}),
        (("external_reset", "propose", "git-at-work"), (OLD, OLD[:777]), {"git": Git(merge_head=True)}),
        (("append", "record", "only-added"), (OLD, OLD + "- one more\n"), {"git": GIT_BUSY}),
        (("conflict_markers", "hold", "conflict-marks"), (OLD, CONFLICT), {"git": Git(merge_head=True)}),
        (("overwrite", "record", "lease"), (OLD, STUB), {"leased": True}),
        (("append", "record", "only-added"), (OLD, OLD + "- one more\n"), {"leased": True}),
        (("overwrite", "propose", "consolidator"), (OLD, STUB), {"consolidator": True}),
        (("shrink", "propose", "consolidator"), (OLD, SHRUNK), {"consolidator": True}),
    ],
)
def test_rules(expected: tuple[str, str, str], arguments: tuple[Any, ...], more: dict[str, Any]) -> None:
    verdict = judged(b"MEMORY.md", *arguments, **more)
    assert found(verdict) == expected
    assert verdict.rule in RULES


@pytest.mark.parametrize(
    ("write", "expected"),
    [
        (other(FileState.OVERSIZE, size=99), ("oversize", "record", "oversize")),
        (other(FileState.UNREADABLE), ("watcher_degraded", "hold", "unreadable")),
        (other(FileState.FILE, size=99), ("watcher_degraded", "hold", "unreadable")),
        (other(FileState.SPECIAL), ("deletion", "propose", "special-file")),
        (other(FileState.SYMLINK, link_target=b"/dev/null"), ("symlink_change", "propose", "link-hides")),
    ],
)
def test_what_is_no_regular_file(write: Write, expected: tuple[str, str, str]) -> None:
    assert found(judged(b"MEMORY.md", OLD, write)) == expected


def test_a_link_replaced_by_a_file_removed_and_made_again() -> None:
    link = {"baseline_is_link": b"AGENTS.md"}
    assert judged(b"CLAUDE.md", None, OLD, **link).event_class is EventClass.SYMLINK_CHANGE
    assert judged(b"CLAUDE.md", None, None, **link).event_class is EventClass.SYMLINK_CHANGE
    same = other(FileState.SYMLINK, link_target=b"AGENTS.md")
    assert judged(b"CLAUDE.md", None, same, **link).rule == "same-bytes"


# --------------------------------------------------------------------------- who did it


@pytest.mark.parametrize("text", [STUB, SHRUNK, OLD[:777], None, cut(OLD, "1-3")])
def test_a_person_is_recorded(text: str | bytes | None) -> None:
    verdict = judged(b"MEMORY.md", OLD, written(101, text, 0, "human:vim"))
    assert (verdict.action, verdict.severity, verdict.rule) == (Action.RECORD, Severity.INFO, "human")


def test_a_person_of_whom_little_is_sure_is_judged() -> None:
    write = written(101, STUB)
    write = Write(101, FileState.FILE, write.at_ns, write.actor.__class__("human:vim", 0.5), write.data, write.digest)
    assert judged(b"MEMORY.md", OLD, write).action is Action.REVERT


def test_a_loss_is_charged_to_the_version_that_caused_it() -> None:
    verdict = judged(
        b"MEMORY.md",
        OLD,
        written(101, OLD + "- harmless line here\n", 0, "agent:a"),
        written(102, cut(OLD, "1-32"), 0.1, "agent:b"),
        written(103, cut(OLD, "1-32") + b"- a later line only\n", 0.2, "human:vim"),
    )
    assert found(verdict) == ("shrink", "propose", "large-loss")
    assert verdict.charged_to == 102


def test_what_a_person_removed_after_an_agent_does_not_count() -> None:
    verdict = judged(
        b"MEMORY.md",
        OLD,
        written(101, cut(OLD, "2-48"), 0, "agent:a"),
        written(102, cut(OLD, "30-48"), 0.1, "human:vim"),
    )
    assert found(verdict) == ("shrink", "record", "human")


def test_a_truncated_save_is_not_what_caused_the_loss() -> None:
    verdict = judged(b"AGENTS.md", OLD, written(101, "", 0), written(102, STUB[:7], 0.01), written(103, STUB, 0.02))
    assert (verdict.action, verdict.charged_to) == (Action.REVERT, 103)


def test_a_writer_that_goes_on_with_its_own_overwrite_is_reverted_whole() -> None:
    first = written(101, "# Agents\n\n- short and new text\n", 0, "agent:main")
    second = "# Other\n\n- some other text from the same hand\n"
    assert judged(b"AGENTS.md", OLD, first, written(102, second, 0.1, "agent:main")).action is Action.REVERT
    assert judged(b"AGENTS.md", OLD, first, written(102, second, 0.1, "agent:b")).action is Action.MERGE


def test_going_back_within_seconds_is_an_undo_and_a_line_of_ones_own_a_stale_copy() -> None:
    before = held(90, OLD + "- typed and taken away again\n", -5)
    earlier = [held(80, OLD, -60)]
    assert judged(b"MEMORY.md", before, written(101, OLD, 0), earlier=earlier).event_class is EventClass.EDIT
    mine = written(101, OLD + "- written by another session\n", 0)
    assert judged(b"MEMORY.md", before, mine, earlier=earlier).event_class is EventClass.LOST_UPDATE


def test_a_small_loss_minutes_later_is_a_lost_update_only_between_known_writers() -> None:
    earlier = [held(80, OLD, -9000)]
    mine = OLD + "- written by another session\n"
    added = OLD + "- a line of the first one\n"
    quiet = judged(b"MEMORY.md", held(90, added, -3600), written(101, mine, 0), earlier=earlier)
    assert quiet.event_class is EventClass.EDIT
    known = judged(
        b"MEMORY.md", held(90, added, -3600, "agent:one"), written(101, mine, 0, "agent:two"), earlier=earlier
    )
    assert (known.event_class, known.base_seq) == (EventClass.LOST_UPDATE, 80)
    same = judged(
        b"MEMORY.md", held(90, added, -3600, "agent:one"), written(101, mine, 0, "agent:one"), earlier=earlier
    )
    assert same.event_class is EventClass.EDIT


def test_something_younger_that_survived_shows_that_the_copy_was_not_stale() -> None:
    younger = OLD + "- the first younger entry\n- the second younger entry\n"
    verdict = judged(
        b"MEMORY.md",
        held(90, younger, -3600, "agent:one"),
        written(101, OLD + "- the first younger entry\n- and my own line\n", 0, "agent:two"),
        earlier=[OLD],
    )
    assert verdict.event_class is EventClass.EDIT


# --------------------------------------------------------------------------- policy


def test_configured_actions_win_over_the_table() -> None:
    for actions, expected in (
        ({"overwrite": "propose"}, Action.PROPOSE),
        ({"overwrite.curated": "record", "overwrite": "propose"}, Action.RECORD),
        ({"overwrite.daily": "record"}, Action.REVERT),
    ):
        assert judged(b"MEMORY.md", OLD, STUB, policy=Policy(actions=actions)).action is expected


def test_append_only_writers_get_their_daily_log_merged_and_others_asked() -> None:
    path = b"memory/2026-03-08.md"
    assert judged(path, OLD, SHRUNK, append_only_writer=True).action is Action.MERGE
    assert judged(path, OLD, SHRUNK).action is Action.PROPOSE
    assert judged(b"MEMORY.md", OLD, SHRUNK, append_only_writer=True).action is Action.PROPOSE


def test_the_agents_own_record_forbids_a_write_of_other_bytes() -> None:
    strange = Provenance("owner", b"\1" * 32)
    same = Provenance("owner", held(90, OLD).digest)
    verdict = judged(b"MEMORY.md", OLD, STUB, provenance=strange)
    assert (verdict.action, verdict.severity, verdict.rule) == (Action.PROPOSE, Severity.ALARM, "provenance")
    assert verdict.debt
    assert judged(b"MEMORY.md", OLD, STUB, provenance=same).action is Action.REVERT
    assert judged(b"MEMORY.md", OLD, "- this is a new entry about tea\n", provenance=same).action is Action.PROPOSE
    assert judged(b"AGENTS.md", OLD, STUB, provenance=strange).action is Action.REVERT
    opted_out = judged(b"MEMORY.md", OLD, STUB, provenance=strange, policy=Policy(provenance_repair=True))
    assert opted_out.action is Action.REVERT


def test_accepted_losses_do_not_count_and_others_still_do() -> None:
    lost = judged(b"MEMORY.md", OLD, SHRUNK).change.lost
    accepted = frozenset(span.fingerprint for span in lost)
    assert found(judged(b"MEMORY.md", OLD, SHRUNK, accepted=accepted)) == ("shrink", "record", "accepted")
    more = judged(b"MEMORY.md", OLD, cut(OLD, "1-20"), accepted=accepted)
    assert found(more) == ("shrink", "propose", "large-loss")


def test_filling_in_a_template_loses_nothing() -> None:
    template = "# Memory\n\n## Facts\n\n- (new entry)\n\n## Notes\n\nNothing here yet.\n"
    filled = "# Memory\n\n## Facts\n\n- the owner likes green tea\n\n## Notes\n\n- asks for short answers\n"
    assert judged(b"MEMORY.md", template, filled).action is Action.RECORD


@pytest.mark.parametrize("script", ["latin", "cjk"])
def test_every_script_is_judged_alike(script: str) -> None:
    old = memory(6, 8, 3, script=script)
    assert judged(b"MEMORY.md", old, "# Memory\n").action is Action.REVERT
    assert judged(b"MEMORY.md", old, memory(2, 6, 9, first_id=900, script=script)).action is Action.MERGE
    assert judged(b"MEMORY.md", old, cut(old, "1-32")).event_class is EventClass.SHRINK
    assert judged(b"MEMORY.md", old, cut(old, "1-32"), elsewhere={b"a.md": cut(old, "33-48")}).action is Action.RECORD


NOTES = {
    "zh": [
        "部署之前必须先运行全部测试并检查结果",
        "监控告警由值班同事在早上处理完毕",
        "数据库每天晚上三点自动备份一次",
    ],
    "ja": [
        "記憶の設定を確認する手順は別の文書にある",
        "通知の時間は担当者が変更できる",
        "試験の結果は毎週金曜に保存する",
    ],
    "ar": [
        "يجب تشغيل جميع الاختبارات قبل النشر",
        "الميزانية تحتاج إلى مراجعة هذا الشهر",
        "النسخ الاحتياطي يعمل كل ليلة",
    ],
    "de": [
        "die Sicherung läuft jede Nacht um drei",
        "der Drucker steht im zweiten Stock",
        "Frühstück gibt es ab acht Uhr",
    ],
}


@pytest.mark.parametrize("language", NOTES)
def test_new_entries_of_every_language_are_merged(language: str) -> None:
    notes = NOTES[language]
    new = "# Memory\n\n- " + notes[0] + "\n"
    verdict = judged(b"MEMORY.md", memory(4, 6, 2), new)
    assert (verdict.action, verdict.change.new_entries) == (Action.MERGE, 1)
    whole = "".join(f"- {note}\n" for note in notes)
    assert judged(b"MEMORY.md", whole, f"- {notes[1]}\n- {notes[0]}\n- {notes[2]}\n").action is Action.RECORD
    assert judged(b"MEMORY.md", whole, f"- {notes[1]}\n").event_class in (EventClass.SHRINK, EventClass.OVERWRITE)


# --------------------------------------------------------------------------- for every text

ANY_TEXT = st.one_of(
    st.binary(max_size=120),
    st.lists(
        st.sampled_from(
            ["- one note about the cache", "# Title", "", "- other words go here", "---", "```", "null", "| a |"]
        ),
        max_size=10,
    ).map(lambda lines: "\n".join(lines).encode()),
)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(st.none(), ANY_TEXT),
    st.lists(st.one_of(st.none(), ANY_TEXT), min_size=1, max_size=4),
    st.lists(ANY_TEXT, max_size=2),
    st.lists(ANY_TEXT, max_size=2),
    st.sampled_from(list(Role)),
    st.booleans(),
)
def test_the_judge_takes_everything_and_says_the_same_again(
    before: bytes | None,
    versions: list[bytes | None],
    earlier: list[bytes],
    elsewhere: list[bytes],
    role: Role,
    flag: bool,
) -> None:
    the_case = case(
        b"MEMORY.md",
        before,
        *versions,
        earlier=earlier,
        elsewhere={b"%d.md" % n: text for n, text in enumerate(elsewhere)},
        role=role,
        consolidator=flag,
        append_only_writer=not flag,
        git=Git(merge_head=flag),
    )
    verdict = judge(the_case, Policy())
    assert verdict == judge(the_case, Policy())
    change = verdict.change
    assert change.kept + len(change.reworded) + len(change.moved) + len(change.lost) == change.entries_before
    assert verdict.rule in RULES


@settings(max_examples=100, deadline=None)
@given(ANY_TEXT, ANY_TEXT.filter(bool), st.sampled_from(list(Role)))
def test_adding_at_the_end_is_an_append(before: bytes, more: bytes, role: Role) -> None:
    verdict = judged(b"MEMORY.md", before, before + more, role=role)
    assert (verdict.event_class, verdict.action) == (EventClass.APPEND, Action.RECORD) or verdict.rule in (
        "layout",
        "encoding",
        "replaceable",
    )
    assert verdict.change.lost == ()


@settings(max_examples=40, deadline=None)
@given(st.randoms(use_true_random=False), st.integers(0, 10_000))
def test_reordering_entries_is_never_destructive(rng: random.Random, seed: int) -> None:
    lines = memory(3, 5, seed).splitlines()
    items = [line for line in lines if line.startswith("- ")]
    rng.shuffle(items)
    shuffled = "\n".join(items.pop() if line.startswith("- ") else line for line in lines)
    verdict = judged(b"MEMORY.md", "\n".join(lines), shuffled)
    assert verdict.event_class in RECORDED
    assert verdict.change.lost == ()


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 6), st.integers(0, 10_000), st.booleans())
def test_moving_a_section_is_never_destructive(section: int, seed: int, deleted: bool) -> None:
    text = memory(6, 6, seed)
    ids = f"{6 * section - 5}-{6 * section}"
    rest = None if deleted else transform(text.encode(), [{"drop_ids": ids}, {"drop_empty_sections": True}])
    moved = text if deleted else cut(text, ids)
    verdict = judged(b"MEMORY.md", text, rest, elsewhere={b"memory/topic.md": moved})
    assert verdict.event_class is EventClass.MOVE
    assert verdict.change.lost == ()


def test_tables_may_come_from_a_cache() -> None:
    asked: list[bytes | None] = []

    def remember(data: bytes, key: bytes, digest: bytes | None = None, /) -> EntryTable:
        asked.append(digest)
        return entry_table(data, key)

    the_case = case(b"MEMORY.md", OLD, SHRUNK, elsewhere={b"a.md": "- something else\n"}, earlier=["# Memory\n"])
    assert judge(the_case, Policy(), remember) == judge(the_case, Policy())
    assert all(digest is not None for digest in asked)
