"""A small client of the daemon's API, independent of the product's own.

HTTP/1.1 and JSON over a Unix socket with the standard library only, one connection a call, so
that a test of the daemon does not lean on code under test.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

Json = Any
_SUN_PATH = 100  # shorter than any platform's limit on socket paths


class ApiError(Exception):
    """The daemon answered with an error: its status, code, message and hint."""

    def __init__(self, status: int, body: Json) -> None:
        error = body.get("error", {}) if isinstance(body, dict) else {}
        self.status = status
        self.code: str = error.get("code", "")
        self.message: str = error.get("message", str(body))
        self.hint: str = error.get("hint", "")
        super().__init__(f"{status} {self.code}: {self.message}")


class Api:
    """Calls by method and path; `timeout_s` bounds every read of the socket."""

    def __init__(self, socket_path: Path, timeout_s: float = 90) -> None:
        self.socket_path = socket_path
        self.timeout_s = timeout_s

    def get(self, route: str, **query: object) -> Json:
        return json.loads(self.get_bytes(route, **query))

    def get_bytes(self, route: str, **query: object) -> bytes:
        wanted = {key: value for key, value in query.items() if value is not None}
        return self.call("GET", f"{route}?{urlencode(wanted)}" if wanted else route)

    def post(self, route: str, body: Json = None) -> Json:
        return json.loads(self.call("POST", route, body))

    def call(self, method: str, target: str, body: Json = None) -> bytes:
        """The body of the answer. Raises ApiError, or OSError when nobody answers."""
        payload = None if body is None else json.dumps(body).encode()
        connection = _UnixConnection(self.socket_path, self.timeout_s)
        try:
            headers = {"Content-Type": "application/json"} if payload is not None else {}
            connection.request(method, target, payload, headers)
            response = connection.getresponse()
            data = response.read()
        except http.client.HTTPException as error:
            raise ConnectionError(f"no whole answer to {method} {target}: {error!r}") from error
        finally:
            connection.close()
        if response.status >= 400:
            try:
                raise ApiError(response.status, json.loads(data))
            except ValueError:
                raise ApiError(response.status, data.decode("utf-8", "replace")) from None
        return data


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: Path, timeout_s: float) -> None:
        super().__init__("conductd", timeout=timeout_s)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        with _short(self._path) as path:
            self.sock.connect(path)


@contextmanager
def _short(path: Path) -> Iterator[str]:
    """The path, or a name for it that fits into a socket address (Linux)."""
    if len(os.fsencode(path)) <= _SUN_PATH:
        yield str(path)
        return
    directory = os.open(path.parent, os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
