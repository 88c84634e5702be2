"""What is left of a text when entries in it are forgotten: pure redaction, byte for byte outside of them.

Owns the stand-in `[forgotten]` and where it goes: in the place of each line of an entry, so that list markers,
quotes, table borders, fences and the number of lines stay, and every other entry keeps its place and its bytes. The
entries to forget are given as keyed fingerprints, never as text. Called by the engine for what is hidden, for
what is erased and for what the daemon is about to write.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple

from conductd.core.forget_forms import ZERO_WIDTH, bare
from conductd.core.reading import text as text_
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, entry_table, fingerprint
from conductd.core.reading.line_shapes import FENCE, SETEXT
from conductd.core.reading.text import Encoding
from conductd.model import Frozen, Literal

STAND_IN = text_.FORGOTTEN

_CODECS = {
    Encoding.UTF_8: ("utf-8", "surrogateescape", b""),
    Encoding.UTF_8_BOM: ("utf-8", "surrogateescape", b"\xef\xbb\xbf"),
    Encoding.UTF_16_LE: ("utf-16-le", "surrogatepass", b"\xff\xfe"),
    Encoding.UTF_16_BE: ("utf-16-be", "surrogatepass", b"\xfe\xff"),
    Encoding.LATIN_1: ("latin-1", "strict", b""),
    Encoding.BINARY: ("latin-1", "strict", b""),
}
_LINE_END = re.compile(r"(\r\n|\r|\n)")
_RUN = re.compile(r"[^\x00\r\n]+")  # of a file that is no text: what stands between NULs and line ends
_BEFORE = re.compile(r"[\s>]*")
_BEFORE_ITEM = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*")
_BEFORE_HEADING = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(?:#{1,6}\s+)?")
_FENCE_LINE = re.compile(r"[\s>]*(?:(?:[-+*]|\d{1,9}[.)])\s+)*(?:`{3,}|~{3,})")
_KEY = re.compile(r"[^\s#:-][^:]*:|[\"'][^\"']+[\"']\s*:")
_CELL = re.compile(r"[^|]*[^|\s][^|]*")


class Marks(Frozen, frozen=True):
    """What is forgotten, without saying what it is.

    ``entries``: fingerprints of whole entries. ``exact``: fingerprints of stretches of text as they stand, of
    which only the stretch is replaced. ``guards``: of folded texts whose every entry is forgotten that holds them.
    """

    entries: frozenset[bytes] = frozenset()
    exact: frozenset[Literal] = frozenset()
    guards: frozenset[Literal] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.entries or self.exact or self.guards)


class Piece(NamedTuple):
    """An entry, or a run of a file that is no text. ``joined`` is its text as if no line had been broken."""

    entry: Entry
    joined: str


class Opened(NamedTuple):
    """A file's characters, with what makes them bytes again."""

    text: str
    encoding: Encoding
    bom: bytes

    def close(self, text: str) -> bytes:
        codec, errors, _ = _CODECS[self.encoding]
        return self.bom + text.encode(codec, errors)


def open_text(data: bytes) -> Opened | None:
    """Its characters without loss; None when the bytes cannot be had back from them (a torn UTF-16 file)."""
    encoding = text_.decode(data).encoding
    codec, errors, bom = _CODECS[encoding]
    rest = data.removeprefix(bom) if bom else data
    bom = data[: len(data) - len(rest)]
    try:
        opened = Opened(rest.decode(codec, errors), encoding, bom)
        return opened if opened.close(opened.text) == data else None
    except UnicodeError:
        return None


def pieces(data: bytes, key: bytes) -> Iterator[Piece]:
    """All entries of a file; of one that is no text, the runs between its line ends and NULs."""
    table = entry_table(data, key)
    if table.encoding is Encoding.BINARY:
        for entry, _, _ in _runs(data.decode("latin-1"), key):
            yield Piece(entry, entry.text)
        return
    lines = text_.decode(data).text.split("\n")
    for entry in table.entries:
        own = lines[entry.line - 1 : entry.last_line]
        if len(own) == 1 and (own[0].isascii() or ZERO_WIDTH.search(own[0]) is None):
            yield Piece(entry, entry.text)
            continue
        parts = (_BEFORE.sub("", ZERO_WIDTH.sub("", line), count=1).rstrip() for line in own)
        yield Piece(entry, text_.normalise("".join(parts)))


def fold(text: str) -> str:
    """How literals are compared: without layout and case."""
    return text_.normalise(text).casefold()


def literal(folded_or_exact: str, key: bytes) -> Literal:
    """The fingerprint of a stretch of text, with its length."""
    return Literal(len(folded_or_exact), _mark(folded_or_exact, key))


def redact(data: bytes, marks: Marks, key: bytes, known: Sequence[Piece] | None = None) -> bytes | None:
    """The bytes without what is forgotten; the same bytes when there is nothing of it; None when it cannot be cut
    out, so that all of them have to go. ``known``: their pieces, when they are at hand."""
    if not marks or not data:
        return data
    opened = open_text(data)
    if opened is None:
        return None if any(is_forgotten(piece, marks, key) for piece in pieces(data, key)) else data
    text = _without_entries(opened, data, marks, key, known)
    if marks.exact:
        text = cut(text, marks.exact, key)
    return data if text == opened.text else opened.close(text)


