"""Sentences for what the watcher cannot do. Pure."""

from __future__ import annotations

import errno
import os

from conductd.watch.hints import Degraded


def by_refusal(error: OSError, poll_s: float) -> Degraded:
    """The system refused an inotify instance or a watch; names the setting to raise."""
    meanwhile = f"what is not watched is compared every {poll_s:g} s instead"
    if error.errno == errno.ENOSPC:
        return Degraded(
            "watch_limit",
            f"the limit of inotify watches is reached; {meanwhile}",
            "raise it: sysctl fs.inotify.max_user_watches=1048576 (and keep it in /etc/sysctl.d)",
        )
    if error.errno == errno.EMFILE:
        return Degraded(
            "instance_limit",
            f"the limit of inotify instances is reached; {meanwhile}",
            "raise it: sysctl fs.inotify.max_user_instances=1024 (and keep it in /etc/sysctl.d)",
        )
    why = os.strerror(error.errno) if error.errno else str(error)
    return Degraded("no_backend", f"the system gives no file events ({why}); {meanwhile}", "see the log for the cause")


def by_mount(root: bytes, why: str, poll_s: float) -> Degraded:
    """A root whose file system keeps changes to itself."""
    return Degraded(
        "no_events",
        f"{os.fsdecode(root)!r} is compared every {poll_s:g} s: {why}",
        "states that last less than that are not recorded; a local file system has no such gap",
        root,
    )


def by_fault(error: Exception) -> Degraded:
    """A fault of our own while an event was handled; a rescan follows."""
    return Degraded(
        "watcher_failed",
        f"the watcher met an internal fault ({type(error).__name__}: {error}); what it missed is found by a rescan",
        "please report it with the log of the daemon",
    )


def by_dead_backend(poll_s: float) -> Degraded:
    """The thread that reads events has ended; it is started again later."""
    return Degraded(
        "watcher_stopped",
        f"the thread that reads file events has ended; everything is compared every {poll_s:g} s",
        "it is started again within a minute; a restart of the daemon does it now",
    )
