"""A verdict and its incident, as lines for people: what was seen, which rule decided and why, what would have changed
it, what can be done. Pure but for colour. Never prints.
"""

from __future__ import annotations

from collections.abc import Sequence

from conductd.cli.output import harmless, paint
from conductd.cli.render import event, files_named, moment, path, waiting, what
from conductd.views import (
    EntryView,
    ExplainChangeView,
    ExplainView,
    IncidentView,
    OtherwiseView,
    PendingView,
    SmallLossView,
)
from conductd.views.words import counted

ENTRIES = 15  # listed of each kind
CHANGES = 20  # files of one incident that are told in full
# Facts that are told in words, or that the line before says.
_QUIET = frozenset(
    {"setting", "loud_setting", "lost", "moved", "reworded", "added", "lost_share", "weight_before", "weight_lost"}
)


def lines(view: ExplainView, now_ns: int, pending: Sequence[PendingView] = ()) -> list[str]:
    out = _incident(view.incident, now_ns, pending) if view.incident is not None else []
    for change in view.changes[:CHANGES]:
        out += ["", *_change(change, now_ns, view.incident)]
    if len(view.changes) > CHANGES:
        out += ["", f"and {len(view.changes) - CHANGES} more files (conductd explain --json has them all)"]
    for note in view.notes:
        out += ["", *_wrapped(note)]
    out += ["", "what you can do", *(f"  {_meaning(command)}" for command in view.commands)]
    if view.history:
        out += ["", "what happened", *(f"  {event(e)}" for e in view.history)]
    return out if out[0] else out[1:]


def _incident(i: IncidentView, now_ns: int, pending: Sequence[PendingView]) -> list[str]:
    lost = f"{counted(i.lost, 'entry', 'entries')} ({i.lost_share:.0%} of the weight)" if i.lost else "nothing"
    out = [
        paint(f"incident {i.id}: {what(i.event_class)} of {files_named(i.files)}, {i.state}", "bold"),
        f"  when     {moment(i.opened_ns, now_ns)}",
        f"  where    {harmless(i.root)}",
        f"  who      {harmless(i.writer)}" + (f", {i.rounds} rounds" if i.rounds > 1 else ""),
        f"  lost     {lost}",
        f"  done     {harmless(i.done)}",
    ]
    out += [f"  prompt   {harmless(i.provenance_text)}"] if i.provenance_text else []
    return out + [f"  next     {line}" for line in waiting([p for p in pending if _concerns(p, i)])]


def _concerns(pending: PendingView, incident: IncidentView) -> bool:
    return incident.state == "open" and pending.workspace == incident.workspace and pending.path in incident.files


def _meaning(command: str) -> str:
    return harmless(f"{command}   (it was meant)" if command.startswith("conductd accept") else command)


# --------------------------------------------------------------------------- one change


def _change(change: ExplainChangeView, now_ns: int, incident: IncidentView | None) -> list[str]:
    alone = incident is None
    # One of several lost together keeps a class of its own.
    own = "" if incident is not None and incident.event_class == change.event_class else f"{what(change.event_class)}: "
    base = f"version {change.baseline_seq}" if change.baseline_seq is not None else "nothing"
    parts = [f"{change.kept} kept", f"{len(change.reworded)} reworded", f"{len(change.moved)} moved"]
    parts += [f"{len(change.lost)} lost", f"{change.added} added"]
    title = f"{path(change.path_b64)}: {base} -> version {change.version_seq}"
    out = [paint(title, "bold") if alone else title]
    if alone and change.at_ns:
        out.append(f"  when     {moment(change.at_ns, now_ns)}")
    out += [
        f"  seen     {counted(change.entries_before, 'entry', 'entries')} before: {', '.join(parts)}",
        *([f"  who      {_who(change)}"] if alone or change.writer != "unknown" else []),
        f"  rule     {change.rule}: {harmless(change.rule_text)}",
        f"  answer   {own}{change.action}, {change.severity}{_set_by(change)}",
    ]
    if change.base_seq is not None:
        distance = change.facts.get("base_distance")
        before = f", {counted(distance, 'baseline')} back" if isinstance(distance, int) and distance else ""
        out.append(f"  base     the writer had version {change.base_seq}{before}")
    figures = _figures(change.facts)
    if figures:
        out.append("  figures  " + ", ".join(figures))
    out += _some([f"  * line {e.line}: {harmless(e.text)}" for e in change.signs])
    out += _some([paint(f"  - line {e.line}: {harmless(e.text)}", "red") for e in change.lost])
    out += _some([f"  > line {e.line} is now {harmless(e.to_path)}:{e.to_line}" for e in change.moved])
    out += _some([line for e in change.reworded for line in _reworded(e)], 2 * ENTRIES)
    for write in change.writes:
        out.append(f"  earlier  {_small(write, now_ns)}")
    if change.untried:
        left_out = counted(change.untried, "other circumstance")
        return [*out, *_otherwise(change.otherwise), f"  not tried: {left_out} (such a large change takes too long)"]
    return [*out, *_otherwise(change.otherwise)]


