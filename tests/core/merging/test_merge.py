"""Merging by example."""

from __future__ import annotations

import pytest

from conductd.core.merging.merge import append_after, merge_missing, merge_new_entries, three_way
from conductd.core.reading.entries import entries

KEY = b"key"

MEMORY = b"""# Memory

## Build

- use the wrapper script always
- the cache lives in tmp

## People

- Anna likes tea in the morning

| Name | Role |
|---|---|
| Anna | chief cook |
"""


def texts(data: bytes) -> list[str]:
    return [entry.text for entry in entries(data, KEY)]


# --------------------------------------------------------------------------- three-way


def test_changes_at_different_places_are_both_there() -> None:
    merged = three_way(
        b"# M\n\n- one\n- two\n- three\n",
        b"# M\n\n- one, better\n- two\n- three\n",
        b"# M\n\n- one\n- two\n- three\n- four\n",
    )
    assert merged.data == b"# M\n\n- one, better\n- two\n- three\n- four\n"
    assert merged.clean


def test_an_entry_changed_by_both_is_there_twice_theirs_last() -> None:
    merged = three_way(b"- one\n- two\n- three\n", b"- one\n- two A\n- three\n", b"- one\n- two B\n- three\n")
    assert merged.data == b"- one\n- two A\n- two B\n- three\n"
    assert not merged.clean


def test_a_paragraph_is_merged_whole_not_by_lines() -> None:
    merged = three_way(
        b"first line\nsecond line\nthird line\n",
        b"first LINE\nsecond line\nthird line\n",
        b"first line\nsecond line\nthird LINE\n",
    )
    assert merged.data == b"first LINE\nsecond line\nthird line\n\nfirst line\nsecond line\nthird LINE\n"


def test_an_appended_line_of_each_side_is_kept_once() -> None:
    merged = three_way(b"- one\n", b"- one\n- mine\n- both\n", b"- one\n- both\n- theirs\n")
    assert merged.data == b"- one\n- mine\n- both\n- theirs\n"


def test_an_entry_both_added_at_different_places_is_there_once() -> None:
    merged = three_way(
        b"# A\n\n- one\n\n# B\n\n- two\n",
        b"# A\n\n- one\n- new\n\n# B\n\n- two\n",
        b"# A\n\n- one\n\n# B\n\n- two\n- new\n",
    )
    assert merged.data == b"# A\n\n- one\n- new\n\n# B\n\n- two\n"


def test_what_one_side_deleted_and_the_other_left_alone_is_gone() -> None:
    assert three_way(b"- one\n- two\n- x\n", b"- one\n- two\n- x\n- y\n", b"- one\n- x\n").data == b"- one\n- x\n- y\n"
    assert three_way(b"- one\n- two\n- x\n", b"- one\n- x\n", b"- one\n- two\n- x\n- y\n").data == b"- one\n- x\n- y\n"


@pytest.mark.parametrize("swapped", [False, True])
def test_what_one_side_deleted_and_the_other_changed_stays(swapped: bool) -> None:
    sides = (b"- one\n- x\n", b"- one\n- two, reworded\n- x\n")
    ours, theirs = sides[::-1] if swapped else sides
    assert three_way(b"- one\n- two\n- x\n", ours, theirs).data == b"- one\n- two, reworded\n- x\n"


def test_a_stale_rewording_stays_where_its_entry_stood() -> None:
    merged = three_way(
        b"- the only entry\n",
        b"- the only entry\n\n## Standing orders\n\n- order one\n- order two\n",
        b"- the only entry, reworded\n",
    )
    assert merged.data == b"- the only entry, reworded\n\n## Standing orders\n\n- order one\n- order two\n"
    assert merged.clean


def test_a_reformatted_file_takes_the_other_sides_words() -> None:
    merged = three_way(b"- one\n- two\n- three\n", b"* one\n* two\n* three\n", b"- one\n- two, reworded\n- three\n")
    assert merged.data == b"* one\n- two, reworded\n* three\n"


