"""What is kept with a verdict, so that it can be judged again."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from conductd.core.case import Case, Git, Provenance
from conductd.core.judging import inputs
from conductd.model import Role
from support.cases import case, written

AROUND: dict[str, Any] = {
    "git": Git(index_lock=True, committed=True),
    "provenance": Provenance("agent", b"digest"),
    "leased": True,
    "retention": True,
    "consolidator": True,
    "append_only_writer": True,
    "parent_missing": True,
    "renamed_from": b"a\xff.md",
    "renamed_to": b"b.md",
    "pinned": ("", "Rules"),
    "max_net_loss": 0.25,
    "dehydrated": True,
    "brought": frozenset({b"eightone", b"eighttwo"}),
    "gone": (b"memory/a\xff.md",),
    "rolled_back": 2,
    "spare": (b"sub/a\xff.md",),
}


def test_every_field_of_a_case_is_kept_or_comes_from_the_history() -> None:
    fields = set(Case.__struct_fields__) - {"as_of", "now_ns"}
    assert set(inputs.KEPT) | set(inputs.FROM_HISTORY) == fields
    assert not set(inputs.KEPT) & set(inputs.FROM_HISTORY)
    assert set(inputs.CONFIGURED) < set(inputs.KEPT)
    assert set(AROUND) | {"role"} == set(inputs.KEPT)


@pytest.mark.parametrize("name", AROUND)
def test_what_stood_around_the_file_comes_back(name: str) -> None:
    one = case(b"MEMORY.md", "- a", "- b", role=Role.CURATED, **{name: AROUND[name]})
    plain = case(b"MEMORY.md", "- a", "- b", role=Role.CURATED)
    assert inputs.given(inputs.kept(one))[name] == AROUND[name]
    assert inputs.given(inputs.kept(plain))[name] == getattr(plain, name)


def test_the_moment_comes_back() -> None:
    one = msgspec.structs.replace(case(b"MEMORY.md", "- a", written(101, "- b")), as_of=105)
    kept = inputs.kept(one)
    assert inputs.as_of(kept, 101) == 105
    assert inputs.now_ns(kept, one.versions[-1].at_ns) == one.now_ns


def test_it_is_small_and_holds_no_text() -> None:
    kept = inputs.kept(case(b"MEMORY.md", "- a secret", "- another", role=Role.CURATED))
    assert 0 < len(kept) < 40
    assert b"secret" not in kept


def test_what_is_no_such_thing_is_refused() -> None:
    for junk in (b"", b"\xff", msgspec.msgpack.encode({"git": 3})):
        with pytest.raises(msgspec.MsgspecError):
            inputs.given(junk)
