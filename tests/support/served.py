"""A real API server on a real socket, answered by the in-memory service."""

from __future__ import annotations

import http.client
import json
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from conductd.api.client import Client
from conductd.api.server import ApiServer
from conductd.faces import Caller
from support.service import FakeService

PATIENCE_S = 20.0


class Served:
    """One running server. `terminal` is what the daemon finds out about its callers."""

    def __init__(self, service: FakeService, path: bytes, terminal: bool, **options: Any) -> None:
        self.service = service
        self.server = ApiServer(
            service,
            path,
            who=lambda pid: Caller((f"{pid} caller", "1 init"), terminal),
            **options,
        )
        self.server.start()
        self.path = path

    def client(self, timeout_s: float = PATIENCE_S) -> Client:
        return Client(self.path, timeout_s)

    def connect(self) -> socket.socket:
        """A bare connection."""
        bare = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        bare.settimeout(PATIENCE_S)
        bare.connect(self.server.path)
        return bare

    def request(
        self, method: str, target: str, body: bytes | None = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """One request as any HTTP program would send it: status, headers (lower case), body."""
        connection = http.client.HTTPConnection("conductd", timeout=PATIENCE_S)
        connection.sock = self.connect()
        try:
            connection.request(method, target, body, headers or {})
            response = connection.getresponse()
            return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()
        finally:
            connection.close()

    def refused(self, method: str, target: str, body: bytes | None = None) -> tuple[int, dict[str, str]]:
        """The status and the error of a request that must be refused."""
        status, headers, data = self.request(method, target, body)
        assert status >= 400, data
        assert headers["content-type"] == "application/json"
        error = json.loads(data)["error"]
        assert set(error) == {"code", "message", "hint"}
        assert error["message"]
        assert error["hint"]
        return status, error


@contextmanager
def serving(
    service: FakeService, directory: str | os.PathLike[str], terminal: bool = False, **options: Any
) -> Iterator[Served]:
    served = Served(service, os.path.join(os.fsencode(directory), b"conductd.sock"), terminal, **options)
    try:
        yield served
    finally:
        if service.hold is not None:
            service.hold.set()
        served.server.stop(1)


def wait_until(condition: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.005)
