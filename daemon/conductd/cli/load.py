"""`conductd load`: what an agent really gets to see of its files. Works without a daemon, on any directory."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from conductd.cli.load_asked import Answer, Chosen


@click.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@click.option(
    "--agent", metavar="NAME", help="Whose loader (default: the configuration's, else what the directory looks like)."
)
@click.option("--agent-version", metavar="VERSION", help="Of which release (default: the installed, else the newest).")
@click.option(
    "--session",
    type=click.Choice(["main", "group", "subagent", "cron", "light"]),
    default=None,
    help="For which kind of session (default: the configuration's, else main).",
)
@click.option("--workspace", metavar="DIR", help="The directory to look at (default: that of FILE, else this one).")
@click.option("--text", is_flag=True, help="Print the text itself that the model gets.")
@click.option("--svg", is_flag=True, help="Draw the budget as SVG, with the holes marked.")
@common
def command(
    options: Options,
    file: str | None,
    agent: str | None,
    agent_version: str | None,
    session: str | None,
    workspace: str | None,
    text: bool,
    svg: bool,
) -> None:
    """What an agent's own loader puts into the prompt: how full each file and all together are, what is cut out of the
    middle or left out, by heading and line, and the cheapest way to make it fit.

    FILE: only about this one; with --text exactly the text that the model gets of it.
    """
    from conductd.cli.load_asked import answer
    from conductd.errors import UsageError

    if svg and (text or options.json):
        raise UsageError("--svg is a picture, and goes with neither --text nor --json", "leave one out")
    found = answer(options, file, workspace, agent, agent_version, session)
    if options.json:
        _json(found, text)
    elif svg:
        from conductd.cli.load_svg import picture

        _out(picture(found.load, found.loader.display))
    elif text:
        _out(_texts(found.chosen))
    else:
        from conductd.cli import output
        from conductd.cli.load_lines import lines

        output.lines(lines(found.load, found.chosen, found.root, found.loader.display, found.said))


def _texts(chosen: Chosen) -> str:
    """One file: its text, nothing added. Several: each below a line with its name, as `head` does."""
    texts = [(each.name, each.text) for each in chosen[0] if each.text is not None]
    if len(chosen[0]) + len(chosen[1]) == 1:
        return texts[0][1] if texts else ""
    return "\n".join(f"==> {name} <==\n{text}\n" for name, text in texts)


def _json(found: Answer, with_text: bool) -> None:
    import json

    from conductd.cli.load_json import as_object

    # Not msgspec: half a character that an older release leaves must reach the reader as it is.
    told = as_object(found.load, found.chosen, found.root, found.loader.name, found.said, with_text)
    sys.stdout.write(json.dumps(told, indent=2, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def _out(text: str) -> None:
    """As Node writes it: half of a character becomes U+FFFD."""
    from conductd.cli import output

    whole = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)
    output.text(whole.encode("utf-8"))
