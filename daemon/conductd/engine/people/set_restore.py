"""Brings a directory, or whole workspaces, back to what they were at a time: planned first, written as one set.

Owns the plan, the order of the writes and what is said of each file. Writes through `commands`, some files at a
time, so that the judge goes on meanwhile; a file that cannot be written now is named and the rest is done.
"""

from __future__ import annotations

import os
import shlex
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

import msgspec

from conductd.core.reading.entries import entry_table
from conductd.core.set_plan import Held, Step, What, step
from conductd.core.when import Meant, meant
from conductd.engine.fold.tracks import FileTrack, Seen
from conductd.engine.health.overview import Parts
from conductd.engine.people.waiting import acted, result
from conductd.errors import Busy, ConductdError, NotFound, UsageError
from conductd.faces import Caller
from conductd.index.rows import Stood
from conductd.journal.journal import Draft
from conductd.model import Cause, DecisionRecord, FileState
from conductd.views import SetFileView, SetView, b64, iso, iso_exactly, shown

CHUNK = 10  # files written before the judge gets its turn
COUNTED_BYTES = 16 * 1024 * 1024  # of text whose entries are counted: about two seconds


class _Item(NamedTuple):
    file: FileTrack
    step: Step
    view: SetFileView
    head: Seen | None = None  # what the step was found for