def test_both_opened_the_same_section() -> None:
    merged = three_way(b"# M\n", b"# M\n\n## New\n\n- mine\n", b"# M\n\n## New\n\n- theirs\n")
    assert merged.data == b"# M\n\n## New\n\n- mine\n- theirs\n"


def test_the_same_on_both_sides_is_ours_to_the_byte() -> None:
    assert three_way(b"- a\n", b"- b\r\n", b"- b\r\n").data == b"- b\r\n"
    assert three_way(b"- a\n", b"- b\n", b"- a\n").data == b"- b\n"


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "wanted"),
    [
        (b"- a\r\n", b"- a\r\n- b\r\n", b"- a\n- c\n", b"- a\r\n- b\r\n- c\r\n"),  # line ends
        (b"- a", b"- a\n- b", b"- a\n- c", b"- a\n- b\n- c"),  # no final newline
        (b"\xef\xbb\xbf- a\n", b"\xef\xbb\xbf- a\n- b\n", b"- a\n- c\n", b"\xef\xbb\xbf- a\n- b\n- c\n"),  # BOM
        (b"- a\n", b"- a\n- b\n", b"\xef\xbb\xbf- a\n- c\n", b"- a\n- b\n- c\n"),  # theirs only
        (b"- a\r- z\r", b"- a\r- z\r- b\r", b"- a\n- z\n- c\n", b"- a\r- z\r- b\r- c\r"),  # old Mac line ends
        (
            b"- a\n- b\r\n- c\n",
            b"- a\n- b\r\n- c\n- d\n",
            b"- a\n- b\r\n- c\n- e\r\n",
            b"- a\n- b\r\n- c\n- d\n- e\n",
        ),  # mixed
    ],
)
def test_the_style_of_ours_is_kept(base: bytes, ours: bytes, theirs: bytes, wanted: bytes) -> None:
    assert three_way(base, ours, theirs).data == wanted


def test_bytes_that_are_no_text_come_through() -> None:
    bad = b"- caf\xe9 \xff\xfe \xed\xa0\x80 \xe6\x99\xaf\n"
    merged = three_way(b"- x\xc3\xa9\n", b"- x\xc3\xa9\n" + bad, b"- x\xc3\xa9\n- new \xc0\xaf\n")
    assert bad in merged.data
    assert b"- new \xc0\xaf\n" in merged.data


def test_utf_16_stays_utf_16() -> None:
    base, ours, theirs = "- one\n", "- one\n- 景\n", "- one\n- theirs\n"
    merged = three_way(base.encode("utf-16"), ours.encode("utf-16"), theirs.encode())
    assert merged.data.decode("utf-16") == "- one\n- 景\n- theirs\n"
    assert merged.data[:2] == b"\xff\xfe"


def test_conflict_marks_of_an_input_are_text_like_any_other() -> None:
    marked = b"<<<<<<< HEAD\n- a\n=======\n- b\n>>>>>>> other\n"
    assert three_way(b"", marked, b"").data == marked


def test_notes_parted_by_a_separator_stay_parted() -> None:
    merged = three_way("one\n§\ntwo\n".encode(), "one A\n§\ntwo\n".encode(), "one B\n§\ntwo\n".encode())
    assert merged.data == "one A\n§\none B\n§\ntwo\n".encode()


# --------------------------------------------------------------------------- after an overwrite


@pytest.mark.parametrize(
    "new",
    [
        b"# Memory\n\n- (new entry)\n",
        b"unchanged",
        b"",
        b"# Memory\n\n## Build\n",
        b"# Something else entirely and long\n",
        b"[the rest of the file is unchanged]\n",
        b"---\ntitle: a new title for it\n---\n",
        MEMORY,
    ],
)
def test_an_overwrite_that_says_nothing_new_leaves_the_old_text(new: bytes) -> None:
    assert merge_new_entries(MEMORY, new) == MEMORY
    assert append_after(MEMORY, new) == MEMORY


