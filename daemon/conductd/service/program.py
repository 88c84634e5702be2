"""Which program a service starts: one that is still there after an upgrade."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping

_IN_SECOND_LINE = re.compile(rb"""'''exec' "?([^"]+?)"? "\$0\"""")


def program(env: Mapping[str, str], executable: str = sys.executable) -> tuple[str, ...]:
    """The command line's own path, absolute.

    What the search path finds is taken when it leads to this installation: `pipx` and its like keep that link in
    place when they make the environment behind it anew. Else the script beside the running Python, else the module.
    """
    script = os.path.join(os.path.dirname(executable), "conductd")
    found = shutil.which("conductd", path=env.get("PATH"))
    if found and _leads_to(found, script):
        return (os.path.abspath(found),)
    if os.access(script, os.X_OK):
        return (os.path.abspath(script),)
    return (os.path.abspath(executable), "-m", "conductd")


def is_there(command: tuple[str, ...]) -> bool:
    """Whether what a service starts can be started at all: an environment that was moved or removed cannot."""
    if not command or not os.access(command[0], os.X_OK) or os.path.isdir(command[0]):
        return False
    try:
        with open(command[0], "rb") as file:
            first, second = file.readline(4_096), file.readline(4_096)
    except OSError:
        return True  # it may be run and not read
    # A script of an environment names its Python: that is what goes when the environment is moved. A path that is too
    # long for the first line, or has a space, stands in the second, which a shell runs.
    long = _IN_SECOND_LINE.match(second)
    if long is not None:
        return os.access(long[1], os.X_OK)
    return not first.startswith(b"#!/") or os.access(first[2:].split()[0], os.X_OK)


def _leads_to(path: str, script: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(script)
