"""How alike two entries are, and which of many is the rewording of which.

Owns the measure and the search. Unrelated notes of one domain share up to 0.64 of their words,
so words alone do not tell: the measure is the mean of the shared words (Dice, with multiplicity)
and of the shared order (longest common subsequence), which for unrelated notes stays near 0.4.
What counts as the same word is `core.comparing.wording`'s. Pure and deterministic, also where the budget ends
it. Called by `core.comparing.change`.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import NamedTuple

from conductd.core.comparing.meaning import same_sense
from conductd.core.comparing.postings import LONG, Postings, Row, Shelf, Side, Sides
from conductd.core.comparing.wording import carries
from conductd.core.reading.entries import Entry

SAME_ID = 0.50  # entries that carry the same id are one entry, even when half of it changed
OTHER_ID = 0.90  # entries with different ids are different, unless they say the same
CONTAINED = 0.90  # this much of an entry inside a longer one: merged into it
_ORDERED = 1_000_000_000  # product of lengths: two texts of 30,000 words, 60 ms; beyond it words alone must do
_BUDGET = 2_000_000  # pairs looked at (scored: 16 times that) per search, about 2 s; then only ids and equal words
_ID_BUDGET = 1_000_000  # of pairs that share an id
_STRIDE = 64
_PART = 0.80  # of an entry: it stands in a longer one that fell apart; together they must cover it
_ANY_ORDER = 0.20
_SCATTERED = 4  # times as long
_SENTENCE = 12  # words
_SOME_ORDER = 0.6
_LONGEST_INSIDE = 400  # words: a text that long is no near-duplicate of a note
_TRIED_INSIDE = 16
_IN_ORDER = 0.75


class Match(NamedTuple):
    """``old`` and ``new`` are indexes into what was searched; ``contained``: all of the old one is in the new one."""

    old: int
    new: int
    similarity: float
    contained: bool


def common_subsequence(a: Sequence[str], b: Sequence[str]) -> int:
    """Length of the longest common subsequence (bit-parallel, Hyyrö 2004); what both begin and end with is
    in it, and is most of two wordings of one note."""
    begin, most = 0, min(len(a), len(b))
    while begin < most and a[begin] == b[begin]:
        begin += 1
    end = 0
    while end < most - begin and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[begin : len(a) - end], b[begin : len(b) - end]
    if not a or not b:
        return begin + end
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
    return begin + end + len(a) - row.bit_count()


def _score(old: Side, shared: int, new: Side, threshold: float) -> tuple[float, bool]:
    """(similarity, contained), or (0, False) below the threshold. ``shared``: how many keys both have."""
    if old.ids and new.ids:
        threshold = min(threshold, SAME_ID) if old.ids & new.ids else max(threshold, OTHER_ID)
    n, m = len(old.features), len(new.features)
    dice = 2 * shared / (n + m)
    inside = shared >= CONTAINED * n
    best = 0.0
    if old.words == new.words:
        best = 1.0
    elif (dice + 1) / 2 >= threshold:
        best = _alike(old, new, dice)
    if best >= threshold:
        return best, inside
    if inside and m > n and len(old.words) >= 3 and n * m <= _ORDERED:
        within = _scattered(old, new) if shared == n else 0.0
        within = within or _within(old.words, new.words)
        if within >= max(CONTAINED, threshold):
            return within, True
    return 0.0, False


def _alike(old: Side, new: Side, dice: float) -> float:
    """The mean of shared words and shared order. Where the features are pairs of characters, one word that
    is another takes three of them away: single characters count as much. Nearly the same words in
    whatever order say the same."""
    one, two = old.words, new.words
    if old.features != one:
        alone, other = frozenset(one), frozenset(two)
        dice = (dice + 2 * len(alone & other) / (len(alone) + len(other))) / 2
    order = dice
    if len(one) * len(two) <= _ORDERED:
        order = 2 * common_subsequence(one, two) / (len(one) + len(two))
    return max((dice + order) / 2, dice - _ANY_ORDER)


def _scattered(old: Side, new: Side) -> float:
    """1.0 when all the words are in a text not much longer, with something between them perhaps: a
    sentence made of several notes says once what they have in common."""
    n, m = len(old.words), len(new.words)
    if m > max(_SCATTERED * n, _SENTENCE):
        return 0.0
    return 1.0 if common_subsequence(old.words, new.words) >= _SOME_ORDER * n else 0.0


def _within(old: tuple[str, ...], new: tuple[str, ...], least: float = CONTAINED) -> float:
    """The share (at least ``least``) of ``old`` that stands together, in order, in some stretch of ``new``."""
    n = len(old)
    width = n + n // 4
    need = least * n
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


class Rewordings(NamedTuple):
    """``unsearched``: old entries for which not everything was looked at, because the budget ended."""

    found: dict[int, Match]
    unsearched: int = 0


def rewordings(
    old: Sequence[Entry],
    of: Sides,
    new: Sequence[Postings],
    threshold: float,
    *,
    faithful: bool = False,
    shelf: Shelf | None = None,
) -> Rewordings:
    """Which old entries are reworded in which of the new ones (counted through all of ``new``): the
    best matches first, a new entry twice only when both old ones are contained in it.

    ``faithful``: numbers, dates and negations must be the same, for where an entry that is like it is
    no later state of it. A ``shelf`` only saves work.
    """
    return rewordings_in(old, of, (shelf or Shelf()).row(new), threshold, faithful=faithful)


def rewordings_in(old: Sequence[Entry], of: Sides, row: Row, threshold: float, *, faithful: bool = False) -> Rewordings:
    """As `rewordings`, of a row of entries."""
    budget, id_budget = _BUDGET, _ID_BUDGET
    unsearched = 0
    matches: list[Match] = []
    for number in _spread(len(old)):
        if budget <= 0 and (not row.has_ids or id_budget <= 0):
            unsearched += bool(old[number].words)
            continue
        query = of(old[number])
        keys = query.keys
        n = len(query.features)
        if not n:
            continue
        candidates: dict[int, int] = {}  # with the keys that they share, 0 where these are not counted yet
        for place in chain.from_iterable(map(row.named, sorted(query.ids)) if query.ids else ()):
            id_budget -= _pair_cost(n, len(row.side(place).features))
            if id_budget <= 0:
                break
            candidates[place] = 0
        if n > LONG:
            for place in row.long:
                budget -= _pair_cost(n, len(row.side(place).features))
                if budget <= 0:
                    break
                candidates.setdefault(place, 0)
        elif budget > 0:
            budget -= _cost(query, row)
            for place, shared, cost in _hopeful(query, keys, row, threshold):
                budget -= cost
                if budget <= 0:
                    break
                if cost > 1:
                    candidates[place] = shared
        unsearched += budget <= 0 or (id_budget <= 0 and row.has_ids and bool(query.ids))
        scored = []
        for place, counted in candidates.items():
            side = row.side(place)
            value, contained = _score(query, counted or len(keys & side.keys), side, threshold)
            if value and not (faithful and not _is_faithful(query, side)):
                scored.append(Match(number, place, value, contained and query.fact.may_go_into(side.fact)))
        scored.sort(key=lambda match: (-match.similarity, match.new))
        matches.extend(scored[:8])
    return Rewordings(_best(matches), unsearched)


def _cost(query: Side, row: Row) -> int:
    """What `Row.sharing` takes at least, in pairs looked at."""
    return 3 * len(query.features) * (1 + (row.size >> 14))


def _hopeful(query: Side, keys: frozenset[str], row: Row, threshold: float) -> Iterator[tuple[int, int, int]]:
    """Entries that share enough for a look, how much, and the cost of it; 1: a glance showed that they do not."""
    n = len(query.features)
    ordered = query.features == query.words  # order cannot exceed Dice then
    # Dice ≥ t needs an overlap of t·n/(2−t); where features are pairs of characters, the order of
    # the single ones may make up for a lower Dice.
    floor = threshold if ordered else 2 * threshold - 1
    need = max(1, int(-(-floor * n // (2 - floor))))
    if need > row.longest:
        return
    for place, shared in row.sharing(keys, need):
        m = len(row.side(place).features)
        dice = 2 * shared / (n + m)
        hopeful = (dice if ordered else (dice + 1) / 2) >= threshold
        yield place, shared, 1 + _pair_cost(n, m) if hopeful or (m > n and shared >= CONTAINED * n) else 1


def _is_faithful(old: Side, new: Side) -> bool:
    mine, other = old.fact, new.fact
    if len(new.words) > 2 * len(old.words):  # one of several things that are said there
        return mine.may_go_into(other)
    return mine.is_in(other)


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


def parts(old: Postings, new: Sequence[Entry], of: Sides) -> Parts:
    """For old entries that fell apart into several new ones (a paragraph that became a list): the
    indexes of the new entries that stand in the old one word for word."""
    row = Shelf().row([old])
    found: dict[int, list[int]] = {}
    budget = _BUDGET
    for number in _spread(len(new)):
        if new[number].weight < 3:
            continue
        query = of(new[number])
        budget -= _cost(query, row)
        for place, _ in row.sharing(query.keys, int(-(-_PART * len(query.features) // 1))):
            into = row.side(place).words
            budget -= _pair_cost(len(query.words), len(into))
            if budget <= 0:
                break
            if len(into) > len(query.words) and _within(query.words, into, _PART) >= _PART:
                found.setdefault(place, []).append(number)
        if budget <= 0:
            break
    return Parts({place: sorted(numbers) for place, numbers in sorted(found.items())}, bounded=budget <= 0)


def inside(old: Sequence[Entry], of: Sides, kept: Postings) -> dict[int, int]:
    """Old entries that say nothing which one of the kept ones does not say: all of their words are in
    it, nearly in their order, with the same numbers and no other sense. By index, the first that fits."""
    row = Shelf().row([kept])
    found: dict[int, int] = {}
    for number, entry in enumerate(old):
        query = of(entry)
        if not 2 <= len(query.words) <= _LONGEST_INSIDE:
            continue
        for place, _ in row.sharing(query.keys, len(query.features))[:_TRIED_INSIDE]:
            side = row.side(place)
            apart = query.ids and side.ids and not query.ids & side.ids
            if not apart and query.fact.is_in(side.fact) and _within(query.words, side.words) >= _IN_ORDER:
                other = kept.entries[place]
                if tells_apart(entry.words, other.words) or not same_sense(entry.words, other.words):
                    continue
                found[number] = place
                break
    return found


def tells_apart(old: Sequence[str], new: Sequence[str]) -> bool:
    """A word that may carry no fact stands where the other says something: "my son" and "my daughter" are
    two, though "son" is a word for "are" somewhere."""
    for what, i, j, k, m in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if what == "replace" and not any(map(carries, old[i:j])) and any(map(carries, new[k:m])):
            return True
    return False
