"""The place of the journal: where it lies, who may read it, how much room is left, which SQLite, which clock. Pure."""

from __future__ import annotations

import stat
from collections.abc import Iterator

from conductd.core.doctor.facts import Clock, Store
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn

MIB = 1024 * 1024
LITTLE = 1024 * MIB
TOO_LITTLE = 64 * MIB
FEW_FILES = 1_000
TOO_FEW_FILES = 32
SKEW_NS = 5 * 60 * 1_000_000_000
_VOLATILE = frozenset({"tmpfs", "ramfs"})
_REMOTE = frozenset({"9p", "afs", "ceph", "cifs", "fuse.sshfs", "nfs", "nfs4", "smb3", "smbfs", "virtiofs"})
# SQLite's own notes on the WAL-reset bug: in 3.7.0 to 3.51.2, fixed in 3.51.3.
WAL_RESET_SINCE, WAL_RESET_FIXED = (3, 7, 0), (3, 51, 3)
STRICT_TABLES = (3, 37, 0)  # the index is made of them


def _place(store: Store) -> Iterator[Seen]:
    move = "stop the daemon, move the directory, and name it with --state-dir"
    if store.exists is False:
        yield ok("there is no journal yet")
    for root in store.inside or ():
        yield fail(f"the state directory {store.path} lies in the workspace {_shown(root)}", move)
    if store.synced:
        yield fail(f"the state directory lies in a synced folder ({_shown(store.synced)}), which can damage it", move)
    if store.fs_type in _VOLATILE:
        yield fail(f"the state directory is on {store.fs_type}: all that is recorded is lost at the next boot", move)
    elif store.fs_type in _REMOTE:
        yield warn(
            f"the state directory is on a network file system ({store.fs_type}), which may not keep its word", move
        )
    elif not store.fs_type:
        yield unknown("what kind of file system the state directory is on is not known here")


def _private(store: Store) -> Iterator[Seen]:
    for place in store.places or ():
        if place.mode is None:
            continue
        bits = stat.S_IMODE(place.mode)
        wanted = 0o700 if stat.S_ISDIR(place.mode) else 0o600
        if place.is_link:
            yield warn(f"{place.path} is a symbolic link", "name the real place")
        elif place.owner is not None and place.owner != store.user:
            yield fail(f"{place.path} belongs to user {place.owner}", "choose a place of your own")
        elif bits & 0o022:
            yield fail(f"others may write {place.path} (mode {bits:04o})", f"chmod {wanted:o} {place.path}")
        elif bits & 0o055:
            yield warn(f"others may read {place.path} (mode {bits:04o})", f"chmod {wanted:o} {place.path}")


def _room(store: Store) -> Iterator[Seen]:
    free, files = store.free_bytes or 0, store.free_files
    where = f"where the journal is, {size(free)} are free"
    if free < TOO_LITTLE:
        yield fail(where, "make room: a full disk stops recording")
    elif free < LITTLE:
        yield warn(where, "make room before recording stops")
    if files is not None and 0 <= files < FEW_FILES:
        told = fail if files < TOO_FEW_FILES else warn
        yield told(f"where the journal is, only {files} more files can be made", "remove files: the inodes run out")


def _sqlite(store: Store) -> Iterator[Seen]:
    version = store.sqlite or (0, 0, 0)
    said = ".".join(map(str, version))
    if version < STRICT_TABLES:
        yield fail(f"SQLite {said} is too old for the index", "install a Python with SQLite 3.37 or later")
    elif not WAL_RESET_SINCE <= version < WAL_RESET_FIXED:
        return
    elif store.index_writers > 1:
        yield fail(
            f"SQLite {said} can damage a database that {store.index_writers} connections write in WAL mode",
            "install a Python with SQLite 3.51.3 or later",
        )
    else:
        yield ok(
            f"SQLite {said} has the WAL-reset bug (fixed in 3.51.3), which needs two connections that write or "
            "checkpoint one database at a time; the index has one that writes, and is made anew from the journal"
        )


def _clock(clock: Clock) -> Iterator[Seen]:
    now = clock.now_ns or 0
    if now < clock.released_ns:
        yield fail("the clock shows a time before this release was made", "set the clock: date, timedatectl")
    if clock.journal_exists and clock.journal_ns is None:
        yield unknown("when the last record was written could not be read", "conductd verify")
    elif clock.journal_ns is not None and now + SKEW_NS < clock.journal_ns:
        ahead = (clock.journal_ns - now) // 1_000_000_000
        yield fail(
            f"the clock is {_span(ahead)} behind the last record of the journal",
            "set the clock; the order of the history does not depend on it, the times shown do",
        )
    if clock.zone_known is False:
        yield warn(f"the time zone {clock.zone!r} is not known: times are shown in UTC", "correct TZ or /etc/localtime")
    elif clock.zone_known is None:
        yield unknown("whether the time zone is known could not be found out")
    if clock.hardware_local:
        yield warn(
            "the hardware clock is kept in local time: it jumps at daylight saving and beside another system",
            "timedatectl set-local-rtc 0",
        )


def _span(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} s"
    return f"{seconds // 60} min" if seconds < 7_200 else f"{seconds // 3_600} h"


def size(count: int) -> str:
    if count < LITTLE:
        return f"{count // MIB} MiB"
    return f"{count / (1024 * MIB):.1f} GiB"


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")


CHECKS: tuple[Check[Store], ...] = (
    Check(
        "state_place",
        "whether the state directory lies in a workspace, in a synced folder, on a network or volatile file system",
        "The journal is the only copy of what was lost: where it lies decides whether it is there when it is needed.",
        "the state directory is on a disk of its own right",
        _place,
        ("exists", "fs_type", "synced", "inside"),
    ),
    Check(
        "state_private",
        "owner and mode of the state directory, the socket and the configuration",
        "The journal holds every version of every file; who can write the configuration can switch protection off.",
        "the state directory, the socket and the configuration are yours alone",
        _private,
        ("places", "user"),
    ),
    Check(
        "state_room",
        "free space and free inodes where the journal is",
        "A full disk stops recording; what is written then is kept in memory only for a while.",
        "there is room for the journal",
        _room,
        ("free_bytes",),
    ),
    Check(
        "sqlite",
        "which SQLite this Python has",
        "The index is an SQLite database; some releases of SQLite can damage one, or are too old for it.",
        "this SQLite has no known fault that concerns the index",
        _sqlite,
        ("sqlite",),
    ),
)

CLOCK: tuple[Check[Clock], ...] = (
    Check(
        "clock",
        "the clock against this release and the last record, the time zone, the hardware clock",
        "Times in the history, `--at` and `--since` come from the clock; a wrong one finds the wrong versions.",
        "the clock is plausible",
        _clock,
        ("now_ns", "journal_exists"),
    ),
)
