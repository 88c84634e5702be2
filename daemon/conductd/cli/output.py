"""What reaches the screen: data on stdout as bytes, talk on stderr, colour only where it is wanted.

Names that are not UTF-8 go out as the bytes they are. On a terminal, control characters from files
and names are shown, not obeyed: text of a watched file is data.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

import click

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "blue": "34", "dim": "2", "bold": "1"}


def on_terminal() -> bool:
    return sys.stdout.isatty()


def columns() -> int | None:
    """How wide the terminal is (COLUMNS wins); None where none is: a pipe gets everything."""
    if not on_terminal():
        return None
    import shutil

    return shutil.get_terminal_size((0, 0)).columns or None


def coloured() -> bool:
    """NO_COLOR (no-color.org) and dumb terminals get none."""
    return on_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: str) -> str:
    return f"\x1b[{_COLOURS[colour]}m{text}\x1b[0m" if coloured() else text


def harmless(text: str) -> str:
    """Control characters, escapes and direction marks of foreign text as visible escapes; one line stays one line."""
    return "".join(c if c.isprintable() or c == "\t" or "\udc80" <= c <= "\udcff" else _escaped(c) for c in text)


def can_be_pasted(command: str) -> bool:
    """Whether it is the command itself that is shown: of a name that has to be escaped it is another one."""
    return harmless(command) == command and not any("\ud800" <= each <= "\udfff" for each in command)


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def data(raw: bytes) -> None:
    """Bytes as they are; flushed, so that a closed pipe is noticed here."""
    sys.stdout.buffer.write(raw)
    sys.stdout.buffer.flush()


def text(raw: bytes) -> None:
    """The content of a file: exactly as it is, except on a terminal."""
    if on_terminal():
        shown = raw.decode("utf-8", "surrogateescape")
        raw = "\n".join(map(harmless, shown.split("\n"))).encode("utf-8", "surrogateescape")
    data(raw)


def lines(those: Iterable[str]) -> None:
    data("".join(line + "\n" for line in those).encode("utf-8", "surrogateescape"))


def as_json(value: object) -> None:
    import msgspec

    from conductd.views import encoded

    data(msgspec.json.format(encoded(value), indent=2) + b"\n")


def json_line(value: object) -> None:
    from conductd.views import encoded

    data(encoded(value) + b"\n")


def say(message: str) -> None:
    """Talk: to stderr, so that a pipe never sees it."""
    click.echo(message.encode("utf-8", "surrogateescape"), err=True)
