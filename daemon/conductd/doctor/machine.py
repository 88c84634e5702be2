"""The machine and conductd's own places: the state directory, the clock, inotify. Read-only."""

from __future__ import annotations

import os
import re
import stat
import sys
import time
from collections.abc import Iterable, Mapping

from conductd.core.doctor.facts import Clock, Place, Store, Watches
from conductd.journal.place import filesystem, sync_folder

# No clock that is right shows an earlier time: a machine whose battery is empty begins at 1970 or at its making.
RELEASED_NS = 1_735_689_600 * 1_000_000_000  # 2025-01-01
_LIMITS = "/proc/sys/fs/inotify/"
_DESCRIPTORS = 50_000
_POSIX_ZONE = re.compile(r"(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]+>)[+-]?\d{1,3}(?::\d\d){0,2}.*")


def store(state_dir: str, socket: bytes, config: str, roots: Iterable[bytes]) -> Store:
    real = os.path.realpath(os.fsencode(state_dir))
    inside = [root for root in roots if (real + b"/").startswith(os.path.realpath(root).rstrip(b"/") + b"/")]
    free, files = room(os.fsencode(state_dir))
    return Store(
        state_dir,
        os.path.isdir(state_dir),
        filesystem(state_dir),
        sync_folder(state_dir) or b"",
        tuple(inside),
        tuple(_place(each) for each in (state_dir, os.fsdecode(socket), config) if each),
        os.geteuid(),
        free,
        files,
        sqlite=_sqlite(),
    )


def _place(path: str) -> Place:
    try:
        seen = os.stat(path)
    except (OSError, ValueError):
        return Place(path)
    if stat.S_ISSOCK(seen.st_mode) or stat.S_ISDIR(seen.st_mode):
        return Place(path, seen.st_mode, seen.st_uid)
    # A configuration is read by whoever may: only that others write it matters.
    return Place(path, seen.st_mode & ~0o055, seen.st_uid)


def room(path: bytes) -> tuple[int | None, int | None]:
    """Free bytes and files for us, at the nearest directory above that exists. -1 files: the system counts none."""
    while not os.path.isdir(path) and os.path.dirname(path) != path:
        path = os.path.dirname(path)
    try:
        seen = os.statvfs(path)
    except OSError:
        return None, None
    return seen.f_bavail * seen.f_frsize, seen.f_favail if seen.f_files else -1


def is_read_only(path: bytes) -> bool | None:
    try:
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except OSError:
        return None


def _sqlite() -> tuple[int, int, int] | None:
    try:
        import sqlite3  # slow to load, and missing from some Pythons
    except ImportError:
        return None
    first, second, third = sqlite3.sqlite_version_info[:3]
    return first, second, third


def clock(state_dir: str, env: Mapping[str, str], now_ns: int | None = None) -> Clock:
    written, exists = _last_written(os.path.join(state_dir, "journal"))
    zone = env.get("TZ", "")
    return Clock(
        time.time_ns() if now_ns is None else now_ns,
        written,
        exists,
        RELEASED_NS,
        zone,
        _is_zone(zone, env),
        _hardware_is_local(),
    )


def _last_written(journal: str) -> tuple[int | None, bool | None]:
    """By the times of its files: they are the clock's of then."""
    try:
        with os.scandir(journal) as entries:
            times = [entry.stat().st_mtime_ns for entry in entries if entry.is_file(follow_symlinks=False)]
    except FileNotFoundError:
        return None, False
    except OSError:
        return None, True
    return max(times, default=None), bool(times)


def _is_zone(zone: str, env: Mapping[str, str]) -> bool | None:
    if not zone:
        return True  # the machine's own, or UTC
    name = zone.removeprefix(":")
    if name in ("UTC", "GMT") or (not zone.startswith(":") and _POSIX_ZONE.fullmatch(zone)):
        return True
    if os.path.isabs(name):
        return os.path.isfile(name)
    bases = [base for base in (env.get("TZDIR", ""), "/usr/share/zoneinfo", "/usr/lib/zoneinfo") if os.path.isdir(base)]
    if not bases:
        return None
    return any(os.path.isfile(os.path.join(base, name)) for base in bases) and ".." not in name.split("/")


def _hardware_is_local() -> bool | None:
    try:
        with open("/etc/adjtime", "rb") as file:
            lines = file.read(1024).splitlines()
    except FileNotFoundError:
        return False
    except OSError:
        return None
    return len(lines) > 2 and lines[2].strip() == b"LOCAL"


def watches(needed: int | None, daemon_runs: bool) -> Watches:
    if not sys.platform.startswith("linux"):
        return Watches(supported=False)
    used = _used()
    return Watches(
        True,
        _number(f"{_LIMITS}max_user_watches"),
        _number(f"{_LIMITS}max_user_instances"),
        used[0] if used else None,
        used[1] if used else None,
        needed,
        daemon_runs,
    )


def _number(path: str) -> int | None:
    try:
        with open(path, "rb") as file:
            return int(file.read(32))
    except (OSError, ValueError):
        return None


def _used() -> tuple[int, int] | None:
    """Inotify watches and instances of our own processes, as /proc shows them; None when there are too many to look."""
    user, seen, watched, instances = os.geteuid(), 0, 0, 0
    try:
        processes = [name for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return None
    for process in processes:
        try:
            if os.stat(f"/proc/{process}").st_uid != user:
                continue
            descriptors = os.listdir(f"/proc/{process}/fd")
        except OSError:
            continue
        for descriptor in descriptors:
            seen += 1
            if seen > _DESCRIPTORS:
                return None
            try:
                if os.readlink(f"/proc/{process}/fd/{descriptor}") != "anon_inode:inotify":
                    continue
                with open(f"/proc/{process}/fdinfo/{descriptor}", "rb") as file:
                    watched += sum(line.startswith(b"inotify") for line in file)
            except OSError:
                continue
            instances += 1
    return watched, instances
