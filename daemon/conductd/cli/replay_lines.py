"""What a replay found, as lines for people. Pure but for colour and width. Never prints."""

from __future__ import annotations

from conductd.cli.output import harmless, paint
from conductd.cli.render import path
from conductd.cli.table import table
from conductd.engine.explaining.replayed import ReplayDifferenceView, ReplayTurnView, ReplayView
from conductd.views.words import counted

LISTED = 30
_FIGURES = ("lost_share", "weight_lost", "lost", "new_entries", "setting", "loud_setting", "sign", "base_distance")


def lines(view: ReplayView, policy: str | None) -> list[str]:
    under = f"under {harmless(policy)}" if policy is not None else "by the configuration in force"
    out = [f"{counted(view.verdicts, 'verdict')} judged again {under}, in {view.seconds:.1f} s"]
    if not view.verdicts:
        return [*out, "nothing of that is recorded"]
    out += ["", *_counts(view)]
    changed = [turn for turn in view.turns if _is_changed(turn)]
    if changed:
        out += ["", *_turns(changed)]
    if view.differences:
        out += ["", *_differences(view.differences)]
        more = len(view.differences) - LISTED + view.unlisted
        out += [f"and {more} more (conductd replay --json has them)"] if more > 0 else []
    return [*out, "", *_advice(view, policy)]


def _counts(view: ReplayView) -> list[str]:
    out = [f"  {view.same:>8,}  the same"]
    if view.different:
        out.append(paint(f"  {view.different:>8,}  would be decided differently", "yellow"))
    if view.figures:
        out.append(f"  {view.figures:>8,}  the same decision, with other figures")
    if view.not_replayable:
        reasons = ", ".join(f"{count:,} {harmless(why)}" for why, count in view.reasons.items())
        out.append(f"  {view.not_replayable:>8,}  cannot be judged again: {reasons}")
    if view.assumed:
        out.append(f"  {view.assumed:>8,}  of the same are older: nothing special was taken to stand around the file")
    if view.given:
        out.append(f"  {view.given:>8,}  rest on files nobody records: what was found there then is taken as it was")
    versions = [v for v in view.judge_versions if v != str(view.judge_version)]
    if versions:
        older = ", ".join(f"{view.judge_versions[v]:,} by judge {v}" for v in versions)
        out.append(f"  made by another release of the rules: {older}; these are judge {view.judge_version}")
    return out


def _is_changed(turn: ReplayTurnView) -> bool:
    return (turn.event_class, turn.action) != (turn.now_class, turn.now_action)


def _turns(turns: list[ReplayTurnView]) -> list[str]:
    rows = [
        [_decision(turn.event_class, turn.action), _decision(turn.now_class, turn.now_action), f"{turn.count:,}"]
        for turn in turns
    ]
    return table(rows, ["RECORDED", "WOULD BE", "TIMES"])


def _differences(those: list[ReplayDifferenceView]) -> list[str]:
    rows = []
    for one in those[:LISTED]:
        incident = "" if one.incident is None else f"incident {one.incident}"
        was, now = one.recorded, one.replayed
        decided = [_decision(was.event_class, was.action), _decision(now.event_class, now.action), _why(one)]
        rows.append([str(one.version_seq), one.at[:19].replace("T", " "), path(one.path_b64), *decided, incident])
    head = ["VERSION", "WHEN", "FILE", "RECORDED", "WOULD BE", "BECAUSE", "SEE"]
    return table(rows, head, spare=("WHEN", "SEE"))


def _decision(event_class: str, action: str) -> str:
    return f"{event_class.replace('_', ' ')}, {action}"


def _why(one: ReplayDifferenceView) -> str:
    """The rule that would decide, and the figures that are not what they were."""
    was, now = one.recorded, one.replayed
    changed = [name for name in _FIGURES if was.facts.get(name) != now.facts.get(name)]
    said = [f"{name} {_figure(was.facts.get(name))} > {_figure(now.facts.get(name))}" for name in changed]
    if was.severity != now.severity:
        said.insert(0, f"{was.severity} > {now.severity}")
    if was.judge_version != now.judge_version:
        said.append(f"judge {was.judge_version} > {now.judge_version}")
    return "; ".join([now.rule, *said[:3]])


def _figure(value: object) -> str:
    return "-" if value is None else f"{value:.3g}" if isinstance(value, float) else harmless(str(value))


def _advice(view: ReplayView, policy: str | None) -> list[str]:
    """How somebody goes on from here."""
    out = ["nothing was written; each verdict was judged by itself, what would have followed is not played on"]
    if policy is None:
        return [
            *out,
            "to try other settings: copy your configuration, change [thresholds], [actions] or [[rules]] in it, then",
            "  conductd replay --policy COPY",
        ]
    if view.different or view.figures:
        return [*out, "one of them in full: conductd explain FILE@VERSION",
                "if this is what you want, make it your configuration and restart the daemon"]  # fmt: skip
    return [*out, "these settings would have decided nothing differently"]
