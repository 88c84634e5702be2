"""A memory file cut into the pieces a merge moves: entries whole, and the layout between them.

Owns the round trip from bytes to pieces and back: every byte of a file is in exactly one
piece, damaged UTF-8 and mixed line ends included. A piece put into another file takes on that
file's line ends and encoding. Pure; called by `core.merging.merge` and its siblings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, entry_table
from conductd.core.reading.text import Encoding, decode

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_BOM = {
    Encoding.UTF_8_BOM: b"\xef\xbb\xbf",
    Encoding.UTF_16_LE: b"\xff\xfe",
    Encoding.UTF_16_BE: b"\xfe\xff",
}
_WIDE = (Encoding.UTF_16_LE, Encoding.UTF_16_BE)
_NO_KEY = b""  # merging compares texts, so the fingerprints here need no secret
_ONE_LINERS = (Kind.ITEM, Kind.ROW)
_SEPARATOR = "§"  # as in core.blocks: Hermes parts notes with it
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class Chunk(NamedTuple):
    """Whole lines. ``entry`` None: layout (blank lines, table delimiters, breaks).

    ``raw`` has the line ends of its file, ``key`` has ``\\n`` throughout: what a merge compares.
    """

    raw: str
    key: str
    entry: Entry | None

    @property
    def text(self) -> str | None:
        """The entry's normalised text: two entries of equal text are one entry."""
        return None if self.entry is None else self.entry.text

    @property
    def is_heading(self) -> bool:
        return self.entry is not None and self.entry.kind is Kind.HEADING

    @property
    def is_blank(self) -> bool:
        return not self.key.strip()


class Page(NamedTuple):
    """One file. ``eol`` is its own line end (the more frequent one)."""

    encoding: Encoding
    bom: bytes
    chunks: tuple[Chunk, ...]
    eol: str
    ends_with_eol: bool

    @property
    def texts(self) -> frozenset[str]:
        """The texts of its entries, headings included."""
        return frozenset(chunk.entry.text for chunk in self.chunks if chunk.entry is not None)


BLANK = Chunk("\n", "\n", None)


class Text(NamedTuple):
    """A file as lines, each with its line end."""

    encoding: Encoding
    bom: bytes
    lines: list[str]


def text_of(data: bytes) -> Text:
    """Every byte of the file, as lines."""
    return _text(data, decode(data).encoding)


def _text(data: bytes, encoding: Encoding) -> Text:
    bom = _BOM.get(encoding, b"")
    bom = bom if data.startswith(bom) else b""
    text = _decode(data[len(bom) :], encoding)
    if text is None:  # UTF-16 with half a character: as bytes, or something would not come back
        return Text(Encoding.BINARY, b"", _LINE.findall(data.decode("latin-1")))
    return Text(encoding, bom, _LINE.findall(text))


def page(data: bytes, table: EntryTable | None = None) -> Page:
    """Cut a file. Linear in its size. ``table``: its entries, where they are known."""
    table = table or entry_table(data, _NO_KEY)
    encoding, bom, lines = _text(data, table.encoding)
    if encoding is not table.encoding:
        table = EntryTable((), encoding, table.line_end, 0)
    return Page(encoding, bom, tuple(_chunks(lines, table)), end_of_line(lines), not lines or lines[-1][-1] in "\r\n")


def _chunks(lines: Sequence[str], table: EntryTable) -> Iterator[Chunk]:
    at = 0
    for entry in table.entries:
        first = max(at, entry.line - 1)
        yield from (_chunk(line, None) for line in lines[at:first])
        last = max(first, min(entry.last_line, len(lines)))
        if last > first:
            yield _chunk("".join(lines[first:last]), entry)
        at = last
    yield from (_chunk(line, None) for line in lines[at:])


def _chunk(raw: str, entry: Entry | None) -> Chunk:
    key = raw.replace("\r\n", "\n").replace("\r", "\n")
    return Chunk(raw, key if key.endswith("\n") else key + "\n", entry)


def end_of_line(lines: Sequence[str]) -> str:
    """The line end that most of the lines have."""
    crlf = sum(line.endswith("\r\n") for line in lines)
    lf = sum(line.endswith("\n") for line in lines) - crlf
    cr = sum(line.endswith("\r") for line in lines)
    return max((lf, "\n"), (crlf, "\r\n"), (cr, "\r"), key=lambda counted: counted[0])[1]


# --------------------------------------------------------------------------- back to bytes


class Piece(NamedTuple):
    """A chunk on its way into a result. ``own``: from the page that gives the style, so its bytes
    stay as they are. ``place`` is its number there, or in the page it was brought from."""

    chunk: Chunk
    own: bool
    place: int


def pieces(of: Page, own: bool) -> list[Piece]:
    return [Piece(chunk, own, index) for index, chunk in enumerate(of.chunks)]


