"""The log of a night's checks, in Markdown. Pure: same findings, same page."""

from __future__ import annotations

from collections.abc import Sequence

from conductd.core.night.facts import Occasion
from conductd.core.notes.quoting import harmless
from conductd.core.qc.results import Finding, Grade

_SIGNS = {Grade.PASS: "ok", Grade.UNKNOWN: "unknown", Grade.WARN: "WARN", Grade.FAIL: "FAIL"}


def page(occasion: Occasion, agent: str, version: str, findings: Sequence[Finding]) -> str:
    """`Checks | Passed | Failed | Actions`, a line a check, then evidence and what helps."""
    count = {grade: sum(1 for each in findings if each.grade is grade) for grade in Grade}
    actions = sum(1 for each in findings if each.fixed)
    by = harmless(" ".join(each for each in (agent or "no known agent", version) if each))
    lines = [
        f"# QC {occasion.day.isoformat()}",
        "",
        f"Made by conductd, in code, from the files and their history. Read by: {by}.",
        *([f"Covers the days without a run since {occasion.asleep[0].isoformat()}."] if occasion.asleep else []),
        "",
        "| Checks | Passed | Warned | Failed | Unknown | Actions |",
        "|---|---|---|---|---|---|",
        f"| {len(findings)} | {count[Grade.PASS]} | {count[Grade.WARN]} | {count[Grade.FAIL]} | {count[Grade.UNKNOWN]} "
        f"| {actions} |",
        "",
        "## Checks",
        "",
        *(f"- {_SIGNS[each.grade]}: {each.check}: {harmless(each.words)}" for each in findings),
    ]
    for title, grades in (("Escalations", (Grade.FAIL,)), ("To look at", (Grade.WARN, Grade.UNKNOWN))):
        told = [each for each in findings if each.grade in grades and (each.evidence or each.fix)]
        if told:
            lines += ["", f"## {title}"]
        for each in told:
            lines += ["", f"### {each.check}", ""]
            lines += [f"- {harmless(place)}" for place in each.evidence]
            lines += [f"- what helps: {harmless(each.fix)}"] if each.fix else []
    taken = [f"- {each.check}: {harmless(each.fixed)}" for each in findings if each.fixed]
    if taken:
        lines += ["", "## Actions taken", "", *taken]
    return "\n".join(lines) + "\n"
