"""Pinned entries: which they are, what may be done to them, and what becomes of the pins."""

from __future__ import annotations

import pytest

from conductd.core.case import Git
from conductd.core.comparing.meaning import is_kept
from conductd.core.losses.pins import marked, under
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.core.reading.entries import entry_table
from conductd.core.reading.text import normalise, words
from conductd.model import Action, EventClass, Role, Verdict
from core.losses.test_erosion import AR, DE, EN, JA, ZH, text
from support.cases import KEY, case, judged, who
from support.days import Days

FILE = "MEMORY.md"
PINS = ("Rules",)


def found(verdict: Verdict) -> tuple[str, str, str]:
    return (str(verdict.event_class), str(verdict.action), verdict.rule)


def tokens(entry: str) -> tuple[str, ...]:
    return words(normalise(entry))


# --------------------------------------------------------------------------- the meaning

KEPT = [
    ("Never push to main without a review.", "Never push to main without review"),
    ("Never push to main without a review.", "**Never** push to `main` without a review!"),
    ("Never push to main without a review.", "Never push to main without a reveiw."),
    ("Ask Anna before any refund.", "Ask Anna before any refund; she knows the customers."),
    ("The limit is 30 requests.", "The limit is 30 requests per client of the portal."),
    ("Niemals ohne Freigabe ausrollen.", "Niemals ohne eine Freigabe ausrollen."),
    ("Rechnungen prüft Anna.", "Die Rechnungen prüft Anna."),
    ("改动数据库之前必须询问负责人。", "改动数据库之前，必须询问负责人"),
    ("本番への配備は火曜日に行う。", "本番への配備は火曜日に行う"),
    ("لا ترسل النشرات في العطلة.", "لا ترسل النشرات في العطلة"),
]
CHANGED = [
    ("Never push to main without a review.", "Usually push to main without a review."),
    ("Never push to main without a review.", "Push to main without a review."),
    ("Never push to main without a review.", "Never push to main without a review, unless it is urgent."),
    ("You must ask before a refund.", "You may ask before a refund."),
    ("You must ask before a refund.", "You should ask before a refund."),
    ("Always ask before a refund.", "Sometimes ask before a refund."),
    ("Ask before a refund.", "Try to ask before a refund."),
    ("The limit is 30 requests.", "The limit is 300 requests."),
    ("Deploy staging before production.", "Deploy production before staging."),
    ("Ask Anna before any refund.", "Ask Peter before any refund."),
    ("Ask Anna before any refund.", "Ask before any refund."),
    ("Call the number 0170 1234567.", "Call the number 0170 1234568."),
    ("Niemals ohne Freigabe ausrollen.", "Meistens ohne Freigabe ausrollen."),
    ("Nicht am Freitag ausrollen.", "Am Freitag ausrollen."),
    ("Vor jeder Änderung fragen.", "Vor jeder Änderung fragen, außer bei Kleinigkeiten."),
    ("Anna muss zustimmen.", "Anna kann zustimmen."),
    ("改动数据库之前必须询问负责人。", "改动数据库之前可以询问负责人。"),
    ("圣诞节期间不要发送邮件。", "圣诞节期间要发送邮件。"),
    ("每月第三天备份。", "每月第五天备份。"),
    ("年末年始には案内メールを送信しない。", "年末年始には案内メールを送信する。"),
    ("本番への配備は火曜日に行う。", "本番への配備は通常火曜日に行う。"),
    ("لا ترسل النشرات في العطلة.", "ترسل النشرات في العطلة."),
    ("اسأل دائما قبل التغيير.", "اسأل أحيانا قبل التغيير."),
]


@pytest.mark.parametrize(("old", "new"), KEPT)
def test_the_same_in_other_words(old: str, new: str) -> None:
    assert is_kept(tokens(old), tokens(new))


@pytest.mark.parametrize(("old", "new"), CHANGED)
def test_what_may_mean_something_else(old: str, new: str) -> None:
    assert not is_kept(tokens(old), tokens(new))


# --------------------------------------------------------------------------- which entries

