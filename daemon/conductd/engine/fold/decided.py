"""What people decided, or are asked to decide, folded from the journal: a part of the state.

Plain mutable structs that msgpack can write. Only `engine.fold.state` changes them, through `take`;
it reads nothing but the record it is given.
"""

from __future__ import annotations

import msgspec

from conductd.core.globs import matches
from conductd.model import NO_FALSE_ALARM, DecisionRecord, RequestRecord, Role, Stored

REFUSED_KEPT = 200
# How long one that ran out is known: what was written under it can be found by a start long after.
RUN_OUT_KEPT_NS = 30 * 86_400_000_000_000
MEANT_KEPT = 1_000
ASKED_KEPT = 1_000


class AskedFor(msgspec.Struct, omit_defaults=True):
    """A request: when and by whom it was made, and its latest record."""

    id: int
    asked_ns: int
    asked_by: tuple[str, ...]
    record: RequestRecord


class Lease(msgspec.Struct, omit_defaults=True):
    """Somebody said: I am at this file (or directory) until then. ``id`` is the sequence of the decision."""

    id: int
    workspace: str
    path: bytes  # relative; "" is the whole workspace
    since_ns: int
    until_ns: int
    holder: str = ""  # "human:vim" of `conductd edit`; else nobody in particular
    caller: tuple[str, ...] = ()

    def is_for(self, workspace: str, path: bytes) -> bool:
        return self.workspace == workspace and (path == self.path or not self.path or path.startswith(self.path + b"/"))


class LearnedRole(msgspec.Struct, omit_defaults=True):
    """What a person said that files like these are for. ``id`` is the sequence of the decision."""

    id: int
    workspace: str
    glob: str
    role: Role


class Restore(msgspec.Struct, omit_defaults=True):
    """A restore to a time that is not done yet: a file could not be written, or the daemon ended. ``id``, the
    sequence of the decision, is the number of the set. ``wish``: the time, in words that are compared."""

    id: int
    path: bytes  # of the directory; "" is every workspace
    wish: str


class Meant(msgspec.Struct, omit_defaults=True):
    """A loss that a person accepted, or a repair that one undid. ``wrong``: it counts as a false positive."""

    at_ns: int
    workspace: str
    path: bytes
    incident: int
    rule: str
    wrong: bool = False


