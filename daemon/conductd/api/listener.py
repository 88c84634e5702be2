"""Binds the socket: 0600 in a private directory, never over a living daemon or a foreign file.

Owns the socket file from bind to close. The server passes the listening socket to uvicorn, which by
itself would make it 0666. A lock file beside the socket covers the moment between "the old one is
dead" and "ours listens", so that two daemons starting together do not replace each other.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import time
from collections.abc import Iterator, Mapping

from conductd.api import socket_path
from conductd.api.client import Client
from conductd.errors import AlreadyRunning, ConductdError, NotOurSocket, UsageError

PROBE_TIMEOUT_S = 2.0
LOCK_TIMEOUT_S = 15.0  # several that start together each ask the first one who it is
BACKLOG = 512  # 200 clients may connect before the loop turns once


class Listener:
    """A listening socket and the file that names it."""

    def __init__(self, wished: bytes, environ: Mapping[str, str]) -> None:
        """Raises AlreadyRunning, NotOurSocket, UsageError."""
        self.wished = wished
        self.path = wished if socket_path.fits(wished) else socket_path.short(wished, environ)
        socket_path.private_directory(os.path.dirname(self.path))
        with _alone(self.path):
            _make_room(self.path)
            self.socket = _bind(self.path)
        self._identity = _identity(self.path)
        if self.path != wished:
            self._leave_link()

    @property
    def is_there(self) -> bool:
        """Whether the file still stands there. Without it nobody finds the socket, which itself notices nothing."""
        try:
            return _identity(self.path) == self._identity
        except OSError:
            return False

    def close(self) -> None:
        """Stop listening and remove the file, unless somebody else has put theirs there."""
        self.socket.close()
        with contextlib.suppress(OSError):
            if _identity(self.path) == self._identity:
                os.unlink(self.path)
        if self.path != self.wished:
            with contextlib.suppress(OSError):
                if os.readlink(self.wished) == self.path:
                    os.unlink(self.wished)

    def _leave_link(self) -> None:
        """So that a client with another XDG_RUNTIME_DIR finds the same socket."""
        with contextlib.suppress(OSError):
            os.makedirs(os.path.dirname(self.wished), mode=0o700, exist_ok=True)
            if os.path.islink(self.wished):
                os.unlink(self.wished)
            os.symlink(self.path, self.wished)


@contextlib.contextmanager
def _alone(path: bytes) -> Iterator[None]:
    shown = os.fsdecode(path)
    try:
        fd = os.open(path + b".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise UsageError(
            f"the lock beside the socket cannot be opened: {error.strerror}: {shown}.lock",
            "choose another place with --socket",
        ) from error
    try:
        deadline = time.monotonic() + LOCK_TIMEOUT_S
        while not _locked(fd):
            if time.monotonic() > deadline:
                raise AlreadyRunning(f"another program is about to listen on {shown}", "stop it, or choose --socket")
            time.sleep(0.02)
        yield
    finally:
        os.close(fd)


def _locked(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _make_room(path: bytes) -> None:
    """Remove a dead socket of ours; refuse everything else that may stand there."""
    try:
        info = os.lstat(path)
    except FileNotFoundError:
        return
    shown = os.fsdecode(path)
    if not stat.S_ISSOCK(info.st_mode):
        raise UsageError(f"there is something that is not a socket at {shown}", "move it away, or choose --socket")
    if info.st_uid != os.geteuid():
        raise NotOurSocket(f"the socket belongs to user {info.st_uid}: {shown}", "choose another place with --socket")
    if _listens(path):
        raise _already_running(path)
    os.unlink(path)


def _listens(path: bytes) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_TIMEOUT_S)
        try:
            probe.connect(path)
        except (ConnectionRefusedError, FileNotFoundError):
            return False
        except OSError:  # a full backlog or a timeout: somebody is there
            return True
        return True


def _already_running(path: bytes) -> AlreadyRunning:
    shown = os.fsdecode(path)
    hint = "stop it first, or give this one its own --state-dir"
    try:
        with Client(path, timeout_s=PROBE_TIMEOUT_S) as client:
            hello = client.hello()
    except (ConductdError, OSError):
        return AlreadyRunning(f"another program listens on {shown}", hint)
    return AlreadyRunning(f"a daemon is already running as process {hello.pid} on {shown}", hint)


def _bind(path: bytes) -> socket.socket:
    bound = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        # On Linux the socket file takes the descriptor's mode, so it is never wider than 0600.
        with contextlib.suppress(OSError):
            os.fchmod(bound.fileno(), 0o600)
        bound.bind(path)
        os.chmod(path, 0o600)
        bound.listen(BACKLOG)
        bound.setblocking(False)
    except OSError as error:
        bound.close()
        raise UsageError(
            f"the socket cannot be made: {error.strerror}: {os.fsdecode(path)}", "choose another place with --socket"
        ) from error
    return bound


def _identity(path: bytes) -> tuple[int, int]:
    info = os.lstat(path)
    return (info.st_dev, info.st_ino)
