"""Views as lines for people: what, when, who, how much was lost, what was done.

Pure but for colour (which asks the terminal). Never prints. JSON output does not pass through here.
"""

from __future__ import annotations

import base64
import os
import shlex
import unicodedata
from collections.abc import Sequence
from datetime import datetime

from conductd.cli.output import harmless, paint
from conductd.views import (
    DegradedView,
    DidView,
    EventView,
    ExplainChangeView,
    ExplainView,
    IncidentView,
    PlanView,
    StatusView,
    VerifyView,
    VersionView,
    WorkspaceView,
)

ENTRIES = 15  # listed by `explain`

_SEVERITY_COLOUR = {"alarm": "red", "notice": "yellow"}


def path(b64: str) -> str:
    """A raw path as text that goes out as the same bytes."""
    return harmless(os.fsdecode(base64.b64decode(b64)))


def ago(ns: int, now_ns: int) -> str:
    """`just now`, `5 min ago`, `3 h ago`, `2 days ago`; a time to come is `in 5 min`."""
    seconds = abs(now_ns - ns) / 1e9
    if seconds < 5:
        return "just now"
    if seconds < 90:
        words = f"{round(seconds)} s"
    elif seconds < 90 * 60:
        words = f"{round(seconds / 60)} min"
    elif seconds < 36 * 3600:
        words = f"{round(seconds / 3600)} h"
    else:
        words = counted(round(seconds / 86400), "day")
    return f"in {words}" if ns > now_ns else f"{words} ago"


def moment(ns: int, now_ns: int) -> str:
    """Relative and absolute: `5 min ago (14:03:22)`, with the date when it is another day."""
    then, now = datetime.fromtimestamp(ns / 1e9), datetime.fromtimestamp(now_ns / 1e9)
    shown = then.strftime("%H:%M:%S" if then.date() == now.date() else "%Y-%m-%d %H:%M:%S")
    return f"{ago(ns, now_ns)} ({shown})"


def size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def width(text: str) -> int:
    """Columns on a terminal: wide characters take two, marks none."""
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def table(rows: Sequence[Sequence[str]], head: Sequence[str], colours: Sequence[str | None] = ()) -> list[str]:
    """Aligned columns, two spaces apart; the last is not padded. `colours` paints whole rows."""
    every = [head, *rows]
    widths = [max(width(row[i]) for row in every) for i in range(len(head))]

    def line(row: Sequence[str]) -> str:
        padded = [cell + " " * (space - width(cell)) for cell, space in zip(row[:-1], widths, strict=False)]
        return "  ".join([*padded, row[-1]]).rstrip()

    out = [paint(line(head), "dim")]
    for index, row in enumerate(rows):
        colour = colours[index] if index < len(colours) else None
        out.append(paint(line(row), colour) if colour else line(row))
    return out


def _what(event_class: str | None, cause: str) -> str:
    return (event_class or cause).replace("_", " ")


def _lost(count: int | None, share: float | None) -> str:
    if not count:
        return ""
    return f"-{count} ({share:.0%})" if share else f"-{count}"


def versions(views: Sequence[VersionView], now_ns: int, with_path: bool) -> list[str]:
    head = ["SEQ", "WHEN", *(["FILE"] if with_path else []), "WHAT", "WHO", "LOST", "SIZE", "DIGEST", "DONE"]
    rows, colours = [], []
    for v in views:
        remarks = [v.outcome or "", f"incident {v.incident}" if v.incident is not None else ""]
        remarks += ["found at start"] if v.offline else []
        remarks += ["bytes not kept"] if v.state == "file" and not v.restorable else []
        shown_size = size(v.size) if v.state in ("file", "oversize") else v.state
        file = [path(v.path_b64)] if with_path else []
        rows.append(
            [str(v.seq), moment(v.at_ns, now_ns), *file, _what(v.event_class, v.cause), harmless(v.actor),
             _lost(v.lost, v.lost_share), shown_size, (v.digest or "-")[:12], ", ".join(filter(None, remarks))]
        )  # fmt: skip
        colours.append(_SEVERITY_COLOUR.get(v.severity or ""))
    return table(rows, head, colours) if rows else []


