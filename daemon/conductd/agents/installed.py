"""Which release of an agent is installed, by the metadata of its package. Runs nothing, reads a few small files.

A program on PATH, or where installers put programs below the home, leads to its package: `package.json` above the
script it links to, a directory named like the release (Claude Code's own installer), or the metadata of a Python
environment. Never raises.
"""

from __future__ import annotations

import glob
import json
import os
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import set_value

_SMALL = Guard(most=1024 * 1024)
_RELEASE = re.compile(r"\d+(?:\.\d+){1,3}(?:[-+][0-9A-Za-z.-]+)?")
_ABOVE = 5
# Where installers put programs: a daemon or a cron job has seldom the PATH of the person's shell.
_BELOW_HOME = (".local/bin", ".npm-global/bin", ".claude/local", ".bun/bin", ".volta/bin", ".nvm/versions/node/*/bin")
_MANY = 50


def installed(program: str, packages: tuple[str, ...], env: Mapping[str, str]) -> str | None:
    """The release of the first such program whose package can be found, PATH first; None when there is none."""
    for directory in _directories(env):
        found = _of(os.path.join(directory, program), packages)
        if found:
            return found
    return None


def _directories(env: Mapping[str, str]) -> Iterator[str]:
    yield from (each for each in set_value(env, "PATH").split(os.pathsep) if os.path.isabs(each))
    home = set_value(env, "HOME")
    if not os.path.isabs(home):
        return
    for below in _BELOW_HOME:
        found = islice(glob.iglob(below, root_dir=home, include_hidden=True), _MANY)
        yield from (os.path.join(home, each) for each in sorted(found, reverse=True))


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
    return _python(os.path.dirname(os.path.dirname(real)), packages)


def _python(environment: str, packages: tuple[str, ...]) -> str | None:
    """By the name of a directory: `<environment>/lib/python3.x/site-packages/<name>-<release>.dist-info`."""
    for name in packages:
        stem = re.sub(r"[-_.]+", "_", name)
        pattern = os.path.join("lib", "python3*", "site-packages", f"{glob.escape(stem)}-*.dist-info")
        for found in islice(glob.iglob(pattern, root_dir=environment), _MANY):
            version = os.path.basename(found).removesuffix(".dist-info").rpartition("-")[2]
            if _RELEASE.fullmatch(version):
                return version
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
