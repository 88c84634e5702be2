"""What a heading, a label or a line says by its words: whether it is active, open, done. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from conductd.core.bootcard.words import ACTIVE, DONE, FINDING, FINDING_SIGNS, OPEN, WAITING
from conductd.core.reading.text import is_character

_MARKS = re.compile(r"[*_`#~“”\"']+")
_LABEL = re.compile(r"^\s*(?:[-*+]\s+)?(?:\*\*|__)?([^:：*_|]{1,40}?)(?:\*\*|__)?\s*[:：]\s*(?:\*\*|__)?\s*(.*)$")
_BOX = re.compile(r"^[\s>]*(?:(?:[-*+•]|\d{1,9}[.)])\s+)?(?:\[([ xX~/>!?-])\](?=\s)|([☐⬜☑☒✅✔]))")
_STRUCK = re.compile(r"^[\s>]*(?:[-*+•]\s+)?~~.*~~\s*\W*$")


_LONG = 5


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

    def begin(self, text: str) -> bool:
        return self._start.match(text) is not None

    def are(self, text: str) -> bool:
        return self._start.fullmatch(text) is not None


ACTIVE_WORDS, OPEN_WORDS, DONE_WORDS = Phrases(ACTIVE, 2), Phrases(OPEN, 2), Phrases(DONE, 2)
FINDING_WORDS, WAITING_WORDS = Phrases(FINDING), Phrases(WAITING)
_NEGATED = re.compile(
    r"(?<!\w)(?:not|no|none|nothing|non|nicht|kein|keine[nmrs]?|nichts|pas|aucune?|ne|ningun[oa]?|ning[uú]n|nada|nessun[oa]?|geen|brak"
    r"|yok|не|нет|немає|لا|ليس|אין|नहीं|0)(?!\w)|未|没有|没|不|ない|なし|无|無|없음",
    re.IGNORECASE,
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
    return any(_says(each, OPEN_WORDS) for each in headings)


def _says(heading: str, words: Phrases) -> bool:
    """Short headings only: a sentence that has the word in it says something else."""
    text = _NAMES.sub(" ", plain(heading))
    if len(text.split()) > 6 or len(text) > 60:
        return False
    return words.in_(text) and not (words is not OPEN_WORDS and _NEGATED.search(text))


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
