"""A mail server on loopback that keeps what it gets."""

from __future__ import annotations

import asyncio
import threading


class Mailbox:
    """``got``: mails as they came, with their headers. ``url``: of a channel that leads here."""

    def __init__(self) -> None:
        self.got: list[bytes] = []
        self._loop = asyncio.new_event_loop()
        self._server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"mailto://127.0.0.1:{port}?from=conductd@example.org&to=you@example.org&mode=insecure"
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 localhost\r\n")
        while line := await reader.readline():
            word = line[:4].upper()
            if word == b"DATA":
                writer.write(b"354 go on\r\n")
                body = b""
                while not body.endswith(b"\r\n.\r\n"):
                    body += await reader.readline()
                self.got.append(body)
                writer.write(b"250 ok\r\n")
            elif word == b"QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 ok\r\n")
        writer.close()

    def __enter__(self) -> Mailbox:
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._server.close()
