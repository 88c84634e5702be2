"""Checks that doctor makes as well: names, loading, settings, places. Its verdicts are taken up, not made again."""

from __future__ import annotations

from collections.abc import Callable

from conductd.core.doctor.finding import Finding, Result
from conductd.core.qc.check import Check, Seen
from conductd.core.qc.notes import Given
from conductd.core.qc.results import Grade
from conductd.views import shown
from conductd.views.words import counted

_GRADES = {Result.FAIL: Grade.FAIL, Result.WARN: Grade.WARN, Result.UNKNOWN: Grade.UNKNOWN, Result.OK: Grade.PASS}
_QUOTING = ("load_cut",)  # with the headings that are cut out
_WORST = (Grade.FAIL, Grade.WARN, Grade.UNKNOWN, Grade.PASS)


def _of(*checks: str, well: str, none: str, of_agent: bool = True) -> Callable[[Given], Seen]:
    """``well``: what is said when all is. ``none``: when doctor asked none of these, for they do not apply to this
    agent. ``of_agent``: where no agent is known, nobody knows whether they do."""

    def look(given: Given) -> Seen:
        found = [each for each in given.facts.diagnoses or () if each.check in checks]
        if not found and of_agent and not given.night.agent:
            return Seen(Grade.UNKNOWN, "no agent is known that loads this workspace", (), "conductd load")
        if not found:
            return Seen(Grade.PASS, none) if of_agent else Seen(Grade.UNKNOWN, none, (), "conductd doctor")
        grades = [_GRADES[each.result] for each in found]
        worst = next(grade for grade in _WORST if grade in grades)
        told = [each for each in found if _GRADES[each.result] is worst]
        if worst is Grade.PASS:
            return Seen(worst, well)
        said = [_said(each) for each in told]
        more = f"; and {counted(len(said) - 1, 'more finding')} of doctor" if len(said) > 1 else ""
        places = [shown(path) for path in told[0].files] if len(said) == 1 else said
        is_mended = any(each.repair for each in told)
        return Seen(worst, said[0] + more, places, "conductd doctor --fix" if is_mended else "conductd doctor")

    return look


def _said(each: Finding) -> str:
    """In the words of doctor, but where they quote what stands in a file."""
    if each.check not in _QUOTING:
        return each.what
    names = ", ".join(map(shown, each.files)) or "a file"
    return f"{names}: a part of it does not reach the agent"


CHECKS = (
    Check(
        "bootstrap_files",
        "whether the files that this release of the agent expects are there",
        _of("missing_files", well="every expected file is there", none="the agent expects no file"),
        ("diagnoses",),
    ),
    Check(
        "truncated",
        "whether a file is cut, or not taken for its size, by this agent's own loader",
        _of("load_cut", "load_size", "load_total", well="no file is cut", none="this agent has no such limit"),
        ("diagnoses",),
    ),
    Check(
        "size",
        "how near files, and all together, are to the limits of this agent and release",
        _of("load_near", "load_total", well="there is room below every limit", none="this agent has no such limit"),
        ("diagnoses",),
    ),
    Check(
        "one_name",
        "names that differ in case only, or are spelt otherwise than the agent loads them",
        _of(
            "split_files",
            "wrong_case",
            well="every name is as the agent loads it",
            none="there are no names to compare",
        ),
        ("diagnoses",),
    ),
    Check(
        "links",
        "memory files that are links, or that another name changes as well",
        _of(
            "links",
            "hard_links",
            "memory_directory",
            well="every memory file is a file of its own",
            none="the workspace could not be looked at",
            of_agent=False,
        ),
        ("diagnoses",),
    ),
    Check(
        "not_loaded",
        "files that are there and not loaded, or left out for who wrote them",
        _of(
            "not_loaded",
            "provenance",
            well="everything that should be is loaded",
            none="this agent leaves nothing out",
        ),
        ("diagnoses",),
    ),
    Check(
        "settings",
        "settings of the agent that weaken its memory: flush, pruning, search, hybrid search, dreaming",
        _of("agent_settings", well="no setting weakens its memory", none="the agent has no such settings"),
        ("diagnoses",),
    ),
    Check(
        "writable",
        "whether the workspace can be written, and has room",
        _of(
            "writable",
            "workspace_room",
            well="it can be written and has room",
            none="the workspace could not be looked at",
            of_agent=False,
        ),
        ("diagnoses",),
    ),
)
