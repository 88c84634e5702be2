"""What the file system under a workspace can do, found out without writing to it.

Looks at mountinfo and at names that are already there. Called when a workspace is bound; the result
is stored and shown by `doctor`. What only a write could tell (exchange, xattrs) is the repairer's.
"""

from __future__ import annotations

import os

from conductd.model import Frozen
from conductd.watch.mounts import Mount, has_trustworthy_ctime, mount_of, mounts_below, read_mounts, sends_events
from conductd.watch.watchset import WatchSet, ancestors


class Capabilities(Frozen, frozen=True):
    """``fs_type`` "" where it is not known. ``events``: every change is announced, also on mounts
    inside the watch set; else ``why_poll`` says what stands in the way. ``case_insensitive`` None:
    no name with letters to try it on. ``trust_ctime``: an unchanged ctime means unchanged content."""

    fs_type: str = ""
    mount_point: bytes = b""
    events: bool = True
    trust_ctime: bool = True
    case_insensitive: bool | None = None
    why_poll: str = ""


def probe(root: bytes, plan: WatchSet, mounts: list[Mount] | None = None) -> Capabilities:
    """Look at the workspace at ``root`` (absolute). A missing root has the capabilities of what is above."""
    if mounts is None:
        mounts = read_mounts()
    real = os.path.realpath(root)
    mount = mount_of(real, mounts)
    if mount is None:
        return Capabilities(case_insensitive=is_case_insensitive(root))
    touched = [mount, *(below for below in mounts_below(real, mounts) if _is_watched(below.point, real, plan))]
    silent = next((each for each in touched if not sends_events(each.fs_type)), None)
    # Such a file's own directory is elsewhere: that is where its changes are announced.
    alone = next((each.point for each in touched[1:] if os.path.isfile(each.point)), None)
    why = ""
    if silent is not None:
        why = f"changes on {silent.fs_type} ({os.fsdecode(silent.point)!r}) send no events"
    elif alone is not None:
        why = f"the file {os.fsdecode(alone)!r} is a mount of its own, whose changes send no events"
    return Capabilities(
        mount.fs_type,
        mount.point,
        not why,
        all(has_trustworthy_ctime(each.fs_type) for each in touched),
        is_case_insensitive(root),
        why,
    )


def _is_watched(point: bytes, root: bytes, plan: WatchSet) -> bool:
    relative = point[len(root) + 1 :] if root != b"/" else point[1:]
    return any(plan.watches(directory) for directory in (relative, ancestors(relative)[0]))


def is_case_insensitive(directory: bytes) -> bool | None:
    """Whether a name in other case finds the same file; tried on names in the directory and on its own."""
    try:
        with os.scandir(directory) as listing:
            names = [os.path.join(directory, entry.name) for _, entry in zip(range(100), listing, strict=False)]
    except OSError:
        names = []
    for path in [*names, directory.rstrip(b"/")]:
        above, name = os.path.split(path)
        swapped = name.swapcase()
        if swapped == name:
            continue
        try:
            here = os.lstat(path)
        except OSError:
            continue
        try:
            other = os.lstat(os.path.join(above, swapped))
        except OSError:
            return False
        return (here.st_dev, here.st_ino) == (other.st_dev, other.st_ino)
    return None
