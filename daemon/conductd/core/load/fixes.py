"""The cheapest way to make everything fit: which sections to move to a file of their own.

Pure. A section that is not pinned goes before one that is, a dated one before one without a date, the older before
the younger; of those without a date the larger. Called by the faces.
"""

from __future__ import annotations

from datetime import date

from conductd.core.load.counting import measure
from conductd.core.load.loaded import Cause, Load, LoadedFile
from conductd.core.load.outline import Outline, Section, newest_date, outline_of
from conductd.model import Frozen

_POINTER = 80  # what the line costs that says where a section went


class Move(Frozen, frozen=True):
    """Lines ``first`` to ``last`` of a file to be moved elsewhere. ``date``: ISO, "" when it has none."""

    path: str
    name: str
    heading: str
    first: int
    last: int
    size: int
    date: str
    is_pinned: bool


class Fix(Frozen, frozen=True):
    """``over``: how much is too much, of one file (``name``, ``path``) or of all together (""). ``moves`` frees
    ``freed``, which is at least that where ``is_enough``."""

    cause: Cause
    name: str
    path: str
    over: int
    moves: tuple[Move, ...]
    freed: int
    is_enough: bool


def fixes(load: Load) -> tuple[Fix, ...]:
    """One for each file over its own limit, then one for all together, counting what the former free."""
    found: list[Fix] = []
    for file in load.files:
        limit = file.own_limit or file.limit
        if Cause.PER_FILE in file.causes and limit is not None:
            found.append(_fix(Cause.PER_FILE, file, file.raw - limit, _candidates(load, [file])))
    over = _over_all(load, {fix.path: fix.freed for fix in found if fix.is_enough})
    if over > 0:
        taken = {(move.path, move.first) for fix in found for move in fix.moves}
        rest = [
            each
            for each in _candidates(load, [file for file in load.files if file.is_counted])
            if (each.path, each.first) not in taken
        ]
        found.append(_fix(Cause.TOTAL, None, over, rest))
    return tuple(found)


def most(load: Load) -> LoadedFile | None:
    """The file that takes the most of what all together may."""
    return max((each for each in load.files if each.is_counted), key=lambda each: each.injected, default=None)


def _over_all(load: Load, freed: dict[str, int]) -> int:
    """How much the files are too much together once each is within its own limit, by what is moved out of it or by
    being cut."""
    if load.limit is None or not any(Cause.TOTAL in each.causes for each in load.files):
        return 0
    wished = 0
    for each in load.files:
        if not each.is_counted:
            continue
        if each.path in freed:
            wished += each.raw - freed[each.path]
        elif Cause.TOTAL in each.causes:
            wished += each.raw if each.own_limit is None else min(each.raw, each.own_limit)
        else:
            wished += each.injected
    return max(0, wished - load.limit)


def _candidates(load: Load, files: list[LoadedFile]) -> list[Move]:
    moves: list[tuple[tuple[bool, bool, date, int], Move]] = []
    for file in files:
        if not file.source.strip():
            continue
        outline = outline_of(file.source, file.pinned)
        moves.extend(_move(file, outline, section, load) for section in outline.movable())
    return [move for _, move in sorted(moves, key=lambda each: each[0])]


def _move(
    file: LoadedFile, outline: Outline, section: Section, load: Load
) -> tuple[tuple[bool, bool, date, int], Move]:
    text = outline.text[section.start : section.end]
    day = newest_date(section.heading, text)
    is_pinned = outline.is_pinned(section.start, section.end)
    size = measure(file.counted[section.start : section.end], load.unit)
    move = Move(
        file.path,
        file.name,
        section.heading,
        section.first,
        section.last,
        size,
        day.isoformat() if day else "",
        is_pinned,
    )
    return (is_pinned, day is None, day or date.max, -size if day is None else 0), move


def _fix(cause: Cause, file: LoadedFile | None, over: int, those: list[Move]) -> Fix:
    chosen: list[Move] = []
    freed = 0
    for move in those:
        if freed >= over:
            break
        if move.size > _POINTER:
            chosen.append(move)
            freed += move.size - _POINTER
    name, path = (file.name, file.path) if file else ("", "")
    return Fix(cause, name, path, over, tuple(chosen), freed, freed >= over)
