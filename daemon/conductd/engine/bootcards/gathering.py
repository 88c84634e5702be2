"""From a directory to a boot card: its files, what its agent loads, which of its entries a person pinned.

The same for the daemon and for a command line without one. Looks at the disk, writes nothing. Any thread.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable, Iterable, Sequence
from datetime import date

from conductd.core.bootcard.card import Card, Given, Limits, Whole, make
from conductd.core.load.loaded import Load, LoadedFile, Why
from conductd.core.losses import pins as pins_
from conductd.core.notes.source import Source
from conductd.core.reading.entries import entry_table
from conductd.engine.bootcards.reading import Clean, found
from conductd.model import Frozen
from conductd.secrets.scan import masked
from conductd.secrets.spans import secret_spans
from conductd.views import PinView

_PIN_TEXT = 200  # characters of a pin that a `PinView` has


class Place(Frozen, frozen=True):
    """Whose card. ``trees``: where it keeps memory, beside the usual directories. ``reports``: directories with its
    continuity files and QC logs, beside those in its memory."""

    root: bytes
    home: bytes
    trees: tuple[bytes, ...] = ()
    reports: tuple[bytes, ...] = ()


def card_of(
    place: Place,
    today: date,
    load: Load | None,
    pins: Sequence[PinView] | None,
    configured: Callable[[bytes], Sequence[str]],
    limits: Limits | None = None,
    clean: Clean | None = None,
) -> Card:
    """``pins``: all of the workspace, from the daemon; None: nobody could be asked. ``configured``: headings whose
    entries the configuration pins ("": all) in a file, by relative path; they count where ``pins`` is None."""
    root = os.path.realpath(place.root)
    read = found(root, load, place.home, place.trees, place.reports, clean)
    by_path = _by_path(pins or (), root)
    sources, gone = [], []
    for each in read.sources:
        held, missing = _held(each, by_path.pop(each.path, []))
        if pins is None:
            path = os.path.relpath(each.path, root)
            held |= _configured(each, configured(path) if not path.startswith(b"../") else ())
        gone += [(each.name, each.path, line) for line in missing]
        sources.append(Source(each.name, each.path, each.data, frozenset(held)) if held else each)
    gone += [(view.path, path, view.line) for path, views in by_path.items() for view in views]
    given = Given(
        today=today,
        sources=tuple(sources),
        whole=_whole(load, sources),
        gone=tuple(gone),
        pins_known=pins is not None,
        unread=read.unread,
    )
    return make(given, secret_spans, limits)


# --------------------------------------------------------------------------- pins


def _by_path(pins: Iterable[PinView], root: bytes) -> dict[bytes, list[PinView]]:
    found: dict[bytes, list[PinView]] = {}
    for each in pins:
        found.setdefault(os.path.join(root, base64.b64decode(each.path_b64)), []).append(each)
    return found


def _held(source: Source, views: Sequence[PinView]) -> tuple[set[int], list[int]]:
    """Lines of the pinned entries in the file as it is now, found by what they say; and the lines where those stood
    that are not there."""
    if not views:
        return set(), []
    table = entry_table(source.data, b"")
    held: set[int] = set()
    missing: list[int] = []
    for view in views:
        same = [each.line for each in table.entries if masked(each.text)[:_PIN_TEXT] == view.text] if view.text else []
        if view.state == "held" and same:
            held.add(min(same, key=lambda line: abs(line - view.line)))
        else:
            missing.append(view.line)
    return held, missing


def _configured(source: Source, headings: Sequence[str]) -> set[int]:
    if not headings:
        return set()
    return {each.line for each in pins_.under(entry_table(source.data, b""), headings) if each.words}


# --------------------------------------------------------------------------- what is loaded


def _whole(load: Load | None, sources: Sequence[Source]) -> tuple[Whole, ...]:
    """What the loader puts into the prompt uncut, in its order."""
    if load is None:
        return ()
    by_real = {os.path.realpath(each.path): each for each in sources}
    out: list[Whole] = []
    for each in load.files:
        source = by_real.get(os.path.realpath(os.fsencode(each.path))) if each.path else None
        if source is not None and _is_whole(each) and source.raw_lines and not source.is_card:
            out.append(Whole(source.name, source.path, len(source.raw_lines)))
    return tuple(out)


def _is_whole(file: LoadedFile) -> bool:
    return file.why is Why.LOADED and bool(file.text) and not file.truncated and not file.is_marker
