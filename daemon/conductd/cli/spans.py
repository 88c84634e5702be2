"""How long: `20m`, `90s`, `1h30m`, `2 hours`, as an option of a command."""

from __future__ import annotations

import re

import click

_SECONDS = {"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3_600, "hr": 3_600, "hour": 3_600}
_TERM = re.compile(r"(\d{1,6})\s*([a-z]+?)s?\s*", re.ASCII)


class Span(click.ParamType):  # type: ignore[type-arg]  # not generic in older releases
    """Seconds, as an int of at least 1."""

    name = "time"

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text, at, seconds = str(value).strip().lower(), 0, 0
        while at < len(text):
            term = _TERM.match(text, at)
            unit = _unit(term) if term else None
            if term is None or unit is None:
                break
            seconds, at = seconds + int(term[1]) * unit, term.end()
        if at < len(text) or not seconds:
            self.fail(f"{value!r} is no span of time; write 20m, 90s or 1h30m", param, ctx)
        return seconds


def _unit(term: re.Match[str]) -> int | None:
    return _SECONDS.get(term[2]) or _SECONDS.get(term[0].strip()[len(term[1]) :].strip())
