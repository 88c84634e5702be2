"""What people decided, or are asked to decide, folded from the journal: a part of the state.

Plain mutable structs that msgpack can write. Only `engine.state` changes them, through `take`;
it reads nothing but the record it is given.
"""

from __future__ import annotations

import msgspec

from conductd.model import RequestRecord, Stored

REFUSED_KEPT = 200


class AskedFor(msgspec.Struct, omit_defaults=True):
    """A request: when and by whom it was made, and its latest record."""

    id: int
    asked_ns: int
    asked_by: tuple[str, ...]
    record: RequestRecord


class Decided(msgspec.Struct, omit_defaults=True):
    """``requests``: by number, those that wait and those that were refused."""

    requests: dict[int, AskedFor] = msgspec.field(default_factory=dict)

    def take(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, RequestRecord):
            self._request(stored, record)

    def _request(self, stored: Stored, record: RequestRecord) -> None:
        if record.request is None:
            self.requests[stored.seq] = AskedFor(stored.seq, stored.wall_ns, record.caller, record)
            return
        known = self.requests.get(record.request)
        if known is None:
            return
        if record.state in ("confirmed", "expired"):
            del self.requests[record.request]
            return
        known.record = record
        refused = [number for number, each in self.requests.items() if each.record.state == "refused"]
        for number in refused[:-REFUSED_KEPT]:
            del self.requests[number]
