"""Whether git keeps certain bytes, by looking into its object store: loose objects, pack indexes, the index.

Reads only, runs no git, decompresses nothing: a blob's name is the hash of its bytes. That a blob is
there says that git has been given these bytes once, not that a branch leads to them.

Sources: gitformat-pack(5) (version 2 of the pack index), gitformat-index(5).
"""

from __future__ import annotations

import hashlib
import mmap
import os
from collections.abc import Iterator

from conductd.model import FileStat
from conductd.watch.git import Look
from conductd.watch.plain_file import open_plain

MOST_PACKS = 256
MOST_INDEX_BYTES = 64 * 1024 * 1024
_IDX2 = b"\xfftOc\x00\x00\x00\x02"
_FANOUT = 8
_NAMES = _FANOUT + 256 * 4
_SHA1, _SHA256 = 20, 32
_INDEX_HEADER, _NAME_AT, _ENTRY = 12, 40, 42  # before a name; then two bytes of flags


def is_gits(seen: Look, path: bytes, data: bytes, stat: FileStat | None, written_ns: int) -> bool:
    """Whether git brought these bytes to ``path`` (from the top of the work tree): it had them before they were
    written. What somebody else wrote comes to git afterwards, with `git add`.

    ``stat``: of the file, where these are the bytes that stand there; the index then tells also what a filter or
    another line end made of a blob."""
    if seen.directory is None:
        return False
    if has(seen.common, data, written_ns):
        return True
    name = None if stat is None else _in_index(seen.directory, path, stat, seen.common)
    return name is not None and _has(seen.common, name, written_ns)


def has(common: bytes, data: bytes, until_ns: int) -> bool:
    """Whether git has had a blob of these bytes since ``until_ns`` or longer, also with other line ends."""
    return any(_has(common, name, until_ns) for name in blob_names(common, data))


def blob_names(common: bytes, data: bytes) -> tuple[bytes, ...]:
    """What git would call these bytes, also with the line ends it stores."""
    size = _name_size(common)
    texts = (data, data.replace(b"\r\n", b"\n")) if b"\r\n" in data else (data,)
    return tuple(_blob_name(text, size) for text in texts)


def _in_index(directory: bytes, path: bytes, stat: FileStat, common: bytes) -> bytes | None:
    """The name of the blob that the index holds for ``path``, if it knows the file with this size and time stamp."""
    try:
        with open_plain(os.path.join(directory, b"index")) as file:
            index = file.read(MOST_INDEX_BYTES)
    except OSError:
        return None
    size = _name_size(common)
    at = -1
    while (at := index.find(path + b"\0", at + 1)) >= 0:
        for start in (at - _ENTRY - size, at - _ENTRY - size - 2):  # without and with further flags
            if start < _INDEX_HEADER:
                continue
            changed_ns = _number(index, start + 8) * 1_000_000_000 + _number(index, start + 12)
            if changed_ns == stat.mtime_ns and _number(index, start + 36) == stat.size:
                return index[start + _NAME_AT : start + _NAME_AT + size]
    return None


def _number(data: bytes, at: int) -> int:
    return int.from_bytes(data[at : at + 4], "big")


def _name_size(common: bytes) -> int:
    try:
        with open_plain(os.path.join(common, b"config")) as file:
            config = file.read(65_536).lower()
    except OSError:
        return _SHA1
    return _SHA256 if b"objectformat" in config and b"sha256" in config else _SHA1


def _blob_name(data: bytes, size: int) -> bytes:
    header = b"blob %d\0" % len(data)
    if size == _SHA256:
        return hashlib.sha256(header + data).digest()
    return hashlib.sha1(header + data, usedforsecurity=False).digest()


def _has(common: bytes, name: bytes, until_ns: int) -> bool:
    """Packs tell no time of a single object; a pack that was made after ``until_ns`` does not count."""
    for store in _stores(common):
        loose = os.path.join(store, name[:1].hex().encode(), name[1:].hex().encode())
        try:
            made_ns = os.lstat(loose).st_mtime_ns
        except OSError:
            if any(_holds(pack, name) for pack in _packs(store, until_ns)):
                return True
            continue
        if made_ns <= until_ns:  # `git add` makes one, or renews its time stamp
            return True
    return False


def _stores(common: bytes) -> Iterator[bytes]:
    """The repository's own objects, and those of the repositories that it borrows from."""
    own = os.path.join(common, b"objects")
    yield own
    try:
        with open_plain(os.path.join(own, b"info/alternates")) as file:
            lines = file.read(65_536).splitlines()
    except OSError:
        return
    for line in lines:
        if line and not line.startswith(b"#"):
            yield os.path.normpath(os.path.join(own, line))


def _packs(store: bytes, until_ns: int) -> list[bytes]:
    directory = os.path.join(store, b"pack")
    try:
        with os.scandir(directory) as entries:
            found = [e.path for e in entries if e.name.endswith(b".idx") and e.stat().st_mtime_ns <= until_ns]
    except OSError:
        return []
    return sorted(found)[:MOST_PACKS]


def _holds(idx: bytes, name: bytes) -> bool:
    """Look an object's name up in a pack index: its fan-out table, then by halves."""
    try:
        with open_plain(idx) as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as table:
            if table[: len(_IDX2)] != _IDX2:
                return False
            first = name[0]
            low = int.from_bytes(table[_FANOUT + 4 * (first - 1) : _FANOUT + 4 * first], "big") if first else 0
            high = int.from_bytes(table[_FANOUT + 4 * first : _FANOUT + 4 * first + 4], "big")
            while low < high:
                middle = (low + high) // 2
                there = table[_NAMES + middle * len(name) : _NAMES + (middle + 1) * len(name)]
                if there == name:
                    return True
                low, high = (middle + 1, high) if there < name else (low, middle)
    except (OSError, ValueError):
        return False
    return False
