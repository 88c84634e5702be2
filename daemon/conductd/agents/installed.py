"""Which release of an agent is installed, by the metadata of its package. Runs nothing, reads a few small files.

A program on PATH leads to its package: `package.json` above the script it links to, or a directory named like the
release (Claude Code's own installer). Never raises.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import set_value

_SMALL = Guard(most=1024 * 1024)
_RELEASE = re.compile(r"\d+(?:\.\d+){1,3}(?:[-+][0-9A-Za-z.-]+)?")
_ABOVE = 5


def installed(program: str, packages: tuple[str, ...], env: Mapping[str, str]) -> str | None:
    """The release of the first such program on PATH whose package can be found; None when there is none."""
    for directory in set_value(env, "PATH").split(os.pathsep):
        if not os.path.isabs(directory):
            continue
        found = _of(os.path.join(directory, program), packages)
        if found:
            return found
    return None


def _of(path: str, packages: tuple[str, ...]) -> str | None:
    if not os.path.isfile(path):
        return None
    real = os.path.realpath(path)
    if os.path.basename(os.path.dirname(real)) == "versions" and _RELEASE.fullmatch(os.path.basename(real)):
        return os.path.basename(real)
    above = os.path.dirname(real)
    for _ in range(_ABOVE):
        found = _in(above, packages)
        if found:
            return found
        above = os.path.dirname(above)
    for name in packages:  # a shim in bin/ that does not link: the package lies beside, in lib/node_modules
        found = _in(os.path.join(os.path.dirname(os.path.dirname(real)), "lib", "node_modules", name), packages)
        if found:
            return found
    return None


def _in(directory: str, packages: tuple[str, ...]) -> str | None:
    data = read(os.path.join(directory, "package.json"), _SMALL).data
    try:
        described = json.loads(data) if data else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(described, dict) or described.get("name") not in packages:
        return None
    version = described.get("version")
    return version if isinstance(version, str) and _RELEASE.fullmatch(version) else None
