"""Whatever a day was: a report of it is made, its forms agree, what is missing is never clean."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.facts import DayIncident
from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.core.report.chat import chat, title
from conductd.core.report.facts import Facts, FileSizes, JobFact, figures
from conductd.core.report.html import page
from conductd.core.report.markdown import markdown
from conductd.core.report.recap import Cause, DayShape, Week, forecast
from conductd.core.report.recap import chat as week_chat
from conductd.core.report.recap import markdown as week_markdown
from conductd.core.report.recap import page as week_page
from conductd.core.report.verdict import Shape, verdict
from conductd.model import EventClass, Severity
from core.report.days import CLEAN, changed
from core.report.reading import Page, of_chat, of_markdown

texts = st.text(max_size=30) | st.sampled_from(["<script>", "a|b", "`", "\u202e", "'\"", "]]>", "&amp;"])
counts = st.integers(0, 10**9)
paths = st.binary(min_size=1, max_size=30)
days = st.dates(date(2020, 1, 1), date(2030, 1, 1)).map(date.isoformat)
points = st.lists(st.tuples(days, counts), max_size=30, unique_by=lambda each: each[0]).map(sorted).map(tuple)
files = st.builds(FileSizes, paths, points, st.none() | counts, texts)
incidents = st.builds(
    DayIncident,
    counts,
    st.sampled_from(EventClass),
    st.sampled_from(Severity),
    st.sampled_from(["open", "resolved", "accepted", "expired"]),
    st.lists(paths, max_size=7).map(tuple),
    counts,
    counts,
    texts,
    texts,
)
facts = st.builds(
    Facts,
    day=days,
    zone=texts,
    workspace=texts,
    agent=texts,
    version=texts,
    jobs=st.lists(
        st.builds(JobFact, texts, days, texts, texts, st.lists(texts, max_size=3).map(tuple), st.booleans()), max_size=5
    ).map(tuple),
    checkpoint=st.none() | st.builds(CheckpointResult, damaged=st.integers(0, 2), is_whole=st.booleans()),
    continuity=st.none() | st.builds(ContinuityResult, unfinished=counts),
    qc=st.none()
    | st.builds(
        QcResult,
        findings=st.lists(st.builds(Finding, texts, st.sampled_from(Grade), texts, fix=texts), max_size=4).map(tuple),
    ),
    incidents=st.none() | st.lists(incidents, max_size=4).map(tuple),
    gained=st.none() | counts,
    lost=st.none() | counts,
    versions_per_hour=st.none() | st.lists(counts, max_size=25).map(tuple),
    sizes=st.none() | st.lists(files, max_size=3).map(tuple),
    unread=st.lists(paths, max_size=2).map(tuple),
    degraded=st.none() | st.lists(texts, max_size=2).map(tuple),
)
OPTIONAL = ["checkpoint", "continuity", "qc", "incidents", "gained", "lost", "versions_per_hour", "sizes", "degraded"]


@given(facts)
def test_every_day_has_a_report_whose_forms_agree(facts: Facts) -> None:
    wanted = dict(figures(facts))
    read = Page(page(facts))
    assert read.problems == []
    assert read.figures == of_markdown(markdown(facts)) == of_chat(chat(facts)) == wanted
    assert "\n" not in title(facts)


@given(facts)
def test_only_a_day_that_is_known_is_clean(facts: Facts) -> None:
    if verdict(facts).shape is Shape.CLEAN:
        assert all(getattr(facts, name) is not None for name in OPTIONAL)
        assert facts.qc is not None
        assert facts.qc.worst is Grade.PASS
        assert not facts.open_incidents


@given(st.sets(st.sampled_from(OPTIONAL), min_size=1))
def test_a_clean_day_with_something_missing_is_not_clean(missing: set[str]) -> None:
    assert verdict(CLEAN).shape is Shape.CLEAN
    assert verdict(changed(CLEAN, **dict.fromkeys(missing))).shape is not Shape.CLEAN


@given(
    st.builds(
        Week,
        st.just("2026-W10"),
        texts,
        texts,
        st.lists(st.builds(DayShape, days, st.none() | st.sampled_from(Shape)), max_size=7).map(tuple),
        st.none() | st.integers(0, 7),
        st.none() | st.lists(st.builds(Cause, texts, texts, paths), max_size=5).map(tuple),
        st.none() | st.lists(files, max_size=3).map(tuple),
        st.none() | counts,
    )
)
def test_every_week_has_a_recap(week: Week) -> None:
    assert Page(week_page(week)).problems == []
    assert f"{week.clean}/{len(week.days)}" in week_markdown(week)
    assert week_chat(week)


@given(files)
def test_what_is_foretold_is_near_and_ahead(file: FileSizes) -> None:
    found = forecast(file)
    assert found is None or 0 <= found <= 90


@given(st.integers(5, 30), st.integers(1, 500), st.integers(0, 29), st.integers(0, 1_900))
def test_one_day_unlike_the_others_is_no_trend(length: int, slope: int, odd: int, size: int) -> None:
    first = date(2026, 3, 1)
    grown = [(first + timedelta(each)).isoformat() for each in range(length)]
    sizes = [1_000 + slope * each for each in range(length)]
    steady = FileSizes(b"a", tuple(zip(grown, sizes, strict=True)), sizes[-1] + slope * 10)
    assert forecast(steady) == 10
    flat = [1_000] * length
    flat[odd % length] = size
    assert forecast(FileSizes(b"a", tuple(zip(grown, flat, strict=True)), 2_000)) is None
