"""What a caller may ask that changes something (implements `faces.Acts`).

Each act is journaled with who asked. What writes into a workspace runs on the judge thread; what
weakens protection passes the gate of `weakening`. Adds no rule of its own about losses.
"""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from conductd.engine.answering import notices
from conductd.engine.fold.tracks import FileTrack, OpenIncident
from conductd.engine.health.overview import Overview, Parts
from conductd.engine.people.learned import Learned
from conductd.engine.people.naming import Naming
from conductd.engine.people.set_restore import SetRestore, resolved
from conductd.engine.people.waiting import acted, result
from conductd.engine.roots import refuse_root, refuse_state
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError, NotFound, Refused, UsageError
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import DecisionRecord, EvidenceRecord, FileState, Mode
from conductd.views import DidView, RequestView, SetView, WorkspaceView, iso_exactly, shown
from conductd.views.words import counted, pasted, verb

SHOWN = 20  # files of a request
# Whoever may be announced: nobody can claim to be a person, git or the daemon, nor somebody of a similar name.
ANNOUNCED = re.compile(r"(agent|cron|sync):[^\x00-\x1f\x7f]{1,190}")


class Asking:
    """See the module. Thread-safe."""

    def __init__(self, parts: Parts, naming: Naming, overview: Overview, learned: Learned) -> None:
        self._ = parts
        self._naming, self._overview, self._learned = naming, overview, learned
        self._set_restore = SetRestore(parts)
        parts.weakening.register("accept", self._accept, self._show_accept, settled=self._is_accepted)
        parts.weakening.register("undo", self._undo, self._show_undo)
        parts.weakening.register("restore", self._restore, self._show_restore, same=_but("head"))
        parts.weakening.register("restore_at", self._restore_at, self._show_restore_at, same=_but("asked"))
        parts.weakening.register("observe", self._observe, _show_observe, settled=self._is_observed)
        parts.weakening.register("end", self._end, _show_end, settled=self._is_ended)

    # ------------------------------------------------------------------ modes

    def set_mode(self, root: bytes, mode: str, caller: Caller) -> WorkspaceView:
        """Protect or observe a directory; a new one is watched from now on."""
        root = self._root(root)
        if mode == "end":
            return self._ask_to_end(root, caller)
        try:
            wanted = Mode(mode)
        except ValueError:
            raise UsageError(f"no mode {mode}", "protect, observe or end") from None
        if not os.path.isabs(root) or not os.path.isdir(root):
            raise NotFound(f"no directory {shown(root)}", "give a directory that exists")
        watched = [handle.root for handle in self._.workspaces.handles()]
        if root not in watched:  # of one that is, only the mode changes
            refuse_root(root, watched, self._.workspaces.is_apart)
        refuse_state(root, self._.state_dir)
        known = self._protected(root)
        if wanted is Mode.OBSERVE and known is not None:
            words = f"only observe {shown(root)}, where losses are put back now"
            did = self._.weakening.ask("observe", {"root": root}, caller, words, workspace=known.id)
            view = self._overview.workspace(known)
            return view if did.request is None else _asked(view, did.request)
        return self._overview.workspace(self._set_mode(root, wanted, caller.ancestry))

    def _ask_to_end(self, root: bytes, caller: Caller) -> WorkspaceView:
        handle = next((each for each in self._.workspaces.handles() if each.root == root), None)
        if handle is None:
            raise NotFound(f"{shown(root)} is no workspace that is watched", "conductd status")
        view = self._overview.workspace(handle)
        words = f"let go of {shown(root)}: it is not watched any more"
        did = self._.weakening.ask("end", {"root": root}, caller, words, workspace=handle.id)
        return msgspec.structs.replace(view, state="ended") if did.request is None else _asked(view, did.request)

    def _end(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        root: bytes = arguments["root"]
        handle = next((each for each in self._.workspaces.handles() if each.root == root), None)
        if handle is None:
            raise NotFound(f"{shown(root)} is no workspace that is watched", "conductd status")
        decision = DecisionRecord("end", handle.id, caller=ancestry, detail=shown(root))
        self._.recorder.write([Draft(decision)])
        result(self._.intake.do(lambda: self._.intake.remove(handle)))
        return DidView(f"{shown(root)} is not watched any more", [], pasted("conductd", "protect", shown(root)))

    def _is_ended(self, arguments: dict[str, Any]) -> str:
        root: bytes = arguments["root"]
        is_watched = any(each.root == root for each in self._.workspaces.handles())
        return "" if is_watched else f"{shown(root)} is not watched any more"

    def _is_observed(self, arguments: dict[str, Any]) -> str:
        root: bytes = arguments["root"]
        return "" if self._protected(root) is not None else f"{shown(root)} is only observed already"

    def _root(self, named: bytes) -> bytes:
        """As the workspace there is known: by its real path, whatever link was named."""
        root = os.path.normpath(named)
        with self._.state.lock:
            is_known = self._.state.workspace_at(root) is not None
        return root if is_known or not os.path.isabs(root) else os.path.realpath(root)

    def _protected(self, root: bytes) -> Handle | None:
        """The workspace at a root, when it is written into now."""
        with self._.state.lock:
            track = self._.state.workspace_at(root)
        if track is None or track.mode is not Mode.PROTECT:
            return None
        return self._.workspaces.handle(track.id)

    def _observe(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        root: bytes = arguments["root"]
        self._set_mode(root, Mode.OBSERVE, ancestry)
        return DidView(f"{shown(root)} is only observed from now on", [], pasted("conductd", "protect", shown(root)))

    def _set_mode(self, root: bytes, wanted: Mode, ancestry: tuple[str, ...]) -> Handle:
        parts = self._

        def register() -> Handle:
            with parts.state.lock:
                known = parts.state.workspace_at(root)
            handle = parts.workspaces.handle(known.id) if known else None
            if handle is not None:
                parts.workspaces.set_mode(handle, wanted)
                return handle
            profile = known.profile if known else parts.workspaces.recognise(root)
            handle = parts.workspaces.register(root, wanted, profile)
            parts.intake.add(handle)
            return handle

        done = result(parts.intake.do(register))
        assert isinstance(done, Handle)
        decision = DecisionRecord("mode", done.id, caller=ancestry, detail=f"{wanted} {shown(root)}")
        parts.recorder.write([Draft(decision)])
        return done

    # ------------------------------------------------------------------ writes

    def restore(self, path: bytes, version: str, workspace: str | None, dry_run: bool, caller: Caller) -> DidView:
        """An agent may bring back what was lost, but not take away what stands there."""
        file = self._naming.file(path, workspace)
        head, wanted = self._.commands.head(file), self._naming.seen(file, version)
        if not caller.may_undo and not dry_run and self._.commands.takes_away(head, wanted) != 0:
            words = f"write version {wanted.seq} over what stands in {shown(file.path)}, which lacks entries of it"
            arguments = {"file": file.id, "version": wanted.seq, "head": head.seq if head else 0}
            return self._.weakening.ask("restore", arguments, caller, words, workspace=file.workspace, file=file.id)
        return self._on_judge(lambda: self._.commands.restore(file, wanted, caller.ancestry, dry_run, head=head))

    def _restore(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        with self._.state.lock:
            file = self._.state.files[arguments["file"]]
        head, wanted = self._.commands.head(file), self._naming.seen(file, str(arguments["version"]))
        return self._on_judge(lambda: self._.commands.restore(file, wanted, ancestry, False, head=head))

    def _show_restore(self, arguments: dict[str, Any]) -> list[str]:
        with self._.state.lock:
            file = self._.state.files[arguments["file"]]
        wanted = self._naming.seen(file, str(arguments["version"]))
        head = file.head.seq if file.head is not None else 0
        goes = self._.commands.takes_away(file.head, wanted)
        lines = [f"write version {wanted.seq} into {shown(file.path)}: {_gone(goes)}"]
        if head != arguments.get("head", head):
            lines.append(f"although {shown(file.path)} was written again since it was asked for: version {head}")
        return lines

    def bring_back(self, incident: int, dry_run: bool, caller: Caller) -> DidView:
        return self._on_judge(lambda: self._.commands.bring_back(incident, caller.ancestry, dry_run))

    def restore_at(
        self, at: str, directory: bytes | None, exact: bool, dry_run: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        where = resolved(directory) if directory else None
        if caller.may_undo or dry_run:
            return self._set_restore.restore(at, where, exact, dry_run, caller)
        return self._ask_to_restore_at(at, where, exact, caller)

    def _ask_to_restore_at(
        self, at: str, where: bytes | None, exact: bool, caller: Caller
    ) -> Iterator[float | SetView]:
        for step in self._set_restore.restore(at, where, exact, True, caller):
            if isinstance(step, float):
                yield step
                continue
            place = shown(where) if where else "every workspace"
            due = sum(file.outcome == "planned" for file in step.files)
            words = f"restore {counted(due, 'file')} in {place} as of {step.at}"
            with self._.state.lock:
                asked = self._.state.last_seq
            arguments = {"at": iso_exactly(step.at_ns), "directory": where, "exact": exact, "asked": asked}
            did = self._.weakening.ask("restore_at", arguments, caller, words)
            yield msgspec.structs.replace(step, text=did.text, request=did.request)

    def _show_restore_at(self, arguments: dict[str, Any]) -> list[str]:
        at, where, exact = arguments["at"], arguments["directory"], arguments["exact"]
        steps = self._set_restore.restore(at, where, exact, True, Caller())
        done = next(step for step in steps if not isinstance(step, float))
        due = [file for file in done.files if file.outcome == "planned"]
        with self._.state.lock:
            tracks = [self._.state.track(file.workspace, base64.b64decode(file.path_b64)) for file in due]
        heads = [track.head.seq if track is not None and track.head is not None else 0 for track in tracks]
        asked: int = arguments.get("asked", max(heads, default=0))
        lines = [
            f"{file.what} {file.path}: {_gone(None if file.then_state == FileState.ABSENT else file.newer_entries)}"
            + (", and it was written again since it was asked for" if head > asked else "")
            for file, head in zip(due, heads, strict=True)
        ]
        more = [f"and so for {counted(len(lines) - SHOWN, 'file')} more"] if len(lines) > SHOWN else []
        return [*lines[:SHOWN], *more] or ["do nothing: all is as it was then"]

    def _restore_at(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        person = Caller(ancestry, terminal=True)
        steps = self._set_restore.restore(arguments["at"], arguments["directory"], arguments["exact"], False, person)
        done = next(step for step in steps if not isinstance(step, float))
        return DidView(done.text, [], done.undo_command)

    def undo(self, incident: int | None, caller: Caller, dry_run: bool) -> DidView:
        """An agent that undoes a repair brings back what it destroyed."""
        if not caller.may_undo and not dry_run:
            commands = self._.commands
            meant, plans = acted(
                self._.judge.call(
                    lambda: (commands.undo(incident, caller.ancestry, True), commands.newest_to_undo(incident))
                )
            )
            words = "undo what conductd wrote last: " + ", ".join(plan.path for plan in meant.plans)
            with self._.state.lock:
                spaces = {each.workspace for each in self._.state.undo if each.plan in plans}
            where = spaces.pop() if len(spaces) == 1 else ""
            arguments = {"incident": incident, "plans": plans}
            return self._.weakening.ask("undo", arguments, caller, words, workspace=where)
        return self._undo({"incident": incident, "dry_run": dry_run}, caller.ancestry)

    def _undo(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        dry_run: bool = arguments.get("dry_run", False)
        incident, only = arguments["incident"], arguments.get("plans")
        did = self._on_judge(lambda: self._.commands.undo(incident, ancestry, dry_run, only))
        if not dry_run:
            self._learned.ask()
        return did

    def _show_undo(self, arguments: dict[str, Any]) -> list[str]:
        try:
            plans = self._undo({**arguments, "dry_run": True}, ()).plans
        except ConductdError as error:
            return [f"do nothing: {error.message}"]
        return [f"write {plan.path} as it was before conductd wrote it" for plan in plans]

    # ------------------------------------------------------------------ accepting

    def accept(
        self, incident: int | None, path: bytes | None, workspace: str | None, caller: Caller, dry_run: bool = False
    ) -> DidView:
        """A loss was meant."""
        only = None
        if incident is None:
            if path is None:
                raise UsageError("accept needs an incident or a file", "conductd incidents")
            only = self._naming.file(path, workspace)
            incident = self._.commands.newest_to_accept(only)
        known = self._known(incident)
        if dry_run:
            return self._on_judge(lambda: self._.commands.accept(incident, only, caller.ancestry, True))
        arguments = {"incident": incident, "file": only.id if only else None}
        words = f"accept the loss of incident {incident}: {self._names(known, only)}"
        where, file = known.record.workspace, only.id if only else None
        return self._.weakening.ask("accept", arguments, caller, words, workspace=where, file=file)

    def _accept(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        file = arguments["file"]
        with self._.state.lock:
            only = self._.state.files[file] if file is not None else None
        did = self._on_judge(lambda: self._.commands.accept(arguments["incident"], only, ancestry))
        self._learned.ask()
        return did

    def _is_accepted(self, arguments: dict[str, Any]) -> str:
        with self._.state.lock:
            known = self._.state.incidents.get(arguments["incident"])
        is_over = known is not None and known.record.state == "accepted"
        return f"incident {arguments['incident']} is accepted already" if is_over else ""

    def _show_accept(self, arguments: dict[str, Any]) -> list[str]:
        try:
            return self._.commands.accepting(arguments["incident"], arguments["file"])
        except ConductdError as error:
            return [f"do nothing: {error.message}"]

    def _known(self, incident: int) -> OpenIncident:
        with self._.state.lock:
            known = self._.state.incidents.get(incident)
        if known is None:
            raise NotFound(f"no incident {incident}", "conductd incidents --all")
        return known

    def _names(self, incident: OpenIncident, only: FileTrack | None) -> str:
        with self._.state.lock:
            files = [self._.state.files[number].path for number in incident.record.files]
        return notices.names([only.path] if only else files)

    # ------------------------------------------------------------------ requests

    def confirm(self, request: int, caller: Caller) -> DidView:
        return self._.weakening.confirm(request, caller)

    def refuse(self, request: int, caller: Caller) -> RequestView:
        return self._.weakening.refuse(request, caller)

    # ------------------------------------------------------------------ announcing

    def evidence(
        self, path: bytes, workspace: str | None, actor: str, digest: bytes | None, session: str, tool_call: str
    ) -> int:
        if not ANNOUNCED.fullmatch(actor):
            raise Refused(f"nobody can claim to be {actor!r} here", "agent:SESSION, cron:JOB or sync:CLIENT")
        where, relative = self.place(path, workspace)
        record = EvidenceRecord(where, relative, actor, digest, session, tool_call, self._.clock.wall_ns())
        return self._.recorder.write([Draft(record)])[0].seq

    def place(self, path: bytes, workspace: str | None) -> tuple[str, bytes]:
        """Workspace and relative path of a file that may not exist yet; of the root itself the path is empty."""
        wanted = self._naming.workspace(workspace)
        handles = [h for h in self._.workspaces.handles() if wanted in (None, h.id)]
        real = os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path))
        for handle in handles:
            for each in (path, real) if path.startswith(b"/") else ():
                if (each + b"/").startswith(handle.root + b"/"):
                    return handle.id, each[len(handle.root) + 1 :]
        if not path.startswith(b"/") and len(handles) == 1:
            return handles[0].id, path
        found = self._naming.file(path, workspace)
        return found.workspace, found.path

    def _on_judge(self, run: Callable[[], DidView]) -> DidView:
        done: DidView = acted(self._.judge.call(run))
        return done


def _asked(view: WorkspaceView, request: int) -> WorkspaceView:
    return msgspec.structs.replace(view, request=request)


def _but(name: str) -> Callable[[dict[str, Any]], object]:
    """A request is the same although what it was made of moved on."""
    return lambda arguments: {key: value for key, value in arguments.items() if key != name}


def _show_observe(arguments: dict[str, Any]) -> list[str]:
    return [f"write nothing into {shown(arguments['root'])} any more: losses are only recorded"]


def _show_end(arguments: dict[str, Any]) -> list[str]:
    return [f"record nothing of {shown(arguments['root'])} any more"]


def _gone(entries: int | None) -> str:
    """What a restore takes away."""
    if entries is None:
        return "all that stands there now goes"
    stand, go = verb(entries, "stands", "stand"), verb(entries, "goes", "go")
    return f"{counted(entries, 'entry', 'entries')} that {stand} there now {go}"
