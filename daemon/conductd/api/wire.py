"""What the client speaks: HTTP over a Unix socket whose other end is ours or root's, and errors as they came.

Standard library only. Called by `client` alone.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import socket
import stat
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from conductd import errors
from conductd.api import peer

NOT_RUNNING_HINT = "start it with: conductd run"


class Connection(http.client.HTTPConnection):
    """HTTP over a Unix socket whose other end is believed (see `peer`)."""

    def __init__(self, path: bytes, timeout_s: float) -> None:
        super().__init__("conductd", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        _check_file(self._path)
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._path)
            other = peer.of(self.sock)
        except OSError as error:
            self.sock.close()
            raise _cannot_connect(self._path, error) from error
        if not (peer.trusted(other.uid) or (peer.believed(other.uid) and other.uid == _owner(self._path))):
            self.sock.close()
            raise errors.NotOurSocket(
                f"the program that listens on {os.fsdecode(self._path)} belongs to user {other.uid}",
                "check --socket, --state-dir and CONDUCTD_SOCKET",
            )


def request(connection: Connection, method: str, target: str, body: bytes | None = None) -> http.client.HTTPResponse:
    headers = {"content-type": "application/json"} if body is not None else {}
    try:
        connection.request(method, target, body, headers)
    except BrokenPipeError:
        # Refused while we were still sending (too large): the answer is there to be read.
        if connection.sock is None:
            raise
    response = connection.getresponse()
    if response.status >= 400:
        data = response.read()
        connection.close()
        raise told_error(response.status, _parsed(data))
    return response


def lines(response: http.client.HTTPResponse, path: bytes) -> Iterator[bytes]:
    try:
        while line := response.readline():
            yield line.rstrip(b"\r\n")
    except (http.client.HTTPException, OSError) as error:
        raise broken(path, error) from error


def with_query(route: str, **query: object) -> str:
    given = {name: str(value) for name, value in query.items() if value is not None}
    return f"{route}?{urlencode(given)}" if given else route


def b64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")


def _parsed(data: bytes) -> Any:
    try:
        return json.loads(data)
    except ValueError:
        return None


def _classes(root: type[errors.ConductdError]) -> Iterator[type[errors.ConductdError]]:
    """Of the product as a whole: what a part makes of one for itself has the code of the one it is made of."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from _classes(child)


def told_error(status: int, answer: Any) -> errors.ConductdError:
    """The error the daemon sent, as the class its code names."""
    told = answer.get("error") if isinstance(answer, dict) else None
    if not isinstance(told, dict):
        return errors.ConductdError(f"the daemon answered with status {status}", "see the daemon's log")
    code, message, hint = (str(told.get(key, "")) for key in ("code", "message", "hint"))
    known = {kind.code: kind for kind in _classes(errors.ConductdError)}
    error = known.get(code, errors.ConductdError)(message, hint)
    error.code = code
    return error


def _check_file(path: bytes) -> None:
    shown = os.fsdecode(path)
    try:
        info = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise errors.DaemonNotRunning(
            f"no daemon is running: there is no socket at {shown}", NOT_RUNNING_HINT
        ) from error
    except OSError as error:
        raise errors.NotOurSocket(
            f"the socket cannot be reached: {error.strerror}: {shown}",
            "check --socket, --state-dir and CONDUCTD_SOCKET",
        ) from error
    if not stat.S_ISSOCK(info.st_mode):
        raise errors.NotOurSocket(f"this is not a socket: {shown}", "check --socket, --state-dir and CONDUCTD_SOCKET")
    if not peer.believed(info.st_uid):
        raise errors.NotOurSocket(
            f"the socket belongs to user {info.st_uid}: {shown}", "run the command as the user whose daemon it is"
        )


def _owner(path: bytes) -> int | None:
    try:
        return os.lstat(path).st_uid
    except OSError:
        return None


def _cannot_connect(path: bytes, error: OSError) -> errors.ConductdError:
    shown = os.fsdecode(path)
    if isinstance(error, ConnectionRefusedError | FileNotFoundError):
        return errors.DaemonNotRunning(f"no daemon is running: nobody listens on {shown}", NOT_RUNNING_HINT)
    if isinstance(error, PermissionError):
        return errors.NotOurSocket(f"the socket does not let us in: {shown}", "run the command as the daemon's user")
    return errors.DaemonNotRunning(f"the daemon does not answer on {shown}: {error}", "see: conductd status")


def broken(path: bytes, error: Exception) -> errors.ConductdError:
    what = "did not answer in time" if isinstance(error, TimeoutError) else "closed the connection"
    return errors.DaemonNotRunning(
        f"the daemon on {os.fsdecode(path)} {what}", "see whether it still runs: conductd status"
    )
