"""`conductd init`: what agents there are, and a configuration that names their workspaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from conductd.cli.options import Options, common, confirmed, person_at_terminal

if TYPE_CHECKING:
    from conductd.cli.init_plan import Plan


@click.command()
@click.option("--dry-run", is_flag=True, help="Only show what is found and would be written.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, dry_run: bool, yes: bool) -> int:
    """Look for the agents on this machine and write the configuration file, or add to it what is new.

    What is found is only observed, until you `conductd protect` it. What stands in the file stays: called again it
    changes nothing, unless there is something new. Exit code 3: nothing was found.
    """
    from conductd.cli import output
    from conductd.cli.init_lines import ending, lines
    from conductd.cli.init_plan import planned, written

    plan = planned(options.environ())
    if options.json:
        done = not dry_run and plan.data is not None
        if done:
            written(plan)
        output.as_json(_told(plan, done))
        return _code(plan)
    output.lines(lines(plan))
    for path in plan.unread:
        output.say(
            f"warning: {output.harmless(path)} cannot be read or understood: what it holds or names is not found"
        )
    for path, why in plan.never:
        whose = "the root of the file system" if path == "/" else "your home"
        output.say(f"left out: {output.harmless(path)}: it is {whose} ({output.harmless(why)})")
    if plan.data is None:
        output.say(ending(plan, False))
        return _code(plan)
    if dry_run:
        output.say(ending(plan, False))
        return 0
    if not yes and person_at_terminal() and not confirmed(f"Write {output.harmless(plan.path)}?"):
        return 1
    written(plan)
    output.say(ending(plan, True))
    return 0


def _code(plan: Plan) -> int:
    from conductd.errors import NotFound

    return 0 if plan.found or plan.configured else NotFound.exit_code


def _told(plan: Plan, done: bool) -> dict[str, object]:
    """For a program. What of it is a path can be any bytes: `root_b64` is exact."""
    from conductd.views import b64

    found = [
        {
            "agent": each.loader,
            "display": each.display,
            "profile": each.profile,
            "version": each.version,
            "version_from": each.version_from,
            "root": output_text(each.root),
            "root_b64": b64(each.root),
            "why": each.why,
            "mode": each.mode,
            "status": each.status,
            "note": each.note,
            "files": [
                {"path": output_text(file.path), "role": str(file.role), "bytes": file.size} for file in each.files
            ],
            "files_complete": each.is_complete,
            "limits": {"text": each.limits, "configured": each.limits_at, "cut": [output_text(c) for c in each.cut]},
        }
        for each in plan.found
    ]
    unread = [output_text(path) for path in plan.unread]
    return {
        "config": output_text(plan.path),
        "exists": plan.was is not None,
        "written": done,
        "found": found,
        "unread": unread,
        "never": [{"root": output_text(path), "why": why} for path, why in plan.never],
    }


def output_text(raw: bytes | str) -> str:
    """A path as text that JSON can hold."""
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogateescape")
    return data.decode("utf-8", "replace")
