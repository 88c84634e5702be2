"""What doctor says of files that OpenClaw may leave out for who wrote them."""

from __future__ import annotations

import pytest

from conductd.core.doctor.facts import AgentFacts
from conductd.core.doctor.finding import Finding, Result, asked
from conductd.core.doctor.provenance import CHECKS
from conductd.core.provenance import Effect, Recorded, Standing

RECORD = Recorded("untrusted", b"\xab" * 32, 1, "agent:main:main")


def found(*gate: Standing, name: str = "openclaw") -> list[Finding]:
    [check] = CHECKS
    return asked(check, AgentFacts(name, name, gate=gate))


def test_what_is_left_out_fails_and_says_since_when_and_by_whom() -> None:
    [finding] = found(Standing(b"MEMORY.md", Effect.UNTRUSTED_ALREADY, RECORD, "2026-09-24 10:00"))
    assert finding.result is Result.FAIL
    assert finding.what == (
        "MEMORY.md is left out of the prompt: recorded as untrusted since 2026-09-24 10:00, "
        "recorded by session agent:main:main"
    )
    assert finding.files == (b"MEMORY.md",)
    assert "the agent itself" in finding.fix


def test_what_is_gone_and_still_untrusted() -> None:
    [finding] = found(Standing(b"USER.md", Effect.UNTRUSTED_ALREADY, RECORD, is_there=False))
    assert finding.what.endswith("the file itself is gone")


def test_what_the_next_write_will_leave_out_is_warned_of() -> None:
    [finding] = found(Standing(b"MEMORY.md", Effect.TAINTS, Recorded("agent", b"\xab" * 32)))
    assert finding.result is Result.WARN
    assert "abababababab" in finding.fix


def test_what_cannot_be_read_is_unknown_and_never_well() -> None:
    [finding] = found(Standing(b"MEMORY.md", Effect.UNKNOWN, is_known=False))
    assert finding.result is Result.UNKNOWN
    assert "one that harms" in finding.fix


@pytest.mark.parametrize(
    ("gate", "what"),
    [
        ((), "no file is left out for who wrote it"),
        ((Standing(b"MEMORY.md", Effect.NEUTRAL),), "no file is left out for who wrote it"),
        (
            (Standing(b"MEMORY.md", Effect.NEUTRAL, Recorded("agent", b"\xab" * 32)),),
            "only the recorded bytes can be put back into MEMORY.md without harm",
        ),
        ((Standing(b"MEMORY.md", Effect.NO_GATE),), "no file is left out for who wrote it"),
    ],
)
def test_what_is_well(gate: tuple[Standing, ...], what: str) -> None:
    [finding] = found(*gate)
    assert (finding.result, finding.what) == (Result.OK, what)


def test_other_agents_are_not_asked() -> None:
    assert found(Standing(b"MEMORY.md", Effect.UNKNOWN), name="codex") == []
