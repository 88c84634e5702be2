"""Sentences that say what a secret is: a word for it, what it is for, "is", and the secret. Pure.

Without what makes it one in the eyes of a reader (a mixture of characters, digits after PIN, quotes) nothing is
found: "the password is in 1Password" says where it is, "the password policy" is no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from conductd.secrets import words
from conductd.secrets.context import is_named, is_other_number, is_public
from conductd.secrets.sighting import Sighting
from conductd.secrets.values import (
    has_capital_inside,
    is_chinese_phrase,
    is_code,
    is_entered,
    is_mixture,
    is_name,
    is_stand_in,
    is_strong,
    is_unmistakable,
    is_word,
    says_something,
)

LONGEST = 8_000  # characters of an entry that are looked through


def _any(names: tuple[str, ...]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_OPEN, _CLOSE = "\"'`«»„“”‘’「『《<", "\"'`«»“”‘’」』》>"
_GAP = (
    r"(?:\s*[(（\[][^)）\]\n]{1,40}[)）\]])?(?:,[^,:=\n]{1,50},)?"
    rf"(?:\s+(?:{_any(words.FOR)})\s?[^:=：\n]{{1,40}}?)?"
    rf"(?:\s+(?:{_any(words.PLACES)})\b)?"
)
_EMPHASIS = r"(?:\*\*|__|[*_`\"'])?"
_LINK = rf"{_EMPHASIS}\s*(?:[:=：]+>?|->|→|\||\s[—–-](?=\s))\s*{_EMPHASIS}\s*|\s+(?:{_any(words.IS)})\s*[:：]?\s+"
_WIDE_LINK = r"\s*(?:[:=：]|是|为|為|は|が|הוא|هي|هو|는|은|이|->|→)\s*[:：]?\s*"
_VALUE = (
    rf"(?P<value>[{re.escape(_OPEN)}](?P<quoted>[^\n]{{3,120}}?)[{re.escape(_CLOSE)}]"
    r"|(?<=[:：])[\u4e00-\u9fff]{4,12}(?![\u3040-\u30ff\u4e00-\u9fff])|[^\s\u3000-\u9fff\uac00-\ud7af，。、]+)"
)
_BOUND = r"(?<![a-zà-ÿа-яё0-9])"  # scripts without spaces have none
# Inside of a name a capital is one, and German writes what it is for in front: dbPassword, PGPASSWORD, Routerpasswort.
_INSIDE = r"(?-i:(?<=[a-z0-9])(?=[A-Z][a-z])|(?<=[A-Z])(?=PASS|PWD))|(?<=\w)(?=passwort|kennwort|wachtwoord)"
_HAS_INSIDE = re.compile(
    r"[a-z0-9](?:Pass|Pwd|Kennw|Token|Secret|Key|Api|Pin)|[A-Z](?:PASS|PWD)|\w(?:[Pp]asswort|[Kk]ennwort|[Ww]achtwoord)"
)


class _Way(NamedTuple):
    """How a kind of secret is said, and what a text must have before that is looked for."""

    kind: str
    hints: frozenset[str]
    pattern: re.Pattern[str]
    inside: re.Pattern[str] | None = None


def _ways(kind: str, names: tuple[str, ...]) -> Iterator[_Way]:
    """In scripts that put spaces between words, and in those where anything may follow at once."""
    wide = tuple(name for name in names if any(c >= "\u0590" for c in name))
    narrow = tuple(name for name in names if name not in wide)
    yield _Way(kind, _hints(narrow), _narrow(narrow, _BOUND), _narrow(narrow, f"(?:{_INSIDE})"))
    yield _Way(
        kind,
        _hints(wide),
        re.compile(
            rf"(?P<word>{_any(wide)})(?P<link>{_GAP}{_LINK}|[^\n:=：。.!?]{{0,24}}?{_WIDE_LINK}|\s*){_VALUE}",
            re.IGNORECASE,
        ),
    )


def _narrow(names: tuple[str, ...], bound: str) -> re.Pattern[str]:
    return re.compile(rf"{bound}(?P<word>{_any(names)})(?!\w)(?:{_GAP}(?P<link>{_LINK})|\s+){_VALUE}", re.IGNORECASE)


def _hints(names: tuple[str, ...]) -> frozenset[str]:
    """Those one of which is in each text that has a name."""
    spelt = [name.replace(" ?", gap) for name in names for gap in (" ", "")]
    return frozenset(hint for hint in words.HINTS if any(hint in name for name in spelt))


_WAYS = (
    *_ways("password", words.PASSWORDS),
    *_ways("key or token", words.KEYS),
    *_ways("code", words.CODES),
    *_ways("recovery code", words.ONCE),
)
_PASSWORD_HINTS = _hints(words.PASSWORDS)
_LOGIN_HINTS = _hints(words.LOGINS)
_PHRASE_HINTS = _hints(words.PHRASES)
_BESIDE_HINTS = frozenset({"pw", "pass", "mdp"})
_NARROW_HINTS = tuple(hint for hint in words.HINTS if hint.isascii())
_PHRASE = re.compile(
    rf"{_BOUND}(?:{_any(words.PHRASES)}){_GAP}(?:{_LINK}|{_WIDE_LINK})[{re.escape(_OPEN)}]?"
    rf"(?P<value>[^\W\d_]{{3,12}}(?:[ ,]+[^\W\d_]{{3,12}}){{3,23}})[{re.escape(_CLOSE)}]?[.]?\s*$",
    re.IGNORECASE,
)
_LOGIN = re.compile(
    rf"{_BOUND}(?:{_any(words.LOGINS)}){_GAP}(?:{_LINK}|{_WIDE_LINK}|\s+(?:with\s+|mit\s+|avec\s+)?)"
    rf"[{re.escape(_OPEN)}]?[\w.@+-]{{1,64}}[{re.escape(_CLOSE)}]?\s*(?:/|:|,|\band\b|\bund\b|\bet\b|\by\b)\s*{_VALUE}",
    re.IGNORECASE,
)
_BESIDE = re.compile(rf"{_BOUND}(?:pw|pass|mdp)\s+(?:[^\W\d]{{2,20}}\s+){{1,2}}{_VALUE}", re.IGNORECASE)  # pw nas …
_CODES = re.compile(r"[\s,;/|`]{1,3}(?P<value>[A-Za-z0-9]+(?:-[A-Za-z0-9]+){0,7})(?![\w-])")
_TAIL = ".,;:!?)]}*_”\"'`」』》，。、；：！？"
_INVERSE = re.compile(
    rf"(?:^|[\s\"'`(])(?P<value>[^\s\"'`]{{6,120}})[\"'`]?\s+(?:is|ist|est|es|as|als|comme|como)\s+(?:the|das|le|la|el|der|our|my|mein|unser|a)\s+"
    rf"(?:[\w-]+\s+){{0,3}}?(?:{_any(words.PASSWORDS)})\b",
    re.IGNORECASE,
)
_CHANGED = re.compile(
    rf"(?:{_any(words.PASSWORDS)}){_GAP}\s+(?:was |is |has been |wurde |a été )?(?:set|changed|reset|rotated|updated"
    r"|geändert|gesetzt|changé|cambiada)(?:\s+(?:from\s+\S+\s+)?(?:to|auf|zu|en|à|a)\s+)"
    rf"{_VALUE}",
    re.IGNORECASE,
)


_FURTHER = (
    (_LOGIN, "login", _LOGIN_HINTS, is_entered),
    (_INVERSE, "password", _PASSWORD_HINTS, is_strong),
    (_CHANGED, "password", _PASSWORD_HINTS, is_strong),
    (_BESIDE, "password", _BESIDE_HINTS, is_mixture),
)


def sentences(text: str) -> Iterator[Sighting]:
    """Every secret that a sentence in this text names."""
    text = text[:LONGEST]
    folded = text.lower()
    hints = {hint for hint in (_NARROW_HINTS if text.isascii() else words.HINTS) if hint in folded}
    if not hints:
        return
    has_inside = _HAS_INSIDE.search(text) is not None
    for way in _WAYS:
        if not hints.isdisjoint(way.hints):
            yield from _found(way.kind, way.pattern, text)
            if has_inside and way.inside is not None:
                yield from _found(way.kind, way.inside, text)
    for pattern, kind, its_hints, is_one in _FURTHER:
        if not hints.isdisjoint(its_hints):
            for found in _each(pattern, text):
                start, end = _trimmed(found)
                if is_one(text[start:end]) and not is_public(text, start, text[start:end]):
                    yield Sighting(kind, start, end)
    if not hints.isdisjoint(_PHRASE_HINTS):
        yield from _phrase(text)


def _found(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Sighting]:
    for found in _each(pattern, text):
        start, end = _trimmed(found)
        if kind == "recovery code":
            yield from _row(kind, found, text)
        elif _is_secret(kind, found, start, end):
            yield Sighting(kind, start, end)


def _phrase(text: str) -> Iterator[Sighting]:
    phrase = _PHRASE.search(text)
    if phrase is not None:
        named = re.findall(r"[^\W\d_]+", phrase["value"].casefold())
        if not words.JOINS & set(named):
            yield Sighting("phrase", phrase.start("value"), phrase.end("value"))


def _each(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches, also those that begin inside of another: "PIN for the token: 4711"."""
    at = 0
    while found := pattern.search(text, at):
        yield found
        at = found.start() + 1


