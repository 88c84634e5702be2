"""A line-based scanner for the leaf blocks of a Markdown file.

Owns block structure: which lines form a list item, a paragraph, a table row, a code block, a
heading, a front matter key. Follows CommonMark's container algorithm and markdown-it's tables
(a property test holds the two together); inline markup is none of its business. Written because
a full parser takes 1.8 s for 2 MB. Called by `core.reading.entries` only.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from conductd.core.reading.line_shapes import (
    BREAK,
    DELIMITER_ROW,
    FENCE,
    FRONT_MATTER_KEY,
    HEADING,
    HEADING_CLOSE,
    HTML_START,
    MARKER,
    SEPARATOR,
    SETEXT,
    cells,
)


class Kind(StrEnum):
    ITEM = "item"  # the first paragraph of a list item
    PARAGRAPH = "paragraph"
    ROW = "row"
    CODE = "code"
    HEADING = "heading"
    HTML = "html"
    FRONT_MATTER = "front_matter"


class Block(NamedTuple):
    """A leaf block: 0-based first and last line, and its text without container markers."""

    kind: Kind
    first: int
    last: int
    text: str
    level: int = 0  # of a heading


_MAX_DEPTH = 32  # of containers: deeper ones are text


def scan(lines: list[str]) -> list[Block]:
    """The leaf blocks of a file, in order. Blank lines, thematic breaks, empty items and table
    delimiters are layout and yield nothing."""
    start, blocks = _front_matter(lines)
    scanner = _Scanner(blocks)
    for number in range(start, len(lines)):
        scanner.feed(number, lines[number])
    scanner.finish()
    return scanner.blocks


def _front_matter(lines: list[str]) -> tuple[int, list[Block]]:
    """Front matter at the very start: one block per top-level key. (next line, blocks)"""
    if not lines or lines[0].rstrip() != "---":
        return 0, []
    end = next((n for n in range(1, len(lines)) if lines[n].rstrip() in ("---", "...")), None)
    if end is None or not any(FRONT_MATTER_KEY.match(line) for line in lines[1:end]):
        return 0, []
    blocks: list[Block] = []
    first = 1
    for number in range(1, end + 1):
        if number < end and not (number > first and FRONT_MATTER_KEY.match(lines[number])):
            continue
        text = "\n".join(lines[first:number])
        if text.strip():
            blocks.append(Block(Kind.FRONT_MATTER, first, number - 1, text))
        first = number
    return end + 1, blocks


class _Item:
    """An open list item: its content starts at this many columns inside its parent."""

    __slots__ = ("empty", "offset")

    def __init__(self, offset: int, empty: bool) -> None:
        self.offset = offset
        self.empty = empty  # no content yet: a second blank line closes it


_QUOTE = None  # an open block quote


class _Scanner:
    def __init__(self, blocks: list[Block]) -> None:
        self.blocks = blocks
        self.containers: list[_Item | None] = []
        self.paragraph: list[str] = []
        self.kind = Kind.PARAGRAPH
        self.first = 0
        self.last = 0
        self.header_depth = -1  # of the last line of the paragraph; -1: it cannot head a table
        self.item_opened = False  # the next paragraph is the text of a new item
        self.code: list[str] = []
        self.code_first = -1  # ≥ 0: inside a code or HTML block
        self.fence = ""  # closing fence, "" for an indented block
        self.html_end: re.Pattern[str] | None = None
        self.in_html = False
        self.table_columns = 0  # > 0: inside a table
        self.table_depth = 0

    # ------------------------------------------------------------------ one line

    def feed(self, number: int, line: str) -> None:
        if "\t" in line:
            line = line.expandtabs(4)
        rest, depth = self._match_containers(line)
        blank = not rest or rest.isspace()
        complete = depth == len(self.containers)
        if self.code_first >= 0:
            if complete and self._continue_code(number, rest, blank):
                return
            self._close_code()
        if blank:
            self._blank(depth)
            return
        if self.table_columns and (not complete or depth != self.table_depth):
            self.table_columns = 0
        self._start(number, rest, depth, complete)

    def _match_containers(self, line: str) -> tuple[str, int]:
        """Strip the markers of the open containers: (what is left, how many matched)."""
        rest = line
        for depth, container in enumerate(self.containers):
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            if container is _QUOTE:
                if indent > 3 or not stripped.startswith(">"):
                    return rest, depth
                rest = stripped[2:] if stripped.startswith("> ") else stripped[1:]
            elif not stripped:
                if container.empty:
                    return rest, depth
                rest = ""
            elif indent >= container.offset:
                rest = rest[container.offset :]
            else:
                return rest, depth
        return rest, len(self.containers)

    def _blank(self, depth: int) -> None:
        self._close_paragraph()
        self.table_columns = 0
        del self.containers[depth:]
        self.item_opened = False

    # ------------------------------------------------------------------ starting blocks

    def _start(self, number: int, rest: str, depth: int, complete: bool) -> None:
        """Find the block that begins (or goes on) on this line."""
        fresh = False  # a container was opened on this line
        while True:
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            in_paragraph = bool(self.paragraph)
            lazy = in_paragraph and not complete and not fresh
            if not stripped:
                self._leave(depth, fresh)
                return
            if indent > 3:
                if in_paragraph and not fresh:
                    self.paragraph.append(stripped)
                    self.last = number
                    self.header_depth = -1
                    return
                self._leave(depth, fresh)
                self._open_code(number, rest[4:])
                return
            opening = stripped[0]
            if opening == ">" and len(self.containers) < _MAX_DEPTH:
                self._leave(depth, fresh)
                self.containers.append(_QUOTE)
                depth += 1
                rest = stripped[2:] if stripped.startswith("> ") else stripped[1:]
                fresh, self.item_opened = True, False
                continue
            closing = in_paragraph and complete and not fresh
            if closing and (self._heads_table(number, stripped) or self._underlines(number, stripped)):
                return
            if opening in "-*_" and BREAK.match(stripped):
                self._leave(depth, fresh)
                self._fill_items()
                return
            if marker := self._marker(stripped, complete and in_paragraph and not fresh):
                self._leave(depth, fresh)
                width = len(marker[1])
                spaces = len(marker[3])
                empty = marker.end() >= len(stripped)
                offset = indent + width + (1 if empty or spaces > 4 else spaces)
                self.containers.append(_Item(offset, empty))
                depth += 1
                rest = stripped[offset - indent :]
                fresh, self.item_opened = True, True
                if empty:
                    return
                continue
            break
        if not (lazy and not self._begins_block(stripped)):
            self._leave(depth, fresh, keep_paragraph=True)
            if self._leaf(number, stripped):
                self.table_columns = 0
                return
        self._text(number, stripped, depth, lazy)

    def _heads_table(self, number: int, stripped: str) -> bool:
        """A delimiter row under the last line of the paragraph, which then heads a table (outside the item
        that the line went on with lazily)."""
        header = self.paragraph[-1]
        if (
            stripped[0] not in "|-:"
            or "|" not in header
            or stripped.startswith("- ")
            or self.header_depth < 0
            or not DELIMITER_ROW.match(stripped)
            or len(cells(stripped)) != len(cells(header))
        ):
            return False
        self.paragraph.pop()
        self.last = number - 2
        self._close_paragraph()
        del self.containers[self.header_depth :]
        self._emit(Block(Kind.ROW, number - 1, number - 1, header))
        self.table_columns = len(cells(header))
        self.table_depth = self.header_depth
        return True

    def _underlines(self, number: int, stripped: str) -> bool:
        """A setext underline: the paragraph is a heading."""
        underline = SETEXT.match(stripped)
        if underline is None:
            return False
        text = " ".join(self.paragraph)
        self._emit(Block(Kind.HEADING, self.first, number, text, 1 if underline[1][0] == "=" else 2))
        self.paragraph = []
        return True

    def _marker(self, stripped: str, interrupts: bool) -> re.Match[str] | None:
        if len(self.containers) >= _MAX_DEPTH or not (stripped[0] in "-+*" or stripped[0].isdigit()):
            return None
        marker = MARKER.match(stripped)
        if marker is None:
            return None
        # An empty item, or a numbered one that does not begin at 1, cannot interrupt a paragraph.
        if interrupts and (marker.end() >= len(stripped) or (marker[2] is not None and int(marker[2]) != 1)):
            return None
        return marker

    def _begins_block(self, stripped: str) -> bool:
        opening = stripped[0]
        if opening == "#":
            return bool(HEADING.match(stripped))
        if opening in "`~":
            return bool(FENCE.match(stripped))
        if opening == "<":
            return any(start.match(stripped) for start, _ in HTML_START[:6])
        return stripped.strip() == SEPARATOR

    def _leaf(self, number: int, stripped: str) -> bool:
        """A block that is recognised by its first line."""
        opening = stripped[0]
        if opening == "#" and (heading := HEADING.match(stripped)):
            self._close_paragraph()
            text = HEADING_CLOSE.sub("", heading[2]).strip()
            self._fill_items()
            if text:
                self._emit(Block(Kind.HEADING, number, number, text, len(heading[1])))
            return True
        if opening in "`~" and (fence := FENCE.match(stripped)):
            self._close_paragraph()
            self._open_code(number, stripped, fence=fence[1] or fence[3])
            return True
        if opening == "<":
            for rank, (start, end) in enumerate(HTML_START):
                if start.match(stripped) and not (rank == 6 and self.paragraph):
                    self._close_paragraph()
                    self._open_code(number, stripped, html=True, html_end=end)
                    if end is not None and end.search(stripped):
                        self._close_code()
                    return True
        if stripped.strip() == SEPARATOR:
            self._close_paragraph()
            return True
        return False

    def _text(self, number: int, stripped: str, depth: int, lazy: bool) -> None:
        if self.table_columns and not lazy:
            self._emit(Block(Kind.ROW, number, number, stripped))
            return
        if not self.paragraph:
            self.first = number
            self.kind = Kind.ITEM if self.item_opened else Kind.PARAGRAPH
            self._fill_items()
        self.paragraph.append(stripped)
        self.last = number
        self.header_depth = depth

    # ------------------------------------------------------------------ ending blocks

    def _leave(self, depth: int, fresh: bool, keep_paragraph: bool = False) -> None:
        """Close what the line is no longer inside of."""
        if depth < len(self.containers):
            self._close_paragraph()
            del self.containers[depth:]
            self.item_opened = False
        elif not keep_paragraph and not fresh:
            self._close_paragraph()
        if not keep_paragraph:
            self.table_columns = 0

    def _emit(self, block: Block) -> None:
        self.blocks.append(block)
        self._fill_items()

    def _fill_items(self) -> None:
        self.item_opened = False
        for container in self.containers:
            if container is not None:
                container.empty = False

    def _close_paragraph(self) -> None:
        if self.paragraph:
            text = "\n".join(self.paragraph)
            self.paragraph = []
            self._emit(Block(self.kind, self.first, self.last, text))

    # ------------------------------------------------------------------ code and HTML

    def _open_code(
        self, number: int, text: str, fence: str = "", html: bool = False, html_end: re.Pattern[str] | None = None
    ) -> None:
        self._close_paragraph()
        self.table_columns = 0
        self._fill_items()
        self.code = [] if fence else [text]
        self.code_first = number
        self.last = number
        self.fence, self.in_html, self.html_end = fence, html, html_end

    def _continue_code(self, number: int, rest: str, blank: bool) -> bool:
        """Take the line into the open block; False: the block has ended before it."""
        if self.fence:
            stripped = rest.strip()
            indent = len(rest) - len(rest.lstrip(" "))
            closes = indent < 4 and len(stripped) >= len(self.fence) and not stripped.strip(self.fence[0])
            if closes:
                self.last = number
                self._close_code()
                return True
            self.code.append(rest)
            self.last = number
            return True
        if self.in_html:
            if self.html_end is None and blank:
                return False
            self.code.append(rest)
            self.last = number
            if self.html_end is not None and self.html_end.search(rest):
                self._close_code()
            return True
        if blank:
            self.code.append("")
            return True
        if not rest.startswith("    "):
            return False
        self.code.append(rest[4:])
        self.last = number
        return True

    def _close_code(self) -> None:
        text = "\n".join(self.code)
        kind = Kind.HTML if self.in_html else Kind.CODE
        first, self.code_first, self.code = self.code_first, -1, []
        if text.strip():
            self._emit(Block(kind, first, self.last, text))

    def finish(self) -> None:
        if self.code_first >= 0:
            self._close_code()
        self._close_paragraph()
