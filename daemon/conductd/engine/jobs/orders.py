"""The heavy work of the night, as it is given to a process of its own: an order a kind, values through and through.

`carried_out` gives the same there as here. It reads the journal's files where an order says so, and nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import closing

import msgspec

from conductd.core.checkpoint.checkpoint import Checkpoint, checkpoint
from conductd.core.continuity.plan import Plan, plan
from conductd.core.night.facts import Before, Night
from conductd.core.night.net import Net, net
from conductd.core.qc.checks import examine
from conductd.core.qc.facts import QcFacts
from conductd.core.qc.results import Finding
from conductd.journal.journal import Journal
from conductd.journal.outline import Outline
from conductd.journal.storage import DirectoryStorage
from conductd.journal.verify import VerifyReport
from conductd.model import Frozen
from conductd.ports import SystemClock
from conductd.secrets.spans import secret_spans

MUCH_TEXT = 256 * 1024  # bytes of files: less than that is not worth a process
MANY_RECORDS = 4_000

Told = Callable[[float], None]  # how far it is, 0..1


class Verified(Frozen, frozen=True, tag="verified"):
    """The journal in the directory ``place``, as its writer tells of it: a `VerifyReport`."""

    place: bytes
    outline: Outline


class CheckpointMade(Frozen, frozen=True, tag="checkpoint"):
    """``at``: local time of the run: a `Checkpoint`."""

    night: Night
    at: str


class Planned(Frozen, frozen=True, tag="continuity"):
    """See `core.continuity.plan.plan`: a `Plan`."""

    night: Night
    pages: dict[bytes, bytes]
    bases: dict[bytes, bytes]
    finished: tuple[bytes, ...] = ()


class Netted(Frozen, frozen=True, tag="net"):
    """What changed files held before and after: a `Net`."""

    changed: tuple[Before, ...]


class Examined(Frozen, frozen=True, tag="qc"):
    """The checks of the night: findings, one a check."""

    facts: QcFacts


Order = Verified | CheckpointMade | Planned | Netted | Examined
Answer = VerifyReport | Checkpoint | Plan | Net | tuple[Finding, ...]


def is_heavy(order: Order) -> bool:
    """Whether it would keep other threads of this process waiting for long."""
    if isinstance(order, Verified):
        return order.outline.last_seq > MANY_RECORDS
    if isinstance(order, Netted):
        return sum(len(each.data or b"") + len(each.after or b"") for each in order.changed) > MUCH_TEXT
    night = order.facts.night if isinstance(order, Examined) else order.night
    return sum(len(each.data) for each in night.files) > MUCH_TEXT


def carried_out(order: Order, told: Told) -> Answer:
    """Raises ConductdError."""
    if isinstance(order, Verified):
        with (
            DirectoryStorage(os.fsdecode(order.place)) as storage,
            closing(Journal.outlined(storage, SystemClock(), order.outline)) as journal,
        ):
            return journal.verify(told)
    if isinstance(order, CheckpointMade):
        return checkpoint(order.night, order.at, secret_spans)
    if isinstance(order, Planned):
        return plan(order.night, order.pages, order.bases, secret_spans, order.finished)
    if isinstance(order, Netted):
        return net(order.changed)
    return examine(order.facts)


def packed(order: Order) -> bytes:
    return msgspec.msgpack.encode(order)


def unpacked(data: bytes) -> Order:
    return msgspec.msgpack.decode(data, type=Order)