def incidents(views: Sequence[IncidentView], now_ns: int) -> list[str]:
    rows, colours = [], []
    for i in views:
        done = i.done + (", the daemon has stood down" if i.stood_down else "")
        rows.append(
            [str(i.id), moment(i.opened_ns, now_ns), _what(i.event_class, ""), _files(i.files), harmless(i.writer),
             _lost(i.lost, i.lost_share), i.state, done]
        )  # fmt: skip
        colours.append(_SEVERITY_COLOUR.get(i.severity) if i.state == "open" else "dim")
    return table(rows, ["ID", "WHEN", "WHAT", "FILE", "WHO", "LOST", "STATE", "DONE"], colours)


def _files(names: Sequence[str]) -> str:
    first = harmless(names[0]) if names else "-"
    return first if len(names) < 2 else f"{first} and {len(names) - 1} more"


def status(view: StatusView, now_ns: int) -> list[str]:
    good = view.health == "ok"
    word = paint("ok", "green") if good else paint(view.health, "red")
    last = "never" if view.last_change_ns is None else moment(view.last_change_ns, now_ns)
    out = [
        f"conductd {view.daemon}: {word}, up {_duration(view.uptime_s)}, process {view.pid}",
        f"  {counted(view.files, 'file')}, {counted(view.versions, 'version')}, last change {last}",
        f"  journal {size(view.journal_bytes)} in {counted(view.journal_segments, 'segment')}",
        f"  state {harmless(view.state_dir)}",
        f"  socket {harmless(view.socket)}",
    ]
    if view.pending:
        out.append(f"  {view.pending} waiting to be judged, repaired or looked at once more")
    if view.coalesced:
        out.append(
            f"  {counted(view.coalesced, 'state')} not recorded: they came too fast, or while nothing could be written"
        )
    if view.open_incidents:
        out.append(paint(f"  {counted(view.open_incidents, 'open incident')}: conductd incidents", "yellow"))
    if view.false_positives:
        out.append(f"  {counted(view.false_positives, 'false alarm')} so far (repairs undone, or accepted losses)")
    for reason in view.degraded:
        out += ["", *_degraded(reason, now_ns)]
    if view.workspaces:
        out += ["", *_workspaces(view.workspaces, now_ns)]
    return out


def _degraded(reason: DegradedView, now_ns: int) -> list[str]:
    line = paint(f"! {harmless(reason.message)} (since {moment(reason.since_ns, now_ns)})", "red")
    return [line, f"  hint: {harmless(reason.hint)}"] if reason.hint else [line]


def _workspaces(views: Sequence[WorkspaceView], now_ns: int) -> list[str]:
    rows, colours = [], []
    for w in views:
        last = "never" if w.last_change_ns is None else ago(w.last_change_ns, now_ns)
        state = w.state if w.state != "ok" else "polled" if w.watched == "polling" else "ok"
        rows.append([path(w.root_b64), w.mode, state, f"{w.files:,}", f"{w.versions:,}", str(w.open_incidents), last])
        colours.append(None if w.state == "ok" else "red")
    return table(rows, ["WORKSPACE", "MODE", "STATE", "FILES", "VERSIONS", "OPEN", "LAST CHANGE"], colours)


def _duration(seconds: float) -> str:
    minutes, hours = int(seconds) // 60, int(seconds) // 3600
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min" if minutes else f"{int(seconds)} s"


def workspace(view: WorkspaceView) -> list[str]:
    root = path(view.root_b64)
    if view.mode == "protect":
        return [f"protecting {root}: {counted(view.files, 'file')}"]
    return [
        f"observing {root}: {counted(view.files, 'file')}; changes are recorded and judged, nothing is written",
        f"turn protection on with: conductd protect {shlex.quote(root)}",
    ]


def did(view: DidView) -> list[str]:
    out = [harmless(view.text), *(_plan(plan) for plan in view.plans)]
    return [*out, f"undo with: {view.undo_command}"] if view.undo_command else out


def _plan(plan: PlanView) -> str:
    reason = f" ({harmless(plan.reason)})" if plan.reason else ""
    steps = f"{(plan.from_digest or 'nothing')[:12]} -> {(plan.to_digest or 'nothing')[:12]}"
    return f"  {path(plan.path_b64)}: {plan.outcome}{reason}  {steps}"