MARKS = (
    "# M\n\n- one two three\n{}\n- four five six\n- seven eight nine\n{}\n- ten eleven twelve\n\n"
    "## Next\n\n- more of it\n"
)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (MARKS.format("<!-- pin -->", "<!-- /pin -->"), ["four five six", "seven eight nine"]),
        (MARKS.format("<!--pin-->", "<!--/pin-->"), ["four five six", "seven eight nine"]),
        (MARKS.format("<!-- pin -->", "<!-- unpin -->"), ["four five six", "seven eight nine"]),
        (MARKS.format("<!-- pin -->", ""), ["four five six", "seven eight nine", "ten eleven twelve"]),
        (MARKS.format("", "<!-- /pin -->"), []),
        ("- one two <!-- pin -->\n- three four\n", ["one two <!-- pin -->"]),
        ("```\n<!-- pin -->\n```\n- three four\n", []),
        ("<!-- pin -->\n# Title\n\ntext of it\n<!-- /pin -->\n", ["text of it"]),
        ("no marks\n", []),
        ("", []),
    ],
)
def test_marks(body: str, expected: list[str]) -> None:
    data = body.encode()
    assert [entry.text for entry in marked(data, entry_table(data, KEY))] == expected
    wide = body.encode("utf-16")
    assert [entry.text for entry in marked(wide, entry_table(wide, KEY))] == expected


@pytest.mark.parametrize(
    ("heading", "count"),
    [("Rules", 3), ("rules", 3), ("## Rules", 3), ("Never", 1), ("Notes", 1), ("", 4), ("Rule", 0), ("Regeln", 0)],
)
def test_headings_at_any_depth(heading: str, count: int) -> None:
    body = b"# M\n\n## **Rules**\n\n- a b c\n- d e f\n\n### Never\n\n- g h i\n\n## Notes\n\n- j k l\n"
    assert len(list(under(entry_table(body, KEY), (heading,)))) == count


# --------------------------------------------------------------------------- losses


@pytest.mark.parametrize("rules", [EN, DE, ZH, JA, AR], ids=["en", "de", "zh", "ja", "ar"])
@pytest.mark.parametrize("role", [Role.CURATED, Role.DAILY, Role.TOPIC, Role.INSTRUCTIONS, Role.REPLACEABLE])
def test_one_pinned_entry_of_many_comes_back_where_it_stood(rules: list[str], role: Role) -> None:
    one = case(b"MEMORY.md", text(rules), text(rules[:3] + rules[4:]), pinned=PINS, role=role)
    verdict = judged(b"MEMORY.md", text(rules), text(rules[:3] + rules[4:]), pinned=PINS, role=role)
    assert found(verdict) == ("pinned_loss", "merge", "pin-lost")
    data = target(one, verdict, Policy())
    assert data is not None
    assert data.decode() == text(rules)


def test_only_the_pins_are_merged_and_the_rest_is_offered() -> None:
    notes = "\n## Notes\n\n" + "".join(f"- {rule}\n" for rule in DE)
    old, new = text(EN[:6]) + notes, text(EN[1:6]) + notes.replace(f"- {DE[0]}\n", "")
    one = case(b"MEMORY.md", old, new, pinned=PINS)
    verdict = judged(b"MEMORY.md", old, new, pinned=PINS)
    assert (verdict.facts["pins_lost"], len(verdict.change.lost)) == (1, 2)
    assert target(one, verdict, Policy()) == (text(EN[:6]) + notes.replace(f"- {DE[0]}\n", "")).encode()


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({"consolidator": True}, ("pinned_loss", "merge", "pin-lost")),
        ({"consolidator": True, "max_net_loss": 1.0}, ("pinned_loss", "merge", "pin-lost")),
        ({"git": Git(index_lock=True)}, ("external_reset", "propose", "git-at-work")),
        ({"leased": True}, ("pinned_loss", "record", "lease")),
    ],
)
def test_in_whose_hands_it_happens(more: dict[str, object], expected: tuple[str, str, str]) -> None:
    rest = "\n## Notes\n\n" + "".join(f"- {rule}\n" for rule in DE)
    assert found(judged(b"MEMORY.md", text(EN) + rest, text(EN[:20]) + rest, pinned=PINS, **more)) == expected


