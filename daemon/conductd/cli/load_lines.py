"""`conductd load` for people: a gauge per file and in total, the holes, what is left out, the fixes."""

from __future__ import annotations

import os
from collections.abc import Iterator

from conductd.cli.output import can_be_pasted, harmless, paint
from conductd.cli.table import table
from conductd.core.load.fixes import Fix, fixes, most
from conductd.core.load.holes import Hole, LostSection, holes
from conductd.core.load.loaded import Cause, Load, LoadedFile, Unit, Why
from conductd.core.tokens import estimate
from conductd.views.words import pasted

_GAUGE = 20
_SECTIONS = 12  # of one hole; the rest is counted
_MOVES = 12


def lines(
    load: Load, chosen: tuple[list[LoadedFile], list[LoadedFile]], root: str, display: str, said: list[str]
) -> Iterator[str]:
    version = f" {load.version}" if load.version else ""
    yield paint(f"{display}{version}, {load.session} session: {harmless(root)}", "bold")
    yield from (paint(harmless(note), "dim") for note in (*said, *load.notes))
    files, left_out = chosen
    if files:
        yield ""
        yield from _table(load, files)
    for file in files:
        yield from _holes(load, file)
    if left_out:
        yield ""
        yield "not loaded:"
        for each in left_out:
            yield f"  {label(each.name)}: {each.why.value}{f' ({harmless(each.note)})' if each.note else ''}"
    shown = {each.path for each in files}
    for fix in fixes(load):
        if fix.cause is Cause.TOTAL or fix.path in shown:
            yield from _fix(fix, load.unit)
    if not files and not left_out:
        yield "no file is loaded"


def _table(load: Load, files: list[LoadedFile]) -> Iterator[str]:
    rows, colours = [], []
    for file in files:
        size = file.injected if file.is_marker else file.raw
        rows.append(
            [
                label(file.name),
                *_measured(file, size),
                f"{file.injected:,}",
                _tokens(file.text),
                _state(file),
            ]
        )
        colours.append("red" if file.truncated else "yellow" if file.is_marker or file.is_near else None)
    state = (
        f"{load.raw - sum(e.injected for e in load.files if not e.is_marker):,} not loaded" if load.truncated else ""
    )
    rows.append(
        [
            "all",
            gauge(load.spent, load.limit),
            _of(load.spent if load.limit else load.injected, load.limit),
            f"{load.injected:,}",
            _tokens("\n".join(each.text for each in load.files if each.text)),
            state,
        ]
    )
    colours.append("red" if any(Cause.TOTAL in each.causes for each in load.files) else None)
    yield from table(rows, ["FILE", "", load.unit.value.upper(), "LOADED", "TOKENS", ""], colours, spare=("", "TOKENS"))


def label(name: str) -> str:
    """Safe for a terminal; what lies in the person's home begins with `~`."""
    home = os.path.expanduser("~").rstrip("/") + "/"
    return harmless("~/" + name[len(home) :] if name.startswith(home) else name)


def gauge(size: int, limit: int | None) -> str:
    """Twenty places; a file over its limit ends in a mark."""
    if not limit:
        return ""
    if size > limit:
        return "█" * (_GAUGE - 1) + "▶"
    full = min(_GAUGE, round(_GAUGE * size / limit))
    return "█" * full + "░" * (_GAUGE - full)


def _measured(file: LoadedFile, size: int) -> tuple[str, str]:
    """The gauge and what it says: of the lines where they are what is too much."""
    if file.lines_limit and file.lines > file.lines_limit:
        return gauge(file.lines, file.lines_limit), f"{size:,}, {_of(file.lines, file.lines_limit, ' lines')}"
    return gauge(size, file.own_limit), _of(size, file.own_limit)


def _tokens(text: str | None) -> str:
    return f"≈ {estimate(text).tokens:,}" if text else ""


def _of(size: int, limit: int | None, unit: str = "") -> str:
    return f"{size:,}" if not limit else f"{size:,} of {limit:,}{unit} ({100 * size // limit} %)"


