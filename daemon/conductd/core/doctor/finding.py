"""What a check says: a result, what was seen, why it matters, how it is mended. And how a check is asked.

A check never runs on facts that are missing: what could not be found out is `unknown`, never `ok` (promise P4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from conductd.model import Frozen

F = TypeVar("F")


class Result(StrEnum):
    """The worst first."""

    FAIL = "fail"
    WARN = "warn"
    UNKNOWN = "unknown"
    OK = "ok"


ORDER = tuple(Result)


class Finding(Frozen, frozen=True):
    """``subject``: the workspace it is about, "" for the machine. ``what``: one sentence of what was seen. ``fix``: a
    command or a sentence. ``files``: relative to the subject, as raw bytes. ``repair``: the fix of `conductd doctor
    --fix` that mends it, "" where none does it safely."""

    check: str
    result: Result
    what: str
    why: str = ""
    fix: str = ""
    files: tuple[bytes, ...] = ()
    repair: str = ""
    subject: bytes = b""
    agent: str = ""


class Seen(Frozen, frozen=True):
    """What a look found: a finding before its check is named."""

    result: Result
    what: str
    fix: str = ""
    files: tuple[bytes, ...] = ()
    repair: str = ""


Look = Callable[[F], Iterable[Seen]]


def _always(_facts: object) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Check(Generic[F]):
    """``looks_at``: one phrase for the documentation. ``needs``: the facts without which nothing can be said, None
    being "could not be found out". ``look`` says what is wrong, or `OK` with a remark; nothing at all means ``fine``.
    ``applies``: whether it is asked at all."""

    name: str
    looks_at: str
    why: str
    fine: str
    look: Look[F]
    needs: tuple[str, ...] = ()
    applies: Callable[[F], bool] = _always


def asked(check: Check[F], facts: F) -> list[Finding]:
    """What the check says of these facts: at least one finding, none where it does not apply."""
    if not check.applies(facts):
        return []
    missing = [name for name in check.needs if getattr(facts, name) is None]
    if missing:
        words = ", ".join(_WORDS.get(name, name.replace("_", " ")) for name in missing)
        return [Finding(check.name, Result.UNKNOWN, f"could not be found out: {words}", check.why)]
    seen = list(check.look(facts)) or [Seen(Result.OK, check.fine)]
    return [_named(check, each) for each in seen]


_WORDS = {
    "answers": "whether a daemon answers",
    "api": "its API",
    "attested_ns": "what OpenClaw noted (its state directory is not known, or cannot be read)",
    "channels": "the configured channels",
    "degraded": "what the daemon says of itself",
    "entries": "what stands in the directory (it cannot be listed)",
    "faults": "what the configuration says",
    "fs_type": "the kind of file system",
    "gate": "OpenClaw's record of who wrote",
    "known": "what the daemon watches",
    "load": "what the agent loads",
    "recorded": "which directory is recorded (no daemon answers, and there is no journal)",
    "roots": "the configured workspaces",
    "sandboxes": "the copies that sandboxed sessions work in",
    "stands": "which directory stands there",
    "values": "the agent's settings (no configuration was found, or it cannot be read)",
    "version": "its release",
    "weak": "what the configuration protects",
}


def _named(check: Check[F], seen: Seen) -> Finding:
    why = "" if seen.result is Result.OK else check.why
    return Finding(check.name, seen.result, seen.what, why, seen.fix, seen.files, seen.repair)


def worst(findings: Sequence[Finding]) -> Result:
    """Of all of them; `OK` of none."""
    return min((each.result for each in findings), key=ORDER.index, default=Result.OK)


def ok(what: str, files: Iterable[bytes] = ()) -> Seen:
    return Seen(Result.OK, what, files=tuple(files))


def warn(what: str, fix: str = "", files: Iterable[bytes] = (), repair: str = "") -> Seen:
    return Seen(Result.WARN, what, fix, tuple(files), repair)


def fail(what: str, fix: str = "", files: Iterable[bytes] = (), repair: str = "") -> Seen:
    return Seen(Result.FAIL, what, fix, tuple(files), repair)


def unknown(what: str, fix: str = "", files: Iterable[bytes] = ()) -> Seen:
    return Seen(Result.UNKNOWN, what, fix, tuple(files))
