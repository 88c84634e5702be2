"""One holder per state directory or workspace: ``flock`` on an open descriptor.

The kernel drops the lock when the holder dies, however it dies; the text in the file only names
the holder and is never trusted for anything else. Called by the app (state directory) and the journal's storage.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from conductd.errors import AlreadyRunning, StoreUnavailable


def holder(path: str | os.PathLike[str]) -> str:
    """The process id of whoever holds the lock ("?" when it does not say), "" when nobody does. Changes nothing."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    except OSError:
        return ""
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        text = os.pread(fd, 64, 0).split(b"\n", 1)[0].decode("ascii", "replace").strip()
        return text if text.isdigit() else "?"
    except OSError:
        return ""
    finally:
        os.close(fd)
    return ""


class StateLock:
    """An exclusive lock on a file, held until `release` or the end of the process."""

    def __init__(self, path: str, fd: int) -> None:
        self.path = path
        self._fd = fd

    @classmethod
    def acquire(cls, path: str | os.PathLike[str]) -> StateLock:
        """Raises `AlreadyRunning` naming the holder's process id; never waits."""
        path = os.fspath(path)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        except OSError as error:
            raise StoreUnavailable(
                f"the lock file cannot be opened: {error.strerror}: {path}",
                "check that the state directory is writable and belongs to you",
            ) from error
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.pread(fd, 64, 0).split(b"\n", 1)[0].decode("ascii", "replace").strip()
            os.close(fd)
            who = f"process {holder}" if holder.isdigit() else "another process"
            raise AlreadyRunning(
                f"conductd is already running on this state directory: {who} holds {path}",
                "stop it first, or use another --state-dir",
            ) from error
        except OSError:
            os.close(fd)
            raise
        # A full disk must not keep the daemon from starting: the name is a courtesy.
        with contextlib.suppress(OSError):
            os.pwrite(fd, f"{os.getpid()}\n".encode().ljust(16), 0)
        return cls(path, fd)

    def release(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
