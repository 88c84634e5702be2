"""Looks how near the journal is to the size it should stay below, and tells long before. Deletes nothing.

Called on the main thread every few seconds; looks once a minute. Waits for nothing.
"""

from __future__ import annotations

import os

import structlog

from conductd.core.retention import DAY_NS, PACE_DAYS, Room, room
from conductd.engine.health.overview import Parts
from conductd.journal.journal import Draft
from conductd.model import EventClass, NoticeRecord, Severity
from conductd.views.words import counted

log = structlog.get_logger("journal")

REASON = "journal_size"
EVERY_NS = 60_000_000_000
MARK = "journal-size.told"
HINT = "conductd gc --dry-run, or raise retention.max_bytes"
_LEVELS = ("", "near", "full")


class RoomWatch:
    """Each level is told once, also over restarts: the mark in the state directory keeps which."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._mark = os.path.join(parts.state_dir, MARK)
        self._told = self._read()
        self._next_ns = 0

    def tend(self) -> None:
        parts = self._
        now = parts.clock.mono_ns()
        if now < self._next_ns or parts.recorder.down:
            return
        self._next_ns = now + EVERY_NS
        limit = parts.workspaces.config.retention.max_bytes
        grown = parts.journal.written_since(parts.clock.wall_ns() - PACE_DAYS * DAY_NS)
        found = room(parts.journal.bytes, grown.bytes if grown is not None else 0, limit)
        words = _words(found, parts.journal.bytes, limit)
        if found.level == "full":
            parts.degraded.raise_(REASON, words, HINT)
        else:
            parts.degraded.clear(REASON)
        if _LEVELS.index(found.level) > _LEVELS.index(self._told):
            notice = NoticeRecord(EventClass.NEAR_LIMIT, Severity.NOTICE, words, command="conductd gc --dry-run")
            parts.recorder.append(lambda _seq: [Draft(notice)])
        if found.level != self._told:
            self._told = found.level
            self._write()

    def _read(self) -> str:
        try:
            with open(self._mark, encoding="ascii") as file:
                level = file.read(20).strip()
        except (OSError, UnicodeDecodeError):
            return ""
        return level if level in _LEVELS else ""

    def _write(self) -> None:
        """At worst it is told once more after a restart."""
        try:
            descriptor = os.open(self._mark, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
            with open(descriptor, "w", encoding="ascii") as file:
                file.write(self._told + "\n")
        except OSError as error:
            log.warning("it cannot be noted what was told of the journal's size", error=error.strerror)


def _words(found: Room, size: int, limit: int) -> str:
    text = f"the journal takes {_mib(size)} of the {_mib(limit)} that it should stay below"
    if found.days is None:
        return text
    return f"{text}, and reaches them in about {counted(found.days, 'day')} at the pace of the last {PACE_DAYS} days"


def _mib(count: int) -> str:
    return f"{count / 2**20:,.1f} MiB"
