"""What people decide, or are asked to, as lines: leases, roles and requests. Pure, as `render`."""

from __future__ import annotations

import base64
import os
import shlex
from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.cli.render import ago, clock, duration, moment, place
from conductd.cli.table import table
from conductd.views import LeaseView, PinView, RequestView, RoleView, StatusView
from conductd.views.words import counted, pasted

RULES = 5  # named in the status


def span(seconds: int) -> str:
    """`20 min`, `1 h 30 min`, `90 s`."""
    return f"{seconds} s" if seconds % 60 else duration(seconds)


def leased(view: LeaseView) -> str:
    """The file or directory of a lease."""
    return place(_whole(view))


def _whole(view: LeaseView) -> str:
    inside = os.fsdecode(base64.b64decode(view.path_b64))
    return os.path.join(view.root, inside) if inside else view.root


def lease(view: LeaseView, now_ns: int) -> list[str]:
    if view.request is not None:
        if view.id:
            return [
                f"{leased(view)} is left alone as before: that it is not has to be confirmed by a person",
                f"confirm with: conductd confirm {view.request}",
            ]
        return [
            f"{leased(view)} is guarded as before: that it is left alone has to be confirmed by a person",
            f"confirm with: conductd confirm {view.request}",
        ]
    return [
        f"{leased(view)} is left alone until {clock(view.until_ns, now_ns)}: what is written is recorded, not judged",
        f"end it with: {pasted('conductd', 'lease', _whole(view), '--end')}",
    ]


def leases(views: Sequence[LeaseView], now_ns: int) -> list[str]:
    rows = [[str(v.id), leased(v), ago(v.until_ns, now_ns), harmless(v.holder or _first(v.caller))] for v in views]
    return table(rows, ["ID", "FILE", "ENDS", "BY"], [None] * len(rows), spare=("BY",)) if rows else []


def _first(caller: Sequence[str]) -> str:
    return caller[0].partition(" ")[2] if caller else "unknown"


def pins(views: Sequence[PinView]) -> list[str]:
    """`file:line  held  text`, whole rows red where an entry is missing."""
    rows = [[f"{_pinned(v)}:{v.line}", v.state, v.by, harmless(v.text)] for v in views]
    colours = ["red" if v.state == "missing" else None for v in views]
    return table(rows, ["ENTRY", "STATE", "BY", "TEXT"], colours, spare=("BY",)) if rows else []


def _pinned(view: PinView) -> str:
    return place(os.path.join(view.root, os.fsdecode(base64.b64decode(view.path_b64))))


def requests(views: Sequence[RequestView], now_ns: int) -> list[str]:
    head = ["ID", "ASKED", "TO", "WORKSPACE", "BY", "EXPIRES"]
    rows = [
        [str(r.id), ago(r.asked_ns, now_ns), harmless(r.words), place(r.root) if r.root else "-",
         harmless(_first(r.caller)), ago(r.expires_ns, now_ns)]
        for r in views
    ]  # fmt: skip
    if not rows:
        return []
    lines = table(rows, head, [None] * len(rows), spare=("EXPIRES", "BY"))
    return [*lines, "conductd confirm ID, or conductd refuse ID"]


def request(view: RequestView, now_ns: int) -> list[str]:
    """What somebody is about to confirm."""
    out = [
        paint(f"request {view.id}: {harmless(view.words)}", "bold"),
        f"  asked    {moment(view.asked_ns, now_ns)}",
        *(f"  {'by' if place == 0 else 'under':<8} {harmless(name)}" for place, name in enumerate(view.caller)),
    ]
    if not view.caller:
        out.append("  by       a process that could not be seen")
    if view.root:
        out.append(f"  in       {place(view.root)}")
    return out + [f"  would    {harmless(line)}" for line in view.shows]


def fitting(view: RoleView) -> list[str]:
    """Which files a role would be for."""
    if not view.files:
        return [f"no file in {place(view.root)} fits {harmless(view.glob)} now"]
    more = [f"  and {view.files - len(view.examples)} more"] if view.files > len(view.examples) else []
    head = f"{harmless(view.glob)} fits {counted(view.files, 'file')} in {place(view.root)}:"
    return [head, *(f"  {harmless(path)}" for path in view.examples), *more]


def role(view: RoleView, *, forgotten: bool) -> list[str]:
    if view.request is not None:
        return [
            f"files like {harmless(view.glob)} are what they were: a person has to confirm the change",
            f"confirm with: conductd confirm {view.request}",
        ]
    if forgotten:
        return [f"files like {harmless(view.glob)} are for what their profile says again"]
    back = f"conductd role {shlex.quote(view.glob)} --forget"
    return [
        f"files like {harmless(view.glob)} are {view.role} from now on ({counted(view.files, 'file')} now)",
        f"take it back with: {harmless(back)}",
    ]


def roles(views: Sequence[RoleView]) -> list[str]:
    several = len({v.workspace for v in views}) > 1
    rows = [[(place(v.root) + "/" if several else "") + harmless(v.glob), v.role, f"{v.files:,}"] for v in views]
    return table(rows, ["GLOB", "ROLE", "FILES"], [None] * len(rows)) if rows else []


def standing(view: StatusView, now_ns: int) -> list[str]:
    """What people decided that stands, for `conductd status`."""
    out = []
    if view.requests:
        asks = "1 request waits" if view.requests == 1 else f"{view.requests} requests wait"
        out.append(paint(f"  {asks} for you: conductd requests", "yellow"))
    out += [f"  {leased(each)} is left alone until {clock(each.until_ns, now_ns)}" for each in view.leases]
    if view.learned_roles:
        out.append(f"  {counted(view.learned_roles, 'learned role')}: conductd roles")
    if view.false_positives:
        out.append(f"  {counted(view.false_positives, 'false alarm')} so far (repairs undone, or accepted losses)")
    else:
        out.append("  no false alarm so far (no repair undone, no repaired loss accepted)")
    late = [alarm for alarm in view.false_alarms if alarm.last_30_days]
    return out + [f"    {a.rule}: {a.last_30_days} in 30 days; {harmless(a.hint)}" for a in late[:RULES]]
