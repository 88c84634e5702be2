"""Record values to compact msgpack rows and back.

Owns what a record looks like inside a frame. A version is a hand-made row: what seldom changes from
one version of a file to the next (workspace, file id, path, device, mode, owner, links) is its
*definition*, written once per segment; the rest are small differences. All other kinds are arrays of their fields in
declared order, compressed against the segment's first record of that kind. Pure; thread-safe.

Adding a field at the end of a model type is compatible (old rows take its default); any other
change of a model type is a new format.
"""

from __future__ import annotations

import functools
import operator
import types
import typing
from typing import Any

import msgspec

from conductd.journal import format as fmt
from conductd.model import (
    RECORD_TYPES,
    UNKNOWN,
    Actor,
    Cause,
    FileStat,
    FileState,
    Frozen,
    Record,
    VersionRecord,
)

STATES = (
    FileState.FILE,
    FileState.ABSENT,
    FileState.UNREADABLE,
    FileState.SYMLINK,
    FileState.OVERSIZE,
    FileState.SPECIAL,
)
CAUSES = (
    Cause.FIRST_SIGHT,
    Cause.OFFLINE,
    Cause.CHANGE,
    Cause.REPAIR,
    Cause.RESTORE,
    Cause.SWAPPED_OUT,
)
_STATE_CODE = {state: code for code, state in enumerate(STATES)}
_CAUSE_CODE = {cause: code for code, cause in enumerate(CAUSES)}
# trailing values equal to these are left out
_DEFAULTS: tuple[Any, ...] = (None, None, 0, 0, None, None, None, None, None, 0, False, None, "", None)

Definition = tuple[str, int, bytes, int, int, int, int, int]
_encode = msgspec.msgpack.Encoder().encode
_decode_any = msgspec.msgpack.Decoder().decode
_decode_definition = msgspec.msgpack.Decoder(Definition).decode


def encode_version(record: VersionRecord, wall: int, seq: int, body: tuple[int, bytes] | None) -> tuple[bytes, bytes]:
    """(definition, row). ``body``: size and digest of the body that travels along."""
    stat = record.stat
    if stat is None:
        definition = _encode((record.workspace, record.file, record.path, 0, 0, 0, 0, 0))
        inode, ctime, mtime, stat_size = None, 0, 0, None
    else:
        definition = _encode(
            (
                record.workspace,
                record.file,
                record.path,
                stat.device,
                stat.mode,
                stat.uid,
                stat.gid,
                stat.nlink,
            )
        )
        inode, ctime, mtime = stat.inode, stat.ctime_ns - wall, stat.mtime_ns - stat.ctime_ns
        stat_size = None if stat.size == record.size else stat.size
    parents: Any = tuple(seq - parent for parent in record.parents)
    if len(parents) == 1:
        parents = parents[0]
    digest: Any = record.digest
    if body is not None:
        if digest is None:
            digest = False
        elif digest == body[1]:
            digest = None
        else:
            raise ValueError("the version's digest is not the body's")
    size = None if record.size == (body[0] if body else 0) else record.size
    actor = None if record.actor == UNKNOWN else (record.actor.name, record.actor.confidence, record.actor.evidence)
    row = [
        _STATE_CODE[record.state] * 16 + _CAUSE_CODE[record.cause],
        inode,
        ctime,
        mtime,
        parents if parents != () else None,
        size,
        digest,
        stat_size,
        actor,
        record.coalesced,
        record.swept,
        record.link_target,
        record.reason,
        record.renamed_from,
    ]
    while len(row) > 1 and row[-1] == _DEFAULTS[len(row) - 1]:
        row.pop()
    return definition, _encode(row)


def decode_version(
    definition: Definition, row: bytes | msgspec.Raw, wall: int, seq: int, body: tuple[int, bytes] | None
) -> VersionRecord:
    values = _decode_any(row)
    values.extend(_DEFAULTS[len(values) :])
    code, inode, ctime, mtime, parents, size, digest, stat_size, actor, coalesced, swept, target, reason, renamed = (
        values[:14]
    )
    if body is not None:
        digest = body[1] if digest is None else (digest or None)
    if size is None:
        size = body[0] if body else 0
    workspace, file, path, device, mode, uid, gid, nlink = definition
    stat = None
    if inode is not None:
        ctime += wall
        stat = FileStat(
            device, inode, mode, uid, gid, nlink, size if stat_size is None else stat_size, mtime + ctime, ctime
        )
    if parents is None:
        parents = ()
    elif isinstance(parents, int):
        parents = (seq - parents,)
    else:
        parents = tuple(seq - parent for parent in parents)
    return VersionRecord(
        workspace,
        file,
        path,
        STATES[code >> 4],
        CAUSES[code & 15],
        digest,
        size,
        stat,
        target,
        reason,
        UNKNOWN if actor is None else Actor(actor[0], actor[1], tuple(actor[2])),
        parents,
        coalesced,
        renamed,
        swept,
    )


def decode_definition(raw: bytes) -> Definition:
    return _decode_definition(raw)


# --------------------------------------------------------------------------- all other kinds


@functools.cache
def _row_type(model: type[Frozen]) -> type[msgspec.Struct]:
    hints = typing.get_type_hints(model)
    fields: list[Any] = []
    for field in msgspec.structs.fields(model):
        mapped = _mapped(hints[field.name])
        if field.default is not msgspec.NODEFAULT:
            default = _default(field.default)
            fields.append((field.name, mapped, default))
        elif field.default_factory is not msgspec.NODEFAULT:
            fields.append((field.name, mapped, msgspec.field(default_factory=field.default_factory)))
        else:
            fields.append((field.name, mapped))
    return msgspec.defstruct(model.__name__ + "Row", fields, array_like=True, frozen=True)


def _default(value: Any) -> Any:
    return msgspec.convert(value, _row_type(type(value)), from_attributes=True) if isinstance(value, Frozen) else value


def _mapped(hint: Any) -> Any:
    if isinstance(hint, type) and issubclass(hint, Frozen):
        return _row_type(hint)
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if not arguments:
        return hint
    mapped = tuple(argument if argument is Ellipsis else _mapped(argument) for argument in arguments)
    if origin in (typing.Union, types.UnionType):
        return functools.reduce(operator.or_, mapped)
    return origin[mapped]


_BY_CODE: dict[int, type[Record]] = {fmt.KINDS[model.kind]: model for model in RECORD_TYPES}


@functools.cache
def _decoder(code: int) -> Any:
    return msgspec.msgpack.Decoder(_row_type(_BY_CODE[code]))


def encode_plain(record: Record) -> bytes:
    """The row of any record that is not a version."""
    return _encode(msgspec.convert(record, _row_type(type(record)), from_attributes=True))


def decode_plain(code: int, row: bytes) -> Record | None:
    """None: a kind this release does not know."""
    model = _BY_CODE.get(code)
    if model is None:
        return None
    return msgspec.convert(_decoder(code).decode(row), model, from_attributes=True)
