"""What the words of an entry come down to when it is asked whether two entries say the same.

Owns everything that may change in a rewording without the fact changing: inflection, accents and vowel
signs, articles and particles, how a number or a date is written. Weights and fingerprints know nothing
of it. Pure; called by `core.comparing.postings` and `core.comparing.similarity`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import NamedTuple

from conductd.core.comparing.calendar_words import MONTHS, NUMBERS, OCLOCK
from conductd.core.comparing.function_words import (
    CONTRACTED,
    FUNCTION_WORDS,
    NEGATIONS,
    NEGATIVE_CHARACTERS,
    NEGATIVE_ENDINGS,
    PARTICLES,
    QUANTIFIERS,
)
from conductd.core.reading.text import is_character

NOT = "\0not"  # what every word of negation comes down to
_ALL = "\0all"
_VALUE = "\0#"  # begins what a number or a date comes down to
_DROPPED = ""  # a function word
_MERGED = "\0"  # it went into the number before it

_STEM = 5  # letters
_NO_WORD = 64  # letters; of no language a word
_PLAIN, _LETTERS = 8, 3  # a word of more letters than that has at least so many different ones
_ENDING = re.compile(r"(?<=[^\W\d_]{4})(?:ing|ed|en|er|em|es|[setndaoiy])+$")
_CYRILLIC_ENDING = re.compile(r"(?<=.{3})[аеёиоуыэюяйьъ]{1,2}$")
_ARABIC = re.compile(r"[\u0621-\u064a\u066e-\u06d3]")
_ARABIC_FOLDED = {
    **dict.fromkeys(map(ord, "أإآٱ"), "ا"),
    **{ord("ى"): "ي", ord("ی"): "ي", ord("ة"): "ه", ord("ؤ"): "و", ord("ئ"): "ي", ord("ک"): "ك", ord("ـ"): None},
}
_ARABIC_BEGINNING = re.compile(r"^(?:[وفبك]?ال|لل|و)(?=.{3})")
_ARABIC_ENDING = re.compile(r"(?<=.{3})(?:ها|ات|ان|ون|ين|وا|يه|ه|ي)$")
_ORDINAL = re.compile(r"(\d+)(?:st|nd|rd|th|er|ème|º|ª)")
_CLOCK = re.compile(r"(\d{1,2})(am|pm)")
_KANA = re.compile("[\u3041-\u309f]")
_IDEOGRAPH = re.compile("[\u3005\u30a1-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_OF = frozenset({"of", "the", "de", "del", "do", "di"})
_DATE_SIGNS = dict(zip("年년月월日号號일", "yymmdddd", strict=True))
_DIGIT = re.compile(r"\d")
_NO_VALUES: frozenset[str] = frozenset()


def core_words(tokens: Sequence[str]) -> tuple[str, ...]:
    """The words that carry what the tokens say, in order, each in the form that its inflections share.
    Where next to nothing but function words is said, they are what it says."""
    stems = list(map(_stem, tokens))
    joined = "".join(stems)
    if _VALUE in joined:
        stems = _values(tokens, stems)
    if _KANA.search(joined):
        _drop_kana(tokens, stems)
    if "t" in stems:
        _contractions(tokens, stems)
    kept = tuple(filter(_is_kept, stems)) if _DROPPED in stems or _MERGED in stems else tuple(stems)
    if len(kept) > 1 or _DROPPED not in stems:
        return kept
    return tuple(
        token if stem == _DROPPED else stem for token, stem in zip(tokens, stems, strict=True) if stem != _MERGED
    )


def carries(token: str) -> bool:
    """The word is no mere function word, in whatever language it is one."""
    return _stem(token) != _DROPPED


def _is_kept(stem: str) -> bool:
    return stem not in (_DROPPED, _MERGED)


class Fact(NamedTuple):
    """What a rewording must not change where the entry itself cannot be told from another like it."""

    values: frozenset[str]  # numbers, dates, names with digits
    negated: bool

    def is_in(self, other: Fact) -> bool:
        return self.values <= other.values and self.negated == other.negated

    def may_go_into(self, other: Fact) -> bool:
        """``other`` may say more besides."""
        return self.values <= other.values and self.negated <= other.negated


def fact(words: Collection[str]) -> Fact:
    """The fact in the core words of an entry."""
    values = _NO_VALUES
    if _DIGIT.search("".join(words)):
        values = frozenset(word for word in words if _DIGIT.search(word))
    return Fact(values, NOT in words or not NEGATIVE_CHARACTERS.isdisjoint(words))


@lru_cache(maxsize=1 << 16)
def _stem(token: str) -> str:
    if token in FUNCTION_WORDS or token in PARTICLES:
        return _DROPPED
    if token in NEGATIONS:
        return NOT
    if token in QUANTIFIERS:
        return _ALL
    if token in NUMBERS:
        return _VALUE + NUMBERS[token]
    if any(map(str.isdecimal, token)):
        return _number(token)
    if token.isascii():
        return _latin(token)
    return _other_script(token)


def _number(token: str) -> str:
    """A number without leading zeros in any script's digits; a name with digits as it is."""
    if not token.isascii():
        token = "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in token)
    if clock := _CLOCK.fullmatch(token):
        return _VALUE + _hour(int(clock[1]), clock[2])
    if ordinal := _ORDINAL.fullmatch(token):
        token = ordinal[1]
    return _VALUE + (token.lstrip("0") or "0") if token.isdecimal() else token


