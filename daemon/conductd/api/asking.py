"""How the daemon is asked: requests over the socket, answers decoded, failures told as what they are.

Called by `client`, which knows the routes.
"""

from __future__ import annotations

import http.client
import json
import os
from collections.abc import Iterator
from typing import Any, Self, TypeVar

import msgspec

from conductd.api import socket_path
from conductd.api.wire import Connection, broken, lines, request, told_error, with_query

T = TypeVar("T")

TIMEOUT_S = 90.0  # longer than the daemon itself waits for anything, so that its own words arrive


class Requests:
    """To one daemon, by its socket. One kept connection, one request at a time; long jobs take one of their own."""

    def __init__(self, socket_file: bytes, timeout_s: float = TIMEOUT_S) -> None:
        self.path = socket_path.find(socket_file, os.environ)
        self._timeout_s = timeout_s
        self._connection: Connection | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _job(self, route: str, body: bytes = b"{}") -> Iterator[tuple[str, Any]]:
        connection = Connection(self.path, self._timeout_s)
        connection.timeout = None  # a job may be silent for as long as one segment takes
        try:
            response = request(connection, "POST", route, body)
            for line in lines(response, self.path):
                answer = json.loads(line)
                if "error" in answer:
                    raise told_error(500, answer)
                yield from answer.items()
        finally:
            connection.close()

    # ------------------------------------------------------------------ wire

    def _get(self, route: str, answer: type[T], **query: object) -> T:
        return msgspec.json.decode(self._send("GET", with_query(route, **query))[1], type=answer)

    def _post(self, route: str, answer: type[T], **body: object) -> T:
        given = {name: value for name, value in body.items() if value is not None}
        return msgspec.json.decode(self._send("POST", route, json.dumps(given).encode())[1], type=answer)

    def _patiently(self, route: str, answer: type[T], **body: object) -> T:
        """As `_post`, for what takes as long as the history is."""
        with type(self)(self.path, 24 * 3600.0) as patient:
            return patient._post(route, answer, **body)

    def _send(self, method: str, target: str, body: bytes | None = None) -> tuple[http.client.HTTPMessage, bytes]:
        reused = self._connection is not None
        connection = self._connection or Connection(self.path, self._timeout_s)
        self._connection = None
        try:
            response = request(connection, method, target, body)
            data = response.read()
        except (http.client.HTTPException, OSError) as error:
            connection.close()
            # A kept connection that the server closed meanwhile; a read can safely be asked again.
            if reused and method == "GET" and isinstance(error, ConnectionError | http.client.RemoteDisconnected):
                return self._send(method, target, body)
            raise broken(self.path, error) from error
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._connection = connection
        return response.headers, data
