"""Mounts: which one a path lies on, whether its events and its ctime can be trusted.

Reads `/proc/self/mountinfo` only. Elsewhere than on Linux there is none: the list is empty and every
path counts as local. Called by `capabilities`. (Which single files are bind-mounted into containers is
the repairer's question; it looks at every process's mounts.)
"""

from __future__ import annotations

import re

from conductd.model import Frozen

# Changes made by the other side (a server, a virtual machine's host) send no inotify events here.
_NO_EVENTS = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fakeowner", "fuse", "gfs2", "glusterfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs", "vmhgfs",
})  # fmt: skip
# The change time is missing, coarse, or the client's idea: equal keys prove nothing.
_NO_CTIME = (_NO_EVENTS - {"nfs4"}) | {
    "exfat", "fuseblk", "hfs", "hfsplus", "msdos", "ntfs", "ntfs3", "udf", "vfat",
}  # fmt: skip
_ESCAPE = re.compile(rb"\\([0-7]{3})")


class Mount(Frozen, frozen=True):
    """One line of mountinfo. ``root`` is the directory (or file) of the file system that is mounted
    at ``point``; ``device`` is "major:minor"."""

    point: bytes
    fs_type: str
    device: str
    root: bytes = b"/"
    source: bytes = b""


def parse(text: bytes) -> list[Mount]:
    """The mounts of a mountinfo file in its order; lines that make no sense are left out."""
    mounts = []
    for line in text.splitlines():
        left, dash, right = line.partition(b" - ")
        before, after = left.split(b" "), right.split(b" ")
        if not dash or len(before) < 6 or len(after) < 2:
            continue
        mounts.append(
            Mount(
                _unescape(before[4]),
                after[0].decode("ascii", "replace"),
                before[2].decode("ascii", "replace"),
                _unescape(before[3]),
                _unescape(after[1]),
            )
        )
    return mounts


def _unescape(field: bytes) -> bytes:
    return _ESCAPE.sub(lambda match: bytes([int(match[1], 8) & 0xFF]), field)


def read_mounts() -> list[Mount]:
    """This process's mounts; empty when they cannot be read."""
    try:
        with open("/proc/self/mountinfo", "rb") as file:
            return parse(file.read())
    except OSError:
        return []


def mount_of(path: bytes, mounts: list[Mount]) -> Mount | None:
    """The mount that ``path`` (absolute, links resolved) lies on: the longest point above it; of
    several on one point the last, which covers the others."""
    best: Mount | None = None
    for mount in mounts:
        if is_below(path, mount.point) and (best is None or len(mount.point) >= len(best.point)):
            best = mount
    return best


def mounts_below(path: bytes, mounts: list[Mount]) -> list[Mount]:
    """The mounts whose point is below ``path``."""
    return [mount for mount in mounts if mount.point != path and is_below(mount.point, path)]


def is_below(path: bytes, directory: bytes) -> bool:
    return path == directory or path.startswith(directory.rstrip(b"/") + b"/")


def sends_events(fs_type: str) -> bool:
    """Whether every change on such a file system is announced to this machine."""
    return fs_type not in _NO_EVENTS and not fs_type.startswith("fuse.")


def has_trustworthy_ctime(fs_type: str) -> bool:
    """Whether each change of content moves the change time that lstat gives."""
    return fs_type not in _NO_CTIME and not fs_type.startswith("fuse.")
