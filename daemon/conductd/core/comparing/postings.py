"""Which entries hold which words: the index that the search for rewordings runs on.

Owns `Postings` (of one table, made once on demand) and `Shelf` (many of them searchable together). A
shelf may outlive a search, so that files that did not change are not put on it again; what is found on it
depends on what is asked for alone. Pure; called by `core.comparing.similarity`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property
from itertools import accumulate, chain, compress
from typing import TYPE_CHECKING

from conductd.core.comparing.wording import Fact, core_words, fact
from conductd.core.reading.text import features, ids, words

if TYPE_CHECKING:
    from conductd.core.reading.entries import Entry

LONG = 20_000  # features; no note is that long, and those few are in no index
_KEPT_BITS = 32 * 1024 * 1024  # bytes of bit sets kept for the next query; the others are made again
_KEPT_SIDES = 8_000  # of a table
_SHORT = 256  # places in all that are counted one by one
_FEW = 16  # places to look at one by one; more are counted together
_SPARE = 4_096  # entries that a shelf may hold beyond twice those asked for
_NOT_ZERO = re.compile(rb"[^\0]")
_ID = "\0id\0"
_NUMBERED = re.compile(r"[A-Za-z]{1,8}[-_#.]?\d+ ?(?:[|:：)–—]|- )")


class Side:
    """One entry, prepared for comparing. ``keys`` are its features, the second of a kind apart from the
    first, so that a set of them counts with multiplicity."""

    __slots__ = ("_fact", "features", "ids", "keyed", "words")

    def __init__(self, words: tuple[str, ...], names: frozenset[str] = frozenset(), keyed: int = 0) -> None:
        self.words = words
        self.keyed = keyed  # words that only number the entry ("T-368 | …")
        self.features = features(words)
        self.ids = names
        self._fact: Fact | None = None

    @property
    def keys(self) -> frozenset[str]:
        """Worked out each time: they would weigh several times the text."""
        return _keys(self.features)

    @property
    def fact(self) -> Fact:
        if self._fact is None:
            self._fact = fact(self.words[self.keyed :] if self.keyed else self.words)
        return self._fact


def _keys(found: tuple[str, ...]) -> frozenset[str]:
    keys = frozenset(found)
    if len(keys) == len(found):
        return keys
    seen: dict[str, int] = {}
    counted = []
    for feature in found:
        k = seen[feature] = seen.get(feature, -1) + 1
        counted.append(f"{feature}\0{k}" if k else feature)
    return frozenset(counted)


class Sides:
    """The entries of one table as they are asked for, each prepared once (of very many only the first)."""

    def __init__(self) -> None:
        self._known: dict[bytes, Side] = {}
        self._row: tuple[Sequence[Entry], Row] | None = None

    def row(self, entries: Sequence[Entry]) -> Row:
        """Some of the entries, to be searched. The last one is kept: a new text is compared with several old ones."""
        if self._row is None or self._row[0] != entries:
            self._row = tuple(entries), Shelf().row([Postings(entries, self)])
        return self._row[1]

    def rest(self) -> None:
        """A judgement is over: what it searched weighs several times the text."""
        self._row = None

    def __call__(self, entry: Entry) -> Side:
        side = self._known.get(entry.fingerprint)
        if side is None:
            side = self._side(entry)
            if len(self._known) < _KEPT_SIDES:
                self._known[entry.fingerprint] = side
        return side

    def _side(self, entry: Entry) -> Side:
        number = _NUMBERED.match(entry.text)
        keyed = len(core_words(words(number[0]))) if number else 0
        return Side(core_words(entry.words), ids(entry.text), keyed)


class Postings:
    """Some entries of one table, prepared. ``long``: indexes of those with more features than `LONG`."""

    def __init__(self, entries: Sequence[Entry], side: Callable[[Entry], Side]) -> None:
        self.entries = entries
        self.sides = [side(entry) for entry in entries]
        self.long = [at for at, side in enumerate(self.sides) if len(side.features) > LONG]

    @cached_property
    def longest(self) -> int:
        """Features of the longest entry."""
        return max((len(side.features) for side in self.sides), default=0)

    @cached_property
    def has_ids(self) -> bool:
        return any(side.ids for side in self.sides)


class Shelf:
    """The places of every key of every part that was put on it. Places are numbered as they came."""

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.homes: dict[str, list[int]] = {}
        self.parts: list[Postings] = []
        self.starts: list[int] = []
        self.size = 0
        self._slots: dict[int, int] = {}  # by identity: the shelf keeps the parts alive
        self._bits: dict[str, tuple[int, int]] = {}
        self._ready: dict[str, int] = {}  # those that hold all there is
        self._room = _KEPT_BITS

    def row(self, parts: Sequence[Postings]) -> Row:
        """These parts, and no others, as one row of entries."""
        wanted = sum(len(part.sides) for part in parts)
        if self.size > 2 * wanted + _SPARE:
            self._clear()
        for part in parts:
            if id(part) not in self._slots:
                self._put(part)
        return Row(self, parts, [self._slots[id(part)] for part in parts])

    def _put(self, part: Postings) -> None:
        homes, at = self.homes, self.size
        self._ready.clear()
        self._slots[id(part)] = len(self.parts)
        self.parts.append(part)
        self.starts.append(at)
        for place, side in enumerate(part.sides, at):
            if len(side.features) > LONG:
                continue
            for key in side.keys:
                known = homes.get(key)
                if known is None:
                    homes[key] = [place]
                else:
                    known.append(place)
            for name in side.ids:
                homes.setdefault(_ID + name, []).append(place)
        self.size += len(part.sides)

    def all_bits(self, keys: frozenset[str]) -> list[int]:
        """The places of each key, of those that have any, as a number: bit i stands for place i."""
        found = list(filter(None, map(self._ready.get, keys)))
        if len(found) == len(keys):
            return found
        return [bits for key in keys if (bits := self._ready.get(key) or self._made(key))]

    def _made(self, key: str) -> int:
        places = self.homes.get(key)
        if places is None:
            return 0
        bits, counted = self._bits.get(key, (0, 0))
        if counted < len(places):
            bits |= bit_set(places[counted:])
            if self._room <= 0:
                return bits
            self._room -= 64 + (bits.bit_length() >> 3)
            self._bits[key] = bits, len(places)
        self._ready[key] = bits
        return bits


class Row:
    """Some parts of a shelf in the order that they were asked for, entries numbered through."""

    def __init__(self, shelf: Shelf, parts: Sequence[Postings], slots: list[int]) -> None:
        self._shelf, self._parts = shelf, parts
        self._starts = list(accumulate((len(part.sides) for part in parts), initial=0))
        self.size = self._starts.pop()
        self._firsts: dict[int, int] = {}
        for slot, start in zip(slots, self._starts, strict=True):
            self._firsts.setdefault(slot, start)
        self._plain = slots == list(range(len(shelf.parts)))
        self.long = [start + at for start, part in zip(self._starts, parts, strict=True) for at in part.long]
        self.has_ids = any(part.has_ids for part in parts)
        self.longest = max((part.longest for part in parts), default=0)

    def side(self, index: int) -> Side:
        part = bisect_right(self._starts, index) - 1
        return self._parts[part].sides[index - self._starts[part]]

    def part_of(self, index: int) -> tuple[int, int]:
        """(which of the parts, which of its entries)."""
        part = bisect_right(self._starts, index) - 1
        return part, index - self._starts[part]

    def named(self, name: str) -> list[int]:
        """Entries with that id."""
        return sorted(self._known(self._shelf.homes.get(_ID + name, ())))

    def _known(self, places: Set[int] | Sequence[int]) -> list[int]:
        """Their numbers in this row, of those that are in it."""
        if self._plain:
            return list(places)
        starts, firsts = self._shelf.starts, self._firsts
        found = []
        for place in places:
            slot = bisect_right(starts, place) - 1
            first = firsts.get(slot)
            if first is not None:
                found.append(first + place - starts[slot])
        return found

    def sharing(self, keys: frozenset[str], need: int) -> list[tuple[int, int]]:
        """Entries that share at least ``need`` of the keys, in order, and how many."""
        homes = self._shelf.homes
        lists = list(filter(None, map(homes.get, keys)))
        if not lists or len(lists) < need:
            return []
        if sum(map(len, lists)) <= _SHORT + (self.size >> 7):
            counts = Counter(chain.from_iterable(lists))
            enough = list(compress(counts, map(need.__le__, counts.values())))  # at the speed of C: it is most of all
            if self._plain:
                return sorted((place, counts[place]) for place in enough)
            return sorted((index, counts[place]) for place in enough for index in self._known((place,)))
        lists.sort(key=len)
        # Whoever shares ``need`` of n shares one of any n - need + 1: of the rarest.
        rarest = lists[: len(lists) - need + 1]
        if sum(map(len, rarest)) <= _FEW + (self.size >> 11):
            found = []
            for index in sorted(self._known(set().union(*rarest))):
                shared = len(keys & self.side(index).keys)
                if shared >= need:
                    found.append((index, shared))
            return found
        return self._counted(keys, need)

    def _counted(self, keys: frozenset[str], need: int) -> list[tuple[int, int]]:
        planes: list[int] = []  # a binary counter per place, one bit set per binary digit
        level = self._shelf.all_bits(keys)
        while level:  # three of a digit are one of it and one of the next
            above: list[int] = []
            while len(level) > 2:
                a, b, c = level.pop(), level.pop(), level.pop()
                odd = a ^ b
                level.append(odd ^ c)
                above.append(a & b | odd & c)
            if len(level) == 2:
                a, b = level
                planes.append(a ^ b)
                above.append(a & b)
            else:
                planes.append(level[0])
            level = above if any(above) else []
        if need >> len(planes):
            return []
        more, equal = 0, (1 << self._shelf.size) - 1
        for digit in range(len(planes) - 1, -1, -1):
            if need >> digit & 1:
                equal &= planes[digit]
            else:
                more |= equal & planes[digit]
                equal &= ~planes[digit]
        both = more | equal
        if not both:
            return []
        counted = []
        for place, shared in _one_by_one(both, planes) if both.bit_count() <= _FEW else _by_bytes(both, planes):
            counted += [(index, shared) for index in self._known((place,))]
        return sorted(counted)


def _one_by_one(places: int, planes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Each place, and the number that its bits of the planes are."""
    while places:
        place = places.bit_length() - 1
        places ^= 1 << place
        shared = 0
        for digit, plane in enumerate(planes):
            shared |= (plane >> place & 1) << digit
        yield place, shared


def _by_bytes(places: int, planes: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The same of very many: every step of the other takes as long as the number is."""
    width = (places.bit_length() >> 3) + 1
    raws = [(plane & (1 << 8 * width) - 1).to_bytes(width, "little") for plane in planes]
    for hit in _NOT_ZERO.finditer(places.to_bytes(width, "little")):
        at, byte = hit.start(), hit[0][0]
        for bit in range(8):
            if byte >> bit & 1:
                yield at * 8 + bit, sum((raw[at] >> bit & 1) << digit for digit, raw in enumerate(raws))


def bit_set(places: Sequence[int]) -> int:
    """The number whose bits at these (ascending) places are set."""
    raw = bytearray((places[-1] >> 3) + 1)
    for place in places:
        raw[place >> 3] |= 1 << (place & 7)
    return int.from_bytes(raw, "little")
