"""Whether changes are seen: inotify's limits against what is needed, and file systems that send no events. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import Watches, Workspace
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn

_NEAR = 0.8


def _limits(watches: Watches) -> Iterator[Seen]:
    yield from _one(watches, "watches", watches.max_watches, watches.used_watches, watches.needed)
    instances = 0 if watches.daemon_runs else 1
    yield from _one(watches, "instances", watches.max_instances, watches.used_instances, instances)


def _one(watches: Watches, what: str, most: int | None, used: int | None, needed: int | None) -> Iterator[Seen]:
    fix = f"sudo sysctl fs.inotify.max_user_{what}={_next(most or 0, (needed or 0) + (used or 0))}"
    if most is None:
        yield unknown(f"the limit of inotify {what} could not be read")
    elif needed is None:
        yield unknown(f"how many inotify {what} are needed could not be counted")
    elif needed > most:
        yield fail(f"{needed} inotify {what} are needed and {most} allowed", fix)
    elif used is None:
        yield unknown(f"how many inotify {what} other programs take could not be read")
    elif used + (0 if watches.daemon_runs and what == "watches" else needed) > most:
        yield fail(f"{used} inotify {what} are taken, {needed} are needed and {most} allowed", fix)
    elif used + needed > most * _NEAR:
        yield warn(f"{used} inotify {what} are taken, {needed} are needed and {most} allowed: it gets tight", fix)


def _next(most: int, wanted: int) -> int:
    size = max(most, 128)
    while size < 2 * wanted:
        size *= 2
    return size * 2 if size == most else size


def _events(workspace: Workspace) -> Iterator[Seen]:
    if workspace.polls_because:
        yield warn(
            f"{workspace.polls_because}: changes are found by looking every few seconds",
            "keep the workspace on a local disk where you can",
        )
    elif workspace.watched == "polling":
        yield warn("the daemon looks every few seconds instead of being told of changes", "conductd status says why")
    if workspace.fs_type in ("tmpfs", "ramfs"):
        yield warn(f"the workspace is on {workspace.fs_type}: it is gone at the next boot", "keep it on a disk")
    if workspace.synced:
        where = workspace.synced.decode("utf-8", "replace")
        yield ok(f"the workspace lies in a synced folder ({where}): its client writes the files as well")
    if workspace.capabilities:
        yield ok(f"its file system: {', '.join(workspace.capabilities)} (conductd help platforms)")


CHECKS: tuple[Check[Watches], ...] = (
    Check(
        "watch_limits",
        "inotify's limits of watches and instances against what is needed and taken",
        "Over the limit changes are seen only by rescans: states in between are lost, and repairs come late.",
        "inotify's limits leave room",
        _limits,
        (),
        lambda watches: watches.supported is not False,
    ),
)

WORKSPACE: tuple[Check[Workspace], ...] = (
    Check(
        "workspace_place",
        "whether the workspace's file system announces changes and keeps them",
        "Without events a file that is destroyed and written again within seconds leaves no trace of what it was.",
        "the file system announces every change",
        _events,
        ("fs_type", "synced"),
        lambda workspace: workspace.exists and workspace.is_directory,
    ),
)