def _hour(hour: int, half: str) -> str:
    return str(hour % 12 + 12 * (half == "pm"))


def _latin(word: str) -> str:
    if _is_no_word(word):
        return word
    if len(word) < _STEM:
        return word[:-1] if len(word) == 4 and word[-1] == "s" and word[-2] not in "sui" else word
    return _ENDING.sub("", word)[:_STEM]


def _is_no_word(token: str) -> bool:
    """A key, a rule drawn with letters, a filling: what it begins with says nothing of the rest."""
    return len(token) > _NO_WORD or (len(token) > _PLAIN and len(set(token)) < _LETTERS)


def _other_script(token: str) -> str:
    if is_character(token):
        return token
    if _is_no_word(token):
        return unicodedata.normalize("NFKC", token)
    if _ARABIC.match(token):
        bare = "".join(c for c in token if not unicodedata.combining(c)).translate(_ARABIC_FOLDED)
        return _ARABIC_ENDING.sub("", _ARABIC_BEGINNING.sub("", bare)) or token
    if token[0] < "\u0600":  # Latin, Greek, Cyrillic, Hebrew: marks above and below are accents and points
        bare = "".join(c for c in unicodedata.normalize("NFKD", token) if not unicodedata.combining(c))
        if "\u0400" <= bare[:1] < "\u0530":
            return _CYRILLIC_ENDING.sub("", bare)[:_STEM]
        return _latin(bare) or token
    return unicodedata.normalize("NFKC", token)


# --------------------------------------------------------------------------- numbers and dates


class _Atom(NamedTuple):
    """A part of a date: ``kind`` "y", "m", "d", or "" for a number that may be a day or a month."""

    kind: str
    value: int
    first: int
    end: int


def _values(tokens: Sequence[str], stems: list[str]) -> list[str]:
    """Dates, hours and numbers of several groups as one word each."""
    out = list(stems)
    at = 0
    while at < len(tokens):
        if not out[at].startswith(_VALUE) and tokens[at] not in MONTHS:  # begins none of them
            at += 1
            continue
        at = _date(tokens, out, at) or _grouped(tokens, out, at) or _clock(tokens, out, at) or at + 1
    return out


def _put(out: list[str], first: int, end: int, value: str) -> int:
    out[first:end] = [_VALUE + value, *[_MERGED] * (end - first - 1)]
    return end


def _date(tokens: Sequence[str], out: list[str], at: int) -> int:
    first = _atom(tokens, out, at)
    if first is None:
        return 0
    atoms = [first]
    while len(atoms) < 3:
        place = atoms[-1].end
        following = _atom(tokens, out, place)
        if following is None and place < len(out) and tokens[place] in _OF:  # "4 de marzo de 2026", "4th of March"
            following = _atom(tokens, out, place + 1)
        if following is None:
            break
        atoms.append(following)
    for count in (3, 2):
        found = sorted(atoms[:count], key=lambda atom: atom.value)
        if len(found) == count and (value := _as_date(tokens, found, atoms)):
            return _put(out, at, atoms[count - 1].end, value)
    return 0


