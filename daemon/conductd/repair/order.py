"""What is asked of a repair, and every way it can end, as frozen values.

The engine makes an `Order` from a journaled plan and gets one `Outcome`; nothing here
touches a file. An outcome that holds a `LateWatch` holds an open descriptor: close it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from conductd.model import FileStat
from conductd.repair.late import LateWatch


class Method(StrEnum):
    """How a file was (or would be) written; the words of `RepairDoneRecord.method`."""

    SWAP = "swap"
    IN_PLACE = "in_place"
    CREATE = "create"
    REMOVE = "remove"
    NOTHING = "nothing"  # what is there already is the target


@dataclass(frozen=True, slots=True)
class Order:
    """Make ``path`` hold ``target``, if and only if it holds what was judged.

    ``root`` is a directory descriptor (kept open by the caller) or an absolute path whose last
    part is no link. ``path`` is relative to it. ``judged`` is the SHA-256 digest of the bytes that
    must be there, None for absence; ``target`` the bytes wanted, None for absence.
    ``temp_name`` is the name in the journaled plan. ``template`` gives mode and owner for a file
    that is absent now (without one: mode 0600). ``force_in_place``: the config says never to swap.
    ``like``: another path that lends a file which is absent now its extended attributes, and without a ``template``
    its mode and owner too, as far as that is permitted.
    ``break_links``: swap a file of several hard links, so that it becomes one of its own.
    ``judged_link``, ``target_link``: where the symlink leads that must be there, or is wanted.
    """

    root: int | bytes
    path: bytes
    judged: bytes | None
    target: bytes | None
    temp_name: bytes
    template: FileStat | None = None
    force_in_place: bool = False
    break_links: bool = False
    judged_link: bytes | None = None
    target_link: bytes | None = None
    like: bytes | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """The target is in place and durable. ``stat`` is None after a removal.

    ``late`` holds the inode that was taken out: a writer that still had it open may write to it.
    ``notes`` are facts worth telling ("leases unsupported: looked through /proc instead").
    """

    method: Method
    stat: FileStat | None
    late: LateWatch | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Changed:
    """What was there, or came out of the exchange, was not the judged bytes.

    ``data``, ``digest`` and ``stat`` are what stands at the path now (None: absent, or not a
    regular file). ``others`` are byte strings that stand nowhere any more because a writer was
    replaced by another in the middle of our exchange: record and merge them, oldest first.
    ``ours``: the file that we made stands there all the same, and somebody wrote on it.
    ``late`` watches an inode we took out. ``left``: the temporary name is still on disk and holds
    the last of ``others`` (or, when there are none, something that is no regular file): record
    ``others`` first, then `recover.remove_leftover`.
    """

    data: bytes | None
    digest: bytes | None
    stat: FileStat | None
    others: tuple[bytes, ...] = ()
    late: LateWatch | None = None
    left: bytes | None = None
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Busy:
    """Somebody has the file open; nothing was written. Try again later."""

    reason: str


@dataclass(frozen=True, slots=True)
class Refused:
    """This file cannot be written safely; nothing was written. Propose instead."""

    reason: str


@dataclass(frozen=True, slots=True)
class NoSpace:
    """The file system or quota is full; what was there is whole."""

    reason: str


Outcome = Applied | Changed | Busy | Refused | NoSpace
