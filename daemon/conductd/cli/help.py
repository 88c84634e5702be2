"""`conductd help`: what a command does, or a page of the documentation, without a network."""

from __future__ import annotations

import re

import click

from conductd.cli import output
from conductd.cli.options import Options, common

_NAME = re.compile(r"[A-Za-z0-9-]+(/[A-Za-z0-9-]+)?")


@click.command()
@click.argument("topic", nargs=-1)
@click.option("--page", "wants_page", is_flag=True, help="The page of the documentation, where a command has its name.")
@common
def command(options: Options, topic: tuple[str, ...], wants_page: bool) -> None:
    """TOPIC: a command (`conductd help restore`), or a page (`conductd help judgement`). Without one: all of them."""
    from conductd.cli.main import COMMANDS
    from conductd.errors import NotFound

    pages = topics()
    if not topic:
        if options.json:
            output.as_json({"commands": list(COMMANDS), "pages": pages})
        else:
            output.lines(_listed(pages))
        return
    page = _named(topic[0]) if len(topic) == 1 else None
    usage = None if wants_page else _of_command(topic)
    found = usage or page
    if usage is not None and page is not None:
        found = f"{usage.rstrip()}\n\nThe page: conductd help --page {topic[0]}"
    if not found:
        import difflib

        near = difflib.get_close_matches(topic[0], [*COMMANDS, *pages], 1)
        raise NotFound(
            f"there is no help on {output.harmless(' '.join(topic))}",
            f"did you mean: conductd help {near[0]}?" if near else "see: conductd help",
        )
    if options.json:
        output.as_json({"topic": " ".join(topic), "text": found})
    else:
        output.text(found.rstrip().encode() + b"\n")


def topics() -> dict[str, str]:
    """The pages of the documentation by name, each with its title."""
    from conductd import shipped

    named = [name.removesuffix(".md") for name in shipped.names("docs") if name.endswith(".md") and name != "README.md"]
    return {name: _page(name).partition("\n")[0].lstrip("# ") for name in named}


def _named(name: str) -> str | None:
    """A page by its name, or as other pages link to it (`docs/formats/journal.md`); None: there is none."""
    from conductd.errors import NotFound

    short = name.removeprefix("docs/").removesuffix(".md")
    if _NAME.fullmatch(short) is None:
        return None
    try:
        return _page(short)
    except NotFound:
        return None


def _page(name: str) -> str:
    from conductd import shipped

    return shipped.text(f"docs/{name}.md")


def _of_command(words: tuple[str, ...]) -> str | None:
    from conductd.cli.main import cli

    context: click.Context = click.Context(cli, info_name="conductd")
    found: click.Command = cli
    for word in words:
        below = found.get_command(context, word) if isinstance(found, click.Group) else None
        if below is None:
            return None
        found, context = below, click.Context(below, info_name=word, parent=context)
    return found.get_help(context)


def _listed(pages: dict[str, str]) -> list[str]:
    width = max(map(len, pages), default=0)
    return [
        "A command: conductd help COMMAND (conductd --help lists them). A page:",
        "",
        *(f"  {name:<{width}}  {title}" for name, title in pages.items()),
        "",
        "What a page links to is one as well: conductd help formats/journal.",
        "Where a command has the name of a page: conductd help --page NAME",
    ]