def _atom(tokens: Sequence[str], out: list[str], at: int) -> _Atom | None:
    if at >= len(tokens):
        return None
    if month := MONTHS.get(tokens[at]):
        return _Atom("m", month, at, at + 1)
    if not out[at].startswith(_VALUE) or len(out[at]) > 6 or not out[at][2:].isdecimal():
        return None
    if not tokens[at][0].isdecimal():
        return None  # "two" is no day of the month
    value = int(out[at][2:])
    sign = _DATE_SIGNS.get(tokens[at + 1], "") if at + 1 < len(tokens) else ""
    if sign:
        return _Atom(sign, value, at, at + 2)
    if 1900 <= value < 2100:
        return _Atom("y", value, at, at + 1)
    return _Atom("", value, at, at + 1) if 1 <= value <= 31 else None


def _as_date(tokens: Sequence[str], found: list[_Atom], atoms: list[_Atom]) -> str:
    """The same for every way of writing it; which of two small numbers is the month is not asked."""
    kinds = [atom.kind for atom in found]
    year = [atom for atom in found if atom.kind == "y"]
    small = [atom for atom in found if atom.kind != "y" and atom.value <= 31]
    if len(year) + len(small) != len(found) or len(year) > 1 or kinds.count("m") > 1 or kinds.count("d") > 1:
        return ""
    values = "/".join(str(atom.value) for atom in small)
    if len(found) == 3:
        return f"{year[0].value}/{values}" if year and small[0].value <= 12 else ""
    named = "m" in kinds
    if year:
        padded = atoms[0].kind == "y" and len(tokens[atoms[1].first]) == 2 and small[0].value <= 12  # 2026-03
        return f"{year[0].value}/{values}" if named or padded else ""
    return f"/{values}" if named else ""


def _grouped(tokens: Sequence[str], out: list[str], at: int) -> int:
    """1,000 and 1.000 and 1 000: a number of three digits at most, then groups of three."""
    if not (tokens[at].isdecimal() and len(tokens[at]) <= 3) or tokens[at][0] == "0":
        return 0
    end = at + 1
    while end < len(tokens) and len(tokens[end]) == 3 and tokens[end].isdecimal():
        end += 1
    if end == at + 1:
        return 0
    digits = "".join(_number(token)[2:].zfill(len(token)) for token in tokens[at:end])
    return _put(out, at, end, digits)


def _clock(tokens: Sequence[str], out: list[str], at: int) -> int:
    """14:00, 2 pm, 14 Uhr, 14時: an hour by its number."""
    if not out[at].startswith(_VALUE) or not out[at][2:].isdecimal() or len(out[at]) > 4:
        return 0
    hour, end = int(out[at][2:]), at + 1
    minutes = ""
    if end < len(tokens) and len(tokens[end]) == 2 and tokens[end].isdecimal():
        minutes, end = tokens[end], end + 1
    said = end < len(tokens) and tokens[end] in ("am", "pm") and 1 <= hour <= 12
    value = _hour(hour, tokens[end]) if said else str(hour)
    end += said
    while end < len(tokens) and tokens[end] in OCLOCK:
        end += 1
    if minutes and minutes != "00":
        if not said:
            return 0
        out[at] = _VALUE + value
        out[at + 2 : end] = [_MERGED] * (end - at - 2)
        return end
    return 0 if end == at + 1 else _put(out, at, end, value)


# --------------------------------------------------------------------------- particles and contractions


def _drop_kana(tokens: Sequence[str], stems: list[str]) -> None:
    """The kana of a sentence whose content is in ideographs; a negation in kana stays as such."""
    kana = [at for at, token in enumerate(tokens) if _KANA.match(token)]
    content = sum(1 for token in tokens if _IDEOGRAPH.match(token))
    if content < 2 or len(kana) > 2 * content:
        return
    text = "".join(tokens[at] for at in kana)
    for at in kana:
        stems[at] = _DROPPED
    if any(ending in text for ending in NEGATIVE_ENDINGS):
        stems[kana[-1]] = NOT


def _contractions(tokens: Sequence[str], stems: list[str]) -> None:
    """ "don't" is two tokens."""
    for at in range(1, len(tokens)):
        if tokens[at] == "t" and tokens[at - 1] in CONTRACTED:
            stems[at - 1 : at + 1] = [NOT, _MERGED]
