"""Sentences that say what a secret is: a word for it, what it is for, "is", and the secret. Pure.

Without what makes it one in the eyes of a reader (a mixture of characters, digits after PIN, quotes) nothing is
found: "the password is in 1Password" says where it is, "the password policy" is no password.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from conductd.secrets import words
from conductd.secrets.values import is_code, is_stand_in, is_strong, is_unmistakable, is_word

LONGEST = 8_000  # characters of an entry that are looked through


class Sighting(NamedTuple):
    """Where a secret stands in a text, and what kind it is. Never shown: what it is."""

    kind: str
    start: int
    end: int


def _any(names: tuple[str, ...]) -> str:
    return "|".join(sorted(names, key=len, reverse=True))


_OPEN, _CLOSE = "\"'`«»„“”‘’「『《<", "\"'`«»“”‘’」』》>"
_GAP = (
    r"(?:\s*[(（\[][^)）\]\n]{1,40}[)）\]])?(?:,[^,:=\n]{1,50},)?"
    rf"(?:\s+(?:{_any(words.FOR)})\s?[^:=：\n]{{1,40}}?)?"
)
_EMPHASIS = r"(?:\*\*|__|[*_`\"'])?"
_LINK = rf"{_EMPHASIS}\s*(?:[:=：]+>?|->|→|\||\s[—–-](?=\s))\s*{_EMPHASIS}\s*|\s+(?:{_any(words.IS)})\s*[:：]?\s+"
_WIDE_LINK = r"\s*(?:[:=：]|是|为|為|は|が|הוא|هي|هو|는|은|이|->|→)\s*[:：]?\s*"
_VALUE = (
    rf"(?P<value>[{re.escape(_OPEN)}](?P<quoted>[^\n]{{3,120}}?)[{re.escape(_CLOSE)}]"
    r"|[^\s\u3000-\u9fff\uac00-\ud7af，。、]+)"
)
_BOUND = r"(?<![a-zà-ÿа-яё0-9])"  # scripts without spaces have none


def _kind(kind: str, names: tuple[str, ...]) -> Iterator[tuple[str, re.Pattern[str]]]:
    """How it is said in scripts with words of their own, and in those where anything may follow at once."""
    wide = tuple(name for name in names if any(c >= "\u0590" for c in name))
    narrow = tuple(name for name in names if name not in wide)
    yield (
        kind,
        re.compile(rf"{_BOUND}(?P<word>{_any(narrow)})(?!\w)(?:{_GAP}(?P<link>{_LINK})|\s+){_VALUE}", re.IGNORECASE),
    )
    yield (
        kind,
        re.compile(
            rf"(?P<word>{_any(wide)})(?P<link>{_GAP}{_LINK}|[^\n:=：。.!?]{{0,24}}?{_WIDE_LINK}|\s*){_VALUE}", re.I
        ),
    )


_KINDS = (
    *_kind("password", words.PASSWORDS),
    *_kind("key or token", words.KEYS),
    *_kind("code", words.CODES),
)
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


def sentences(text: str) -> Iterator[Sighting]:
    """Every secret that a sentence in this text names."""
    text = text[:LONGEST]
    folded = text.lower()
    if not any(hint in folded for hint in words.HINTS):
        return
    for kind, pattern in _KINDS:
        for found in _each(pattern, text):
            start, end = _trimmed(found)
            if _is_secret(kind, found, text[start:end], text[end:]):
                yield Sighting(kind, start, end)
    for pattern, kind in ((_LOGIN, "login"), (_INVERSE, "password"), (_CHANGED, "password")):
        for found in _each(pattern, text):
            start, end = _trimmed(found)
            if is_strong(text[start:end]):
                yield Sighting(kind, start, end)
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


def _is_secret(kind: str, found: re.Match[str], value: str, after: str) -> bool:
    if not value or is_stand_in(value):
        return False
    quoted = found["quoted"] is not None
    linked = bool((found["link"] or "").strip())
    if kind == "code":
        capital = found["word"].isupper() or not found["word"].isascii()
        return is_code(value) and (linked or capital or " " in found["word"] or "-" in found["word"])
    if is_strong(value):
        return linked or quoted or kind == "password" or is_unmistakable(value)
    if kind != "password" or not (linked or quoted):
        return False
    if is_code(value) and len(value) >= 4:
        return not re.match(r"\s*(?:[-–+/]\s*\d|[^\W\d_])", after)  # "is 12 characters long", "is 8-16"
    if quoted:
        return len(value) >= 4 and value.casefold() not in words.SAYS and " " not in value
    # A plain word, when nothing follows that makes it part of a sentence.
    return is_word(value) and not re.match(r"[.,;:!?]?\s*[^\W\d_]", after)
