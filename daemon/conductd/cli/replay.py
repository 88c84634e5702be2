"""`conductd replay`: history judged again, by the same or by other settings; also without a daemon."""

from __future__ import annotations

import os

import click

from conductd.cli import files, output
from conductd.cli.options import Options, common
from conductd.cli.progress import finished
from conductd.errors import NotFound


@click.command()
@click.option("--policy", metavar="FILE", help="Judge by this configuration instead of the one in force.")
@click.option("--since", metavar="TIME", help='Only verdicts from then on: "2h ago", "yesterday", "2026-03-08".')
@click.option("--workspace", metavar="DIR", help="Only verdicts of this workspace.")
@click.option("--file", "file", metavar="FILE", help="Only verdicts of this file.")
@common
def command(options: Options, policy: str | None, since: str | None, workspace: str | None, file: str | None) -> None:
    """Judge what is recorded once more and show what would have been different. Nothing is written.

    With --policy: under another configuration, a copy of yours in which you changed a figure or an action. Without: as
    things are set now; then a difference means that the settings, or the rules of this release, changed since.
    """
    from conductd.cli import offline, replay_lines
    from conductd.cli.moments import moment_ns
    from conductd.config.load import load
    from conductd.engine.explaining.replayed import ReplayView
    from conductd.engine.explaining.replaying import Wanted, replay

    env = options.environ()
    then = load(None, env).with_real_roots()
    other = None if policy is None else load(policy, env).with_real_roots()
    wanted = Wanted(
        since_ns=None if since is None else moment_ns(since),
        workspace=None if workspace is None else os.path.realpath(files.path(workspace)),
        file=None if file is None else _real(files.path(file)),
    )
    with offline.open_journal(options.state_path()) as opened:
        view = finished(replay(opened, then, other, wanted), "judging again", options.json)
    assert isinstance(view, ReplayView)
    if file is not None and since is None and not view.verdicts:
        raise NotFound(f"nothing was judged of {file}", "conductd status lists what is watched")
    if options.json:
        output.as_json(view)
    else:
        output.lines(replay_lines.lines(view, policy))


def _real(path: bytes) -> bytes:
    """Links on the way resolved, the file itself not."""
    return os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
