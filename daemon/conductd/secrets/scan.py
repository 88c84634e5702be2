"""Looks through texts for secrets: what kind, where, and what a text is without them. Thread-safe."""

from __future__ import annotations

import math
import re
from collections import Counter

from conductd.secrets.asides import asides
from conductd.secrets.context import is_public
from conductd.secrets.rules import known_shapes
from conductd.secrets.sentences import LONGEST, sentences
from conductd.secrets.sighting import Sighting
from conductd.secrets.values import is_strong

MASK = "[secret]"

# A random string says nothing by itself: notes are full of digests and ids. Beside one of these words it does.
_NEAR = re.compile(
    r"(?<![a-z])(?:key|token|secret|bearer|authorization|credential|password|passwort|schlüssel|clé|clave|ключ|токен)s?(?![a-z])"
    r"|密钥|密鑰|令牌|密码|密碼|トークン|キー|パスワード|مفتاح",
    re.IGNORECASE,
)
_RANDOM = re.compile(r"(?<![\w/+=.-])[A-Za-z0-9+/_-]{24,200}={0,2}(?![\w/+=-])")
_HEX = re.compile(r"[0-9a-fA-F-]+")
_LEAST_ENTROPY = 4.2


def sightings(text: str) -> list[Sighting]:
    """All of them, in order, none inside another."""
    text = text[:LONGEST]
    found = [*known_shapes(text), *sentences(text), *asides(text), *_random(text)]
    out: list[Sighting] = []
    for each in sorted(found, key=lambda one: (one.start, -one.end)):
        if not out or each.start >= out[-1].end:
            out.append(each)
    return out


def masked(text: str) -> str:
    """The text with `[secret]` in the place of each."""
    for each in reversed(sightings(text)):
        text = text[: each.start] + MASK + text[each.end :]
    return text


def _random(text: str) -> list[Sighting]:
    if not _NEAR.search(text):
        return []
    return [
        Sighting("random string", *found.span())
        for found in _RANDOM.finditer(text)
        if not _HEX.fullmatch(found[0])
        and _entropy(found[0]) >= _LEAST_ENTROPY
        and is_strong(found[0])
        and _mixed(found[0])
        and not is_public(text, found.start(), found[0])
    ]


def _mixed(value: str) -> bool:
    """No path and no words in a row."""
    digits = sum(c.isdigit() for c in value)
    upper, lower = any(c.isupper() for c in value), any(c.islower() for c in value)
    return digits >= 3 and upper and lower and max(map(len, re.findall(r"[a-z]+", value)), default=0) < 8


def _entropy(value: str) -> float:
    counts = Counter(value)
    return -sum(n / len(value) * math.log2(n / len(value)) for n in counts.values())
