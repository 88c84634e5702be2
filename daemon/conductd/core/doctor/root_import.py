"""Two files of notes become one: what the other has and this one lacks goes below a heading of its own at the end.

Pure. Nothing of either is lost: it is looked whether every entry is in the result, and where taking over only what is
new would lose one, the other text is taken over as it is.
"""

from __future__ import annotations

import itertools
import re

from conductd.core.merging.put_back import append_after
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, entry_table
from conductd.core.reading.text import Encoding

HEADING = "## Imported From Legacy Root "
_ALL = Thresholds(new_entry_tokens=1, new_entry_cjk=1)
_PIN_MARK = re.compile(rb"<!--\s*/?\s*(?:un)?pin\b", re.IGNORECASE)
_CONFLICT = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |$)", re.MULTILINE)
_TEXT = (Encoding.UTF_8, Encoding.UTF_8_BOM)


def why_not(own: bytes, other: bytes) -> str:
    """Why the two cannot be merged safely, as a clause; "" when they can."""
    for data in (own, other):
        if data and entry_table(data, b"").encoding not in _TEXT:
            return "one of the two is no UTF-8 text"
        if _CONFLICT.search(data):
            return "one of the two holds marks of an unsettled conflict"
    if own.strip():
        last = entry_table(_titled(own, _eol(own), "x"), b"").entries[-1:]
        if not last or last[0].kind is not Kind.HEADING:
            return "the one that is loaded ends inside a code block or comment: close that first"
    return ""


def merged(own: bytes, other: bytes, name: str) -> bytes:
    """``own`` with what ``other`` has and it lacks, below `HEADING` and ``name``; ``own`` when it lacks nothing.
    Raises ValueError for what `why_not` speaks against."""
    reason = why_not(own, other)
    if reason:
        raise ValueError(reason)
    mine, others = entry_table(own, b""), entry_table(other, b"")
    if not _missing(others, mine) or not other.strip():
        return own
    if not own.strip():
        return other
    eol = _eol(own)
    titled = _titled(own, eol, name)
    if not _PIN_MARK.search(other):
        result = append_after(titled, other, _ALL)
        if result.startswith(titled) and not _missing(others, entry_table(result, b"")):
            return result if result.endswith((b"\n", b"\r")) else result + eol
        result = titled + eol + _lines(_new_lines(other, others, mine), eol)
        if not _missing(others, entry_table(result, b"")):
            return result
    return titled + eol + _lines(other, eol)


def _lines(text: bytes, eol: bytes) -> bytes:
    """With these line ends, and one at the end."""
    return text.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").strip(b"\n").replace(b"\n", eol) + eol


def _new_lines(text: bytes, table: EntryTable, mine: EntryTable) -> bytes:
    """The text without the items and paragraphs that are known, and without headings that nothing is left below."""
    lines = text.replace(b"\r\n", b"\n").split(b"\n")
    has, headings = _notes(mine), {each.fingerprint for each in mine.entries}
    bare = {number for number in _bare_headings(table) if table.entries[number].fingerprint not in headings}
    known = [number not in bare and each.fingerprint in has for number, each in enumerate(table.entries)]
    drop: set[int] = set()
    for number, each in enumerate(table.entries):
        following = table.entries[number + 1 :]
        if each.kind is Kind.HEADING:
            path = (*each.headings, each.text)
            below = _while_below(path, following)
            is_empty = number not in bare and all(
                known[number + 1 + at]
                for at, other in enumerate(below)
                if other.kind is not Kind.HEADING or number + 1 + at in bare
            )
            drop |= set(range(each.line, each.last_line + 1)) if is_empty else set()
        elif known[number] and each.kind is not Kind.ROW and not _carries(lines, each, following, known, number):
            drop |= set(range(each.line, each.last_line + 1))
    return b"\n".join(line for number, line in enumerate(lines, 1) if number not in drop)


def _while_below(path: tuple[str, ...], following: tuple[Entry, ...]) -> list[Entry]:
    return list(itertools.takewhile(lambda other: other.headings[: len(path)] == path, following))


def _carries(lines: list[bytes], item: Entry, following: tuple[Entry, ...], known: list[bool], number: int) -> bool:
    """Whether something new stands below the item, further in."""
    depth = _indent(lines[item.line - 1])
    below = itertools.takewhile(lambda each: _indent(lines[each.line - 1]) > depth, following)
    return any(not known[number + 1 + at] for at, _ in enumerate(below))


def _indent(line: bytes) -> int:
    return len(line) - len(line.lstrip(b" \t"))


def _eol(own: bytes) -> bytes:
    return b"\r\n" if b"\r\n" in own else b"\n"


def _titled(own: bytes, eol: bytes, name: str) -> bytes:
    return _ended(own, eol) + (HEADING + name).encode("utf-8", "replace") + eol


def _ended(own: bytes, eol: bytes) -> bytes:
    """With a blank line at its end."""
    if own.endswith((eol + eol, b"\n\n")):
        return own
    return own + eol if own.endswith((b"\n", b"\r")) else own + eol + eol


def _missing(wanted: EntryTable, there: EntryTable) -> bool:
    has, there_is = _notes(there), {each.fingerprint for each in there.entries}
    bare = _bare_headings(wanted)
    return any(
        each.fingerprint not in (there_is if each.kind is Kind.HEADING else has)
        for number, each in enumerate(wanted.entries)
        if each.kind is not Kind.HEADING or number in bare
    )


def _bare_headings(table: EntryTable) -> set[int]:
    """Headings with nothing below them say what they say by themselves."""
    return {
        number
        for number, each in enumerate(table.entries)
        if each.kind is Kind.HEADING and not _while_below((*each.headings, each.text), table.entries[number + 1 :])
    }


def _notes(table: EntryTable) -> frozenset[bytes]:
    """The fingerprints of what is no heading: a heading that reads like a note is not that note."""
    return frozenset(each.fingerprint for each in table.entries if each.kind is not Kind.HEADING)
