"""Long answers: the event stream (SSE) and jobs that tell their progress (lines of JSON).

A stream first pages through the journal from where the client was, then follows the live events.
A reader that does not read loses live events (it is told so by `gap`) and after a while its
connection; it never holds up the recorder, the loop or another reader.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from typing import Any

from starlette.types import Message, Receive, Scope, Send

from conductd.api.lanes import Lane, Lanes
from conductd.api.protocol import error_json
from conductd.errors import Busy, ConductdError
from conductd.faces import Events, Service
from conductd.views import EventView, encoded

logger = logging.getLogger("conductd.api")

STREAMS = 32
JOBS = 2
KEEP_ALIVE_S = 15.0
STALLED_S = 60.0  # an unread connection holds one of few places no longer than this
PAGE = 500

INTERNAL = ConductdError("the daemon failed on this request", "its log says why; please report it")


class Places:
    """How many long answers of a kind may run. Used on the loop only."""

    def __init__(self, count: int, full: str, hint: str) -> None:
        self._free = count
        self._full, self._hint = full, hint

    def take(self) -> None:
        if self._free == 0:
            raise Busy(self._full, self._hint)
        self._free -= 1

    def give_back(self) -> None:
        self._free += 1


class Wake:
    """An event that any thread may set; many settings between two looks cost one."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._event = asyncio.Event()
        self._set = False

    def from_thread(self) -> None:
        if self._set:
            return
        self._set = True
        try:
            self._loop.call_soon_threadsafe(self._event.set)
        except RuntimeError:  # the loop has ended; the recorder must not hear of it
            return

    def on_loop(self) -> None:
        self._event.set()

    async def wait(self, timeout_s: float) -> bool:
        """False when nothing happened in time."""
        try:
            await asyncio.wait_for(self._event.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    def clear(self) -> None:
        """Call before looking: what comes after the look sets it again."""
        self._event.clear()
        self._set = False


class Stream:
    """What both kinds share: start, send with a limit on patience, notice that the client left."""

    def __init__(self, media: bytes, stopping: asyncio.Event) -> None:
        self._media = media
        self._stopping = stopping
        self._gone = False

    async def _start(self, send: Send) -> None:
        headers = [(b"content-type", self._media), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})

    async def _write(self, send: Send, data: bytes, more: bool = True) -> None:
        message: Message = {"type": "http.response.body", "body": data, "more_body": more}
        try:
            await asyncio.wait_for(send(message), STALLED_S)
        except TimeoutError:
            self._gone = True

    async def _watch_leaving(self, receive: Receive, wake: Callable[[], None]) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._gone = True
        wake()

    @property
    def _over(self) -> bool:
        return self._gone or self._stopping.is_set()


class EventStream(Stream):
    """One client of `/v1/events`. Make it with a place already taken; it gives the place back."""

    def __init__(
        self,
        service: Service,
        events: Events,
        since: int | None,
        lanes: Lanes,
        places: Places,
        stopping: asyncio.Event,
        wakes: set[Wake],
        keep_alive_s: float,
    ) -> None:
        super().__init__(b"text/event-stream", stopping)
        self._service, self._events, self._lanes, self._places = service, events, lanes, places
        self._behind = since is not None
        self._last = since or 0
        self._wakes = wakes
        self._keep_alive_s = keep_alive_s
        self._wake = Wake()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        self._wakes.add(self._wake)
        watch = asyncio.create_task(self._watch_leaving(receive, self._wake.on_loop))
        try:
            self._events.set_wakeup(self._wake.from_thread)
            await self._start(send)
            await self._write(send, b": conductd\nretry: 1000\n\n")
            self._wake.on_loop()  # what came between the subscription and now
            await self._follow(send)
            if not self._gone:
                await self._write(send, b"", more=False)
        finally:
            watch.cancel()
            self._wakes.discard(self._wake)
            self._places.give_back()
            await self._lanes.run(Lane.STREAM, self._events.close)

    async def _follow(self, send: Send) -> None:
        while not self._over:
            if self._behind:
                await self._catch_up(send)
                continue
            if not await self._wake.wait(self._keep_alive_s):
                await self._write(send, b": still here\n\n")
                continue
            self._wake.clear()
            await self._send_live(send, self._events.drain())

    async def _catch_up(self, send: Send) -> None:
        """One page from the journal; when there is none left, live events go on from there."""
        page = await self._lanes.run(Lane.STREAM, lambda: self._service.log(self._last, PAGE))
        if page:
            self._last = max(self._last, page[-1].seq)
            await self._write(send, b"".join(map(encode_event, page)))
        if len(page) < PAGE:
            self._wake.clear()
            live = self._events.drain()
            # What overflowed while we were paging is in the journal: page on instead of telling of a gap.
            if not any(event.kind == "gap" for event in live):
                self._behind = False
                await self._send_live(send, live)

    async def _send_live(self, send: Send, events: list[EventView]) -> None:
        new = [event for event in events if event.kind == "gap" or event.seq > self._last]
        if not new:
            return
        self._last = max(self._last, new[-1].seq)
        await self._write(send, b"".join(map(encode_event, new)))


def encode_event(event: EventView) -> bytes:
    """A gap has no id: a client that reconnects with its last id is given what it missed."""
    data = encoded(event)
    if event.kind == "gap":
        return b"event: gap\ndata: %b\n\n" % data
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (event.seq, event.kind.encode(), data)


class Job(Stream):
    """A generator run step by step in the job lane, each step sent as one line of JSON."""

    def __init__(self, steps: Iterator[dict[str, Any]], lanes: Lanes, places: Places, stopping: asyncio.Event) -> None:
        super().__init__(b"application/x-ndjson", stopping)
        self._steps, self._lanes, self._places = steps, lanes, places

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        watch = asyncio.create_task(self._watch_leaving(receive, lambda: None))
        try:
            await self._start(send)
            while not self._over:
                line = await self._lanes.run(Lane.JOB, self._step)
                if line is None:
                    break
                await self._write(send, line)
            if not self._gone:
                await self._write(send, b"", more=False)
        finally:
            watch.cancel()
            self._places.give_back()
            await self._lanes.run(Lane.JOB, self._close)

    def _step(self) -> bytes | None:
        try:
            step = next(self._steps, None)
        except ConductdError as error:
            return error_json(error) + b"\n"
        except Exception:
            logger.exception("a job failed")
            return error_json(INTERNAL) + b"\n"
        return None if step is None else encoded(step) + b"\n"

    def _close(self) -> None:
        close = getattr(self._steps, "close", None)
        if close is not None:
            close()
