"""Secrets no sentence names: on a command line, in a row of a table, or a mixture that is nothing else. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conductd.secrets import words
from conductd.secrets.context import is_public
from conductd.secrets.sighting import Sighting
from conductd.secrets.values import is_mixture, is_stand_in, is_strong, is_typed, is_unmistakable

# A mixture says nothing by itself. In a line with one of these it is what somebody enters with.
_ENTERING = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(words.ENTERING)})(?![^\W\d_])|{'|'.join(words.WIDE_ENTERING)}", re.IGNORECASE
)
_TOKEN = re.compile(r"[^\s|\"'`«»“”„「」，。、：]{7,64}")
_AROUND = "*_.,;:()[]<>"

_COMMANDS = (
    # (what a text with one has, the pattern)
    # curl -u name:secret
    (
        "-",
        re.compile(r"-(?<!\S-)(?:u|-(?:proxy-)?user|-auth)[ =][\"']?[\w.@+-]{1,64}:[\"']?(?P<value>[^\s\"']{4,120})"),
    ),
    # mysql -pSecret
    (
        "-p",
        re.compile(
            r"\b(?:mysql\w{0,10}|mariadb)(?:[ \t]+[^\s]{1,40}){0,6}?[ \t]+-p[\"']?(?P<value>[^\s\"'-]\S{3,120})"
        ),
    ),
    ("sshpass", re.compile(r"\bsshpass +-p ?[\"']?(?P<value>[^\s\"'-][^\s\"']{3,120})")),
    # name:secret@machine
    (
        "@",
        re.compile(r"(?<![\w/:@.+-])[a-zA-Z][\w.-]{1,31}:(?P<value>[^\s:@/\"']{6,64})@[a-zA-Z0-9][\w-]{0,62}"),
    ),
)
_VARIABLE = re.compile(
    r"(?P<name>(?<=_)AUTH|PASSWORD|PASSWD|PASSPHRASE|PWD|TOKEN|SECRET|API_?KEY)[A-Z0-9_]{0,20}\s{0,3}=\s{0,3}"
    r"[\"']?(?P<value>[^\s\"']{6,200})"
)
_OPEN, _CLOSE = r"[\"'`«„“「]?", r"[\"'`»“”」]?"
_ENTERED = rf"{_OPEN}(?P<value>[^\s\"'`«»„“”]{{6,64}}){_CLOSE}"
_ENTER_WITH = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:use|enter|type|with)\s+{_ENTERED}\s+(?:to|for)\s+(?:(?:log|sign)(?:ging|ning)?[ -]?(?:in|on)|unlock)",
        rf"\b(?:mit|met|med)\s+{_ENTERED}\s+(?:\S{{1,20}}\s+){{0,4}}?(?:anmelde|einlogg|entsperr|inlogg|logga in)",
        rf"\b(?:utilise[rz]?|avec|usar?|con|com|usando|введи(?:те)?|с)\s+{_ENTERED}\s+(?:\S{{1,20}}\s+){{0,3}}?"
        r"(?:connecter|connexion|iniciar sesión|entrar|acceder|accedere|войти|входа)",
        r"(?:用|使用|输入|輸入)\s*[“「]?(?P<value>[!-~]{6,64})[”」]?\s*[来來]?\s*(?:登录|登錄|登入|解锁|解鎖|开门)",
        r"(?<![!-~])(?P<value>[!-~]{6,64})[」]?\s*(?:で|を使って)\s*(?:ログイン|サインイン|解除)",
    )
)
_LABEL = re.compile(
    rf"(?:{'|'.join(words.DOORS)})[*_]{{0,2}}\s{{0,3}}[:：]\s{{0,3}}"
    r"(?P<value>\d{3,8}[#*]|[#*]\d{3,8}[#*]?|\d\d(?:-\d\d){2,3}(?<!-00))[ \t.]*(?=\n|$)",
    re.IGNORECASE,
)
_BY_SHAPE = re.compile(r"\d{3}[#*]|[#*]\d{3}|(?<!\d)\d\d-\d\d-\d\d(?!\d)")
_NETWORK = re.compile(
    r"(?<![^\W_])(?:wi-?fi|wlan|ssid|hotspot)\b[^\n/|:：]{0,48}[:：][^\n/|]{1,40}[/|]\s{0,3}(?P<value>[^\s/|]{8,63})",
    re.IGNORECASE,
)
_USERS = re.compile(
    r"(?:admin(?:istrator)?|root|user|guest|gast|[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{2,20})", re.IGNORECASE
)
_DIGIT = re.compile(r"\d")


def asides(text: str) -> Iterator[Sighting]:
    """Every secret in this text that stands beside what it is for. None is without a digit."""
    if not _DIGIT.search(text):
        return
    for sign, pattern in _COMMANDS:
        if sign in text:
            for found in pattern.finditer(text):
                if is_strong(found["value"]):
                    yield Sighting("login", *found.span("value"))
    if "=" in text:
        yield from _variables(text)
    if _BY_SHAPE.search(text):
        for found in _LABEL.finditer(text):
            if not text[text.rfind("\n", 0, found.start()) + 1 : found.start()].strip(" \t*_>-"):
                yield Sighting("code", *found.span("value"))
    folded = text.lower()
    if ("/" in text or "|" in text) and any(name in folded for name in ("fi", "wlan", "ssid", "hotspot")):
        yield from _networks(text)
    if any(hint in folded for hint in words.ENTERING_HINTS) and _ENTERING.search(text):
        yield from _entered(text)


def _variables(text: str) -> Iterator[Sighting]:
    for found in _VARIABLE.finditer(text):
        value = found["value"].rstrip(";,")
        if is_strong(value) and not is_public(text, found.start("value"), value):
            kind = "password" if found["name"].startswith("P") else "key or token"
            yield Sighting(kind, found.start("value"), found.start("value") + len(value))


def _networks(text: str) -> Iterator[Sighting]:
    for found in _NETWORK.finditer(text):
        value = found["value"].rstrip(".,;")
        long_row = value.isdecimal() and len(value) >= 10
        if long_row or is_mixture(value) or (is_strong(value) and _is_simple(value)):
            yield Sighting("password", found.start("value"), found.start("value") + len(value))


def _is_simple(value: str) -> bool:
    """Letters and at least two digits: no standard, no frequency."""
    return value.isalnum() and sum(c.isdigit() for c in value) >= 2 and sum(c.isalpha() for c in value) >= 4


def _entered(text: str) -> Iterator[Sighting]:
    for pattern in _ENTER_WITH:
        for found in pattern.finditer(text):
            if is_typed(found["value"]):
                yield Sighting("password", *found.span("value"))
    at = 0
    for line in text.split("\n"):
        if _ENTERING.search(line):
            yield from _mixtures(text, line, at)
            yield from _cells(line, at)
        at += len(line) + 1


def _mixtures(text: str, line: str, at: int) -> Iterator[Sighting]:
    for found in _TOKEN.finditer(line):
        if not _DIGIT.search(found[0]):
            continue
        value = found[0].strip(_AROUND)
        start = at + found.start() + found[0].index(value)
        if is_mixture(value) and not is_public(text, start, value):
            yield Sighting("password", start, start + len(value))


def _cells(line: str, at: int) -> Iterator[Sighting]:
    """In a row of a table: the cell behind the one that names who enters."""
    if line.count("|") < 2:
        return
    place, before = at, ""
    for cell in line.split("|"):
        value = cell.strip(" \t*_`\"'")
        if value and _USERS.fullmatch(before) and not is_stand_in(value):
            start = place + cell.index(value)
            if is_typed(value) or is_unmistakable(value):
                yield Sighting("password", start, start + len(value))
        before = value
        place += len(cell) + 1
