"""Which lines of a note are about something that is still to be done. Pure."""

from __future__ import annotations

from conductd.core.notes import telling
from conductd.core.notes.quoting import content
from conductd.core.notes.source import Line
from conductd.core.reading.blocks import Kind as Block


def is_live(line: Line) -> bool:
    """It says something, and neither itself nor a heading above says that it is over."""
    return (
        line.is_content
        and bool(content(line.text))
        and telling.box(line.text) is not False
        and not telling.is_struck(line.text)
        and not telling.is_done(line.headings)
    )


def is_open(line: Line) -> bool:
    """By its box, the heading it stands under, its label, or the words it begins with."""
    if not is_live(line):
        return False
    if telling.box(line.text):
        return True
    if line.block is Block.ITEM and telling.is_open(line.headings):
        return True
    text = content(line.text).lstrip("*_`# ")
    found = telling.label(line.text)
    if found is not None:
        return telling.OPEN_WORDS.are(found[0]) and bool(found[1])
    return text.upper().startswith(("TODO ", "TODO(")) or telling.WAITING_WORDS.begin(text)
