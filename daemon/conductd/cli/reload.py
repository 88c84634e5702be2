"""`conductd reload`: the daemon reads its configuration again."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common
from conductd.errors import ConfigError


@click.command()
@common
def command(options: Options) -> int:
    """Have the daemon read its configuration again.

    A broken file, or one that is gone or empty, changes nothing: what was in force stays in force, and every fault is
    shown. SIGHUP does the same, without an answer.
    """
    with options.client() as client:
        view = client.reload()
    if options.json:
        output.as_json(view)
        return 0 if view.applied else ConfigError.exit_code
    if not view.applied:
        raise ConfigError(view.text, view.hint, tuple(view.faults))
    lines = [view.text]
    if view.at_restart:
        lines.append(f"from the next start on: {', '.join(view.at_restart)} (conductd service restart)")
    output.lines(lines)
    return 0
