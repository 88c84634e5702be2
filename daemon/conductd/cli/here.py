"""Which workspace is meant: the one that was named, else the one that this directory is in."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conductd.cli import files

if TYPE_CHECKING:
    from conductd.api.client import Client


def workspace(client: Client, named: str | None) -> str | None:
    """Its root or id; None: the daemon takes the only one."""
    if named is not None:
        return os.fsdecode(files.path(named))
    here = os.path.realpath(os.getcwdb())
    for space in client.workspaces():
        root = os.path.realpath(os.fsencode(space.root))
        if (here + b"/").startswith(root + b"/"):
            return space.id
    return None
