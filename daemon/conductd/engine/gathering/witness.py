"""Finds out who made a version that nobody announced, and has that recorded before it is judged.

Looks at what editors and git leave behind; what it finds becomes an `EvidenceRecord`, and only the record
counts: replay sees the same. It relabels, it never writes a file. Judge thread only.
"""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import TypeVar

from conductd.core.judging.charge import is_human
from conductd.core.losses import known_writers
from conductd.core.policy import Policy
from conductd.engine.answering.waits import Wait
from conductd.engine.fold.state import State
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.gathering.content import Contents
from conductd.engine.gathering.editing import Editing
from conductd.engine.recording.recorder import Recorder
from conductd.engine.workspaces import Workspaces
from conductd.errors import StoreUnavailable
from conductd.journal.journal import Draft
from conductd.model import UNKNOWN, Actor, Cause, EvidenceRecord, FileStat, FileState
from conductd.ports import Clock
from conductd.watch import git, git_objects
from conductd.watch.editors import Around, Processes, around, processes
from conductd.watch.git_commits import Commits

MOMENT_NS = 2_000_000_000  # where only the time ties two things together: a save, a file that git removed
TICK_NS = 20_000_000
SECOND_NS = 1_000_000_000
SCAN_NS = 100_000_000  # for so long only processes that are new are looked at: many files may be lost at once
LOOK_AGAIN_NS = 250_000_000  # between two looks for files that are gone: no editor means to remove one
REMEMBERED = 1_024
LOSS_SHARE = 0.85  # a text that is shorter than this may soon be answered as a loss
GIT = 0.9

T = TypeVar("T")

_MAKES_BLOBS = frozenset({"pull", "merge", "rebase", "cherry-pick", "revert", "am", "stash"})


