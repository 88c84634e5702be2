"""Kept, reworded, moved, lost, added: whatever the two texts are, no entry goes unaccounted for."""

from __future__ import annotations

import random
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.comparing.change import Place, compare, grown
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.model import Change
from scenarios.texts import memory, transform

KEY = b"key"


def table(text: str | bytes) -> EntryTable:
    return entry_table(text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass"), KEY)


def change(old: str | bytes, new: str | bytes, **elsewhere: str) -> Change:
    return compare(table(old), table(new), [Place(path.encode(), table(text)) for path, text in elsewhere.items()])


def accounted(found: Change, old: EntryTable) -> None:
    assert found.entries_before == len(old.entries)
    assert found.kept + len(found.reworded) + len(found.moved) + len(found.lost) == found.entries_before
    assert 0.0 <= found.lost_share <= 1.0


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "- the build cache is shared by all branches",
            "- the build cache is shared by every branch",
            "- never deploy on a friday evening",
            "- always deploy on a friday evening",
            "# Build",
            "## Deploy",
            "",
            "| a | b |",
            "|---|---|",
            "```",
            "text that goes on",
            "- 設定を確認する手順",
            "- 設定を確認した手順",
            "- [m-0001] one",
            "- [m-0002] one",
            "- ",
            "---",
        ]
    ),
    max_size=25,
).map(lambda lines: "\n".join(lines).encode())
ANY_TEXT = st.one_of(
    MARKDOWN, st.binary(max_size=200), st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace"))
)


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT, ANY_TEXT, st.lists(ANY_TEXT, max_size=3))
def test_every_old_entry_is_kept_reworded_moved_or_lost(old: bytes, new: bytes, others: list[bytes]) -> None:
    before = table(old)
    accounted(compare(before, table(new), [Place(b"%d" % n, table(text)) for n, text in enumerate(others)]), before)


@settings(deadline=None)
@given(ANY_TEXT)
def test_the_same_bytes_lose_nothing(data: bytes) -> None:
    found = compare(table(data), table(data))
    assert found.kept == found.entries_before
    assert found.added == found.lost == ()


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_what_only_grew_loses_nothing(old: bytes, more: bytes) -> None:
    before = table(old)
    found = grown(before, table(old + more))
    accounted(found, before)
    assert found.lost == ()


@settings(deadline=None)
@given(st.randoms(use_true_random=False), st.integers(1, 12))
def test_the_order_of_entries_does_not_matter(rng: random.Random, count: int) -> None:
    lines = [line for line in memory(2, count, count).splitlines() if line.startswith("- ")]
    shuffled = list(lines)
    rng.shuffle(shuffled)
    assert change("\n".join(lines), "\n".join(shuffled)).kept == len(lines)


