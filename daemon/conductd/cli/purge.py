"""Removes the whole recorded history: only for a person at a terminal, and only while no daemon runs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

from conductd.errors import NotFound, Refused
from conductd.watch.ancestry import asker


def refuse_to_purge(state_dir: str, env: Mapping[str, str]) -> None:
    """Raises Refused unless a person asks (promise P8), NotFound where there is no history."""
    if not os.path.isdir(os.path.join(state_dir, "journal")):
        raise NotFound(f"there is no history in {state_dir}", "name its place with --state-dir")
    if os.path.realpath(state_dir) in {os.path.realpath(env.get("HOME") or "/"), "/"}:
        raise Refused(f"{state_dir} is no directory of conductd's own", "remove what is to go by hand")
    if not asker(os.getpid()).may_decide:
        raise Refused("only a person at a terminal may remove the history", "run it yourself, not through an agent")


def purged(state_dir: str) -> bool:
    """Remove it. The caller has stopped the service; a daemon that runs all the same is not robbed."""
    from conductd.journal.lock import holder

    pid = holder(os.path.join(state_dir, "lock"))
    if pid:
        raise Refused(f"the daemon still runs on {state_dir}, as process {pid}", "stop it, then try again")
    shutil.rmtree(state_dir)
    return True
