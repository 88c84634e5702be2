"""How alike two entries are, and which of many is the rewording of which.

Owns the measure and the search. Unrelated notes of one domain share up to 0.64 of their words,
so words alone do not tell: the measure is the mean of the shared words (Dice, with multiplicity)
and of the shared order (longest common subsequence), which for unrelated notes stays near 0.4.
Pure and deterministic, also where the budget ends it. Called by `core.change`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from conductd.core.entries import Entry, Postings
from conductd.core.text import features, ids

SAME_ID = 0.50  # entries that carry the same id are one entry, even when half of it changed
OTHER_ID = 0.90  # entries with different ids are different, unless they say the same
CONTAINED = 0.90  # this much of an entry inside a longer one: merged into it
_ORDERED = 1_000_000_000  # product of lengths: two texts of 30,000 words, 60 ms; beyond it words alone must do
_BUDGET = 2_000_000  # pairs looked at (scored: 16 times that) per search, about 2 s; then only ids and equal words


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
    if inside and m > n and len(old.words) >= 3:
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
        if shared >= need and shared > best:
            best = max(best, common_subsequence(old, new[end - len(queue) : end]))
            if best == n:
                break
    return best / n


class _Index:
    """The entries of several postings in one row, as bit sets: bit i stands for entry i."""

    def __init__(self, parts: Sequence[Postings], wanted: set[tuple[str, int]], names: set[str]) -> None:
        self._sides: dict[int, _Side] = {}
        self._entries: list[Entry] = []
        self.lengths: list[int] = []
        self.by_id: dict[str, list[int]] = {}
        self._bits: dict[tuple[str, int], int] = {}
        for part in parts:
            start = len(self._entries)
            self._entries.extend(part.entries)
            self.lengths.extend(part.lengths)
            for feature in wanted & part.by_feature.keys():
                self._bits[feature] = self._bits.get(feature, 0) | part.by_feature[feature] << start
            for name in names & part.by_id.keys():
                self.by_id.setdefault(name, []).extend([start + i for i in part.by_id[name]])
        self._size = len(self._entries)

    def side(self, index: int) -> _Side:
        found = self._sides.get(index)
        if found is None:
            found = self._sides[index] = _Side(self._entries[index])
        return found

    def sharing(self, query: _Side, need: int) -> Iterator[tuple[int, int]]:
        """Entries that share at least ``need`` features with the query, in order, and how many."""
        planes: list[int] = []  # a binary counter per entry, one bit set per binary digit
        for word, count in query.counts.items():
            for k in range(count):
                carry = self._bits.get((word, k), 0)
                for digit, plane in enumerate(planes):
                    if not carry:
                        break
                    planes[digit], carry = plane ^ carry, plane & carry
                if carry:
                    planes.append(carry)
        if need >> len(planes):
            return
        more, equal = 0, (1 << self._size) - 1
        for digit in range(len(planes) - 1, -1, -1):
            if need >> digit & 1:
                equal &= planes[digit]
            else:
                more |= equal & planes[digit]
                equal &= ~planes[digit]
        found = more | equal
        while found:
            low = found & -found
            place = low.bit_length() - 1
            yield place, sum((plane >> place & 1) << digit for digit, plane in enumerate(planes))
            found ^= low


def rewordings(old: Sequence[Entry], new: Sequence[Postings], threshold: float) -> dict[int, Match]:
    """Which old entries are reworded in which of the new ones (counted through all of ``new``): the
    best matches first, a new entry twice only when both old ones are contained in it."""
    sides = [_Side(entry) for entry in old]
    wanted = {(feature, k) for side in sides for feature, count in side.counts.items() for k in range(count)}
    index = _Index(new, wanted, {name for side in sides for name in side.ids})
    budget = _BUDGET
    matches: list[Match] = []
    for number, query in enumerate(sides):
        n = len(query.features)
        if not n:
            continue
        candidates = [place for name in query.ids for place in index.by_id.get(name, ())]
        # Dice ≥ t needs an overlap of t·n/(2−t); where features are pairs of characters, the order of
        # the single ones may make up for a lower Dice.
        floor = threshold if query.features == query.words else 2 * threshold - 1
        need = max(1, int(-(-floor * n // (2 - floor))))
        if budget > 0:
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
                candidates.append(place)
                budget -= 16 + m // 2
        scored = []
        for place in dict.fromkeys(candidates):
            value, contained = _score(query, index.side(place), threshold)
            if value:
                scored.append(Match(number, place, value, contained))
        scored.sort(key=lambda match: (-match.similarity, match.new))
        matches.extend(scored[:8])
    matches.sort(key=lambda match: (-match.similarity, match.old, match.new))
    found: dict[int, Match] = {}
    taken: set[int] = set()
    for match in matches:
        if match.old in found or (match.new in taken and not match.contained):
            continue
        found[match.old] = match
        taken.add(match.new)
    return found


def parts(old: Sequence[Entry], new: Postings) -> dict[int, list[int]]:
    """For old entries that fell apart into several new ones (a paragraph that became a list): the
    indexes of the new entries that stand in the old one word for word."""
    whole = Postings(old)
    sides = [_Side(entry) for entry in new.entries]
    wanted = {(feature, k) for side in sides for feature, count in side.counts.items() for k in range(count)}
    index = _Index([whole], wanted, set())
    found: dict[int, list[int]] = {}
    budget = _BUDGET
    for number, query in enumerate(sides):
        if len(query.words) < 3:
            continue
        for place, _ in index.sharing(query, int(-(-CONTAINED * len(query.features) // 1))):
            into = old[place].words
            budget -= 16 + len(into) // 2
            if budget <= 0:
                return found
            if len(into) > len(query.words) and _within(query.words, into) >= CONTAINED:
                found.setdefault(place, []).append(number)
    return found