class Witness:
    """See the module."""

    def __init__(
        self,
        state: State,
        recorder: Recorder,
        contents: Contents,
        workspaces: Workspaces,
        editing: Editing,
        policy: Policy,
        clock: Clock,
    ) -> None:
        self._state, self._recorder, self._contents = state, recorder, contents
        self._workspaces, self.editing, self._clock = workspaces, editing, clock
        self.take(policy)
        self._commits = Commits()
        self._found: dict[int, Actor] = {}  # by version
        self._stats: dict[int, FileStat] = {}
        self._around: dict[int, Around] = {}
        self._gone_ns: dict[int, int] = {}
        self._asked: dict[int, bool] = {}
        self._processes = Processes()
        self._scanned_ns = -SCAN_NS
        self._looked_ns = -LOOK_AGAIN_NS

    def take(self, policy: Policy) -> None:
        self._git_ns = policy.waits.git_ms * 1_000_000
        self._quiet_ns = policy.waits.quiet_ms * 1_000_000

    def glance(self, file: FileTrack) -> None:
        """A version came: keep what can be seen only now. An editor may be gone in a moment."""
        head = file.head
        if head is None or head.actor != UNKNOWN or head.cause is not Cause.CHANGE:
            return
        if file.stat is not None and head.state is FileState.FILE:
            _keep(self._stats, head.seq, file.stat)
            self._trace(file, head)
        found = self._found.get(head.seq)
        if head.seq in self._around or (found is not None and is_human(found)) or not _may_lose(file, head):
            return
        if head.state is FileState.ABSENT:
            self._gone(file, head)
            now = self._clock.mono_ns()
            if now - self._looked_ns < LOOK_AGAIN_NS:
                return
            self._looked_ns = now
        self._look_around(file, head)

    def name(self, file: FileTrack) -> None:
        """Record who made the versions that wait to be judged, as far as their traces tell."""
        unnamed = [seen for seen in file.since if seen.actor == UNKNOWN and seen.cause is not Cause.FIRST_SIGHT]
        if not unnamed:
            return
        self.glance(file)
        for seen in unnamed:
            self._trace(file, seen)
        by_git = self._by_git(file, unnamed)
        named = {
            seen.seq: by_git.get(seen.seq) or self._found.get(seen.seq) or self._by_marks(file, seen)
            for seen in unnamed
        }
        for seen, after in itertools.pairwise(file.since):
            writer = named.get(after.seq) or (after.actor if after.actor.name.startswith("human:") else None)
            if seen.seq in named and named[seen.seq] is None and writer is not None and self._begins(seen, after):
                named[seen.seq] = writer
        self._record(file, [(seen, actor) for seen in unnamed if (actor := named[seen.seq]) is not None])

    def look(self, file: FileTrack) -> bool:
        """A loss is about to be answered: ask the living editors as well. True: somebody was named for it."""
        head = file.since[-1] if file.since else None
        if head is None or head.seq in self._asked or head.cause is not Cause.CHANGE or head.actor.confidence >= GIT:
            return False
        _keep(self._asked, head.seq, True)
        if head.actor != UNKNOWN and not head.actor.name.startswith("human:"):
            return False
        seen = self._look_around(file, head)
        before = head.actor if head.actor != UNKNOWN else None
        stat = self._stats.get(head.seq)
        actor = self.editing.in_place(seen, before, stat.ctime_ns if stat is not None else time.time_ns())
        if actor is None or actor == before:
            return False
        self._record(file, [(head, actor)])
        return actor.name != UNKNOWN.name

    def put_off(self, file: FileTrack, wait: Wait, now: int) -> bool:
        """Git holds its lock, or an editor is between two steps of a save: the end of it is waited for, but no
        longer than git may take."""
        if now >= wait.first_ns + self._git_ns:
            return False
        why = ""
        if self._workspaces.git(file.workspace).index_lock:
            why = "git"
        elif self.editing.is_saving(file.workspace, file.path):
            why = "save"
        if why:
            wait.why, wait.due_ns, wait.check_ns = why, now + self._quiet_ns, None
        return bool(why)

    # ------------------------------------------------------------------ git

    def is_committed(self, file: FileTrack) -> bool:
        """Whether what git took away is in the commit that HEAD was at: then it is not lost."""
        handle, head = self._workspaces.handle(file.workspace), file.head
        data = self._contents.of(file.baseline)
        if handle is None or head is None or head.actor.name != "git" or data is None:
            return False
        seen, written_ns = git.look(handle.root), self._written_ns(handle.root, file, head)
        if seen.directory is None or written_ns is None:
            return False
        near = [step.before for step in seen.steps if step.before and abs(step.at_ns - written_ns) <= self._git_ns]
        return self._commits.hold(seen, tuple(near), _from_top(seen, handle.root, file.path), data)

    def _by_git(self, file: FileTrack, unnamed: Iterable[Seen]) -> dict[int, Actor]:
        """Versions that git made: it was at work in that moment, and has had these bytes since before it."""
        handle, head = self._workspaces.handle(file.workspace), file.head
        if handle is None or head is None:
            return {}
        seen = git.look(handle.root)
        written_ns = self._written_ns(handle.root, file, head)
        if seen.directory is None or written_ns is None:
            return {}
        near = _near(seen, written_ns, self._git_ns)
        if near is None:
            return {}
        actor = Actor("git", GIT, (f"git {near.name}",))
        relative = _from_top(seen, handle.root, file.path)
        until_ns = _had_until(seen, written_ns, self._git_ns)
        found: dict[int, Actor] = {}
        for version in unnamed:
            if abs(version.at_ns - head.at_ns) > self._git_ns:
                continue
            if version.state is FileState.ABSENT:
                if near.certain and abs(near.at_ns - written_ns) <= MOMENT_NS:
                    found[version.seq] = actor
                continue
            data = self._contents.of(version)
            stat = file.stat if version.seq == head.seq else None
            if data is not None and git_objects.is_gits(seen, relative, data, stat, until_ns):
                found[version.seq] = actor
        return found

    def _by_marks(self, file: FileTrack, seen: Seen) -> Actor | None:
        """The job whose form the write has. Anybody can write its marks: it is hardly more than a name."""
        after = self._contents.of(seen)
        if after is None:
            return None
        earlier = [file.baseline, *(each for each in file.since if each.seq < seen.seq)]
        known = known_writers.recognise(file.path, self._contents.of(earlier[-1]) or b"", after)
        return known.actor if known is not None else None

    def _written_ns(self, root: bytes, file: FileTrack, head: Seen) -> int | None:
        """When it was written, by the file system's own clock; for a file that is gone, when the directory changed that
        held it, or what is left of the way to it: as it was when that was seen, for there may be more changes since."""
        if head.state is FileState.FILE and file.stat is not None:
            return file.stat.ctime_ns
        known = self._gone_ns.get(head.seq)
        return known if known is not None else _changed_ns(root, file.path)

    def _gone(self, file: FileTrack, head: Seen) -> None:
        handle = self._workspaces.handle(file.workspace)
        changed_ns = _changed_ns(handle.root, file.path) if handle is not None else None
        if changed_ns is not None:
            _keep(self._gone_ns, head.seq, changed_ns)

    # ------------------------------------------------------------------ parts

    def _trace(self, file: FileTrack, seen: Seen) -> None:
        """Whose save a version was, by what editors left around that write."""
        stat = self._stats.get(seen.seq)
        known = self._found.get(seen.seq)
        if stat is None or (known is not None and is_human(known)):
            return
        if not self.editing.is_known(file.workspace, file.path):
            return
        found = self.editing.writer(file.workspace, file.path, stat)
        if found is not None:
            _keep(self._found, seen.seq, found)

    def _begins(self, seen: Seen, after: Seen) -> bool:
        """The version is only the beginning of the save that made the next one."""
        if after.at_ns - seen.at_ns > MOMENT_NS:
            return False
        data, whole = self._contents.of(seen), self._contents.of(after)
        if not data:
            return True
        return whole is not None and whole.startswith(data) and not data.endswith(b"\n")

    def _look_around(self, file: FileTrack, head: Seen) -> Around:
        handle = self._workspaces.handle(file.workspace)
        now = time.monotonic_ns()
        if now - self._scanned_ns > SCAN_NS:
            self._processes, self._scanned_ns = processes(), now
        else:
            self._processes = processes(self._processes)
        seen = around(handle.root, file.path, self._processes.known) if handle is not None else Around()
        if (before := self._around.get(head.seq)) is not None:
            seen = before.joined(seen)
        _keep(self._around, head.seq, seen)
        return seen

    def _record(self, file: FileTrack, named: Iterable[tuple[Seen, Actor]]) -> None:
        drafts = [
            Draft(
                EvidenceRecord(
                    file.workspace,
                    file.path,
                    actor.name,
                    at_ns=self._clock.wall_ns(),
                    version=seen.seq,
                    confidence=actor.confidence,
                    evidence=actor.evidence,
                )
            )
            for seen, actor in named
        ]
        self.write(drafts)

    def write(self, drafts: list[Draft]) -> None:
        """At once. What a store does not take is not on record, and does not count."""
        if drafts:
            with suppress(StoreUnavailable):
                self._recorder.write(drafts)