def _state(file: LoadedFile) -> str:
    if file.is_marker:
        return f"{file.why.value}{f': {harmless(file.note)}' if file.note and file.note != file.why.value else ''}"
    if file.truncated:
        how = "nothing of it is loaded" if file.text is None else "cut"
        return f"{how}: {' and '.join(cause.value for cause in file.causes)} limit"
    if file.why is not Why.LOADED:
        return file.why.value
    if file.limits_writes and file.own_limit and file.raw > file.own_limit:
        return "loaded whole; its memory tool adds nothing more"
    if file.is_near and file.limits_writes:
        return "loaded whole; near what its memory tool takes"
    return "near its limit" if file.is_near else ""


def _holes(load: Load, file: LoadedFile) -> Iterator[str]:
    found = holes(file, load.unit)
    if not found:
        return
    size = holes_size(load, file)
    yield ""
    yield f"{label(file.name)}: {size:,} {load.unit.value} do not reach the model ({_cause(load, file)})"
    for hole in found:
        yield f"  {_lines(hole)}{f', {hole.quoted} of them quoted as policy lines' if hole.quoted else ''}"
        yield from (f"    {_section(each)}" for each in hole.sections[:_SECTIONS])
        if len(hole.sections) > _SECTIONS:
            yield f"    and {len(hole.sections) - _SECTIONS} more sections"


def holes_size(load: Load, file: LoadedFile) -> int:
    return sum(each.size for each in holes(file, load.unit))


def _cause(load: Load, file: LoadedFile) -> str:
    causes = []
    if Cause.PER_FILE in file.causes:
        by_lines = file.lines_limit is not None and file.lines > file.lines_limit
        limit = f"{file.lines_limit} lines" if by_lines else f"{file.own_limit or file.limit or 0:,}"
        causes.append(f"per-file limit of {limit}")
    if Cause.TOTAL in file.causes:
        largest = most(load)
        who = f"; {label(largest.name)} takes the most, {largest.injected:,}" if largest else ""
        causes.append(f"total limit of {load.limit or 0:,}{who}")
    return ", ".join(causes) or file.why.value


def _lines(hole: Hole) -> str:
    return f"line {hole.first}" if hole.first == hole.last else f"lines {hole.first}-{hole.last}"


def _section(each: LostSection) -> str:
    heading = harmless(each.heading) or "(before the first heading)"
    if len(heading) > 80:
        heading = heading[:79] + "…"
    part = (
        ""
        if each.is_whole
        else f", from line {each.first} to {each.last}"
        if each.first != each.last
        else f", line {each.first}"
    )
    pinned = paint(" [pinned]", "red") if each.is_pinned else ""
    return f"{heading}{part}{pinned}"


def _fix(fix: Fix, unit: Unit) -> Iterator[str]:
    yield ""
    what = f"{label(fix.name)} is" if fix.name else "all together are"
    yield f"{what} {fix.over:,} {unit.value} too much. " + (
        f"Moving {_sections(len(fix.moves))} out frees {fix.freed:,}:"
        if fix.is_enough
        else "No sections that could be moved free as much: shorten it by hand."
        if not fix.moves
        else f"Moving all {_sections(len(fix.moves))} frees only {fix.freed:,}; the rest must be shortened by hand:"
    )
    for each in fix.moves[:_MOVES]:
        marks = ", ".join(filter(None, (each.date, "pinned" if each.is_pinned else "")))
        place = f"{label(each.name)}:{each.first}-{each.last}"
        yield f"  {place}  {harmless(each.heading)[:80]}  {each.size:,}{f' ({marks})' if marks else ''}"
    if len(fix.moves) > _MOVES:
        yield f"  and {len(fix.moves) - _MOVES} more"
    movable = {each.path for each in fix.moves if not each.is_pinned}
    if len(movable) == 1:
        command = pasted("conductd", "rotate", *movable)
        if can_be_pasted(command):
            yield f"  with a running daemon: {command}"


def _sections(count: int) -> str:
    return "one section" if count == 1 else f"{count} sections"
