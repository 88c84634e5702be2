"""What is told of what an agent does not see: once for a state, and a state is what falls out and why."""

from __future__ import annotations

import hypothesis.strategies as st
import msgspec
import pytest
from hypothesis import given, settings

from conductd.core.load.finding import Finding, Known
from conductd.core.load.findings import heading_of, is_news, of_load
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.model import EventClass

NEAR, CUT = EventClass.NEAR_LIMIT, EventClass.LOAD_TRUNCATION
NOT, PIN = EventClass.NOT_LOADED, EventClass.PIN_HIDDEN


def load(*files: LoadedFile, limit: int | None = None, left_out: tuple[LoadedFile, ...] = ()) -> Load:
    return Load("reader", "1", "main", Unit.CHARACTERS, files, limit, left_out=left_out)


def file(text: str, limit: int, name: str = "MEMORY.md", cause: Cause = Cause.PER_FILE) -> LoadedFile:
    """The beginning of a text, as far as the limit goes."""
    part = text[:limit]
    causes = (cause,) if len(part) < len(text) else ()
    return LoadedFile(
        name, f"/ws/{name}", len(text), len(part), part, limit, causes, source=text, kept=((0, len(part)),),
        own_limit=limit if cause is Cause.PER_FILE else None,
    )  # fmt: skip


def sections(*sizes: int) -> str:
    return "".join(f"## Part {n}\n\n{'x' * (size - 12)}\n\n" for n, size in enumerate(sizes, 1))


def classes(found: tuple[Finding, ...]) -> list[EventClass]:
    return [each.event_class for each in found if not each.hidden]


def known(*findings: Finding) -> dict[str, Known]:
    return {each.place: Known(each.marks) for each in findings}


@pytest.mark.parametrize(
    ("size", "told"), [(0, []), (849, []), (850, [NEAR]), (1_000, [NEAR]), (1_001, [CUT]), (4_000, [CUT])]
)
def test_a_limit_is_near_from_85_percent_on(size: int, told: list[EventClass]) -> None:
    assert classes(of_load(load(file("x" * size, 1_000)), {})) == told


def test_lines_are_a_limit_of_their_own() -> None:
    near = msgspec.structs.replace(file("x", 1_000), lines=196, lines_limit=200)
    (found,) = of_load(load(near), {})
    assert (found.reason, found.lines, found.lines_limit, found.share) == ("lines", 196, 200, 0.98)


def test_all_together_are_near_as_well() -> None:
    found = of_load(load(file("x" * 500, 9_000, "A.md"), file("x" * 380, 9_000, "B.md"), limit=1_000), {})
    assert [(each.name, each.reason, each.files, each.largest) for each in found] == [
        ("", "total", ("A.md", "B.md"), "A.md")
    ]


def test_a_hole_is_told_with_its_lines_its_headings_and_its_pins() -> None:
    text = sections(400, 400, 400)
    (cut, pin) = of_load(load(file(text, 600)), {}, {"MEMORY.md": {1: "a", 9: "b", 11: "c"}})
    assert [(each.heading, each.whole) for each in cut.sections] == [("Part 2", False), ("Part 3", True)]
    assert (cut.size, cut.limit, cut.lost_lines, cut.pinned) == (len(text), 600, 5, (9, 11))
    assert [(hole.first, hole.last, hole.start, hole.end) for hole in cut.holes] == [(7, 11, 600, len(text))]
    assert (pin.event_class, pin.pinned, [each.heading for each in pin.sections]) == (PIN, (9, 11), ["Part 3"])


def test_more_bytes_under_the_same_headings_are_the_same_state() -> None:
    (one,) = of_load(load(file(sections(400, 400), 600)), {})
    (two,) = of_load(load(file(sections(400, 460), 600)), known(one))
    assert one.state == two.state
    assert not is_news(two, known(one)[two.place])


def test_another_heading_or_another_reason_is_another_state() -> None:
    (one,) = of_load(load(file(sections(400, 400), 600)), {})
    (more,) = of_load(load(file(sections(400, 400, 400), 600)), known(one))
    (other,) = of_load(load(file(sections(400, 400), 600, cause=Cause.TOTAL), limit=600), known(one))
    assert is_news(more, known(one)[more.place])
    assert is_news(other, known(one)[other.place])


def test_a_heading_that_comes_twice_is_two() -> None:
    text = sections(400) + "## Log\n\naaa\n\n" + "## Log\n\nbbb\n\n"
    (one,) = of_load(load(file(text[:-12], 406)), {})
    (two,) = of_load(load(file(text, 406)), known(one))
    assert is_news(two, known(one)[two.place])