def test_new_entries_go_under_the_heading_they_came_with() -> None:
    new = b"# Memory\n\n## Build\n- the new wrapper is fast\n\n## People\n\n- Bob hates raw onions\n"
    assert (
        merge_new_entries(MEMORY, new)
        == MEMORY.replace(b"lives in tmp\n", b"lives in tmp\n- the new wrapper is fast\n")
        + b"\n- Bob hates raw onions\n"
    )


def test_new_entries_under_an_empty_heading_stand_before_its_sections() -> None:
    merged = merge_new_entries(MEMORY, b"# Memory\n\n- typed by a person just now\n")
    assert merged.startswith(b"# Memory\n\n- typed by a person just now\n\n## Build\n")
    assert merged.replace(b"- typed by a person just now\n\n", b"") == MEMORY


def test_a_new_section_comes_with_its_heading_at_the_end() -> None:
    merged = merge_new_entries(MEMORY, b"# Memory\n\n## Food\n\n- no raw onions ever\n- more soup on Fridays\n")
    assert merged == MEMORY + b"\n## Food\n\n- no raw onions ever\n- more soup on Fridays\n"


def test_new_entries_without_a_heading_go_to_the_end() -> None:
    assert (
        merge_new_entries(b"- the first of them\n", b"- the second of them\n")
        == b"- the first of them\n- the second of them\n"
    )


def test_a_known_section_under_another_title_is_found_by_its_name() -> None:
    merged = merge_new_entries(MEMORY, b"# Notes\n\n## Build\n\n- the new wrapper is fast\n")
    assert b"- the cache lives in tmp\n- the new wrapper is fast\n" in merged
    assert b"# Notes" not in merged


def test_known_entries_are_not_added_again_whatever_their_layout() -> None:
    new = b"# Memory\n\n## Build\n\n*   the cache lives\n    in tmp\n* a brand new line here\n* a brand new line here\n"
    merged = merge_new_entries(MEMORY, new)
    assert texts(merged).count("the cache lives in tmp") == 1
    assert texts(merged).count("a brand new line here") == 1


def test_rows_go_into_their_table() -> None:
    new = b"# Memory\n\n## People\n\n| Name | Role |\n|---|---|\n| Bob | second kitchen cook |\n"
    assert merge_new_entries(MEMORY, new) == MEMORY + b"| Bob | second kitchen cook |\n"


def test_a_new_table_brings_its_head() -> None:
    new = b"# Memory\n\n## People\n\n| City | Land |\n|--|--|\n| Rome | x |\n| Paris in spring | France |\n"
    assert merge_new_entries(MEMORY, new) == MEMORY + b"\n| City | Land |\n|--|--|\n| Paris in spring | France |\n"


def test_only_what_the_judge_found_new_is_merged() -> None:
    new = b"# Memory\n\n- the wrapper script is used always\n- something really new here\n"
    added = [entry.span for entry in entries(new, KEY)][2:]
    merged = merge_new_entries(MEMORY, new, added)
    assert b"something really new here" in merged
    assert b"the wrapper script is used always" not in merged


def test_an_open_code_block_does_not_swallow_what_is_added() -> None:
    old = b"# M\n\n```sh\nmake all\n"
    merged = merge_new_entries(old, b"# M\n\n- tea is served at four\n")
    assert merged == b"# M\n\n```sh\nmake all\n```\n\n- tea is served at four\n"


def test_nested_items_come_without_the_indent_of_a_parent_that_stays() -> None:
    new = b"# Memory\n\n## Build\n\n- the cache lives in tmp\n    - but not on Sundays ever\n"
    assert b"- the cache lives in tmp\n- but not on Sundays ever\n" in merge_new_entries(MEMORY, new)


def test_line_ends_and_final_newline_of_the_old_text_are_kept() -> None:
    merged = merge_new_entries(b"\xef\xbb\xbf# M\r\n\r\n- the first of them", b"# M\n\n- the second of them\n")
    assert merged == b"\xef\xbb\xbf# M\r\n\r\n- the first of them\r\n- the second of them"


