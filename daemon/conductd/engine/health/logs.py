"""structlog set up once: JSON lines or readable ones, on stderr, never file content."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import Any

import structlog

from conductd.config import Log


def configure(settings: Log) -> None:
    """`auto`: readable on a terminal, JSON elsewhere. Paths are bytes: shown as text, replaced where not UTF-8."""
    human = settings.format == "human" or (settings.format == "auto" and sys.stderr.isatty())
    renderer: Any = (
        structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        if human
        else structlog.processors.JSONRenderer(ensure_ascii=False)
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=False),
            structlog.processors.StackInfoRenderer(),
            *([] if human else [structlog.processors.format_exc_info]),
            _text,
            renderer,
            *([_with_priority] if to_journal(os.environ) else []),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(settings.level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


# syslog(3), as sd-daemon(3) has it at the beginning of a line.
_PRIORITIES = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}


def to_journal(env: Mapping[str, str]) -> bool:
    """Whether stderr is systemd's journal, by the file that systemd says it is (systemd.exec(5), JOURNAL_STREAM)."""
    try:
        there = os.fstat(2)
    except OSError:
        return False
    return env.get("JOURNAL_STREAM") == f"{there.st_dev}:{there.st_ino}"


def _with_priority(_logger: object, level: str, line: Any) -> Any:
    """What is logged as an error is one for `journalctl -p err`, too: every line of it."""
    mark = f"<{_PRIORITIES.get(level, 6)}>"
    return "\n".join(mark + each for each in str(line).split("\n"))


def _text(_logger: object, _name: str, event: Any) -> Any:
    for key, value in event.items():
        if isinstance(value, bytes):
            event[key] = value.decode("utf-8", "replace")
        elif isinstance(value, str) and not isinstance(value, bytes):
            event[key] = str(value).encode("utf-8", "replace").decode("utf-8")
    return event
