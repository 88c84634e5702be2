"""uvicorn's h11 protocol with what a private Unix socket needs: the peer, deadlines, JSON refusals.

Owns the life of one connection before a route is known. Refuses a peer that is neither our user nor
root, a connection too many, and a request that is not whole in time. Only used by `api.server`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from conductd.api import peer
from conductd.errors import Busy, ConductdError, NotOurSocket, UsageError

REQUEST_TIMEOUT_S = 10.0
CONNECTIONS = 512


def error_json(error: ConductdError) -> bytes:
    """The one shape of every refusal."""
    told = {"code": error.code, "message": error.message, "hint": error.hint}
    return json.dumps({"error": told}, ensure_ascii=False).encode("utf-8", "replace")


class Protocol(H11Protocol):
    """One connection. `request_timeout_s` runs from its first byte (or the connection) to a request's last."""

    request_timeout_s = REQUEST_TIMEOUT_S
    connection_limit = CONNECTIONS
    _deadline: asyncio.TimerHandle | None = None
    _refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        try:
            other = peer.of(transport.get_extra_info("socket"))
        except OSError:
            other = peer.Peer(0, -1)
        if not peer.trusted(other.uid):
            self._refuse(NotOurSocket("this daemon answers only its own user and root", "run it as the daemon's user"))
            return
        if len(self.connections) > self.connection_limit:
            self._refuse(Busy("too many connections at once", "close some, then try again"))
            return
        self.app_state = {**self.app_state, "peer": other}
        self._await_request()

    def data_received(self, data: bytes) -> None:
        if self._refused:
            return
        if self._deadline is None and self.conn.their_state is h11.IDLE:
            self._await_request()
        super().data_received(data)
        if self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._forget_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_deadline()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.conn.their_state is not h11.SEND_BODY:
            self._forget_deadline()

    def send_400_response(self, msg: str) -> None:
        error = UsageError(f"this is no HTTP/1.1 request: {msg}", "see: conductd help api; or use curl --unix-socket")
        self._refuse(error)

    def _refuse(self, error: ConductdError) -> None:
        """Answer at once, then close; nothing of the request is looked at."""
        self._refused = True
        self._forget_deadline()
        body = error_json(error)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
        ]
        events: list[Any] = [
            h11.Response(status_code=error.status, headers=headers, reason=b""),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ]
        with contextlib.suppress(h11.LocalProtocolError):  # an answer is already under way on this connection
            self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    def _await_request(self) -> None:
        self._deadline = self.loop.call_later(self.request_timeout_s, self._too_slow)

    def _forget_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _too_slow(self) -> None:
        self._deadline = None
        if not self.transport.is_closing():
            self.transport.close()
