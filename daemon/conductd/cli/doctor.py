"""`conductd doctor`: what is wrong with the memory, its agents, the machine and conductd itself; and the safe fixes."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

import click

from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conductd.api.client import Client
    from conductd.core.doctor.facts import Facts
    from conductd.core.doctor.finding import Finding, Result
    from conductd.doctor.gather import Asked
    from conductd.views import FixView

FAILS, WARNS, UNKNOWN = 17, 18, 19  # exit codes; docs/errors.md


@click.command()
@click.option("--workspace", metavar="DIR", help="Only this directory (default: every workspace that is known).")
@click.option("--agent", metavar="NAME", help="As this agent sees it (default: the agents that read it).")
@click.option("--agent-version", metavar="VERSION", help="Of which release (default: the installed, else the newest).")
@click.option("--fix", is_flag=True, help="Mend what can be mended safely; one undo.")
@click.option("--dry-run", is_flag=True, help="With --fix: only say what would be done.")
@click.option("--only", metavar="FIX", multiple=True, help="With --fix: only this kind; may be given more than once.")
@click.option("--verbose", "-v", is_flag=True, help="Tell also what is well.")
@common
def command(
    options: Options,
    workspace: str | None,
    agent: str | None,
    agent_version: str | None,
    fix: bool,
    dry_run: bool,
    only: tuple[str, ...],
    verbose: bool,
) -> int:
    """Check the memory files, the agents that load them, the machine and conductd. Works without a daemon.

    Each finding says what was seen, why it matters and how it is mended. With --fix the safe ones are mended by the
    daemon, with one undo for all: split root files, names in the wrong case, links and hard links.

    Exit code: 0 all is well, 17 something fails, 18 something is to be looked at, 19 something could not be found out.
    """
    from conductd.cli.doctor_asked import asked
    from conductd.errors import UsageError

    if (dry_run or only) and not fix:
        raise UsageError("--dry-run and --only go with --fix", "conductd doctor --fix --dry-run")
    from conductd.core.doctor.fixes import REPAIRS

    unknown = next((each for each in only if each not in REPAIRS), None)
    if unknown is not None:
        from conductd.cli.output import harmless

        raise UsageError(f"there is no fix {harmless(unknown)}", f"known are: {', '.join(REPAIRS)}")
    wanted = asked(options, workspace, agent, agent_version)
    if fix:
        return _fix(options, wanted, workspace is not None, only, dry_run)
    facts, findings = _examined(wanted, options)
    problem = next((each.problem for one in facts.workspaces for each in one.agents if each.problem), "")
    if problem and agent_version:
        raise UsageError(problem, "say it like `--version` of the agent does")
    result = _worst(findings)
    if options.json:
        from conductd.cli.doctor_lines import as_object

        _json(as_object(facts, findings, result))
    else:
        from conductd.cli import output
        from conductd.cli.doctor_lines import lines

        output.lines(lines(facts, findings, verbose=verbose))
    return exit_code(result)


def exit_code(result: Result) -> int:
    return {"fail": FAILS, "warn": WARNS, "unknown": UNKNOWN}.get(result.value, 0)


def _examined(wanted: Asked, options: Options) -> tuple[Facts, list[Finding]]:
    from conductd.core.doctor.checks import examine
    from conductd.doctor.gather import gather

    facts = gather(wanted, options.environ(), os.path.expanduser("~"), time.time_ns())
    if wanted.running.answers:
        facts = _with_pins(facts, wanted.socket)
    return facts, examine(facts)


def _with_pins(facts: Facts, socket: bytes) -> Facts:
    """With what people pinned, so that it is told when that is cut out."""
    from msgspec.structs import replace

    from conductd.cli.load_pins import with_pins

    return replace(
        facts,
        workspaces=tuple(
            replace(
                each,
                agents=tuple(
                    replace(agent, load=with_pins(agent.load, socket)) if agent.load is not None else agent
                    for agent in each.agents
                ),
            )
            for each in facts.workspaces
        ),
    )


def _worst(findings: Sequence[Finding]) -> Result:
    from conductd.core.doctor.finding import worst

    return worst(findings)


def _json(told: object) -> None:
    import json
    import sys

    sys.stdout.write(json.dumps(told, indent=2, ensure_ascii=True) + "\n")
    sys.stdout.flush()


# ------------------------------------------------------------------ mending


def _only_one(client: Client, roots: list[bytes], ids: dict[bytes, str], only: tuple[str, ...]) -> list[bytes]:
    """The workspace that has something to be mended. Raises UsageError where several have."""
    from conductd.cli import output
    from conductd.errors import UsageError

    due = [root for root in roots if client.fix(ids[root], only, True).fixes]
    if len(due) > 1:
        names = ", ".join(output.harmless(os.fsdecode(root)) for root in due)
        raise UsageError(
            f"{len(due)} workspaces have faults that can be mended: {names}",
            "name one with --workspace: each has an undo of its own",
        )
    return due or roots[:1]


def _fix(options: Options, wanted: Asked, is_named: bool, only: tuple[str, ...], dry_run: bool) -> int:
    """One workspace: an undo takes back what was done last, so that two would be one too many."""
    from conductd.cli import outcome, output
    from conductd.cli.doctor_lines import fix_lines
    from conductd.errors import ConductdError, DaemonNotRunning, NotFound, Refused

    if not wanted.running.answers:
        raise DaemonNotRunning(
            "no daemon answers: fixes are written by the daemon, which records first and can undo them",
            "conductd run in another terminal, then the same command again",
        )
    ids = {root: each.id for root, each in (wanted.known or {}).items()}
    roots = [root for root in wanted.roots if root in ids]
    if is_named and not roots:
        shown = os.fsdecode(wanted.roots[0])
        raise NotFound(
            f"{output.harmless(shown)} is not watched: nothing is mended there", "conductd protect DIR, then again"
        )
    views: list[FixView] = []
    failed: list[ConductdError] = []
    with options.client() as client:
        if len(roots) > 1 and not dry_run:
            roots = _only_one(client, roots, ids, only)
        for root in roots:
            try:
                views.append(client.fix(ids[root], only, dry_run))
            except ConductdError as error:
                failed.append(error)
    if options.json:
        output.as_json(views)
    else:
        for view in views:
            output.lines(fix_lines(view))
        if not roots:
            output.say("no workspace is watched: nothing is mended")
    if failed:
        raise failed[0]
    if any(view.request is not None for view in views):
        return outcome.REQUESTED
    return Refused.exit_code if any(fix.outcome == "refused" for view in views for fix in view.fixes) else 0
