"""By which paths OpenClaw may know a workspace: its own here, and those that it has inside of a container.

Read-only. A container has the state directory at another place (a volume), and what it notes of files it notes by the
paths that it sees. Called by `provenance`.
"""

from __future__ import annotations

import os

from conductd.agents.found import real_directory, subdirectories
from conductd.agents.openclaw import config_of, path_value, roster, table

# Where images keep the state directory: the official one, root's, and what others mount.
_INSIDE = tuple(f"/{home}/.openclaw" for home in ("home/node", "root", "home/openclaw", "data", "app"))


def names_of(root: str, state_dir: str) -> tuple[str, ...]:
    """The surest first: the real path, the path as it is called here, then those of containers."""
    real, state = os.path.realpath(root), os.path.realpath(state_dir)
    names = [real, os.path.abspath(root)]
    if real.startswith(state + "/"):
        names += [base + real[len(state) :] for base in _INSIDE]
    return tuple(dict.fromkeys(names))


def roots_of(state_dir: str) -> tuple[str, ...]:
    """The real paths of the workspaces that belong to a state directory, as far as its configuration and its
    directories tell."""
    state = os.path.realpath(state_dir)
    found = [os.path.join(state, name) for name in subdirectories(state) if name.startswith("workspace")]
    agents = table(config_of(state).get("agents"))
    home = os.path.expanduser("~")
    base = path_value(table(agents.get("defaults")).get("workspace"), os.environ, home)
    found += [base] if base else []
    for name, entry in roster(agents):
        own = path_value(entry.get("workspace"), os.environ, home)
        found += [own] if own else [os.path.join(base, name)] if base and name and "\0" not in name else []
    return tuple(dict.fromkeys(real for place in found if (real := real_directory(place)) is not None))
