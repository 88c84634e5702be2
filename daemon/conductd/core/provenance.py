"""OpenClaw's provenance gate: what it does with a memory file, and what a write from outside does to that.

From 2026.8.1 on each structured write of the agent records the digest of the content and an origin class. MEMORY.md
and USER.md are left out of the prompt when the class is not trusted. A write of the agent onto content that is not
the recorded one is recorded as untrusted, and what is untrusted stays so: a repair of other bytes than the recorded
ones does no harm by itself, the agent's next write does. Source: `src/memory/memory-artifact-provenance.ts`,
2026.8.1 to 2026.9.6.

Pure; the record is read by `agents.provenance`. What is not known is `UNKNOWN`, never `NEUTRAL`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from enum import StrEnum

from conductd.core.load.openclaw_versions import Version, reading
from conductd.model import Frozen

ELIGIBLE = ("owner", "agent")
REFUSED = ("untrusted", "system")
_GATED = re.compile(rb"(?:MEMORY|USER)\.md|users/[a-zA-Z0-9][a-zA-Z0-9_-]{0,127}/USER\.md")


class Effect(StrEnum):
    """What bytes, standing in a file, mean for the prompt. More may come: ways to repair through the agent."""

    NEUTRAL = "neutral"  # nothing is recorded, or these bytes are the recorded ones
    TAINTS = "taints"  # the agent's next write is recorded as untrusted, and the file left out from then on
    UNTRUSTED_ALREADY = "untrusted_already"  # it is left out now, whatever is written
    UNKNOWN = "unknown"
    NO_GATE = "no_gate"  # the agent, its release, or this file has none


class Recorded(Frozen, frozen=True):
    """OpenClaw's record of its last write. ``digest``: b"" where it has none. ``at_ms``: since 1970, 0: not said.
    ``session``: as OpenClaw names it."""

    origin_class: str
    digest: bytes
    at_ms: int = 0
    session: str = ""


class Looked(Frozen, frozen=True):
    """What was found of one file. ``is_known`` False: a record may be there and could not be read."""

    record: Recorded | None = None
    is_known: bool = True


UNKNOWN = Looked(is_known=False)


class Standing(Frozen, frozen=True):
    """One file: what stands in it means ``effect``. ``since``: the time of the record in words, "" where it has none.
    ``is_there``: it stands on the disk. ``is_known``: the record could be read, if there is one."""

    path: bytes
    effect: Effect
    record: Recorded | None = None
    since: str = ""
    is_there: bool = True
    is_known: bool = True

    @property
    def said(self) -> str:
        """One phrase about it, "" when there is nothing to say. Names no session: that may name a person."""
        return stands(self.effect, self.record, self.since)


_WORST = (Effect.TAINTS, Effect.UNKNOWN, Effect.UNTRUSTED_ALREADY, Effect.NEUTRAL, Effect.NO_GATE)


def worst(effects: Iterable[str]) -> str:
    """Of several writes; "" of none."""
    found = set(effects)
    return next((each.value for each in _WORST if each.value in found), "")


def is_harm(effect: str) -> bool:
    """Whether somebody has to be told of it."""
    return effect in (Effect.TAINTS, Effect.UNKNOWN, Effect.UNTRUSTED_ALREADY)


def recorded_by(record: Recorded | None) -> str:
    """By which session, "" where the record does not tell."""
    return f"recorded by session {record.session}" if record is not None and record.session else ""


def is_gated(path: bytes) -> bool:
    """Whether the gate can keep this file (relative to the workspace) out of the prompt; others only lose in search."""
    return _GATED.fullmatch(path) is not None


def effect(path: bytes, looked: Looked, version: Version | None, data: bytes | None) -> Effect:
    """What ``data`` (None: the file is gone) in the file means. ``version`` None: which release runs is not known."""
    return _effect(path, looked, version, digests(data))


def effect_of_digest(path: bytes, looked: Looked, version: Version | None, digest: bytes | None) -> Effect:
    """The same for bytes of which only the SHA-256 is known (None: the file is gone)."""
    return _effect(path, looked, version, digests(None) if digest is None else (digest,))


def _effect(path: bytes, looked: Looked, version: Version | None, those: tuple[bytes, ...]) -> Effect:
    """A record that is there counts whatever the release is said to be: one without the gate would not have made it."""
    if not is_gated(path):
        return Effect.NO_GATE
    record = looked.record
    if record is None:
        if version is not None and not reading(version).has_provenance:
            return Effect.NO_GATE
        return Effect.NEUTRAL if looked.is_known else Effect.UNKNOWN
    if record.origin_class in REFUSED:
        return Effect.UNTRUSTED_ALREADY
    if record.origin_class not in ELIGIBLE or len(record.digest) != 32:
        return Effect.UNKNOWN
    return Effect.NEUTRAL if record.digest in those else Effect.TAINTS


def digests(data: bytes | None) -> tuple[bytes, ...]:
    """What OpenClaw may call the digest of these bytes: it hashes text, in which what is no UTF-8 is U+FFFD."""
    own = hashlib.sha256(data or b"").digest()
    text = (data or b"").decode("utf-8", "replace").encode("utf-8")
    return (own,) if text == (data or b"") else (own, hashlib.sha256(text).digest())


_STANDS = {
    Effect.UNTRUSTED_ALREADY: "OpenClaw leaves it out of the prompt: ",
    Effect.TAINTS: "OpenClaw will leave it out of the prompt after the agent's next write: what stands there is not"
    " what the agent wrote last",
    Effect.UNKNOWN: "OpenClaw's record of who wrote it cannot be read: it may be left out of the prompt",
}
_WRITTEN = {
    Effect.NEUTRAL: "OpenClaw keeps it in the prompt",
    Effect.TAINTS: "OpenClaw will leave it out of the prompt after the agent's next write",
    Effect.UNTRUSTED_ALREADY: "OpenClaw leaves it out of the prompt all the same: ",
    Effect.UNKNOWN: "whether OpenClaw keeps it in the prompt is not known",
}


def stands(found: Effect, record: Recorded | None = None, at: str = "") -> str:
    """One phrase about what stands there now, "" when there is nothing to say. ``at``: the record's time, in words."""
    return _filled(_STANDS, found, record, at)


def written(found: Effect, record: Recorded | None = None, at: str = "") -> str:
    """One phrase about a write that is made, or could be; "" where there is no gate."""
    return _filled(_WRITTEN, found, record, at)


def recorded_as(record: Recorded | None, at: str = "") -> str:
    """As what it is recorded, and since when."""
    return f"recorded as {record.origin_class if record else 'untrusted'}{f' since {at}' if at else ''}"


def _filled(words: dict[Effect, str], found: Effect, record: Recorded | None, at: str) -> str:
    known = words.get(found, "")
    return known + recorded_as(record, at) if known.endswith(": ") else known
