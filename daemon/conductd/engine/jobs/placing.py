"""Where the jobs of the night write: into the workspace where that is allowed, else the daemon's own directory.

A write into a workspace is a plan like a repair: nothing is written over that was not looked at, it is marked as ours,
and one undo takes it back. Where it cannot be (the mode, the configuration, a lease, a fight, a git operation, a link),
the text goes to the reports, and why is told. Any thread.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Collection, Sequence

from conductd.core.night.placement import Placement, placement
from conductd.core.reading.blocks import Kind as Block
from conductd.core.reading.blocks import scan
from conductd.core.reading.text import Encoding, LineEnd, decode
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.reports import Reports
from conductd.engine.people.write_set import Write, WriteSets
from conductd.errors import Busy, ConductdError, Refused
from conductd.faces import Caller
from conductd.model import FileState, Frozen
from conductd.views import SetView, shown
from conductd.watch.reader import observe

_TRIES = 3
_BETWEEN_S = 1.0  # an agent's save under way is over by then
US = Caller((f"{os.getpid()} conductd",), terminal=False)


class Placed(Frozen, frozen=True):
    """``where``: the absolute path, or "" when nothing had to be written. ``undo``: the number with which
    `conductd undo` takes a write into the workspace back, None for others. ``why``: why the text did not go into the
    workspace, one phrase."""

    where: str
    undo: int | None = None
    why: str = ""
    is_inside: bool = False


class Page(Frozen, frozen=True):
    """``data`` is to stand at ``path``, where ``there`` (None: nothing) was looked at; or, if ``to`` is given, there or
    where the next free name beside it is, and nothing at ``path`` any more."""

    path: bytes
    data: bytes
    there: bytes | None = None
    to: bytes = b""


Change = Callable[[bytes | None], bytes | None]
"""From what stands in a file (None: nothing) to what is to stand there; None: leave it as it is."""


class Placing:
    """Of one run. `write_into`: `write_into_workspace` as it holds for the workspace."""

    def __init__(self, parts: Parts, sets: WriteSets, workspace: str, write_into: str, *, is_dry: bool) -> None:
        self._, self._sets, self._workspace = parts, sets, workspace
        self._write_into, self.is_dry = write_into, is_dry
        self._waits = threading.Event()  # never set
        self.reports = Reports(parts.state_dir, workspace)

    def into(self, path: bytes, kind: Placement, change: Change, purpose: str) -> Placed:
        """Change a file of the workspace where files of this kind may be written there. Else, or where it is not
        possible now, nothing was written, and `Placed.why` says why."""
        why = self.forbidden(path, kind)
        if why:
            return Placed("", why=why)
        for _ in range(_TRIES):
            try:
                return self._write(path, change, purpose)
            except Busy as error:
                why = error.message
                self._waits.wait(_BETWEEN_S)
            except ConductdError as error:
                return Placed("", why=error.message)
        return Placed("", why=why)

    def together(self, pages: Sequence[Page], purpose: str) -> list[Placed]:
        """Write all that can be written as one set, so that one undo takes all of it back; of each what became of it,
        as `into`. What cannot be written holds up none of the others."""
        done: dict[int, Placed] = {}
        taken: set[bytes] = set()
        sets = {number: self._page_writes(page, taken) for number, page in enumerate(pages)}
        for attempt in range(_TRIES):
            if attempt:
                self._waits.wait(_BETWEEN_S)
            tried = {number: self._why_not(pages[number], writes, purpose) for number, writes in sets.items()}
            done |= {number: Placed("", why=error.message) for number, error in tried.items() if error is not None}
            able = [number for number, error in tried.items() if error is None]
            if any(isinstance(error, Busy) for error in tried.values()) and attempt < _TRIES - 1:
                continue  # so that they are in the one set as well
            if not able:
                break
            try:
                wanted = [write for number in able for write in sets[number]]
                view = self._sets.write(self._workspace, wanted, purpose, US, dry_run=self.is_dry)
            except ConductdError as error:
                done |= dict.fromkeys(able, Placed("", why=error.message))
                continue
            for number in able:
                where = shown(os.path.join(self._root(), sets[number][0].path))
                done[number] = Placed(where, _undo(view), is_inside=True)
            break
        return [done[number] for number in range(len(pages))]

    def _page_writes(self, page: Page, taken: set[bytes]) -> list[Write]:
        was = hashlib.sha256(page.there).digest() if page.there is not None else None
        if not page.to:
            return [Write(page.path, page.data, was)]
        target = _free(self._root(), page.to, taken)
        taken.add(target)
        writes = [Write(target, page.data)]
        return [*writes, Write(page.path, None, was)] if was is not None else writes

    def _why_not(self, page: Page, writes: Sequence[Write], purpose: str) -> ConductdError | None:
        why = self.forbidden(page.path, Placement.OTHER)
        if why:
            return Refused(why, "write_into_workspace in the config")
        try:
            self._sets.write(self._workspace, writes, purpose, US, dry_run=True)
        except ConductdError as error:
            return error
        return None

    def _root(self) -> bytes:
        handle = self._.workspaces.handle(self._workspace)
        assert handle is not None  # asked by who gathered
        return handle.root

    def forbidden(self, path: bytes, kind: Placement) -> str:
        """Why a file of this kind is not written into the workspace; "" when it may be."""
        mode = self._.workspaces.mode_at(self._workspace, path)
        return placement(self._write_into, mode, kind, observes=self._.observing)

    def where(self, name: bytes) -> str:
        """The absolute path of a file of the reports, as shown."""
        return shown(os.path.join(self.reports.path, name))

    def report(self, name: bytes, data: bytes, why: str = "") -> Placed:
        """Put a text into the reports. Raises StoreUnavailable, Refused."""
        where = os.path.join(self.reports.path, name)
        if self.reports.get(name) == data:
            return Placed("", why=why)
        if not self.is_dry:
            self.reports.put(name, data)
        return Placed(shown(where), why=why)

    # ------------------------------------------------------------------ the workspace

    def _write(self, path: bytes, change: Change, purpose: str) -> Placed:
        handle = self._.workspaces.handle(self._workspace)
        assert handle is not None  # asked by who gathered
        self._sets.read_again(self._workspace, [path])
        with handle.opened() as root:
            if root is None:
                return Placed("", why="the workspace is not there")
            seen = observe(root, path, limit=self._.workspaces.config.max_file_bytes)
        if seen.torn:
            raise Busy(f"{shown(path)} is being written right now", "try again in a moment")
        if seen.state not in (FileState.FILE, FileState.ABSENT) or (seen.state is FileState.FILE and seen.data is None):
            return Placed("", why=f"{shown(path)} is {seen.state}")
        wanted = change(seen.data)
        if wanted is None or wanted == seen.data:
            return Placed("", is_inside=True)
        where = shown(os.path.join(handle.root, path))
        was = hashlib.sha256(seen.data).digest() if seen.data is not None else None
        write = Write(path, wanted, was)
        view = self._sets.write(self._workspace, [write], purpose, US, dry_run=self.is_dry)
        return Placed(where, _undo(view), is_inside=True)


def _undo(view: SetView) -> int | None:
    return int(view.undo_command.split()[-1]) if view.undo_command else None


def _free(root: bytes, path: bytes, taken: Collection[bytes]) -> bytes:
    stem, ending = os.path.splitext(path)
    target, number = path, 2
    while target in taken or os.path.lexists(os.path.join(root, target)):
        target, number = b"%s-%d%s" % (stem, number, ending), number + 1
    return target


def appended(there: bytes | None, text: str, before: str = "") -> bytes | None:
    """The bytes of a file with a text put after what it holds, in its own encoding and line ends, after one empty line.
    ``before``: what a file that is not there begins with. None: the file is no text, or ends inside of a block."""
    if not there:
        return (before + text).encode("utf-8", "surrogateescape")
    decoded = decode(there)
    if decoded.encoding is Encoding.BINARY or "\0" in decoded.text:
        return None
    end = {LineEnd.CRLF: "\r\n", LineEnd.CR: "\r"}.get(decoded.line_end, "\n")
    gap = "" if decoded.text.endswith("\n\n") else end if decoded.text.endswith("\n") else end * 2
    added = gap + text.replace("\n", end)
    codec = {
        Encoding.UTF_16_LE: "utf-16-le",
        Encoding.UTF_16_BE: "utf-16-be",
        Encoding.LATIN_1: "latin-1",
    }.get(decoded.encoding, "utf-8")
    try:
        made = there + added.encode(codec)
    except UnicodeEncodeError:
        return None
    return made if _begins(text, decode(made).text) else None


def _begins(text: str, made: str) -> bool:
    """Whether a text that begins with a heading still does: in a code block or a comment that never ends it would be
    a part of that."""
    first, lines = text.partition("\n")[0], made.split("\n")
    if not first.startswith("#") or first not in lines:
        return True
    at = len(lines) - 1 - lines[::-1].index(first)
    return any(block.kind is Block.HEADING and block.first == at for block in scan(lines))
