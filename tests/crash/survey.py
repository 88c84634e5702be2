"""What must be true of a daemon's store and workspace whatever happened to the process.

The invariants of the design: what was acknowledged is durable; no watched file changed without a
plan; a second recovery changes nothing that the first did not.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.daemon import Daemon

Json = Any


@dataclass(frozen=True)
class Picture:
    """Everything a second recovery must leave alone."""

    files: dict[str, bytes]
    versions: dict[str, list[tuple[int, str | None]]]
    repairs: list[tuple[int, str]]


def disk(workspace: Path) -> dict[str, bytes]:
    """Every file below the workspace, temporary ones of the daemon included."""
    return {str(path.relative_to(workspace)): path.read_bytes() for path in workspace.rglob("*") if path.is_file()}


def picture(daemon: Daemon, workspace: Path) -> Picture:
    names = sorted({event["path"] for event in daemon.events(kind="version")})
    repairs = daemon.events(kind="repair_done")
    return Picture(
        disk(workspace),
        {name: [(one["seq"], one["digest"]) for one in daemon.versions(workspace / name)] for name in names},
        [(event["seq"], event["data"]["outcome"]) for event in repairs],
    )


def acknowledged(daemon: Daemon, path: Path) -> list[Json]:
    """The versions of a file that the daemon says are recorded, newest first."""
    daemon.sync()
    return daemon.versions(path)


def assert_durable(daemon: Daemon, path: Path, before: list[Json]) -> None:
    """Each acknowledged version is still there under its sequence number, byte for byte."""
    now = {version["seq"]: version for version in daemon.versions(path)}
    for version in before:
        assert version["seq"] in now, f"acknowledged and gone: {version}"
        if version["restorable"]:
            data = daemon.content(path, version["seq"])
            assert hashlib.sha256(data).hexdigest() == version["digest"]


def assert_every_write_was_planned(daemon: Daemon, workspace: Path) -> None:
    """A version that the daemon made has a plan for these bytes, journaled before it, that is done."""
    done = daemon.events(kind="repair_done")
    for name in {event["path"] for event in daemon.events(kind="version")}:
        for version in daemon.versions(workspace / name):
            if version["cause"] in ("repair", "restore"):
                plans = [one["data"] for one in done if one["path"] == name and one["data"]["plan"] < version["seq"]]
                assert any(plan["digest"] == version["digest"] for plan in plans), version


def assert_whole_store(daemon: Daemon) -> None:
    """`verify` finds no damage in the journal."""
    lines = daemon.api.call("POST", "/v1/verify").decode().splitlines()
    assert '"ok":true' in lines[-1].replace(" ", ""), lines[-1]
