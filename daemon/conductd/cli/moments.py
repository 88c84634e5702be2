"""A moment as it is typed on a command line."""

from __future__ import annotations

from datetime import datetime

from conductd.core import when
from conductd.errors import UsageError

HINT = 'try "2h ago", "yesterday 14:00" or "2026-03-08"'


def moment_ns(text: str) -> int:
    """Nanoseconds since the epoch. Also without "ago": where a moment is wanted `2h` can mean nothing else."""
    now = datetime.now().astimezone()
    moment = when.parse(text, now, datetime.astimezone) or when.parse(f"{text} ago", now, datetime.astimezone)
    if moment is None:
        raise UsageError(f'this is no time that conductd understands: "{text}"', HINT)
    return int(moment.timestamp() * 1e9)
