"""One thing that is wrong with what an agent gets to see, as it is told and remembered.

Values only: made by `core.load.findings` and `core.load.split_names`, kept in events, remembered by
`engine.fold.loads`.
"""

from __future__ import annotations

from hashlib import blake2b

from conductd.model import EventClass, Frozen

FORGOTTEN = "forgotten"  # in the place of a mark
ALL = ""  # in the place of a file's name: all files together
BY_TOTAL = "because:total"  # a mark
WRITES = "writes"  # a reason: the limit cuts nothing, the agent's own tool adds nothing beyond it
NOTHING = "loaded:nothing"  # a mark: of a file that is cut not even a part is loaded


class Gone(Frozen, frozen=True):
    """A section that falls out, wholly or in part: its heading ("": before the first), its lines that do. ``mark``: the
    heading's keyed fingerprint, that of the entry it is."""

    heading: str
    first: int
    last: int
    whole: bool
    pinned: bool = False
    mark: str = ""


class Gap(Frozen, frozen=True):
    """A hole: its lines, and its place in the unit of the loader."""

    first: int
    last: int
    size: int
    start: int
    end: int


class Finding(Frozen, frozen=True):
    """One thing that is told; also what its event keeps (`EventRecord.facts`).

    ``name``: of the file, relative to the workspace where it lies below, absolute elsewhere; "" (`ALL`): all together.
    ``reason``: a `Cause`, two joined by " and ", a `Why`, "lines", or `WRITES`. ``size`` of ``limit`` in ``unit``,
    ``lines`` of ``lines_limit`` (None: lines are not counted); ``room``: what it was cut to. ``files``: those that take
    of a limit together, or whose names differ only in case. ``grew``: the file that grew, ``largest`` the one that
    takes most. ``pinned``: first lines of pinned entries that fall out. ``marks``: see the module. ``hidden``: it is
    not so at the moment, and too close to it to be told as over. ``over``: it has ended. ``sessions``: new ones that it
    is told again for. ``version_is_named``: by the configuration.
    """

    event_class: EventClass
    agent: str
    name: str
    reason: str
    version: str = ""
    session: str = ""
    unit: str = ""
    limit: int | None = None
    size: int = 0
    room: int | None = None
    lines: int | None = None
    lines_limit: int | None = None
    share: float = 0.0
    lost: int = 0
    lost_lines: int = 0
    holes: tuple[Gap, ...] = ()
    sections: tuple[Gone, ...] = ()
    more_sections: int = 0
    pinned: tuple[int, ...] = ()
    splits_character: bool = False
    note: str = ""
    files: tuple[str, ...] = ()
    largest: str = ""
    grew: str = ""
    writer: str = ""
    marks: tuple[str, ...] = ()
    hidden: bool = False
    over: bool = False
    sessions: tuple[str, ...] = ()
    version_is_named: bool = False

    @property
    def place(self) -> str:
        """What it is about: told once, whatever its state."""
        return f"{self.event_class}|{self.agent}|{self.name}"

    @property
    def ends(self) -> frozenset[str]:
        """Other places that are over when this begins: what is cut is not close to its limit, it is over it."""
        if self.event_class is not EventClass.LOAD_TRUNCATION:
            return frozenset()
        names = (self.name, ALL) if "total" in self.reason else (self.name,)
        return frozenset(f"{EventClass.NEAR_LIMIT}|{self.agent}|{name}" for name in names)

    @property
    def state(self) -> str:
        """A key that stays the same for as long as the same falls out for the same reason."""
        return mark(self.place, *sorted(self.marks))


class Known(Frozen, frozen=True):
    """What was told of a place, as far as it matters here: its marks, and how much was lost when it was told last;
    None: nobody knows."""

    marks: tuple[str, ...] = ()
    lost: int | None = None


def mark(*parts: str) -> str:
    """Of names, never of a text: without the key it could be tried against guesses."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
