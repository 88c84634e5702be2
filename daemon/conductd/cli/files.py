"""FILE and FILE@VERSION as typed on a command line, turned into the raw absolute path and a version.

A name may itself hold an "@": the whole argument is tried as an existing file first, then it is
split at its last "@".
"""

from __future__ import annotations

import os

from conductd.errors import UsageError


def path(argument: str) -> bytes:
    """Absolute, links kept, bytes exactly as the shell gave them."""
    return os.path.abspath(os.fsencode(argument))


def path_and_version(argument: str) -> tuple[bytes, str]:
    """The version is "" when none is given."""
    whole = path(argument)
    if "@" not in argument or os.path.lexists(whole):
        return whole, ""
    name, _, version = argument.rpartition("@")
    if not name:
        raise UsageError(f"there is no file name before the @ in {argument}", "write FILE@VERSION")
    return path(name), version.strip()
