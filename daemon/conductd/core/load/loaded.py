"""What an agent's loader makes of a workspace: one shape for every agent.

Values only. Made by the loaders (`core.load`) from what their readers (`agents`) found, read by `core.load.holes`,
`core.load.fixes` and the faces.
"""

from __future__ import annotations

from enum import StrEnum

from conductd.model import Frozen

NEAR = 0.85


class Unit(StrEnum):
    """What a loader counts."""

    UTF16 = "UTF-16 units"
    CHARACTERS = "characters"
    BYTES = "bytes"


class Cause(StrEnum):
    """Why a part of a file is not loaded."""

    PER_FILE = "per-file"
    TOTAL = "total"


class Why(StrEnum):
    """Why a file as a whole does not reach the model, or stands there as a marker."""

    LOADED = ""
    MISSING = "missing"
    EMPTY = "empty"
    UNREADABLE = "unreadable"
    NOT_REGULAR = "no regular file"
    SYMLINK = "a symbolic link"
    OUTSIDE = "leads out of the workspace"
    HARD_LINK = "more than one hard link"
    TOO_LARGE = "too large"
    UNTRUSTED = "left out: its provenance is untrusted"
    NO_ROOM = "no room left by the files before it"
    OTHER_NAME = "not the name that is loaded"
    OTHER_FILE = "another file is loaded in its place"
    RETIRED = "not loaded by this version"
    SESSION = "not loaded in this kind of session"
    SCOPED = "loaded only when a file that it names is worked on"


class LoadedFile(Frozen, frozen=True):
    """One file, as its loader sees it.

    ``name`` is how it is shown: relative to the directory that was asked about where it lies below. ``path`` is
    absolute, as the file system's text; ``raw`` and ``injected`` are counted in the loader's unit, ``raw``
    after what the loader never counts is taken off. ``text``: what the model gets of it; None: nothing. ``source``:
    the text that ``kept`` (what was loaded, as (start, end) in characters) is about. ``quoted``: 0-based lines of it
    that the loader quotes outside of what is kept. ``limit``: what it was cut to, ``own_limit`` its own whatever the
    others take; None: there is none. ``is_marker``: the text is a note
    of the loader, nothing of the file. ``is_counted``: whether it takes of what all together may.
    ``lines`` of at most ``lines_limit`` where lines are counted as well. ``splits``: a cut goes through a character.
    ``pinned``: 1-based first lines of entries that a person pinned. ``never``: parts of the source, as (start, end),
    that this loader never loads, whatever its limits (front matter, comments). ``since``, ``session``: of one that is
    left out for who wrote it, what the agent noted of that. ``escaped``: the source with the bytes in it that are
    no text (`core.load.counting`), where it has any and bytes are counted. ``limits_writes``: ``own_limit`` cuts
    nothing, the agent's own tool adds nothing beyond it.
    """

    name: str
    path: str
    raw: int = 0
    injected: int = 0
    text: str | None = None
    limit: int | None = None
    causes: tuple[Cause, ...] = ()
    why: Why = Why.LOADED
    note: str = ""
    source: str = ""
    kept: tuple[tuple[int, int], ...] = ()
    quoted: tuple[int, ...] = ()
    is_marker: bool = False
    own_limit: int | None = None
    is_counted: bool = True
    lines: int = 0
    lines_limit: int | None = None
    splits: bool = False
    pinned: tuple[int, ...] = ()
    never: tuple[tuple[int, int], ...] = ()
    since: str = ""
    session: str = ""
    escaped: str = ""
    limits_writes: bool = False

    @property
    def counted(self) -> str:
        """The source as it is counted, character for character: see ``escaped``."""
        return self.escaped or self.source

    @property
    def truncated(self) -> bool:
        return bool(self.causes)

    @property
    def is_near(self) -> bool:
        """Within 15 % of a limit of its own, and over none."""
        if self.truncated or self.is_marker:
            return False
        full = [self.raw / self.own_limit] if self.own_limit else []
        full += [self.lines / self.lines_limit] if self.lines_limit else []
        return max(full, default=0) >= NEAR


class Load(Frozen, frozen=True):
    """``files``: what the loader takes up, in its order, also what it has no room for. ``left_out``: what lies there
    and it does not take up, each with its reason. ``limit``: of all together; None: there is none."""

    agent: str
    version: str
    session: str
    unit: Unit
    files: tuple[LoadedFile, ...]
    limit: int | None = None
    notes: tuple[str, ...] = ()
    left_out: tuple[LoadedFile, ...] = ()

    @property
    def raw(self) -> int:
        return sum(each.raw for each in self.files)

    @property
    def injected(self) -> int:
        return sum(each.injected for each in self.files)

    @property
    def spent(self) -> int:
        """What is taken of the limit of all together."""
        return sum(each.injected for each in self.files if each.is_counted)

    @property
    def truncated(self) -> bool:
        return any(each.truncated for each in self.files)
