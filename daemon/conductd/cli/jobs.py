"""`conductd jobs`: what is done by itself every night, and what came of it; `conductd jobs run`: one now."""

from __future__ import annotations

import time

import click

from conductd.cli import here, output
from conductd.cli.options import Options, common
from conductd.cli.progress import finished
from conductd.views import JobRunView

JOB_DID_NOT_END = 27
_DID_NOT_END = ("failed", "timed out")


@click.group(invoke_without_command=True, no_args_is_help=False)
@click.option("--workspace", metavar="DIR", help="Only of this one.")
@common
@click.pass_context
def command(context: click.Context, options: Options, workspace: str | None) -> None:
    """The jobs of the night: when each ran last, what came of it, when it is due next."""
    if context.invoked_subcommand is not None:
        return
    with options.client() as client:
        views = client.jobs(here.workspace(client, workspace) if workspace else None)
    if options.json:
        output.as_json(views)
        return
    from conductd.cli import job_lines

    if not views:
        output.say("no job runs by itself")
    output.lines(job_lines.jobs(views, time.time_ns()))


@command.command(short_help="Run one now.")
@click.argument("name", metavar="NAME")
@click.option("--workspace", metavar="DIR", help="For which one (default: the one you are in, or the only one).")
@click.option("--date", "day", metavar="DATE", default="", help="For that day, as 2026-03-08; else the present one.")
@click.option("--dry-run", is_flag=True, help="Only say what would be written.")
@common
def run(options: Options, name: str, workspace: str | None, day: str, dry_run: bool) -> int:
    """Run a job of the night now: checkpoint, continuity, qc, report or recap.

    The night's own run is due all the same. Exit code 27 when the job failed or took too long.
    """
    with options.client() as client:
        steps = client.run_job(name, here.workspace(client, workspace), day, dry_run=dry_run)
        view: JobRunView = finished(steps, name, options.json)
    if options.json:
        output.as_json(view)
    else:
        from conductd.cli import job_lines

        output.lines(job_lines.ran(view))
    return JOB_DID_NOT_END if view.result in _DID_NOT_END else 0
