"""Every key of the schema, with every kind of wrong value: a fault that names the key, and never anything else."""

from __future__ import annotations

from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Any, get_args, get_origin, get_type_hints

import msgspec
import pytest

from conductd.config import Config
from conductd.config.load import parse
from conductd.errors import ConfigError

VALUES = [
    "true", "0", "-1", "1", "99999999999999999999999", "-99999999999999999999999", "0.5", "-0.5", "nan", "inf", "1e400",
    '""', '"x y z"', '"\\u0000"', '"xyz"', '"*"', '"\\u202e"', "[]", "[1]", '["xyz"]', '[""]', "[[]]", "[{}]", "{}",
    "{ a = 1 }", '{ a = "b" }', '{ "" = "b" }', '{ "\\u0000" = "protect" }', "2026-03-08", "12:00:00", "[{ a = 1 }]",
]  # fmt: skip


def keys(kind: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Dotted, `[]` for an item of a list of tables."""
    for name, each in get_type_hints(kind, include_extras=True).items():
        if name not in kind.__struct_fields__:
            continue
        written = next(f.encode_name for f in msgspec.structs.fields(kind) if f.name == name)
        yield (*place, written)
        if get_origin(each) is UnionType:
            each = next(part for part in get_args(each) if part is not NoneType)
        inner = get_args(each)[0] if get_origin(each) is tuple else each
        if isinstance(inner, type) and issubclass(inner, msgspec.Struct):
            marker = "[]" if inner is not each else ""
            yield from keys(inner, (*place, written + marker))


def toml(place: tuple[str, ...], value: str) -> str:
    for name in reversed(place):
        value = f"{{ {name.removesuffix('[]')} = {value} }}"
        if name.endswith("[]"):
            value = value.replace(" = ", " = [", 1)[:-2] + "] }"
    return value.removeprefix("{ ").removesuffix(" }")


def outcome(text: str) -> tuple[str, ...]:
    """The faults; none where it loads, and answers what is asked of it."""
    try:
        config = parse(text)
    except ConfigError as error:
        return error.faults
    config.policy()
    config.role(b"/x", b"MEMORY.md")
    config.file_mode(b"/x", b"MEMORY.md", config.mode)
    return ()


@pytest.mark.parametrize("place", list(keys(Config)), ids=".".join)
def test_every_wrong_value_is_a_fault_of_that_key(place: tuple[str, ...]) -> None:
    refused = 0
    for value in VALUES:
        text = toml(place, value)
        found = outcome(text)
        refused += bool(found)
        table = place[0].removesuffix("[]")
        assert not found or any(table in fault or "not TOML" in fault for fault in found), (text, found)
    assert refused >= 5, "some of these are wrong for every key"


def test_what_a_text_has_to_look_like_is_said() -> None:
    with pytest.raises(ConfigError) as caught:
        parse('[secrets]\nscan = true\nignore = [\n "0123456789abcdef",\n "xyz",\n]\n')
    (fault,) = caught.value.faults
    assert "secrets.ignore" in fault
    assert "16 hexadecimal digits" in fault
    assert '"xyz"' in fault
    assert "line " in fault
