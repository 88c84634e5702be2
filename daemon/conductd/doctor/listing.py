"""What stands in a workspace: the names in its root and where memory is kept, links as links. Read-only."""

from __future__ import annotations

import os
import stat
from collections import defaultdict
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from conductd.core.doctor.facts import Entry, Kind, Leads
from conductd.core.roles import Table, classify
from conductd.watch.watchset import SKIPPED

MOST = 20_000
_DEEP = 32
_NEVER = SKIPPED | {b".openclaw-repair"}
# Directories of rules that agents keep beside the memory.
_RULES = (
    b".claude", b".claude/rules", b".cursor/rules", b".github", b".github/instructions", b".windsurf/rules",
    b".devin/rules", b".agents/rules", b".agent/rules", b".clinerules", b"memories",
)  # fmt: skip


def listed(
    root: bytes, roles: Table, trees: Iterable[bytes], exact: Iterable[str] = ()
) -> tuple[tuple[Entry, ...] | None, bool]:
    """The entries by path, and whether there are more than were looked at. None: the root cannot be listed.

    ``trees``: directories with all below. ``exact``: paths that agents open; what holds them is looked into.
    """
    try:
        os.listdir(root)
    except OSError:
        return None, False
    above = {os.path.dirname(name.encode("utf-8", "surrogateescape")) for name in exact}
    flat = [b"", *sorted({*_RULES, *above} - {b""})]
    found: dict[bytes, Entry] = {}
    for path in _paths(root, flat, list(trees)):
        if len(found) >= MOST:
            return _with_others(found), True
        if path not in found:
            entry = _entry(root, path, roles)
            if entry is not None:
                found[path] = entry
    return _with_others(found), False


def _paths(root: bytes, flat: list[bytes], trees: list[bytes]) -> Iterator[bytes]:
    for directory in flat:
        yield from _names(root, directory)
    for tree in trees:
        waiting = [(tree, 0)]
        while waiting:
            directory, depth = waiting.pop()
            for path in _names(root, directory):
                yield path
                name = path.rpartition(b"/")[2]
                if depth < _DEEP and name not in _NEVER and _is_directory(os.path.join(root, path)):
                    waiting.append((path, depth + 1))


def _names(root: bytes, directory: bytes) -> list[bytes]:
    """Paths right below; none where a step on the way is a link."""
    place = os.path.join(root, directory) if directory else root
    steps = directory.split(b"/") if directory else []
    if any(os.path.islink(os.path.join(root, *steps[: count + 1])) for count in range(len(steps))):
        return []
    try:
        return sorted(os.path.join(directory, name) if directory else name for name in os.listdir(place))
    except OSError:
        return []


def _is_directory(path: bytes) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _entry(root: bytes, path: bytes, roles: Table) -> Entry | None:
    place = os.path.join(root, path)
    try:
        seen = os.lstat(place)
    except OSError:
        return None
    kind = _kind(seen.st_mode)
    role = classify(path, profile=roles) if kind is not Kind.DIRECTORY else None
    entry = Entry(
        path,
        kind,
        role,
        seen.st_size,
        stat.S_IMODE(seen.st_mode),
        seen.st_uid,
        seen.st_nlink if kind is Kind.FILE else 1,
        seen.st_dev,
        seen.st_ino,
        seen.st_mtime_ns,
    )
    if kind is Kind.LINK:
        return _behind(root, entry, place)
    if role is not None or kind is Kind.DIRECTORY:
        return replace(entry, readable=_may(place, os.R_OK), writable=_may(place, os.W_OK))
    return entry


def _behind(root: bytes, entry: Entry, place: bytes) -> Entry:
    try:
        target = os.readlink(place)
    except OSError:
        return entry
    try:
        seen = os.stat(place)
    except (OSError, ValueError):
        return replace(entry, target=target, leads=Leads.NOWHERE)
    leads = {Kind.FILE: Leads.FILE, Kind.DIRECTORY: Leads.DIRECTORY}.get(_kind(seen.st_mode), Leads.OTHER)
    real, base = os.path.realpath(place), os.path.realpath(root).rstrip(b"/") + b"/"
    inside = (real + b"/").startswith(base)
    return replace(entry, target=target, leads=leads, inside=inside, real=real[len(base) :] if inside else b"")


def _kind(mode: int) -> Kind:
    if stat.S_ISLNK(mode):
        return Kind.LINK
    if stat.S_ISREG(mode):
        return Kind.FILE
    return Kind.DIRECTORY if stat.S_ISDIR(mode) else Kind.OTHER


def _may(path: bytes, how: int) -> bool:
    return os.access(path, how, effective_ids=os.access in os.supports_effective_ids)


def _with_others(found: dict[bytes, Entry]) -> tuple[Entry, ...]:
    """Each file with the other names it has here."""
    same: dict[tuple[int, int], list[bytes]] = defaultdict(list)
    for each in found.values():
        if each.kind is Kind.FILE and each.nlink > 1:
            same[each.device, each.inode].append(each.path)
    return tuple(
        replace(each, others=tuple(name for name in same[each.device, each.inode] if name != each.path))
        if each.kind is Kind.FILE and each.nlink > 1
        else each
        for each in found.values()
    )
