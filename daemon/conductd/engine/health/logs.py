"""structlog set up once: JSON lines or readable ones, on stderr, never file content."""

from __future__ import annotations

import logging
import sys
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
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(settings.level.upper())),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )


def _text(_logger: object, _name: str, event: Any) -> Any:
    for key, value in event.items():
        if isinstance(value, bytes):
            event[key] = value.decode("utf-8", "replace")
        elif isinstance(value, str) and not isinstance(value, bytes):
            event[key] = str(value).encode("utf-8", "replace").decode("utf-8")
    return event
