"""Runs the API: one thread, one asyncio loop, one Unix socket.

asyncio lives here and nowhere else in the daemon. `start` returns when requests are answered (so
that READY is true), `stop` when the socket is gone. Called by the composition root.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
import time
from collections.abc import Callable, Mapping

import uvicorn

from conductd.api.endpoints import Faces, application
from conductd.api.listener import Listener
from conductd.api.protocol import REQUEST_TIMEOUT_S, Protocol
from conductd.api.streams import KEEP_ALIVE_S
from conductd.errors import ConductdError
from conductd.faces import Caller, Service
from conductd.watch.ancestry import asker

logger = logging.getLogger("conductd.api")

HEAD_LIMIT = 32 * 1024
IDLE_S = 30
START_TIMEOUT_S = 30.0
LOOK_S = 2.0  # whether the socket's file is still there
STUCK_S = 60.0  # a loop that has not come round for so long serves nobody


class ApiServer:
    """The API of one daemon.

    `who` says whose process a number is; it is asked in worker threads, for acts only.
    """

    def __init__(
        self,
        service: Service,
        socket_path: bytes | str,
        *,
        who: Callable[[int], Caller],
        environ: Mapping[str, str] | None = None,
        request_timeout_s: float = REQUEST_TIMEOUT_S,
        keep_alive_s: float = KEEP_ALIVE_S,
    ) -> None:
        self._service = service
        self._wished = os.path.abspath(os.fsencode(socket_path))
        self._who = who
        self._environ = os.environ if environ is None else environ
        self._request_timeout_s = request_timeout_s
        self._keep_alive_s = keep_alive_s
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server: _Server | None = None
        self._faces: Faces | None = None
        self._failed = False
        self._round = time.monotonic()  # when the loop last came round

    @property
    def path(self) -> bytes:
        """Where the socket really is (a short place when the wished path is too long)."""
        return self._wished if self._listener is None else self._listener.path

    @property
    def alive(self) -> bool:
        """Whether the thread still serves and its loop gets on; false after a failure, before `start`, after `stop`."""
        serves = self._thread is not None and self._thread.is_alive() and not self._failed
        return serves and time.monotonic() - self._round < STUCK_S

    def start(self) -> None:
        """Bind and serve. Raises AlreadyRunning, NotOurSocket, UsageError; then nothing was started."""
        self._listener = Listener(self._wished, self._environ)
        self._thread = threading.Thread(target=self._run, args=(self._listener.socket,), name="api", daemon=True)
        self._thread.start()
        if not self._ready.wait(START_TIMEOUT_S) or self._failed:
            self.stop(0)
            raise ConductdError("the API could not start", "the daemon's log says why")

    def stop(self, grace_s: float = 5.0) -> None:
        """End streams, let running requests finish for `grace_s`, then cut them. Safe to call twice."""
        loop, thread = self._loop, self._thread
        if loop is not None and thread is not None and thread.is_alive():
            try:
                loop.call_soon_threadsafe(self._stop_on_loop, grace_s)
            except RuntimeError:
                logger.debug("the loop had ended already")
            thread.join(grace_s + 5.0)
        if self._listener is not None:
            self._listener.close()

    def _stop_on_loop(self, grace_s: float) -> None:
        if self._server is not None:
            self._server.config.timeout_graceful_shutdown = max(1, round(grace_s))
            self._server.end()
        if self._faces is not None:
            self._faces.stop_streams()

    def _run(self, listening: socket.socket) -> None:
        try:
            asyncio.run(self._serve(listening))
        except BaseException:
            self._failed = True
            logger.exception("the API thread failed")
        finally:
            self._ready.set()

    async def _serve(self, listening: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._faces = Faces(self._service, self._who, self._keep_alive_s)
        protocol = type("ConfiguredProtocol", (Protocol,), {"request_timeout_s": self._request_timeout_s})
        config = uvicorn.Config(
            application(self._faces),
            http=protocol,
            ws="none",
            loop="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_keep_alive=IDLE_S,
            h11_max_incomplete_event_size=HEAD_LIMIT,
        )
        self._server = _Server(config, self._ready)
        keeping = asyncio.create_task(self._keep_bound(self._server))
        try:
            await self._server.serve(sockets=[listening])
        finally:
            keeping.cancel()

    async def _keep_bound(self, server: _Server) -> None:
        """A socket's file that was removed is made anew; open connections go on meanwhile."""
        told = False
        while True:
            self._round = time.monotonic()
            await asyncio.sleep(LOOK_S)
            listener = self._listener
            if listener is None or listener.is_there or not server.started or server.should_exit:
                continue
            try:
                # In a thread of its own: it may wait for another daemon that looks at the same place.
                self._listener = await asyncio.to_thread(Listener, self._wished, self._environ)
            except (ConductdError, OSError) as error:
                if not told:
                    logger.warning("the socket was removed and cannot be made again: %s", error)
                told = True
                continue
            await server.listen_instead(self._listener.socket)
            logger.warning("the socket was removed; it was made again")
            told = False


class _Server(uvicorn.Server):
    """Says when it listens. (Signals stay with the main thread: uvicorn takes them only there.)"""

    def __init__(self, config: uvicorn.Config, ready: threading.Event) -> None:
        super().__init__(config)
        self._ready = ready
        self._over = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready.set()

    async def main_loop(self) -> None:
        """Sleep until it is over. uvicorn's own looks ten times a second: nine of ten wake-ups of an idle daemon."""
        await self.on_tick(0)
        await self._over.wait()

    def end(self) -> None:
        """Take no more connections, then finish. On the loop only."""
        self.should_exit = True
        self._over.set()

    async def listen_instead(self, bound: socket.socket) -> None:
        """Take connections from this socket, and none from the one before."""
        config, state = self.config, self.server_state
        make = config.http_protocol_class
        old, self.servers = self.servers, []
        self.servers.append(
            await asyncio.get_running_loop().create_server(
                lambda: make(config=config, server_state=state, app_state=self.lifespan.state),  # type: ignore[call-arg]
                sock=bound,
                backlog=config.backlog,
            )
        )
        for each in old:
            each.close()


def face(service: Service, socket_path: str) -> ApiServer:
    """The server as the daemon runs it: callers are looked up in the process table."""
    return ApiServer(service, socket_path, who=asker)
