"""Lost updates: found whenever sessions overwrite each other, never where a writer knew what it did."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.core.judge import judge
from conductd.core.outcome import target
from conductd.core.policy import Policy
from conductd.model import EventClass
from scenarios.texts import ids_of, memory
from support.cases import case, held, written

PATH = b"memory/2026-03-08.md"
SEEDS = st.integers(0, 10_000)


def lines_of(session: int, seed: int, count: int = 2) -> str:
    """What one session adds: notes with ids of its own."""
    notes = memory(1, count, seed + 77 * (session + 1), first_id=1000 + 100 * session)
    return "".join(line + "\n" for line in notes.splitlines() if line.startswith("- "))


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(2, 5), st.booleans())
def test_sessions_that_append_at_once_all_keep_their_lines(seed: int, sessions: int, known: bool) -> None:
    base = memory(3, 6, seed)
    versions = [
        written(101 + n, base + lines_of(n, seed), 0.03 * n, f"agent:{n}" if known else "unknown")
        for n in range(sessions)
    ]
    the_case = case(PATH, base, *versions)
    verdict = judge(the_case, Policy())
    assert verdict.event_class is EventClass.LOST_UPDATE
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert ids_of(data) == {*range(1, 19), *(1000 + 100 * n + k for n in range(sessions) for k in (0, 1))}


def test_a_crowd_is_told_from_a_status_line_by_names() -> None:
    base = memory(3, 6, 1)

    def crowd(known: bool) -> EventClass:
        versions = [
            written(101 + n, base + lines_of(n, 1, 1), 0.03 * n, f"agent:{n}" if known else "unknown")
            for n in range(20)
        ]
        return judge(case(PATH, base, *versions), Policy()).event_class

    assert crowd(known=True) is EventClass.LOST_UPDATE
    assert crowd(known=False) is EventClass.APPEND


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 4), st.integers(1, 20_000))
def test_a_stale_session_is_found_any_number_of_baselines_back(seed: int, between: int, minutes: int) -> None:
    texts = [memory(3, 6, seed)]
    for n in range(between):
        texts.append(texts[-1] + lines_of(n, seed))
    late = texts[0] + lines_of(9, seed)
    baselines = [held(80 + n, text, -60.0 * minutes + n, f"agent:{n}") for n, text in enumerate(texts)]
    the_case = case(
        PATH,
        baselines[-1],
        written(101, late, 0, "agent:late"),
        earlier=baselines[-2::-1],
    )
    verdict = judge(the_case, Policy())
    assert (verdict.event_class, verdict.base_seq) == (EventClass.LOST_UPDATE, 80)
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert ids_of(data) == ids_of(texts[-1].encode()) | ids_of(late.encode())


@settings(max_examples=30, deadline=None)
@given(SEEDS, st.integers(1, 8), st.booleans())
def test_a_writer_that_takes_back_its_own_lines_is_never_stale(seed: int, count: int, own_line: bool) -> None:
    base = memory(3, 6, seed)
    grown = base + lines_of(1, seed, count)
    now = base + (lines_of(2, seed, 1) if own_line else "")
    for versions in (
        [written(101, now, 0, "agent:one")],
        [written(101, grown + "- and then some more words\n", 0, "agent:one"), written(102, now, 0.1, "agent:one")],
    ):
        verdict = judge(
            case(PATH, held(90, grown, -5, "agent:one"), *versions, earlier=[held(80, base, -60, "agent:zero")]),
            Policy(),
        )
        assert verdict.event_class is not EventClass.LOST_UPDATE


@settings(max_examples=30, deadline=None)
@given(SEEDS, SEEDS)
def test_a_text_that_shares_nothing_with_an_older_baseline_is_never_stale(seed: int, other: int) -> None:
    old = memory(2, 5, seed)
    grown = old + lines_of(1, seed, 9)
    unrelated = memory(2, 6, other + 20_000, first_id=5000)
    verdict = judge(case(PATH, grown, unrelated, earlier=[old, "# Memory\n"]), Policy())
    assert verdict.event_class is EventClass.OVERWRITE


EDITED = ("- the deploy window opens on monday at nine", "- the deploy window opens on tuesday at nine")


def test_an_edit_is_not_lost_to_a_session_that_appends_at_the_same_time() -> None:
    base = memory(3, 6, 1) + EDITED[0] + "\n"
    edited = base.replace(*EDITED)
    the_case = case(PATH, base, written(101, edited, 0), written(102, base + lines_of(3, 1), 0.05))
    verdict = judge(the_case, Policy())
    assert verdict.event_class is EventClass.LOST_UPDATE
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert EDITED[1].encode() in data
    assert EDITED[0].encode() not in data
    assert {1300, 1301} <= ids_of(data)


def test_an_edit_that_goes_back_is_a_lost_update_only_between_known_writers() -> None:
    base = memory(3, 6, 1) + EDITED[0] + "\n"
    edited, late = base.replace(*EDITED), base + lines_of(3, 1)
    for first, second, expected in (
        ("agent:one", "agent:two", EventClass.LOST_UPDATE),
        ("agent:one", "agent:one", EventClass.EDIT),
        ("unknown", "unknown", EventClass.EDIT),
    ):
        the_case = case(
            PATH, held(90, edited, -5, first), written(101, late, 0, second), earlier=[held(80, base, -600)]
        )
        assert judge(the_case, Policy()).event_class is expected


@settings(max_examples=10, deadline=None)
@given(SEEDS, st.integers(9, 30), st.booleans())
def test_any_number_of_quick_appends_is_one_side_of_a_stale_save(seed: int, appends: int, known: bool) -> None:
    base = memory(3, 6, seed)
    texts = [base + "".join(lines_of(k, seed, 1) for k in range(n + 1)) for n in range(appends)]
    names = [f"agent:{n % 2}" if known else "unknown" for n in range(appends)]
    versions = [written(101 + n, text, 0.1 * n, by) for n, (text, by) in enumerate(zip(texts, names, strict=True))]
    late = written(300, base + lines_of(50, seed, 1), 0.1 * appends, "agent:late" if known else "unknown")
    the_case = case(PATH, base, *versions, late)
    verdict = judge(the_case, Policy())
    assert verdict.event_class is EventClass.LOST_UPDATE
    assert verdict.facts["dropped_entries"] == appends
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert {1000 + 100 * k for k in (*range(appends), 50)} <= ids_of(data)


def test_a_status_line_that_is_written_again_and_again_is_no_side() -> None:
    base = memory(3, 6, 1)
    versions = [
        written(101 + n, base + f"- progress of the run: {n * 7919} steps and {n * 31} pages done\n", 0.1 * n)
        for n in range(20)
    ]
    last = written(300, base + "- the run has ended, see the report for what came of it\n", 2.0)
    assert judge(case(PATH, base, *versions, last), Policy()).event_class is not EventClass.LOST_UPDATE
