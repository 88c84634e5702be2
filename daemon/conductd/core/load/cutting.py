"""What limits do to texts: one file cut to what it may take, and a budget that files share in load order.

Pure; exact in the unit that is counted. No character is ever loaded by half: where a cut goes through one, it is left
out, and `splits` says so. Nothing is ever over its budget. Called by the loaders that are described as data
(`core.load.chains`) and by those of Claude Code and Hermes.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import floor

from conductd.core.load.body import Body, body_of, front_matter_end, part_of, rest_of, without_comments
from conductd.core.load.counting import first_from, measure, readable, trimmed_end, trimmed_start, whole_before
from conductd.core.load.limits import Keep, Limits, filled
from conductd.core.load.loaded import Cause, LoadedFile, Unit, Why
from conductd.model import Frozen

_BOM = "\ufeff"


class Document(Frozen, frozen=True):
    """One file as it was read (`core.load.counting.text_in`). ``note``: what is said of it."""

    name: str
    path: str
    text: str
    limits: Limits
    note: str = ""


class _Piece(Frozen, frozen=True):
    """A part of the body, from ``start`` to ``end``, or, with both 0, a marker."""

    text: str
    start: int = 0
    end: int = 0


def spend(documents: Iterable[Document], unit: Unit, total: int | None = None) -> list[LoadedFile]:
    """Every document in load order, with what is loaded of it. ``total``: what all may take together; None: no
    limit."""
    left = total
    found: list[LoadedFile] = []
    for each in documents:
        loaded = cut(each, unit, left if each.limits.in_total else None)
        if left is not None and loaded.is_counted:
            # The half of a character that was cut takes its room all the same.
            is_used_up = loaded.splits and Cause.TOTAL in loaded.causes and each.limits.keep is not Keep.HEAD_TAIL
            left = 0 if is_used_up else left - loaded.injected
        found.append(loaded)
    return found


def cut(document: Document, unit: Unit, left: int | None = None) -> LoadedFile:
    """One file, cut to its limits and to what is left of the total."""
    limits = document.limits
    body = _body(document.text, limits, unit)
    size, lines = measure(body.text, unit), _lines(body.text)
    own = limits.per_file or None
    most = min((each for each in (own, left) if each is not None), default=None)
    by_lines = 0 < limits.lines < lines
    causes = []
    if by_lines or (own is not None and size > own):
        causes.append(Cause.PER_FILE)
    wanted = measure(body.text[: _end_of_line(body.text, limits.lines)], unit) if by_lines else size
    if left is not None and wanted > left and (own is None or left < own):
        causes.append(Cause.TOTAL)
    if not body.text.strip():
        pieces, splits, causes = [], False, []
    elif not causes:
        pieces, splits = [_Piece(body.text, 0, len(body.text))], False
    else:
        whole, splits = _cut(body.text, size, most, document, unit, by_lines=by_lines)
        pieces = _clamped(whole, left, unit)
        if pieces != [piece for piece in whole if piece.text] and Cause.TOTAL not in causes:
            causes.append(Cause.TOTAL)
    text = "".join(piece.text for piece in pieces)
    injected = measure(text, unit)
    kept = tuple(place for piece in pieces for place in part_of(body.kept, piece.start, piece.end))
    is_empty = not body.text.strip()
    source = "" if is_empty else readable(document.text)
    return LoadedFile(
        document.name,
        document.path,
        size,
        injected,
        readable(text) or None,
        most or None,
        tuple(causes),
        Why.EMPTY if is_empty else Why.LOADED if text else Why.NO_ROOM,
        document.note,
        source,
        kept,
        own_limit=sum(measure(piece.text, unit) for piece in pieces if piece.end) if by_lines else own,
        is_counted=limits.in_total,
        lines=lines if limits.lines else 0,
        lines_limit=limits.lines or None,
        splits=splits,
        never=() if is_empty else rest_of(body.kept, len(document.text)),
        escaped="" if is_empty or source == document.text else document.text,
    )


def _body(text: str, limits: Limits, unit: Unit) -> Body:
    """What is counted: without what is never loaded."""
    start = 0
    if not limits.frontmatter:
        bom = len(_BOM) if text.startswith(_BOM) else 0
        start = front_matter_end(text[bom:])
        start += bom if start else 0
    if limits.comments:
        body = body_of(text, ((start, len(text)),) if start < len(text) else ())
    else:
        body = without_comments(text, start)
    low = len(body.text) - len(trimmed_start(body.text, unit)) if limits.trim_start else 0
    high = len(trimmed_end(body.text, unit)) if limits.trim_end else len(body.text)
    if (low, high) == (0, len(body.text)):
        return body
    return Body(body.text[low:high], part_of(body.kept, low, max(low, high)))


def _lines(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") if text else 0)


def _cut(
    text: str, size: int, most: int | None, document: Document, unit: Unit, *, by_lines: bool
) -> tuple[list[_Piece], bool]:
    """The parts that are loaded, and whether a cut went through a character. ``most`` None: only lines are limited."""
    limits = document.limits
    if most == 0:
        return [], False
    base, is_marked = _base(document, size, most, unit)
    length = _end_of_line(text, limits.lines) if by_lines else len(text)
    if limits.keep is Keep.HEAD:
        end, start = min(length, whole_before(text, base, unit)), len(text)
        splits = end < length and measure(text[:end], unit) < base
    else:
        shares = (0.0, 1.0) if limits.keep is Keep.TAIL else (limits.head, limits.tail)
        head, tail = (floor(base * share) for share in shares)
        end = whole_before(text, head, unit)
        start = max(end, first_from(text, size - tail, unit))
        splits = measure(text[:end], unit) < head or measure(text[start:], unit) < tail
    first, last = _Piece(text[:end], 0, end), _Piece(text[start:], start, len(text))
    if not is_marked:
        return [first, last], splits
    sizes = [measure(piece.text, unit) for piece in (first, last)]
    return [first, _Piece(_marker(document, size, most, *sizes)), last], splits


def _base(document: Document, size: int, most: int | None, unit: Unit) -> tuple[int, bool]:
    """What the text itself may take, and whether there is a marker: one that would take more than half of the room is
    left out. Its numbers are counted as if they were as wide as the file's size."""
    limits = document.limits
    if most is None or not limits.marker or not limits.marker_counted:
        return (size if most is None else most), bool(limits.marker)
    takes = measure(_marker(document, size, most, size, size), unit)
    return (most - takes, True) if 2 * takes <= most else (most, False)


