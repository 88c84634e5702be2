"""What the file system under a workspace can do, found out without writing to it.

Looks at mountinfo and at names that are already there. Called when a workspace is bound; the result
is stored and shown by `doctor`. What only a write could tell (exchange, xattrs) is the repairer's.
"""

from __future__ import annotations

import errno
import os
import unicodedata
from collections.abc import Callable

from msgspec.structs import replace

from conductd.model import Frozen
from conductd.watch.mounts import Mount, has_trustworthy_ctime, mount_of, mounts_below, read_mounts, sends_events
from conductd.watch.watchset import WatchSet, ancestors

_TRIED = 100  # names of a directory
_SUBVOLUMES = frozenset(("btrfs", "zfs", "bcachefs"))  # what is mounted is a part of them as a rule


class Capabilities(Frozen, frozen=True):
    """``fs_type`` "" where it is not known. ``events``: every change is announced, also on mounts
    inside the watch set; else ``why_poll`` says what stands in the way. ``trust_ctime``: an unchanged ctime means
    unchanged content. ``case_insensitive``, ``composing`` (composed and decomposed characters are one): None where no
    name is there to try it on. ``xattrs``: extended attributes can be read; None: not known. ``read_only``: of the
    mount. ``bound``: a part of a file system is mounted here, as into a container. ``foreign``: the directory is
    another user's."""

    fs_type: str = ""
    mount_point: bytes = b""
    events: bool = True
    trust_ctime: bool = True
    case_insensitive: bool | None = None
    why_poll: str = ""
    composing: bool | None = None
    xattrs: bool | None = None
    read_only: bool = False
    bound: bool = False
    foreign: bool = False

    def words(self) -> tuple[str, ...]:
        """As they are stored and shown: "?" after what is not known."""
        return (
            self.fs_type or "file system?",
            "events" if self.events else "polled",
            "ctime" if self.trust_ctime else "no ctime",
            _tried(self.case_insensitive, "one case", "two cases", "case?"),
            _tried(self.composing, "composing", "composition kept", "composition?"),
            _tried(self.xattrs, "xattrs", "no xattrs", "xattrs?"),
            *(["read-only"] if self.read_only else []),
            *(["bound"] if self.bound else []),
            *(["foreign"] if self.foreign else []),
        )


def _tried(found: bool | None, yes: str, no: str, unknown: str) -> str:
    return unknown if found is None else yes if found else no


def probe(root: bytes, plan: WatchSet, mounts: list[Mount] | None = None) -> Capabilities:
    """Look at the workspace at ``root`` (absolute). A missing root has the capabilities of what is above."""
    if mounts is None:
        mounts = read_mounts()
    real = os.path.realpath(root)
    mount = mount_of(real, mounts)
    if mount is None:
        return _looked_at(real, Capabilities())
    touched = [mount, *(below for below in mounts_below(real, mounts) if _is_watched(below.point, real, plan))]
    silent = next((each for each in touched if not sends_events(each.fs_type)), None)
    # Such a file's own directory is elsewhere: that is where its changes are announced.
    alone = next((each.point for each in touched[1:] if os.path.isfile(each.point)), None)
    why = ""
    if silent is not None:
        why = f"changes on {silent.fs_type} ({os.fsdecode(silent.point)!r}) send no events"
    elif alone is not None:
        why = f"the file {os.fsdecode(alone)!r} is a mount of its own, whose changes send no events"
    return _looked_at(
        real,
        Capabilities(
            mount.fs_type,
            mount.point,
            not why,
            all(has_trustworthy_ctime(each.fs_type) for each in touched),
            why_poll=why,
            bound=mount.root != b"/" and mount.fs_type not in _SUBVOLUMES,
        ),
    )


def _looked_at(root: bytes, known: Capabilities) -> Capabilities:
    """With what the directory itself shows; as it is where there is none."""
    try:
        owner, read_only = os.stat(root).st_uid, bool(os.statvfs(root).f_flag & os.ST_RDONLY)
    except OSError:
        return replace(known, case_insensitive=is_case_insensitive(root))
    return replace(
        known,
        case_insensitive=is_case_insensitive(root),
        composing=is_composing(root),
        xattrs=_has_xattrs(root),
        read_only=read_only,
        foreign=owner != os.geteuid(),
    )


def _has_xattrs(directory: bytes) -> bool | None:
    """Whether the file system keeps extended attributes, as far as reading tells."""
    if not hasattr(os, "listxattr"):
        return None
    try:
        os.listxattr(directory)
    except OSError as error:
        return False if error.errno in (errno.ENOTSUP, errno.ENOSYS) else None
    return True


def _is_watched(point: bytes, root: bytes, plan: WatchSet) -> bool:
    relative = point[len(root) + 1 :] if root != b"/" else point[1:]
    return any(plan.watches(directory) for directory in (relative, ancestors(relative)[0]))


def is_case_insensitive(directory: bytes) -> bool | None:
    """Whether a name in other case finds the same file; tried on names in the directory and on its own."""
    return _finds(directory, lambda name: name.swapcase())


def is_composing(directory: bytes) -> bool | None:
    """Whether a name finds the same file with its characters composed and decomposed (NFC, NFD)."""
    return _finds(directory, _other_composition)


def _other_composition(name: bytes) -> bytes:
    try:
        text = name.decode()
    except UnicodeDecodeError:
        return name
    decomposed = unicodedata.normalize("NFD", text)
    return (decomposed if decomposed != text else unicodedata.normalize("NFC", text)).encode()


def _finds(directory: bytes, spelt: Callable[[bytes], bytes]) -> bool | None:
    """Whether another spelling of a name that is there finds the same file; None: no name has one."""
    try:
        with os.scandir(directory) as listing:
            names = [os.path.join(directory, entry.name) for _, entry in zip(range(_TRIED), listing, strict=False)]
    except OSError:
        names = []
    for path in [*names, directory.rstrip(b"/")]:
        above, name = os.path.split(path)
        swapped = spelt(name)
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
