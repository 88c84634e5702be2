"""Whether a directory is fit to hold the state: private, ours, and on a disk that keeps what it is given.

Owns the checks of the state directory before anything is written there. Refuses what would break a promise; what is
only unwise is a warning for the app to show. Called by the app at start and by `doctor`.
"""

from __future__ import annotations

import errno
import os
import stat
import sys

from conductd.errors import Refused, StoreUnavailable

# Kinds of file system, by the name the kernel gives them.
_VOLATILE = frozenset(("tmpfs", "ramfs"))
# Locks and syncs that another machine has to keep its word about.
_REMOTE = frozenset(
    ("9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "fuse.ceph", "fuse.davfs", "fuse.gcsfuse",
     "fuse.glusterfs", "fuse.juicefs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "ncpfs",
     "nfs", "nfs4", "ocfs2", "orangefs", "smb3", "smbfs", "virtiofs", "webdav")
)  # fmt: skip
# Directory names of sync clients, and marks they leave at the top of what they sync.
_SYNC_NAMES = frozenset(
    (b"dropbox", b"google drive", b"googledrive", b"icloud drive", b"mobile documents", b"nextcloud", b"onedrive",
     b"owncloud", b"syncthing")
)  # fmt: skip
_SYNC_MARKS = (b".stfolder", b".dropbox", b".dropbox.cache", b".nextcloudsync.log", b".owncloudsync.log", b".sync")


def prepare(path: str | os.PathLike[str], *, allows_network: bool = False) -> list[str]:
    """Make the directory if need be, 0700 and ours; warnings, one sentence each.

    Raises Refused when it is reached through a link, is open to others and cannot be closed, or is on a network file
    system and `allows_network` is not said; StoreUnavailable when it cannot be made.
    """
    path = os.fspath(path)
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        seen = os.lstat(path)
    except OSError as error:
        raise StoreUnavailable(
            f"the state directory cannot be made: {error.strerror}: {path}",
            "make the directory above it writable, or choose another with --state-dir",
        ) from error
    if stat.S_ISLNK(seen.st_mode) or not stat.S_ISDIR(seen.st_mode):
        raise Refused(f"the state directory is not a directory of its own: {path}", "give its real path to --state-dir")
    if seen.st_uid != os.geteuid():
        raise Refused(
            f"the state directory belongs to user {seen.st_uid}: {path}",
            "choose a directory of your own with --state-dir",
        )
    warnings = []
    if stat.S_IMODE(seen.st_mode) & 0o077:
        try:
            os.chmod(path, 0o700)
        except OSError as error:
            if error.errno == errno.EROFS:
                raise StoreUnavailable(
                    f"the state directory is open to other users on a read-only disk: {path}",
                    f"mount it writable, then: chmod 700 {path}",
                ) from error
            raise Refused(
                f"the state directory is open to other users and cannot be closed: {path}", f"run: chmod 700 {path}"
            ) from error
        warnings.append(f"the state directory was open to other users; it is 0700 now: {path}")
    kind = filesystem(path)
    if kind in _REMOTE and not allows_network:
        raise Refused(
            f"the state directory is on a network file system ({kind}), which may lose what it confirmed: {path}",
            "choose a local one with --state-dir; or take the risk: set CONDUCTD_ALLOW_NETWORK_STATE=1",
        )
    return warnings + unwise(path)


def unwise(path: str) -> list[str]:
    """Why this is a poor place for the journal, one sentence each; nothing is changed."""
    warnings = []
    kind = filesystem(path)
    if kind in _VOLATILE:
        warnings.append(f"the state directory is on {kind}: everything recorded is lost at the next boot: {path}")
    elif kind in _REMOTE:
        warnings.append(
            f"the state directory is on a network file system ({kind}), which may not keep its word: {path}"
        )
    client = sync_folder(path)
    if client is not None:
        warnings.append(
            f"the state directory is inside a synced folder ({os.fsdecode(client)}), which can damage it: {path}"
        )
    return warnings


def sync_folder(path: str) -> bytes | None:
    """The synced directory that holds the path, by its name or by what a sync client leaves in it."""
    at = os.path.realpath(os.fsencode(path))
    while True:
        name = os.path.basename(at).lower()
        if name in _SYNC_NAMES or any(name.startswith(known + b" - ") for known in _SYNC_NAMES):
            return at
        if any(os.path.lexists(os.path.join(at, mark)) for mark in _SYNC_MARKS):
            return at
        above = os.path.dirname(at)
        if above == at:
            return None
        at = above


def filesystem(path: str, mountinfo: str = "/proc/self/mountinfo") -> str:
    """The kind of file system a path is on, "" where the system does not tell."""
    if not sys.platform.startswith("linux"):
        return ""
    try:
        with open(mountinfo, "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return ""
    real = os.path.realpath(os.fsencode(path))
    best, kind = b"", ""
    for line in lines:
        fields, _, rest = line.partition(b" - ")
        parts = fields.split(b" ")
        if len(parts) < 5 or not rest:
            continue
        mount = parts[4].decode("unicode_escape").encode("latin-1")
        inside = mount == b"/" or real == mount or real.startswith(mount + b"/")
        if inside and len(mount) >= len(best):
            best, kind = mount, rest.split(b" ")[0].decode("ascii", "replace")
    return kind
