"""What a judgement was given that the history does not tell: kept with its verdict, so that it can be judged again.

Owns the choice of what is kept and its form (msgpack, in `ChangeRecord.inputs`). Everything else of a case is
worked out anew from the journal. Pure; called where a change record is made, and by replay.
"""

from __future__ import annotations

from typing import Any, get_type_hints

import msgspec

from conductd.core.case import Case

# What stood around the file in that moment, and what the configuration then said of its writer. A test holds these and
# `FROM_HISTORY` to the fields of a case: a new one must be in either.
KEPT = (
    "role",
    "git",
    "provenance",
    "leased",
    "retention",
    "consolidator",
    "append_only_writer",
    "parent_missing",
    "renamed_from",
    "renamed_to",
    "pinned",
    "max_net_loss",
    "dehydrated",
    "brought",
    "gone",
    "rolled_back",
    "spare",
)
# Kept as distances, which are short, or numbers.
_AS_OF, _NOW, _SEARCHED = "as_of", "now_ns", "searched"
FROM_HISTORY = (
    "path",
    "mode",
    "key",
    "versions",
    "baseline",
    "earlier",
    "elsewhere",
    "accepted",
    "restored_ns",
    "baseline_is_link",
    "ledger",
    "pins",
    "bases",
    "neighbours",
    "first_sight",
    "copy_of",
    "copies",
    "told",
)
# Of what is kept: said by the configuration alone, so that another one can say otherwise.
CONFIGURED = ("retention", "consolidator", "append_only_writer", "pinned", "max_net_loss")

_DEFAULTS = {f.name: f.default for f in msgspec.structs.fields(Case)}
_HINTS = get_type_hints(Case)


def kept(case: Case, searched: int = 0) -> bytes:
    """What is to be kept of a case; never empty, and without any text. ``searched``: files that nobody records were
    looked through in vain, so many."""
    last = case.versions[-1]
    as_of = case.as_of - last.seq if case.as_of else 0
    distances = {_AS_OF: as_of, _NOW: case.now_ns - last.at_ns, _SEARCHED: searched}
    values = {name: getattr(case, name) for name in KEPT}
    told = {name: value for name, value in values.items() if value != _DEFAULTS[name]}
    return msgspec.msgpack.encode(told | {name: value for name, value in distances.items() if value})


def as_of(inputs: bytes, version_seq: int) -> int:
    """Up to which record the history was known when the version was judged. Raises msgspec.MsgspecError."""
    return version_seq + int(_decoded(inputs).get(_AS_OF, 0))


def now_ns(inputs: bytes, at_ns: int) -> int:
    """When a version that was written at ``at_ns`` was judged."""
    return at_ns + int(_decoded(inputs).get(_NOW, 0))


def searched(inputs: bytes) -> int:
    """How many files that nobody records were looked through, beside those that held something."""
    return int(_decoded(inputs).get(_SEARCHED, 0))


def given(inputs: bytes) -> dict[str, Any]:
    """The fields of a case that were kept, each with its value then. Raises msgspec.MsgspecError."""
    found = _decoded(inputs)
    return {
        name: msgspec.convert(found[name], _HINTS[name]) if name in found else _DEFAULTS[name]
        for name in KEPT
        if name in found or _DEFAULTS[name] is not msgspec.NODEFAULT
    }


def _decoded(inputs: bytes) -> dict[str, Any]:
    return msgspec.msgpack.decode(inputs, type=dict[str, Any])
