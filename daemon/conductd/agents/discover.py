"""Finds the memory of the agents on this machine. Read-only; garbage finds nothing, it never raises.

Called by `app` when no workspace was named, and by the command line to say what there is.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from conductd.agents import claude, openclaw
from conductd.agents.found import Found, set_value

__all__ = ["Found", "find"]


def find(env: Mapping[str, str], home: str | None = None) -> tuple[Found, ...]:
    """Existing memory directories, each once by its real path, the first reason kept.

    `home` is used where the environment does not name one (`HOME`, `USERPROFILE`). A home directory or the root of
    the file system is never taken for a workspace.
    """
    base = set_value(env, "HOME") or set_value(env, "USERPROFILE") or home or os.path.expanduser("~")
    never = {os.fsencode(os.path.realpath(each)) for each in (base, "/")}
    found: dict[bytes, Found] = {}
    for each in (*openclaw.find(env, base), *claude.find(env, base)):
        if each.root not in never:
            found.setdefault(each.root, each)
    return tuple(found.values())