@settings(deadline=None)
@given(ANY_TEXT, ANY_TEXT)
def test_what_is_elsewhere_is_not_lost(old: bytes, new: bytes) -> None:
    before = table(old)
    assert compare(before, table(new), [Place(b"copy.md", before)]).lost == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            "- the build cache is shared by all branches of the repo",
            "- the build cache is shared by every branch of the repo",
        ),
        ("- never deploy on friday", "- Never deploy on Friday!"),
        ("- [m-0001] port 8080 is used by the gateway", "- [m-0001] port 9090 is used by the gateway since May"),
        ("- 記憶の設定を確認する手順は別の文書にある", "- 記憶の設定を確認する手順は別紙の文書にある"),
        ("- 部署之前必须先运行全部测试并检查结果", "- 部署之前必须先运行所有测试并检查结果"),
        ("- يجب تشغيل جميع الاختبارات قبل النشر دائما", "- يجب تشغيل كل الاختبارات قبل النشر دائما"),
        ("- die Sicherung läuft jede Nacht um drei Uhr", "- die Sicherung läuft jede Nacht um vier Uhr"),
        ("- before a review, always ask the owner first", "- always ask the owner first before a review"),
    ],
)
def test_rewordings_are_seen(old: str, new: str) -> None:
    found = change(old, new)
    assert len(found.reworded) == 1
    assert found.lost == found.added == ()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- the build cache is shared by all branches", "- the deploy window is owned by the release team"),
        ("- [m-0001] first note about the budget of the quarter", "- [m-0002] first note about the tickets of the day"),
        ("- 記憶の設定を確認する手順は別の文書にある", "- 通知の時間と順序は担当環境の試験で変更した"),
        ("- 部署之前必须先运行全部测试", "- 监控告警由值班同事处理完毕"),
        ("- يجب تشغيل جميع الاختبارات قبل النشر", "- الميزانية تحتاج إلى مراجعة هذا الشهر"),
        ("- die Sicherung läuft jede Nacht um drei Uhr", "- der Drucker steht jetzt im zweiten Stock"),
    ],
)
def test_other_notes_are_no_rewordings(old: str, new: str) -> None:
    assert len(change(old, new).lost) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- Name:\n", "- Name: Amina\n"),
        ("- **City:** TBD\n", "- **City:** Bergen, near the harbour\n"),
        ("- Pronouns: _(optional)_\n", "- Pronouns: she\n"),
        ("- 名前：（未定）\n", "- 名前：田中さん\n"),
        ("timezone: n/a\n", "timezone: Europe/Oslo\n"),
        ("| day | what |\n|---|---|\n| Monday | |\n", "| day | what |\n|---|---|\n| Monday | call Mara about it |\n"),
    ],
)
def test_what_waited_for_a_value_is_not_lost_when_it_has_one(old: str, new: str) -> None:
    found = change(old, new)
    assert (found.lost, found.weight_lost) == ((), 0)
    assert len(found.added) == 1, "what was filled in is new"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("- City: Bergen, near the harbour\n", "- City: TBD\n"),
        ("- Backup: (Mara has the key and Chen knows the code)\n", "- Backup: done\n"),
        ("- Name:\n- City:\n", "- Name: Amina\n"),
        ("- [m-0001] Mara\n", "- [m-0002] Mara keeps the second key\n"),
        ("## Rules\n", "- Rules of the house\n"),
    ],
)
def test_a_label_that_lost_its_value_has_lost_it(old: str, new: str) -> None:
    found = change(old, new)
    assert found.lost or found.weight_lost


def test_unrelated_notes_of_one_vocabulary_are_no_rewordings() -> None:
    for script in ("latin", "cjk"):
        strip = re.compile(r"\[m-\d+\] ")
        old = strip.sub("", memory(8, 25, 1, script=script))
        new = strip.sub("", memory(8, 25, 2, script=script))
        assert change(old, new).reworded == ()


def test_duplicates_are_merged_into_one() -> None:
    found = change(
        "".join(f"- [m-{n:04d}] same words again and again.\n" for n in range(9)), "- same words again and again.\n"
    )
    assert (len(found.reworded), found.lost) == (9, ())


def test_equal_lines_are_lost_only_when_none_is_left() -> None:
    old = "- one and the same\n" * 5
    assert change(old, "- one and the same\n").kept == 5
    assert len(change(old, "- another\n").lost) == 5


def test_two_entries_can_be_reworded_into_one() -> None:
    found = change(
        "- deploys happen on monday mornings\n- ask the owner before each deploy\n",
        "- deploys happen on monday mornings; ask the owner before each deploy, always\n",
    )
    assert (len(found.reworded), found.lost) == (2, ())


def test_entries_that_differ_by_a_number_are_not_merged_into_one() -> None:
    old = "".join(f"- never touch account {n:03d} without asking.\n" for n in range(1, 5))
    assert len(change(old, "- never touch account 007 without asking.\n").lost) == 3
    assert len(change(old, "- never touch account 001 without asking.\n").lost) == 3


def test_a_paragraph_that_became_a_list_is_reworded() -> None:
    old = "Deploys happen on Monday. The owner must agree first. Nobody touches production at night."
    new = "- Deploys happen on Monday.\n- The owner must agree first.\n- Nobody touches production at night.\n"
    assert change(old, new).lost == ()


