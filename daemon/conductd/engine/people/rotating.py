"""`rotate`: what an agent does not load of a file moves to a topic file, as one set of writes.

Finds what each agent loads of it, what is pinned, where the sections may go, and what stands in the way; which sections
move is `core.rotating`'s. Nothing is deleted, one undo reverses it. An agent may have done what an automatic form
would do; to move more out of sight, or any of its instructions, it only asks (promise P8).
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from conductd.core.load.loaded import Cause
from conductd.core.rotating.rotate import UNTIL_PERCENT, Aim, Allowed, Rotation, Topic, Why, fits, rotate
from conductd.engine.answering import notices
from conductd.engine.fold.tracks import FileTrack
from conductd.engine.health.overview import Parts
from conductd.engine.people.limits_of import Limits, limits_of
from conductd.engine.people.naming import Naming
from conductd.engine.people.pinning import Pinning
from conductd.engine.people.topics import Topics
from conductd.engine.people.write_set import Write, WriteSets
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError, NotFound, Refused
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import EventClass, FileState, Mode, Role
from conductd.views import AllowedView, DidView, MovedView, RotateView, SetView, b64, shown
from conductd.views.words import counted, pasted

PURPOSE = "rotate"
AGENT_PERCENT = 50  # an agent may not have a file made emptier than that


class _Planned(NamedTuple):
    """``digest``: of the bytes that it was planned for; the file may hold others by now."""

    file: FileTrack
    digest: bytes
    handle: Handle
    limits: Limits
    topic: bytes
    topic_digest: bytes | None
    rotation: Rotation


class Rotating:
    """See the module. Any thread."""

    def __init__(
        self,
        parts: Parts,
        naming: Naming,
        pinning: Pinning,
        write_sets: WriteSets,
        environ: Mapping[str, str] | None = None,
    ) -> None:
        self._, self._naming, self._pinning, self._write_sets = parts, naming, pinning, write_sets
        self._environ = dict(os.environ) if environ is None else dict(environ)
        self._topics = Topics(parts)
        parts.weakening.register("rotate", self._confirmed, self._show, may=lambda caller: caller.may_undo)

    def rotate(
        self, path: bytes, workspace: str | None, to: bytes | None, percent: int, dry_run: bool, caller: Caller
    ) -> RotateView:
        """`to`: absolute, or below the workspace; None: a name of its own. `percent` 0: only what is over a limit.
        Raises NotFound, UsageError, Refused, Busy."""
        file = self._naming.file(path, workspace)
        self._write_sets.read_again(file.workspace, [file.path])
        planned = self._plan(file, to, _aim(percent))
        if planned.rotation.why is not Why.NONE:
            return _view(planned, percent, "fits" if planned.rotation.why is Why.FITS else "cannot")
        if dry_run:
            would = self._write_sets.write(planned.handle.id, _writes(planned), PURPOSE, caller, dry_run=True)
            return _view(planned, percent, "planned", done=would)
        if caller.may_undo:
            return self._write(planned, percent, caller)
        if self._may_agent(planned, percent):
            return self._tell(planned, self._write(planned, percent, caller), caller.ancestry)
        moved = counted(len(planned.rotation.moved), "section")
        words = f"move {moved} of {shown(planned.file.path)} to {shown(planned.topic)}, where no agent loads them"
        arguments = {"file": planned.file.id, "to": planned.topic, "percent": percent}
        did = self._.weakening.ask(PURPOSE, arguments, caller, words, workspace=planned.handle.id, file=planned.file.id)
        return _view(planned, percent, "asked", request=did.request)

    def automatic(self, file: FileTrack, percent: int) -> RotateView | None:
        """Where the file is over a limit: make it fit, and tell. None: it fits, or nothing can be done."""
        planned = self._plan(file, None, Aim(percent))
        if planned.rotation.why is not Why.NONE:
            return None
        caller = Caller((f"{os.getpid()} conductd",), terminal=False)
        return self._tell(planned, self._write(planned, percent, caller), ())

    # ------------------------------------------------------------------ planning

    def _plan(self, file: FileTrack, to: bytes | None, aim: Aim) -> _Planned:
        handle = self._.workspaces.handle(file.workspace)
        if handle is None or handle.fd is None:
            raise NotFound("the workspace is not there", "conductd status")
        with self._.state.lock:
            head = file.head
        name = shown(file.path)
        if head is None or head.state is not FileState.FILE:
            raise Refused(f"{name} is {head.state if head is not None else 'absent'}: nothing of it can move", "")
        data = self._.contents.get(head.seq)
        limits = limits_of(handle, file.path, self._.workspaces, self._environ)
        allowed, digest = limits.allowed, hashlib.sha256(data).digest()
        fitting = fits(data, allowed, aim)
        if fitting is not None and to is None:
            return _Planned(file, digest, handle, limits, b"", None, fitting)
        topic, link, stands = self._topics.choose(handle, file.path, to, limits)
        rotation = rotate(name, data, allowed, Topic(link, stands), self._pinning.lines(file), aim)
        if rotation.why is Why.NONE and not rotation.is_enough and limits.cause is Cause.TOTAL:
            # Others take the room: to empty this one would help nobody.
            rotation = Rotation(Why.TOTAL, data, after=rotation.after, wanted=rotation.wanted, most=rotation.most)
        topic_digest = hashlib.sha256(stands).digest() if stands is not None else None
        planned = _Planned(file, digest, handle, limits, topic, topic_digest, rotation)
        if rotation.why is Why.NONE:
            self._refuse(planned)
        return planned

    def _refuse(self, planned: _Planned) -> None:
        """What stands in the way of writing the file; raises it."""
        file, name = planned.file, shown(planned.file.path)
        root = shown(planned.handle.root)
        if planned.handle.locked_by:
            raise Refused(f"the workspace is written by {planned.handle.locked_by}", "ask that daemon")
        if self._.workspaces.mode(file) is Mode.OBSERVE:
            raise Refused(f"{name} is only observed: nothing is written there", pasted("conductd", "protect", root))
        with self._.state.lock:
            incidents = [
                each.id
                for each in self._.state.incidents.values()
                if each.record.state == "open"
                and file.id in each.record.files
                and each.record.event_class is not EventClass.PIN_HIDDEN
            ]
        if incidents:
            raise Refused(
                f"incident {incidents[0]} of {name} is open: first say what is to become of it",
                f"conductd explain {incidents[0]}",
            )
        record = self._.workspaces.provenance(file.workspace, file.path)
        digest = hashlib.sha256(planned.rotation.source).digest()
        if record is not None and record.digest != digest and self._.workspaces.config.provenance != "repair":
            raise Refused(
                f"OpenClaw keeps a record of who wrote {name}: after a write from outside, its agent's next one makes "
                f"the file vanish from the prompt for good",
                'let the agent move the sections itself; or accept that: provenance = "repair" in the config',
            )

    def _may_agent(self, planned: _Planned, percent: int) -> bool:
        role = self._.workspaces.role(planned.handle.id, planned.file.path)
        is_over = any(each.size > each.limit for each in planned.limits.allowed)
        return (
            role in (Role.CURATED, Role.TOPIC, Role.DAILY) and is_over and (percent or UNTIL_PERCENT) >= AGENT_PERCENT
        )

    # ------------------------------------------------------------------ writing

    def _write(self, planned: _Planned, percent: int, caller: Caller) -> RotateView:
        done = self._write_sets.write_at_once(planned.handle.id, _writes(planned), PURPOSE, caller)
        return _view(planned, percent, "moved", done=done)

    def _tell(self, planned: _Planned, view: RotateView, ancestry: tuple[str, ...]) -> RotateView:
        file = planned.file
        notice = notices.rotated(file.workspace, file.path, planned.topic, view.text, ancestry, view.undo_command)
        self._.recorder.write([Draft(notice)])
        return view

    def _confirmed(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        view = self._again(arguments, False, Caller(ancestry, terminal=True))
        return DidView(view.text, [], view.undo_command)

    def _show(self, arguments: dict[str, Any]) -> list[str]:
        try:
            view = self._again(arguments, True, Caller())
        except ConductdError as error:
            return [f"do nothing: {error.message}"]
        return [f"move lines {each.first} to {each.last}: {each.heading}" for each in view.sections] or [view.text]

    def _again(self, arguments: dict[str, Any], dry_run: bool, caller: Caller) -> RotateView:
        with self._.state.lock:
            file = self._.state.files[arguments["file"]]
            path = os.path.join(self._.state.workspaces[file.workspace].root, file.path)
        return self.rotate(path, file.workspace, arguments["to"], arguments["percent"], dry_run, caller)


def _aim(percent: int) -> Aim:
    return Aim(percent, only_over=False) if percent else Aim()


def _writes(planned: _Planned) -> list[Write]:
    """First what is added, then what is taken away: at no moment is a section nowhere."""
    return [
        Write(planned.topic, planned.rotation.topic, planned.topic_digest),
        Write(planned.file.path, planned.rotation.source, planned.digest),
    ]


def _view(
    planned: _Planned, percent: int, outcome: str, *, done: SetView | None = None, request: int | None = None
) -> RotateView:
    rotation, file = planned.rotation, planned.file
    told = [f"{each.path}: {each.provenance_text}" for each in done.files if each.provenance_text] if done else []
    allowed = [
        AllowedView(
            agent=each.agent,
            unit=str(each.unit) if each.unit is not None else "lines",
            limit=each.limit,
            before=each.size,
            after=after,
            wanted=wanted,
        )
        for each, after, wanted in zip(planned.limits.allowed, rotation.after, rotation.wanted, strict=True)
    ]
    return RotateView(
        text=_text(planned, outcome),
        outcome=outcome,
        path=shown(file.path),
        path_b64=b64(file.path),
        root=shown(planned.handle.root),
        to=shown(planned.topic),
        to_b64=b64(planned.topic),
        is_new=planned.topic_digest is None,
        allowed=allowed,
        sections=[MovedView(e.heading, e.first, e.last, e.size, e.date) for e in rotation.moved],
        is_enough=rotation.why is Why.FITS or (rotation.why is Why.NONE and rotation.is_enough),
        notes=[*_notes(planned, percent, outcome), *told],
        undo_command=done.undo_command if done is not None else "",
        request=request,
    )


_DOES = {"planned": "would move", "moved": "moved", "asked": "would move, when a person confirms it,"}


def _text(planned: _Planned, outcome: str) -> str:
    name, rotation = shown(planned.file.path), planned.rotation
    if outcome == "fits":
        return f"{name} fits: nothing moves"
    if outcome == "cannot":
        return f"{name} cannot be made to fit: {rotation.why}"
    sections = counted(len(rotation.moved), "section")
    return f"{sections} of {name} {_DOES[outcome]} to {shown(planned.topic)}"


def _notes(planned: _Planned, percent: int, outcome: str) -> list[str]:
    notes = list(planned.limits.said)
    rotation = planned.rotation
    if outcome in ("planned", "moved", "asked"):
        for each, after, most in zip(planned.limits.allowed, rotation.after, rotation.most, strict=True):
            notes += _left(each, after, most)
        if planned.limits.is_instructions:
            notes.append("no agent loads a topic file by itself: what moves is read when somebody follows the pointer")
    if outcome == "cannot" and rotation.why is Why.TOTAL:
        notes.append(f"the files loaded with it leave it too little room; the largest is {planned.limits.largest}")
    if outcome == "fits" and not percent:
        notes.append("--until-percent N makes room before it is needed")
    return notes


def _left(allowed: Allowed, after: int, most: int) -> Sequence[str]:
    if after <= most:
        return []
    unit = str(allowed.unit) if allowed.unit is not None else "lines"
    over = "still over the limit" if after > allowed.limit else "fuller than wished"
    return [f"{over}: {after:,} of {allowed.limit:,} {unit} ({allowed.agent}); nothing else may move"]
