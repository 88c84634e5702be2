"""Learned roles: a person said what files like these are for, and it holds until taken back.

Owns asking (once for a kind of file, when losses in it were meant several times), learning and forgetting. A
learned role is a decision in the journal. The configuration wins over it, it wins over the profile.
Any thread.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

from conductd.core.alike import glob_for
from conductd.core.globs import matches
from conductd.engine.answering import notices
from conductd.engine.fold.decided import LearnedRole, Meant
from conductd.engine.health.overview import Parts
from conductd.engine.people.naming import Naming
from conductd.errors import Ambiguous, NotFound, UsageError
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import DecisionRecord, FileState, Record, Role
from conductd.views import DidView, RoleView, shown

EXAMPLES = 20
GLOB_BYTES = 1_000


class Learned:
    """See the module (implements `faces.Roles`)."""

    def __init__(self, parts: Parts, naming: Naming) -> None:
        self._, self._naming = parts, naming
        self._state = parts.state
        parts.weakening.register("role", self._learn, self._show)

    def roles(self) -> list[RoleView]:
        with self._state.lock:
            known = list(self._state.decided.roles)
        return [self._role_view(each) for each in known]

    def learn(self, glob: str, role: str, workspace: str | None, dry_run: bool, caller: Caller) -> RoleView:
        """From now on files that fit are for that. It weakens their protection unless all of them are replaceable now:
        what is done for one role is not stronger in all for another."""
        if role not in tuple(Role):
            raise UsageError(f"no role {role}", ", ".join(Role))
        where = self._workspace(workspace)
        view = self._view(where, _checked(glob), role)
        if dry_run:
            return view
        arguments = {"workspace": where, "glob": glob, "role": role}
        if role != Role.REPLACEABLE and self._are_replaceable(where, glob):
            self._learn(arguments, caller.ancestry)
            return self._known(where, glob)
        what = ": losses in them are only recorded" if role == Role.REPLACEABLE else ""
        words = f"take files like {glob} for {role} ({_counted(view.files)}){what}"
        did = self._.weakening.ask("role", arguments, caller, words, workspace=where)
        return self._known(where, glob) if did.request is None else msgspec.structs.replace(view, request=did.request)

    def forget(self, glob: str, workspace: str | None, caller: Caller) -> RoleView:
        """Files that fit are for what the profile says, again."""
        where = self._workspace(workspace)
        known = self._known(where, glob)
        arguments = {"workspace": where, "glob": glob, "role": ""}
        if known.role == Role.REPLACEABLE:
            self._learn(arguments, caller.ancestry)
            return msgspec.structs.replace(known, id=0)
        words = f"forget that files like {glob} are {known.role} ({_counted(known.files)})"
        did = self._.weakening.ask("role", arguments, caller, words, workspace=where)
        return msgspec.structs.replace(known, id=0 if did.request is None else known.id, request=did.request)

    def _are_replaceable(self, workspace: str, glob: str) -> bool:
        """Those that fit; or, when none does, the one of just this name."""
        paths = self._fitting(workspace, glob) or ([_raw(glob.lstrip("/"))] if not set(glob) & set("*?[") else [])
        return bool(paths) and all(self._.workspaces.role(workspace, path) is Role.REPLACEABLE for path in paths)

    # ------------------------------------------------------------------ asking

    def ask(self) -> None:
        """Called when a person said that a loss was meant: is it the kind of file that is made to be replaced?"""
        with self._state.lock:
            meant, asked = list(self._state.decided.meant), set(self._state.decided.asked)
        ask_after = self._.workspaces.config.people.ask_role_after
        kinds: dict[tuple[str, str], list[Meant]] = {}
        for each in meant:
            kinds.setdefault((each.workspace, glob_for(each.path)), []).append(each)
        for (workspace, glob), those in kinds.items():
            incidents = {each.incident for each in those}
            if len(incidents) < ask_after or (workspace, glob) in asked or not self._may_be_asked(those):
                continue
            self._.recorder.write([Draft(each) for each in self._question(workspace, glob, len(incidents))])

    def _may_be_asked(self, those: Sequence[Meant]) -> bool:
        """Only of notes on a topic: that the memory itself, a day's log or the instructions are made to be replaced
        is nothing to suggest."""
        return all(self._.workspaces.role(each.workspace, each.path) is Role.TOPIC for each in those)

    def _question(self, workspace: str, glob: str, times: int) -> list[Record]:
        files = self._fitting(workspace, glob)
        command = f"conductd role {shlex.quote(glob)} {Role.REPLACEABLE}"
        with self._state.lock:
            root = self._state.workspaces[workspace].root
            if len(self._state.workspaces) > 1:
                command += f" --workspace {shlex.quote(shown(root))}"
        return [
            DecisionRecord("role_asked", workspace, path=_raw(glob), detail=str(Role.REPLACEABLE)),
            notices.kind_of_file(workspace, glob, files, times, command),
        ]

    # ------------------------------------------------------------------ parts

    def _learn(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        workspace, glob, role = arguments["workspace"], arguments["glob"], arguments["role"]
        decision = "role" if role else "role_forgotten"
        record = DecisionRecord(decision, workspace, caller=ancestry, path=_raw(glob), detail=role)
        self._.recorder.write([Draft(record)])
        self._.workspaces.roles_changed(workspace)
        with self._state.lock:
            waiting = [f.id for f in self._state.files_of(workspace) if f.since and matches(glob, f.path)]
        self._.judge.recorded(waiting)
        said = f"are {role} from now on" if role else "are for what the profile says again"
        back = f"conductd role {shlex.quote(glob)} --forget" if role else ""
        return DidView(f"files like {glob} {said}", [], back)

    def _show(self, arguments: dict[str, Any]) -> list[str]:
        files = self._fitting(arguments["workspace"], arguments["glob"])
        return [f"be so for {shown(path)}" for path in files[:EXAMPLES]] or ["be so for files to come: none fits now"]

    def _fitting(self, workspace: str, glob: str) -> list[bytes]:
        """Protected files that fit now."""
        with self._state.lock:
            found = [f.path for f in self._state.files_of(workspace) if f.head and f.head.state is not FileState.ABSENT]
        return sorted(
            path for path in found if matches(glob, path) and self._.workspaces.role(workspace, path) is not None
        )

    def _known(self, workspace: str, glob: str) -> RoleView:
        with self._state.lock:
            each = next((r for r in self._state.decided.roles if (r.workspace, r.glob) == (workspace, glob)), None)
        if each is None:
            raise NotFound(f"nothing was learned of files like {glob}", "conductd roles")
        return self._role_view(each)

    def _role_view(self, each: LearnedRole) -> RoleView:
        return self._view(each.workspace, each.glob, str(each.role), each.id)

    def _view(self, workspace: str, glob: str, role: str, number: int = 0) -> RoleView:
        files = self._fitting(workspace, glob)
        with self._state.lock:
            root = self._state.workspaces[workspace].root
        return RoleView(
            id=number,
            workspace=workspace,
            root=shown(root),
            glob=glob,
            role=role,
            files=len(files),
            examples=[shown(path) for path in files[:EXAMPLES]],
        )

    def _workspace(self, name: str | None) -> str:
        found = self._naming.workspace(name)
        if found is not None:
            return found
        handles = self._.workspaces.handles()
        if len(handles) != 1:
            raise Ambiguous(f"{len(handles)} workspaces are watched", "name one with --workspace DIR")
        return handles[0].id


def _checked(glob: str) -> str:
    if not glob.strip("/*?. ") or "\0" in glob or len(_raw(glob)) > GLOB_BYTES:
        raise UsageError(f"{glob!r} would fit too much, or nothing", "for example: 'memory/handoff-*.md'")
    return glob


def _raw(glob: str) -> bytes:
    return glob.encode("utf-8", "surrogateescape")


def _counted(files: int) -> str:
    return "1 file now" if files == 1 else f"{files} files now"
