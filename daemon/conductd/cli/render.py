"""Views as lines for people: what, when, who, how much was lost, what was done.

Pure but for colour (which asks the terminal). Never prints. JSON output does not pass through here.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping, Sequence
from datetime import datetime

from conductd.cli.output import harmless, paint
from conductd.cli.table import table
from conductd.views import (
    DegradedView,
    DidView,
    EventView,
    IncidentView,
    PendingView,
    PlanView,
    StatusView,
    VerifyView,
    VersionView,
    WorkspaceView,
)
from conductd.views.words import counted, pasted

_SEVERITY_COLOUR = {"alarm": "red", "notice": "yellow"}
# Of one screen: the rest is counted.
_REASONS = 8
_WORKSPACES = 30


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


def clock(ns: int, now_ns: int) -> str:
    """`14:03:22`, with the date when it is another day."""
    then, now = datetime.fromtimestamp(ns / 1e9), datetime.fromtimestamp(now_ns / 1e9)
    return then.strftime("%H:%M:%S" if then.date() == now.date() else "%Y-%m-%d %H:%M:%S")


def moment(ns: int, now_ns: int) -> str:
    """Relative and absolute: `5 min ago (14:03:22)`."""
    return f"{ago(ns, now_ns)} ({clock(ns, now_ns)})"


def size(count: int) -> str:
    amount = float(count)
    for unit in ("B", "KiB", "MiB"):
        if amount < 1024:
            return f"{count} B" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    return f"{amount:.1f} GiB"


def what(event_class: str | None, cause: str = "") -> str:
    return (event_class or cause).replace("_", " ")


def _lost(count: int | None, share: float | None) -> str:
    if not count:
        return ""
    return f"-{count} ({share:.0%})" if share else f"-{count}"


def versions(views: Sequence[VersionView], now_ns: int, with_path: bool, roots: Mapping[str, str]) -> list[str]:
    """`roots`: where each workspace is; named when the versions are from more than one."""
    head = ["SEQ", "WHEN", "TIME", *(["FILE"] if with_path else []), "WHAT", "WHO", "LOST", "SIZE", "DIGEST", "DONE"]
    several = len({v.workspace for v in views}) > 1
    rows, colours = [], []
    for v in views:
        remarks = [v.outcome or "", f"incident {v.incident}" if v.incident is not None else ""]
        remarks += ["found at start"] if v.offline else []
        if v.state == "file" and not v.restorable:
            remarks.append(f"erased by {v.erased}" if v.erased else "bytes not kept")
        shown_size = size(v.size) if v.state in ("file", "oversize") else v.state
        # A workspace that is not watched now has no place, only its number.
        within = roots.get(v.workspace, v.workspace[:8]) + "/" if several else ""
        file = [within + path(v.path_b64)] if with_path else []
        rows.append(
            [str(v.seq), ago(v.at_ns, now_ns), clock(v.at_ns, now_ns), *file, what(v.event_class, v.purpose or v.cause),
             harmless(v.actor), _lost(v.lost, v.lost_share), shown_size, (v.digest or "-")[:12],
             ", ".join(filter(None, remarks))]
        )  # fmt: skip
        colours.append(_SEVERITY_COLOUR.get(v.severity or ""))
    return table(rows, head, colours, spare=("TIME", "DIGEST", "SIZE", "WHO")) if rows else []


def incidents(views: Sequence[IncidentView], now_ns: int) -> list[str]:
    several = len({i.workspace for i in views}) > 1
    rows, colours = [], []
    for i in views:
        within = place(i.root) + "/" if several else ""
        rows.append(
            [str(i.id), ago(i.opened_ns, now_ns), clock(i.opened_ns, now_ns), what(i.event_class),
             within + files_named(i.files), harmless(i.writer), _lost(i.lost, i.lost_share), i.state, i.done]
        )  # fmt: skip
        colours.append(_SEVERITY_COLOUR.get(i.severity) if i.state == "open" else "dim")
    head = ["ID", "WHEN", "TIME", "WHAT", "FILE", "WHO", "LOST", "STATE", "DONE"]
    told = [
        f"incident {i.id}: {harmless(i.provenance_text)}" for i in views if i.provenance_text and _harms(i.provenance)
    ]
    out = table(rows, head, colours, spare=("TIME", "WHO", "LOST"))
    return [*out, "", *(paint(line, "yellow") for line in told)] if told else out


def _harms(provenance: str) -> bool:
    return provenance in ("taints", "untrusted_already", "unknown")


def places(spaces: Sequence[WorkspaceView]) -> dict[str, str]:
    """The id of each workspace, and where it is."""
    return {space.id: place(os.fsdecode(base64.b64decode(space.root_b64))) for space in spaces}


def place(root: str) -> str:
    """A directory, below one's own home with `~`."""
    home = os.environ.get("HOME", "").rstrip("/")
    inside = root.removeprefix(home + "/")
    return harmless(root if not home or inside == root else f"~/{inside}")


def files_named(names: Sequence[str]) -> str:
    first = harmless(names[0]) if names else "-"
    return first if len(names) < 2 else f"{first} and {len(names) - 1} more"


