"""`conductd doctor` for people and for programs: the findings by place, the worst first."""

from __future__ import annotations

import base64
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from conductd.cli.output import harmless, paint
from conductd.core.doctor.facts import Facts
from conductd.core.doctor.finding import ORDER, Finding, Result
from conductd.views import FixView
from conductd.views.words import counted

_COLOURS = {Result.FAIL: "red", Result.WARN: "yellow", Result.UNKNOWN: "yellow", Result.OK: "green"}
_FILES = 5


def as_object(facts: Facts, findings: Sequence[Finding], result: Result) -> dict[str, Any]:
    """The JSON of the command."""
    counts = Counter(each.result for each in findings)
    return {
        "result": result.value,
        "counts": {each.value: counts[each] for each in ORDER},
        "workspaces": [
            {
                "root": _shown(each.root),
                "root_b64": _b64(each.root),
                "agents": [
                    {"name": agent.name, "version": agent.version, "installed": agent.is_installed}
                    for agent in each.agents
                ],
            }
            for each in facts.workspaces
        ],
        "checks": [
            {
                "check": each.check,
                "result": each.result.value,
                "workspace": _shown(each.subject),
                "workspace_b64": _b64(each.subject),
                "agent": each.agent,
                "what": each.what,
                "why": each.why,
                "fix": each.fix,
                "files": [_shown(path) for path in each.files],
                "files_b64": [_b64(path) for path in each.files],
                "repair": each.repair,
            }
            for each in findings
        ],
    }


def _shown(path: bytes) -> str:
    return path.decode("utf-8", "replace")


def _b64(path: bytes) -> str:
    return base64.b64encode(path).decode("ascii")


def lines(facts: Facts, findings: Sequence[Finding], *, verbose: bool) -> Iterator[str]:
    """Of each place the heading, what is not well, and how many checks are; with ``verbose`` those, too."""
    places = {(each.subject, each.agent): None for each in findings}
    names = {(each.root, agent.name): agent for each in facts.workspaces for agent in each.agents}
    for number, (subject, agent) in enumerate(places):
        mine = [each for each in findings if (each.subject, each.agent) == (subject, agent)]
        if number:
            yield ""
        known = names.get((subject, agent))
        release = f"{known.display} {known.version}".rstrip() if known is not None else agent
        title = harmless(os.fsdecode(subject)) if subject else "this machine"
        yield paint(f"{title}, as {release} sees it" if agent else title, "bold")
        yield from _of_place(mine, verbose=verbose)
    counts = Counter(each.result for each in findings)
    yield ""
    told = [f"{counts[each]} {word}" for each, word in _WORDS.items() if counts[each]]
    yield f"{counted(len(findings), 'finding')}: {', '.join(told)}"
    if any(each.repair for each in findings):
        yield "conductd doctor --fix --dry-run shows what can be mended safely"


_WORDS = {Result.FAIL: "fail", Result.WARN: "to be looked at", Result.UNKNOWN: "not known", Result.OK: "well"}


def _of_place(findings: Sequence[Finding], *, verbose: bool) -> Iterator[str]:
    well = [each for each in findings if each.result is Result.OK]
    for each in sorted(findings, key=lambda found: ORDER.index(found.result)):
        if each.result is Result.OK and not verbose:
            continue
        yield f"  {paint(f'{each.result.value:<7}', _COLOURS[each.result])} {each.check}: {harmless(each.what)}"
        if each.why and verbose:
            yield f"          why: {harmless(each.why)}"
        elif each.why and each.result is not Result.UNKNOWN:
            yield paint(f"          why: {harmless(each.why)}", "dim")
        if each.fix:
            yield f"          fix: {harmless(each.fix)}"
    if well and not verbose:
        yield paint(f"  {counted(len(well), 'check')} well", "dim")


def fix_lines(view: FixView) -> Iterator[str]:
    yield paint(f"{harmless(view.root)}: {harmless(view.text)}", "bold")
    for each in view.fixes:
        done = {"applied": "done", "planned": "would"}.get(each.outcome, each.outcome)
        yield f"  {done:<8} {harmless(each.what)}"
        if each.reason:
            yield f"           {harmless(each.reason)}"
        for file in each.files if each.outcome != "refused" else []:
            if file.what != "unchanged":
                yield f"           {file.what} {harmless(file.path)}"
            if file.provenance_text:
                yield paint(f"           {harmless(file.path)}: {harmless(file.provenance_text)}", "yellow")
    for left in view.left:
        yield f"  left     {harmless(left.what)}: {harmless(left.why)}"
    if view.request is not None:
        yield f"confirm with: conductd confirm {view.request}"
    elif view.undo_command:
        yield f"take it back with: {view.undo_command}"
