"""Which way to write over a file that is there: a table over what was observed. Pure; the first row that fits counts.

Called by `apply` once the file has been looked at (a missing one can only be created), and
again when a swap turned out to be impossible. The reasons are in docs/adr/0003-swap-or-in-place.md.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from conductd.repair.order import Method


@dataclass(frozen=True, slots=True)
class Seen:
    """What decides. ``swap_refused`` is why a swap was tried and could not be done, else empty."""

    wanted: bool  # the target is bytes, not absence
    same: bool = False  # what is there already is the target
    links: int = 1
    foreign: bool = False  # the file's owner is not us
    mounted: bool = False  # the file itself is the root of a mount, here or in a container
    configured: bool = False  # the config says: in place
    swap_refused: str = ""
    break_links: bool = False  # a file of several hard links is to become one of its own


@dataclass(frozen=True, slots=True)
class Choice:
    """``method`` None: it must not be written; ``why`` says the reason in either case."""

    method: Method | None
    why: str


_Row = tuple[Callable[[Seen], bool], Method | None, str]

TABLE: Final[tuple[_Row, ...]] = (
    (lambda seen: seen.same and not (seen.break_links and seen.links > 1), Method.NOTHING, "already as wanted"),
    (lambda seen: not seen.wanted and seen.mounted, None, "a mount point cannot be removed"),
    (lambda seen: not seen.wanted, Method.REMOVE, "the target is absence"),
    (lambda seen: seen.break_links and seen.configured, None, "the config says to write it in place"),
    (lambda seen: seen.break_links and seen.mounted, None, "mounted as a single file"),
    (lambda seen: seen.break_links and bool(seen.swap_refused), None, "swap refused"),
    (lambda seen: seen.configured, Method.IN_PLACE, "configured"),
    (lambda seen: seen.break_links, Method.SWAP, "becomes a file of its own"),
    (lambda seen: seen.links > 1, Method.IN_PLACE, "several hard links"),
    (lambda seen: seen.foreign, Method.IN_PLACE, "owned by another user"),
    (lambda seen: seen.mounted, Method.IN_PLACE, "mounted as a single file"),
    (lambda seen: bool(seen.swap_refused), Method.IN_PLACE, "swap refused"),
    (lambda _seen: True, Method.SWAP, "default"),
)


def choose(seen: Seen) -> Choice:
    """The method for what was seen; total, because the last row always fits."""
    method, why = next((method, why) for fits, method, why in TABLE if fits(seen))
    return Choice(method, f"{why}: {seen.swap_refused}" if why == "swap refused" else why)
