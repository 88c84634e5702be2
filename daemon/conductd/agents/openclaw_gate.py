"""What OpenClaw's provenance gate does with the files of a workspace now: which are left out of the prompt, since when.

Read-only, never raises. The record is `provenance`'s, what it means `core.provenance`'s. Called by `load`, by doctor's
check and by the daemon.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import subdirectories
from conductd.agents.provenance import records
from conductd.core.load.loaded import Why
from conductd.core.load.openclaw_versions import Version
from conductd.core.provenance import UNKNOWN, Effect, Looked, Recorded, effect, is_gated
from conductd.model import Frozen

_MOST = Guard(most=64 * 1024 * 1024)
_NO_RECORD = Looked()


class Standing(Frozen, frozen=True):
    """One file: what stands in it means ``effect``. ``since``: the time of the record in words, "" where it has none.
    ``is_there``: it stands on the disk."""

    path: bytes
    effect: Effect
    record: Recorded | None = None
    since: str = ""
    is_there: bool = True


def gated_files(root: bytes) -> tuple[bytes, ...]:
    """The files of the workspace that the gate can keep out of the prompt, whether they are there or not."""
    users = (b"users/" + os.fsencode(name) + b"/USER.md" for name in subdirectories(os.fsdecode(root) + "/users"))
    return (b"MEMORY.md", b"USER.md", *(path for path in users if is_gated(path)))


def standings(
    root: bytes, state_dir: bytes | None, version: Version | None, paths: Sequence[bytes] | None = None
) -> tuple[Standing, ...]:
    """Those that stand on the disk or have a record, in the order asked. ``state_dir`` None: where OpenClaw keeps its
    record is not known. What cannot be read is `Effect.UNKNOWN`."""
    wanted = [path for path in (gated_files(root) if paths is None else paths) if is_gated(path)]
    looked = looks(root, state_dir, wanted)
    found = (_standing(root, path, looked[path], version) for path in wanted)
    return tuple(each for each in found if each.is_there or each.record is not None)


def looks(root: bytes, state_dir: bytes | None, paths: Sequence[bytes]) -> dict[bytes, Looked]:
    return records(state_dir, root, paths) if state_dir is not None else dict.fromkeys(paths, UNKNOWN)


def _standing(root: bytes, path: bytes, looked: Looked, version: Version | None) -> Standing:
    got = read(os.path.join(os.fsdecode(root), os.fsdecode(path)), _MOST)
    is_there = got.why is not Why.MISSING
    found = effect(path, looked, version, got.data)
    if is_there and got.data is None and found in (Effect.NEUTRAL, Effect.TAINTS) and looked != _NO_RECORD:
        found = Effect.UNKNOWN  # what stands there cannot be read, and so not be compared
    since = said_at(looked.record.at_ms) if looked.record else ""
    return Standing(path, found, looked.record, since, is_there)


def said_at(at_ms: int) -> str:
    """The moment in local time, "" for none, and for one that no calendar has."""
    if at_ms <= 0:
        return ""
    try:
        return datetime.fromtimestamp(at_ms / 1000, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    except (ValueError, OverflowError, OSError):
        return ""
