"""What the checks of content look at: notes as sources and entries, read once. Pure; the work is bounded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from conductd.core.night.facts import Night, NightFile
from conductd.core.notes.source import Kind, Source
from conductd.core.qc.facts import QcFacts
from conductd.core.reading.blocks import Kind as Block
from conductd.core.reading.entries import Entry, entry_table
from conductd.model import Role
from conductd.views import shown


class Placed(NamedTuple):
    """An entry and the note it stands in."""

    source: Source
    entry: Entry

    @property
    def place(self) -> str:
        return f"{self.source.name}:{self.entry.line}"

    @property
    def heading(self) -> str:
        """The innermost one above it."""
        return next(iter(self.source.lines[self.entry.line - 1].headings[-1:]), "")


class Given:
    """The facts of a night, and its notes read once."""

    def __init__(self, facts: QcFacts) -> None:
        self.facts, self.night = facts, facts.night

    @cached_property
    def sources(self) -> tuple[tuple[NightFile, Source], ...]:
        return sources(self.night)

    @cached_property
    def lasting(self) -> tuple[Placed, ...]:
        """Entries of what is kept for good: no logs of days, nothing that is made to be replaced, none of our pages."""
        return tuple(_entries(self.sources))


def sources(night: Night) -> tuple[tuple[NightFile, Source], ...]:
    """Every file, in the order of their paths."""
    return tuple((file, Source(shown(file.path), file.path, file.data)) for file in night.files)


def _entries(notes: Iterable[tuple[NightFile, Source]]) -> Iterator[Placed]:
    for file, source in notes:
        if file.role in (Role.DAILY, Role.REPLACEABLE) or source.kind in (Kind.DAILY, Kind.QC, Kind.CONTINUITY):
            continue
        for entry in entry_table(file.data, b"").entries:
            if entry.kind in (Block.ITEM, Block.PARAGRAPH, Block.ROW) and entry.words:
                yield Placed(source, entry)
