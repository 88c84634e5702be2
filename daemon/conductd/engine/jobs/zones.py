"""Whose local time it is: the system's zone, read again whenever it may have changed.

By `TZ` of the environment, else by what /etc/localtime is. Reads only. Called on every look of the scheduler: that
costs two looks at a link, unless something there is another.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from zoneinfo import TZPATH, ZoneInfo, available_timezones

import structlog

log = structlog.get_logger("jobs")

LOCALTIME = "/etc/localtime"
_DIRECTORY = "zoneinfo/"
_MOST = 64 * 1024  # bytes of a zone
UTC = "UTC"


class SystemZone:
    """`localtime`: where the system says it."""

    def __init__(self, environ: Mapping[str, str], localtime: str = LOCALTIME) -> None:
        self._environ, self._localtime = environ, localtime
        self._seen: object = None
        self._zone = ZoneInfo(UTC)

    def zone(self) -> ZoneInfo:
        """The zone as it is now; UTC where nothing says which it is."""
        written = self._environ.get("TZ", "")
        seen = (written, *_looks(self._localtime))
        if seen != self._seen:
            name = _named(written) or _linked(self._localtime) or _alike(self._localtime)
            if self._seen is not None or not name:
                log.info("the time zone is read", zone=name or UTC)
            self._seen, self._zone = seen, ZoneInfo(name or UTC)
        return self._zone


def zone_named(name: str) -> ZoneInfo | None:
    """None: there is none of this name."""
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        return None


def _looks(path: str) -> tuple[object, ...]:
    """Another value: it may be another zone."""
    try:
        target = os.readlink(path) if os.path.islink(path) else ""
        stat = os.stat(path)
    except OSError:
        return ("", 0, 0, 0)
    return target, stat.st_ino, stat.st_mtime_ns, stat.st_size


def _named(written: str) -> str:
    """What `TZ` names: a zone, or its file."""
    name = written.removeprefix(":")
    if _DIRECTORY in name:
        name = name.rpartition(_DIRECTORY)[2]
    return name if name and zone_named(name) is not None else ""


def _linked(path: str) -> str:
    return _named(os.path.realpath(path)) if os.path.islink(path) and _DIRECTORY in os.path.realpath(path) else ""


def _alike(path: str) -> str:
    """The zone whose file is the same, where it was copied; the first by name."""
    try:
        with open(path, "rb") as file:
            data = file.read(_MOST)
    except OSError:
        return ""
    for directory in TZPATH:
        for name in sorted(available_timezones()):
            try:
                with open(os.path.join(directory, name), "rb") as file:
                    if file.read(_MOST) == data:
                        return name
            except OSError:
                continue
    return ""