def status(view: StatusView, now_ns: int) -> list[str]:
    good = view.health == "ok"
    word = paint("ok", "green") if good else paint(view.health, "red")
    last = "never" if view.last_change_ns is None else moment(view.last_change_ns, now_ns)
    out = [
        f"conductd {view.daemon}: {word}, up {duration(view.uptime_s)}, process {view.pid}",
        f"  {counted(view.files, 'file')}, {counted(view.versions, 'version')}, last change {last}",
        f"  journal {size(view.journal_bytes)} in {counted(view.journal_segments, 'segment')}, {_growth(view)}",
        f"  state {harmless(view.state_dir)}",
        f"  socket {harmless(view.socket)}",
        f"  run by {view.service}" if view.service else "  run by no service manager: conductd service status",
    ]
    if view.pending:
        out.append(f"  {view.pending} waiting to be judged, repaired or looked at once more")
    if view.coalesced:
        out.append(
            f"  {counted(view.coalesced, 'state')} not recorded: they came too fast, or while nothing could be written"
        )
    if view.open_incidents:
        alarms = view.open_by_severity.get("alarm", 0)
        loud = f" ({counted(alarms, 'alarm')})" if alarms else ""
        colour = "red" if alarms else "yellow"
        out.append(paint(f"  {counted(view.open_incidents, 'open incident')}{loud}: conductd incidents", colour))
    from conductd.cli import job_lines, people

    out += people.standing(view, now_ns)
    for gated in view.provenance:
        place, by = os.path.join(gated.root, gated.path), f" (session {gated.session})" if gated.session else ""
        colour = "red" if gated.provenance == "untrusted_already" else "yellow"
        out.append(paint(f"  {harmless(place)}: {harmless(gated.text)}{harmless(by)}", colour))
    for each in view.forgotten:
        due = moment(each.due_ns, now_ns)
        out.append(
            f"  forgotten ({each.id}): {counted(each.records, 'record')} hidden, to be erased {due}: forget --cancel"
        )
    for each_way in view.channels:
        ways = f"  notices by {each_way.name}: {each_way.sent:,} sent"
        ways += f", {each_way.waiting:,} waiting" if each_way.waiting else ""
        ways += f", {each_way.dead:,} given up" if each_way.dead else ""
        out.append(paint(ways, "yellow") if each_way.waiting or each_way.dead else ways)
    if view.heartbeat is not None:
        beat = view.heartbeat
        heard = "not taken yet" if beat.last_ns is None else f"last taken {moment(beat.last_ns, now_ns)}"
        line = f"  heartbeat every {beat.every_minutes} min, {heard}"
        out.append(paint(f"{line}: {harmless(beat.error)}", "yellow") if beat.error else line)
    out += job_lines.coming(view.jobs, now_ns)
    for reason in view.degraded[:_REASONS]:
        out += ["", *_degraded(reason, now_ns)]
    if len(view.degraded) > _REASONS:
        out += ["", paint(f"! and {len(view.degraded) - _REASONS} more: conductd status --json", "red")]
    if view.workspaces:
        out += ["", *_workspaces(view.workspaces, now_ns)]
    from conductd.cli import load_status

    return out + load_status.lines(view.loads)


def _degraded(reason: DegradedView, now_ns: int) -> list[str]:
    line = paint(f"! {harmless(reason.message)} (since {moment(reason.since_ns, now_ns)})", "red")
    return [line, f"  hint: {harmless(reason.hint)}"] if reason.hint else [line]


def _growth(view: StatusView) -> str:
    """`30.1 MiB in the last 7 days (4.3 MiB a day)`; what is younger tells what it was."""
    if view.grown_bytes is None or view.grown_s <= 0:
        return "its growth is not known"
    days = view.grown_s / 86_400
    if days < 1:
        return f"{size(view.grown_bytes)} of it in its first {duration(view.grown_s)}"
    a_day = size(int(view.grown_bytes / days))
    return f"{size(view.grown_bytes)} of it in the last {duration(view.grown_s)}: {a_day} a day"


def _workspaces(views: Sequence[WorkspaceView], now_ns: int) -> list[str]:
    rows, colours = [], []
    more = len(views) - _WORKSPACES
    if more > 0:  # what is wrong must be among those that are shown
        views = sorted(views, key=lambda w: (w.state == "ok", -w.open_incidents, -(w.last_change_ns or 0)))
    for w in views[:_WORKSPACES]:
        last = "never" if w.last_change_ns is None else ago(w.last_change_ns, now_ns)
        state = w.state if w.state != "ok" else "polled" if w.watched == "polling" else "ok"
        rows.append([path(w.root_b64), w.mode, state, f"{w.files:,}", f"{w.versions:,}", str(w.open_incidents), last])
        colours.append(None if w.state == "ok" else "red")
    out = table(rows, ["WORKSPACE", "MODE", "STATE", "FILES", "VERSIONS", "OPEN", "LAST CHANGE"], colours)
    return [*out, f"and {more} more: conductd status --json"] if more > 0 else out


def duration(seconds: float) -> str:
    minutes, hours = int(seconds) // 60, int(seconds) // 3600
    if hours >= 48:
        return f"{hours // 24} days"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min" if minutes else f"{int(seconds)} s"


