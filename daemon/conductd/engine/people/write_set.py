"""Several writes into one workspace as one act: all of them, or none; one undo reverses them.

For what moves text between files (`rotate`, merging split files): nothing of it is ever judged as a loss. Any path
below the root can be written, protected or not; what is taken away is on record first. Decides nothing about what to
write.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from conductd.core.spelling import spelt_alike_path
from conductd.engine.answering.obstacles import obstacle
from conductd.engine.answering.repairing import Write as Planned
from conductd.engine.answering.together import SetEnded
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.overview import Parts
from conductd.engine.people.waiting import acted, result
from conductd.engine.recording.drafting import Observed
from conductd.engine.workspaces import Handle
from conductd.errors import Busy, NotFound, Refused, StoreUnavailable, UsageError
from conductd.faces import Caller
from conductd.model import Cause, DecisionRecord, FileState, Frozen
from conductd.views import SetFileView, SetView, b64, iso, shown
from conductd.views.words import counted
from conductd.watch.reader import PARENT_IS_LINK, PARENT_NOT_DIRECTORY, Observation, observe, parts

JUDGED_WITHIN_S = 5.0  # a change that came just now is judged first: so long that is waited for
_LOOK_S = 0.02


class Write(Frozen, frozen=True):
    """Make ``path`` (relative to the workspace) hold ``data`` (None: nothing), if ``was`` stands there: the SHA-256
    digest of its bytes, None for nothing. Missing parent directories are made.

    ``was_link``: a symlink that leads to these bytes stands there, and a regular file takes its place. ``link``: a
    symlink is wanted. ``break_links``: the file becomes one of its own where it had several hard links, also when its
    bytes stay as they are.
    """

    path: bytes
    data: bytes | None
    was: bytes | None = None
    was_link: bytes | None = None
    link: bytes | None = None
    break_links: bool = False


class _Look(NamedTuple):
    write: Write
    seen: Observation
    file: FileTrack | None


class WriteSets:
    """See the module. Any thread, but for `carry_out`."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts

    def write(
        self, workspace: str, writes: Sequence[Write], purpose: str, caller: Caller, dry_run: bool = False
    ) -> SetView:
        """Do all of it, or nothing: what comes first, what goes last, and else in the order given.

        `purpose`: one word, that the decision and the plans are journaled with ("rotate"). Raises UsageError,
        NotFound, Refused (something stands otherwise than said, or cannot be written), Busy (try again).
        """
        handle = self._handle(workspace)
        ordered = _ordered(writes)
        self.read_again(workspace, [write.path for write in ordered])
        if dry_run:
            looks = self._looks(handle, ordered)
            for look in looks:
                self._check(handle, look)
            return self._view(handle, looks, purpose, None)
        return self.write_at_once(workspace, ordered, purpose, caller)

    def write_at_once(self, workspace: str, writes: Sequence[Write], purpose: str, caller: Caller) -> SetView:
        """As `write`, for who has `read_again` before it planned."""
        view: SetView = acted(self._.judge.call(lambda: self.carry_out(workspace, writes, purpose, caller.ancestry)))
        return view

    def read_again(self, workspace: str, paths: Sequence[bytes]) -> None:
        """What was written until now is on record, and judged if that does not take long."""
        result(result(self._.intake.sync()))
        result(self._.recorder.barrier())
        handle = self._handle(workspace)
        until = time.monotonic() + JUDGED_WITHIN_S
        while any(self._is_unjudged(handle, path) for path in paths) and time.monotonic() < until:
            threading.Event().wait(_LOOK_S)

    def carry_out(self, workspace: str, writes: Sequence[Write], purpose: str, ancestry: tuple[str, ...]) -> SetView:
        """As `write`, on the judge thread; nothing is read anew but the files themselves."""
        handle = self._handle(workspace)
        if self._.observing:
            raise Refused("this daemon only observes: it writes nothing", "run it without --observe")
        if self._.recorder.down:
            raise StoreUnavailable("the store takes no writes: what stands in the file is not known", "conductd status")
        ordered = _ordered(writes)
        looks = self._looks(handle, ordered)
        for look in looks:
            self._check(handle, look)
        looks = [look._replace(file=self._recorded(handle, look)) for look in looks]
        planned = [_planned(look, purpose) for look in looks]
        names = ", ".join(shown(write.path) for write in ordered[:3])
        decision = DecisionRecord(purpose, handle.id, caller=ancestry, detail=names, path=ordered[0].path)
        ended = self._.together.carry_out(planned, decision)
        if ended.why:
            raise _failed(ended)
        return self._view(handle, looks, purpose, ended)

    # ------------------------------------------------------------------ looking

    def _handle(self, workspace: str) -> Handle:
        handle = self._.workspaces.handle(workspace)
        if handle is None or handle.fd is None:
            raise NotFound("the workspace is not there", "conductd status")
        return handle

    def _track(self, handle: Handle, path: bytes) -> FileTrack | None:
        with self._.state.lock:
            return self._.state.track(handle.id, path)

    def _is_unjudged(self, handle: Handle, path: bytes) -> bool:
        """What came last of a protected file has no verdict yet, or its repair is still to come."""
        file = self._track(handle, path)
        if file is None or self._.workspaces.role(handle.id, path) is None:
            return False
        return bool(file.since) or file.judged is not None

    def _looks(self, handle: Handle, writes: Sequence[Write]) -> list[_Look]:
        goes = {spelt_alike_path(write.path) for write in writes if write.data is None and write.link is None}
        found = []
        with handle.opened() as root:
            if root is None:
                raise NotFound("the workspace is not there", "conductd status")
            for write in writes:
                seen = observe(root, write.path)
                is_new = write.was is None and write.was_link is None
                stands = seen.state is not FileState.ABSENT
                is_alike = spelt_alike_path(write.path) in goes
                if is_new and stands and is_alike and not _is_listed(handle.root, write.path):
                    name = shown(write.path)
                    raise Refused(
                        f"{name} is not written: upper and lower case are one on this file system, and between the two "
                        "steps the file would be nowhere",
                        "rename it yourself",
                    )
                found.append(_Look(write, seen, self._track(handle, write.path)))
        return found

    def _check(self, handle: Handle, look: _Look) -> None:
        """Whether it may be written; raises what stands in the way."""
        write, seen, name = look.write, look.seen, shown(look.write.path)
        most = self._.workspaces.config.max_file_bytes
        if max(len(write.data or b""), seen.size) > most:
            raise Refused(
                f"{name} is not written: it is, or would be, over max_file_bytes ({most:,}), so that what it held "
                "could not be brought back",
                "max_file_bytes in the config",
            )
        if seen.torn or (seen.state is FileState.UNREADABLE and seen.reason == "busy"):
            raise Busy(f"{name} is being written right now", "try again in a moment")
        if seen.reason in (PARENT_IS_LINK, PARENT_NOT_DIRECTORY):
            raise Refused(f"{name} cannot be written: a directory on the way is a link or a file", "look at the path")
        stands = seen.digest if seen.state is FileState.FILE else None
        link = seen.link_target if seen.state is FileState.SYMLINK else None
        is_nothing = write.was is None and write.was_link is None
        if seen.state not in (FileState.FILE, FileState.SYMLINK, FileState.ABSENT):
            raise Refused(f"{name} is {seen.state}: it is not written over", "look at the path yourself")
        if (stands, link) != (write.was, write.was_link):
            said = "something stands there by now" if is_nothing else "it changed since it was looked at"
            raise Refused(f"{name} is not written: {said}", "repeat the command")
        if self._is_unjudged(handle, write.path):
            raise Busy(f"what was written last into {name} is not judged yet", "try again in a moment; conductd status")
        found = obstacle(self._.state, self._.workspaces, handle.id, write.path, self._.clock.wall_ns())
        if found is not None:
            raise found

    def _recorded(self, handle: Handle, look: _Look) -> FileTrack:
        """The file as the journal knows it, with what stands there now on record: also where it is not protected."""
        path, seen = look.write.path, look.seen
        file = look.file
        head = file.head if file is not None else None
        if file is not None and head is not None:
            if (head.state, head.digest, head.link_target) == (seen.state, seen.digest, seen.link_target):
                return file
            first = False
        else:
            first = True
        cause = Cause.FIRST_SIGHT if first else Cause.CHANGE
        durable = self._.recorder.keep(Observed(handle.id, path, seen, cause, expected=True))
        if not result(durable):
            raise StoreUnavailable("nothing was written: the store takes no writes", "conductd status")
        file = self._track(handle, path)
        if file is None:
            raise Busy(f"{shown(path)} cannot be put on record now", "try again in a moment")
        return file

    # ------------------------------------------------------------------ saying it

    def _view(self, handle: Handle, looks: Sequence[_Look], purpose: str, ended: SetEnded | None) -> SetView:
        now = self._.clock.wall_ns()
        outcomes = ["planned"] * len(looks) if ended is None else [end.outcome for end in ended.ends]
        files = [self._file_view(handle, look, outcome) for look, outcome in zip(looks, outcomes, strict=True)]
        written = any(outcome == "applied" for outcome in outcomes)
        would = "would be written" if ended is None else "written" if written else "not written: all is as wanted"
        return SetView(
            text=f"{purpose}: {counted(len(files), 'file')} {would}",
            at=iso(now),
            at_ns=now,
            note="",
            roots=[shown(handle.root)],
            files=files,
            counts=dict(Counter(file.what for file in files)),
            undo_command=f"conductd undo {ended.set_id}" if ended is not None and written else "",
            again_command="",
        )

    def _file_view(self, handle: Handle, look: _Look, outcome: str) -> SetFileView:
        write, seen = look.write, look.seen
        file = self._track(handle, write.path)
        head = file.head if file is not None else None
        then = FileState.SYMLINK if write.link is not None else FileState.FILE
        gate = self._.repairer.gate
        is_asked = gate is not None and file is not None and _what(write) != "unchanged"
        effect = gate.effect(file, write.data).value if gate is not None and file is not None and is_asked else ""
        return SetFileView(
            workspace=handle.id,
            path=shown(write.path),
            path_b64=b64(write.path),
            what=_what(write),
            outcome=outcome,
            reason="",
            version_seq=head.seq if head is not None and outcome == "applied" else None,
            then_state=str(then if write.data is not None or write.link is not None else FileState.ABSENT),
            then_size=len(write.data or b""),
            then_entries=None,
            now_state=str(seen.state),
            now_size=seen.size,
            now_entries=None,
            newer_entries=None,
            provenance=effect,
            provenance_text=gate.words(file, effect) if gate is not None and file is not None else "",
        )


