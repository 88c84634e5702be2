"""OpenClaw's provenance gate, for `conductd doctor`: what is left out of the prompt, which repairs would harm. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import AgentFacts
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn
from conductd.core.provenance import Effect, Standing, recorded_as, recorded_by

_CLEARED = (
    "keep a copy (conductd show FILE > COPY), let the agent itself delete the file with its own tool and write it "
    "again: nothing else makes it trusted"
)


def _look(agent: AgentFacts) -> Iterator[Seen]:
    gate = agent.gate or ()
    for each in gate:
        name = each.path.decode("utf-8", "replace")
        if each.effect is Effect.UNTRUSTED_ALREADY:
            there = "" if each.is_there else "; the file itself is gone"
            yield fail(f"{name} is left out of the prompt: {_recorded(each)}{there}", _CLEARED, (each.path,))
        elif each.effect is Effect.TAINTS:
            yield warn(
                f"{name} is not as the agent wrote it last ({_recorded(each)}): after its next write the file is left "
                "out of the prompt for good",
                f"conductd log {name}: a version with the digest {_digest(each)} can be put back without harm",
                (each.path,),
            )
        elif each.effect is Effect.UNKNOWN:
            yield unknown(
                f"whether {name} is in the prompt: OpenClaw's record of who wrote it cannot be read",
                "openclaw doctor; until then take every repair of it for one that harms",
                (each.path,),
            )
    if names := [each.path.decode("utf-8", "replace") for each in gate if _is_recorded(each)]:
        yield ok(f"only the recorded bytes can be put back into {', '.join(names)} without harm")


def _is_recorded(each: Standing) -> bool:
    return each.effect is Effect.NEUTRAL and each.record is not None


def _recorded(each: Standing) -> str:
    return ", ".join(filter(None, (recorded_as(each.record, each.since), recorded_by(each.record))))


def _digest(each: Standing) -> str:
    return each.record.digest.hex()[:12] if each.record is not None else ""


CHECKS: tuple[Check[AgentFacts], ...] = (
    Check(
        "provenance",
        "files that OpenClaw leaves out of the prompt for who wrote them, and which repairs would make it do so",
        "The agent works without that memory, nothing says so, and its later writes do not bring it back.",
        "no file is left out for who wrote it",
        _look,
        ("gate",),
        lambda agent: agent.name == "openclaw",
    ),
)
