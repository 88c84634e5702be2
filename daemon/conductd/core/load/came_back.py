"""Which of the marks that were told of a cut file are surely not so any more: what falls out again is told again.

Pure. What stands close to the cut has not come back for good, and is not told each time that it crosses it. Called by
`engine.loading`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from conductd.core.load.finding import NOTHING, Finding, Known
from conductd.core.load.findings import FAR, OUTLINED, Pins, of_load
from conductd.core.load.loaded import Cause, Load, LoadedFile
from conductd.model import EventClass

_CUT = (EventClass.LOAD_TRUNCATION, EventClass.PIN_HIDDEN)
CLOSE = 0.02  # of what is loaded: within it of the cut nothing has come back for good


def come_back(load: Load, known: Mapping[str, Known], pins: Pins, key: bytes = b"") -> dict[str, frozenset[str]]:
    """By place. ``known``: what was told. A reason is over once it is far from being one."""
    found = {}
    for file in load.files:
        if not file.truncated or len(file.source) > OUTLINED:
            continue
        places = {kind: Finding(kind, load.agent, file.name, "").place for kind in _CUT}
        if not any(place in known for place in places.values()):
            continue
        wide = {each.event_class: set(each.marks) for each in _widened(load, file, pins, key)}
        for kind, place in places.items():
            if place not in known or kind not in wide:  # a pin event that is over ends as a whole
                continue
            gone = set(known[place].marks) - wide[kind] - set(_close_reasons(load, file))
            if _is_close_to_nothing(file):
                gone.discard(NOTHING)
            if gone:
                found[place] = frozenset(gone)
    return found


def _widened(load: Load, file: LoadedFile, pins: Pins, key: bytes) -> Iterator[Finding]:
    """What would be found if the holes took a little more of what is loaded."""
    more = max(1, round(CLOSE * sum(end - start for start, end in file.kept)))
    shrunk = ((start + more if start else 0, end - more if end < len(file.source) else end) for start, end in file.kept)
    kept = tuple((start, end) for start, end in shrunk if start < end)
    yield from of_load(replace(load, files=(replace(file, kept=kept),), left_out=()), {}, pins, key)


def _close_reasons(load: Load, file: LoadedFile) -> Iterator[str]:
    together = load.spent / load.limit if load.limit else 0.0
    own = file.raw / file.own_limit if file.own_limit else 0.0
    lines = file.lines / file.lines_limit if file.lines_limit else 0.0
    for cause, share in ((Cause.TOTAL, together), (Cause.PER_FILE, max(own, lines))):
        if share >= FAR:
            yield f"because:{cause}"


def _is_close_to_nothing(file: LoadedFile) -> bool:
    return sum(end - start for start, end in file.kept) < CLOSE * len(file.source)
