"""A session bus of a test's own, and on it somebody who shows notices and remembers them."""

from __future__ import annotations

import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from jeepney import MessageType, new_error, new_method_return
from jeepney.bus_messages import message_bus
from jeepney.io.blocking import open_dbus_connection

NAME = "org.freedesktop.Notifications"
NEEDED = ("dbus-daemon",)
_CONFIG = """<busconfig>
  <type>session</type>
  <listen>unix:path={path}</listen>
  <policy context="default"><allow send_destination="*"/><allow receive_sender="*"/><allow own="*"/></policy>
</busconfig>
"""


class Shown(NamedTuple):
    """What a person sees. ``urgency``: 0 low, 1 normal, 2 critical; None: it was not said."""

    app: str
    title: str
    body: str
    urgency: int | None


def missing() -> list[str]:
    """Programs that are needed and not there."""
    return [each for each in NEEDED if shutil.which(each) is None]


@contextmanager
def session_bus(directory: Path) -> Iterator[str]:
    """Its address."""
    path, config = directory / "bus", directory / "bus.conf"
    config.write_text(_CONFIG.format(path=path))
    command = ["dbus-daemon", f"--config-file={config}", "--nofork", "--nopidfile", "--print-address"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


@contextmanager
def desktop(address: str) -> Iterator[list[Shown]]:
    """Shows what it is told to, as far as `org.freedesktop.Notifications` asks for it; what was shown, in order."""
    shown: list[Shown] = []
    connection = open_dbus_connection(address)
    reply = connection.send_and_get_reply(message_bus.RequestName(NAME), timeout=20)
    assert reply.body == (1,), "nobody else shows notices on this bus"

    def serve() -> None:
        while True:
            try:
                message = connection.receive()
            except (ConnectionError, OSError, EOFError):
                return
            if message.header.message_type is MessageType.method_call:
                connection.send(_answer(message, shown))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield shown
    finally:
        connection.sock.shutdown(2)
        thread.join(10)
        connection.close()


def _answer(message: Any, shown: list[Shown]) -> Any:
    match message.header.fields.get(3):  # the member
        case "Notify":
            app, _replaces, _icon, title, body, _actions, hints, _expires = message.body
            shown.append(Shown(app, title, body, hints["urgency"][1] if "urgency" in hints else None))
            return new_method_return(message, "u", (len(shown),))
        case "GetServerInformation":
            return new_method_return(message, "ssss", ("stub", "conductd", "1", "1.2"))
        case "GetCapabilities":
            return new_method_return(message, "as", (["body"],))
        case "Hello" | "Ping":
            return new_method_return(message)
        case _:
            return new_error(message, "org.freedesktop.DBus.Error.UnknownMethod")
