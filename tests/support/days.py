"""A workspace over days, judged write by write as the daemon does it: baselines, ledgers and pins grow with it."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from msgspec import structs

from conductd.core.case import Case, Elsewhere, LedgerLine, Neighbour, Text, Write
from conductd.core.judging.judge import judge
from conductd.core.losses.erosion import entered, line_of, started_anew
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.core.roles import classify
from conductd.model import UNKNOWN, Action, EventClass, FileState, Mode, Role, Verdict
from support.cases import KEY, START_NS, raw, who

HOUR_NS = 3_600_000_000_000


class File:
    """One file: what stands in it, its ledger, and every text it ever held by sequence."""

    def __init__(self, number: int, path: bytes) -> None:
        self.number, self.path = number, path
        self.baseline: Text | None = None
        self.ledger: list[LedgerLine] = []
        self.texts: dict[int, bytes] = {}
        self.first_sight = True


class Days:
    """See the module. `hour` is the clock; a write is judged before the next one."""

    def __init__(self, policy: Policy | None = None, **of_case: object) -> None:
        self.policy = policy or Policy()
        self.of_case = of_case
        self.files: dict[bytes, File] = {}
        self.pins: dict[bytes, tuple[bytes, int]] = {}
        self.accepted: frozenset[bytes] = frozenset()
        self.seq = 0
        self.hour = 0.0
        self.case: Case | None = None

    def seen(self, path: str, text: str | bytes) -> None:
        """First sight of a file."""
        file = self.files.setdefault(path.encode(), File(len(self.files) + 1, path.encode()))
        file.baseline = self._text(file, raw(text), "unknown")

    def write(self, path: str, text: str | bytes, by: str = "agent:main", after_h: float = 12.0) -> Verdict:
        """A write some hours after the one before; what the daemon would make of it stands there then."""
        self.hour += after_h
        file = self.files.setdefault(path.encode(), File(len(self.files) + 1, path.encode()))
        new = self._text(file, raw(text), by)
        write = Write(new.seq, FileState.FILE, new.at_ns, new.actor, new.data, new.digest, len(new.data))
        self.case = Case(
            path=file.path,
            role=classify(file.path) or Role.TOPIC,
            mode=Mode.PROTECT,
            now_ns=new.at_ns + 1_000_000_000,
            key=KEY,
            versions=(write,),
            baseline=file.baseline,
            elsewhere=tuple(
                Elsewhere(f.path, f.baseline.digest, f.baseline.data)
                for f in self.files.values()
                if f is not file and f.baseline is not None
            ),
            ledger=tuple(file.ledger),
            bases=tuple(self._bases(file, file.ledger)),
            neighbours=tuple(self._neighbours(file, by)),
            accepted=self.accepted,
            pins=frozenset(self.pins),
            first_sight=file.first_sight,
        )
        self.case = structs.replace(self.case, **self.of_case)
        verdict = judge(self.case, self.policy)
        self._take(file, verdict, new)
        return verdict

    def now(self, path: str) -> str:
        held = self.files[path.encode()].baseline
        assert held is not None
        return held.data.decode()

    def accept(self, path: str, marks: Iterable[bytes]) -> None:
        self.accepted |= frozenset(marks)
        file = self.files[path.encode()]
        file.ledger = started_anew(file.ledger, frozenset(marks))

    def _take(self, file: File, verdict: Verdict, new: Text) -> None:
        base = file.baseline
        if verdict.pins is not None:
            self.pins |= {s.fingerprint: (file.path, s.line) for s in (*verdict.pins.before, *verdict.pins.pinned)}
            for mark in verdict.pins.unpinned:
                self.pins.pop(mark, None)
        written = target(self.case, verdict, self.policy) if self.case is not None else None
        if written is not None:
            file.baseline = self._text(file, written, "conductd")
        else:
            line = line_of(verdict, base.seq if base else None, new.seq, new.at_ns, new.actor.name)
            if line is not None:
                file.ledger = entered(file.ledger, line)
            file.baseline = new
        file.first_sight = False

    def _text(self, file: File, data: bytes, by: str) -> Text:
        self.seq += 1
        file.texts[self.seq] = data
        return Text(self.seq, sha256(data).digest(), data, START_NS + int(self.hour * HOUR_NS), who(by))

    def _bases(self, file: File, ledger: Iterable[LedgerLine]) -> Iterable[Text]:
        for seq in dict.fromkeys(line.base_seq for line in ledger if line.spans):
            yield Text(seq, sha256(file.texts[seq]).digest(), file.texts[seq], 0, UNKNOWN)

    def _neighbours(self, file: File, by: str) -> Iterable[Neighbour]:
        for other in self.files.values() if by != "unknown" else ():
            mine = tuple(line for line in other.ledger if line.actor == by)
            if other is not file and any(line.spans for line in mine) and other.baseline is not None:
                bases = tuple(self._bases(other, mine))
                yield Neighbour(other.number, other.path, mine, other.baseline.data, bases)


def is_erosion(verdict: Verdict) -> bool:
    assert verdict.event_class is not EventClass.EROSION or verdict.action is Action.PROPOSE
    return verdict.event_class is EventClass.EROSION
