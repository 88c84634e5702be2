"""`conductd load`: what an agent really gets to see of its files. Works without a daemon, on any directory."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from conductd.cli.options import Options, common

if TYPE_CHECKING:
    from conductd.agents.loading import Loader
    from conductd.core.load.loaded import Load, LoadedFile

    Guesses = list[tuple[Loader, str]]
    Chosen = tuple[list[LoadedFile], list[LoadedFile]]

_UP = 3  # directories above a file that are asked whose workspace they are


@click.command()
@click.argument("file", metavar="[FILE]", required=False, type=click.Path())
@click.option("--agent", metavar="NAME", help="Whose loader (default: what the directory looks like).")
@click.option("--agent-version", metavar="VERSION", help="Of which release (default: the installed, else the newest).")
@click.option(
    "--session",
    type=click.Choice(["main", "group", "subagent", "cron"]),
    default="main",
    show_default=True,
    help="For which kind of session.",
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
    session: str,
    workspace: str | None,
    text: bool,
    svg: bool,
) -> None:
    """What an agent's own loader puts into the prompt: how full each file and all together are, what is cut out of the
    middle or left out, by heading and line, and the cheapest way to make it fit.

    FILE: only about this one; with --text exactly the text that the model gets of it.
    """
    from conductd.agents import loading
    from conductd.cli.load_pins import with_pins
    from conductd.core.load.openclaw_versions import Session
    from conductd.errors import NotFound, UsageError

    if svg and (text or options.json):
        raise UsageError("--svg is a picture, and goes with neither --text nor --json", "leave one out")
    loaders = _loaders(options)
    root, guesses = _place(file, workspace, agent, loaders)
    said: list[str] = []
    if agent is not None:
        loader = loading.named(agent, loaders)
    elif guesses:
        loader, by = guesses[0]
        said.append(f"taken for {loader.display} by its {by}")
        if len(guesses) > 1:
            said.append(f"looks like {_listed([each.name for each, _ in guesses[1:]])} as well: name it with --agent")
    else:
        raise NotFound(
            f"nothing in {_shown(root)} says which agent loads it",
            f"name it: --agent {'|'.join(each.name for each in loaders)}",
        )
    version, is_installed = (agent_version, False) if agent_version else loading.version_of(loader, os.environ)
    found = loader.load(loading.Asked(root, version, Session(session), os.environ, os.path.expanduser("~")))
    found = with_pins(found, options.socket_path())
    if not agent_version and loader.newest:
        said.append(
            f"version {version} is installed" if is_installed else f"no version is installed: taken as {version}"
        )
    chosen = _chosen(found, file)
    if options.json:
        _json(found, chosen, root, loader.name, said, text)
    elif svg:
        from conductd.cli.load_svg import picture

        _out(picture(found, loader.display))
    elif text:
        _out(_texts(chosen))
    else:
        from conductd.cli import output
        from conductd.cli.load_lines import lines

        output.lines(lines(found, chosen, root, loader.display, said))


def _loaders(options: Options) -> tuple[Loader, ...]:
    """Those known, and those that the configuration describes. A broken one is told and passed over."""
    from conductd.agents import loading
    from conductd.config import paths

    env = options.environ()
    if not os.path.exists(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env)):
        return loading.LOADERS
    from conductd.config.load import load
    from conductd.errors import ConfigError

    try:
        return loading.with_further(each.chain() for each in load(None, env).agents)
    except ConfigError as error:
        click.echo(f"warning: {error.message}", err=True)
        return loading.LOADERS


def _place(
    file: str | None, workspace: str | None, agent: str | None, loaders: tuple[Loader, ...]
) -> tuple[str, Guesses]:
    """The directory that is looked at, and what it looks like."""
    from conductd.agents import loading
    from conductd.errors import NotFound

    home = os.path.expanduser("~")
    if workspace is None and file is not None and not os.path.isdir(file):
        start = above = os.path.dirname(os.path.abspath(file))
        for _ in range(_UP + 1):
            guesses = loading.guessed(above, os.environ, home, loaders)
            if guesses and (agent is None or agent in [each.name for each, _ in guesses]):
                return above, guesses
            above = os.path.dirname(above)
        return start, []
    chosen = workspace if workspace is not None else file
    root = os.path.abspath(chosen if chosen is not None else os.curdir)
    if not os.path.isdir(root):
        raise NotFound(f"there is no directory {_shown(root)}", "check --workspace")
    return root, loading.guessed(root, os.environ, home, loaders)


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _chosen(found: Load, file: str | None) -> Chosen:
    """The files that are told: loaded, and left out."""
    if file is None or os.path.isdir(file):
        return list(found.files), list(found.left_out)
    from conductd.errors import NotFound

    wanted, real = os.path.abspath(file), os.path.realpath(file)
    for same in (wanted, real):
        files = [each for each in found.files if same in (each.path, os.path.realpath(each.path))]
        left_out = [each for each in found.left_out if same in (each.path, os.path.realpath(each.path))]
        if files or left_out:
            return files, left_out
    by_name = (
        [each for each in found.files if each.name == file],
        [each for each in found.left_out if each.name == file],
    )
    if any(by_name):
        return by_name
    raise NotFound(f"{_shown(file)} is not among the files that are loaded", "without FILE all of them are shown")


def _texts(chosen: Chosen) -> str:
    """One file: its text, nothing added. Several: each below a line with its name, as `head` does."""
    texts = [(each.name, each.text) for each in chosen[0] if each.text is not None]
    if len(chosen[0]) + len(chosen[1]) == 1:
        return texts[0][1] if texts else ""
    return "\n".join(f"==> {name} <==\n{text}\n" for name, text in texts)


def _json(found: Load, chosen: Chosen, root: str, agent: str, said: list[str], with_text: bool) -> None:
    import json

    from conductd.cli.load_json import as_object

    # Not msgspec: half a character that an older release leaves must reach the reader as it is.
    told = as_object(found, chosen, root, agent, said, with_text)
    sys.stdout.write(json.dumps(told, indent=2, ensure_ascii=True) + "\n")
    sys.stdout.flush()


def _out(text: str) -> None:
    """As Node writes it: half of a character becomes U+FFFD."""
    from conductd.cli import output

    whole = "".join("\ufffd" if "\ud800" <= each <= "\udfff" else each for each in text)
    output.text(whole.encode("utf-8"))


def _shown(path: str) -> str:
    from conductd.cli.output import harmless

    return harmless(path)
