"""Marks over real values: found, asked about, and taken away again in place."""

from __future__ import annotations

import pytest

from conductd.core.losses.redaction import redacted, uncovered
from conductd.core.reading.entries import entry_table
from conductd.model import Action, EventClass
from support.cases import judged

OLD = """# Keys

- API key of the shop: sk-abc123def, renewed in May
- NAS password is hunter2, ask Omar first
- Email mara@example.org every Friday
- 服务器密码是 abc123，不要外传
- Telefon von Lena 0151 234567
- مفتاح الباب عند عمر تحت الرقم 4711
- the whole line about the safe is here
"""


@pytest.mark.parametrize(
    ("value", "mark"),
    [
        ("sk-abc123def", "[API_KEY]"),
        ("sk-abc123def", "sk-****"),
        ("sk-abc123def", "sk-xxxxxxxx"),
        ("hunter2", "[REDACTED]"),
        ("hunter2", "***"),
        ("hunter2", "********"),
        ("hunter2", "<REDACTED:password>"),
        ("hunter2", "<hidden>"),
        ("hunter2", "{{PASSWORD}}"),
        ("mara@example.org", "[EMAIL_1]"),
        ("mara@example.org", "████████"),
        ("abc123", "［已隐藏］"),
        ("abc123", "【已脱敏】"),
        ("abc123", "（非公開）"),
        ("0151 234567", "(entfernt)"),
        ("0151 234567", "[geschwärzt]"),
        ("0151 234567", "[masqué]"),
        ("0151 234567", "(oculto)"),
        ("0151 234567", "[скрыто]"),
        ("4711", "[محجوب]"),
        ("4711", "(gizli)"),
        ("the whole line about the safe is here", "[REDACTED]"),
    ],
)
def test_a_mark_over_a_value_is_asked_about_and_can_be_taken_away(value: str, mark: str) -> None:
    new = OLD.replace(value, mark)
    verdict = judged(b"MEMORY.md", OLD, new)
    assert (verdict.event_class, verdict.action, verdict.rule) == (EventClass.PLACEHOLDER, Action.PROPOSE, "redaction")
    more = new + "- a note that came later on\n"
    assert uncovered(OLD.encode(), more.encode()).decode() == OLD + "- a note that came later on\n"


def test_several_at_once() -> None:
    new = OLD.replace("hunter2", "***").replace("sk-abc123def", "[API_KEY]").replace("4711", "****")
    verdict = judged(b"AGENTS.md", OLD, new)
    assert (verdict.action, verdict.facts["redacted"]) == (Action.PROPOSE, 3)
    assert uncovered(OLD.encode(), new.encode()) == OLD.encode()


@pytest.mark.parametrize(
    "new",
    [
        OLD + "- the tool prints [REDACTED] for secrets\n",
        OLD.replace("hunter2", "***important*** and long"),
        OLD.replace("- the whole line", "- [x] the whole line"),
        OLD.replace("every Friday", "on **Monday**"),
        OLD.replace("ask Omar first", "ask [Omar](people.md) first"),
        OLD.replace("# Keys\n", "# Keys\n\n---\n***\n"),
        OLD.replace("- API key of the shop", "- [DONE] the shop"),
        OLD.replace("- Email mara@example.org", "- [IMPORTANT] mara@example.org"),
    ],
)
def test_other_marks_cover_nothing(new: str) -> None:
    assert not redacted(entry_table(OLD.encode(), b""), entry_table(new.encode(), b""))
    assert judged(b"MEMORY.md", OLD, new).action is Action.RECORD


def test_a_value_in_place_of_a_mark_is_nobody_s_business() -> None:
    assert judged(b"MEMORY.md", OLD.replace("hunter2", "[REDACTED]"), OLD).action is Action.RECORD


def test_a_text_that_is_mostly_lost_is_no_redaction() -> None:
    new = "# Keys\n\n- NAS password is [REDACTED], ask Omar first\n"
    assert judged(b"MEMORY.md", OLD, new).event_class in (EventClass.OVERWRITE, EventClass.SHRINK)


def test_line_ends_stay() -> None:
    old, new = OLD.replace("\n", "\r\n"), OLD.replace("hunter2", "***").replace("\n", "\r\n")
    assert uncovered(old.encode(), new.encode()) == old.encode()
