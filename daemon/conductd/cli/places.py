"""FILE, FILE:LINE, FILE#HEADING and FILE:TEXT as typed on a command line.

A name may itself hold these signs: the whole argument is tried as an existing file first.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from conductd.cli import files
from conductd.errors import UsageError

_LINE = re.compile(r"(.+):(\d{1,8})")


class Place(NamedTuple):
    """Entries of a file. ``line`` 0, ``heading`` and ``text`` "" when they are not given."""

    path: bytes
    line: int = 0
    heading: str = ""
    text: str = ""


def place(argument: str, text: str = "") -> Place:
    """``text``: given as an argument of its own. Raises UsageError when it says two things."""
    whole = files.path(argument)
    if os.path.lexists(whole):
        return Place(whole, text=text)
    found = _split(argument)
    if text and found != Place(whole):
        raise UsageError("give a line, a heading or a text, not two of them", "conductd pin FILE TEXT")
    return found._replace(text=text) if text else found


def _split(argument: str) -> Place:
    line = _LINE.fullmatch(argument)
    if line is not None and int(line[2]):
        return Place(files.path(line[1]), line=int(line[2]))
    for sign in "#:":
        name, found, rest = argument.partition(sign)
        if found and name and rest.strip():
            if sign == "#":
                return Place(files.path(name), heading=rest.lstrip("#").strip())
            return Place(files.path(name), text=rest.strip())
    return Place(files.path(argument))
