"""What OpenClaw's provenance gate does with the files of a workspace now: which are left out of the prompt, since when.

Read-only, never raises. The record is `provenance`'s, what it means `core.provenance`'s. Called by `load`, by doctor's
check and by the daemon.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import subdirectories
from conductd.agents.installed import installed
from conductd.agents.openclaw_settings import located
from conductd.agents.provenance import records
from conductd.core.load.loaded import Why
from conductd.core.load.openclaw_versions import Version, parse_version
from conductd.core.provenance import UNKNOWN, Effect, Looked, Standing, effect, is_gated
from conductd.model import Frozen

_MOST = Guard(most=64 * 1024 * 1024)


class Place(Frozen, frozen=True):
    """Where OpenClaw keeps its record of a workspace. ``is_sure`` False: it is somebody's state directory, and that the
    workspace belongs to it is not known: a record in it counts, that there is none does not."""

    state_dir: bytes | None = None
    is_sure: bool = True


def place_of(root: bytes, env: Mapping[str, str], home: str) -> Place:
    found = located(os.fsdecode(root), env, home)
    if found is None:
        return Place()
    real = os.path.realpath(os.fsdecode(root))
    return Place(os.fsencode(found.state_dir), found.owner is not None or real.startswith(found.state_dir + "/"))


def known_version(configured: str, env: Mapping[str, str]) -> Version | None:
    """The release that is configured, else the installed one; None: which one runs is not known."""
    release = configured or installed("openclaw", ("openclaw",), env)
    return parse_version(release) if release else None


def gated_files(root: bytes) -> tuple[bytes, ...]:
    """The files of the workspace that the gate can keep out of the prompt, whether they are there or not."""
    users = (b"users/" + os.fsencode(name) + b"/USER.md" for name in subdirectories(os.fsdecode(root) + "/users"))
    return (b"MEMORY.md", b"USER.md", *(path for path in users if is_gated(path)))


def standings(
    root: bytes, place: Place, version: Version | None, paths: Sequence[bytes] | None = None
) -> tuple[Standing, ...]:
    """Those that stand on the disk or have a record, in the order asked. What cannot be read is `Effect.UNKNOWN`."""
    wanted = [path for path in (gated_files(root) if paths is None else paths) if is_gated(path)]
    looked = looks(root, place, wanted)
    found = (_standing(root, path, looked[path], version) for path in wanted)
    return tuple(each for each in found if each.is_there or each.record is not None)


def looks(root: bytes, place: Place, paths: Sequence[bytes]) -> dict[bytes, Looked]:
    if place.state_dir is None:
        return dict.fromkeys(paths, UNKNOWN)
    found = records(place.state_dir, root, paths)
    return found if place.is_sure else {path: each if each.record else UNKNOWN for path, each in found.items()}


def _standing(root: bytes, path: bytes, looked: Looked, version: Version | None) -> Standing:
    got = read(os.path.join(os.fsdecode(root), os.fsdecode(path)), _MOST)
    is_there = got.why is not Why.MISSING
    found = effect(path, looked, version, got.data)
    if is_there and got.data is None and looked.record is not None and found is not Effect.UNTRUSTED_ALREADY:
        found = Effect.UNKNOWN  # what stands there cannot be read, and so not be compared
    since = said_at(looked.record.at_ms) if looked.record else ""
    return Standing(path, found, looked.record, since, is_there, looked.is_known)


def said_at(at_ms: int) -> str:
    """The moment in local time, "" for none, and for one that no calendar has."""
    if at_ms <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return ""
