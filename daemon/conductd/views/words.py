"""How counts and commands are written in what people read: the same in a notice and on a screen."""

from __future__ import annotations

import shlex


def counted(count: int, noun: str, plural: str = "") -> str:
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def verb(count: int, one: str, many: str) -> str:
    """What goes with a counted noun: `1 file was`, `2 files were`."""
    return one if count == 1 else many


def pasted(*words: str) -> str:
    """A command that a shell takes as it is printed. Names are given in full: no shell expands a quoted `~`."""
    return shlex.join(words)