def _end_of_line(text: str, count: int) -> int:
    """Where the line ends, without its end."""
    place = -1
    for _ in range(count):
        place = text.find("\n", place + 1)
        if place < 0:
            return len(text)
    return place


def _marker(document: Document, size: int, most: int | None, head: int, tail: int) -> str:
    numbers = {"size": size, "limit": most or size, "head": head, "tail": tail}
    numbers |= {"kept": head + tail, "gone": abs(size - head - tail)}
    values = {key: str(number) for key, number in numbers.items()}
    names = {"name": _writable(document.name), "path": _writable(document.path)}
    return filled(document.limits.marker, values | names)


def _writable(name: str) -> str:
    """A name of any bytes as text that can be encoded."""
    return name if name.isascii() else "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in name)


def _clamped(pieces: list[_Piece], left: int | None, unit: Unit) -> list[_Piece]:
    """What fits in what is left of the total, from the beginning: a marker may come on top of a file's own limit, of
    the total never."""
    found: list[_Piece] = []
    for piece in pieces:
        size = measure(piece.text, unit)
        if left is not None and size > left:
            fits = whole_before(piece.text, left, unit)
            piece = _Piece(piece.text[:fits], piece.start, piece.start + fits if piece.end else 0)
            size = left
        if left is not None:
            left -= size
        if piece.text:
            found.append(piece)
    return found