def _what(write: Write) -> str:
    if write.data is None and write.link is None:
        return "removed" if write.was is not None or write.was_link is not None else "unchanged"
    if write.was is None and write.was_link is None:
        return "created"
    is_same = write.data is not None and write.was == hashlib.sha256(write.data).digest() and not write.break_links
    return "unchanged" if is_same else "changed"


def _planned(look: _Look, purpose: str) -> Planned:
    write, file = look.write, look.file
    assert file is not None
    return Planned(
        file.id,
        purpose,
        write.was,
        write.data,
        (file.head.seq,) if file.head is not None else (),
        judged_link=write.was_link,
        target_link=write.link,
        break_links=write.break_links,
    )


def _ordered(writes: Sequence[Write]) -> list[Write]:
    """What is created, then what is written over, then what goes: at no moment is a text nowhere, also where the disk
    is full or the daemon dies in between. Else as given.

    Raises UsageError for what is no set.
    """
    if not writes:
        raise UsageError("there is nothing to write", "name what is to be written")
    for write in writes:
        try:
            parts(write.path)
        except ValueError:
            raise UsageError(f"{shown(write.path)} is no path inside the workspace", "name a file below it") from None
        if write.data is not None and write.link is not None:
            raise UsageError(f"{shown(write.path)} cannot be a file and a symlink", "name one of them")
    paths = [write.path for write in writes]
    if len(set(paths)) != len(paths):
        raise UsageError("a set writes each file once", "name each file once")
    return sorted(writes, key=_step)


def _step(write: Write) -> int:
    if write.data is None and write.link is None:
        return 2
    return 0 if write.was is None and write.was_link is None else 1


def _is_listed(root: bytes, path: bytes) -> bool:
    """Whether its directory has an entry of exactly this name."""
    directory, name = os.path.split(os.path.join(root, path))
    try:
        return name in os.listdir(directory)
    except OSError:
        return False


def _failed(ended: SetEnded) -> Refused | Busy:
    left = ", ".join(shown(file.path) for file in ended.left)
    why = f"nothing of the set stands: {ended.why}" if not left else f"only a part of it could be taken back: {left}"
    if ended.again and not left:
        return Busy(why, "try again in a moment")
    return Refused(why, "conductd log, then repeat the command" if not left else "conductd log; conductd restore FILE")
