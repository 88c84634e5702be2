"""Gathers a `Case` for the judge from state, journal and workspace.

The judge is pure; everything it needs is put on the table here. Reading only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from typing import Protocol

import msgspec

from conductd.config import Config
from conductd.core.case import Case, Elsewhere, Git, Provenance, Text, Write
from conductd.core.comparing.examined import EXAMINED, examined, falls, unshared
from conductd.core.globs import actor_matches, matches
from conductd.core.judging.charge import is_leased, trusted_name
from conductd.core.losses.conflict_copy import is_copy_beside, originals
from conductd.core.losses.pointers import named
from conductd.core.policy import Policy
from conductd.core.roles import is_rotated, is_throw_away
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen, with_text
from conductd.engine.gathering.brought import brought
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.ledgers import Ledgers
from conductd.engine.gathering.prints import Prints
from conductd.engine.gathering.spares import inner_workspaces, spares, written_ns
from conductd.engine.workspaces import Handle
from conductd.model import Cause, FileState, Mode, Role, Span, Verdict
from conductd.watch.reader import PARENT_MISSING, ROOT_MISSING, observe
from conductd.watch.search import Searched, Stamp, search

HELD_BYTES = 32 * 1024 * 1024  # of versions, and of earlier baselines, in one case: at least a few of each
LEAST_VERSIONS = 4
EARLIER_OF_COPY = 3  # older texts of a file that a conflict copy is compared with
GONE_KEPT = 256  # files of one case
COMPARED_BYTES = 64 * 1024 * 1024  # read to choose among many versions; beyond it their sizes must do


class Surroundings(Protocol):
    """What stands around the files: the workspaces, or (in a replay) what was kept of them."""

    @property
    def config(self) -> Config: ...

    def handle(self, workspace: str) -> Handle | None: ...

    def is_current(self, handle: Handle) -> bool: ...

    def git(self, workspace: str) -> Git: ...

    def provenance(self, workspace: str, path: bytes) -> Provenance | None: ...


class WallClock(Protocol):
    def wall_ns(self) -> int: ...


_PERSONAL = (Cause.FIRST_SIGHT, Cause.RESTORE)  # nobody whom we saw wrote it, or it was asked for


class Gatherer:
    """See the module. Judge thread only."""

    def __init__(
        self,
        state: State,
        contents: Contents,
        workspaces: Surroundings,
        prints: Prints,
        policy: Policy,
        clock: WallClock,
        key: bytes,
    ) -> None:
        self._state, self._contents, self._workspaces = state, contents, workspaces
        self._prints, self._policy, self._clock, self._key = prints, policy, clock, key
        self.is_committed: Callable[[FileTrack], bool] = lambda _file: False  # what git took from it just now
        self._ledgers = Ledgers(state, contents, policy.thresholds)

    def take(self, policy: Policy) -> None:
        self._policy = policy
        self._ledgers = Ledgers(self._state, self._contents, policy.thresholds)

    def case(self, file: FileTrack, role: Role) -> Case:
        """Everything but `elsewhere`."""
        with self._state.lock:
            as_of, versions = self._state.last_seq, list(file.since)
            told = frozenset(self._state.forgotten.told)
        since = self._examined(versions)
        base = file.baseline
        now_ns = self._clock.wall_ns()
        config = self._workspaces.config
        writer = trusted_name(since[-1].actor)
        consolidator = next((each for each in config.consolidators if actor_matches(each.actor, writer)), None)
        earlier = self._earlier(file)
        return Case(
            path=file.path,
            role=role,
            mode=Mode.PROTECT,
            now_ns=now_ns,
            key=self._key,
            versions=tuple(self.write(seen) for seen in since),
            baseline=self._text(base) or self._older(base, earlier),
            earlier=earlier,
            git=self._git(file),
            provenance=self._workspaces.provenance(file.workspace, file.path),
            accepted=frozenset(file.accepted),
            retention=any(
                actor_matches(job.actor, writer) and matches(job.match, file.path) for job in config.retention_jobs
            ),
            consolidator=consolidator is not None,
            max_net_loss=consolidator.max_net_loss if consolidator is not None else None,
            append_only_writer=any(actor_matches(each, writer) for each in config.append_only_writers),
            restored_ns=file.restored_ns,
            parent_missing=self._parent_missing(file) if since[-1].state is FileState.ABSENT else False,
            baseline_is_link=base.link_target if base else None,
            renamed_to=self._renamed_to(file) if since[-1].state is FileState.ABSENT else None,
            renamed_from=self._renamed_from(file) if base is None else None,
            ledger=tuple(file.ledger),
            copy_of=self._copy_of(file),
            dehydrated=self._dehydrated(file) if since[-1].state is FileState.ABSENT else False,
            as_of=as_of,
            told=told,
            leased=all(is_leased(seen) for seen in since),
            pins=self._pins(file),
            pinned=config.pinned_in(file.path),
            first_sight=base is not None and base.cause in _PERSONAL and not file.marks_read,
        )

    def _copy_of(self, file: FileTrack) -> tuple[Elsewhere, ...]:
        """By its name: what the file holds, and held, that this may be a sync client's copy of."""
        for name in originals(file.path):
            with self._state.lock:
                other = self._state.track(file.workspace, name)
                seen = (other.head, other.baseline, *other.earlier[:EARLIER_OF_COPY]) if other is not None else ()
            texts = {text.digest: text for each in seen if each is not None and (text := self._text(each)) is not None}
            if other is not None and texts:
                found = tuple(Elsewhere(name, text.digest, text.data) for text in texts.values())
                is_there = other.head is not None and other.head.state is FileState.FILE
                return found if is_there else (Elsewhere(name, sha256(b"").digest(), b""), *found)
        return ()

    def _pins(self, file: FileTrack) -> frozenset[bytes]:
        with self._state.lock:
            workspace = self._state.workspaces.get(file.workspace)
            return frozenset(workspace.pins) if workspace is not None else frozenset()

    def _git(self, file: FileTrack) -> Git:
        now = self._workspaces.git(file.workspace)
        return msgspec.structs.replace(now, committed=True) if self.is_committed(file) else now

    def _earlier(self, file: FileTrack) -> tuple[Text, ...]:
        found: list[Text] = []
        room = HELD_BYTES
        for seen in file.earlier:
            text = self._text(seen) if seen.size <= room or not found else None
            if text is not None:
                found.append(text)
                room -= len(text.data)
        return tuple(found)

    def _examined(self, since: list[Seen]) -> list[Seen]:
        """The versions to look at. The last good state before a loss is among them, however much was
        written before and after it."""
        most = min(EXAMINED, max(LEAST_VERSIONS, HELD_BYTES // max(1, *(seen.size for seen in since))))
        if len(since) <= most:
            return since
        since = with_text(since)
        gone = falls([s.size for s in since])
        if len(since) > most and sum(s.size for s in since) <= COMPARED_BYTES:
            before = self._contents.of(since[0]) or b""
            for index, seen in enumerate(since[1:]):
                data = self._contents.of(seen) or b""
                gone[index], before = unshared(before, data), data
        return [since[index] for index in examined(gone, most)]

    def searched(self, case: Case, file: FileTrack, first: Verdict) -> Case:
        """The case with everything that is looked for only when something is lost, as ``first`` says."""
        lost = first.change.lost
        lately = self._ledgers.marks(file, trusted_name(case.versions[-1].actor))
        found = self.elsewhere(file, (*lost, *lately))
        now = case.versions[-1].data or b""
        copies = tuple(e for e in found if is_copy_beside(file.path, now, e.path, e.data))
        spare = self.spares(case, file, first, [e for e in found if e not in copies])
        elsewhere = tuple(e for e in found if e not in copies and e.path not in spare)
        came = case.brought or brought(self._state, self._prints, self._policy.thresholds, file, case, first)
        gone = case.gone or self._gone(case, file)
        case = msgspec.structs.replace(
            case, elsewhere=elsewhere, copies=copies, brought=came, gone=gone, rolled_back=self._rolled_back(file)
        )
        case = msgspec.structs.replace(case, spare=spare)
        return self._ledgers.into(case, file, first)

    def _gone(self, case: Case, file: FileTrack) -> tuple[bytes, ...]:
        """Files that are not there any more and that the text named: a line about them may go with them."""
        with self._state.lock:
            absent = [
                f.path for f in self._state.files_of(file.workspace) if f.head and f.head.state is FileState.ABSENT
            ]
        return named(absent, case.baseline.data)[:GONE_KEPT] if absent and case.baseline is not None else ()

    def _rolled_back(self, file: FileTrack) -> int:
        """How many other files went back to what they once were, when this one was written."""
        near_ns = self._policy.thresholds.lost_update_recent_ms * 1_000_000
        at_ns = file.head.at_ns if file.head is not None else 0
        with self._state.lock:
            return sum(
                _stands_again(f)
                for f in self._state.files_of(file.workspace)
                if f.id != file.id and f.head is not None and abs(f.head.at_ns - at_ns) <= near_ns
            )

    def elsewhere(self, file: FileTrack, lost: Iterable[Span]) -> tuple[Elsewhere, ...]:
        """The other texts of the workspace that can hold what seems lost: all that were written lately
        (protected ones as recorded, others found by a search), older ones that hold an entry word for word."""
        found: dict[bytes, Elsewhere] = {}
        wanted = frozenset(span.fingerprint for span in lost)
        since_ns = self._clock.wall_ns() - self._policy.search.recent_ms * 1_000_000
        with self._state.lock:
            others = [(f, f.head) for f in self._state.files_of(file.workspace) if f.id != file.id]
            inner = inner_workspaces(self._state, file.workspace)
        others = [(f, head) for f, head in others if not f.path.startswith(inner)]
        for other, head in others:
            if head is None or head.digest is None or head.state is not FileState.FILE:
                continue
            if (written_ns(other, head) >= since_ns or self._prints.holds_any(head, wanted)) and (
                data := self._contents.of(head)
            ):
                found[other.path] = Elsewhere(other.path, head.digest, data, self._stood(other, head, since_ns))
        handle = self._workspaces.handle(file.workspace)
        if handle is not None:
            with handle.opened() as root:
                nearby = (
                    search(
                        root,
                        self._clock.wall_ns(),
                        self._policy.search,
                        skip=lambda p: (
                            p == file.path
                            or p in found
                            or p.startswith(inner)
                            or (is_throw_away(p) and not is_rotated(p))
                        ),
                        within=handle.searched,
                    )
                    if root is not None
                    else Searched([], True, {})
                )
                turned_over = {
                    text.path for text in nearby.texts if root is not None and self._is_it(file, root, text.path)
                }
            for text in nearby.texts:
                if not is_throw_away(text.path) or text.path in turned_over:
                    stamp = nearby.stamps.get(text.path, Stamp())
                    found[text.path] = Elsewhere(*text, changed_ns=stamp.changed_ns, inode=stamp.inode)
        return tuple(found[path] for path in sorted(found))

    def spares(self, case: Case, file: FileTrack, first: Verdict, found: Sequence[Elsewhere]) -> tuple[bytes, ...]:
        since_ns = self._clock.wall_ns() - self._policy.search.recent_ms * 1_000_000
        return spares(self._state, self._prints, self._policy.thresholds, case, file, first, found, since_ns)

    def _stood(self, other: FileTrack, head: Seen, since_ns: int) -> frozenset[bytes]:
        """What another file held before the time that is searched for what was moved."""
        if written_ns(other, head) < since_ns:
            return self._prints.of(head)
        for seen in (*reversed(other.since), other.baseline, *other.earlier):
            if seen is None or seen.seq >= head.seq or seen.state is not FileState.FILE:
                continue
            if seen.at_ns < since_ns or seen.cause is Cause.FIRST_SIGHT:
                return self._prints.of(seen)
        return frozenset()

    @staticmethod
    def _is_it(file: FileTrack, root: int, path: bytes) -> bool:
        """The file itself, under another name, while a new one stands in its place: a log that was turned over."""
        before, head = file.baseline, file.head
        if before is None or not before.inode or head is None or head.inode == before.inode or not is_rotated(path):
            return False
        stat = observe(root, path).stat
        return stat is not None and stat.inode == before.inode

    def bytes_of(self, seen: Seen | None) -> bytes | None:
        return self._contents.of(seen)

    def holds(self, now: Seen, then: Seen) -> bool:
        """Whether every entry of the one version is in the other."""
        marks = self._prints.of(then)
        return bool(marks) and marks <= self._prints.of(now)

    def find(self, file: FileTrack, digest: bytes | None) -> Seen | None:
        return self._contents.find(file, digest)

    # ------------------------------------------------------------------ parts

    def _parent_missing(self, file: FileTrack) -> bool:
        handle = self._workspaces.handle(file.workspace)
        if handle is None or not self._workspaces.is_current(handle):
            return True
        with handle.opened() as root:
            return root is None or observe(root, file.path).reason in (PARENT_MISSING, ROOT_MISSING)

    def _dehydrated(self, file: FileTrack) -> bool:
        """Whether a cloud client left a stub in place of the file (iCloud: `.NAME.icloud`)."""
        handle = self._workspaces.handle(file.workspace)
        if handle is None:
            return False
        folder, slash, name = file.path.rpartition(b"/")
        with handle.opened() as root:
            return root is not None and observe(root, folder + slash + b"." + name + b".icloud").state is FileState.FILE

    @staticmethod
    def _older(base: Seen | None, earlier: tuple[Text, ...]) -> Text | None:
        """In place of a baseline whose bytes are damaged or erased: the newest one that can be read."""
        if base is None or base.state is not FileState.FILE or not earlier:
            return None
        return earlier[0]

    def is_blind(self, file: FileTrack) -> bool:
        """The file had content, and no version to compare with can be read."""
        states = [seen for seen in (file.baseline, *file.earlier) if seen is not None]
        base = file.baseline
        had = base is not None and base.state is FileState.FILE and not self._contents.is_veiled(base)
        return had and all(self._text(seen) is None for seen in states)

    def _text(self, seen: Seen | None) -> Text | None:
        data = self._contents.of(seen)
        if seen is None or data is None or seen.digest is None:
            return None
        # Tables are kept by digest: what is hidden of a text makes it another one.
        digest = sha256(data).digest() if self._contents.is_veiled(seen) else seen.digest
        return Text(seen.seq, digest, data, seen.at_ns, seen.actor, seen.destructive, seen.damaged, seen.copied)

    def write(self, seen: Seen) -> Write:
        data = self._contents.of(seen)
        veiled = data is not None and self._contents.is_veiled(seen)
        return Write(
            seen.seq,
            seen.state,
            seen.at_ns,
            seen.actor,
            data,
            sha256(data).digest() if data is not None and veiled else seen.digest,
            seen.size,
            seen.link_target,
            seen.offline,
            seen.leased,
        )

    def _renamed_to(self, file: FileTrack) -> bytes | None:
        """Where the whole content went: another file with these bytes that was not there before."""
        base = file.baseline
        if base is None or base.state is not FileState.FILE:
            return None
        with self._state.lock:
            for other in self._state.files_of(file.workspace):
                head = other.head
                if other.id != file.id and head and head.digest == base.digest and head.seq > base.seq:
                    return other.path
        return None

    def _renamed_from(self, file: FileTrack) -> bytes | None:
        head = file.head
        if head is None or head.state is not FileState.FILE:
            return None
        with self._state.lock:
            for other in self._state.files_of(file.workspace):
                gone = other.head is not None and other.head.state is FileState.ABSENT
                before = other.baseline or (other.earlier[0] if other.earlier else None)
                if other.id != file.id and gone and before is not None and before.digest == head.digest:
                    return other.path
        return None


def _stands_again(file: FileTrack) -> bool:
    """Somebody wrote what had stood there before what stood there last."""
    head, last = file.head, file.baseline
    if head is None or head.digest is None or head.cause is not Cause.CHANGE:
        return False
    if last is not None and head.seq == last.seq:  # it is judged already
        return any(each.digest == head.digest for each in file.earlier[1:])
    return (last is None or last.digest != head.digest) and any(each.digest == head.digest for each in file.earlier)