def _who(change: ExplainChangeView) -> str:
    """The writer and what says so."""
    if change.writer == "unknown":
        return "unknown: nobody announced the write, and nothing else tells"
    why = f": {', '.join(map(harmless, change.evidence))}" if change.evidence else ""
    of = "" if change.charged_to in (None, change.version_seq) else f", version {change.charged_to}"
    return f"{harmless(change.writer)} ({change.confidence:.0%} sure{why}){of}"


def _set_by(change: ExplainChangeView) -> str:
    settings = [str(change.facts[name]) for name in ("setting", "loud_setting") if name in change.facts]
    return f", by your {' and '.join(map(_named, dict.fromkeys(settings)))}" if settings else ""


def _named(setting: str) -> str:
    """`rules[0]` is the first [[rules]] of the configuration."""
    if setting.startswith("rules[") and setting.endswith("]") and setting[6:-1].isdigit():
        return f"rule {int(setting[6:-1]) + 1}"
    return f"setting {harmless(setting)}"


def _reworded(entry: EntryView) -> list[str]:
    alike = f"{entry.similarity:.0%} alike" if entry.similarity < 1 else "the same words"
    return [
        f"  ~ line {entry.line}: {harmless(entry.text)}",
        f"      is line {entry.to_line} ({alike}): {harmless(entry.to_text)}",
    ]


def _small(write: SmallLossView, now_ns: int) -> str:
    where = f"{harmless(write.path)} version {write.version_seq}, {moment(write.at_ns, now_ns)}"
    return f"{where}, {harmless(write.writer)}: {counted(len(write.lost), 'entry', 'entries')}"


def _otherwise(others: Sequence[OtherwiseView]) -> list[str]:
    """By what it would have been: the ways to it, the nearest first."""
    if not others:
        return []
    ways: dict[str, list[str]] = {}
    for other in others:
        ways.setdefault(f"{what(other.event_class)}: {other.action}", []).append(harmless(other.words))
    out = ["  it would have been"]
    for answer, words in ways.items():
        out += [f"    {answer}", *(f"      {each}" for each in words)]
    return out


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(harmless(text), 100)


def _some(those: list[str], most: int = ENTRIES) -> list[str]:
    """No more than a screen holds; --json and `conductd diff` have them all."""
    if len(those) <= most:
        return those
    return [*those[:most], f"    and {len(those) - most} more (conductd explain --json has them all)"]


def _figures(facts: dict[str, object]) -> list[str]:
    """What the rule used, beside the counts of entries."""
    out = []
    before, lost, share = (facts.get(name) for name in ("weight_before", "weight_lost", "lost_share"))
    if isinstance(before, int) and isinstance(lost, int) and isinstance(share, int | float):
        out.append(f"{lost:,} of {counted(before, 'word')} lost ({share:.0%} count)")
    return out + [f"{name.replace('_', ' ')} {_figure(value)}" for name, value in facts.items() if name not in _QUIET]


def _figure(value: object) -> str:
    return f"{value:.3g}" if isinstance(value, float) else harmless(str(value))
