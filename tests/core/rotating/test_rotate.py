"""Which sections leave a file, and what both files hold afterwards."""

from __future__ import annotations

import pytest

from conductd.core.load.loaded import Unit
from conductd.core.rotating.pointer import is_pointer
from conductd.core.rotating.rotate import Aim, Allowed, Rotation, Topic, Why, rotate, size_in, takes_sections

LINK = "memory/memory-archive.md"


def aim(percent: int) -> Aim:
    return Aim(percent, only_over=False) if percent else Aim()


def allowed(data: bytes, limit: int, unit: Unit | None = Unit.UTF16) -> list[Allowed]:
    return [Allowed("OpenClaw", unit, limit, size_in(data.decode("utf-8-sig"), unit))]


def rotated(
    text: str, limit: int, *, topic: bytes | None = None, pinned: tuple[int, ...] = (), percent: int = 0
) -> Rotation:
    data = text.encode()
    return rotate("MEMORY.md", data, allowed(data, limit), Topic(LINK, topic), pinned, aim(percent))


def section(heading: str, words: int = 40) -> str:
    return f"## {heading}\n\n- " + " ".join(f"{heading.lower().replace(' ', '')}{n}" for n in range(words)) + "\n\n"


LOG = "# Memory\n\nWho I am.\n\n" + section("Newest 2026-03-01") + section("Oldest 2024-01-01") + section("Always")


def test_what_fits_is_left_alone() -> None:
    done = rotated(LOG, 10_000)
    assert (done.why, done.source, done.moved) == (Why.FITS, LOG.encode(), ())


def test_the_oldest_section_leaves_a_pointer() -> None:
    done = rotated(LOG, len(LOG) - 1, percent=75)
    assert [each.heading for each in done.moved] == ["Oldest 2024-01-01"]
    assert done.is_enough
    assert done.source.decode() == LOG.replace(
        section("Oldest 2024-01-01"), "- [Oldest 2024-01-01](memory/memory-archive.md)\n\n"
    )
    assert done.topic.decode() == "# Moved from MEMORY.md\n\n" + section("Oldest 2024-01-01").rstrip("\n") + "\n"


def test_undated_sections_leave_after_dated_ones_the_largest_first() -> None:
    text = "# Memory\n\n" + section("Small", 20) + section("Large", 60) + section("Dated 2026-01-01", 20)
    done = rotated(text, len(text) - 1, percent=60)
    assert {each.heading for each in done.moved} == {"Large", "Dated 2026-01-01"}


def test_what_is_pinned_stays() -> None:
    text = LOG.replace("- oldest2024-01-010", "<!-- pin -->\n- oldest2024-01-010")
    done = rotated(text, len(text) - 1, percent=75)
    assert [each.heading for each in done.moved] == ["Newest 2026-03-01"]
    line = LOG[: LOG.index("- oldest")].count("\n") + 1
    done = rotated(LOG, len(LOG) - 1, pinned=(line,), percent=75)
    assert [each.heading for each in done.moved] == ["Newest 2026-03-01"]


def test_all_pinned_says_so() -> None:
    text = "# Memory\n\n" + "".join(section(name).replace("\n\n- ", "\n\n<!-- pin -->\n- ") for name in ("A", "B"))
    assert rotated(text, 100).why is Why.PINNED


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("just words\n" * 40, Why.NO_SECTIONS),
        ("# One\n\n" + "words\n" * 40, Why.NO_SECTIONS),
        ("# One\r\r" + "words\r" * 40, Why.LINE_ENDS),
        ("# Title\n## A\na\n## B\nb\n## C\nc\n", Why.NO_GAIN),
    ],
)
def test_what_cannot_be_helped_is_said(text: str, why: Why) -> None:
    done = rotated(text, 10)
    assert (done.why, done.source) == (why, text.encode())


def test_other_encodings_are_left_alone() -> None:
    data = ("\ufeff" + LOG).encode("utf-16-le")
    assert rotate("M.md", data, [Allowed("A", Unit.BYTES, 10, len(data))], Topic(LINK)).why is Why.NO_TEXT


def test_the_title_stays_though_it_has_the_level_of_the_others() -> None:
    text = "# Memory\n\n- who I am " + "x" * 300 + "\n\n# Old\n\n- " + "y" * 300 + "\n"
    done = rotated(text, len(text) - 1, percent=60)
    assert [each.heading for each in done.moved] == ["Old"]


def test_a_dated_first_heading_is_no_title() -> None:
    text = "".join(section(f"2024-0{n}-01") for n in range(1, 5))
    done = rotated(text, len(text) - 1)
    assert [each.heading for each in done.moved] == ["2024-01-01"]


def test_carriage_returns_the_mark_at_the_top_and_a_missing_last_line_end_stay() -> None:
    text = LOG.rstrip("\n").replace("\n", "\r\n")
    data = b"\xef\xbb\xbf" + text.encode()
    done = rotate("MEMORY.md", data, allowed(data, len(text) - 1), Topic(LINK), (), aim(10))
    assert done.source.startswith(b"\xef\xbb\xbf# Memory\r\n")
    assert b"\n" not in done.source.replace(b"\r\n", b"")
    assert not done.source.endswith(b"\n")
    assert done.source.endswith(b"- [Always](memory/memory-archive.md)")
    assert b"\n" not in done.topic.replace(b"\r\n", b"")
    assert not done.topic.startswith(b"\xef\xbb\xbf")
    assert done.topic.endswith(section("Always").strip().replace("\n", "\r\n").encode())


