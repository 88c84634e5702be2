"""Puts the case of a verdict together again from the index, to try out what would have changed it.

Owns nothing that is decided: what it recalls is an approximation (of what lay before, only what the verdict names),
so it is used only where judging it gives the recorded decision. Reading only; any thread.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import structs

from conductd.core.case import Case, Elsewhere, Text, Write
from conductd.core.judging import inputs
from conductd.core.judging.judge import judge
from conductd.core.judging.otherwise import Tried, tried_out
from conductd.core.policy import Policy
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.engine.explaining.rejudging import as_answered, found_elsewhere, same_decision, standing
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.ledgers import Ledgers
from conductd.engine.gathering.tables import Tables
from conductd.errors import ConductdError
from conductd.index.reader import IndexReader
from conductd.model import Actor, Cause, ChangeRecord, FileState, Mode, Role
from conductd.views import VersionView

VERSIONS = 16  # between the baseline and the version judged
LARGEST = 1024 * 1024  # bytes of a text; a larger one takes too long for an answer


class Recall:
    """See the module."""

    def __init__(self, state: State, reader: IndexReader, contents: Contents, policy: Policy, key: bytes) -> None:
        self._state, self._reader, self._contents = state, reader, contents
        self._policy, self._key = policy, key
        self._ledgers = Ledgers(state, contents)

    def take(self, policy: Policy) -> None:
        self._policy = policy

    def otherwise(self, record: ChangeRecord) -> Tried | None:
        """What it would have taken; None where the decision cannot be made again like this."""
        given: dict[bytes, EntryTable] = {}
        tables = Tables(self._key)

        def table_of(data: bytes, key: bytes, digest: bytes | None = None, /) -> EntryTable:
            known = given.get(digest) if digest is not None else None
            return known if known is not None else tables(data, key, digest)

        case = self._case(record, given)
        if case is None:
            return None
        found = as_answered(judge(case, self._policy, table_of), record.verdict)
        return tried_out(case, self._policy, table_of) if same_decision(found, record.verdict) else None

    def _case(self, record: ChangeRecord, given: dict[bytes, EntryTable]) -> Case | None:
        if not record.inputs:
            return None
        try:
            around = inputs.given(record.inputs)
        except msgspec.MsgspecError:
            return None
        file = self._state.files.get(record.file)
        base = self._text(record.baseline_seq)
        versions = self._versions(record)
        if file is None or base is None or not versions or versions[-1].seq != record.version_seq:
            return None
        if max(len(base.data), len(versions[-1].data or b"")) > LARGEST:
            return None
        older = [self._text(seq) for seq in _named(record) if seq < base.seq]
        case = Case(
            path=record.path,
            role=Role.TOPIC,
            mode=Mode.PROTECT,
            now_ns=inputs.now_ns(record.inputs, versions[-1].at_ns),
            key=self._key,
            versions=versions,
            baseline=base,
            earlier=tuple(text for text in sorted(filter(None, older), key=lambda text: -text.seq)),
            elsewhere=self._elsewhere(record, base, given),
        )
        if around["leased"]:
            around["versions"] = tuple(structs.replace(each, leased=True) for each in versions)
        case = structs.replace(case, **around)
        return self._with_what_is_known(case, file, record)

    def _with_what_is_known(self, case: Case, file: FileTrack, record: ChangeRecord) -> Case:
        """What the state says now stands for what it said then, where the rule rests on it."""
        more: dict[str, Any] = {}
        with self._state.lock:
            workspace = self._state.workspaces.get(record.workspace)
            if record.verdict.rule == "accepted":
                more["accepted"] = frozenset(file.accepted)
            if workspace is not None:
                more["pins"] = frozenset(workspace.pins)
            if record.verdict.writes:
                more["ledger"] = tuple(line for line in file.ledger if line.seq < record.version_seq)
        case = structs.replace(case, **more)
        return self._ledgers.into(case, file) if record.verdict.writes else case

    def _versions(self, record: ChangeRecord) -> tuple[Write, ...]:
        since = record.baseline_seq or 0
        views = self._reader.versions([record.file], VERSIONS, record.version_seq + 1)
        wanted = [view for view in reversed(views) if view.seq > since and view.cause != Cause.SWAPPED_OUT]
        return tuple(self._write(view) for view in wanted)

    def _write(self, view: VersionView) -> Write:
        state = FileState(view.state)
        data = self._bytes(view.seq) if state is FileState.FILE else None
        digest = bytes.fromhex(view.digest) if view.digest else None
        actor = Actor(view.actor, view.confidence, tuple(view.evidence))
        offline = view.cause == Cause.OFFLINE
        return Write(view.seq, state, view.at_ns, actor, data, digest, view.size, None, offline)

    def _text(self, seq: int | None) -> Text | None:
        view = self._reader.version(seq) if seq is not None else None
        data = self._bytes(view.seq) if view is not None and view.state == FileState.FILE else None
        if view is None or data is None or view.digest is None:
            return None
        actor = Actor(view.actor, view.confidence, tuple(view.evidence))
        return Text(view.seq, bytes.fromhex(view.digest), data, view.at_ns, actor)

    def _bytes(self, seq: int) -> bytes | None:
        try:
            return self._contents.get(seq)
        except ConductdError:
            return None

    def _elsewhere(self, record: ChangeRecord, base: Text, given: dict[bytes, EntryTable]) -> tuple[Elsewhere, ...]:
        before = {e.fingerprint: e for e in entry_table(base.data, self._key).entries} if record.elsewhere else {}
        found = []
        for path, (digest, places) in sorted(found_elsewhere(record).items()):
            seqs = self._reader.resolve_digest(digest.hex())
            data = self._bytes(seqs[0]) if seqs else None
            if data is None:
                given[digest] = standing(places, before)
            found.append(Elsewhere(path, digest, data or b""))
        return tuple(found)


def _named(record: ChangeRecord) -> list[int]:
    """Earlier versions that the verdict speaks of."""
    base = record.verdict.base_seq
    sides = str(record.verdict.facts.get("sides", "")).split(",")
    return [*([base] if base is not None else []), *(int(seq) for seq in sides if seq.isdecimal())]