def event(view: EventView) -> str:
    """One line of `conductd watch`."""
    if view.kind == "gap":
        return paint(f"... {harmless(view.text)}", "yellow")
    clock = datetime.fromtimestamp(view.at_ns / 1e9).strftime("%H:%M:%S")
    line = f"{clock}  {view.seq:>6}  {view.severity or '-':<6}  {harmless(view.text)}"
    if view.by and view.by not in view.text:
        line += f"  by {harmless(view.by)}"
    colour = _SEVERITY_COLOUR.get(view.severity)
    return paint(line, colour) if colour else line


def explain(view: ExplainView, now_ns: int) -> list[str]:
    i = view.incident
    lost = f"{counted(i.lost, 'entry', 'entries')} ({i.lost_share:.0%} of the weight)" if i.lost else "nothing"
    out = [
        paint(f"incident {i.id}: {_what(i.event_class, '')} of {_files(i.files)}, {i.state}", "bold"),
        f"  when     {moment(i.opened_ns, now_ns)}",
        f"  where    {harmless(i.root)}",
        f"  who      {harmless(i.writer)}" + (f", {i.rounds} rounds" if i.rounds > 1 else ""),
        f"  lost     {lost}",
        f"  done     {harmless(i.done)}",
    ]
    for change in view.changes:
        out += ["", *_change(change)]
    out += ["", "what you can do"]
    out += [f"  {i.command}"] if i.command else []
    out += [f"  {i.accept_command}   (it was meant)"] if i.accept_command and i.state == "open" else []
    out += [f"  conductd log {shlex.quote(harmless(os.path.join(i.root, i.files[0])))}"] if i.files else []
    if view.history:
        out += ["", "what happened", *(f"  {event(e)}" for e in view.history)]
    return out


def _change(change: ExplainChangeView) -> list[str]:
    base = f"version {change.baseline_seq}" if change.baseline_seq is not None else "nothing"
    parts = [f"{change.kept} kept", f"{len(change.reworded)} reworded", f"{len(change.moved)} moved"]
    parts += [f"{len(change.lost)} lost", f"{change.added} added"]
    out = [
        f"{path(change.path_b64)}: {base} -> version {change.version_seq}",
        f"  seen     {counted(change.entries_before, 'entry', 'entries')} before: {', '.join(parts)}",
        f"  rule     {change.rule}: {harmless(change.rule_text)}",
        f"  answer   {change.action}, {change.severity}",
    ]
    if change.facts:
        out.append("  figures  " + ", ".join(f"{name} {_figure(value)}" for name, value in change.facts.items()))
    out += _some([paint(f"  - line {e.line}: {harmless(e.text)}", "red") for e in change.lost])
    return out + _some([f"  > line {e.line} is now {harmless(e.to_path)}:{e.to_line}" for e in change.moved])


def _some(lines: list[str]) -> list[str]:
    """No more than a screen holds; --json and `conductd diff` have them all."""
    if len(lines) <= ENTRIES:
        return lines
    return [*lines[:ENTRIES], f"    and {len(lines) - ENTRIES} more (conductd explain --json has them all)"]


def _figure(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else harmless(str(value))


def verify(view: VerifyView) -> list[str]:
    figures = f"{counted(view.records, 'record')}, {counted(view.versions, 'version')}, {size(view.bytes)}"
    if view.ok:
        return [paint(f"the journal is whole: {figures}, checked in {view.seconds:.1f} s", "green")]
    out = [paint(f"the journal is damaged in {counted(len(view.damage), 'place')}: {figures}", "red")]
    for d in view.damage:
        where = f"{d.segment} at {d.offset}" + (f", record {d.seq}" if d.seq is not None else "")
        out.append(f"  {where}: {harmless(d.what)}" + (f" ({harmless(d.path)})" if d.path else ""))
        if d.lost_versions:
            out.append(f"    cannot be restored: {', '.join(map(str, d.lost_versions))}")
    return [*out, f"  {counted(view.restorable, 'version')} can be restored, {view.not_restorable} cannot"]
