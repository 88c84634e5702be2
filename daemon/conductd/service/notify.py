"""What the service manager is told: that the daemon is ready, and that it stops.

systemd's notification protocol (sd_notify(3)) by way of the sdnotify package. Without a
NOTIFY_SOCKET in the environment — a terminal, launchd — nothing happens and nothing is imported.
A service manager that cannot be reached never stops the daemon. Called by `cli.run`.
"""

from __future__ import annotations

import os


def ready(status: str) -> None:
    """Requests are answered and every file was read once. `status` is one line of `systemctl status`."""
    _tell(f"READY=1\nSTATUS={_ascii_line(status)}")


def stopping() -> None:
    """The daemon was asked to end and has closed nothing yet."""
    _tell("STOPPING=1\nSTATUS=stopping")


def _tell(message: str) -> None:
    if not os.environ.get("NOTIFY_SOCKET"):
        return
    from sdnotify import SystemdNotifier

    SystemdNotifier().notify(message)


def _ascii_line(text: str) -> str:
    # The package encodes Latin-1 and drops, in silence, a message that is anything else.
    return " ".join(text.split()).encode("ascii", "replace").decode()
