"""The wire between a test and the daemon process it started: one JSON object a line, each answered.

The socket is one end of a pair that the test made and the process inherited: nobody else can reach
it, and no path has to be short enough.
"""

from __future__ import annotations

import json
import socket
import threading
from typing import Any

import msgspec

from entry.clock import FakeClock
from entry.faults import Fault, Faults


class Control:
    """Answers commands on its own thread until the other end closes. `environ`: what the daemon takes for its own."""

    def __init__(self, fd: int, clock: FakeClock | None, faults: Faults, environ: dict[str, str]) -> None:
        self._socket = socket.socket(fileno=fd)
        self._clock = clock
        self._faults = faults
        self._environ = environ

    def start(self) -> None:
        threading.Thread(target=self._serve, name="test-control", daemon=True).start()

    def _serve(self) -> None:
        with self._socket.makefile("rwb") as stream:
            for line in stream:
                try:
                    answer = self._do(json.loads(line))
                except Exception as error:
                    answer = {"error": f"{type(error).__name__}: {error}"}
                stream.write(json.dumps(answer).encode() + b"\n")
                stream.flush()

    def _do(self, command: dict[str, Any]) -> dict[str, Any]:
        match command.pop("do"):
            case "advance":
                self._needed_clock().advance(command["ns"])
            case "set_wall":
                self._needed_clock().set_wall(command["ns"])
            case "tz":
                self._environ["TZ"] = command["zone"]
            case "fault":
                self._faults.turn_on(msgspec.convert(command, Fault))
            case "clear":
                self._faults.clear()
            case "state":
                pass
            case unknown:
                raise ValueError(f"no command {unknown}")
        return self._state()

    def _needed_clock(self) -> FakeClock:
        if self._clock is None:
            raise ValueError("this daemon runs on the machine's clock")
        return self._clock

    def _state(self) -> dict[str, Any]:
        if self._clock is None:
            return {}
        return {"wall_ns": self._clock.wall_ns(), "mono_ns": self._clock.mono_ns()}