def workspace(view: WorkspaceView) -> list[str]:
    root = path(view.root_b64)
    if view.state == "ended":
        return [
            f"{root} is not watched any more; what is recorded of it is kept",
            f"watch it again with: {pasted('conductd', 'protect', root)}",
        ]
    if view.request is not None:
        still = "protected" if view.mode == "protect" else "watched"
        return [
            f"{root} is still {still}: what was asked for has to be confirmed by a person",
            f"confirm with: conductd confirm {view.request}",
        ]
    if view.state.startswith("locked"):
        return [f"observing {root}: {counted(view.files, 'file')}; it is {view.state}, which protects it"]
    if view.mode == "protect":
        owed = counted(view.open_incidents, "open incident")
        offered = [f"{owed} there, what was lost is offered: conductd incidents"] if view.open_incidents else []
        return [f"protecting {root}: {counted(view.files, 'file')}", *_no_memory(view), *offered]
    return [
        f"observing {root}: {counted(view.files, 'file')}; changes are recorded and judged, nothing is written",
        *_no_memory(view),
        f"turn protection on with: {pasted('conductd', 'protect', root)}",
    ]


def _no_memory(view: WorkspaceView) -> list[str]:
    return [] if view.files else ["no file of it is memory yet; `extra` in the configuration names further ones"]


def did(view: DidView) -> list[str]:
    out = [harmless(view.text), *(line for plan in view.plans for line in (_plan(plan), *_gate(plan)))]
    return [*out, f"undo with: {view.undo_command}"] if view.undo_command else out


def _gate(plan: PlanView) -> list[str]:
    """What the agent makes of it, where there is something to say."""
    if not plan.provenance_text:
        return []
    return [paint(f"    {harmless(plan.provenance_text)}", "dim" if plan.provenance == "neutral" else "yellow")]


_WRITTEN = {"applied": "is", "planned": "would be"}


def _plan(plan: PlanView) -> str:
    """`MEMORY.md: is written  1f637776ddef -> 4b9f2c32577b`."""
    if plan.outcome == "planned" and plan.from_digest == plan.to_digest:
        said = "would stay as it is"
    elif plan.outcome in _WRITTEN:
        verb = "made again" if plan.from_digest is None else "deleted" if plan.to_digest is None else "written"
        said = f"{_WRITTEN[plan.outcome]} {verb}"
    else:
        said = plan.outcome
    reason = f" ({harmless(plan.reason)})" if plan.reason else ""
    steps = f"{(plan.from_digest or 'nothing')[:12]} -> {(plan.to_digest or 'nothing')[:12]}"
    return f"  {path(plan.path_b64)}: {said}{reason}  {steps}"


def waiting(views: Sequence[PendingView]) -> list[str]:
    """The files whose judgement or repair is still to come."""
    coming = {"judgement": "to be judged", "repair": "to be put back"}
    return [f"{path(v.path_b64)} waits {coming[v.what]}{_due(v)}" for v in views if v.what in coming]


def _due(view: PendingView) -> str:
    seconds = round(view.due_in_ms / 1000)
    return f": in {duration(seconds)}, if it is left alone until then" if seconds > 0 else ""


def event(view: EventView, where: str = "") -> str:
    """One line of `conductd watch`; `where`: the workspace, when there are several."""
    if view.kind == "gap":
        return paint(f"... {harmless(view.text)}", "yellow")
    at = datetime.fromtimestamp(view.at_ns / 1e9).strftime("%H:%M:%S")
    line = f"{at}  {view.seq:>6}  {view.severity or '-':<6}  {harmless(view.text)}"
    line += f"  in {where}" if where and view.path else ""
    # An incident names who destroyed, and that is not who ended it.
    ended = view.kind == "incident" and view.data.get("state") != "open"
    if view.by not in ("", "unknown") and view.by not in view.text and not ended:
        line += f"  by {harmless(view.by)}"
    colour = _SEVERITY_COLOUR.get(view.severity)
    return paint(line, colour) if colour else line


def verify(view: VerifyView) -> list[str]:
    # `status` counts versions without content too: absences, links, files over the size limit.
    figures = f"{counted(view.records, 'record')}, {counted(view.versions, 'version')} with content, {size(view.bytes)}"
    gone = f"; {counted(view.erased, 'version')} erased on purpose" if view.erased else ""
    if view.ok:
        return [paint(f"the journal is whole: {figures}, checked in {view.seconds:.1f} s{gone}", "green")]
    out = [paint(f"the journal is damaged in {counted(len(view.damage), 'place')}: {figures}", "red")]
    for d in view.damage:
        where = f"{d.segment} at {d.offset}" + (f", record {d.seq}" if d.seq is not None else "")
        out.append(f"  {where}: {harmless(d.what)}" + (f" ({harmless(d.path)})" if d.path else ""))
        if d.lost_versions:
            out.append(f"    cannot be restored: {', '.join(map(str, d.lost_versions))}")
    return [*out, f"  {counted(view.restorable, 'version')} can be restored, {view.not_restorable} cannot{gone}"]
