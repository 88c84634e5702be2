"""Changes of very large texts: judged with bounded work and memory, and the same every time."""

from __future__ import annotations

import subprocess
import sys

import msgspec
import pytest

from conductd.core.comparing.change import compare, recordable
from conductd.core.merging.large_merge import is_large
from conductd.core.merging.merge import merge_missing, merge_new_entries, three_way
from conductd.core.reading.entries import entries, entry_table
from conductd.model import Action, EventClass
from support.cases import KEY, judged

LARGE = 4_000
LONG, LONG_LINES = "x" * 400, 5_000  # few entries are merged as large texts are when they are long


def lines(count: int, form: str, seed: int = 7919) -> str:
    return "# Notes\n\n" + "".join("- " + form.format(n=n, m=n * seed) + "\n" for n in range(count))


OLD = lines(LARGE, "entry {n} has some words and a number {m} {m}x{n}")
OTHER = lines(LARGE, "entry {n} has some words and a number of pages {m}y{n} {m}z{n} {m}q{n}")
REWORDED = lines(LARGE, "the entry {n} has some words, a number {m} {m}x{n}")


def test_a_large_text_that_is_overwritten_by_another_is_found_so_and_told() -> None:
    verdict = judged(b"memory/big.md", OLD, OTHER)
    assert verdict.event_class is EventClass.OVERWRITE
    assert verdict.action is Action.MERGE
    assert verdict.facts["similarity_bounded"]
    assert verdict == judged(b"memory/big.md", OLD, OTHER)


def test_a_large_text_that_is_written_in_other_words_is_not_written_over() -> None:
    verdict = judged(b"memory/big.md", OLD, REWORDED)
    assert verdict.facts["similarity_bounded"]
    assert verdict.action is Action.PROPOSE


def test_what_is_kept_of_a_large_text_is_counted_to_the_last_entry() -> None:
    kept = OLD.splitlines(keepends=True)[: LARGE // 2]
    change = compare(entry_table(OLD.encode(), KEY), entry_table(("".join(kept) + OTHER).encode(), KEY))
    assert change.kept == len(kept) - 1
    assert change.kept + len(change.reworded) + len(change.lost) == change.entries_before == LARGE + 1


MEASURED = """
import resource
from conductd.core.comparing.change import compare, recordable
from conductd.core.reading.entries import entries, entry_table
from conductd.core.merging.large_merge import is_large
from conductd.core.merging.merge import merge_missing, merge_new_entries, three_way
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
def text(form): return "".join(f"- {form} {n} and some words {n * 7919}\\n" for n in range(40_000)).encode()
old, new = entry_table(text("old"), b"key"), entry_table(text("line of other words"), b"key")
before = peak()
compare(old, new)
print(peak() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux only")
def test_comparing_two_large_texts_takes_little_memory() -> None:
    ran = subprocess.run([sys.executable, "-c", MEASURED], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 80


@pytest.mark.parametrize(
    "form", ["a {n}", "name:", "[m-0001] {n} {m} x{n}", "x y z w v u t s r q", "ab cd {n} ef gh ab {n}"]
)
def test_no_kind_of_text_makes_the_work_explode(form: str) -> None:
    one, two = lines(LARGE, form), lines(LARGE, form + " changed {m}", seed=31)
    change = compare(entry_table(one.encode(), KEY), entry_table(two.encode(), KEY))
    assert change.kept + len(change.reworded) + len(change.lost) == change.entries_before


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_large_texts_are_merged_one_after_the_other(eol: str) -> None:
    big = lines(LONG_LINES, "entry {n} has some words and a number {m} {m}x{n} " + LONG).replace("\n", eol).encode()
    small = (
        "# Other\n\n- a note that the large text has not got\n"
        f"- entry 7 has some words and a number 55433 55433x7 {LONG}\n"
    ).encode()
    assert is_large(big, small)
    merged = merge_new_entries(big, small)
    assert merged == big + f"- a note that the large text has not got{eol}".encode()
    assert merge_new_entries(merged, small) == merged
    assert three_way(big, merged, big + b"- of another\n").data.startswith(merged)
    assert three_way(big, big, merged).data == merged
    cut = big[: len(big) // 2].rsplit(b"\n", 1)[0] + b"\n"
    assert {e.text for e in entries(merge_missing(big, cut), KEY)} == {e.text for e in entries(big, KEY)}


def test_an_open_code_block_of_a_large_text_is_ended_before_anything_follows() -> None:
    big = (lines(LONG_LINES, "entry {n} has some words and a number {m} " + LONG) + "```sh\nmake all\n").encode()
    assert is_large(big)
    merged = merge_new_entries(big, b"- a note that the large text has not got\n")
    assert merged.startswith(big + b"```\n")
    assert "a note that the large text has not got" in {e.text for e in entries(merged, KEY)}


def test_a_record_holds_the_first_of_very_many_places() -> None:
    verdict = judged(b"memory/big.md", lines(60_000, "{n} {m}"), "# Notes\n")
    stored = recordable(verdict)
    assert len(msgspec.msgpack.encode(stored)) < 3_900_000
    assert stored.facts["places_left_out"] == 10_000
    assert stored.change.lost == verdict.change.lost[:50_000]
    assert stored.change.weight_lost == verdict.change.weight_lost
    assert recordable(stored) == stored