def _trimmed(found: re.Match[str]) -> tuple[int, int]:
    """The place of the value without quotes and the full stop behind it."""
    group = "quoted" if found.re.groupindex.get("quoted") and found["quoted"] is not None else "value"
    start, end = found.span(group)
    text = found.string
    while group == "value" and end > start and text[end - 1] in _TAIL:
        end -= 1
    while end > start and text[start] in _OPEN + "*_":
        start += 1
    return start, end


def _row(kind: str, found: re.Match[str], text: str) -> Iterator[Sighting]:
    """Codes that stand behind each other."""
    start, end = _trimmed(found)
    while _is_once(text[start:end]):
        yield Sighting(kind, start, end)
        further = _CODES.match(text, end)
        if further is None:
            return
        start, end = further.span("value")


def _is_once(value: str) -> bool:
    return is_strong(value) or (is_code(value) and len(value) >= 6 and not re.fullmatch(r"20\d\d[01]\d[0-3]\d", value))


def _is_secret(kind: str, found: re.Match[str], start: int, end: int) -> bool:
    text = found.string
    value, after = text[start:end], text[end:]
    if not value or is_stand_in(value):
        return False
    # The link takes in what a value is emphasised with.
    around = text[start - 1 : start] + text[end : end + 1]
    quoted = found["quoted"] is not None or (len(around) == 2 and around[0] in _OPEN and around[1] in _CLOSE)
    linked = bool((found["link"] or "").strip())
    if kind == "code":
        capital = found["word"].isupper() or not found["word"].isascii()
        said = bool(linked or capital or re.search(r"[ -]|kod|.code", found["word"], re.IGNORECASE))
        return is_code(value) and said and not is_other_number(found["word"], value, linked, text, start, end)
    if is_strong(value):
        if is_public(text, start, value) or (kind != "password" and not quoted and is_name(value)):
            return False
        return linked or quoted or kind == "password" or is_unmistakable(value) or is_mixture(value)
    if kind != "password":
        return False
    if value.isdecimal() and not re.match(
        r"\s*(?:[-–+/%]\s*\d|[^\W\d_]|%)", after
    ):  # "is 12 characters long", "is 8-16"
        at_once = 4 if found["word"][0] >= "\u0590" else 8
        return len(set(value)) > 1 and (4 if linked or quoted else at_once) <= len(value) <= 64
    if quoted:
        least = 4 if value.isascii() else 3
        return len(value) >= least and not says_something(value) and " " not in value
    if not linked:
        return False
    if is_chinese_phrase(value):
        return not re.match(r"[^\n]*\w", after)
    # A plain word says nothing by itself: "identical", "Hausnummer". With what it opens it does.
    return is_word(value) and (
        is_named(text, start, end) or (has_capital_inside(value) and not re.match(r"[.,;:!?]?\s*[^\W\d_]", after))
    )