def test_what_a_long_paragraph_loses_inside_is_weighed() -> None:
    lines = [f"rule {n} says something about subject number {n} here" for n in range(40)]
    found = change("\n".join(lines), "\n".join(lines[:30]))
    assert found.lost == ()
    assert 0.2 < found.lost_share < 0.3


def test_notes_cut_in_half_have_lost_the_other_half() -> None:
    old = memory(5, 8, 3)
    halves = "\n".join(" ".join(line.split()[:8]) if line.startswith("- ") else line for line in old.splitlines())
    found = change(old, halves)
    assert found.lost == ()
    assert 0.4 < found.lost_share < 0.5


def test_tightened_notes_have_lost_nothing() -> None:
    old = memory(5, 8, 3)
    tighter = "\n".join(" ".join(line.split()[:11]) if line.startswith("- ") else line for line in old.splitlines())
    assert change(old, tighter).lost_share == 0.0


def test_a_move_is_found_in_other_words_and_names_the_place() -> None:
    found = change(
        "# M\n- the build cache is shared by all branches of the repo\n",
        "# M\n",
        **{"memory/build.md": "# Build\n\n- the build cache is shared by every branch of the repo\n"},
    )
    assert [(place.path, place.line) for place in found.moved] == [(b"memory/build.md", 3)]


def test_big_files_are_compared_in_time() -> None:
    rng_texts = [memory(60, 60, seed, first_id=1 + 5000 * (seed - 1), words=5) for seed in (1, 2)]
    old, new = map(table, rng_texts)
    start = time.perf_counter()
    found = compare(old, new)
    assert time.perf_counter() - start < 10.0  # about 0.4 s on an idle machine
    accounted(found, old)
    moved = table(transform(rng_texts[0].encode(), [{"keep_ids": "100-3600"}]))
    start = time.perf_counter()
    assert compare(old, table("# Project\n"), [Place(b"docs/all.md", moved)]).lost
    assert time.perf_counter() - start < 10.0


@pytest.mark.parametrize(("one", "other"), [("son", "daughter"), ("NAS", "router"), ("Will", "Tom"), ("den", "hall")])
def test_notes_about_two_subjects_are_two_also_where_a_subject_is_spelled_like_a_small_word(
    one: str, other: str
) -> None:
    facts = "- my X needs the inhaler before sport lessons on Thursdays\n- my X has piano at four on Mondays\n"
    gone, stays = facts.replace("X", one), facts.replace("X", other)
    assert len(compare(table(gone + stays), table(stays)).lost) == 2


def test_a_note_that_stood_elsewhere_all_along_is_no_new_home_of_one_like_it() -> None:
    old = "- Anna needs the inhaler before sport lessons on Thursdays\n"
    there = table("- Ben needs the inhaler before sport lessons on Thursdays\n- and a new line\n")
    stood = frozenset(list(there.places)[:1])
    assert compare(table(old), table("# Notes\n"), [Place(b"b.md", there)]).lost == ()
    assert len(compare(table(old), table("# Notes\n"), [Place(b"b.md", there, stood)]).lost) == 1
    same = table(old)
    assert compare(table(old), table("# Notes\n"), [Place(b"b.md", same, frozenset(same.places))]).lost == ()


@pytest.mark.parametrize("letters", ["x", "=-", "ab", "я", "م", "0123456789abcdef", "QWErtyuiop"])
def test_of_what_is_no_word_the_beginning_says_nothing(letters: str) -> None:
    def filled(count: int) -> EntryTable:
        return table("# A\n\nkept as it is: " + (letters * count)[:count] + "\n")

    def alone(count: int) -> EntryTable:
        return table((letters * count)[:count] + "\n")

    empty = table("")
    for build in (filled, alone):
        assert compare(build(300), empty, [Place(b"b.md", build(300))]).moved != ()
    assert compare(alone(200), empty, [Place(b"b.md", alone(300))]).moved == ()
    assert compare(alone(200), alone(300)).reworded == ()