# --------------------------------------------------------------------------- daily logs


def test_a_log_is_the_old_text_and_then_the_new() -> None:
    old = b"# 2026-03-08\n\n## Morning\n\n- fixed the build today\n"
    new = b"# Price watch\n\n## Tea\n\n- tea went up again\n- done\n\n## Nothing\n\n- unchanged\n"
    assert append_after(old, new) == old + b"\n# Price watch\n\n## Tea\n\n- tea went up again\n"


def test_a_log_does_not_repeat_its_title_or_its_last_heading() -> None:
    old = b"# 2026-03-08\n\n## Morning\n\n- fixed the build today\n"
    new = b"# 2026-03-08\n\n## Morning\n\n- and then the tests\n\n## Evening\n\n- went home at last\n"
    assert append_after(old, new) == old + b"- and then the tests\n\n## Evening\n\n- went home at last\n"


def test_a_log_grows_by_what_it_has_not() -> None:
    old = b"- one thing happened\n"
    assert (
        append_after(old, b"- one thing happened\n- a second thing happened\n") == old + b"- a second thing happened\n"
    )


# --------------------------------------------------------------------------- only what is lost


def test_what_is_lost_comes_back_where_it_stood() -> None:
    now = MEMORY.replace(b"- use the wrapper script always\n", b"").replace(b"| Anna | chief cook |\n", b"")
    assert merge_missing(MEMORY, now) == MEMORY


def test_a_lost_section_comes_back_with_its_heading() -> None:
    now = b"# Memory\n\n## People\n\n- Anna likes tea in the morning\n- Zed is new here\n"
    merged = merge_missing(MEMORY, now)
    assert merged.startswith(MEMORY[: MEMORY.index(b"| Name")])
    assert texts(merged) == [*texts(MEMORY), "Zed is new here"]


def test_only_the_lost_entries_that_were_named_come_back() -> None:
    lost = [entry.span for entry in entries(MEMORY, KEY) if "wrapper" in entry.text]
    assert merge_missing(MEMORY, b"# Memory\n", lost) == b"# Memory\n\n## Build\n\n- use the wrapper script always\n"


def test_everything_comes_back_to_an_empty_file() -> None:
    assert texts(merge_missing(MEMORY, b"")) == texts(MEMORY)


def test_front_matter_comes_back_as_front_matter() -> None:
    old = b"---\ntitle: mine\ntags: a\n---\n\n# M\n\n- one\n"
    assert merge_missing(old, b"# M\n\n- one\n- two\n") == b"---\ntitle: mine\ntags: a\n---\n\n# M\n\n- one\n- two\n"


def test_nothing_lost_changes_nothing() -> None:
    moved = (
        b"# Memory\n\n"
        + MEMORY[MEMORY.index(b"## People") :]
        + b"\n## Build\n\n- the cache lives in tmp\n- use the wrapper script always\n"
    )
    assert merge_missing(MEMORY, moved) == moved


def test_a_new_entry_stays_under_its_heading_when_sections_come_back() -> None:
    old = b"# Memory\n\nWhat is known.\n\n## People\n\n- Bob likes tea\n\n## Taste\n\n- short answers\n"
    back = merge_missing(old, b"# Memory\n\n- Ann is ill today.\n")
    assert back == old.replace(b"\n## People", b"\n- Ann is ill today.\n\n## People")
    assert merge_missing(old, back) == back


def test_a_section_that_comes_back_takes_only_its_own_entries() -> None:
    old = b"# Memory\n\n## A\n\n- one\n\n## B\n\n- two\n\n## C\n\n- three\n"
    now = b"# Memory\n\n## A\n\n- one\n- new\n\n## C\n\n- three\n"
    assert merge_missing(old, now) == old.replace(b"- one\n", b"- one\n- new\n")
