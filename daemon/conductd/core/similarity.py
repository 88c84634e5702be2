"""How alike two entries are, and which of many is the rewording of which.

Owns the measure and the search. Unrelated notes of one domain share up to 0.64 of their words,
so words alone do not tell: the measure is the mean of the shared words (Dice, with multiplicity)
and of the shared order (longest common subsequence), which for unrelated notes stays near 0.4.
Pure and deterministic, also where the budget ends it. Called by `core.change`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from conductd.core.entries import LONG, Entry, Postings, bit_set
from conductd.core.text import features, ids

SAME_ID = 0.50  # entries that carry the same id are one entry, even when half of it changed
OTHER_ID = 0.90  # entries with different ids are different, unless they say the same
CONTAINED = 0.90  # this much of an entry inside a longer one: merged into it
_ORDERED = 1_000_000_000  # product of lengths: two texts of 30,000 words, 60 ms; beyond it words alone must do
_BUDGET = 2_000_000  # pairs looked at (scored: 16 times that) per search, about 2 s; then only ids and equal words
_ID_BUDGET = 1_000_000  # of pairs that share an id
_STRIDE = 64
_KEPT_BITS = 32 * 1024 * 1024  # bytes of bit sets kept for the next query; the others are made again
_KEPT_SIDES = 20_000
_NOT_ZERO = re.compile(rb"[^\0]")


class Match(NamedTuple):
    """``old`` and ``new`` are indexes into what was searched; ``contained``: all of the old one is in the new one."""

    old: int
    new: int
    similarity: float
    contained: bool


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence (bit-parallel, Hyyrö 2004)."""
    masks: dict[str, int] = {}
    bit = 1
    for word in a:
        masks[word] = masks.get(word, 0) | bit
        bit <<= 1
    full = bit - 1
    row = full
    for word in b:
        if mask := masks.get(word):
            both = row & mask
            row = ((row + both) | (row - both)) & full
    return len(a) - row.bit_count()


class _Side:
    """One entry, prepared for comparing."""

    __slots__ = ("counts", "features", "ids", "words")

    def __init__(self, entry: Entry) -> None:
        self.words = entry.words
        self.features = features(entry.words)
        self.counts = Counter(self.features)
        self.ids = ids(entry.text)


def _score(old: _Side, new: _Side, threshold: float) -> tuple[float, bool]:
    if old.ids and new.ids:
        threshold = min(threshold, SAME_ID) if old.ids & new.ids else max(threshold, OTHER_ID)
    n, m = len(old.features), len(new.features)
    shared = sum(min(count, new.counts[word]) for word, count in old.counts.items() if word in new.counts)
    dice = 2 * shared / (n + m)
    inside = shared >= CONTAINED * n
    best = 0.0
    if (dice + 1) / 2 >= threshold:
        order = dice
        if len(old.words) * len(new.words) <= _ORDERED:
            order = 2 * common_subsequence(old.words, new.words) / (len(old.words) + len(new.words))
        best = (dice + order) / 2
    if best >= threshold:
        return best, inside
    if inside and m > n and len(old.words) >= 3 and n * m <= _ORDERED:
        within = _within(old.words, new.words)
        if within >= max(CONTAINED, threshold):
            return within, True
    return 0.0, False


