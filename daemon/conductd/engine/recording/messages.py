"""What other threads put into the recorder's queue, and how those who wait for it are answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future

from conductd.engine.recording.drafting import Observed
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import Frozen, Stored

Compose = Callable[[int], Sequence[Draft]]
"""Drafts that name each other: called with the sequence the first of them will get."""


class Append(Frozen, frozen=True):
    """Drafts to write; the future gets the stored records once durable, or StoreUnavailable."""

    compose: Compose
    reply: Future[tuple[Stored, ...]]
    lazy: bool = False


class Barrier(Frozen, frozen=True):
    """Answered when everything queued before it is durable (with the last sequence) or cannot be."""

    reply: Future[int]


class Reindex(Frozen, frozen=True):
    """Empty the index and feed it the journal again, between batches."""


class Scrub(Frozen, frozen=True):
    """As `Reindex`, and leave nothing of what the index held in its files."""


class Stop(Frozen, frozen=True):
    """Write what is queued, then end."""


class Tend(Frozen, frozen=True):
    """Look whether journal and index still stand where they should."""


Message = Observed | Append | Barrier | Reindex | Scrub | Tend | Stop


def size_of(batch: Sequence[Message]) -> int:
    return sum(message.size for message in batch if isinstance(message, Observed))


def settle(batch: Sequence[Observed], *, durable: bool) -> None:
    for observed in batch:
        if observed.durable is not None and not observed.durable.done():
            observed.durable.set_result(durable)


def refuse(batch: Sequence[Message], error: Exception) -> None:
    """Whoever waits for something that failed in a way nobody thought of is told so."""
    answer(batch, StoreUnavailable(f"this cannot be recorded: {error}", "see the log"))


def answer(batch: Sequence[Message], refused: StoreUnavailable) -> None:
    """To everybody who still waits for one of them."""
    settle([m for m in batch if isinstance(m, Observed)], durable=False)
    for message in batch:
        if isinstance(message, Append | Barrier) and not message.reply.done():
            message.reply.set_exception(refused)