class SetRestore:
    """See the module. Any thread; one restore at a time."""

    def __init__(self, parts: Parts) -> None:
        self._ = parts
        self._one = threading.Lock()

    def restore(
        self, at: str, directory: bytes | None, exact: bool, dry_run: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        """Progress (0..1), the result last. ``directory``: within a workspace, or around some; None: all of them.
        Raises UsageError, NotFound, Busy."""
        time = self._moment(at)
        if not self._one.acquire(blocking=False):
            raise Busy("another restore to a time is at work", "try again when it is done")
        try:
            result(result(self._.intake.sync()))
            result(self._.recorder.barrier())
            plan = self._plan(time, directory, exact)
            if not dry_run:
                yield from self._carry_out(plan, time, directory, exact, caller)
            else:
                yield self._view(plan, time, directory, exact, undo=False)
        finally:
            self._one.release()

    def _moment(self, at: str) -> Meant:
        now = datetime.fromtimestamp(self._.clock.wall_ns() / 1e9).astimezone()
        time = meant(at, now)
        if time is None:
            raise UsageError(f'this is no time that conductd understands: "{at}"', 'try "yesterday 14:00" or "2h ago"')
        if time.moment > now:
            raise UsageError(f"{iso(_ns(time))} is still to come", "name a time that is over")
        return time

    # ------------------------------------------------------------------ the plan

    def _plan(self, time: Meant, directory: bytes | None, exact: bool) -> list[_Item]:
        if not self._.recorder.index_complete:
            raise Busy("the index is being rebuilt", "try again in a moment; conductd status shows when it is done")
        files = self._files(directory)
        then = self._.reader.around(_ns(time), [file.id for file in files])
        items, room = [], COUNTED_BYTES
        for file in files:
            head = self._.commands.head(file)
            now = _held_now(head)
            known = then[file.id]
            found = step(tuple(map(_held, known.before)), _held(known.after) if known.after else None, now, exact=exact)
            if found is None:
                continue
            view = self._file_view(file, found, now, count=room > 0)
            room -= view.now_size + view.then_size if view.newer_entries is not None else 0
            items.append(_Item(file, found, view, head))
        return items

    def _files(self, directory: bytes | None) -> list[FileTrack]:
        """By workspace and path."""
        with self._.state.lock:
            roots = {track.id: track.root for track in self._.state.workspaces.values()}
            tracks = list(self._.state.files.values())
        within = {workspace: _within(root, directory) for workspace, root in roots.items()}
        if not any(prefix is not None for prefix in within.values()):
            raise NotFound(f"no workspace at or around {shown(directory or b'/')}", "conductd status lists them")
        found = [
            file
            for file in tracks
            if (prefix := within.get(file.workspace)) is not None and (not prefix or file.path.startswith(prefix))
        ]
        return sorted(found, key=lambda file: (roots[file.workspace], file.path))

    def _file_view(self, file: FileTrack, found: Step, now: Held | None, *, count: bool) -> SetFileView:
        then = found.then
        texts: tuple[bytes | None, bytes | None] = (None, None)
        is_counted = count and found.what not in (What.UNCHANGED, What.UNKNOWN) and not found.refused
        if is_counted:
            texts = (self._text(then), self._text(now))
        key = self._.journal.key
        before, after = (None if text is None else entry_table(text, key) for text in texts)
        newer = None
        if is_counted:
            kept = before.places if before is not None else {}
            newer = sum(e.fingerprint not in kept for e in after.entries) if after is not None else 0
        reason = found.refused or _REASONS.get(found.what, "")
        outcome = "refused" if found.refused else _OUTCOMES.get(found.what, "planned")
        gate = self._.repairer.gate
        is_written = gate is not None and outcome in ("planned", "applied")
        effect = gate.of_digest(file, then.digest if then is not None else None).value if gate and is_written else ""
        return SetFileView(
            workspace=file.workspace,
            path=shown(file.path),
            path_b64=b64(file.path),
            what=str(found.what),
            outcome=outcome,
            reason=reason,
            version_seq=then.seq if then is not None else None,
            then_state=str(then.state) if then is not None else str(FileState.ABSENT),
            then_size=then.size if then is not None else 0,
            then_entries=len(before.entries) if before is not None else 0 if is_counted else None,
            now_state=str(now.state) if now is not None else str(FileState.ABSENT),
            now_size=now.size if now is not None else 0,
            now_entries=len(after.entries) if after is not None else 0 if is_counted else None,
            newer_entries=newer,
            provenance=effect,
            provenance_text=gate.words(file, effect) if gate is not None else "",
        )

    def _text(self, held: Held | None) -> bytes | None:
        if held is None or held.state is not FileState.FILE:
            return None
        try:
            return self._.contents.get(held.seq)
        except ConductdError:
            return None

    # ------------------------------------------------------------------ writing

    def _carry_out(
        self, plan: list[_Item], time: Meant, directory: bytes | None, exact: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        todo = [n for n, item in enumerate(plan) if _is_due(item)]
        wish = f"to {iso_exactly(_ns(time))}" + (", exactly" if exact else "")
        record = DecisionRecord("restore_at", caller=caller.ancestry, detail=wish, path=directory or b"")
        set_id = acted(self._.judge.call(lambda: self._number(record))) if todo else 0
        for start in range(0, len(todo), CHUNK):
            chunk = todo[start : start + CHUNK]
            views = acted(
                self._.judge.call(lambda chunk=chunk: [self._write(plan[n], set_id, caller) for n in chunk])  # type: ignore[misc]
            )
            for number, view in zip(chunk, views, strict=True):
                plan[number] = plan[number]._replace(view=view)
            yield min(1.0, (start + len(chunk)) / len(todo))
        if todo and not any(item.view.outcome == "refused" for item in plan):
            self._.recorder.write([Draft(DecisionRecord("restore_at_end", caller=caller.ancestry, of=set_id))])
        yield self._view(plan, time, directory, exact, set_id, undo=any(i.view.outcome == "applied" for i in plan))

    def _number(self, record: DecisionRecord) -> int:
        """Of the set, which is that of its decision; the one before when the same restore goes on, also after a
        restart, and nothing was written since. Judge thread."""
        with self._.state.lock:
            last = self._.state.undo[-1].set_id if self._.state.undo else 0
            known = self._.state.decided.restore
        if known is not None and known.id == last and (known.path, known.wish) == (record.path, record.detail):
            return known.id
        return self._.recorder.write([Draft(record)])[0].seq

    def _write(self, item: _Item, set_id: int, caller: Caller) -> SetFileView:
        """One file, on the judge thread; what stands in its way is said of it."""
        try:
            git = self._.workspaces.git(item.file.workspace)
            if git.index_lock or git.merge_head:
                return _refused(item.view, "git is at work in the workspace")
            done = self._.commands.restore(item.file, _wanted(item), caller.ancestry, False, set_id, head=item.head)
        except ConductdError as error:
            return _refused(item.view, error.message)
        return msgspec.structs.replace(item.view, outcome=done.plans[0].outcome, reason="")

    # ------------------------------------------------------------------ saying it

    def _view(
        self, plan: Sequence[_Item], time: Meant, directory: bytes | None, exact: bool, set_id: int = 0, *, undo: bool
    ) -> SetView:
        counts = Counter(item.view.what for item in plan if item.view.outcome != "refused")
        refused = sum(item.view.outcome == "refused" for item in plan)
        with self._.state.lock:
            roots = {item.file.workspace: self._.state.workspaces[item.file.workspace].root for item in plan}
        at_ns = _ns(time)
        where = shown(directory) if directory is not None else "every workspace"
        done = undo or any(item.view.outcome == "applied" for item in plan)
        nothing = not any(_is_due(item) or item.view.outcome in ("applied", "refused") for item in plan)
        said = "is already" if nothing else "is again" if done else "would be again"
        again = ["conductd restore --at", iso_exactly(at_ns)]
        again += [shlex.quote(shown(directory))] if directory is not None else []
        again += ["--exact"] if exact else []
        text = f"{where} {said} as it was at {iso(at_ns)}" + (f", but for {refused} files" if refused else "")
        if nothing and counts[What.UNKNOWN] and not counts[What.UNCHANGED]:
            text = f"nothing is recorded of {where} at {iso(at_ns)}: nothing is changed"
        return SetView(
            text=text,
            at=iso(at_ns),
            at_ns=at_ns,
            note=_note(time, plan),
            roots=sorted(shown(root) for root in roots.values()),
            files=[item.view for item in plan],
            counts={**counts, "refused": refused},
            undo_command=f"conductd undo {set_id}" if undo else "",
            again_command=" ".join(again) if refused else "",
        )


_OUTCOMES = {What.UNCHANGED: "unchanged", What.LEFT: "left", What.UNKNOWN: "left"}
_REASONS = {
    What.LEFT: "it came later",
    What.UNKNOWN: "it was first seen later: nobody knows whether it was there",
}


def _note(time: Meant, plan: Sequence[_Item]) -> str:
    """What is odd about the time that was named."""
    notes = []
    if time.other is not None:
        other = time.other.isoformat(timespec="seconds")
        notes.append(f"the clock showed that time twice that day: this is the first; the second is {other}")
    if time.skipped:
        notes.append("the clock never showed that time that day: it was put forward over it")
    if plan and all(item.step.then is None for item in plan):
        notes.append("nothing was recorded of these files by then")
    return "; ".join(notes)


def _within(root: bytes, directory: bytes | None) -> bytes | None:
    """The beginning of the paths that a directory means in a workspace: all of them where it is, or is around, the
    root; None where it means none."""
    if directory is None:
        return b""
    inside = directory.rstrip(b"/") + b"/"
    if (root + b"/").startswith(inside):
        return b""
    return inside[len(root) + 1 :] if inside.startswith(root + b"/") else None


def _is_due(item: _Item) -> bool:
    """To be written; or as it should be, while something about it is not decided yet."""
    if item.view.outcome == "planned":
        return True
    return item.step.what is What.UNCHANGED and bool(item.file.since or item.file.open_incidents)


def _wanted(item: _Item) -> Seen:
    then, file = item.step.then, item.file
    if then is not None:
        return Seen(then.seq, then.state, then.at_ns, then.cause, then.digest, then.size)
    last = file.head.seq if file.head is not None else 0
    return Seen(last, FileState.ABSENT, 0, Cause.CHANGE)


def _refused(view: SetFileView, reason: str) -> SetFileView:
    return msgspec.structs.replace(view, outcome="refused", reason=reason)


def _held(stood: Stood) -> Held:
    return Held(stood.seq, stood.at_ns, stood.state, stood.digest, stood.size, stood.cause)


def _held_now(head: Seen | None) -> Held | None:
    return None if head is None else Held(head.seq, head.at_ns, head.state, head.digest, head.size, head.cause)


def _ns(time: Meant) -> int:
    return round(time.moment.timestamp() * 1e6) * 1000


def resolved(directory: bytes) -> bytes:
    """As the roots are: links on the way resolved, also where the directory itself is gone."""
    return os.path.join(os.path.realpath(os.path.dirname(directory)), os.path.basename(directory)).rstrip(b"/")
