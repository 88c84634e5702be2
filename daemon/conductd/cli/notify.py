"""`conductd notify`: the channels that notices go out on."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from conductd.cli import output
from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from conductd.notify.notifier import Route


@click.group(no_args_is_help=True)
@common
def command(_options: Options) -> None:
    """The channels that notices go out on: desktop, chat, mail, webhooks. They are set up in the configuration."""


@command.command(short_help="Send a test message now.")
@click.argument("names", metavar="[CHANNEL]…", nargs=-1)
@common
def test(options: Options, names: tuple[str, ...]) -> int:
    """Send a test message on these channels (default: all), whatever their quiet hours say. Needs no daemon.

    Exit code 1 when one of them did not take it.
    """
    from conductd.core.notifying.wording import Message
    from conductd.model import Severity
    from conductd.notify.sending import send

    message = Message(
        "conductd: a test", "This is what a notice looks like. Nothing has happened.", Severity.NOTICE, ()
    )
    results: dict[str, str] = {}
    for route in _chosen(options, names):
        name = route.channel.name
        results[name] = route.why if route.place is None else send(route.place, message, {"test": True}).error
    if options.json:
        output.as_json([{"name": name, "error": error} for name, error in results.items()])
    else:
        output.lines([f"{name}: {output.harmless(error) or 'sent'}" for name, error in results.items()])
    return 1 if any(results.values()) else 0


@command.command("list", short_help="What is configured, and how it goes.")
@common
def list_(options: Options) -> None:
    """Every channel: where it leads to, what waits, what was given up; also one that was taken out of the configuration
    while something waits for it. No URL is shown."""
    from conductd.errors import DaemonNotRunning

    try:
        with options.client() as client:
            known = {each.name: each for each in client.status().channels}
    except DaemonNotRunning:
        known = {}
    rows = [
        {
            "name": route.channel.name,
            "to": route.place.label if route.place is not None else "",
            "severity": route.channel.severity.value,
            "waiting": known[route.channel.name].waiting if route.channel.name in known else None,
            "sent": known[route.channel.name].sent if route.channel.name in known else None,
            "dead": known[route.channel.name].dead if route.channel.name in known else None,
            "error": route.why or (known[route.channel.name].error if route.channel.name in known else ""),
        }
        for route in _configured(options, may_be_none=bool(known))
    ]
    names = {row["name"] for row in rows}
    rows += [  # channels that were taken out, with what waits for them or was given up
        {
            "name": each.name,
            "to": each.to,
            "severity": "",
            "waiting": each.waiting,
            "sent": each.sent,
            "dead": each.dead,
            "error": each.error,
        }
        for each in known.values()
        if each.name not in names
    ]
    if options.json:
        output.as_json(rows)
        return
    from conductd.cli.table import table

    cells = [["?" if row[key] is None else str(row[key]) for key in rows[0]] for row in rows]
    output.lines(table(cells, [key.upper() for key in rows[0]], spare=("SEVERITY", "TO")))


def _configured(options: Options, *, may_be_none: bool = False) -> list[Route]:
    from conductd.config import load
    from conductd.errors import NotFound
    from conductd.notify.routes import routes

    found = routes(load(options.config, options.environ()), os.environ)
    if not found and not may_be_none:
        raise NotFound("no channel is configured", "conductd help --page notify shows how")
    return found


def _chosen(options: Options, names: tuple[str, ...]) -> list[Route]:
    from conductd.errors import NotFound

    found = _configured(options)
    unknown = [name for name in names if all(name != each.channel.name for each in found)]
    if unknown:
        known = ", ".join(each.channel.name for each in found)
        raise NotFound(f"no channel is called {output.harmless(unknown[0])}", f"there are: {known}")
    return [each for each in found if not names or each.channel.name in names]
