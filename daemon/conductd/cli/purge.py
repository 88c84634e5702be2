"""Removes the whole recorded history: only for a person at a terminal, and only while no daemon runs."""

from __future__ import annotations

import os
import re
import shutil

from conductd.errors import NotFound, Refused
from conductd.journal.format import segment_number
from conductd.watch.ancestry import asker

# What conductd puts into its state directory; a name that is not here was put there by somebody else, and stays. Tested
# against what a daemon leaves there.
_OWN = re.compile(
    r"journal|lock|conductd\.sock(\..*)?|(index|notices)\.sqlite3(-wal|-shm|-journal)?|bootcards|reports"
    r"|last-good-config\.json(\..*)?|gc\.unfinished|journal-size\.told|drill-.*"
)


def refuse_to_purge(state_dir: str) -> None:
    """Raises Refused unless a person asks (promise P8), NotFound where there is no history."""
    journal = os.path.join(state_dir, "journal")
    try:
        names = os.listdir(journal) if not os.path.islink(state_dir) and not os.path.islink(journal) else []
    except OSError:
        names = []
    if not any(segment_number(name) is not None for name in names):
        raise NotFound(f"there is no history in {state_dir}", "name its place with --state-dir")
    if not asker(os.getpid()).may_decide:
        raise Refused("only a person at a terminal may remove the history", "run it yourself, not through an agent")


def purged(state_dir: str) -> list[str]:
    """Remove it; what is left in the directory because it is none of ours. The caller has stopped the service; a daemon
    that runs all the same is not robbed."""
    from conductd.journal.lock import holder

    pid = holder(os.path.join(state_dir, "lock"))
    if pid:
        raise Refused(f"the daemon still runs on {state_dir}, as process {pid}", "stop it, then try again")
    left = []
    for name in sorted(os.listdir(state_dir)):
        path = os.path.join(state_dir, name)
        if not _OWN.fullmatch(name):
            left.append(path)
        elif os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    if not left:
        os.rmdir(state_dir)
    return left
