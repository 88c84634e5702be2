"""Entries whose time is over by their own words: done, struck out, expired. They may go.

Owns the words and marks of that in several languages. Pure; called by `core.judging.judge` and
`core.losses.erosion`, which do not count their loss as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from conductd.core.judging.finding import Evidence
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry

_DONE_BOX = re.compile(r"^\s*\[[xX✓✔✗✘-]\](?:\s|$)|^[☑✅✔✓☒🗸]|[✅☑✔]\s*$")
_STRUCK = re.compile(r"^~~.+~~[\s.…]*$", re.S)
_DONE_WORDS = (
    "done|finished|completed|closed|resolved|cancelled|canceled|obsolete|wontfix|erledigt|fertig|abgeschlossen|hinfällig"
    "|terminé|fait|fini|hecho|terminado|completado|feito|concluído|fatto|gedaan|afgerond|готово|сделано|выполнено"
    "|完成|已完成|已解决|已解決|已关闭|完了|済み?|対応済み?|终了|終了|완료|تم|منجز|انتهى|मुकम्मल|पूर्ण"
)
_DONE_FIRST = re.compile(rf"^[*_\[(（【]*(?:{_DONE_WORDS})[*_\])）】]*\s*(?:[:：—–-]|[\])）】]|\s*$)", re.I)
_DONE_LAST = re.compile(rf"[\[(（【—–-]\s*(?:{_DONE_WORDS})(?:[\s,:]+[\d\W]*)?[\])）】]?[\s.]*$", re.I)

_UNTIL = re.compile(
    r"\b(?:until|till|by(?=\s*$)|due|expires?|expiring|expired|valid|deadline|through"
    r"|bis|fällig|frist|gültig|läuft ab|spätestens|jusqu|avant|échéance|hasta|vence|caduca|até|prazo|fino|entro|scade"
    r"|tot|до|срок)\b|截至|截止|到期|有效期|期限|締切|締め切り|마감|حتى|ينتهي|قبل|موعد",
    re.I,
)
_UNTIL_AFTER = re.compile(r"\s*(?:日)?\s*(?:之前|以前|前|为止|為止|截止|到期|まで|迄|까지|deadline\b|fällig\b)", re.I)
_LEAST_CLEARED = 0.5  # of the entries that went
_MOST_CLEARED = 0.5  # of the weight of a text, where entries that are over stay in it
_NEAR = 24  # characters before a date, in which the word of a deadline belongs to it
_DATES = re.compile(
    r"(?<!\d)(\d{4})[-/.年]\s?(\d{1,2})[-/.月]\s?(\d{1,2})(?!\d)|(?<!\d)(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})(?!\d)"
)


def ended(e: Evidence) -> frozenset[int]:
    """First lines of lost entries whose time is over by their own words: somebody cleared them away. None where nothing
    else is left of the text, where most of it went and others like them stayed, or where more went with them: that is
    no clearing. What is pinned is never over."""
    lost = {span.line for span in e.change.lost} - e.pinned.lines
    notes = [entry for entry in e.baseline.table.entries if entry.kind is not Kind.HEADING and entry.words]
    if all(entry.line in lost for entry in notes):
        return frozenset()
    went = [entry for entry in notes if entry.line in lost]
    gone = frozenset(entry.line for entry in went if is_over(entry, e.case.now_ns))
    if not gone or len(gone) < _LEAST_CLEARED * len(went):
        return frozenset()
    weight = sum(entry.weight for entry in notes if entry.line in gone)
    if weight > _MOST_CLEARED * e.baseline.table.weight:
        stayed = (entry for entry in notes if entry.line not in lost)
        if any(is_over(entry, e.case.now_ns) for entry in stayed):
            return frozenset()
    return gone


def is_over(entry: Entry, now_ns: int) -> bool:
    """The entry says of itself that it is done, or that it held until a day that has passed."""
    text = entry.text
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.FRONT_MATTER):
        return False
    if _DONE_BOX.search(text) or _STRUCK.match(text) or _DONE_FIRST.match(text) or _DONE_LAST.search(text):
        return True
    return _is_past(text, now_ns)


def _is_past(text: str, now_ns: int) -> bool:
    """It holds until a day, and all the days that it names have passed."""
    days = list(_dates(text))
    if not days:
        return False
    today = datetime.fromtimestamp(now_ns // 1_000_000_000, UTC).date()
    ends = any(_UNTIL.search(text[max(0, at - _NEAR) : at]) or _UNTIL_AFTER.match(text[end:]) for at, end, _ in days)
    return ends and max(day for _, _, day in days) < today


def _dates(text: str) -> Iterator[tuple[int, int, date]]:
    """The days a text names in numbers, year first or day first with dots, and where; impossible ones are none."""
    for match in _DATES.finditer(text):
        year, month, day, day_first, month_second, year_last = match.groups()
        numbers = (year, month, day) if year else (year_last, month_second, day_first)
        try:
            yield match.start(), match.end(), date(*(int(number) for number in numbers))
        except ValueError:
            continue
