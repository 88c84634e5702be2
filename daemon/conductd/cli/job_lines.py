"""The jobs of the night on a terminal: rows for `conductd jobs`, lines for one run, the next ones for the status.

Pure but for colour. What a job says is made harmless here.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.cli.render import duration, moment, path
from conductd.cli.table import table
from conductd.views import JobRunView, JobView

COLOURS = {"warn": "yellow", "fail": "red", "failed": "red", "timed out": "red", "unknown": "yellow"}
_SHOWN = 3  # in the status


def jobs(views: Sequence[JobView], now_ns: int) -> list[str]:
    """A table a workspace."""
    out: list[str] = []
    for root in dict.fromkeys(each.root_b64 for each in views):
        of = [each for each in views if each.root_b64 == root]
        rows = [[each.job, _last(each, now_ns), _result(each), _took(each), _next(each, now_ns)] for each in of]
        colours = [COLOURS.get(each.last.result) if each.last is not None else None for each in of]
        head = ["JOB", "LAST", "RESULT", "TOOK", "NEXT"]
        out += [*([""] if out else []), path(root), *table(rows, head, colours, ["TOOK"])]
        out += [f"  {each.job}: {harmless(each.last.text)}" for each in of if each.last is not None and each.last.text]
    return out


def _last(each: JobView, now_ns: int) -> str:
    if each.last is None:
        return "never"
    for_day = f" for {each.last.day}" + (f" and {len(each.last.asleep)} more" if each.last.asleep else "")
    return moment(each.last.started_ns, now_ns) + for_day


def _result(each: JobView) -> str:
    if each.last is None:
        return "–"
    return each.last.result + ("" if each.last.cause == "timed" else f" ({each.last.cause})")


def _took(each: JobView) -> str:
    return "–" if each.last is None else took(each.last.duration_s)


def _next(each: JobView, now_ns: int) -> str:
    if each.state == "running":
        share = f" {each.progress:.0%}" if each.progress else ""
        return f"running{share}" + (f": {harmless(each.doing)}" if each.doing else "")
    if each.state in ("due", "stuck"):
        return "due now" + (f": {harmless(each.why)}" if each.why else "")
    if each.state == "off":
        return "off"
    return "not within three weeks" if each.next_ns is None else moment(each.next_ns, now_ns)


def took(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 60 else duration(seconds)


def ran(view: JobRunView) -> list[str]:
    """What came of one run."""
    head = f"{view.job} for {view.day}: {view.result}" + (f": {harmless(view.text)}" if view.text else "")
    out = [paint(head, COLOURS.get(view.result) or "green")]
    does = "would write" if view.dry_run else "wrote"
    out += [f"  {does} {harmless(each)}" for each in view.written]
    if view.undo is not None:
        out.append(f"  to take it back: conductd undo {view.undo}")
    return out


def coming(views: Sequence[JobView], now_ns: int) -> list[str]:
    """One line for the status: what runs, what cannot, what comes next."""
    busy = [f"{each.job} is running" for each in views if each.state == "running"]
    stuck = [f"{each.job} is due: {harmless(each.why)}" for each in views if each.state == "stuck"]
    waiting = sorted((each for each in views if each.next_ns is not None), key=lambda each: each.next_ns or 0)
    soon = [f"{each.job} {moment(each.next_ns or 0, now_ns)}" for each in waiting[: max(0, _SHOWN - len(busy + stuck))]]
    said = [*dict.fromkeys(busy + stuck), *dict.fromkeys(soon)]
    return [f"  next jobs: {', '.join(said)}"] if said else []
