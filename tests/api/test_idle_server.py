"""A server that nobody asks for anything sleeps: it sets no timer for itself."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

from uvicorn import Config

from conductd.api.server import _Server


class Counting(asyncio.SelectorEventLoop):
    """A loop that keeps what timers it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.timers: list[float] = []

    def call_at(  # type: ignore[override]  # the arguments are only passed on
        self, when: float, callback: Any, *args: Any, context: Any = None
    ) -> asyncio.TimerHandle:
        self.timers.append(when)
        return super().call_at(when, callback, *args, context=context)


def test_it_waits_without_a_timer_and_ends_when_it_is_told() -> None:
    loop = Counting()

    async def serve() -> list[float]:
        server = _Server(Config("none:none", log_config=None), threading.Event())
        waiting = asyncio.ensure_future(server.main_loop())
        for _ in range(10):
            await asyncio.sleep(0)  # lets it come to rest; sets no timer either
        timers, asleep = list(loop.timers), not waiting.done()
        server.end()
        await waiting
        assert asleep
        assert server.should_exit
        return timers

    try:
        assert loop.run_until_complete(serve()) == []
    finally:
        loop.close()