def holds(data: bytes, marks: Marks, key: bytes) -> bool:
    """Whether something in these bytes is forgotten."""
    return bool(data) and redact(data, marks, key) != data


def cut(text: str, exact: Collection[Literal], key: bytes) -> str:
    """The text with `[forgotten]` in the place of each stretch, the longest first."""
    for length in sorted({each.length for each in exact}, reverse=True):
        known = {each.mark for each in exact if each.length == length}
        at = 0
        while at + length <= len(text):
            if _mark(text[at : at + length], key) in known:
                text = text[:at] + STAND_IN + text[at + length :]
                at += len(STAND_IN)
            else:
                at += 1
    return text


def has_literal(folded: str, literals: Collection[Literal], key: bytes) -> bool:
    """Whether a folded text holds one of the stretches."""
    for length in {each.length for each in literals}:
        known = {each.mark for each in literals if each.length == length}
        for at in range(len(folded) - length + 1):
            if _mark(folded[at : at + length], key) in known:
                return True
    return False


def is_forgotten(piece: Piece, marks: Marks, key: bytes) -> bool:
    """By its fingerprint, or because it holds a guarded stretch."""
    if piece.entry.fingerprint in marks.entries:
        return True
    if not marks.guards:
        return False
    folded = piece.entry.text.casefold()
    if has_literal(folded, marks.guards, key):
        return True
    joined = piece.joined.casefold()
    if joined != folded and has_literal(joined, marks.guards, key):
        return True
    others = {bare(piece.entry.text), bare(piece.joined)} - {folded, joined}
    return any(has_literal(other, marks.guards, key) for other in others)


# --------------------------------------------------------------------------- parts


def _mark(text: str, key: bytes) -> bytes:
    person = b"forget"  # not comparable with the fingerprint of an entry
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64], person=person).digest()


def _without_entries(
    opened: Opened, data: bytes, marks: Marks, key: bytes, known: Sequence[Piece] | None = None
) -> str:
    if not marks.entries and not marks.guards:
        return opened.text
    if opened.encoding is Encoding.BINARY:
        return _without_runs(opened.text, marks, key)
    parts = _LINE_END.split(opened.text)  # line, line end, line, …
    for piece in known if known is not None else pieces(data, key):
        if is_forgotten(piece, marks, key):
            entry = piece.entry
            lines = [parts[2 * number] for number in range(entry.line - 1, entry.last_line)]
            for number, line in enumerate(_blank(entry, lines), entry.line - 1):
                parts[2 * number] = line
    return "".join(parts)


def _blank(entry: Entry, lines: Sequence[str]) -> list[str]:
    """The lines of an entry with only their layout left."""
    out = []
    for number, line in enumerate(lines):
        fence = _FENCE_LINE.match(line) if entry.kind is Kind.CODE and number in (0, len(lines) - 1) else None
        if not line.strip():
            out.append(line)
        elif fence is not None and FENCE.match(line[_BEFORE_ITEM.match(line).end() :]):  # type: ignore[union-attr]
            out.append(fence[0])
        elif entry.kind is Kind.ROW:
            out.append(_CELL.sub(_cell, line))
        elif entry.kind is Kind.HEADING and number and SETEXT.fullmatch(line.strip(" >\t")):
            out.append(line)
        else:
            out.append(_layout(entry.kind, number, line) + STAND_IN)
    return out


def _cell(found: re.Match[str]) -> str:
    cell = found[0]
    lead = cell[: len(cell) - len(cell.lstrip())]
    return lead + STAND_IN + cell[len(cell.rstrip()) :]


def _layout(kind: Kind, number: int, line: str) -> str:
    """What stands before the text of a line and stays."""
    if kind is Kind.FRONT_MATTER and number == 0 and (name := _KEY.match(line)):
        return name[0] + " "
    before = _BEFORE
    if number == 0 and kind is Kind.ITEM:
        before = _BEFORE_ITEM
    elif kind is Kind.HEADING:
        before = _BEFORE_HEADING
    found = before.match(line)
    assert found is not None
    return found[0]


def _runs(text: str, key: bytes) -> Iterator[tuple[Entry, int, int]]:
    """Of bytes read as Latin-1: each run as an entry, and where it is."""
    for number, found in enumerate(_RUN.finditer(text), 1):
        normal = text_.normalise(found[0].encode("latin-1").decode("utf-8", "surrogateescape"))
        if normal:
            mark = fingerprint(normal, key)
            yield Entry(Kind.PARAGRAPH, number, number, (), normal, (), mark), found.start(), found.end()


def _without_runs(text: str, marks: Marks, key: bytes) -> str:
    out, at = [], 0
    for entry, start, end in _runs(text, key):
        if is_forgotten(Piece(entry, entry.text), marks, key):
            out += [text[at:start], STAND_IN]
            at = end
    return "".join([*out, text[at:]])