def test_a_pin_that_went_to_another_file_is_offered() -> None:
    elsewhere = {b"memory/other.md": f"- {EN[3]}\n"}
    verdict = judged(b"MEMORY.md", text(EN), text(EN[:3] + EN[4:]), pinned=PINS, elsewhere=elsewhere)
    assert found(verdict) == ("pinned_loss", "propose", "pin-altered")
    assert verdict.facts["pins_moved_away"] == 1
    assert verdict.debt


def test_moved_within_the_file_or_in_another_format_it_is_held() -> None:
    moved = text(EN[1:]) + f"\n## Elsewhere\n\n1. {EN[0]}\n"
    assert judged(b"MEMORY.md", text(EN), moved, pinned=PINS).action is Action.RECORD
    assert judged(b"MEMORY.md", text(EN), text(EN).replace("\n", "\r\n"), pinned=PINS).action is Action.RECORD
    assert judged(b"MEMORY.md", text(EN), text(EN).encode("utf-16"), pinned=PINS).action is Action.RECORD


# --------------------------------------------------------------------------- what becomes of the pins


def pinned(days: Days) -> int:
    return len(days.pins)


MARKED = "# Memory\n\n<!-- pin -->\n" + "".join(f"- {rule}\n" for rule in EN[:3]) + "<!-- /pin -->\n\n## Notes\n\n"
NOTES = "".join(f"- {rule}\n" for rule in DE)


def test_marks_at_first_sight_are_remembered_when_an_agent_takes_them_away() -> None:
    days = Days()
    days.seen(FILE, MARKED + NOTES)
    bare = (MARKED + NOTES).replace("<!-- pin -->\n", "").replace("<!-- /pin -->\n", "")
    verdict = days.write(FILE, bare)
    assert (verdict.action, verdict.facts["pin_marks_taken"], pinned(days)) == (Action.RECORD, 3, 3)
    verdict = days.write(FILE, bare.replace(f"- {EN[1]}\n", ""))
    assert verdict.event_class is EventClass.PINNED_LOSS
    assert EN[1] in days.now(FILE)


def test_marks_of_an_agent_pin_nothing() -> None:
    days = Days()
    days.seen(FILE, "# Memory\n\n## Notes\n\n" + NOTES)
    verdict = days.write(FILE, MARKED + NOTES)
    assert (verdict.facts["pin_marks_given"], pinned(days)) == (3, 0)
    assert days.write(FILE, (MARKED + NOTES).replace(f"- {EN[1]}\n", "")).event_class is EventClass.EDIT


def test_marks_of_a_person_count_from_then_on() -> None:
    days = Days()
    days.seen(FILE, "# Memory\n\n## Notes\n\n" + NOTES)
    days.write(FILE, MARKED + NOTES, "human:vim")
    assert pinned(days) == 3
    assert days.write(FILE, MARKED.replace(f"- {EN[0]}\n", "") + NOTES).event_class is EventClass.PINNED_LOSS


def test_a_person_may_reword_remove_and_unmark() -> None:
    days = Days()
    days.seen(FILE, MARKED + NOTES)
    other = "Ask Anna and me before any schema change on the billing database."
    days.write(FILE, (MARKED + NOTES).replace(EN[0], other), "human:vim")
    assert pinned(days) == 3
    now = (MARKED + NOTES).replace(f"- {EN[0]}\n", "")
    days.write(FILE, now, "human:vim")
    assert pinned(days) == 2
    days.write(FILE, now.replace("<!-- pin -->\n", "").replace("<!-- /pin -->\n", ""), "human:vim")
    assert pinned(days) == 0


def test_a_pin_goes_with_words_that_say_the_same() -> None:
    days = Days()
    days.seen(FILE, MARKED + NOTES)
    longer = EN[0].replace(".", ", and write down what was said.")
    assert days.write(FILE, (MARKED + NOTES).replace(EN[0], longer)).action is Action.RECORD
    assert pinned(days) == 3
    verdict = days.write(FILE, (MARKED + NOTES).replace(f"- {EN[0]}\n", ""))
    assert verdict.event_class is EventClass.PINNED_LOSS
    assert longer in days.now(FILE)


def test_who_took_what_was_pinned_is_charged() -> None:
    verdict = judged(b"MEMORY.md", text(EN), text(EN[1:]), pinned=PINS)
    assert verdict.charged_to == 100
    assert who("human:vim").confidence >= 0.8
