"""Unfinished work, a page a task: in the reports, or in `memory/continuity` where that is allowed.

What conductd wrote last into each open page is kept in the reports (`.base`), so that what a person changed since is
told from what the notes changed, and a page that somebody took away is not made again. On the thread of the run.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol

import msgspec

from conductd.core.continuity.plan import DONE_DIRECTORY, PageWrite, Plan
from conductd.core.continuity.result import ContinuityResult
from conductd.core.night.facts import Night
from conductd.core.night.placement import Placement
from conductd.engine.jobs.apart import answer
from conductd.engine.jobs.job import Outcome, Progress, Result
from conductd.engine.jobs.orders import Planned
from conductd.engine.jobs.placing import Page, Placed, Placing
from conductd.views import shown
from conductd.views.words import counted

PAGE, _NEXT = b".md", b".next"
IN_REPORTS, INSIDE = b"continuity/", b"memory/continuity/"


class ContinuityJob:
    """`placing_of(night)`: where it writes."""

    name = "continuity"

    def __init__(self, placing_of: Callable[[Night], Placing]) -> None:
        self._placing_of = placing_of

    def run(self, night: Night, progress: Progress) -> Outcome:
        """Raises StoreUnavailable when the reports cannot be written."""
        placing = self._placing_of(night)
        why = placing.forbidden(INSIDE + b"page.md", Placement.OTHER)
        if not why and not os.path.isdir(os.path.join(night.occasion.root, b"memory")):
            why = "the workspace has no memory directory"
        place: _Place = _Reports(placing) if why else _Inside(placing)
        pages = place.pages(night)
        bases = _Bases(placing, place.base)
        known = bases.known(pages)
        order = Planned(night, pages, known, place.finished(night))
        planned = answer(order, Plan, progress, "looking for unfinished work")
        written: list[str] = []
        refused: list[str] = []
        done: list[PageWrite] = []
        undo: int | None = None  # one for all of them
        progress(0, len(planned.writes), "writing the pages of unfinished work")
        bases.prepare(planned.writes)
        for each, placed in zip(planned.writes, place.put(planned.writes, pages), strict=True):
            if placed.why:
                bases.drop(each.name)
                refused += [placed.why] if placed.why not in refused else []
                continue
            bases.settle(each)
            done.append(each)
            written += [placed.where] if placed.where else []
            undo = placed.undo if placed.undo is not None else undo
        for name in planned.over:
            bases.forget(name)
        finished = sum(1 for each in done if each.is_done)
        result = ContinuityResult(
            new=sum(1 for each in done if each.is_new),
            changed=sum(1 for each in done if not each.is_new and not each.is_done),
            unfinished=planned.unfinished,
            done=finished,
            left_out=planned.left_out,
            gone=len(planned.gone),
            refused=len(planned.writes) - len(done),
            withheld=planned.withheld,
            unread=len(night.unread),
            where=place.where,
            why="; ".join([why, *refused[:3]] if why else refused[:3]),
            removed=planned.removed,
        )
        found = Result.REFUSED if refused else Result.WARN if night.unread else Result.OK
        if not done and not refused and not planned.unfinished:
            found = Result.NOTHING
        return Outcome(found, _words(result), msgspec.msgpack.encode(result), tuple(written), undo)


class _Bases:
    """What was written last into the open pages, below a line with the digest of the page as it was written. A new one
    is there before its page is, and takes the place of the old one afterwards: whatever comes in between, the next run
    knows which of both holds."""

    def __init__(self, placing: Placing, ending: bytes) -> None:
        self._reports, self._ending, self._is_dry = placing.reports, ending, placing.is_dry

    def known(self, pages: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
        """By name of the page, as it is there now."""
        found = self._reports.within(IN_REPORTS, self._ending)
        told = {name: data.partition(b"\n")[::2] for name, data in found.items()}
        bases = {name: base for name, (_, base) in told.items() if name.endswith(PAGE)}
        for name, (digest, base) in told.items():
            of = name.removesuffix(_NEXT)
            if name.endswith(PAGE + _NEXT) and of in pages and digest == _digest(pages[of]):
                bases[of] = base
        return bases

    def prepare(self, writes: Sequence[PageWrite]) -> None:
        """Raises StoreUnavailable: then no page was written either."""
        for each in writes if not self._is_dry else ():
            if not each.is_done:
                self._reports.put(self._name(each.name + _NEXT), _digest(each.text) + b"\n" + each.base)

    def settle(self, page: PageWrite) -> None:
        """The page stands."""
        if self._is_dry:
            return
        if page.is_done:
            self.forget(page.name)
        else:
            self._reports.replace(self._name(page.name), self._name(page.name + _NEXT))

    def drop(self, name: bytes) -> None:
        if not self._is_dry:
            self._reports.remove(self._name(name + _NEXT))

    def forget(self, name: bytes) -> None:
        if not self._is_dry:
            self._reports.remove(self._name(name))

    def _name(self, name: bytes) -> bytes:
        return IN_REPORTS + name + self._ending


def _digest(page: bytes) -> bytes:
    return hashlib.sha256(page).hexdigest().encode()


def _words(result: ContinuityResult) -> str:
    said = [f"{counted(result.unfinished, 'piece')} of unfinished work"]
    said += [f"{result.new} new"] if result.new else []
    said += [f"{result.done} done"] if result.done else []
    said += [f"no page for {result.left_out} more"] if result.left_out else []
    said += [f"{counted(result.gone, 'page')} whose notes are gone"] if result.gone else []
    said += [f"{counted(result.removed, 'page')} taken away by somebody and not made again"] if result.removed else []
    said += [f"{counted(result.withheld, 'line')} withheld"] if result.withheld else []
    said += [f"not written: {result.why}"] if result.refused else []
    return ", ".join(said)


class _Place(Protocol):
    """Where the pages are."""

    where: str
    base: bytes  # the ending of what is kept of its pages

    def pages(self, night: Night) -> dict[bytes, bytes]: ...

    def finished(self, night: Night) -> tuple[bytes, ...]: ...

    def put(self, writes: Sequence[PageWrite], there: Mapping[bytes, bytes]) -> list[Placed]:
        """`there`: the pages that were looked at, by name. What became of each."""
        ...


class _Reports:
    base = b".base"

    def __init__(self, placing: Placing) -> None:
        self._placing = placing
        self.where = shown(os.path.join(placing.reports.path, IN_REPORTS))

    def pages(self, night: Night) -> dict[bytes, bytes]:
        return _below(IN_REPORTS, night.reports)

    def finished(self, night: Night) -> tuple[bytes, ...]:
        return tuple(_below(IN_REPORTS + DONE_DIRECTORY, night.reports))

    def put(self, writes: Sequence[PageWrite], there: Mapping[bytes, bytes]) -> list[Placed]:
        return [self._put(each, there.get(each.name)) for each in writes]

    def _put(self, page: PageWrite, there: bytes | None) -> Placed:
        name = IN_REPORTS + page.name
        if self._placing.reports.get(name) != there:
            return Placed("", why="it changed just now")
        placed = self._placing.report(name, page.text)
        if page.is_done and not self._placing.is_dry:
            moved = self._placing.reports.move(name, IN_REPORTS + DONE_DIRECTORY + page.name)
            return Placed(shown(os.path.join(self._placing.reports.path, moved)))
        return placed


class _Inside:
    base = b".inside.base"

    def __init__(self, placing: Placing) -> None:
        self._placing = placing
        self.where = shown(INSIDE)

    def pages(self, night: Night) -> dict[bytes, bytes]:
        return _below(INSIDE, [(file.path, file.data) for file in night.files])

    def finished(self, night: Night) -> tuple[bytes, ...]:
        return tuple(_below(INSIDE + DONE_DIRECTORY, [(file.path, file.data) for file in night.files]))

    def put(self, writes: Sequence[PageWrite], there: Mapping[bytes, bytes]) -> list[Placed]:
        return self._placing.together([_inside(each, there.get(each.name)) for each in writes], "continuity")


def _inside(page: PageWrite, there: bytes | None) -> Page:
    to = INSIDE + DONE_DIRECTORY + page.name if page.is_done else b""
    return Page(INSIDE + page.name, page.text, there, to)


def _below(directory: bytes, files: Iterable[tuple[bytes, bytes]]) -> dict[bytes, bytes]:
    """Those right in the directory, by name."""
    return {
        path[len(directory) :]: data
        for path, data in files
        if path.startswith(directory) and b"/" not in path[len(directory) :] and path.endswith(PAGE)
    }
