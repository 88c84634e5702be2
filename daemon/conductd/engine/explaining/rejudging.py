"""Judges one recorded change again: its case from the state of that moment and what was kept with the verdict.

Owns the step from a `ChangeRecord` back to a `Case`, and what "the same verdict" means. Gathers as the daemon
gathers; what only that moment could tell (git, leases, files that nobody records) is taken as it was kept.
Reading only. Called by `replaying`, one change after the other, on one thread.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from hashlib import sha256
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from conductd.agents.profiles import PROFILES, known_profiles, profile_named
from conductd.config import Config
from conductd.core.case import Case, Elsewhere, Git, Provenance
from conductd.core.comparing.change import recordable
from conductd.core.judging import inputs
from conductd.core.judging.judge import judge
from conductd.core.reading.entries import Entry, EntryTable
from conductd.core.reading.text import Encoding, LineEnd
from conductd.core.roles import classify
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.cases import Gatherer
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.prints import Prints
from conductd.engine.gathering.tables import Tables
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError
from conductd.model import Action, Change, ChangeRecord, FileState, Role, Severity, Span, Stored, Verdict

GONE = "what the file held is not in the journal any more"
ERASED = "something it rests on was forgotten, and is erased"
UNKNOWN = "the journal does not hold the version"
TOO_LARGE = "it was too large to be judged then"
UNKEPT = "it rests on files that nobody records"
OLDER = "it is older than the keeping of what stood around the file"

FindDigest = Callable[[bytes], int | None]
"""A version that has these bytes, by their digest."""


class Again(NamedTuple):
    """``verdict`` None: it cannot be judged again, ``why`` says why. ``assumed``: nothing was kept with the verdict
    (an older journal), so nothing special was taken to stand around the file. ``given``: places in files that nobody
    records, taken as they were found then."""

    verdict: Verdict | None
    why: str = ""
    assumed: bool = False
    given: int = 0


class Rejudge:
    """See the module. ``state`` is moved on by the caller; ``other``: judge by this configuration instead."""

    def __init__(
        self,
        key: bytes,
        state: State,
        contents: Contents,
        find_digest: FindDigest,
        then: Config,
        other: Config | None = None,
        erased: Collection[int] = (),
    ) -> None:
        """``erased``: versions that an erasure took something out of."""
        self._state, self._contents = state, contents
        self._then, self._other, self._erased = then, other, erased
        self._policy = (other or then).policy()
        self._tables = Tables(key)
        prints = Prints(state, contents, self._tables)
        self._around = _Around(then)
        self._gatherer = _Gatherer(state, contents, self._around, prints, self._policy, self._around, key)
        self._gatherer.find_digest = find_digest
        self._given: dict[bytes, EntryTable] = {}

    def verdict(self, stored: Stored, record: ChangeRecord) -> Again:
        """The verdict now; the state must be as of the record's own `as_of`."""
        if record.verdict.rule == "too-large":
            return Again(None, TOO_LARGE)
        file = self._state.files.get(record.file)
        since = [seen for seen in file.since if seen.seq <= record.version_seq] if file is not None else []
        if file is None or not since or since[-1].seq != record.version_seq:
            return Again(None, UNKNOWN)
        file = structs.replace(file, since=since)
        try:
            known = inputs.given(record.inputs) if record.inputs else {}
            now = inputs.now_ns(record.inputs, since[-1].at_ns) if record.inputs else stored.wall_ns
        except msgspec.MsgspecError:
            known, now = {}, stored.wall_ns
        self._around.now_ns = now
        self._around.config = self._then
        case = self._case(file, known)
        rests_on = [each.seq for each in (*since, *case.versions, case.baseline, file.baseline) if each is not None]
        if any(seq in self._erased for seq in rests_on):
            return Again(None, ERASED)
        if not self._is_whole(file, case):
            return Again(None, GONE)
        self._gatherer.recorded = found_elsewhere(record)
        self._gatherer.given = self._given = {}
        found = self._judged(case, file, record)
        self._tables.trim()
        return Again(recordable(found), assumed=not known, given=len(self._given))

    # ------------------------------------------------------------------ the case

    def _case(self, file: FileTrack, known: dict[str, Any]) -> Case:
        role = self._role(file, known.get("role"))
        case = self._gatherer.case(file, role)
        if not known:
            return structs.replace(case, parent_missing=False)
        values = known | {"role": role}
        if self._other is not None:
            # What was kept and is what the configuration in force says, the other one may say differently.
            self._around.config = self._other
            newer = self._gatherer.case(file, role)
            self._around.config = self._then
            for name in inputs.CONFIGURED:
                if values[name] == getattr(case, name):
                    values[name] = getattr(newer, name)
        return structs.replace(case, **values)

    def _role(self, file: FileTrack, kept: Role | None) -> Role:
        track = self._state.workspaces.get(file.workspace)
        root = track.root if track is not None else b""
        own = self._then.role(root, file.path)
        profiles = known_profiles(each.chain() for each in self._then.agents) if self._then.agents else PROFILES
        profile = profile_named(track.profile if track else "", profiles)
        usual = classify(file.path, profile=profile.roles) or Role.TOPIC
        role = kept or own or usual
        if self._other is not None:
            wanted = self._other.role(root, file.path)
            if wanted != own:
                return wanted or usual
        return role

    def _is_whole(self, file: FileTrack, case: Case) -> bool:
        """Every text is there, and is the one that was recorded (a redacted one is not)."""
        base = file.baseline
        held = case.baseline.seq if case.baseline is not None else None
        if base is not None and base.state is FileState.FILE and held != base.seq:
            return False
        texts = [(each.digest, each.data) for each in case.versions if each.state is FileState.FILE]
        texts += [(case.baseline.digest, case.baseline.data)] if case.baseline is not None else []
        return all(data is not None and sha256(data).digest() == digest for digest, data in texts)

    # ------------------------------------------------------------------ the verdict

    def _judged(self, case: Case, file: FileTrack, record: ChangeRecord) -> Verdict:
        verdict = judge(case, self._policy, self._table)
        if verdict.change.lost:
            base = self._table(case.baseline.data, case.key, case.baseline.digest) if case.baseline else None
            self._gatherer.before = {e.fingerprint: e for e in base.entries} if base is not None else {}
            case = self._gatherer.searched(case, file, verdict)
            verdict = judge(case, self._policy, self._table)
        return as_answered(verdict, record.verdict)

    def _table(self, data: bytes, key: bytes, digest: bytes | None = None, /) -> EntryTable:
        given = self._given.get(digest) if digest is not None else None
        return given if given is not None else self._tables(data, key, digest)