def _keep(kept: dict[int, T], number: int, value: T) -> None:
    kept[number] = value
    while len(kept) > REMEMBERED:
        del kept[next(iter(kept))]


def _changed_ns(root: bytes, path: bytes) -> int | None:
    """When the nearest directory above a path changed that there still is, in the workspace."""
    while path:
        path = os.path.dirname(path)
        try:
            return os.lstat(os.path.join(root, path)).st_mtime_ns
        except OSError:
            continue
    return None


def _from_top(seen: git.Look, root: bytes, path: bytes) -> bytes:
    """A path in the workspace as git has it."""
    return os.path.relpath(os.path.join(os.path.realpath(root), path), seen.top)


def _near(seen: git.Look, written_ns: int, near_ns: int) -> git.Step | None:
    """What git did in that moment: a step that rewrites files rather than one that may have, then the nearest."""
    steps = _steps(seen, written_ns, near_ns)
    if not steps and seen.unfinished:
        return git.Step(seen.unfinished, written_ns)
    # A stash puts the files back by a reset of its own.
    steps.sort(key=lambda step: (not step.certain, step.name != "stash", step.shared, abs(step.at_ns - written_ns)))
    return steps[0] if steps else None


def _steps(seen: git.Look, written_ns: int, near_ns: int) -> list[git.Step]:
    return [step for step in seen.steps if abs(step.at_ns - written_ns) <= (near_ns if step.certain else MOMENT_NS)]


def _had_until(seen: git.Look, written_ns: int, near_ns: int) -> int:
    """Until when git must have had what it wrote. A merge makes its blobs in the moment in which it writes the
    files, and file systems tell time in ticks; so does a commit of what somebody has just written. Any such step
    near the write will do: which trace is the nearest depends on how long git was held up between two of them."""
    names = {seen.unfinished, *(step.name for step in _steps(seen, written_ns, near_ns))}
    commits = any(-_earlier(at_ns) <= at_ns - written_ns <= MOMENT_NS for at_ns in seen.commits_ns)
    return written_ns + TICK_NS if names & _MAKES_BLOBS and not commits else written_ns - 1


def _earlier(at_ns: int) -> int:
    """How much later than it is told something may have been: the reflog tells whole seconds of all but the last."""
    return TICK_NS if at_ns % SECOND_NS else SECOND_NS


def by_a_person_first(since: Sequence[Seen]) -> int:
    """How many of the versions, from the first, are a person's saves."""
    count = 0
    for number, seen in enumerate(since, 1):
        if is_human(seen.actor):
            count = number
        elif seen.state is FileState.FILE and seen.size:
            break
    return count


def _may_lose(file: FileTrack, head: Seen) -> bool:
    base = file.baseline
    if base is None or base.state is not FileState.FILE:
        return False
    return head.state is FileState.ABSENT or head.size < LOSS_SHARE * base.size