def render(parts: Iterable[Piece], style: Page) -> bytes:
    """Bytes in the style of ``style``: its BOM, encoding, line ends and final newline.

    Where two pieces meet that did not follow each other in one file, and would run together to
    one entry, a blank line is put between them (or the file's own separator line, if it has one).
    """
    separator = _separator(style)
    found: list[str] = []
    before: Piece | None = None
    for part in parts:
        if before is not None:
            if not found[-1].endswith(("\n", "\r")):
                found.append(style.eol)
            if not (before.own == part.own and before.place + 1 == part.place):
                found.append(_between(before, part, separator, style))
        found.append(part.chunk.raw if part.own else _with_eol(part.chunk.key, style))
        before = part
    text = "".join(found)
    if style.chunks and not style.ends_with_eol:
        text = text.removesuffix("\n").removesuffix("\r")
    elif text and text[-1] not in "\r\n":
        text += style.eol
    return style.bom + encode(text, style.encoding)


def _separator(style: Page) -> str:
    """Some agents part the notes of a file with a line of its own."""
    return next((_SEPARATOR for chunk in style.chunks if chunk.key.strip() == _SEPARATOR), "")


def _between(before: Piece, after: Piece, separator: str, style: Page) -> str:
    one, two = before.chunk, after.chunk
    if separator and _SEPARATOR in (one.key.strip(), two.key.strip()):
        return ""
    if separator and one.entry is not None and two.entry is not None:
        return separator + style.eol
    if before.own and one.is_heading and not two.is_blank and _is_followed_by_blank(style, before.place):
        return style.eol
    return style.eol if _runs_together(one, two) else ""


def _is_followed_by_blank(of: Page, place: int) -> bool:
    return place + 1 < len(of.chunks) and of.chunks[place + 1].is_blank


def _runs_together(one: Chunk, two: Chunk) -> bool:
    if one.is_blank or two.is_blank:
        return False
    if one.entry is None or two.entry is None:
        # A table's delimiter and its rows belong together, whatever stood between them once.
        return two.entry is None or two.entry.kind is not Kind.ROW
    kinds = (one.entry.kind, two.entry.kind)
    if kinds == (Kind.FRONT_MATTER, Kind.FRONT_MATTER):
        return False
    if one.is_heading and one.key.count("\n") == 1:
        return two.is_heading  # for the eye
    if two.is_heading:
        return True
    return not (kinds[0] is kinds[1] and kinds[0] in _ONE_LINERS)


def _with_eol(key: str, style: Page) -> str:
    return key if style.eol == "\n" else key.replace("\n", style.eol)


def name(chunk: Chunk) -> str:
    """What two chunks are matched by: an entry's text whatever its layout, layout as it is."""
    return chunk.key if chunk.entry is None else f"\0{chunk.is_heading}{chunk.entry.text}"


def dedented(chunk: Chunk) -> Chunk:
    """The chunk without the indentation that it had below a parent that stays behind."""
    entry = chunk.entry
    first = chunk.key.split("\n", 1)[0]
    indent = len(first) - len(first.lstrip(" "))
    if not indent or entry is None or (entry.kind is Kind.CODE and not first.lstrip().startswith(("`", "~"))):
        return chunk
    lines = chunk.key.split("\n")
    text = "\n".join(line[indent:] if not line[:indent].strip() else line for line in lines)
    return chunk._replace(raw=text, key=text)


def at_end(of: Page) -> list[Piece]:
    """What must stand between the page and anything put after it: the end of a code block that was
    left open, or what follows would become code."""
    last = next((chunk for chunk in reversed(of.chunks) if chunk.entry is not None), None)
    if last is None or last.entry is None or last.entry.kind is not Kind.CODE:
        return []
    lines = last.key.rstrip("\n").split("\n")
    fence = _FENCE.match(lines[0])
    if fence is None:
        return []
    end = lines[-1].strip()
    if len(lines) > 1 and len(end) >= len(fence[1]) and not end.strip(fence[1][0]):
        return []
    line = fence[1] + of.eol
    return [Piece(Chunk(line, fence[1] + "\n", None), True, len(of.chunks))]


def _decode(data: bytes, encoding: Encoding) -> str | None:
    if encoding in _WIDE:
        try:
            return data.decode(encoding.value)
        except UnicodeDecodeError:
            return None
    if encoding in (Encoding.LATIN_1, Encoding.BINARY):
        return data.decode("latin-1")
    return data.decode("utf-8", "surrogateescape")


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes of a text without its BOM; what was not valid before is not afterwards either."""
    if encoding in _WIDE:
        return text.encode(encoding.value, "surrogatepass")
    if encoding in (Encoding.LATIN_1, Encoding.BINARY):
        # What has no Latin-1 byte comes from the other side, and goes in as UTF-8.
        return b"".join(
            line.encode("latin-1") if line.isascii() or _fits(line) else _utf_8(line) for line in _LINE.findall(text)
        )
    return _utf_8(text)


def _fits(line: str) -> bool:
    return all(ord(character) < 256 for character in line)


def _utf_8(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")
