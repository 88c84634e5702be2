"""What the columns mean, and what the report is made of."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from conductd.core.policy import Policy
from corpus.changes import FAMILIES, Change, case, harmful, harmless, marks, one
from corpus.measuring import Count, measure, tally
from corpus.picture import as_svg
from corpus.playing import play
from corpus.report import as_page, as_text
from corpus.sampling import drawn

NOTES = "# Notes\n\n" + "".join(
    f"- the {word} is kept in the cellar until spring\n" for word in ("ladder", "tent", "lamp")
)
SOME = [
    measure(drawn(FAMILIES[name], language, 0)) for name in ("stub_overwrite", "appended") for language in ("en", "ar")
]


@pytest.mark.parametrize(
    ("hits", "of", "low", "high"),
    [(0, 0, 0.0, 1.0), (9, 10, 0.596, 0.982), (0, 20, 0.0, 0.161), (200, 200, 0.981, 1.0)],
)
def test_intervals_are_those_of_wilson(hits: int, of: int, low: float, high: float) -> None:
    assert Count(hits, of).interval == pytest.approx((low, high), abs=0.001)


def test_a_recall_without_the_entries_is_none() -> None:
    gone = one("MEMORY.md", NOTES, "# Notes\n")
    right = Change("x", "en", 0, gone, harmful("overwrite", "revert", back=marks(NOTES)))
    assert measure(right).right
    too_much = right._replace(wanted=harmful("overwrite", "revert", back=marks(NOTES + "- one that was never there\n")))
    assert measure(too_much).right  # only what stood in the baseline can come back
    unlike = right._replace(wanted=harmful("overwrite", "revert", back=marks(NOTES), never=("ladder",)))
    assert measure(unlike).why == "overwrite/revert/stand-in: what must not be written"


def test_another_action_is_a_miss_and_another_name_is_told() -> None:
    gone = one("MEMORY.md", NOTES, "# Notes\n")
    assert not measure(Change("x", "en", 0, gone, harmful("overwrite", "propose"))).right
    other = measure(Change("x", "en", 0, gone, harmful("shrink", "revert")))
    assert (other.right, other.same_class, other.why) == (True, False, "overwrite: another class")


def test_a_write_on_a_legitimate_change_is_counted() -> None:
    figures = tally([measure(Change("x", "en", 0, one("MEMORY.md", NOTES, "# Notes\n"), harmless("edit")))])
    assert (figures.writes.hits, figures.alarms.hits, figures.recall.of) == (1, 1, 0)


def test_a_step_follows_what_the_one_before_left() -> None:
    change = drawn(FAMILIES["erosion_by_several"], "en", 0)
    played = play(change, Policy())
    for before, after in pairwise(played):
        assert after.case.baseline is not None
        assert after.case.baseline.data == (before.written or before.case.versions[-1].data)
    assert not case("MEMORY.md", NOTES, NOTES).ledger


def test_the_report_is_the_same_each_time_and_shows_every_family() -> None:
    page, picture = as_page(SOME), as_svg(SOME)
    assert (page, picture, as_text(SOME)) == (as_page(SOME), as_svg(SOME), as_text(SOME))
    assert all(f"| {name}" in page for name in FAMILIES)
    assert ElementTree.fromstring(picture).tag.endswith("svg")
