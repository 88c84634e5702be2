"""A restore to a time, planned or done, as lines for people. Pure but for colour. Never prints."""

from __future__ import annotations

from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.cli.render import path, size
from conductd.views import SetFileView, SetView
from conductd.views.words import counted

LISTED = 40  # of each kind

_TITLES = {
    "created": "made again",
    "changed": "written back",
    "removed": "removed",
    "left": "came later and stay (--exact removes them)",
    "unknown": "first seen later: they stay",
}


def is_due(view: SetView) -> bool:
    """Whether anything is to be written."""
    return any(file.outcome == "planned" for file in view.files)


def is_unknown(view: SetView) -> bool:
    """Whether nothing is known of that time, and so nothing was done."""
    whats = {file.what for file in view.files}
    return "unknown" in whats and whats <= {"unknown", "left"}


def lines(view: SetView) -> list[str]:
    out = [harmless(view.text)]
    out += [paint(f"  note: {harmless(view.note)}", "yellow")] if view.note else []
    for what, title in _TITLES.items():
        out += _group(title, [f for f in view.files if f.what == what and f.outcome != "refused"])
    out += _refused([f for f in view.files if f.outcome == "refused"])
    out += [
        paint(f"  {path(f.path_b64)}: {harmless(f.provenance_text)}", "dim" if f.provenance == "neutral" else "yellow")
        for f in view.files
        if f.provenance_text
    ]
    unchanged = view.counts.get("unchanged", 0)
    out += [f"{counted(unchanged, 'file')} as they were"] if unchanged else []
    taken = sum(f.newer_entries or 0 for f in view.files if f.outcome in ("planned", "applied"))
    if taken:
        verb = "would be" if is_due(view) else "are"
        out.append(
            f"{counted(taken, 'entry', 'entries')} written since {verb} taken away; all of it stays in the history"
        )
    if view.again_command:
        out.append(f"when nothing stands in the way: {harmless(view.again_command)}")
    return [*out, f"undo all of it with: {view.undo_command}"] if view.undo_command else out


def _group(title: str, files: Sequence[SetFileView]) -> list[str]:
    if not files:
        return []
    shown = [f"  {path(f.path_b64)}  {_figures(f)}" for f in files[:LISTED]]
    more = [f"  and {len(files) - LISTED} more (--json has them all)"] if len(files) > LISTED else []
    return [f"{counted(len(files), 'file')} {title}", *shown, *more]


def _refused(files: Sequence[SetFileView]) -> list[str]:
    if not files:
        return []
    title = paint(f"{counted(len(files), 'file')} not written", "red")
    return [title, *(f"  {path(f.path_b64)}: {harmless(f.reason)}" for f in files)]


def _figures(f: SetFileView) -> str:
    """`3 entries, 120 B -> 40 entries, 2.1 KiB; 2 entries written since`."""
    now, then = _side(f.now_state, f.now_entries, f.now_size), _side(f.then_state, f.then_entries, f.then_size)
    if f.what in ("left", "unknown"):
        return now
    newer = f"; {counted(f.newer_entries, 'entry', 'entries')} written since" if f.newer_entries else ""
    return f"{now} -> {then}{newer}"


def _side(state: str, entries: int | None, count: int) -> str:
    if state != "file":
        return "nothing" if state == "absent" else state
    return size(count) if entries is None else f"{counted(entries, 'entry', 'entries')}, {size(count)}"
