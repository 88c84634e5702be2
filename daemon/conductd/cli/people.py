"""What people decide, or are asked to, as lines: leases and requests. Pure, as `render`."""

from __future__ import annotations

import base64
import os
import shlex
from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.cli.render import ago, clock, duration, moment, place
from conductd.cli.table import table
from conductd.views import LeaseView, RequestView


def span(seconds: int) -> str:
    """`20 min`, `1 h 30 min`, `90 s`."""
    return f"{seconds} s" if seconds % 60 else duration(seconds)


def leased(view: LeaseView) -> str:
    """The file or directory of a lease."""
    inside = os.fsdecode(base64.b64decode(view.path_b64))
    return place(os.path.join(view.root, inside) if inside else view.root)


def lease(view: LeaseView, now_ns: int) -> list[str]:
    if view.request is not None:
        return [
            f"{leased(view)} is guarded as before: that it is left alone has to be confirmed by a person",
            f"confirm with: conductd confirm {view.request}",
        ]
    return [
        f"{leased(view)} is left alone until {clock(view.until_ns, now_ns)}: what is written is recorded, not judged",
        f"end it with: conductd lease {shlex.quote(leased(view))} --end",
    ]


def leases(views: Sequence[LeaseView], now_ns: int) -> list[str]:
    rows = [[str(v.id), leased(v), ago(v.until_ns, now_ns), harmless(v.holder or _first(v.caller))] for v in views]
    return table(rows, ["ID", "FILE", "ENDS", "BY"], [None] * len(rows), spare=("BY",)) if rows else []


def _first(caller: Sequence[str]) -> str:
    return caller[0].partition(" ")[2] if caller else "unknown"


def requests(views: Sequence[RequestView], now_ns: int) -> list[str]:
    rows = [
        [str(r.id), ago(r.asked_ns, now_ns), harmless(r.words), harmless(_first(r.caller)), ago(r.expires_ns, now_ns)]
        for r in views
    ]
    if not rows:
        return []
    return [*table(rows, ["ID", "ASKED", "TO", "BY", "EXPIRES"], [None] * len(rows), spare=("EXPIRES", "BY")),
            "conductd confirm ID, or conductd refuse ID"]  # fmt: skip


def request(view: RequestView, now_ns: int) -> list[str]:
    """What somebody is about to confirm."""
    out = [
        paint(f"request {view.id}: {harmless(view.words)}", "bold"),
        f"  asked    {moment(view.asked_ns, now_ns)}",
        *(f"  {'by' if place == 0 else 'under':<8} {harmless(name)}" for place, name in enumerate(view.caller)),
    ]
    if not view.caller:
        out.append("  by       a process that could not be seen")
    return out + [f"  would    {harmless(line)}" for line in view.shows]
