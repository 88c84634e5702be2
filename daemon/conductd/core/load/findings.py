"""What is wrong with what an agent gets to see of its files: close to a limit, cut, not loaded, a pin out of sight.

Pure. Made from what a loader said (`core.load.loaded`) and from what was told before, so that a file that hovers
around a limit is told once. Each finding has marks, what its state is made of: other headings in the hole, another
reason, nothing instead of a part are another state; more bytes are not, but where there are no headings to tell by.
Called by `engine.loading`; what names differ only in case is `core.load.split_names`'.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from msgspec.structs import replace

from conductd.core.load.counting import measure
from conductd.core.load.finding import ALL, FORGOTTEN, NOTHING, WRITES, Finding, Gap, Gone, Known
from conductd.core.load.fixes import most
from conductd.core.load.holes import Hole, holes
from conductd.core.load.loaded import NEAR, Cause, Load, LoadedFile, Why
from conductd.core.load.outline import outline_of
from conductd.core.reading.entries import fingerprint
from conductd.core.reading.text import normalise
from conductd.model import EventClass

FAR = 0.80  # below it a file is not near any more
FITS = 0.95  # below it a file that was cut is told as whole again
GROWN = 2  # so many times what was lost when it was told
HEADING = 80  # characters of a heading that are told
LOOKED_AT = 4096  # of a heading, before it is cut: a secret that is cut is not recognised any more
SECTIONS = 50  # of one finding; the rest is counted
OUTLINED = 2 * 1024 * 1024  # characters; of a larger file the lines are told, and no headings

# There and not loaded, and somebody would want to know. The rest is how the agent means it.
_UNSEEN = frozenset(
    {
        Why.UNREADABLE,
        Why.NOT_REGULAR,
        Why.SYMLINK,
        Why.OUTSIDE,
        Why.HARD_LINK,
        Why.TOO_LARGE,
        Why.UNTRUSTED,
        Why.OTHER_NAME,
    }
)


Pins = Mapping[str, Mapping[int, str]]
"""By the name of a file: first lines of pinned entries, each with a mark that stays when the entry moves."""
_NO_PINS: Pins = {}


def of_load(load: Load, known: Mapping[str, Known], pins: Pins = _NO_PINS, key: bytes = b"") -> tuple[Finding, ...]:
    """Everything but split names. ``known``: by place, what was told and has not ended. ``key``: of the fingerprints.

    Headings are as they stand, on one line: whoever tells them masks what is in them first, and then cuts them
    (`heading_of`).
    """
    found: list[Finding] = []
    for file in load.files:
        found += _of_file(load, file, known, pins, key)
    for file in load.left_out:
        if file.why in _UNSEEN and not (file.why is Why.OUTSIDE and file.name.startswith("/")):
            found += _not_loaded(load, file, pins)
    found += _of_all(load, known)
    return tuple(found)


def is_news(finding: Finding, told: Known | None) -> bool:
    """Whether it says what was not told yet."""
    if finding.hidden:
        return False
    marks = {each for each in finding.marks if not each.endswith(f":{FORGOTTEN}")}
    return told is None or not marks <= set(told.marks)


def line_of(text: str) -> str:
    """One line that does nothing to a terminal."""
    return " ".join("".join(each if each.isprintable() else " " for each in text[:LOOKED_AT]).split())


def heading_of(text: str) -> str:
    """Such a line, at most 80 characters."""
    line = line_of(text)
    return line if len(line) <= HEADING else line[: HEADING - 1] + "…"


def text_mark(text: str, key: bytes) -> str:
    """The fingerprint that an entry with this text has: what forgets the entry knows the mark."""
    return fingerprint(normalise(text), key).hex()


# ------------------------------------------------------------------ one file


def _of_file(load: Load, file: LoadedFile, known: Mapping[str, Known], pins: Pins, key: bytes) -> Iterator[Finding]:
    if file.is_marker or (file.why in _UNSEEN and file.text is None):
        if file.why in _UNSEEN:
            yield from _not_loaded(load, file, pins)
        return
    if file.truncated:
        cut = _cut(load, file, pins.get(file.name, {}), key)
        cut = _replace(cut, marks=tuple(sorted({*cut.marks, *_grown(cut, file, known)})))
        yield cut
        yield from _out_of_sight(cut, pins)
        return
    share = _share(file)
    place = _plain(load, file, EventClass.LOAD_TRUNCATION, "").place
    was_by_total = place in known and f"because:{Cause.TOTAL}" in known[place].marks
    total_share = _share_of_all(load) if was_by_total else 0.0
    if place in known and max(share, total_share) > FITS:
        yield _hidden(_plain(load, file, EventClass.LOAD_TRUNCATION, ""))
        yield _hidden(_plain(load, file, EventClass.PIN_HIDDEN, ""))
        return
    close = _plain(load, file, EventClass.NEAR_LIMIT, "per-file")
    if share >= (FAR if close.place in known else NEAR):
        by_lines = _line_share(file) > _size_share(file)
        reason = WRITES if file.limits_writes else "lines" if by_lines else "per-file"
        yield _replace(close, reason=reason, marks=("full", "near") if file.limits_writes and share > 1 else ("near",))


def _plain(load: Load, file: LoadedFile, event_class: EventClass, reason: str) -> Finding:
    return Finding(
        event_class,
        load.agent,
        file.name,
        reason,
        version=load.version,
        session=load.session,
        unit=load.unit.value,
        limit=file.own_limit,
        size=file.raw,
        lines=file.lines if file.lines_limit else None,
        lines_limit=file.lines_limit,
        share=_share(file),
    )


def _cut(load: Load, file: LoadedFile, pins: Collection[int], key: bytes) -> Finding:
    """By which limit: its own lines are told as such, since that is what a person would change."""
    by_lines = bool(file.lines_limit and file.lines > file.lines_limit)
    by_total = Cause.TOTAL in file.causes
    reasons = [each.value for each in file.causes]
    gaps = _gaps(load, file)
    gone = [
        Gone(
            line_of(each.heading),
            each.first,
            each.last,
            each.is_whole,
            each.is_pinned,
            text_mark(each.heading, key),
        )
        for hole in gaps
        for each in hole.sections
    ]
    pinned = tuple(line for line in sorted(pins) if any(hole.first <= line <= hole.last for hole in gaps))
    names = _numbered(each.mark for each in gone)
    largest = most(load) if by_total else None
    return _replace(
        _plain(load, file, EventClass.LOAD_TRUNCATION, " and ".join(reasons)),
        limit=load.limit if by_total and Cause.PER_FILE not in file.causes else _limit(file, by_lines=by_lines),
        room=file.limit,
        lost=sum(hole.size for hole in gaps),
        lost_lines=sum(hole.last - hole.first + 1 for hole in gaps),
        holes=tuple(Gap(each.first, each.last, each.size, each.start, each.end) for each in gaps[:SECTIONS]),
        sections=tuple(gone[:SECTIONS]),
        more_sections=max(0, len(gone) - SECTIONS),
        pinned=pinned,
        splits_character=file.splits,
        files=tuple(each.name for each in load.files if each.is_counted) if by_total else (),
        largest=largest.name if largest is not None else "",
        marks=tuple(sorted({*_reasons(file), *(f"section:{each}" for each in names)})),
    )


def _reasons(file: LoadedFile) -> Iterator[str]:
    yield from (f"because:{each}" for each in file.causes)
    if not file.kept and not file.quoted:
        yield NOTHING


def _grown(cut: Finding, file: LoadedFile, known: Mapping[str, Known]) -> Iterator[str]:
    """Of a file with one heading at most: that twice as much is lost as when it was told last."""
    told = known.get(cut.place)
    if told is None or told.lost is None or cut.lost < GROWN * max(1, told.lost):
        return
    if len(file.source) > OUTLINED or sum(each.level > 0 for each in outline_of(file.source, file.pinned).sections) < 2:
        yield f"lost:{cut.lost}"


def _limit(file: LoadedFile, *, by_lines: bool) -> int | None:
    """Where lines cut first, its own limit may be what they left."""
    return None if by_lines and file.own_limit == file.injected else file.own_limit


def _gaps(load: Load, file: LoadedFile) -> tuple[Hole, ...]:
    if len(file.source) <= OUTLINED:
        return holes(file, load.unit)
    return tuple(_bare_holes(load, file))


def _bare_holes(load: Load, file: LoadedFile) -> Iterator[Hole]:
    """Of a very large file: lines only."""
    at = 0
    for start, end in (*sorted(file.kept), (len(file.source), len(file.source))):
        part = file.source[at:start]
        if part.strip():
            first = file.source.count("\n", 0, at) + 1
            low = measure(file.counted[:at], load.unit)
            size = measure(file.counted[at:start], load.unit)
            yield Hole(first, first + part.rstrip().count("\n"), size, (), start=low, end=low + size)
        at = max(at, end)


def _numbered(headings: Iterable[str]) -> Iterator[str]:
    """A heading that comes twice is two."""
    seen: dict[str, int] = {}
    for each in headings:
        seen[each] = seen.get(each, 0) + 1
        yield f"{each}#{seen[each]}"


def _out_of_sight(finding: Finding, pins: Pins) -> Iterator[Finding]:
    lines = finding.pinned
    if lines:
        marks = pins.get(finding.name, {})
        yield _replace(
            finding,
            event_class=EventClass.PIN_HIDDEN,
            sections=tuple(each for each in finding.sections if any(each.first <= n <= each.last for n in lines)),
            more_sections=0,
            marks=tuple(sorted({f"pin:{marks.get(line, line)}" for line in lines})),
        )


def _not_loaded(load: Load, file: LoadedFile, pins: Pins) -> Iterator[Finding]:
    found = _replace(
        _plain(load, file, EventClass.NOT_LOADED, file.why.value),
        note=heading_of(file.note),
        pinned=tuple(sorted(pins.get(file.name, {}))),
        marks=(f"because:{file.why.value}",),
        share=0.0,
    )
    yield found
    yield from _out_of_sight(found, pins)


# ------------------------------------------------------------------ all together


def _of_all(load: Load, known: Mapping[str, Known]) -> Iterator[Finding]:
    share = _share_of_all(load)
    if any(Cause.TOTAL in each.causes for each in load.files):
        return
    largest = most(load)
    found = Finding(
        EventClass.NEAR_LIMIT,
        load.agent,
        ALL,
        Cause.TOTAL.value,
        version=load.version,
        session=load.session,
        unit=load.unit.value,
        limit=load.limit,
        size=load.spent,
        share=share,
        files=tuple(each.name for each in load.files if each.is_counted and each.injected),
        largest=largest.name if largest is not None else "",
        marks=("near",),
    )
    if largest is not None and share >= (FAR if found.place in known else NEAR):
        yield found


def _share_of_all(load: Load) -> float:
    return load.spent / load.limit if load.limit else 0.0


def _share(file: LoadedFile) -> float:
    return max(_size_share(file), _line_share(file))


def _size_share(file: LoadedFile) -> float:
    return file.raw / file.own_limit if file.own_limit else 0.0


def _line_share(file: LoadedFile) -> float:
    return file.lines / file.lines_limit if file.lines_limit else 0.0


def _hidden(finding: Finding) -> Finding:
    return _replace(finding, hidden=True)


def _replace(finding: Finding, **changes: object) -> Finding:
    return replace(finding, **changes)
