"""What a job of the night is to those who run it. Values and a protocol."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from conductd.core.night.facts import Night
from conductd.model import Frozen, NoticeRecord

MOST_DATA = 64 * 1024  # bytes of `Outcome.data`


class Result(StrEnum):
    """What came of a run, as the journal has it."""

    OK = "ok"
    WARN = "warn"  # it ran, and found something a person should see
    FAIL = "fail"  # it ran, and found something that needs a person
    UNKNOWN = "unknown"  # it ran, and could not know
    NOTHING = "nothing"  # there was nothing to do
    FAILED = "failed"  # it did not come to its end
    TIMED_OUT = "timed out"
    REFUSED = "refused"  # what it would have written was not written: why is in the words


DID_NOT_END = (Result.FAILED, Result.TIMED_OUT)


class Outcome(Frozen, frozen=True):
    """``words``: one sentence for a person, names and counts, never content. ``data``: msgpack, what later jobs and the
    report take up. ``written``: what was written where, for a person. ``plan``: what `conductd undo` takes to
    take back what was written into the workspace, if it was. ``notices``: on record with the run, and told unless a
    person is looking on."""

    result: Result
    words: str
    data: bytes = b""
    written: tuple[str, ...] = ()
    plan: int | None = None
    notices: tuple[NoticeRecord, ...] = ()


class Ended(Exception):
    """Raised by `Progress` when the daemon stops or the run took too long: let it pass."""


Progress = Callable[[int, int, str], None]  # done, of so many (0: not known), what is done just now


def quiet(_done: int, _of: int, _doing: str) -> None:
    """The progress of what nobody waits for."""


class Job(Protocol):
    """One of the jobs. ``run`` is called on a thread of its own, for one workspace at a time; it writes nothing when
    ``night.occasion.is_dry``, and says in `Outcome.written` what it would have written. May raise ConductdError."""

    name: str

    def run(self, night: Night, progress: Progress) -> Outcome: ...