class Decided(msgspec.Struct, omit_defaults=True):
    """``requests``: by number, those that wait and those that were refused. ``leases``: by number, with those
    that ran out lately. ``roles``: the newest last. ``asked``: (workspace, glob) that a person was asked about.
    ``meant``: oldest first. ``wrong_rules``: false positives of each rule, ever. ``settings``: what the
    configuration said of protection when the daemon last started. ``restore``: the last one to a time, until it
    is done."""

    requests: dict[int, AskedFor] = msgspec.field(default_factory=dict)
    leases: dict[int, Lease] = msgspec.field(default_factory=dict)
    roles: list[LearnedRole] = msgspec.field(default_factory=list)
    asked: list[tuple[str, str]] = msgspec.field(default_factory=list)
    meant: list[Meant] = msgspec.field(default_factory=list)
    wrong_rules: dict[str, int] = msgspec.field(default_factory=dict)
    settings: bytes = b""
    restore: Restore | None = None

    # ------------------------------------------------------------------ reading

    def lease(self, workspace: str, path: bytes, at_ns: int) -> Lease | None:
        """The one of this file that stood, or stands, at that time; of several the one that ends last."""
        if not self.leases:
            return None
        found = [each for each in self.leases.values() if at_ns < each.until_ns and each.is_for(workspace, path)]
        return max(found, key=lambda each: (each.holder != "", each.until_ns), default=None)

    def role(self, workspace: str, path: bytes) -> Role | None:
        """What a person said; the newest that fits."""
        if not self.roles:
            return None
        fits = (each.role for each in reversed(self.roles) if each.workspace == workspace and matches(each.glob, path))
        return next(fits, None)

    # ------------------------------------------------------------------ changing

    def take(self, stored: Stored) -> None:
        record = stored.record
        if isinstance(record, RequestRecord):
            self._request(stored, record)
        elif isinstance(record, DecisionRecord):
            if record.decision == "lease":
                self._lease(stored, record)
            elif record.decision == "lease_end" and record.of is not None:
                self.leases.pop(record.of, None)
            elif record.decision in ("role", "role_forgotten"):
                self._role(stored, record)
            elif record.decision == "role_asked":
                self.asked.append((record.workspace, record.path.decode("utf-8", "surrogateescape")))
                del self.asked[:-ASKED_KEPT]
            elif record.decision == "settings":
                self.settings = record.settings
            elif record.decision == "restore_at":
                self.restore = Restore(stored.seq, record.path, record.detail)
            elif record.decision == "restore_at_end" and self.restore is not None and self.restore.id == record.of:
                self.restore = None
            if record.decision == "accept" or record.rule:
                self._meant(stored, record)
            elif record.decision == "undo":  # an acceptance was taken back, or a repair done again
                if record.detail == NO_FALSE_ALARM:
                    self._not_wrong(record)
                self.meant = [
                    each for each in self.meant if (each.path, each.incident) != (record.path, record.incident)
                ]

    def _request(self, stored: Stored, record: RequestRecord) -> None:
        if record.request is None:
            self.requests[stored.seq] = AskedFor(stored.seq, stored.wall_ns, record.caller, record)
            return
        known = self.requests.get(record.request)
        if known is None:
            return
        if record.state in ("confirmed", "expired", "withdrawn"):
            del self.requests[record.request]
            return
        known.record = record
        refused = [number for number, each in self.requests.items() if each.record.state == "refused"]
        for number in refused[:-REFUSED_KEPT]:
            del self.requests[number]

    def _lease(self, stored: Stored, record: DecisionRecord) -> None:
        known = self.leases.get(record.of) if record.of is not None else None
        if known is not None:
            known.until_ns = record.until_ns
            return
        for number, each in list(self.leases.items()):
            if each.until_ns < stored.wall_ns - RUN_OUT_KEPT_NS:
                del self.leases[number]
        self.leases[stored.seq] = Lease(
            stored.seq, record.workspace, record.path, stored.wall_ns, record.until_ns, record.detail, record.caller
        )

    def _role(self, stored: Stored, record: DecisionRecord) -> None:
        glob = record.path.decode("utf-8", "surrogateescape")
        self.roles = [each for each in self.roles if (each.workspace, each.glob) != (record.workspace, glob)]
        if record.decision == "role" and record.detail in tuple(Role):
            self.roles.append(LearnedRole(stored.seq, record.workspace, glob, Role(record.detail)))

    def _not_wrong(self, record: DecisionRecord) -> None:
        """It was counted once for the incident, under the rule of one of its files."""
        counted = next((each for each in self.meant if each.wrong and each.incident == record.incident), None)
        if counted is None:
            return
        counted.wrong = False
        self.wrong_rules[counted.rule] = self.wrong_rules.get(counted.rule, 0) - 1
        if self.wrong_rules[counted.rule] <= 0:
            del self.wrong_rules[counted.rule]

    def _meant(self, stored: Stored, record: DecisionRecord) -> None:
        if record.false_positive and record.rule:
            self.wrong_rules[record.rule] = self.wrong_rules.get(record.rule, 0) + 1
        if record.incident is None or not record.path:
            return
        what = (record.workspace, record.path, record.incident)
        known = next((each for each in self.meant if (each.workspace, each.path, each.incident) == what), None)
        if known is not None:
            known.wrong = known.wrong or record.false_positive
            return
        self.meant.append(Meant(stored.wall_ns, *what, record.rule, record.false_positive))
        del self.meant[:-MEANT_KEPT]
