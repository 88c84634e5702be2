"""The recovery drill: the state at the beginning of a day, restored into a directory of its own and compared.

The journal alone is asked; nothing of a workspace is touched. The directory is private and gone afterwards.
"""

from __future__ import annotations

import hashlib
import os
import tempfile

from conductd.core.qc.facts import Drill
from conductd.engine.health.overview import Parts
from conductd.engine.jobs.job import Progress
from conductd.errors import ConductdError, StoreUnavailable
from conductd.model import FileState

_MOST_BYTES = 256 * 1024 * 1024  # of one drill


def drill(parts: Parts, workspace: str, at_ns: int, progress: Progress) -> Drill | None:
    """``at_ns``: wall clock. None: the index cannot be asked, or nothing was on record then."""
    with parts.state.lock:
        files = {each.id: each.path for each in parts.state.files_of(workspace)}
    try:
        then = parts.reader.around(at_ns - 1, list(files))
    except StoreUnavailable:
        return None
    stood = {
        files[number]: found.before[0]
        for number, found in then.items()
        if found.before and found.before[0].state is FileState.FILE
    }
    if not stood:
        return None
    different: list[bytes] = []
    unreadable: list[bytes] = []
    tried, left = 0, _MOST_BYTES
    with tempfile.TemporaryDirectory(prefix="drill-", dir=parts.state_dir) as place:
        for number, (path, version) in enumerate(sorted(stood.items())):
            progress(number, len(stood), "the recovery drill")
            if version.size > left:
                continue
            left -= version.size
            tried += 1
            try:
                data = parts.contents.get(version.seq)
                back = _written(os.path.join(place, str(number)), data)
            except (ConductdError, OSError):
                unreadable.append(path)
                continue
            if version.digest is not None and hashlib.sha256(back).digest() != version.digest:
                different.append(path)
    return Drill(tried, tuple(different), tuple(unreadable), len(stood) - tried)


def _written(name: str, data: bytes) -> bytes:
    """What the file system gives back. Not synced: a thousand syncs would hold up what is recorded meanwhile, and prove
    no more of the journal."""
    with open(name, "xb") as file:
        file.write(data)
    with open(name, "rb") as file:
        back = file.read()
    os.unlink(name)
    return back
