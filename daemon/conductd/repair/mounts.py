"""Is this one file the root of a mount, here or in a container of ours?

A container that was given a single file (``-v MEMORY.md:/ws/MEMORY.md``) keeps the inode it
was given: after a swap on the host it goes on reading and writing the old one, for ever. The
host's own mount table does not show that; the container's does, and it can be read through
/proc for our own processes. Linux only; elsewhere the answer is no.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

_ESCAPED = re.compile(rb"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """A line of mountinfo: which device, which part of it, where."""

    mount_id: int
    device: bytes  # "major:minor"
    root: bytes  # path inside the file system
    point: bytes  # path in that process's view


def parse(text: bytes) -> Iterator[Mount]:
    """The mounts in a mountinfo text (proc(5)); lines that are not understood are left out."""
    for line in text.splitlines():
        fields = line.split(b" ")
        if len(fields) < 5 or not fields[0].isdigit():
            continue
        yield Mount(int(fields[0]), fields[2], _unescape(fields[3]), _unescape(fields[4]))


def is_mounted_alone(directory: int, name: bytes, proc: str = "/proc") -> bool:
    """Whether ``name`` in ``directory`` (a descriptor) is itself the root or the place of a mount."""
    try:
        path = os.path.join(os.readlink(f"{proc}/self/fd/{directory}").encode("utf-8", "surrogateescape"), name)
        own = tuple(parse(_read(f"{proc}/self/mountinfo")))
    except OSError:
        return False
    if any(mount.point == path for mount in own):
        return True
    place = _place_on_device(directory, path, own, proc)
    if place is None:
        return False
    device, inside = place
    return any(mount.device == device and mount.root == inside for mount in _all_mounts(own, proc))


def _place_on_device(directory: int, path: bytes, own: tuple[Mount, ...], proc: str) -> tuple[bytes, bytes] | None:
    """The file system and the path inside it, whatever bind mounts lead there."""
    mount_id = _mount_id(directory, proc)
    for mount in own:
        if mount.mount_id == mount_id:
            below = os.path.relpath(path, mount.point)
            if below.startswith(b"../"):
                return None
            return mount.device, os.path.normpath(os.path.join(mount.root, below))
    return None


def _mount_id(directory: int, proc: str) -> int | None:
    for line in _read(f"{proc}/self/fdinfo/{directory}").splitlines():
        if line.startswith(b"mnt_id:"):
            return int(line.split()[1])
    return None


def _all_mounts(own: tuple[Mount, ...], proc: str) -> Iterator[Mount]:
    """Ours, then those of every other mount namespace we can read, each namespace once."""
    yield from own
    seen = {_namespace(f"{proc}/self")}
    for process in os.listdir(proc):
        if not process.isdigit():
            continue
        namespace = _namespace(f"{proc}/{process}")
        if namespace is None or namespace in seen:
            continue
        seen.add(namespace)
        try:
            yield from parse(_read(f"{proc}/{process}/mountinfo"))
        except OSError:
            continue


def _namespace(process: str) -> str | None:
    try:
        return os.readlink(f"{process}/ns/mnt")
    except OSError:
        return None


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _unescape(field: bytes) -> bytes:
    return _ESCAPED.sub(lambda found: bytes([int(found[1], 8)]), field)
