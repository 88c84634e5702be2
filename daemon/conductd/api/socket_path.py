"""Which path a socket really has: the wished one, or a short one when an address cannot hold it.

A Unix socket address holds 107 bytes (103 on macOS). A longer wish is served from a private
directory: `$XDG_RUNTIME_DIR/conductd/<hash>.sock`, or `/tmp/conductd-<uid>/<hash>.sock` where there
is none. The server leaves a symlink at the wished place, so that a client with another environment
(cron, sudo) finds the same socket. Server and client both ask here.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
from collections.abc import Mapping

from conductd.errors import NotOurSocket, UsageError

# sun_path is 108 bytes on Linux, 104 on macOS and the BSDs, the closing NUL included.
LIMIT = 107 if sys.platform == "linux" else 103


def fits(path: bytes) -> bool:
    return len(path) <= LIMIT


def short(wished: bytes, environ: Mapping[str, str]) -> bytes:
    """The place for a socket whose wished path is too long; the same wish gives the same place."""
    name = hashlib.sha256(wished).hexdigest()[:16].encode() + b".sock"
    runtime = os.fsencode(environ.get("XDG_RUNTIME_DIR", ""))
    if os.path.isabs(runtime) and _is_own_directory(runtime):
        path = os.path.join(runtime, b"conductd", name)
        if fits(path):
            return path
    return os.path.join(b"/tmp/conductd-%d" % os.geteuid(), name)


def find(wished: bytes, environ: Mapping[str, str]) -> bytes:
    """Where a client connects for this wish."""
    if fits(wished):
        return wished
    try:
        return os.readlink(wished)
    except OSError:
        return short(wished, environ)


def private_directory(path: bytes) -> None:
    """Make `path` (0700) if it is missing; refuse one where others could take our socket away.

    That is one which is neither ours nor root's, or which others may write, unless it is sticky like /tmp.
    A directory that others may read is left as its owner made it: the socket itself is 0600.
    """
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.mkdir(path, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise UsageError(
            f"the directory for the socket cannot be made: {error.strerror}: {os.fsdecode(path)}",
            "choose another place with --socket or --state-dir",
        ) from error
    info = os.stat(path)
    private = "choose a private directory with --socket or --state-dir (mkdir -m 700 DIR)"
    if not stat.S_ISDIR(info.st_mode):
        raise UsageError(f"not a directory: {os.fsdecode(path)}", private)
    if info.st_uid not in (0, os.geteuid()):
        raise NotOurSocket(f"the directory for the socket belongs to user {info.st_uid}: {os.fsdecode(path)}", private)
    if info.st_mode & 0o022 and not info.st_mode & stat.S_ISVTX:
        raise NotOurSocket(f"other users may write in the directory for the socket: {os.fsdecode(path)}", private)


def _is_own_directory(path: bytes) -> bool:
    try:
        info = os.stat(path)
    except OSError:
        return False
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid()
