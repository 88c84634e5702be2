"""What happened from one content state to another: kept, reworded, moved, lost, added.

Owns the promise that whatever the two texts are, kept + reworded + moved + lost = entries before.
An entry is lost only if it is nowhere: not here in other words, not in another file. Pure; called
by `core.judging.judge`, and by the engine for incidents and diffs.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from msgspec import structs

from conductd.core.comparing import verbatim
from conductd.core.comparing.inflection import inflected
from conductd.core.comparing.postings import Postings, Sides
from conductd.core.comparing.similarity import inside, parts, rewordings, rewordings_in
from conductd.core.comparing.table_rows import Unnumbered, heads_that_went
from conductd.core.losses.standins import counts_as_new, open_label
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.context import InContext
from conductd.core.reading.entries import Entry, EntryTable
from conductd.core.reading.text import ids, is_character
from conductd.model import Change, Relocated, Span, Verdict

_TRIM_SHARE = 1 / 3  # of a reworded entry gone without replacement: that much is lost, not reworded
_TRIM_LONG = 40  # words; of an entry this long a smaller part is worth telling
_TRIM_LONG_SHARE = 0.15
_LABEL = 16  # words
_ASKED = 3  # words of a value that waits
_ASKED_CJK = 8  # characters of one
_SAME_LABEL = 64  # entries that are tried for a label
_SPANS_KEPT = 50_000  # in a record: 16 bytes each
_RELOCATED_KEPT = 8_000  # 45 bytes and a path each
_FULLER_ENTRIES = 20_000  # of a larger text near-duplicates are not looked for
_RELABELLED = 1_000  # entries; beyond it another structure is not looked for
_PARTED_WEIGHT = 8  # an entry of fewer words is no text that falls into parts


class Place(NamedTuple):
    """Another file. What ``stood`` there all along is like many notes, and no new home of one that went."""

    path: bytes
    table: EntryTable
    stood: frozenset[bytes] = frozenset()


def compare(
    old: EntryTable, new: EntryTable, elsewhere: Sequence[Place] = (), thresholds: Thresholds | None = None
) -> Change:
    """The change from ``old`` to ``new``, the rest of the workspace being ``elsewhere``."""
    limits = thresholds or Thresholds()
    missing = [entry for entry in old.entries if entry.fingerprint not in new.places]
    added = [entry for entry in new.entries if entry.fingerprint not in old.places]
    kept = len(old.entries) - len(missing)
    moved: list[Relocated] = []
    missing = _take(missing, _exactly_elsewhere(missing, elsewhere), moved)
    reworded: list[Relocated] = []
    missing = _take(missing, _same_words(missing, new), reworded)
    here = _reworded_here(missing, old.sides, added, new.sides, limits.reworded_similarity)
    missing = _take(missing, here.found, reworded)
    trimmed = _trimmed(reworded, old, new)
    targets = {place.line for place in reworded}
    fresh = [entry for entry in added if entry.line not in targets]
    apart = _in_parts(missing, old.sides, fresh, new.sides, limits.reworded_similarity, targets)
    missing = _take(missing, apart.found, reworded)
    fresh = [entry for entry in fresh if entry.line not in targets]
    missing = _take(missing, _relabelled(missing, old, fresh, new, limits.reworded_similarity, targets), reworded)
    fresh = [entry for entry in fresh if entry.line not in targets]
    forms = inflected(missing, fresh) | verbatim.grown(missing, fresh)
    missing = _take(missing, forms, reworded)
    targets.update(place.line for place in forms.values())
    fresh = [entry for entry in fresh if entry.line not in targets]
    filled: list[Relocated] = []  # what was filled in is new all the same
    missing = _take(missing, _filled_in(missing, fresh), filled)
    trimmed += _trimmed(_held_more(filled, old), old, new)
    reworded += filled
    missing = _take(missing, _in_fuller(missing, new, old), reworded)
    away = _Searched({})
    if missing and elsewhere:
        away = _reworded_elsewhere(missing, old.sides, elsewhere, limits.reworded_similarity)
        missing = _take(missing, away.found, moved)
    missing = _unnumbered(missing, old, fresh, new, elsewhere, limits, targets, reworded, moved)
    missing = _take(missing, heads_that_went(missing, old, new, (*reworded, *moved)), reworded)
    fresh = [entry for entry in added if entry.line not in targets]
    weight_lost = sum(entry.weight for entry in missing) + trimmed
    return Change(
        entries_before=len(old.entries),
        kept=kept,
        reworded=tuple(reworded),
        moved=tuple(moved),
        lost=tuple(entry.span for entry in missing),
        added=tuple(entry.span for entry in fresh),
        new_entries=_count_new(fresh, limits),
        weight_before=old.weight,
        weight_lost=weight_lost,
        weight_added=sum(entry.weight for entry in fresh),
        lost_share=share(weight_lost, len(missing), old),
        unsearched=min(len(missing), max(here.unsearched, apart.unsearched, away.unsearched)),
    )


def grown(old: EntryTable, new: EntryTable, thresholds: Thresholds | None = None) -> Change:
    """The change when the new bytes begin with the old ones: nothing can be lost, even where the
    added text makes a scanner read the old lines as something else."""
    fresh = [e for e in new.entries if e.last_line > old.lines and e.fingerprint not in old.places]
    return Change(
        entries_before=len(old.entries),
        kept=len(old.entries),
        added=tuple(entry.span for entry in fresh),
        new_entries=_count_new(fresh, thresholds or Thresholds()),
        weight_before=old.weight,
        weight_added=sum(entry.weight for entry in fresh),
    )


def recordable(verdict: Verdict) -> Verdict:
    """The verdict as a record can hold it (4 MB): of very many places only the first ones, their number
    in the facts as ``places_left_out``. Weights and shares stay those of the whole."""
    change = verdict.change
    cut = structs.replace(
        change,
        reworded=change.reworded[:_RELOCATED_KEPT],
        moved=change.moved[:_RELOCATED_KEPT],
        lost=change.lost[:_SPANS_KEPT],
        added=change.added[:_SPANS_KEPT],
    )
    left_out = sum(map(len, (change.reworded, change.moved, change.lost, change.added)))
    left_out -= sum(map(len, (cut.reworded, cut.moved, cut.lost, cut.added)))
    if not left_out:
        return verdict
    return structs.replace(verdict, change=cut, facts={**verdict.facts, "places_left_out": left_out})


def share(weight: int, entries: int, before: EntryTable) -> float:
    """Weight lost as a share of the weight before; by entries where nothing has weight."""
    if before.weight:
        return min(1.0, weight / before.weight)
    return entries / len(before.entries) if before.entries else 0.0


def _count_new(fresh: Iterable[Entry], limits: Thresholds) -> int:
    return len({e.fingerprint for e in fresh if counts_as_new(e, limits)})


def _take(missing: list[Entry], found: dict[int, Relocated], into: list[Relocated]) -> list[Entry]:
    """Book what was found; what is left is still missing."""
    if not found:
        return missing
    into.extend(found[index] for index in sorted(found))
    return [entry for index, entry in enumerate(missing) if index not in found]


def _exactly_elsewhere(missing: list[Entry], elsewhere: Sequence[Place]) -> dict[int, Relocated]:
    wanted: dict[bytes, list[int]] = {}
    for index, entry in enumerate(missing):
        wanted.setdefault(entry.fingerprint, []).append(index)
    found: dict[int, Relocated] = {}
    for path, table, _ in elsewhere:
        if not wanted:
            break
        for mark in wanted.keys() & table.places.keys():
            line = table.entries[table.places[mark]].line
            for index in wanted.pop(mark):
                found[index] = Relocated(missing[index].span, path, line, 1.0)
    return found


def _same_words(missing: list[Entry], new: EntryTable) -> dict[int, Relocated]:
    """Entries whose words are all there in order, under another id, case or punctuation. Any entry
    will do, also a kept one: that is how duplicates are merged."""
    if not missing:
        return {}
    lines: dict[tuple[str, ...], int] = {}
    for entry in new.entries:
        lines.setdefault(entry.words, entry.line)
    lines.pop((), None)
    return {
        index: Relocated(entry.span, None, lines[entry.words], 1.0)
        for index, entry in enumerate(missing)
        if entry.words in lines
    }


class _Searched(NamedTuple):
    """Where missing entries are in other words. ``unsearched``: of how many that is not known."""

    found: dict[int, Relocated]
    unsearched: int = 0


def _reworded_here(missing: list[Entry], of: Sides, added: list[Entry], into: Sides, threshold: float) -> _Searched:
    if not missing or not added:
        return _Searched({})
    search = rewordings_in(missing, of, into.row(added), threshold)
    found = {
        index: Relocated(missing[index].span, None, added[match.new].line, round(match.similarity, 4))
        for index, match in search.found.items()
    }
    return _Searched(found, search.unsearched)


def _in_parts(
    missing: list[Entry], of: Sides, fresh: list[Entry], into: Sides, threshold: float, targets: set[int]
) -> _Searched:
    """Long entries whose words now stand in several new ones; their lines are added to ``targets``."""
    long = {index: entry for index, entry in enumerate(missing) if entry.weight >= _PARTED_WEIGHT}
    if not long or len(fresh) < 2:
        return _Searched({})
    indexes, found = list(long), dict[int, Relocated]()
    search = parts(Postings(list(long.values()), of), fresh, into)
    for place, numbers in search.found.items():
        entry = missing[indexes[place]]
        covered = sum(fresh[number].weight for number in numbers) / entry.weight
        if len(numbers) > 1 and covered >= threshold:
            line = fresh[numbers[0]].line
            found[indexes[place]] = Relocated(entry.span, None, line, round(min(covered, 1.0), 4))
            targets.update(fresh[number].line for number in numbers)
    return _Searched(found, len(long) - len(found) if search.bounded else 0)


def _relabelled(
    missing: list[Entry], old: EntryTable, fresh: list[Entry], new: EntryTable, threshold: float, targets: set[int]
) -> dict[int, Relocated]:
    """Notes whose label went into a heading or the head of a table, or came from there; the lines of what they
    are now are added to ``targets``."""
    found: dict[int, Relocated] = {}
    if not missing or not fresh or len(missing) > _RELABELLED or len(fresh) > _RELABELLED:
        return found
    before, after = InContext(old.entries), InContext(new.entries)
    for of, into in ((old.sides, after), (before, new.sides)):
        left = [index for index in range(len(missing)) if index not in found]
        free = [entry for entry in fresh if entry.line not in targets]
        if into is after:
            labels = after.labels(free)
            left = [index for index in left if labels.are_in(old.sides(missing[index]).words)]
        else:
            labels = before.labels([missing[index] for index in left])
            free = [entry for entry in free if labels.are_in(new.sides(entry).words)]
        if not left or not free:
            continue
        for at, match in rewordings([missing[i] for i in left], of, [Postings(free, into)], threshold).found.items():
            line = free[match.new].line
            found[left[at]] = Relocated(missing[left[at]].span, None, line, round(match.similarity, 4))
        targets.update(place.line for place in found.values())
    return found


def _unnumbered(
    missing: list[Entry],
    old: EntryTable,
    fresh: list[Entry],
    new: EntryTable,
    elsewhere: Sequence[Place],
    limits: Thresholds,
    targets: set[int],
    reworded: list[Relocated],
    moved: list[Relocated],
) -> list[Entry]:
    """Rows that stand here or elsewhere without the number that counted them; the lines of what they are now are
    added to ``targets``. What is still missing."""
    if not any(entry.kind is Kind.ROW for entry in missing) or len(missing) > _RELABELLED:
        return missing
    rows = Unnumbered(old.entries)
    counted = rows.counted(missing)
    for here in (True, False):
        left = [missing[index] for index in counted]
        free = [entry for entry in fresh if entry.line not in targets]
        if not left or (not here and not elsewhere):
            break
        if here:
            search = _reworded_here(left, rows, free, new.sides, limits.reworded_similarity)
        else:
            search = _reworded_elsewhere(left, rows, elsewhere, limits.reworded_similarity)
        found = {counted[at]: place for at, place in search.found.items()}
        missing = _take(missing, found, reworded if here else moved)
        targets.update(place.line for place in found.values() if here)
        counted = rows.counted(missing)
    return missing


def _held_more(filled: list[Relocated], old: EntryTable) -> list[Relocated]:
    """Those whose value that gave way was more than the name of what was asked for ("[your name]")."""
    lines = {place.old.line for place in filled}
    wide = {e.line for e in old.entries if e.line in lines and any(map(is_character, e.words))}
    most = {place.old.line: _ASKED_CJK if place.old.line in wide else _ASKED for place in filled}
    return [p for p in filled if p.old.weight * (1 - p.similarity) > most[p.old.line] + 0.5]


def _filled_in(missing: list[Entry], fresh: list[Entry]) -> dict[int, Relocated]:
    """Labels that waited for a value ("Name:", "City: TBD", a row with empty cells) and have one now."""
    labels = {index: label for index, entry in enumerate(missing) if 0 < len(label := open_label(entry)) <= _LABEL}
    wanted = set(labels.values())
    lengths = sorted({len(label) for label in wanted})
    begin: dict[tuple[str, ...], list[int]] = {}
    for number, other in enumerate(fresh if wanted else ()):
        for length in lengths:
            if (label := other.words[:length]) in wanted and _begins_with(other, label):
                begin.setdefault(label, []).append(number)
    found: dict[int, Relocated] = {}
    used: set[int] = set()
    for waiting in begin.values():
        waiting.reverse()  # the first is taken from the end
    for index, label in labels.items():
        fit = _first_fit(missing[index], fresh, begin.get(label, []), used)
        if fit is not None:
            used.add(fit)
            similarity = round(len(label) / missing[index].weight, 4)
            found[index] = Relocated(missing[index].span, None, fresh[fit].line, similarity)
    return found


def _first_fit(entry: Entry, fresh: list[Entry], waiting: list[int], used: set[int]) -> int | None:
    """The first of the ``waiting`` (last first) that can be the entry; those that are used are taken out."""
    tried = 0
    for at in range(len(waiting) - 1, -1, -1):
        number = waiting[at]
        if number in used:
            del waiting[at]
            continue
        if not _other_id(entry, fresh[number]):
            return number
        tried += 1
        if tried == _SAME_LABEL:
            break
    return None


def _begins_with(entry: Entry, label: tuple[str, ...]) -> bool:
    return entry.kind is not Kind.HEADING and entry.weight > len(label) and entry.words[: len(label)] == label


def _other_id(one: Entry, two: Entry) -> bool:
    mine, other = ids(one.text), ids(two.text)
    return bool(mine and other) and not mine & other


def _in_fuller(missing: list[Entry], new: EntryTable, old: EntryTable) -> dict[int, Relocated]:
    """Near-duplicates of an entry that was there and still is, and says all that they said."""
    if not missing or len(new.entries) > _FULLER_ENTRIES:
        return {}
    kept = [entry for entry in new.entries if entry.fingerprint in old.places and entry.kind is not Kind.HEADING]
    found = inside(missing, old.sides, Postings(kept, old.sides)) if kept else {}
    return {index: Relocated(missing[index].span, None, kept[at].line, 1.0) for index, at in found.items()}


def _reworded_elsewhere(missing: list[Entry], of: Sides, elsewhere: Sequence[Place], threshold: float) -> _Searched:
    elsewhere = [place for place in elsewhere if not place.table.places.keys() <= place.stood]
    if not elsewhere:
        return _Searched({})
    everywhere = [place.table.postings_without(place.stood) for place in elsewhere]
    found: dict[int, Relocated] = {}
    search = rewordings(missing, of, everywhere, threshold, faithful=True, shelf=elsewhere[0][1].shelf)
    starts = list(accumulate((len(part.entries) for part in everywhere), initial=0))
    for index, match in search.found.items():
        part = bisect_right(starts, match.new) - 1
        line = everywhere[part].entries[match.new - starts[part]].line
        found[index] = Relocated(missing[index].span, elsewhere[part][0], line, round(match.similarity, 4))
    return _Searched(found, search.unsearched)


def _trimmed(reworded: list[Relocated], old: EntryTable, new: EntryTable) -> int:
    """Weight that reworded entries lost inside themselves. A note that keeps its first half, or a
    paragraph of forty lines that keeps thirty, is a rewording by similarity, and the rest is gone."""
    if not reworded:
        return 0
    before = {entry.line: entry for entry in old.entries}
    after = {entry.line: entry for entry in new.entries}
    total = 0
    for place in reworded:
        weight = place.old.weight
        if place.similarity == 1.0 or not weight:
            continue
        gone = _net_loss(before[place.old.line], after[place.line])
        least = _TRIM_LONG_SHARE if weight >= _TRIM_LONG else _TRIM_SHARE
        if gone >= least * weight:
            total += gone
    return total


def _net_loss(old: Entry, new: Entry) -> int:
    """Words that went without others having come for them."""
    before, after = Counter(old.words), Counter(new.words)
    return max(0, (before - after).total() - (after - before).total())


def spans_weight(spans: Iterable[Span]) -> int:
    return sum(span.weight for span in spans)
