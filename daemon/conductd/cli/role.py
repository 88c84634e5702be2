"""`conductd role GLOB ROLE`: what files like these are for."""

from __future__ import annotations

import click

from conductd.cli import here, outcome, output
from conductd.cli.failures import DECLINED
from conductd.cli.options import Options, common, confirmed, person_at_terminal
from conductd.errors import UsageError

ROLES = ("curated", "daily", "topic", "instructions", "replaceable")


@click.command()
@click.argument("glob")
@click.argument("role", type=click.Choice(ROLES), required=False)
@click.option("--forget", is_flag=True, help="Let the profile say it again.")
@click.option("--workspace", metavar="DIR", help="Which one (default: the one you are in, or the only one).")
@click.option("-y", "--yes", is_flag=True, help="Do not ask.")
@common
def command(options: Options, glob: str, role: str | None, forget: bool, workspace: str | None, yes: bool) -> int:
    """Say what files that fit GLOB are for: `conductd role 'memory/handoff-*.md' replaceable`.

    GLOB is relative to the workspace; quote it. It holds at once, over the profile and under the configuration,
    until --forget. To call files replaceable weakens their protection: from an agent it is only a request.
    """
    from conductd.cli import people

    if (role is None) != forget:
        raise UsageError("say a role, or --forget", f"conductd role {glob!r} replaceable")
    if not glob.strip("/*?. "):
        raise UsageError(f"{glob!r} would fit too much, or nothing", "for example: 'memory/handoff-*.md'")
    with options.client() as client:
        where = here.workspace(client, workspace)
        if role is None:
            view = client.forget_role(glob, where)
        else:
            if role == "replaceable" and person_at_terminal() and not (yes or options.json):
                for line in people.fitting(client.learn_role(glob, role, where, dry_run=True)):
                    output.say(line)
                if not confirmed("are these made to be replaced?", default=False):
                    return DECLINED
            view = client.learn_role(glob, role, where)
    if options.json:
        output.as_json(view)
    else:
        output.lines(people.role(view, forgotten=forget))
    return 0 if view.request is None else outcome.REQUESTED
