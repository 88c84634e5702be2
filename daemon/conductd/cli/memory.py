"""`conductd memory list|get`: what OpenClaw's own memory tools find and read. Works without a daemon."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import click

from conductd.cli.options import Number, Options, common

Command = Callable[..., Any]


def _asked_about(command: Command) -> Command:
    for option in (
        click.option(
            "--agent-version", metavar="VERSION", help="Of which release (default: the installed, or newest)."
        ),
        click.option("--agent-id", metavar="ID", help="Of which of OpenClaw's agents (default: who works there)."),
        click.option("--workspace", metavar="DIR", help="The workspace (default: the agent's, else this directory)."),
    ):
        command = option(command)
    return command


@click.group(no_args_is_help=False)
@common
def command(_options: Options) -> None:
    """What OpenClaw's memory_search and memory_get find and read, by their own rules."""


@command.command(name="list", short_help="The files that are memory, and what near them is not.")
@_asked_about
@click.option("--qmd", is_flag=True, help="The collections that the QMD backend had.")
@common
def list_(options: Options, workspace: str | None, agent_id: str | None, agent_version: str | None, qmd: bool) -> None:
    """The files that OpenClaw indexes as memory, in its order: MEMORY.md, USER.md, what is below memory/, the extra
    paths of its configuration. And what lies near them and is not taken, with the reason."""
    from conductd.cli import memory_asked, memory_lines, output

    asked = memory_asked.asked(workspace, agent_id, agent_version)
    if qmd:
        found = memory_asked.collections(asked)
        told = memory_lines.collections_object(asked, found)
        shown = memory_lines.collections_lines(asked, found)
    else:
        from conductd.agents.openclaw_memory import listing

        files = listing(asked.own, asked.version)
        told = memory_lines.listing_object(asked, files)
        shown = memory_lines.listing_lines(asked, files)
    if options.json:
        _print(told)
    else:
        output.lines(shown)


@command.command(short_help="A memory file as memory_get reads it.")
@click.argument("path")
@click.option("--from", "first", type=Number(), metavar="N", help="From this line on (1 is the first).")
@click.option("--lines", type=Number(), metavar="N", help="So many lines at most.")
@_asked_about
@common
def get(
    options: Options,
    path: str,
    first: int | None,
    lines: int | None,
    workspace: str | None,
    agent_id: str | None,
    agent_version: str | None,
) -> None:
    """What OpenClaw's memory_get answers for PATH (relative to the workspace, or absolute): exactly the text, with its
    notice where there is more. A file that is not there is an empty text; what is no memory is refused."""
    from conductd.agents.openclaw_memory_get import get as read
    from conductd.cli import memory_asked, memory_lines, output

    asked = memory_asked.asked(workspace, agent_id, agent_version)
    got = read(asked.own, asked.version, path, first, lines)
    if options.json:
        _print(memory_lines.answer(asked, got))
        return
    if not got.is_there:
        output.say(f"{output.harmless(got.path)} is not there: OpenClaw answers with an empty text")
    # As Node writes it: half of a character, which an older release leaves, becomes U+FFFD.
    whole = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in got.page.text)
    output.text(whole.encode("utf-8"))


def _print(told: dict[str, Any]) -> None:
    # Not msgspec: half a character that an older release leaves must reach the reader as it is.
    sys.stdout.write(json.dumps(told, indent=2, ensure_ascii=True) + "\n")
    sys.stdout.flush()
