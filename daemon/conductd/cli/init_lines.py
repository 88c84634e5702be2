"""How `conductd init` tells what it found. Pure: a plan in, lines out."""

from __future__ import annotations

import os
from collections.abc import Iterator

from conductd.cli.init_plan import CONFIGURED, NEW, Agent, Plan
from conductd.cli.output import harmless, paint
from conductd.model import Mode
from conductd.views.words import counted, pasted

_SHOWN = 6  # files of a workspace


def lines(plan: Plan) -> Iterator[str]:
    """One block a workspace."""
    for number, each in enumerate(plan.found):
        if number:
            yield ""
        yield from _block(each, plan)


def _block(each: Agent, plan: Plan) -> Iterator[str]:
    release = f"{each.version} ({each.version_from})" if each.version else "of an unknown release, none is installed"
    yield paint(f"{each.display} {harmless(release)}", "bold")
    yield f"  {harmless(os.fsdecode(each.root))}: {harmless(each.why)}"
    yield f"  files     {_files(each)}"
    if each.limits or each.limits_at:
        yield f"  limits    {_limits(each)}"
    if each.cut:
        yield paint(f"  cut       {', '.join(map(harmless, each.cut))} (see: conductd load)", "yellow")
    yield f"  mode      {_mode(each, plan)}"


def _files(each: Agent) -> str:
    if not each.files:
        return "none yet"
    names = [f"{harmless(os.fsdecode(file.path))} ({file.role})" for file in each.files[:_SHOWN]]
    more = len(each.files) - len(names)
    count = counted(len(each.files), "file")
    known = count if each.is_complete else f"more than {count}"
    return f"{known}: {', '.join(names)}" + (f" and {more:,} more" if more else "")


def _limits(each: Agent) -> str:
    """What they are, and what sets them; an agent whose limits are fixed says so itself."""
    if not each.limits or not each.limits_at:
        return each.limits or each.limits_at
    is_fixed = each.limits_at.startswith("none")
    return f"{each.limits}; {'fixed' if is_fixed else f'set by {each.limits_at}'}"


def _mode(each: Agent, plan: Plan) -> str:
    if each.status == CONFIGURED:
        return f"{each.mode}, as {harmless(plan.path)} says"
    if each.status == NEW:
        return f"{each.mode} (new)"
    return f"left out: {harmless(each.note)}"


def ending(plan: Plan, done: bool) -> str:
    """What was done, and what to do next."""
    path = harmless(plan.path)
    new = sum(each.status == NEW for each in plan.found)
    if done:
        run = f"{'conductd run':<20}" if plan.is_usual else harmless(pasted("conductd", "run", "--config", plan.path))
        held = sum(each.status == NEW and each.mode is Mode.PROTECT for each in plan.found)
        observed = "which are only observed until you say otherwise" if not held else f"{held:,} of them protected"
        return (
            f"\n{path} names {counted(new, 'workspace')} more now, {observed}:\n"
            f"  {run}    # or restart the daemon that runs\n"
            f"  {'conductd protect DIR':<{len(run)}}    # put back what is destroyed there"
        )
    if plan.data is not None:
        return f"\nnothing is written: this would add {counted(new, 'workspace')} to {path}"
    if plan.found:
        return f"\nnothing new: {path} stays as it is"
    if plan.configured:
        return f"no agent was found; {path} names {counted(plan.configured, 'workspace')}, and stays as it is"
    return (
        "no agent's memory was found on this machine, so nothing is written\n\n"
        "hint: name the directory that holds the notes: conductd run --workspace DIR; what is looked for, and the\n"
        "variables that say where it is, are told by: conductd help agents"
    )