class _Around:
    """The surroundings, as far as they are not kept: none; and the moment."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.now_ns = 0

    def wall_ns(self) -> int:
        return self.now_ns

    def handle(self, workspace: str) -> Handle | None:  # noqa: ARG002 - the directory of that moment is no more
        return None

    def is_current(self, handle: Handle) -> bool:  # noqa: ARG002 - as above
        return True

    def git(self, workspace: str) -> Git:  # noqa: ARG002 - kept with the verdict
        return Git()

    def provenance(self, workspace: str, path: bytes) -> Provenance | None:  # noqa: ARG002 - kept with the verdict
        return None


class _Gatherer(Gatherer):
    """Gathers as the daemon does, but finds in files that nobody records what was found there then."""

    recorded: dict[bytes, tuple[bytes, list[tuple[Span, int]]]] = {}  # noqa: RUF012 - set before each question
    before: dict[bytes, Entry] = {}  # noqa: RUF012 - as above
    given: dict[bytes, EntryTable] = {}  # noqa: RUF012 - as above
    find_digest: FindDigest

    def elsewhere(self, file: FileTrack, lost: Iterable[Span]) -> tuple[Elsewhere, ...]:
        found = {each.path: each for each in super().elsewhere(file, lost)}
        for path, (digest, places) in self.recorded.items():
            if path in found and found[path].digest == digest:
                continue
            data = self._recorded_bytes(file.workspace, path, digest)
            if data is None:
                self.given[digest] = standing(places, self.before)
            stood = found[path].stood if path in found else frozenset()
            found[path] = Elsewhere(path, digest, data or b"", stood)
        return tuple(found[path] for path in sorted(found))

    def spares(
        self,
        case: Case,
        file: FileTrack,  # noqa: ARG002 - what lay around it then is kept
        first: Verdict,  # noqa: ARG002 - as above
        found: Iterable[Elsewhere],  # noqa: ARG002 - as above
    ) -> tuple[bytes, ...]:
        return case.spare

    def _recorded_bytes(self, workspace: str, path: bytes, digest: bytes) -> bytes | None:
        other = self._state.track(workspace, path)
        seen = self._contents.find(other, digest) if other is not None else None
        seq = seen.seq if seen is not None else self.find_digest(digest)
        if seq is None:
            return None
        try:
            return self._contents.get(seq)
        except ConductdError:
            return None


def found_elsewhere(record: ChangeRecord) -> dict[bytes, tuple[bytes, list[tuple[Span, int]]]]:
    """By path of what held something of it: its digest then, and which entries stood there on which line."""
    found: dict[bytes, tuple[bytes, list[tuple[Span, int]]]] = {path: (digest, []) for path, digest in record.elsewhere}
    for place in record.verdict.change.moved:
        if place.path in found:
            found[place.path][1].append((place.old, place.line))
    return found


def standing(places: list[tuple[Span, int]], before: dict[bytes, Entry]) -> EntryTable:
    """A text known by what was found in it alone."""
    entries = [
        before[span.fingerprint]._replace(line=line, last_line=line, headings=())
        for span, line in sorted(places, key=lambda place: place[1])
        if span.fingerprint in before
    ]
    return EntryTable(tuple(entries), Encoding.UTF_8, LineEnd.LF, entries[-1].line if entries else 0)


# --------------------------------------------------------------------------- the same?


def as_answered(verdict: Verdict, recorded: Verdict) -> Verdict:
    """A write that could not be made was recorded as a proposal: the judge had wanted it all the same."""
    reason = recorded.facts.get("refused")
    if reason is None or verdict.action not in (Action.MERGE, Action.REVERT):
        return verdict
    facts = {**verdict.facts, "refused": reason}
    return structs.replace(verdict, action=Action.PROPOSE, severity=Severity.NOTICE, facts=facts, debt=True)


def same_decision(one: Verdict, two: Verdict) -> bool:
    """What happened and what is to be done about it, whatever the figures."""
    return _decision(one) == _decision(two)


def _decision(verdict: Verdict) -> tuple[str, str, str, str]:
    return (verdict.event_class, verdict.action, verdict.severity, verdict.rule)


def same_verdict(one: Verdict, two: Verdict, record: ChangeRecord) -> bool:
    """Equal in everything that is recorded, but for how alike an entry is to the one it was found as in a file that
    nobody records: that was measured against words that are not kept."""
    return _comparable(one, record) == _comparable(two, record)


def _comparable(verdict: Verdict, record: ChangeRecord) -> Verdict:
    elsewhere = {path for path, _ in record.elsewhere}
    moved = [structs.replace(m, similarity=1.0) if m.path in elsewhere else m for m in verdict.change.moved]
    ordered = tuple(sorted(moved, key=lambda place: (place.old.line, place.old.last_line)))
    change: Change = structs.replace(verdict.change, moved=ordered)
    return structs.replace(verdict, change=change, judge_version=0)
