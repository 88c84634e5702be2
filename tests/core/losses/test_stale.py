"""Lost updates: found whenever sessions overwrite each other, never where a writer knew what it did."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from conductd.core.judging.judge import judge
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.core.reading.entries import entry_table
from conductd.model import Action, EventClass, Verdict
from scenarios.texts import ids_of, memory
from support.cases import KEY, case, held, judged, written

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


BUILD = (
    "## Build\n\n- the build cache is shared by all branches\n- the parser runs before the linter\n"
    "- nightly jobs start at two in the morning\n"
)
BUILD_NOW = (
    "## Build\n\n- the build cache is kept apart for each branch now\n- the parser runs after the linter since May\n"
    "- nightly jobs start at two in the morning\n- golden files live in the fixtures folder\n"
)
PEOPLE = "\n## People\n\n- Mara owns the release calendar\n- Chen answers questions about billing\n"
PEOPLE_NOW = PEOPLE + "- Amina leads the migration of the archive\n"


def section_back(first: str, second: str, own: str = "") -> tuple[Verdict, bytes | None]:
    """Somebody brings the older state of one section back; the other one stays as it is now."""
    before, current = "# M\n\n" + BUILD + PEOPLE, "# M\n\n" + BUILD_NOW + PEOPLE_NOW
    the_case = case(
        PATH,
        held(90, current, -3_600, first),
        written(101, "# M\n\n" + BUILD + own + PEOPLE_NOW, 0, second),
        earlier=[held(80, before, -86_400, "agent:zero")],
    )
    verdict = judge(the_case, Policy())
    return verdict, target(the_case, verdict, Policy())


def test_a_section_that_stands_again_as_it_once_did_is_a_lost_update() -> None:
    verdict, data = section_back("agent:one", "agent:two", "- the canary runs for one hour\n")
    assert (verdict.event_class, verdict.action, verdict.base_seq) == (EventClass.LOST_UPDATE, Action.MERGE, 80)
    assert (verdict.facts["base_distance"], verdict.facts["base_age_s"]) == (1, 86_400)
    assert data is not None
    text = data.decode()
    assert "kept apart for each branch" in text
    assert "golden files" in text
    assert "the canary runs for one hour" in text
    assert "Amina leads" in text
    assert "shared by all branches" not in text


def test_nobody_knows_whether_an_unnamed_writer_meant_the_older_section_so_it_is_offered() -> None:
    verdict, data = section_back("unknown", "unknown")
    assert (verdict.event_class, verdict.action, data) == (EventClass.LOST_UPDATE, Action.PROPOSE, None)
    assert verdict.debt


@pytest.mark.parametrize(
    ("first", "second"), [("agent:one", "agent:one"), ("agent:one", "human:vim"), ("human:vim", "human:vim")]
)
def test_who_wrote_a_section_or_is_a_person_may_take_it_back(first: str, second: str) -> None:
    verdict, data = section_back(first, second)
    assert verdict.action is not Action.MERGE
    assert data is None
    if second.startswith("human:"):
        assert verdict.action is Action.RECORD


def test_one_entry_that_is_edited_in_a_stale_copy_is_merged_with_what_came_since() -> None:
    base = memory(3, 6, 1) + EDITED[0] + "\n"
    current = base.replace("## Deploy\n", "## Deploy\n- Mara keeps the second key of the archive\n") + lines_of(1, 1)
    late = base.replace(*EDITED)
    the_case = case(
        PATH,
        held(90, current, -3_600, "agent:one"),
        written(101, late, 0, "agent:two"),
        earlier=[held(80, base, -90_000, "agent:two")],
    )
    verdict = judge(the_case, Policy())
    assert (verdict.event_class, verdict.action) == (EventClass.LOST_UPDATE, Action.MERGE)
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert EDITED[1].encode() in data
    assert b"Mara keeps the second key" in data
    assert {1100, 1101} <= ids_of(data)


@pytest.mark.parametrize(
    ("own", "dropped", "expected"),
    [
        ("- a line of its own that nobody had\n", 3, (EventClass.LOST_UPDATE, Action.PROPOSE)),
        ("- a line of its own that nobody had\n", 1, (EventClass.EDIT, Action.RECORD)),
        ("", 3, (EventClass.EDIT, Action.RECORD)),
    ],
)
def test_an_unnamed_writer_that_costs_little_is_asked_about_when_it_shows(
    own: str, dropped: int, expected: tuple[EventClass, Action]
) -> None:
    base = memory(6, 6, 1)
    current = base + lines_of(1, 1, dropped)
    the_case = case(PATH, held(90, current, -3_600), written(101, base + own, 0), earlier=[held(80, base, -7_200)])
    verdict = judge(the_case, Policy())
    assert (verdict.event_class, verdict.action) == expected


def test_named_writers_that_go_on_from_their_own_texts_lose_nothing_whatever_the_order() -> None:
    base = memory(3, 6, 1)
    one, two, three = lines_of(1, 1, 1), lines_of(2, 1, 1), lines_of(3, 1, 1)
    versions = [
        written(101, base + one, 0.00, "agent:one"),
        written(102, base + two, 0.04, "agent:two"),
        written(103, base + one + three, 0.08, "agent:one"),
        written(104, base, 0.12, "agent:two"),  # takes its own line back
    ]
    the_case = case(PATH, base, *versions)
    verdict = judge(the_case, Policy())
    assert (verdict.event_class, verdict.action) == (EventClass.LOST_UPDATE, Action.MERGE)
    data = target(the_case, verdict, Policy())
    assert data is not None
    assert ids_of(data) == {*range(1, 19), 1100, 1300}
    undone = case(PATH, base, *versions[:1], written(105, base, 0.2, "agent:one"))
    assert judge(undone, Policy()).rule == "same-bytes"


@pytest.mark.parametrize("own", [True, False])
def test_a_section_without_its_younger_entries_is_old_when_something_of_its_own_came(own: bool) -> None:
    """By a named writer, while another section keeps what is younger there."""
    younger = ("- golden files live in the fixtures folder\n", "- the retry budget is three for each shard\n")
    first = "# M\n\n" + BUILD + PEOPLE
    second = "# M\n\n" + BUILD + younger[0] + PEOPLE
    third = "# M\n\n" + BUILD + "".join(younger) + PEOPLE_NOW
    now = "# M\n\n" + BUILD + ("- the canary runs for one hour\n" if own else "") + PEOPLE_NOW
    the_case = case(
        PATH,
        held(90, third, -3_600, "agent:one"),
        written(101, now, 0, "agent:two"),
        earlier=[held(85, second, -7_200, "agent:three"), held(80, first, -86_400, "agent:two")],
    )
    verdict = judge(the_case, Policy())
    assert (verdict.action is Action.MERGE) == own
    data = target(the_case, verdict, Policy())
    assert (data is not None) == own
    if data is not None:
        assert verdict.base_seq == 80
        assert all(line.encode() in data for line in (*younger, "- the canary runs for one hour"))


@pytest.mark.parametrize(
    ("own", "younger", "action"),
    [
        ("- the canary runs for one hour\n", 2, Action.PROPOSE),
        ("- the canary runs for one hour\n", 1, Action.RECORD),
        ("", 2, Action.RECORD),
    ],
)
def test_two_younger_entries_of_a_section_with_something_in_their_place_are_asked_about(
    own: str, younger: int, action: Action
) -> None:
    lines = ("- golden files live in the fixtures folder\n", "- the retry budget is three for each shard\n")[:younger]
    rest = memory(4, 6, 8).replace("# Memory", "")
    first = "# M\n\n" + BUILD + PEOPLE + rest
    second = "# M\n\n" + BUILD + "".join(lines) + PEOPLE_NOW + rest
    now = "# M\n\n" + BUILD + own + PEOPLE_NOW + rest
    verdict = judged(
        PATH,
        held(90, second, -3_600, "agent:one"),
        written(101, now, 0, "agent:two"),
        earlier=[held(80, first, -86_400, "agent:two")],
    )
    assert verdict.action is action


NOTE = "- the user likes loud jazz while working at night\n"


@pytest.mark.parametrize("age_s", [60, 86_400, 30 * 86_400])
def test_a_named_writer_that_only_takes_a_note_out_means_it(age_s: float) -> None:
    base = memory(3, 8, 5)
    grown = held(90, base + NOTE, -age_s, "agent:monday")
    verdict = judge(
        case(PATH, grown, written(101, base, 0, "agent:tuesday"), earlier=[held(80, base, -age_s - 99)]), Policy()
    )
    assert verdict.action is Action.RECORD


def test_within_seconds_it_is_a_stale_copy() -> None:
    base = memory(3, 8, 5)
    grown = held(90, base + NOTE, -3, "agent:monday")
    verdict = judge(case(PATH, grown, written(101, base, 0, "agent:tuesday"), earlier=[held(80, base, -600)]), Policy())
    assert (verdict.event_class, verdict.action) == (EventClass.LOST_UPDATE, Action.MERGE)


def test_the_opposite_in_its_place_is_asked_about() -> None:
    base = memory(3, 8, 5)
    grown = held(90, base + NOTE, -86_400, "agent:monday")
    opposite = base + "- the user hates loud jazz while working, and wants silence\n"
    verdict = judge(
        case(PATH, grown, written(101, opposite, 0, "agent:tuesday"), earlier=[held(80, base, -90_000)]), Policy()
    )
    assert verdict.action is not Action.MERGE


def test_a_note_that_the_same_stale_bytes_take_out_again_is_not_merged_again() -> None:
    """More of it is a fight, which ends by itself (`core.judging.fight`)."""
    base = memory(3, 8, 5)
    late = base + lines_of(2, 5)
    merged = held(95, base + NOTE + lines_of(2, 5), -500, "conductd")
    side = structs.replace(held(92, late, -600, "agent:late"), copied=True)
    older = [side, held(90, base + NOTE, -5000, "agent:one"), held(80, base, -9000)]
    verdict = judge(case(PATH, merged, written(101, late, 0, "agent:late"), earlier=older), Policy())
    assert verdict.action is not Action.MERGE


def test_what_was_told_as_a_secret_comes_back_with_no_merge() -> None:
    base, secret = memory(3, 8, 5), "- the nas password is Example-Pass-7731\n"
    mark = entry_table(secret.encode(), KEY).entries[0].fingerprint
    earlier = [held(80, base, -9000)]
    late = written(101, base + lines_of(2, 5), 0, "agent:late")
    alone = case(PATH, held(90, base + secret, -4, "agent:one"), late, earlier=earlier, told=frozenset({mark}))
    assert judge(alone, Policy()).action is Action.RECORD
    grown = held(90, base + secret + lines_of(1, 5), -4, "agent:one")
    the_case = case(PATH, grown, late, earlier=earlier, told=frozenset({mark}))
    verdict = judge(the_case, Policy())
    data = target(the_case, verdict, Policy())
    assert verdict.action is Action.MERGE
    assert data is not None
    assert b"7731" not in data
    assert {1100, 1101, 1200, 1201} <= ids_of(data)


@pytest.mark.parametrize(
    "line", ["- staging hosts and their ports\n", "- 部署主机和它们的端口\n", "- مضيفو النشر ومنافذهم\n"]
)
def test_one_note_that_goes_again_an_hour_later_is_asked_about_and_not_merged_back(line: str) -> None:
    """A small file, by nobody known: it may have been taken out on purpose."""
    old = "# Index\n\n- how the flaky websocket test was tracked down\n- naming rules agreed with Jonas\n"
    verdict = judged(b"MEMORY.md", held(2, old + line, -3600.0), written(3, old), earlier=[held(1, old, -7200.0)])
    assert verdict.action is Action.PROPOSE
