"""What each check says of facts: well, wrong, and not known; and that it never raises."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from conductd.core.checkpoint.result import CheckpointResult
from conductd.core.doctor.finding import Finding as Diagnosis
from conductd.core.doctor.finding import Result
from conductd.core.night.facts import Before, Day, DayIncident, Night, NightFile, Occasion
from conductd.core.qc.check import Check
from conductd.core.qc.checks import ALL, examine
from conductd.core.qc.facts import CardFacts, Drill, PinFacts, QcFacts
from conductd.core.qc.notes import sources
from conductd.core.qc.page import page
from conductd.core.qc.pointers import mentioned
from conductd.core.qc.results import Finding, Grade, QcResult
from conductd.model import EventClass, Role, Severity

DAY = date(2026, 3, 8)


def night(files: dict[bytes, str | bytes], roles: dict[bytes, Role] | None = None, agent: str = "claude-code") -> Night:
    def role(path: bytes) -> Role:
        if roles and path in roles:
            return roles[path]
        if path.startswith(b"memory/2"):
            return Role.DAILY
        return Role.TOPIC if path.startswith(b"memory/") else Role.CURATED

    return Night(
        occasion=Occasion("qc", "w", b"/ws", DAY, "UTC", 0),
        agent=agent,
        version="",
        files=tuple(
            NightFile(path, role(path), text.encode() if isinstance(text, str) else text, 1)
            for path, text in sorted(files.items())
        ),
        unread=(),
        day=Day(DAY, 0, 1, 0, (), (0,)),
    )


def facts(of: Night) -> QcFacts:
    """Everything is known and well."""
    return QcFacts(
        night=of,
        diagnoses=tuple(Diagnosis(each, Result.OK, "fine") for each in ("load_cut", "links", "writable")),
        verified=CheckpointResult(is_whole=True, versions=12),
        pins=PinFacts(2, 0),
        card=CardFacts(100, 500, 0, 0),
        drill=Drill(3),
        missing=frozenset(),
        searched=frozenset(),
    )


def said(of: QcFacts, check: str) -> Finding:
    (found,) = [each for each in examine(of) if each.check == check]
    return found


CLEAN = {
    b"MEMORY.md": "# Memory\n\n- the office is in Bern, see memory/parser.md\n",
    b"memory/parser.md": "# Parser\n\n- it reads the grammar of the notes\n",
    b"memory/2026-03-08.md": "# 2026-03-08\n\n- met Anna\n",
}


def test_a_clean_night_passes_every_check() -> None:
    found = examine(facts(night(CLEAN)))
    assert [(each.check, each.grade, each.words) for each in found if each.grade is not Grade.PASS] == []
    assert [each.check for each in found] == [each.name for each in ALL]
    assert QcResult(findings=found).worst is Grade.PASS
    assert len({each.name for each in ALL}) == len(ALL) >= 20


@pytest.mark.parametrize("check", [each for each in ALL if each.needs], ids=lambda each: each.name)
def test_what_is_not_known_is_never_a_pass(check: object) -> None:
    name, needs = check.name, check.needs  # type: ignore[attr-defined]
    for need in needs:
        known = facts(night(CLEAN))
        if need in ("changes", "incidents"):
            lacking = replace(known, night=replace(known.night, day=replace(known.night.day, **{need: None})))
        else:
            lacking = replace(known, **{need: None})
        found = said(lacking, name)
        assert found.grade is Grade.UNKNOWN
        assert found.words


@pytest.mark.parametrize("check", [each for each in ALL if each.reads], ids=lambda each: each.name)
def test_of_files_that_cannot_be_read_nothing_is_well(check: Check) -> None:
    known = facts(night(CLEAN))
    found = said(replace(known, night=replace(known.night, unread=((b"USER.md", "no permission"),))), check.name)
    assert found.grade is Grade.UNKNOWN
    assert found.words.endswith("but 1 file could not be read")
    assert found.evidence == ("USER.md: no permission",)


def test_where_no_agent_is_known_nobody_knows_what_it_loads() -> None:
    known = replace(facts(night(CLEAN, agent="")), diagnoses=())
    unknown = {each.check for each in examine(known) if each.grade is Grade.UNKNOWN}
    assert unknown == {
        "bootstrap_files",
        "truncated",
        "size",
        "one_name",
        "links",
        "not_loaded",
        "settings",
        "writable",
    }


@pytest.mark.parametrize("check", ["incidents", "net_loss"])
def test_what_is_not_judged_yet_is_not_well(check: str) -> None:
    known = facts(night(CLEAN))
    day = replace(known.night.day, unjudged=(b"MEMORY.md",))
    found = said(replace(known, night=replace(known.night, day=day)), check)
    assert (found.grade, found.evidence) == (Grade.UNKNOWN, ("MEMORY.md",))
    assert found.words.endswith("but 1 file written just now waits to be judged")


def test_a_drill_that_left_files_out_is_no_pass() -> None:
    found = said(replace(facts(night(CLEAN)), drill=Drill(3, left_out=2)), "drill")
    assert (found.grade, "2 more not tried" in found.words) == (Grade.UNKNOWN, True)


def test_no_findings_at_all_are_not_a_pass() -> None:
    assert QcResult().worst is Grade.UNKNOWN


@pytest.mark.parametrize(
    ("check", "files", "evidence"),
    [
        (
            "duplicates",
            {b"a.md": "- never call before nine\n", b"b.md": "# B\n\n- never call before nine\n"},
            "a.md:1 = b.md:3",
        ),
        ("duplicates", {b"a.md": "- 数据库密码保存在保险箱里\n- x\n- 数据库密码保存在保险箱里\n"}, "a.md:1 = a.md:3"),
        (
            "near_duplicates",
            {
                b"a.md": "- the deploy of the web shop runs every night at two\n"
                "- the deploy of our web shop runs every night at two\n"
            },
            "a.md:1 ≈ a.md:2",
        ),
        (
            "contradictions",
            {b"a.md": "- the database listens on port 8443\n", b"b.md": "- the database listens on port 9000\n"},
            "a.md:1 ≠ b.md:1",
        ),
        (
            "contradictions",
            {b"a.md": "- der Server hat 16 GB Speicher\n- der Server hat 32 GB Speicher\n"},
            "a.md:1 ≠ a.md:2",
        ),
        ("stale_dates", {b"TASKS.md": "- [ ] renew it by 2026-02-01\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"a.md": "# Offene Punkte\n\n- Vertrag bis 2026-01-31 kündigen\n"}, "a.md:3 2026-01-31"),
        ("wrongly_dated", {b"memory/2026-13-45.md": "- x\n"}, "memory/2026-13-45.md: there is no such day"),
        (
            "wrongly_dated",
            {b"memory/2026-03-08.md": "# 2026-03-07\n\n- x\n"},
            "memory/2026-03-08.md: its title says 2026-03-07",
        ),
        ("wrongly_dated", {b"memory/2027-03-08.md": "- x\n"}, "memory/2027-03-08.md: in the future"),
        ("memory_size", {b"memory/a.md": "x" * 600_000}, "memory/a.md: 600,000 bytes"),
        ("stale_dates", {b"TASKS.md": "- [ ] Pass erneuern bis 01.02.2026\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] by 1 February 2026\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] by Feb 1st, 2026\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] by 2026/02/01\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] bis 1. Januar 2026\n"}, "TASKS.md:1 2026-01-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] antes del 1 de febrero de 2026\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] до 1 февраля 2026\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] asked on 2026-01-01, due 2026-02-01\n"}, "TASKS.md:1 2026-02-01"),
        ("stale_dates", {b"TASKS.md": "- [ ] 2026年2月1日までに更新\n"}, "TASKS.md:1 2026-02-01"),
        (
            "wrongly_dated",
            {b"memory/2026-03-08.md": "# 7 March 2026\n\n- x\n"},
            "memory/2026-03-08.md: its title says 2026-03-07",
        ),
        ("daily_log", {b"memory/2026-03-08.md": "# 2026-03-08\n"}, "memory/2026-03-08.md"),
        (
            "daily_log",
            {b"memory/2026-03-08.md": '## Pre-Reset Checkpoint 03:30\n\n- new: "x" (a.md:1)\n'},
            "memory/2026-03-08.md",
        ),
        (
            "orphans",
            {
                b"MEMORY.md": "- on Sunday in the sun, see memory/other.md\n",
                b"memory/sun.md": "- x\n",
                b"memory/other.md": "- y\n",
            },
            "memory/sun.md",
        ),
        (
            "duplicates",
            {b"a.md": "- never call before nine in the morning, nor after eight\n" * 2},
            "a.md:1 = a.md:2",
        ),
    ],
)
def test_what_is_wrong_in_the_notes_is_named_by_its_place(check: str, files: dict[bytes, str], evidence: str) -> None:
    found = said(facts(night({**files})), check)
    assert found.grade is Grade.WARN
    assert evidence in found.evidence
    assert found.fix


@pytest.mark.parametrize(
    ("check", "files"),
    [
        (
            "duplicates",
            {
                b"memory/2026-03-07.md": "- met Anna at noon today\n",
                b"memory/2026-03-08.md": "- met Anna at noon today\n",
            },
        ),
        ("duplicates", {b"a.md": "- yes\n- yes\n"}),
        ("near_duplicates", {b"a.md": "- note one of the many about fish\n- a rule for the last day of March\n"}),
        ("contradictions", {b"a.md": "".join(f"- room {n} is on floor {n}\n" for n in range(9))}),
        ("stale_dates", {b"a.md": "- [x] renewed on 2026-02-01\n- born on 1990-01-01\n"}),
        ("wrongly_dated", {b"memory/2026-03-08.md": "# Log\n\n- 2026-01-01 was a Thursday\n"}),
        ("daily_log", {b"a.md": "- no logs here\n"}),
        (
            "stale_dates",
            {
                b"TASKS.md": "- [ ] renew the passport (asked first on 2026-02-01, due in spring)\n"
                "- [ ] since 2026-01-02\n"
            },
        ),
        ("stale_dates", {b"TASKS.md": "- [ ] by 03/04/2026\n- [ ] version 3.1.2.2026\n"}),
        (
            "contradictions",
            {b"a.md": "- the budget meeting was on 2026-03-03\n- the budget meeting was on 2026-03-07\n"},
        ),
        ("contradictions", {b"a.md": "- the stand-up is at 09:30\n", b"b.md": "- the stand-up is at 9:45\n"}),
        ("duplicates", {b"a.md": "## Alice\n\n- prefers tea to coffee\n\n## Bob\n\n- prefers tea to coffee\n"}),
        (
            "near_duplicates",
            {b"a.md": "".join(f"- rule {n}: never deploy service {n} on Fridays\n" for n in range(1_200))},
        ),
        (
            "orphans",
            {
                b"MEMORY.md": "- see `sun.md` and web-shop, [[other]]\n- 会議の件\n",
                b"memory/sun.md": "- x\n",
                b"memory/web-shop.md": "- y\n",
                b"memory/other.md": "- z\n",
                "memory/会議.md".encode(): "- 会\n",
            },
        ),
    ],
)
def test_what_is_well_passes(check: str, files: dict[bytes, str]) -> None:
    assert said(facts(night({**files})), check).grade is Grade.PASS


def test_a_day_with_changes_and_without_its_log_is_named() -> None:
    of = night({b"a.md": "- x\n", b"memory/2026-03-07.md": "- y\n"})
    of = replace(of, day=replace(of.day, changes=1))
    assert said(facts(of), "daily_log").grade is Grade.WARN
    of = replace(of, files=(*of.files, NightFile(b"memory/2026-03-08.md", Role.DAILY, b" \n", 1)))
    assert "nothing but headings" in said(facts(of), "daily_log").words


def test_what_the_search_of_the_agent_does_not_take_is_named() -> None:
    known = facts(night({b"MEMORY.md": "- x\n", b"memory/a.md": "- y\n", b"memory/b.md": "- z\n"}))
    changed = replace(known.night, before=(Before(b"memory/a.md", None), Before(b"MEMORY.md", None)))
    of = replace(known, night=changed, searched=frozenset({b"MEMORY.md", b"memory/b.md"}))
    assert said(of, "findable").evidence == ("memory/a.md",)
    assert said(replace(of, searched=frozenset({b"MEMORY.md", b"memory/a.md"})), "findable").grade is Grade.PASS


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("[a](memory/none.md)", [b"memory/none.md"]),
        ("[a](<memory/my plan.md>)", [b"memory/my plan.md"]),
        ('[a](memory/my%20plan.md "title")', [b"memory/my plan.md"]),
        ("[x][ref]\n\n[ref]: memory/none.md", [b"memory/none.md"]),
        ("[[memory/none]] and [[memory/other.md|shown]]", [b"memory/none.md", b"memory/other.md"]),
        ("[[none]]", []),
        ("see `memory/none.md` and `plan.md`", [b"memory/none.md", b"plan.md"]),
        ("`BOOTSTRAP.md`, if it exists, and `memory/YYYY-MM-DD.md`", []),
        ("`plan.md` of the webshop repository", []),
        ("read `memory/intro.md` if it exists, then delete it", []),
        ("`deploy.yaml` of the shop, `scripts/run_tests.py` there, `memory/heartbeat-state.json`", []),
        ("[web](https://example.org/a.md) [home](~/a.md) [abs](/etc/x.md) [here](#part)", []),
    ],
)
def test_what_is_a_pointer(text: str, paths: list[bytes]) -> None:
    assert sorted(mentioned(sources(night({b"MEMORY.md": text + "\n"})))) == sorted(paths)


def test_pointers_that_lead_nowhere_and_notes_that_nobody_points_to() -> None:
    files: dict[bytes, str | bytes] = {
        b"MEMORY.md": "- [parser](memory/parser.md), `memory/gone.md`, [web](https://x.example/a.md), [up](../x.md)\n",
        b"memory/parser.md": "- see [the other](kitchen.md#top) and [space](my%20notes.md)\n",
        b"memory/kitchen.md": "- paint\n",
        b"memory/forgotten.md": "- nobody names this\n",
    }
    of = facts(night(files))
    named = mentioned(sources(of.night))
    assert set(named) == {b"memory/parser.md", b"memory/gone.md", b"memory/kitchen.md", b"memory/my notes.md"}
    missing = frozenset(path for path in named if path not in files)
    found = said(replace(of, missing=missing), "dangling")
    assert found.evidence == ("MEMORY.md:1 → memory/gone.md", "memory/parser.md:1 → memory/my notes.md")
    assert said(of, "orphans").evidence == ("memory/forgotten.md",)


def test_what_the_history_knows() -> None:
    incident = DayIncident(
        7, EventClass.SHRINK, Severity.NOTICE, "open", (b"a.md",), 4, 0, "offered", "conductd restore"
    )
    known = facts(night({b"a.md": "- x\n"}))
    lost = Before(b"a.md", b"- one\n- two\n- three\n- four\n", after=b"- x\n")
    day = replace(known.night.day, incidents=(incident,))
    of = replace(known, night=replace(known.night, day=day, before=(lost,)))
    assert said(of, "incidents").evidence == ("incident 7: a.md",)
    assert said(of, "net_loss").words == "1 entry gained, 4 lost; 4 entries are still lost"
    hidden = replace(of.night, before=(replace(lost, is_known=False),))
    assert said(replace(of, night=hidden), "net_loss").grade is Grade.UNKNOWN
    alarm = replace(of.night, day=replace(of.night.day, incidents=(replace(incident, severity=Severity.ALARM),)))
    assert said(replace(of, night=alarm), "incidents").grade is Grade.FAIL
    assert said(replace(known, verified=CheckpointResult(is_whole=False, damaged=2)), "history").grade is Grade.FAIL
    assert said(replace(known, drill=Drill(3, different=(b"a.md",))), "drill").grade is Grade.FAIL
    assert said(replace(known, pins=PinFacts(2, 1)), "pins").grade is Grade.FAIL
    assert said(replace(known, card=CardFacts(500, 500, 3, 1)), "boot_card").grade is Grade.FAIL
    unread = replace(known.night, unread=((b"b.md", "EACCES"),))
    assert said(replace(known, night=unread), "recorded").evidence == ("b.md: EACCES",)


def test_a_search_that_takes_nothing_is_none_that_is_off() -> None:
    written = replace(night(CLEAN, agent="openclaw"), before=(Before(b"memory/parser.md", None),))
    assert said(replace(facts(written), has_search=False), "findable").grade is Grade.PASS
    found = said(facts(written), "findable")
    assert (found.grade, found.evidence) == (Grade.WARN, ("memory/parser.md",))
    loaded = replace(written, before=(Before(b"USER.md", None),))
    assert said(facts(loaded), "findable").grade is Grade.PASS, "it is loaded whole, search or not"


def test_a_check_of_an_earlier_day_takes_todays_notes_for_none_of_the_future() -> None:
    now_ns = int(datetime(2026, 3, 20, 12, tzinfo=UTC).timestamp()) * 1_000_000_000
    of = night({b"memory/2026-03-20.md": "- x\n"})
    late = replace(of, occasion=replace(of.occasion, now_ns=now_ns))
    assert said(facts(late), "wrongly_dated").grade is Grade.PASS
    assert said(facts(of), "wrongly_dated").grade is Grade.WARN


def test_doctors_verdicts_are_taken_up() -> None:
    known = facts(night({b"MEMORY.md": "- x\n"}))
    cut = Diagnosis("load_cut", Result.FAIL, "secret heading is cut", files=(b"MEMORY.md",))
    found = said(replace(known, diagnoses=(cut,)), "truncated")
    assert (found.grade, found.evidence) == (Grade.FAIL, ("MEMORY.md",))
    assert "secret heading" not in found.words
    near = Diagnosis("load_near", Result.WARN, "MEMORY.md is near its limit", files=(b"MEMORY.md",))
    found = said(replace(known, diagnoses=(near, replace(near, what="all together are"))), "size")
    assert found.words == "MEMORY.md is near its limit; and 1 more finding of doctor"
    assert found.evidence == ("MEMORY.md is near its limit", "all together are")
    unsure = Diagnosis("agent_settings", Result.UNKNOWN, "?")
    assert said(replace(known, diagnoses=(unsure,)), "settings").grade is Grade.UNKNOWN


def test_the_page_says_all_of_it_and_no_text_of_files() -> None:
    text = "- SECRET words of mine stand here twice\n- SECRET words of mine stand here twice\n"
    of = facts(night({b"a.md": text}))
    found = examine(replace(of, drill=None))
    made = page(of.night.occasion, "openclaw", "2026.9.6", found)
    assert made == page(of.night.occasion, "openclaw", "2026.9.6", found)
    assert f"| {len(ALL)} |" in made
    assert "- WARN: duplicates: 1 entry stands more than once" in made
    assert "- unknown: drill: " in made
    assert "SECRET" not in made
    assert "SECRET" not in str(found)


@given(
    st.dictionaries(
        st.sampled_from(
            [b"MEMORY.md", b"memory/a.md", b"memory/2026-03-08.md", b"memory/caf\xe9.md", b"memory/2026-99-99.md"]
        ),
        st.binary(max_size=300) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")),
    )
)
def test_it_never_raises_whatever_stands_in_the_files(files: dict[bytes, bytes]) -> None:
    found = examine(facts(night(dict(files))))
    assert len(found) == len(ALL)
    page(night({}).occasion, "", "", found)


def test_the_page_of_the_documentation_has_a_row_for_each_check() -> None:
    text = (Path(__file__).parents[3] / "docs" / "qc.md").read_text(encoding="utf-8")
    for each in ALL:
        assert f"| `{each.name}` | {each.looks_at} |" in text
    assert text.partition("## What only")[2].count("\n| `") == len(ALL)
