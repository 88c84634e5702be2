"""Leases: somebody is at a file for a while, and what is written to it meanwhile is recorded and left.

Owns granting, renewing and ending them; what the judge does meanwhile is `lease_wait`. A lease is a
decision in the journal: it survives a restart, and replay sees the same. It ends by itself.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from typing import Any

import msgspec

from conductd.engine.fold.decided import Lease
from conductd.engine.health.overview import Parts
from conductd.engine.people.waiting import result
from conductd.errors import NotFound, Refused, UsageError
from conductd.faces import Caller
from conductd.journal.journal import Draft
from conductd.model import DecisionRecord
from conductd.views import DidView, LeaseView, b64, iso, shown

SECOND_NS = 1_000_000_000
MOST_S = 24 * 3600
EDITOR = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]{0,39}")


class Leases:
    """See the module. Any thread."""

    def __init__(self, parts: Parts, place: Callable[[bytes, str | None], tuple[str, bytes]]) -> None:
        """`place(path, workspace)`: the workspace of a path that need not exist, and where it is in it."""
        self._, self._place = parts, place
        self._state, self._clock = parts.state, parts.clock
        parts.weakening.register("lease", self._grant, self._show_grant, may=lambda caller: caller.may_lease)
        parts.weakening.register("long_lease", self._grant, self._show_grant)
        parts.weakening.register("lease_end", self._end, self._show_end)

    @property
    def _at_once_s(self) -> int:
        return self._.workspaces.config.people.lease_minutes * 60

    # ------------------------------------------------------------------ asking

    def lease(
        self, path: bytes, workspace: str | None, seconds: int, editor: str, confirmed: bool, caller: Caller
    ) -> LeaseView:
        """`path`: a file (that need not exist yet) or a directory. `editor`: the program that has it open, of
        `conductd edit`; versions it writes are its person's then."""
        if not 1 <= seconds <= MOST_S:
            raise UsageError(f"a lease of {seconds} s", "between 1 second and 24 hours")
        if editor and not EDITOR.fullmatch(editor):
            raise UsageError(f"no editor is called {editor!r}", "give the name of a program")
        is_long = seconds > self._at_once_s
        if is_long and caller.may_decide and not confirmed:
            minutes = self._at_once_s // 60
            raise Refused(f"more than {minutes} minutes have to be confirmed", "conductd lease FILE --for TIME --yes")
        where, relative = self._place(path, workspace)
        # Nobody is taken for a person because somebody else confirms it.
        holder = editor if caller.may_lease else ""
        arguments = {"workspace": where, "path": relative, "seconds": seconds, "editor": holder}
        words = f"leave {self._named(where, relative)} alone for {_span(seconds)}, whatever is written to it"
        act = "long_lease" if is_long else "lease"
        did = self._.weakening.ask(act, arguments, caller, words, workspace=where, file=self._file(where, relative))
        if did.request is not None:
            asked = self.view(Lease(0, where, relative, 0, 0, "", caller.ancestry))
            return msgspec.structs.replace(asked, request=did.request)
        return self.view(self._taken(where, relative))

    def renew(self, number: int, seconds: int, caller: Caller) -> LeaseView:
        """So long from now. Only for whoever may have one; not told again."""
        if not caller.may_lease or not 1 <= seconds <= self._at_once_s:
            raise Refused("this lease is not renewed", "conductd lease FILE")
        lease = self._standing(number)
        until = self._clock.wall_ns() + seconds * SECOND_NS
        if until > lease.until_ns:
            self._write("lease", lease, caller.ancestry, until)
        return self.view(lease)

    def end(self, number: int | None, path: bytes | None, workspace: str | None, caller: Caller) -> LeaseView:
        """Before its time: by its number, or the newest that was taken for just this path. What was written
        until now is still under it. Only asked for by who may not decide, but for the process that took it: a repair
        would be written under the hands of a person."""
        if number is not None:
            lease = self._standing(number)
        elif path is not None:
            lease = self._taken(*self._place(path, workspace))
        else:
            raise UsageError("give `lease` or `path`", "conductd leases")
        arguments = {"lease": lease.id}
        if caller.may_lease or (lease.caller and lease.caller[:1] == caller.ancestry[:1]):
            self._end(arguments, caller.ancestry)
            return self.view(lease)
        words = f"end the lease of {self._named(lease.workspace, lease.path)}: what is written to it is judged again"
        file = self._file(lease.workspace, lease.path)
        did = self._.weakening.ask("lease_end", arguments, caller, words, workspace=lease.workspace, file=file)
        return msgspec.structs.replace(self.view(lease), request=did.request)

    def _end(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        lease = self._standing(arguments["lease"])
        result(result(self._.intake.sync()))
        self._write("lease_end", lease, ancestry, lease.until_ns)
        with self._state.lock:
            files = [f.id for f in self._state.files.values() if f.since and lease.is_for(f.workspace, f.path)]
        self._.judge.recorded(files)
        return DidView(f"the lease of {self._named(lease.workspace, lease.path)} has ended", [], "")

    def _show_end(self, arguments: dict[str, Any]) -> list[str]:
        try:
            lease = self._standing(arguments["lease"])
        except NotFound as error:
            return [f"do nothing: {error.message}"]
        return [f"judge, and repair, {self._named(lease.workspace, lease.path)} again"]

    def leases(self) -> list[LeaseView]:
        return [self.view(lease) for lease in self.standing()]

    def standing(self) -> list[Lease]:
        """Oldest first."""
        now = self._clock.wall_ns()
        with self._state.lock:
            return [lease for lease in self._state.decided.leases.values() if now < lease.until_ns]

    def view(self, lease: Lease) -> LeaseView:
        with self._state.lock:
            root = self._state.workspaces[lease.workspace].root
        return LeaseView(
            id=lease.id,
            workspace=lease.workspace,
            root=shown(root),
            path=shown(lease.path),
            path_b64=b64(lease.path),
            holder=lease.holder,
            caller=list(lease.caller),
            since=iso(lease.since_ns),
            since_ns=lease.since_ns,
            until=iso(lease.until_ns),
            until_ns=lease.until_ns,
        )

    # ------------------------------------------------------------------ parts

    def _grant(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        workspace, path, seconds = arguments["workspace"], arguments["path"], arguments["seconds"]
        record = DecisionRecord(
            "lease",
            workspace,
            self._file(workspace, path),
            caller=ancestry,
            detail=f"human:{arguments['editor']}" if arguments["editor"] else "",
            path=path,
            until_ns=self._clock.wall_ns() + seconds * SECOND_NS,
        )
        self._.recorder.write([Draft(record)])
        said = f"{self._named(workspace, path)} is left alone for {_span(seconds)}"
        return DidView(
            f"{said}: what is written to it is recorded, not judged",
            [],
            f"conductd lease {shlex.quote(self._named(workspace, path))} --end",
        )

    def _show_grant(self, arguments: dict[str, Any]) -> list[str]:
        named = self._named(arguments["workspace"], arguments["path"])
        return [f"judge and repair nothing in {named} for {_span(arguments['seconds'])} from then on"]

    def _file(self, workspace: str, path: bytes) -> int | None:
        with self._state.lock:
            file = self._state.track(workspace, path)
        return file.id if file is not None else None

    def _write(self, decision: str, lease: Lease, ancestry: tuple[str, ...], until_ns: int) -> None:
        record = DecisionRecord(
            decision, lease.workspace, None, caller=ancestry, path=lease.path, until_ns=until_ns, of=lease.id
        )
        self._.recorder.write([Draft(record)])

    def _standing(self, number: int) -> Lease:
        found = next((lease for lease in self.standing() if lease.id == number), None)
        if found is None:
            raise NotFound(f"no lease {number} stands", "conductd leases")
        return found

    def _taken(self, workspace: str, path: bytes) -> Lease:
        found = [each for each in self.standing() if (each.workspace, each.path) == (workspace, path)]
        if not found:
            raise NotFound(f"no lease of {self._named(workspace, path)} stands", "conductd leases")
        return found[-1]

    def _named(self, workspace: str, path: bytes) -> str:
        with self._state.lock:
            root = self._state.workspaces[workspace].root
        return shown(os.path.join(root, path) if path else root)


def _span(seconds: int) -> str:
    return f"{seconds} s" if seconds % 60 else f"{seconds // 60} min"
