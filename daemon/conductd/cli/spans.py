"""How long: `20m`, `90s`, `1h30m`, `2 hours`, as an option of a command."""

from __future__ import annotations

import re

import click

_SECONDS = {"h": 3_600, "m": 60, "s": 1}
_TERM = re.compile(r"(\d{1,6})\s*(?:(h)(?:ours?|rs?)?|(m)(?:inutes?|ins?)?|(s)(?:econds?|ecs?)?)(?![a-z])\s*", re.ASCII)


class Span(click.ParamType):  # type: ignore[type-arg]  # not generic in older releases
    """Seconds, as an int of at least 1 and of no more than a day, as a lease is."""

    name = "time"
    MOST_S = 24 * 3_600

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        text, at, seconds = str(value).strip().lower(), 0, 0
        while term := _TERM.match(text, at):
            seconds, at = seconds + int(term[1]) * _SECONDS[term[2] or term[3] or term[4]], term.end()
        if at < len(text) or not seconds:
            self.fail(f"{value!r} is no span of time; write 20m, 90s or 1h30m", param, ctx)
        if seconds > self.MOST_S:
            self.fail(f"{value!r} is more than a day; 24h is the longest", param, ctx)
        return seconds