def _within(old: tuple[str, ...], new: tuple[str, ...]) -> float:
    """The share of ``old`` that stands together, in order, in some stretch of ``new``."""
    n = len(old)
    width = n + n // 4
    need = CONTAINED * n
    counts = Counter(old)
    window: Counter[str] = Counter()
    queue: deque[str] = deque()
    shared = 0
    best = 0
    again = 0  # a stretch is whole in the window for a quarter of its length: looking now and then finds it
    for end, word in enumerate(new, 1):
        queue.append(word)
        if word in counts:
            window[word] += 1
            shared += window[word] <= counts[word]
        if len(queue) > width:
            gone = queue.popleft()
            if gone in counts:
                shared -= window[gone] <= counts[gone]
                window[gone] -= 1
        if shared >= need and shared > best and end >= again:
            again = end + max(1, n // 8)
            best = max(best, common_subsequence(old, new[end - len(queue) : end]))
            if best == n:
                break
    return best / n


class _Index:
    """The entries of several postings in one row, as bit sets: bit i stands for entry i."""

    def __init__(self, parts: Sequence[Postings]) -> None:
        self._parts = parts
        self._starts = list(accumulate((len(part.entries) for part in parts), initial=0))
        self.size = self._starts.pop()
        self._all = (1 << self.size) - 1
        self.lengths = [length for part in parts for length in part.lengths]
        self.long = [start + index for start, part in zip(self._starts, parts, strict=True) for index in part.long]
        self.has_ids = any(part.by_id for part in parts)
        self._sides: dict[int, _Side] = {}
        self._bits: dict[tuple[str, int], int] = {}
        self._room = _KEPT_BITS

    def side(self, index: int) -> _Side:
        found = self._sides.get(index)
        if found is None:
            if len(self._sides) >= _KEPT_SIDES:
                self._sides.clear()
            part = bisect_right(self._starts, index) - 1
            entry = self._parts[part].entries[index - self._starts[part]]
            found = self._sides[index] = _Side(entry)
        return found

    def named(self, name: str) -> Iterator[int]:
        """Entries with that id."""
        for start, part in zip(self._starts, self._parts, strict=True):
            for index in part.by_id.get(name, ()):
                yield start + index

    def _holding(self, feature: tuple[str, int]) -> int:
        found = self._bits.get(feature)
        if found is not None:
            return found
        bits = 0
        places: list[int] = []
        for start, part in zip(self._starts, self._parts, strict=True):
            bits |= part.by_feature.get(feature, 0) << start
            places += [start + index for index in part.rare.get(feature, ())]
        if places:
            bits |= bit_set(places)
        if self._room > 0:
            self._room -= 64 + (bits.bit_length() >> 3)
            self._bits[feature] = bits
        return bits

    def cost(self, query: _Side) -> int:
        """What `sharing` takes at least, in pairs looked at."""
        return 3 * len(query.features) * (1 + (self.size >> 14))

    def sharing(self, query: _Side, need: int) -> Iterator[tuple[int, int]]:
        """Entries that share at least ``need`` features with the query, in order, and how many."""
        planes: list[int] = []  # a binary counter per entry, one bit set per binary digit
        for word, count in query.counts.items():
            for k in range(count):
                carry = self._holding((word, k))
                for digit, plane in enumerate(planes):
                    if not carry:
                        break
                    planes[digit], carry = plane ^ carry, plane & carry
                if carry:
                    planes.append(carry)
        if need >> len(planes):
            return
        more, equal = 0, self._all
        for digit in range(len(planes) - 1, -1, -1):
            if need >> digit & 1:
                equal &= planes[digit]
            else:
                more |= equal & planes[digit]
                equal &= ~planes[digit]
        found = more | equal
        if not found:
            return
        width = (self.size >> 3) + 1
        raws = [plane.to_bytes(width, "little") for plane in planes]
        for hit in _NOT_ZERO.finditer(found.to_bytes(width, "little")):
            at, byte = hit.start(), hit[0][0]
            for bit in range(8):
                if byte >> bit & 1:
                    yield at * 8 + bit, sum((raw[at] >> bit & 1) << digit for digit, raw in enumerate(raws))


class Rewordings(NamedTuple):
    """``unsearched``: old entries for which not everything was looked at, because the budget ended."""

    found: dict[int, Match]
    unsearched: int = 0


def rewordings(old: Sequence[Entry], new: Sequence[Postings], threshold: float) -> Rewordings:
    """Which old entries are reworded in which of the new ones (counted through all of ``new``): the
    best matches first, a new entry twice only when both old ones are contained in it."""
    index = _Index(new)
    budget, id_budget = _BUDGET, _ID_BUDGET
    unsearched = 0
    matches: list[Match] = []
    for number in _spread(len(old)):
        if budget <= 0 and (not index.has_ids or id_budget <= 0):
            unsearched += bool(old[number].words)
            continue
        query = _Side(old[number])
        n = len(query.features)
        if not n:
            continue
        candidates: list[int] = []
        for place in chain.from_iterable(map(index.named, query.ids) if query.ids else ()):
            id_budget -= _pair_cost(n, index.lengths[place])
            if id_budget <= 0:
                break
            candidates.append(place)
        # Dice ≥ t needs an overlap of t·n/(2−t); where features are pairs of characters, the order of
        # the single ones may make up for a lower Dice.
        floor = threshold if query.features == query.words else 2 * threshold - 1
        need = max(1, int(-(-floor * n // (2 - floor))))
        if n > LONG:
            for place in index.long:
                budget -= _pair_cost(n, index.lengths[place])
                if budget <= 0:
                    break
                candidates.append(place)
        elif budget > 0:
            budget -= index.cost(query)
            ordered = query.features == query.words  # order cannot exceed Dice then
            for place, shared in index.sharing(query, need):
                budget -= 1
                if budget <= 0:
                    break
                m = index.lengths[place]
                dice = 2 * shared / (n + m)
                hopeful = (dice if ordered else (dice + 1) / 2) >= threshold
                if not hopeful and not (m > n and shared >= CONTAINED * n):
                    continue
                budget -= _pair_cost(n, m)
                if budget <= 0:
                    break
                candidates.append(place)
        unsearched += budget <= 0 or (id_budget <= 0 and index.has_ids and bool(query.ids))
        scored = []
        for place in dict.fromkeys(candidates):
            value, contained = _score(query, index.side(place), threshold)
            if value:
                scored.append(Match(number, place, value, contained))
        scored.sort(key=lambda match: (-match.similarity, match.new))
        matches.extend(scored[:8])
    return Rewordings(_best(matches), unsearched)


def _pair_cost(n: int, m: int) -> int:
    """Of scoring a pair, in pairs looked at."""
    if n * m > _ORDERED:
        return (n + m) // 8
    return 16 + m // 2 + n * m // (20_000 if n >= m else 4_000)


def _spread(count: int) -> Iterator[int]:
    """All of them, in strides: where the budget ends, what was searched is a sample of the whole."""
    for first in range(_STRIDE):
        yield from range(first, count, _STRIDE)


def _best(matches: list[Match]) -> dict[int, Match]:
    matches.sort(key=lambda match: (-match.similarity, match.old, match.new))
    found: dict[int, Match] = {}
    taken: set[int] = set()
    for match in matches:
        if match.old in found or (match.new in taken and not match.contained):
            continue
        found[match.old] = match
        taken.add(match.new)
    return found


class Parts(NamedTuple):
    """``found[i]``: the new entries in old entry i. ``bounded``: the budget ended before all were looked for."""

    found: dict[int, list[int]]
    bounded: bool = False


def parts(old: Sequence[Entry], new: Sequence[Entry]) -> Parts:
    """For old entries that fell apart into several new ones (a paragraph that became a list): the
    indexes of the new entries that stand in the old one word for word."""
    index = _Index([Postings(old)])
    found: dict[int, list[int]] = {}
    budget = _BUDGET
    for number in _spread(len(new)):
        if new[number].weight < 3:
            continue
        query = _Side(new[number])
        budget -= index.cost(query)
        for place, _ in index.sharing(query, int(-(-CONTAINED * len(query.features) // 1))):
            into = old[place].words
            budget -= _pair_cost(len(query.words), len(into))
            if budget <= 0:
                break
            if len(into) > len(query.words) and _within(query.words, into) >= CONTAINED:
                found.setdefault(place, []).append(number)
        if budget <= 0:
            break
    return Parts({place: sorted(numbers) for place, numbers in sorted(found.items())}, bounded=budget <= 0)