def test_a_file_that_hovers_around_its_limit_is_told_once() -> None:
    (cut,) = of_load(load(file("x" * 1_010, 1_000)), {})
    told = known(cut)
    for size in (990, 1_005, 960, 1_020, 951):
        found = of_load(load(file("x" * size, 1_000)), told)
        assert not any(is_news(each, told.get(each.place)) for each in found)
        assert cut.place in {each.place for each in found}
    assert cut.place not in {each.place for each in of_load(load(file("x" * 949, 1_000)), told)}


def test_near_stays_until_it_is_clearly_over() -> None:
    (near,) = of_load(load(file("x" * 850, 1_000)), {})
    assert classes(of_load(load(file("x" * 801, 1_000)), known(near))) == [NEAR]
    assert classes(of_load(load(file("x" * 801, 1_000)), {})) == []
    assert classes(of_load(load(file("x" * 799, 1_000)), known(near))) == []


@pytest.mark.parametrize(
    "why", [Why.HARD_LINK, Why.SYMLINK, Why.TOO_LARGE, Why.UNREADABLE, Why.UNTRUSTED, Why.OTHER_NAME, Why.NOT_REGULAR]
)
def test_what_is_there_and_not_loaded_is_told(why: Why) -> None:
    left = LoadedFile("MEMORY.md", "/ws/MEMORY.md", 10, why=why)
    (found,) = of_load(load(left_out=(left,)), {})
    assert (found.event_class, found.reason) == (NOT, why.value)
    marker = msgspec.structs.replace(left, is_marker=True, text="[MISSING]")
    assert classes(of_load(load(marker), {})) == [NOT]


@pytest.mark.parametrize("why", [Why.MISSING, Why.EMPTY, Why.SESSION, Why.SCOPED, Why.RETIRED, Why.OTHER_FILE])
def test_what_an_agent_leaves_out_by_intention_is_not(why: Why) -> None:
    left = LoadedFile("MEMORY.md", "/ws/MEMORY.md", 10, why=why)
    assert of_load(load(left_out=(left,)), {}) == ()


def test_a_pin_that_moves_within_the_hole_is_the_same() -> None:
    text = sections(400, 400, 400)
    one = of_load(load(file(text, 600)), {}, {"MEMORY.md": {9: "b"}})[1]
    two = of_load(load(file("\n" + text, 600)), {}, {"MEMORY.md": {10: "b"}})[1]
    assert one.marks == two.marks


def test_a_finding_survives_being_written_down() -> None:
    for each in of_load(load(file(sections(400, 400), 600), limit=500), {}, {"MEMORY.md": {5: "x"}}):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(each), type=Finding) == each


def test_a_heading_is_found_whole_and_marked_with_the_key() -> None:
    heading = "Access to the archive of the accounting department in the cellar of the old house, key 4711"
    text = f"## One\n\n{'x' * 100}\n\n## {heading}\n\n{'y' * 900}\n"
    (one,) = of_load(load(file(text, 100)), {}, key=b"one")
    (other,) = of_load(load(file(text, 100)), {}, key=b"another")
    assert heading in [each.heading for each in one.sections]  # what is secret in it is masked before it is cut
    assert not {each for each in one.marks if each.startswith("section:")} & set(other.marks)


@settings(max_examples=80, deadline=None)
@given(st.text(max_size=300))
def test_a_heading_does_nothing_to_a_terminal(text: str) -> None:
    heading = heading_of(text)
    assert len(heading) <= 80
    assert "\n" not in heading
    assert heading.isprintable()


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(20, 300), min_size=1, max_size=8), st.integers(1, 2_000))
def test_what_is_told_is_what_falls_out(sizes: list[int], limit: int) -> None:
    text = sections(*sizes)
    found = of_load(load(file(text, limit)), {})
    cut = next((each for each in found if each.event_class is CUT), None)
    assert (cut is not None) == (len(text) > limit)
    if cut is not None:
        lines = text.split("\n")
        lost = {n for hole in cut.holes for n in range(hole.first, hole.last + 1)}
        assert all(
            not lines[n - 1].strip() for n in range(text[:limit].count("\n") + 2, len(lines) + 1) if n not in lost
        )
        assert cut.lost <= len(text) - limit


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(20, 300), min_size=1, max_size=8), st.integers(1, 2_000), st.integers(0, 40))
def test_nothing_is_told_twice(sizes: list[int], limit: int, more: int) -> None:
    first = of_load(load(file(sections(*sizes), limit)), {})
    grown = of_load(load(file(sections(*sizes[:-1], sizes[-1] + more), limit)), known(*first))
    assert not any(
        is_news(each, known(*first).get(each.place))
        and each.marks in [one.marks for one in first if one.place == each.place]
        for each in grown
    )
