"""What a heading, a label or a line says by its words: whether it is active, open, done. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from conductd.core.notes.words import ACTIVE, DONE, FINDING, FINDING_SIGNS, OPEN, WAITING
from conductd.core.reading.text import is_character

_MARKS = re.compile(r"[*_`#~“”\"']+")
_LABEL = re.compile(r"^\s*(?:[-*+]\s+)?(?:\*\*|__)?([^:：*_|]{1,40}?)(?:\*\*|__)?\s*[:：]\s*(?:\*\*|__)?\s*(.*)$")
_BOX = re.compile(r"^[\s>]*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?:\[([ xX~/>!?-])\](?=\s)|([☐⬜☑☒✅✔]))")
_STRUCK = re.compile(r"^[\s>]*(?:[-*+•]\s+)?~~.*~~\s*\W*$")


_LONG = 5
_WORDS, _CHARACTERS = 6, 60  # of a heading that says something by a word
_COUNTED_NONE = re.compile(r"^[\s#*_]*0\s+\w")


class Phrases:
    """Phrases to be found as whole words; those of scripts without spaces anywhere. ``ending``: so many letters may
    follow a last word of five letters or more, as where languages inflect."""

    def __init__(self, phrases: Iterable[str], ending: int = 0) -> None:
        spaced: list[str] = []
        whole: list[str] = []
        for each in sorted(set(phrases), key=lambda one: (-len(one), one)):
            if any(is_character(c) for c in each):
                whole.append(re.escape(each))
            else:
                is_long = len(each.split()[-1]) >= _LONG
                spaced.append(re.escape(each) + (rf"\w{{0,{ending}}}" if ending and is_long else ""))
        parts = [rf"(?<!\w)(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
        parts += whole
        self._anywhere = re.compile("|".join(parts), re.IGNORECASE)
        starts = [rf"(?:{'|'.join(spaced)})(?!\w)"] if spaced else []
        self._start = re.compile("|".join([*starts, *whole]), re.IGNORECASE)

    def in_(self, text: str) -> bool:
        return self._anywhere.search(text) is not None

    def without(self, text: str) -> str:
        """The text with a blank in the place of each of them."""
        return self._anywhere.sub(" ", text)

    def first(self, text: str) -> re.Match[str] | None:
        return self._anywhere.search(text)

    def begin(self, text: str) -> bool:
        return self._start.match(text) is not None

    def are(self, text: str) -> bool:
        return self._start.fullmatch(text) is not None


ACTIVE_WORDS, OPEN_WORDS, DONE_WORDS = Phrases(ACTIVE, 2), Phrases(OPEN, 2), Phrases(DONE, 2)
FINDING_WORDS, WAITING_WORDS = Phrases(FINDING), Phrases(WAITING)
_NOT = (  # before a word that says what something is: "not done", which then is open
    r"not|isn['’]?t|arent|aren['’]?t|wasn['’]?t|hasn['’]?t|never|nicht|nie|noch nicht|pas|jamais|non|não|nao|niet|nooit"
    r"|не|değil|ليس|ليست|لم|غير|לא|नहीं"
)
_NONE = (  # before or after: there is none of it
    r"no|none|nothing|without|zero|no longer|kein(?:e[nmrs]?)?|nichts|ohne|aucune?|rien|sans"
    r"|ne|nest|plus(?=\s*$| de? )"
    r"|ningun[oa]?|ning[uú]n|nada|sin|nenhuma?|sem|nessun[oa]?|niente|nulla|senza|geen|niets|zonder|brak|bez|żadn\w+"
    r"|нет|без|ничего|немає|нічого|yok|لا|لا يوجد|لا توجد|بدون|بلا|אין|ללא|בלי|कोई नहीं|कुछ नहीं|0"
)
_NOT_SIGNS, _NONE_SIGNS = "未|没|沒|不|非|ない|않|안 |못", "没有|沒有|无|無|なし|無し|ません|없|아님|아니|为空"
_NEGATED = re.compile(rf"(?<!\w)(?:{_NOT}|{_NONE})(?!\w)|{_NOT_SIGNS}|{_NONE_SIGNS}", re.IGNORECASE)
_NEGATED_LAST = re.compile(
    rf"(?:(?<!\w)(?:{_NOT}|{_NONE})|ない|않\w*|못\w*|(?:{_NONE_SIGNS})\w{{0,3}})\W*$", re.IGNORECASE
)
_NOT_YET = re.compile(rf"(?:(?<!\w)(?:{_NOT}|no)(?:\s+\w{{1,8}})?\s+|未|没有?|沒有?|不)$", re.IGNORECASE)
_CLAUSES = re.compile(
    r"[,;:|/()（），；：、–—]|\s-\s|(?<!\w)(?:but|aber|sondern|mais|pero|però|mas|maar|ale|но|але|ama)(?!\w)"
)
_NAMES = re.compile(  # that have such a word and mean something else
    r"(?<!\w)(?:open[- ]?(?:source|api|ai|claw|code|ssl|ssh|office|telemetry|street ?map|weather)|next\.?js"
    r"|actions? (?:taken|done)|github actions|active directory|currently none)(?!\w)",
    re.IGNORECASE,
)


def plain(heading: str) -> str:
    """A heading as it is compared: without marks, numbering, pictures."""
    text = _MARKS.sub("", heading).casefold()
    first = next((at for at, each in enumerate(text) if each.isalpha()), len(text))
    last = len(text)
    while last > first and not (text[last - 1].isalnum() or unicodedata.category(text[last - 1])[0] == "M"):
        last -= 1
    return text[first:last]


def is_done(headings: Iterable[str]) -> bool:
    """Any of the headings above says that what is below is over."""
    return any(_says(each, DONE_WORDS) for each in headings)


def is_active(headings: Iterable[str]) -> bool:
    return any(_says(each, ACTIVE_WORDS) for each in headings)


def is_open(headings: Iterable[str]) -> bool:
    """What is said to be not done is open as well; what is said to be not open is not."""
    return any(_says(each, OPEN_WORDS) or _says_not_done(each) for each in headings)


def _says(heading: str, words: Phrases) -> bool:
    """Not by a negation: "nothing open", "offen: nichts", "待办なし"."""
    clauses = _clauses(heading)
    for number, clause in enumerate(clauses):
        found = words.first(clause)
        if found is None or _NEGATED.search(clause[: found.start()]) or _NEGATED_LAST.search(clause[found.end() :]):
            continue
        after = clauses[number + 1] if number + 1 < len(clauses) else ""
        if not _NEGATED.fullmatch(after):
            return True
    return False


def _says_not_done(heading: str) -> bool:
    for clause in _clauses(heading):
        found = DONE_WORDS.first(clause)
        if found is not None and not OPEN_WORDS.in_(clause) and _NOT_YET.search(clause[: found.start()]):
            return True
    return False


def _clauses(heading: str) -> list[str]:
    """Of a short heading; none of a long one: a sentence that has the word in it says something else."""
    text = _NAMES.sub(" ", plain(heading))
    if len(text.split()) > _WORDS or len(text) > _CHARACTERS:
        return []
    if _COUNTED_NONE.match(heading):
        text = f"0 {text}"
    return [each.strip() for each in _CLAUSES.split(text) if each.strip()]


def box(line: str) -> bool | None:
    """Whether the box of a line is open; None: it has none."""
    found = _BOX.match(line)
    if found is None:
        return None
    return (found[1] or found[2]) in " ~/>!?☐⬜"


def is_struck(line: str) -> bool:
    return _STRUCK.match(line) is not None


def label(line: str) -> tuple[str, str] | None:
    """The label of a `Label: value` line as it is compared, and the value."""
    found = _LABEL.match(line)
    return (plain(found[1]), found[2].strip(" *_")) if found else None


def is_finding(line: str) -> bool:
    """The line of a QC log says that something was found: not that nothing was (`0 failed`)."""
    if any(sign in line for sign in FINDING_SIGNS):
        return True
    return FINDING_WORDS.in_(line) and not _NEGATED.search(line)
