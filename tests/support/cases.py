"""Cases for the judge, built from texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from conductd.core.case import Case, Elsewhere, Text, Write
from conductd.core.judging.judge import judge
from conductd.core.policy import Policy
from conductd.core.roles import classify
from conductd.model import UNKNOWN, Actor, FileState, Mode, Role, Verdict

KEY = b"test key"
START_NS = 1_770_000_000 * 1_000_000_000
SECOND_NS = 1_000_000_000

Bytes = str | bytes


def raw(text: Bytes) -> bytes:
    return text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text


def who(name: str) -> Actor:
    return UNKNOWN if name == "unknown" else Actor(name, 0.9, ("test",))


def written(seq: int, text: Bytes | None, at_s: float = 0.0, by: str = "unknown") -> Write:
    """A version: text, or None for absence."""
    at_ns = START_NS + int(at_s * SECOND_NS)
    if text is None:
        return Write(seq, FileState.ABSENT, at_ns, who(by))
    data = raw(text)
    return Write(seq, FileState.FILE, at_ns, who(by), data, sha256(data).digest(), len(data))


def held(seq: int, text: Bytes, at_s: float = -3600.0, by: str = "unknown", destructive: bool = False) -> Text:
    """A baseline."""
    data = raw(text)
    return Text(seq, sha256(data).digest(), data, START_NS + int(at_s * SECOND_NS), who(by), destructive)


def case(
    path: bytes,
    before: Bytes | Text | None,
    *versions: Bytes | Write | None,
    earlier: Sequence[Bytes | Text] = (),
    elsewhere: Mapping[bytes, Bytes] | None = None,
    **more: Any,
) -> Case:
    """One file from ``before`` to the last of ``versions``; ``earlier`` baselines newest first.
    Versions and baselines given as text are an hour apart, by nobody known."""
    writes = [v if isinstance(v, Write) else written(100 + n, v, 3600.0 * n) for n, v in enumerate(versions)]
    role = more.pop("role", None) or classify(path) or Role.TOPIC
    return Case(
        path=path,
        role=role,
        mode=Mode.PROTECT,
        now_ns=writes[-1].at_ns + SECOND_NS,
        key=KEY,
        versions=tuple(writes),
        baseline=before if before is None or isinstance(before, Text) else held(90, before),
        earlier=tuple(
            t if isinstance(t, Text) else held(89 - n, t, -7200.0 - 3600.0 * n) for n, t in enumerate(earlier)
        ),
        elsewhere=tuple(Elsewhere(p, sha256(raw(t)).digest(), raw(t)) for p, t in (elsewhere or {}).items()),
        **more,
    )


def judged(*args: Any, policy: Policy | None = None, **more: Any) -> Verdict:
    return judge(case(*args, **more), policy or Policy())
