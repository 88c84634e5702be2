"""A verdict with all that it was made from, on its way to its answer."""

from __future__ import annotations

from conductd.core.case import Case, Elsewhere
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.engine.fold.tracks import Seen
from conductd.model import Frozen, Verdict


class Merged(Frozen, frozen=True):
    """What the file should hold, worked out where the verdict was. ``data`` None: nothing to write."""

    data: bytes | None = None


class Judged(Frozen, frozen=True):
    """A verdict with what it was made from. ``merged``: for a large file, what is to be written."""

    file: int
    seen: Seen
    case: Case
    verdict: Verdict
    elsewhere: tuple[Elsewhere, ...] = ()
    merged: Merged | None = None

    def target(self, policy: Policy) -> bytes | None:
        """As `core.merging.outcome.target`."""
        return target(self.case, self.verdict, policy) if self.merged is None else self.merged.data


class Again(Frozen, frozen=True):
    """Come back to this file: `judged` is carried out then, or judged anew when it is None."""

    due_mono_ns: int
    why: str
    judged: Judged | None = None
