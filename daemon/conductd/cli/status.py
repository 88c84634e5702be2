"""`conductd status`: one screen; `--check`: one line and an exit code for monitoring."""

from __future__ import annotations

import time

import click

from conductd.cli.options import Options, common


@click.command()
@click.option("--check", is_flag=True, help="One line and an exit code, for monitoring.")
@click.option("--nagios", is_flag=True, help="With --check: exit code 0, 1, 2 or 3, as monitoring plugins have it.")
@click.option(
    "--ignore", "ignored", metavar="REASON", multiple=True, help="With --check: this is known; may be given repeatedly."
)
@common
def command(options: Options, check: bool, nagios: bool, ignored: tuple[str, ...]) -> int:
    """One screen: is everything recorded and well?

    With --check the exit code is 0 only when it surely is: 24 the daemon is degraded, 25 an alarm is open, 5 no daemon
    answers, 6 it is not ours, 26 it is not known.
    """
    from conductd.errors import UsageError

    if check:
        return _check(options, ignored, nagios=nagios)
    if nagios or ignored:
        raise UsageError("--nagios and --ignore go with --check", "conductd status --check")
    with options.client() as client:
        view = client.status()
    from conductd.cli import output

    if options.json:
        output.as_json(view)
        return 0
    from conductd.cli import render

    output.lines(render.status(view, time.time_ns()))
    return 0


def _check(options: Options, ignored: tuple[str, ...], *, nagios: bool) -> int:
    from conductd.cli import output, status_check

    found = status_check.ask(options, ignored)
    if options.json:
        output.as_json(found)
    else:
        output.lines([found.line])
    return status_check.PLUGIN_CODES[found.level] if nagios else found.exit_code
