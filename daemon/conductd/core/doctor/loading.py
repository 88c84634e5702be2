"""What of its files an agent gets to see: cut, near a limit, starved, too large, not loaded, missing. Pure.

Reads what the agent's own loader said (`core.load.loaded`); the loaders are the truth about limits and names.
"""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import AgentFacts
from conductd.core.doctor.finding import Check, Seen, fail, ok, warn
from conductd.core.load.fixes import most
from conductd.core.load.holes import Hole, holes
from conductd.core.load.loaded import NEAR, Cause, Load, LoadedFile, Why
from conductd.views.words import pasted

_SHOWN = 3  # headings of a hole
# Told by a check of their own, or as it is meant.
_ELSEWHERE = frozenset(
    {Why.LOADED, Why.MISSING, Why.TOO_LARGE, Why.NO_ROOM, Why.SCOPED, Why.SESSION, Why.OTHER_NAME, Why.UNTRUSTED}
)
_REMOVED_WHEN_SET_UP = "BOOTSTRAP.md"


def _load(agent: AgentFacts) -> Load:
    assert agent.load is not None
    return agent.load


def _cut(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    for file in load.files:
        if Cause.PER_FILE in file.causes:
            limit = f"{file.lines_limit} lines" if _by_lines(file) else f"{file.own_limit or file.limit or 0:,}"
            lost = ", ".join(_words(each) for each in holes(file, load.unit)) or "a part"
            yield fail(
                f"{file.name} is over its limit of {limit} {'' if _by_lines(file) else load.unit.value}".rstrip()
                + f": {lost} never reach {agent.display}",
                f"{_show(file)} shows the hole and what to move out",
                (_path(file),),
            )


def _by_lines(file: LoadedFile) -> bool:
    return file.lines_limit is not None and file.lines > file.lines_limit


def _words(hole: Hole) -> str:
    where = f"line {hole.first}" if hole.first == hole.last else f"lines {hole.first}-{hole.last}"
    headings = [each.heading for each in hole.sections if each.heading][:_SHOWN]
    pinned = ", pinned entries among them" if any(each.is_pinned for each in hole.sections) else ""
    return where + (f" ({'; '.join(_line(each) for each in headings)}{pinned})" if headings or pinned else "")


def _line(heading: str) -> str:
    return "".join(each if each.isprintable() else " " for each in heading)[:80]


def _near(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    for file in load.files:
        if file.is_near:
            full = f"{file.raw:,} of {file.own_limit:,} {load.unit.value}" if file.own_limit else "nearly full"
            if file.lines_limit and file.lines / file.lines_limit >= NEAR:
                full = f"{file.lines} of {file.lines_limit} lines"
            if file.limits_writes:
                yield _near_for_writes(agent, file, full)
                continue
            yield warn(f"{file.name} is near its limit: {full}", _show(file), (_path(file),))
    if load.limit and not load.truncated and load.spent / load.limit >= NEAR:
        yield warn(
            f"all files together are near their limit: {load.spent:,} of {load.limit:,} {load.unit.value}",
            "conductd load names the largest and what to move out",
        )


def _near_for_writes(agent: AgentFacts, file: LoadedFile, full: str) -> Seen:
    """It is loaded whole, however large: what is full is the room for new notes."""
    is_over = file.own_limit is not None and file.raw > file.own_limit
    said = f"is over what {agent.display}'s memory tool takes" if is_over else "is nearly what its memory tool takes"
    then = "the tool adds nothing more" if is_over else "beyond that the tool adds nothing more"
    return warn(f"{file.name} {said}: {full}; all of it is loaded, {then}", _show(file), (_path(file),))


def _total(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    starved = [file for file in load.files if Cause.TOTAL in file.causes or file.why is Why.NO_ROOM]
    largest = most(load)
    for file in starved:
        left = "nothing of it is loaded" if file.text is None else f"{file.injected:,} of {file.raw:,} are loaded"
        others = largest is not None and any(each.injected for each in load.files if each is not file)
        who = f"; {largest.name} takes the most, {largest.injected:,}" if others and largest is not None else ""
        what = "is starved by the files before it" if others else "is over what all files together may have"
        yield fail(
            f"{file.name} {what}: {left} ({load.limit or 0:,} for all together{who})",
            "conductd load shows what to move out",
            (_path(file),),
        )


def _size(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    for file in (*load.files, *load.left_out):
        if file.why is Why.TOO_LARGE:
            more = f" ({file.note})" if file.note else ""
            yield fail(
                f"{file.name} is too large to be read at all{more}",
                pasted("conductd", "rotate", file.path) + ", or split it",
                (_path(file),),
            )


def _not_loaded(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    for file in (*load.files, *load.left_out):
        if file.why in _ELSEWHERE:
            continue
        more = f": {file.note}" if file.note and file.note != file.why.value else ""
        if file.why is Why.EMPTY:
            yield warn(f"{file.name} is empty", "", (_path(file),))
        elif file.why in (Why.RETIRED, Why.OTHER_FILE):
            yield warn(
                f"{file.name} is there and {agent.display} does not load it: {file.why.value}{more}",
                "move what is needed of it into a file that is loaded",
                (_path(file),),
            )
        else:
            yield fail(f"{agent.display} does not load {file.name}: {file.why.value}{more}", "", (_path(file),))


def _missing(agent: AgentFacts) -> Iterator[Seen]:
    load = _load(agent)
    gone = [file for file in load.files if file.why is Why.MISSING]
    wanted = [file for file in gone if file.name != _REMOVED_WHEN_SET_UP]
    if wanted:
        listed = ", ".join(file.name for file in wanted)
        release = f" {load.version}" if load.version else ""
        yield warn(
            f"{agent.display}{release} looks for {listed}, and says in the prompt that it is missing",
            "make them, or let the agent's own setup make them",
            tuple(_path(file) for file in wanted),
        )
    if all(file.is_marker for file in load.files) and not load.left_out:
        yield warn(f"{agent.display} loads no file at all here", "check --agent and --workspace")
    elif gone and not wanted:
        yield ok(f"only {_REMOVED_WHEN_SET_UP} is not there, which is removed when the setup is complete")


def _show(file: LoadedFile) -> str:
    return pasted("conductd", "load", file.path)


def _path(file: LoadedFile) -> bytes:
    return file.name.encode("utf-8", "surrogateescape")


_NEEDS = ("load",)

CHECKS: tuple[Check[AgentFacts], ...] = (
    Check(
        "load_cut",
        "files over their own limit, with the lines and headings that are cut out",
        "What is cut is on disk and not in the prompt: the agent does not know that it is missing.",
        "no file is over its own limit",
        _cut,
        _NEEDS,
    ),
    Check(
        "load_near",
        "files, and all together, at 85 % of a limit or more",
        "The next note that is added pushes an older one out of the prompt, or is not taken any more.",
        "no limit is near",
        _near,
        _NEEDS,
    ),
    Check(
        "load_total",
        "files that the total limit leaves too little for",
        "Files are taken in order; the memory is the last and starves first, without a marker.",
        "every file gets its part of the total",
        _total,
        _NEEDS,
    ),
    Check(
        "load_size",
        "files that are too large for the loader's reader (OpenClaw 2 MiB, Claude Code 4 MiB)",
        "Such a file is not cut: nothing of it is loaded.",
        "no file is too large to be read",
        _size,
        _NEEDS,
    ),
    Check(
        "not_loaded",
        "files that are there and not loaded: retired names, links, another file in their place, empty ones",
        "What is written there is never seen.",
        "every file that is there is loaded",
        _not_loaded,
        _NEEDS,
    ),
    Check(
        "missing_files",
        "files that this release of the agent expects and that are missing",
        "A missing file costs room in the prompt, or the agent works without what should stand in it.",
        "no expected file is missing",
        _missing,
        _NEEDS,
    ),
)
