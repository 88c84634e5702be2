"""One file's story without a daemon: versions, verdicts and repairs folded as the engine folds them.

Pure: texts in, texts out. Baseline, earlier baselines and the sides of lost updates are kept by the same rules as
in `engine.fold.state`; whatever a verdict wants written is written at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256

from conductd.core.case import Case, Text, Write
from conductd.core.judging.judge import judge
from conductd.core.merging.outcome import target
from conductd.core.policy import Policy
from conductd.core.reading.entries import TableSource, entry_table
from conductd.core.roles import classify
from conductd.engine.fold.baselines import EARLIER_BASELINES
from conductd.engine.fold.state import DESTRUCTIVE
from conductd.engine.fold.tracks import Seen, still_had
from conductd.model import Action, Cause, EventClass, FileState, Mode, Role, Verdict
from support.cases import KEY, START_NS, who


@dataclass
class Story:
    """``data`` is what stands on disk. ``told``: every verdict so far."""

    path: bytes
    data: bytes
    policy: Policy = field(default_factory=Policy)
    table_of: TableSource = entry_table
    now_ns: int = START_NS
    seq: int = 1
    told: list[Verdict] = field(default_factory=list)
    watch: Callable[[Case, Verdict], None] | None = None

    def __post_init__(self) -> None:
        self.baseline = self._text(self.data, "unknown")
        self.earlier: list[Text] = []
        self.since: list[Write] = []
        self.copied: set[int] = set()

    def write(self, data: bytes, by: str, after_s: float) -> None:
        """Some time passes, then somebody writes. What was quiet for long enough is judged before."""
        if after_s * 1000 >= self.policy.waits.quiet_ms:
            self.settle()
        self.now_ns += int(after_s * 1_000_000_000)
        if data == self.data:
            return
        self.seq += 1
        self.data = data
        digest = sha256(data).digest()
        self.since.append(Write(self.seq, FileState.FILE, self.now_ns, who(by), data, digest, len(data)))

    def settle(self) -> Verdict | None:
        """Judge what was written since, and do what the verdict wants."""
        if not self.since:
            return None
        case = Case(
            path=self.path,
            role=classify(self.path) or Role.TOPIC,
            mode=Mode.PROTECT,
            now_ns=self.now_ns + 250_000_000,
            key=KEY,
            versions=tuple(self.since),
            baseline=self.baseline,
            earlier=tuple(self.earlier),
        )
        verdict = judge(case, self.policy, self.table_of)
        self.told.append(verdict)
        if self.watch is not None:
            self.watch(case, verdict)
        self._fold(case, verdict)
        return verdict

    def _fold(self, case: Case, verdict: Verdict) -> None:
        if verdict.event_class is EventClass.LOST_UPDATE:
            self.copied |= {int(seq) for seq in str(verdict.facts.get("sides", "")).split(",") if seq}
        last = self.since[-1]
        if verdict.action in (Action.MERGE, Action.REVERT):
            wanted = target(case, verdict, self.policy)
            if wanted is not None:
                self.seq += 1
                self.data = wanted
                self._rebase(self._text(wanted, "conductd"))
                return
        assert last.data is not None
        assert last.digest is not None
        destructive = verdict.event_class in DESTRUCTIVE
        self._rebase(Text(last.seq, last.digest, last.data, last.at_ns, last.actor, destructive))

    def _rebase(self, text: Text) -> None:
        seen = [
            Seen(w.seq, w.state, w.at_ns, Cause.CHANGE, w.digest, w.size, actor=w.actor, copied=w.seq in self.copied)
            for w in self.since
        ]
        now = Seen(text.seq, FileState.FILE, text.at_ns, Cause.CHANGE, text.digest, len(text.data), actor=text.actor)
        had = {each.seq for each in still_had(seen, now)}
        sides = [
            Text(w.seq, w.digest, w.data, w.at_ns, w.actor)
            for w in self.since
            if w.seq in had and w.data is not None and w.digest is not None
        ]
        for old in (self.baseline, *sides):
            if old.digest != text.digest:
                self.earlier.insert(0, old)
        del self.earlier[EARLIER_BASELINES:]
        self.baseline = text
        self.since = []

    def _text(self, data: bytes, by: str) -> Text:
        return Text(self.seq, sha256(data).digest(), data, self.now_ns, who(by))
