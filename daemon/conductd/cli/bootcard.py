"""`conductd bootcard`: what an agent must know at its start, on one page. Works without a daemon, on any directory."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from conductd.cli.options import Number, Options, common, tell_broken

if TYPE_CHECKING:
    from conductd.config import Config
    from conductd.faces import CardWish
    from conductd.views.bootcard import BootcardView


@click.command()
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path())
@click.option("--lines", type=Number(1, 500), help="At most so many lines (default: the configuration's, 20).")
@click.option("--tokens", type=Number(60, 100_000), help="At most so many tokens (default: the configuration's, 500).")
@click.option("--agent", metavar="NAME", help="Whose loader (default: what the directory looks like).")
@click.option("--agent-version", metavar="VERSION", help="Of which release (default: the installed, else the newest).")
@click.option(
    "--session",
    type=click.Choice(["main", "group", "subagent", "cron", "light"]),
    default=None,
    help="For which kind of session (default: main).",
)
@click.option("--date", metavar="DAY", help="As if it were that day, like 2026-03-08 (default: today).")
@click.option("--output", metavar="FILE", type=click.Path(), help="Write it there, only when it changed.")
@common
def command(
    options: Options,
    directory: str | None,
    lines: int | None,
    tokens: int | None,
    agent: str | None,
    agent_version: str | None,
    session: str | None,
    date: str | None,
    output: str | None,
) -> None:
    """Pins, who I am, active tasks, open items of yesterday and today, what goes on, what QC found, and what need not
    be read again: quotations and counts from the files of a directory, each with its place.

    DIR: whose card (default: this directory).
    """
    from conductd.errors import NotFound
    from conductd.faces import CardWish

    root = os.path.abspath(directory if directory is not None else os.curdir)
    if not os.path.isdir(root):
        from conductd.cli.output import harmless

        raise NotFound(f"there is no directory {harmless(root)}", "name the directory of a workspace")
    if date:
        from conductd.engine.bootcards.making import day

        day(date)  # one that is none is told here: what the daemon takes is its own affair
    wish = CardWish(date or "", agent or "", agent_version or "", session or "", lines or 0, tokens or 0)
    view = _of_daemon(options, root, wish)
    _tell(options, view if view is not None else _made_here(options, root, wish), output)


def _tell(options: Options, view: BootcardView, output: str | None) -> None:
    from conductd.cli import output as out

    if output is not None:
        _write(output, view.text)
    if options.json:
        out.as_json(view)
        return
    if output is None:
        out.text(view.text.encode("utf-8", "replace"))
    cost = f"≈ {view.tokens.estimate:,} tokens, at most {view.tokens.high:,}"
    files = "the file" if view.files == 1 else f"the {view.files} files"
    out.say(f"{cost}, instead of ≈ {view.instead_of.estimate:,} in {files} that it quotes")
    for note in view.notes:
        out.say(out.harmless(note))


def _of_daemon(options: Options, root: str, wish: CardWish) -> BootcardView | None:
    """From the daemon, which knows the pins; None: it does not run, or does not know the directory."""
    from conductd.errors import DaemonNotRunning, NotFound, NotOurSocket

    if not os.path.lexists(options.socket_path()) and len(options.socket_path()) < 100:
        return None
    try:
        with options.client() as client:
            known = {each.root_b64: each.id for each in client.workspaces()}
            workspace = _known(known, root)
            return client.bootcard(workspace, wish) if workspace is not None else None
    except (DaemonNotRunning, NotOurSocket, NotFound):
        return None


def _known(known: dict[str, str], root: str) -> str | None:
    from conductd.views import b64

    for path in (root, os.path.realpath(root)):
        if (found := known.get(b64(os.fsencode(path)))) is not None:
            return found
    return None


def _made_here(options: Options, root: str, wish: CardWish) -> BootcardView:
    from datetime import datetime

    from conductd.agents.homes import home_of
    from conductd.agents.profiles import known_profiles, profile_named
    from conductd.engine.bootcards.making import Around, Wish, day, made

    config = _config(options)
    env = dict(os.environ)
    table = config.workspace(os.fsencode(root))
    profiles = known_profiles(each.chain() for each in config.agents)
    profile = profile_named((table.profile if table is not None else None) or "generic", profiles)
    today = day(wish.date) if wish.date else datetime.now().astimezone().date()
    asked = Wish(today, wish.agent, wish.version, wish.session, wish.lines, wish.tokens)
    return made(os.fsencode(root), asked, Around(config, env, home_of(env), profile))


def _config(options: Options) -> Config:
    """The one in force; a broken one is told and passed over."""
    from conductd.config import Config
    from conductd.config.load import load
    from conductd.errors import ConfigError

    try:
        return load(None, options.environ()).with_real_roots()
    except ConfigError as error:
        tell_broken(error.message, error.faults)
        return Config()


def _write(path: str, text: str) -> None:
    from conductd.cli import output
    from conductd.engine.bootcards.card_file import put
    from conductd.errors import NotFound, Refused

    try:
        written = put(os.path.abspath(os.fsencode(path)), text)
    except FileNotFoundError as error:
        raise NotFound(f"there is no directory for {output.harmless(path)}", "make it first") from error
    except OSError as error:
        raise Refused(f"{output.harmless(path)} cannot be written: {error.strerror}", "name another file") from error
    output.say(f"{'written' if written else 'unchanged'}: {output.harmless(path)}")
