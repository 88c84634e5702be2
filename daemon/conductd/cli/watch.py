"""`conductd watch`: follow the events; survives a restart of the daemon."""

from __future__ import annotations

import time

import click

from conductd.api.client import Client
from conductd.cli import output
from conductd.cli.options import Number, Options, common
from conductd.errors import Busy, DaemonNotRunning
from conductd.views import EventView

FIRST_WAIT_S, LONGEST_WAIT_S = 0.2, 5.0


@click.command()
@click.option("--since", type=Number(min=0), metavar="SEQ", help="First those after this sequence number.")
@common
def command(options: Options, since: int | None) -> None:
    """Print what happens, as it happens, until Ctrl-C. With --json: one object a line."""
    client = options.client()
    places = _Places(client)
    output.say("watching; Ctrl-C ends it")
    wait_s, lost = FIRST_WAIT_S, False
    while True:
        try:
            for event in client.events(since):
                if lost:
                    output.say("connected again")
                wait_s, lost = FIRST_WAIT_S, False
                if event is not None:
                    _print(event, options.json, places)
                    since = event.seq if event.kind != "gap" else since
                elif since is None:
                    since = _now(client)
        except (DaemonNotRunning, Busy) as error:
            if isinstance(error, Busy) and not lost:
                raise
        if not lost:
            output.say("the daemon has gone; waiting for it")
        lost = True
        time.sleep(wait_s)
        wait_s = min(wait_s * 2, LONGEST_WAIT_S)


def _now(client: Client) -> int | None:
    """Where we are, so that what happens while the daemon restarts is shown afterwards."""
    return client.status().last_seq


class _Places:
    """Where the workspaces are: named when there are several."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._known: dict[str, str] = {}

    def of(self, workspace: str) -> str:
        from conductd.cli import render

        if workspace and workspace not in self._known:
            self._known = {workspace: "", **render.places(self._client.workspaces())}
        return self._known.get(workspace, "") if len(self._known) > 1 else ""


def _print(event: EventView, as_json: bool, places: _Places) -> None:
    if as_json:
        output.json_line(event)
        return
    from conductd.cli import render

    output.lines([render.event(event, places.of(event.workspace) if event.path else "")])
