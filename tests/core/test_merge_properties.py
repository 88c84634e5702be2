"""What holds for every merge, whatever the texts."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.losses.standins import counts_as_new, is_stand_in
from conductd.core.merging.chunks import page, pieces, render
from conductd.core.merging.merge import append_after, merge_missing, merge_new_entries, three_way
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import entries
from conductd.core.reading.text import Encoding

KEY = b"key"
MARKS = (b"<<<<<<<", b">>>>>>>", b"=======", b"|||||||")

WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "景色", "café", "naïve", "omega")
sentence = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)

item = sentence.map(lambda s: f"- {s}\n")
numbered = sentence.map(lambda s: f"1. {s}\n")
nested = sentence.map(lambda s: f"  - {s}\n")
paragraph = st.lists(sentence, min_size=1, max_size=3).map(lambda lines: "\n" + "\n".join(lines) + "\n\n")
heading = st.tuples(st.integers(1, 3), sentence).map(lambda made: f"\n{'#' * made[0]} {made[1]}\n\n")
code = sentence.map(lambda s: f"\n```\n{s}\n\n{s}\n```\n")
table = st.lists(sentence, min_size=1, max_size=3).map(
    lambda rows: "\n| a | b |\n|---|---|\n" + "".join(f"| {row} | x |\n" for row in rows) + "\n"
)
quote = sentence.map(lambda s: f"\n> {s}\n\n")
block = st.one_of(item, item, item, numbered, nested, paragraph, heading, code, table, quote)
blocks = st.lists(block, max_size=8)


def written(parts: Sequence[str], eol: str, bom: bool, end: bool) -> bytes:
    text = "".join(parts)
    text = text if end else text.rstrip("\n")
    return (b"\xef\xbb\xbf" if bom else b"") + text.replace("\n", eol).encode()


files = st.builds(written, blocks, st.sampled_from(["\n", "\n", "\r\n"]), st.booleans(), st.booleans())
odd_bytes = st.binary(max_size=60) | st.text(alphabet="-#|`> \n\r\t§<!a0.景\ufeff", max_size=60).map(str.encode)


@st.composite
def edited(draw: st.DrawFn, parts: Sequence[str]) -> list[str]:
    """Some entries dropped, some put in, some exchanged."""
    found: list[str] = []
    for part in parts:
        fate = draw(st.sampled_from(["keep", "keep", "keep", "drop", "change", "insert"]))
        if fate in ("keep", "insert"):
            found.append(part)
        if fate in ("change", "insert"):
            found.append(draw(block))
    return found


@st.composite
def triples(draw: st.DrawFn) -> tuple[bytes, bytes, bytes]:
    base = draw(blocks)
    style = (draw(st.sampled_from(["\n", "\r\n"])), draw(st.booleans()), draw(st.booleans()))
    ours, theirs = draw(edited(base)), draw(edited(base))
    return written(base, *style), written(ours, *style), written(theirs, *style)


def texts(data: bytes) -> set[str]:
    return {entry.text for entry in entries(data, KEY)}


def no_new_marks(result: bytes, *sources: bytes) -> bool:
    lines = {line for source in sources for line in source.splitlines()}
    return all(line in lines for line in result.splitlines() if line.startswith(MARKS))


def is_part(small: Sequence[bytes], large: Sequence[bytes]) -> bool:
    """Every line of the small text is in the large one, in order."""
    rest = iter(large)
    return all(line in rest for line in small)


def lines(data: bytes) -> list[bytes]:
    return [line for line in data.removeprefix(b"\xef\xbb\xbf").splitlines() if line.strip()]


quick = settings(max_examples=150, deadline=None)


@given(odd_bytes | files)
@quick
def test_a_page_is_its_bytes(data: bytes) -> None:
    assert render(pieces(page(data), own=True), page(data)) == data


@given(triples())
@quick
def test_three_way_drops_only_what_exactly_one_side_deleted(texts_of: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = texts_of
    merged = three_way(base, ours, theirs)
    old, mine, other, result = texts(base), texts(ours), texts(theirs), texts(merged.data)
    assert (mine | other) - result <= {text for text in old if (text in mine) != (text in other)}
    assert merged.unplaced == 0
    assert no_new_marks(merged.data, ours, theirs)


@given(triples())
@quick
def test_three_way_invents_nothing(texts_of: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = texts_of
    result = three_way(base, ours, theirs).data
    known = {line.strip() for line in [*lines(ours), *lines(theirs)]}
    assert {line.strip() for line in lines(result)} <= known


@given(triples())
@quick
def test_three_way_twice_is_three_way_once(texts_of: tuple[bytes, bytes, bytes]) -> None:
    base, ours, theirs = texts_of
    merged = three_way(base, ours, theirs).data
    assert three_way(base, merged, merged).data == merged
    assert three_way(base, merged, base).data == merged
    again = three_way(theirs, merged, theirs).data
    assert again == merged


@given(triples())
@quick
def test_what_only_one_side_changed_is_that_side(texts_of: tuple[bytes, bytes, bytes]) -> None:
    base, ours, _ = texts_of
    assert three_way(base, ours, base).data == ours
    assert texts(three_way(base, base, ours).data) == texts(ours)


@given(odd_bytes, odd_bytes, odd_bytes)
@quick
def test_three_way_never_fails(base: bytes, ours: bytes, theirs: bytes) -> None:
    merged = three_way(base, ours, theirs)
    assert no_new_marks(merged.data, ours, theirs)


@given(files, files)
@quick
def test_merging_new_entries_keeps_the_old_text_and_adds_each_new_entry_once(old: bytes, new: bytes) -> None:
    merged = merge_new_entries(old, new)
    assert is_part(lines(old), lines(merged))
    counted = {entry.text for entry in entries(new, KEY) if counts_as_new(entry, Thresholds())}
    assert texts(old) | counted <= texts(merged)
    assert merge_new_entries(merged, new) == merged
    for text in counted - texts(old):
        assert [entry.text for entry in entries(merged, KEY) if entry.kind is not Kind.HEADING].count(text) == 1


@given(files, files)
@quick
def test_appending_keeps_the_old_bytes_first(old: bytes, new: bytes) -> None:
    merged = append_after(old, new)
    assert merged.startswith(old.rstrip(b"\r\n"))
    counted = {entry.text for entry in entries(new, KEY) if counts_as_new(entry, Thresholds())}
    assert texts(old) | counted <= texts(merged)
    assert append_after(merged, new) == merged
    unsaid = {entry.text for entry in entries(new, KEY) if entry.weight and is_stand_in(entry)}
    assert not (texts(merged) - texts(old)) & unsaid - {e.text for e in entries(new, KEY) if e.kind is Kind.HEADING}


@given(triples())
@quick
def test_merging_what_is_missing_brings_all_of_it_back(texts_of: tuple[bytes, bytes, bytes]) -> None:
    old, now, _ = texts_of
    merged = merge_missing(old, now)
    assert texts(old) | texts(now) <= texts(merged)
    assert is_part(lines(now), lines(merged))
    assert merge_missing(old, merged) == merged


@given(st.data())
@quick
def test_entries_cut_out_come_back_in_order(data: st.DataObject) -> None:
    made = data.draw(st.lists(sentence, unique=True, min_size=1, max_size=12))
    old = "".join(f"- {text}\n" for text in made).encode()
    keep = data.draw(st.sets(st.sampled_from(range(len(made)))))
    now = "".join(f"- {text}\n" for index, text in enumerate(made) if index in keep).encode()
    assert merge_missing(old, now) == old


@given(odd_bytes, odd_bytes)
@quick
def test_the_other_merges_never_fail(old: bytes, new: bytes) -> None:
    for merged in (merge_new_entries(old, new), append_after(old, new), merge_missing(new, old)):
        assert no_new_marks(merged, old, new)
        wide = page(old).encoding in (Encoding.UTF_16_LE, Encoding.UTF_16_BE)
        assert wide or is_part(lines(old), lines(merged))
