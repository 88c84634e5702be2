"""A web server on loopback that keeps what it gets."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Receiver:
    """``got``: headers and bodies of what was posted, ``heard``: paths that were asked for. ``answer``: the status it
    gives; ``hold``: it answers when this is set."""

    def __init__(self, port: int = 0) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.heard: list[str] = []
        self.begun = 0  # requests, answered or not
        self.answer = 200
        self.hold: threading.Event | None = None
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.heard.append(self.path)
                self._answer()

            def do_POST(self) -> None:
                outer.begun += 1
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                if outer.hold is not None:
                    outer.hold.wait(60)
                outer.got.append((dict(self.headers), body))
                self._answer()

            def _answer(self) -> None:
                if outer.hold is not None:
                    outer.hold.wait(60)
                with contextlib.suppress(OSError):
                    self.send_response(outer.answer)
                    if outer.answer == 302:
                        self.send_header("Location", "/elsewhere")
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, body in self.got]

    def __enter__(self) -> Receiver:
        return self

    def __exit__(self, *_: object) -> None:
        if self.hold is not None:
            self.hold.set()
        self.server.shutdown()
        self.server.server_close()
