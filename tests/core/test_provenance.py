"""What bytes in a file mean for OpenClaw's gate."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductd.core.load.openclaw_versions import NEWEST
from conductd.core.provenance import (
    ELIGIBLE,
    REFUSED,
    UNKNOWN,
    Effect,
    Looked,
    Recorded,
    digests,
    effect,
    effect_of_digest,
    is_gated,
    recorded_by,
    stands,
    written,
)

OLD, FIRST = (2026, 7, 35), (2026, 8, 1)
MEMORY = b"MEMORY.md"


def recorded(data: bytes, origin: str = "agent") -> Looked:
    return Looked(Recorded(origin, hashlib.sha256(data).digest()))


@pytest.mark.parametrize(
    ("path", "looked", "version", "data", "expected"),
    [
        (MEMORY, Looked(), FIRST, b"x", Effect.NEUTRAL),
        (MEMORY, Looked(), None, b"x", Effect.NEUTRAL),
        (MEMORY, Looked(), OLD, b"x", Effect.NO_GATE),
        (MEMORY, UNKNOWN, OLD, b"x", Effect.NO_GATE),
        (MEMORY, UNKNOWN, FIRST, b"x", Effect.UNKNOWN),
        (MEMORY, UNKNOWN, None, b"x", Effect.UNKNOWN),
        (MEMORY, recorded(b"x"), FIRST, b"x", Effect.NEUTRAL),
        (MEMORY, recorded(b"x"), None, b"y", Effect.TAINTS),
        (MEMORY, recorded(b"x"), OLD, b"y", Effect.TAINTS),  # it was made by a release that has the gate
        (MEMORY, recorded(b"x"), FIRST, None, Effect.TAINTS),
        (MEMORY, recorded(b""), FIRST, None, Effect.NEUTRAL),
        (MEMORY, recorded(b"x", "owner"), FIRST, b"x", Effect.NEUTRAL),
        (MEMORY, recorded(b"x", "untrusted"), FIRST, b"x", Effect.UNTRUSTED_ALREADY),
        (MEMORY, recorded(b"x", "system"), FIRST, b"y", Effect.UNTRUSTED_ALREADY),
        (MEMORY, recorded(b"x", "something new"), FIRST, b"x", Effect.UNKNOWN),
        (MEMORY, Looked(Recorded("agent", b"")), FIRST, b"x", Effect.UNKNOWN),
        (b"AGENTS.md", recorded(b"x", "untrusted"), FIRST, b"x", Effect.NO_GATE),
        (b"memory/a.md", recorded(b"x", "untrusted"), FIRST, b"x", Effect.NO_GATE),
        (b"users/ana/USER.md", recorded(b"x", "untrusted"), FIRST, b"x", Effect.UNTRUSTED_ALREADY),
        (b"caf\xe9/MEMORY.md", recorded(b"x"), FIRST, b"y", Effect.NO_GATE),
    ],
)
def test_table(
    path: bytes, looked: Looked, version: tuple[int, int, int] | None, data: bytes | None, expected: Effect
) -> None:
    assert effect(path, looked, version, data) is expected
    digest = hashlib.sha256(data).digest() if data is not None else None
    assert effect_of_digest(path, looked, version, digest) is expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [(b"MEMORY.md", True), (b"USER.md", True), (b"users/a-b_1/USER.md", True), (b"memory.md", False)]
    + [(each, False) for each in (b"users/-a/USER.md", b"users/a/b/USER.md", b"MEMORY.md\n", b"xMEMORY.md", b"")],
)
def test_only_some_files_are_gated(path: bytes, expected: bool) -> None:
    assert is_gated(path) is expected


def test_a_text_that_is_no_utf8_is_hashed_as_the_agent_read_it() -> None:
    looked = Looked(Recorded("agent", hashlib.sha256("caf�".encode()).digest()))
    assert effect(MEMORY, looked, FIRST, b"caf\xe9") is Effect.NEUTRAL
    assert effect_of_digest(MEMORY, looked, FIRST, hashlib.sha256(b"caf\xe9").digest()) is Effect.TAINTS


ANY = st.one_of(st.none(), st.binary(max_size=30))


@given(
    ANY, st.binary(max_size=30), st.sampled_from((*ELIGIBLE, *REFUSED, "", "new")), st.sampled_from((None, OLD, NEWEST))
)
def test_neutral_is_only_what_the_agent_wrote(
    data: bytes | None, last: bytes, origin: str, version: tuple[int, int, int] | None
) -> None:
    found = effect(MEMORY, recorded(last, origin), version, data)
    same = hashlib.sha256(last).digest() in digests(data)
    assert (found is Effect.NEUTRAL) is (same and origin in ELIGIBLE)
    assert found is not Effect.NO_GATE


@given(ANY, st.sampled_from((None, FIRST, NEWEST)))
def test_what_cannot_be_read_is_never_called_safe(data: bytes | None, version: tuple[int, int, int] | None) -> None:
    assert effect(MEMORY, UNKNOWN, version, data) is Effect.UNKNOWN


def test_words_name_when_and_no_session() -> None:
    record = Recorded("untrusted", b"", 1, "agent:main:main")
    assert stands(Effect.UNTRUSTED_ALREADY, record, "2026-09-24") == (
        "OpenClaw leaves it out of the prompt: recorded as untrusted since 2026-09-24"
    )
    assert stands(Effect.UNTRUSTED_ALREADY, Recorded("system", b"")).endswith("recorded as system")
    assert recorded_by(record) == "recorded by session agent:main:main"
    assert recorded_by(Recorded("system", b"")) == recorded_by(None) == ""
    assert stands(Effect.NEUTRAL) == ""
    assert "next write" in written(Effect.TAINTS)
    assert written(Effect.NO_GATE) == ""
    assert "{" not in "".join(written(each) + stands(each) for each in Effect)
