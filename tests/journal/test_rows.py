"""Every record kind comes back from its row as it went in, defaults, extremes and unknown bytes included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conductd.journal import format as fmt
from conductd.journal import rows
from conductd.model import (
    RECORD_TYPES,
    Action,
    Actor,
    Cause,
    Change,
    ChangeRecord,
    EventClass,
    FileStat,
    FileState,
    Record,
    Relocated,
    Severity,
    Span,
    Verdict,
    VersionRecord,
)

SAMPLES: dict[Any, Any] = {
    "str": "text é",
    "bytes": b"\xff/raw",
    "int": 2**40 + 1,
    "float": 0.25,
    "bool": True,
}
SPAN = Span(1, 2, 3, b"12345678")
VERDICT = Verdict(
    EventClass.OVERWRITE,
    Severity.ALARM,
    Action.MERGE,
    "overwrite",
    Change(9, 1, (Relocated(SPAN, None, 4, 0.8),), (Relocated(SPAN, b"b.md", 5, 1.0),), (SPAN,), (SPAN, SPAN), 1, 2, 3),
    {"share": 0.9, "count": 3, "word": "x", "yes": True},
    7,
    8,
    True,
    2,
)


def filled(model: type[Record]) -> Record:
    """A record with no field at its default."""
    values: dict[str, Any] = {}
    for field in msgspec.inspect.type_info(model).fields:  # type: ignore[attr-defined]
        values[field.name] = _value(field.type)
    return msgspec.convert(values, model)


def _value(kind: Any) -> Any:
    if isinstance(kind, msgspec.inspect.UnionType):
        return _value(next(item for item in kind.types if not isinstance(item, msgspec.inspect.NoneType)))
    if isinstance(kind, msgspec.inspect.EnumType):
        return list(kind.cls)[-1]
    if isinstance(kind, msgspec.inspect.StructType):
        return kind.cls(**{field.name: _value(field.type) for field in kind.fields})
    if isinstance(kind, msgspec.inspect.VarTupleType):
        return (_value(kind.item_type), _value(kind.item_type))
    if isinstance(kind, msgspec.inspect.TupleType):
        return tuple(_value(item) for item in kind.item_types)
    if isinstance(kind, msgspec.inspect.DictType):
        return {"a": 1, "b": 0.5, "c": "x", "d": True}
    return SAMPLES[type(kind).__name__.removesuffix("Type").lower()]


def back(record: Record) -> Record | None:
    if not isinstance(record, VersionRecord):
        return rows.decode_plain(fmt.KINDS[record.kind], rows.encode_plain(record))
    definition, row = rows.encode_version(record, 10**18, 100, None)
    return rows.decode_version(rows.decode_definition(definition), row, 10**18, 100, None)


@pytest.mark.parametrize("model", RECORD_TYPES, ids=lambda model: model.kind)
def test_a_record_with_every_field_set_comes_back(model: type[Record]) -> None:
    record = filled(model)
    assert back(record) == record


def test_every_kind_has_a_number_and_none_is_used_twice() -> None:
    assert {model.kind for model in RECORD_TYPES} == set(fmt.KINDS)
    assert len(set(fmt.KINDS.values())) == len(fmt.KINDS)


def test_every_kind_state_and_cause_is_documented_with_its_number() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "formats" / "journal.md").read_text().replace("\n", " ")
    for kind, number in fmt.KINDS.items():
        assert f"{number} `{kind}`" in text
    for values in (rows.STATES, rows.CAUSES):
        assert ", ".join(f"{code} {value}" for code, value in enumerate(values)) in text


def test_every_state_and_cause_has_a_code() -> None:
    assert set(rows.STATES) == set(FileState)
    assert set(rows.CAUSES) == set(Cause)
    assert len(rows.CAUSES) <= 16


def test_a_verdict_comes_back_whole() -> None:
    record = ChangeRecord("w", 1, b"p", 5, VERDICT, 4, 3, False, ((b"a", b"d" * 32),))
    assert back(record) == record


def test_a_row_of_an_older_release_takes_the_defaults_of_newer_fields() -> None:
    record = filled(RECORD_TYPES[-1])
    values = msgspec.msgpack.decode(rows.encode_plain(record))
    decoded = rows.decode_plain(fmt.KINDS[record.kind], msgspec.msgpack.encode(values[:3]))
    assert decoded == RECORD_TYPES[-1](*values[:3])  # type: ignore[call-arg]


def test_an_unknown_kind_is_none() -> None:
    assert rows.decode_plain(200, b"\x90") is None


def test_a_digest_that_is_not_the_bodys_is_refused() -> None:
    record = VersionRecord("w", 1, b"p", FileState.FILE, Cause.CHANGE, b"x" * 32, 1)
    with pytest.raises(ValueError, match="digest"):
        rows.encode_version(record, 0, 1, (1, b"y" * 32))


big = st.integers(min_value=-(2**62), max_value=2**62)
small = st.integers(min_value=0, max_value=2**40)
stats = st.builds(FileStat, small, small, small, small, small, small, small, big, big)
versions = st.builds(
    VersionRecord,
    workspace=st.text(max_size=40),
    file=small,
    path=st.binary(max_size=80),
    state=st.sampled_from(FileState),
    cause=st.sampled_from(Cause),
    digest=st.none() | st.just(b"d" * 32),
    size=small,
    stat=st.none() | stats,
    link_target=st.none() | st.binary(max_size=20),
    reason=st.text(max_size=8),
    actor=st.builds(Actor, st.text(max_size=9), st.floats(0, 1), st.lists(st.text(max_size=5), max_size=3).map(tuple)),
    parents=st.lists(st.integers(1, 10**6), max_size=3).map(tuple),
    coalesced=small,
    renamed_from=st.none() | small,
    swept=st.booleans(),
)


@settings(max_examples=300, deadline=None)
@given(versions, st.integers(0, 2**62), st.integers(1, 2**40), st.booleans())
def test_any_version_comes_back(record: VersionRecord, wall: int, seq: int, with_body: bool) -> None:
    body = (17, b"d" * 32) if with_body else None
    definition, row = rows.encode_version(record, wall, seq, body)
    assert rows.decode_version(rows.decode_definition(definition), row, wall, seq, body) == record
