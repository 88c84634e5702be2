"""`conductd verify`: is every version whole? Works while the daemon is down."""

from __future__ import annotations

import click

from conductd.cli import output
from conductd.cli.options import Options, common
from conductd.cli.progress import finished
from conductd.errors import DaemonNotRunning, StoreDamaged
from conductd.views import VerifyView


@click.command()
@common
def command(options: Options) -> int:
    """Check every record of the journal; names what is damaged and what can still be restored.

    Exit code 10 when there is damage.
    """
    try:
        with options.client() as client:
            view: VerifyView = finished(client.verify(), "verifying", options.json)
    except DaemonNotRunning:
        from conductd.cli import offline

        view = finished(offline.verify(options.state_path()), "verifying", options.json)
    if options.json:
        output.as_json(view)
    else:
        from conductd.cli import render

        output.lines(render.verify(view))
    return 0 if view.ok else StoreDamaged.exit_code