def test_the_marks_of_lists_are_those_of_the_file() -> None:
    done = rotated(LOG.replace("\n- ", "\n* "), len(LOG) - 1, percent=75)
    assert b"\n* [Oldest 2024-01-01](memory/memory-archive.md)\n" in done.source


def test_headings_within_code_lists_and_quotations_are_none() -> None:
    inner = "```\n## not a heading\n```\n\n> ## quoted\n\n- item\n  ## in the item\n\n"
    text = LOG.replace("## Always", inner + "## Always")
    done = rotated(text, len(text) - 1, percent=75)
    assert [each.heading for each in done.moved] == ["Oldest 2024-01-01"]
    assert inner.rstrip("\n").encode() in done.topic


def test_a_line_that_is_underlined_is_a_heading_and_stays_one() -> None:
    code = "```\n" + "words here\n" * 30 + "```\n"
    text = "Memory\n======\n\nOld 2024-01-01\n--------------\n" + code + "New\n---\n- one more thing\n"
    done = rotated(text, len(text) - 1, percent=60)
    assert [each.heading for each in done.moved] == ["Old 2024-01-01"]
    assert (
        done.source == b"Memory\n======\n\n- [Old 2024-01-01](memory/memory-archive.md)\n\nNew\n---\n- one more thing\n"
    )


def test_front_matter_stays_where_it_is() -> None:
    front = "---\nname: memory\n---\n"
    done = rotated(front + LOG, len(LOG), percent=30)
    assert done.source.decode().startswith(front)
    assert b"name: memory" not in done.topic


def test_what_is_there_is_appended_to() -> None:
    done = rotated(LOG, len(LOG) - 1, topic=b"# Old things\r\n\r\n- kept", percent=75)
    assert done.topic.startswith(b"# Old things\r\n\r\n- kept\r\n\r\n## Oldest 2024-01-01\n")


def test_doing_it_again_changes_nothing() -> None:
    once = rotated(LOG, len(LOG) - 1)
    again = rotate("MEMORY.md", once.source, allowed(once.source, len(LOG) - 1), Topic(LINK, once.topic))
    assert (again.why, again.source) == (Why.FITS, once.source)


def test_pointers_stay_when_the_section_before_them_goes() -> None:
    once = rotated(LOG, len(LOG) - 1, percent=75).source.decode()
    twice = rotated(once, len(once) - 1, percent=60)
    assert [each.heading for each in twice.moved] == ["Newest 2026-03-01"]
    assert b"- [Oldest 2024-01-01](memory/memory-archive.md)\n" in twice.source
    assert b"[Oldest" not in twice.topic


def test_finer_sections_go_where_the_coarse_ones_are_pinned() -> None:
    fine = (
        "## Projects\n\n### Keep\n\n<!-- pin -->\n- never deploy on Fridays\n\n<!-- /pin -->\n### Gone 2024-01-01\n\n"
    )
    text = "# Memory\n\n" + fine + "- words that are many\n" * 30 + "\n## Rest\n\n- little\n"
    done = rotated(text, len(text) - 1, percent=60)
    assert [each.heading for each in done.moved] == ["Gone 2024-01-01"]
    assert b"\n## Projects\n\n### Gone 2024-01-01\n" in done.topic
    assert b"never deploy on Fridays" in done.source


def test_all_limits_of_all_agents_count() -> None:
    text = "# Memory\n\n" + "".join(
        f"## Day 2024-01-{n:02}\n\n- note {n}\n- more\n- more of it\n\n" for n in range(1, 29)
    )
    data = text.encode()
    both = [
        Allowed("Claude Code", Unit.BYTES, 25_000, len(data)),
        Allowed("Claude Code", None, 100, text.count("\n")),
    ]
    done = rotate("MEMORY.md", data, both, Topic(LINK))
    assert done.is_enough
    assert done.source.count(b"\n") <= 80


def test_headings_become_harmless_names() -> None:
    text = LOG.replace("## Oldest", "## [Oldest](http://x) <!-- 2024 --> @import `code` " + "long " * 30)
    line = next(x for x in rotated(text, len(text) - 1, percent=70).source.decode().split("\n") if "archive" in x)
    assert line.startswith("- [Oldest import code long")
    assert len(line) < 100
    assert is_pointer(line)


def test_a_text_that_leaves_something_open_takes_no_sections() -> None:
    assert takes_sections(b"# A\n\n- b")
    assert takes_sections(b"")
    assert not takes_sections(b"# A\n\n```\ncode\n")
    assert not takes_sections(b"<!-- never ends\n")
    assert not takes_sections("# A".encode("utf-16"))


def test_a_file_is_not_emptied_to_leave_some_room() -> None:
    text = "# Memory\n\n" + section("Old 2024-01-01", 60) + section("New", 90)
    done = rotated(text, len(text) - 300)
    assert [each.heading for each in done.moved] == ["Old 2024-01-01"]
    assert done.is_enough
    wished = rotated(text, len(text) - 300, percent=20)
    assert len(wished.moved) == 2
