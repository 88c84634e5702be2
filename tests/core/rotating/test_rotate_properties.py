"""Nothing is lost by moving sections, whatever the file looks like."""

from __future__ import annotations

from collections import Counter

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from conductd.core.load.loaded import Unit
from conductd.core.reading.entries import entry_table
from conductd.core.rotating.pointer import is_pointer
from conductd.core.rotating.rotate import Aim, Allowed, Rotation, Topic, Why, rotate, size_in

LINK = "memory/memory-archive.md"
WORDS = st.lists(
    st.sampled_from(
        ["deploy", "on", "Fridays", "never", "2024-02-03", "東京", "は", "🚀", "naïve", "`x`", "[a](b.md)"]
    ),
    min_size=1,
    max_size=30,
).map(" ".join)
HEADINGS = st.tuples(
    st.integers(1, 4),
    st.sampled_from(["Notes", "2024-01-05", "Feb 3, 2025", "計画", "Pins <!-- pin -->", "[x](y)", "#"]),
)
PIECES = st.one_of(
    HEADINGS.map(lambda each: f"{'#' * each[0]} {each[1]}\n"),
    HEADINGS.map(lambda each: f"\n{each[1].replace('#', 'h')}\n{'=' if each[0] == 1 else '-'}---\n"),
    WORDS.map(lambda words: f"- {words}\n"),
    WORDS.map(lambda words: f"  * {words}\n"),
    WORDS.map(lambda words: f"1. {words}\n"),
    WORDS.map(lambda words: f"{words}\n"),
    WORDS.map(lambda words: f"> ## {words}\n"),
    WORDS.map(lambda words: f"```\n# {words}\n```\n"),
    WORDS.map(lambda words: f"| {words} | b |\n|---|---|\n| 1 | 2 |\n"),
    st.sampled_from(
        [
            *("\n", "\n\n", "---\n", "```\n", "<!-- open\n", "-->\n", "<!-- pin -->\n", "<!-- /pin -->\n", "<div>\n"),
            *("    code\n", "\t# tab\n", "- [Old](memory/memory-archive.md)\n", "\x0b\u2028\n", "[ref]: http://x\n"),
        ]
    ),
)


@st.composite
def files(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(["", "---\nname: x\n---\n", "# Title\n\n", "\n"]))
    for heading, pieces in draw(
        st.lists(st.tuples(PIECES, st.lists(PIECES, min_size=1, max_size=6)), min_size=1, max_size=8)
    ):
        text += (
            draw(st.sampled_from(["", "## Notes\n", "\n## 2024-01-05\n\n", "\n### Feb 3, 2025\n"]))
            + heading
            + "".join(pieces)
        )
    if draw(st.booleans()):
        text = text.rstrip("\n")
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    data = text.encode()
    if draw(st.booleans()):
        data = b"\xef\xbb\xbf" + data
    return data + draw(st.sampled_from([b"", b"", b"\xff\xfe \x80\n"]))


def of(data: bytes, share: int, topic: bytes | None = None, pinned: tuple[int, ...] = ()) -> Rotation:
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    units = (Unit.UTF16, Unit.BYTES, None)
    allowed = [Allowed("A", unit, size_in(text, unit), size_in(text, unit)) for unit in units]
    return rotate("MEMORY.md", data, allowed, Topic(LINK, topic), pinned, Aim(share, only_over=False))


def lines(data: bytes) -> Counter[bytes]:
    return Counter(
        line for line in data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").split(b"\n") if line.strip()
    )


def kept(data: bytes) -> Counter[bytes]:
    return Counter(each.fingerprint for each in entry_table(data, b"").entries)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(files(), st.integers(5, 95), st.sampled_from([None, b"", b"# Old\n\n- kept", b"- a\r\n\r\n"]))
def test_every_line_and_every_entry_is_found_again_in_its_order(data: bytes, share: int, topic: bytes | None) -> None:
    done = of(data, share, topic)
    if done.why is not Why.NONE:
        assert done.source == data
        return
    assert kept(data) + kept(topic or b"") <= kept(done.source) + kept(done.topic)
    added = lines(done.source) + lines(done.topic) - lines(data) - lines(topic or b"")
    assert lines(data) + lines(topic or b"") <= lines(done.source) + lines(done.topic)
    assert all(is_pointer(line.decode()) or line.startswith(b"#") or line in lines(data) for line in added)
    assert sum(is_pointer(line.decode()) for line in added.elements()) == len(done.moved)
    stays = [
        line for line in done.source.split(b"\n") if line.strip() and not is_pointer(line.decode("utf-8", "replace"))
    ]
    order = iter(data.split(b"\n"))
    assert all(any(line.rstrip() == other.rstrip() for other in order) for line in stays), "the order is another"
    assert done.topic.startswith(topic or b"")


@settings(max_examples=70, deadline=None)
@given(files(), st.integers(5, 95))
def test_the_ends_of_the_file_stay(data: bytes, share: int) -> None:
    done = of(data, share)
    assert done.source.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    assert done.source.endswith(b"\n") == data.endswith(b"\n")
    text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n")
    if text.startswith(b"---\nname"):
        assert done.source.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").startswith(text[:16])
    if b"\n" not in data.replace(b"\r\n", b""):
        assert b"\n" not in done.source.replace(b"\r\n", b"")


@settings(max_examples=70, deadline=None)
@given(files(), st.integers(5, 95), st.data())
def test_pinned_entries_stay(data: bytes, share: int, draw: st.DataObject) -> None:
    table = entry_table(data, b"")
    assume(table.entries)
    pins = draw.draw(st.lists(st.sampled_from(table.entries), max_size=3))
    done = of(data, share, None, tuple(each.line for each in pins))
    there = kept(done.source)
    for fingerprint, count in Counter({each.line: each.fingerprint for each in pins}.values()).items():
        assert there[fingerprint] >= count


@settings(max_examples=70, deadline=None)
@given(files(), st.integers(5, 95))
def test_what_was_moved_is_not_moved_again(data: bytes, share: int) -> None:
    once = of(data, share)
    text = once.source.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    limits = [limit * 100 // share + 100 for limit in once.wanted]
    units = (Unit.UTF16, Unit.BYTES, None)
    allowed = [Allowed("A", unit, limit, size_in(text, unit)) for unit, limit in zip(units, limits, strict=True)]
    again = rotate("MEMORY.md", once.source, allowed, Topic(LINK, once.topic or None), (), Aim(share, only_over=False))
    if once.is_enough:
        assert again.why is Why.FITS
    moved_pointers = [
        line for line in lines(again.topic) - lines(once.topic) if is_pointer(line.decode("utf-8", "replace"))
    ]
    own = [line for line in lines(data) if is_pointer(line.decode("utf-8", "replace"))]
    assert all(line in own for line in moved_pointers)
