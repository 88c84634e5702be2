"""One language as data: sentence patterns, names, headings and the phrases that agents leave behind.

Owns the notation of the patterns and how a fact is made of one. Does no layout and knows no family.

A pattern is a sentence with slots, ``{person}``, and with places where two wordings say the same,
``[until|up to]``. A fact is a pattern with its slots filled; its first wordings are how it stands in
the notes, the others are how somebody else would put it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import NamedTuple

_CHOICE = re.compile(r"\[([^\[\]|]*)\|([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")

# What a section may be about; every language has headings, patterns and a summary for each.
TOPICS = ("people", "decisions", "rules", "systems", "tasks", "tastes", "lessons", "household")


class Phrases(NamedTuple):
    """What tools and agents write in this language in place of content, and small words."""

    title: str
    elisions: tuple[str, ...]  # "the rest is unchanged", in several styles
    protocol: tuple[str, ...]  # words that answer a question and were written as the file
    stubs: tuple[str, ...]  # whole files that say nothing
    template: str  # a fresh template of the file, nothing filled in
    labels: tuple[tuple[str, str], ...]  # label that waits, and a value for it
    waiting: str  # "to be determined"
    index: str  # "see {path}"
    more: str  # "and {n} more"
    redacted: tuple[str, ...]
    joiners: tuple[str, ...]  # what stands between facts that were put in one sentence
    stop: str
    date: str  # strftime-like: {d} {m} {y} {month}
    months: tuple[str, ...]
    says_elision: tuple[str, ...]  # sentences that are about elisions, errors, redaction: content
    says_error: tuple[str, ...]
    says_redaction: tuple[str, ...]
    errors: tuple[str, ...]  # messages of tools
    offline: tuple[str, ...]  # what a sync client leaves for a file that is not here


class Language(NamedTuple):
    name: str
    spaced: bool  # words are parted by spaces
    headings: Mapping[str, str]
    summaries: Mapping[str, str]
    patterns: Mapping[str, tuple[str, ...]]
    fresh: tuple[str, ...]  # patterns that are used for new entries only
    tails: tuple[str, ...]  # who decided, since when: added to a fact
    slots: Mapping[str, tuple[str, ...]]
    phrases: Phrases


class Fact(NamedTuple):
    """One thing somebody noted. ``tail`` may be empty."""

    topic: str
    core: str  # the pattern, slots filled, choices open
    tail: str = ""

    @property
    def text(self) -> str:
        return said(self.core) + said(self.tail)

    @property
    def short(self) -> str:
        """Without its tail."""
        return said(self.core)

    def reworded(self, random: Random, places: int = 1) -> str:
        """The same fact with so many of its wordings changed (all of them if there are fewer)."""
        whole = self.core + self.tail
        found = len(_CHOICE.findall(whole))
        return said(whole, set(random.sample(range(found), min(places, found))))

    @property
    def choices(self) -> int:
        return len(_CHOICE.findall(self.core + self.tail))


def said(pattern: str, other: set[int] | None = None) -> str:
    """A pattern as a sentence; at the places in ``other`` in its second wording."""
    count = -1

    def pick(match: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return match[2] if other and count in other else match[1]

    return _CHOICE.sub(pick, pattern)


def filled(pattern: str, language: Language, random: Random) -> str:
    """A pattern with its slots filled; a slot named twice gets two values."""

    def fill(match: re.Match[str]) -> str:
        return _value(match[1], language, random)

    return _SLOT.sub(fill, pattern)


def _value(slot: str, language: Language, random: Random) -> str:
    if slot == "n":
        return str(random.randint(3, 97))
    if slot == "big":
        return str(random.randint(110, 9800))
    if slot == "port":
        return str(random.choice((8080, 8443, 3000, 5432, 9090, 2222, 6379, 4533)) + random.randint(0, 9))
    if slot == "time":
        return f"{random.randint(5, 22):02}:{random.choice(('00', '15', '30', '40', '45'))}"
    if slot == "date":
        return iso_date(random)
    if slot == "code":
        return f"{random.choice('ABCDEFGHK')}{random.choice('KLMNPRT')}-{random.randint(1000, 9999)}"
    return random.choice(language.slots[slot])


def iso_date(random: Random) -> str:
    return f"2026-{random.randint(1, 9):02}-{random.randint(1, 28):02}"
