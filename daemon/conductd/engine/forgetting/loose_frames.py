"""Frames in the files of a journal that are no record of it: left by failed writes, crashes, an interrupted erasure.

Reads the files themselves; decodes what can be decoded. Called by `forget --check` only.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress

from conductd.errors import ContentUnavailable, StoreDamaged
from conductd.journal import content
from conductd.journal import entry as ent
from conductd.journal import format as fmt
from conductd.journal.format import Bad, SegmentHeader
from conductd.journal.journal import Journal
from conductd.journal.scan import walk
from conductd.journal.segment import unpack_index


def loose_bodies(journal: Journal, directory: str) -> Iterator[tuple[str, str, bytes | None]]:
    """(file, what it is, bytes); None: bytes that cannot be decoded."""
    with suppress(FileNotFoundError):
        for name in sorted(os.listdir(directory)):
            with suppress(OSError), open(os.path.join(directory, name), "rb") as file:
                data = file.read(fmt.DATA_START)
                header, _ = fmt.unpack_header(data)
                if header is None:
                    continue
                fd = file.fileno()

                def read(size: int, offset: int, fd: int = fd) -> bytes:
                    return os.pread(fd, size, offset)

                limit = os.fstat(fd).st_size
                if fmt.unpack_trailer(read(fmt.TRAILER_SIZE, limit - fmt.TRAILER_SIZE), header.seed) is not None:
                    limit -= fmt.TRAILER_SIZE
                held = journal.holds_records(name)
                for what, body in _frames(journal, header, read, limit, held):
                    yield name, what, body


def _frames(
    journal: Journal, header: SegmentHeader, read: object, limit: int, held: range
) -> Iterator[tuple[str, bytes | None]]:
    definitions = ent.Definitions()
    bodies: dict[int, bytes] = {}
    for item in walk(read, fmt.DATA_START, limit, header.seed):  # type: ignore[arg-type]
        if isinstance(item, Bad):
            yield f"{item.end - item.offset} bytes at {item.offset} are damaged", None
            continue
        data = read(item.content_size, item.content) if item.content_size else b""  # type: ignore[operator]
        try:
            if item.type in (fmt.DEFINITIONS, fmt.WAYPOINT):
                definitions.raw.update(ent.definitions_of(item))
            elif item.type == fmt.INDEX:
                for raw in unpack_index(header.first_seq, data).definitions.raw.values():
                    yield f"the index at {item.offset}", raw
            if item.type != fmt.RECORD:
                yield f"a frame at {item.offset}", item.header
                continue
            entry = ent.take_apart(item, header)
            if entry.seq in held:
                continue
            with suppress(*ent.DECODE_ERRORS):
                yield f"a loose record at {item.offset}", ent.plain_row(entry, definitions)
            if entry.digest is None:
                continue
            body = _body(journal, entry, data, bodies)
        except (*ent.DECODE_ERRORS, StoreDamaged, ContentUnavailable):
            yield f"a frame at {item.offset} cannot be decoded", None
            continue
        bodies[entry.seq] = body
        yield f"a loose record at {item.offset}", body


def _body(journal: Journal, entry: ent.Entry, data: bytes, bodies: dict[int, bytes]) -> bytes:
    if entry.head.base == content.RAW:
        return data
    base = None
    if entry.base_seq is not None:
        base = bodies[entry.base_seq] if entry.base_seq in bodies else journal.body(entry.base_seq)
    return content.decompress(data, entry.head.size, base)
