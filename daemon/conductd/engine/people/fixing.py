"""`conductd doctor --fix`: the safe fixes of a workspace, planned by the core, written as one set with one undo.

What is at fault is looked at anew here: nothing of it is told by the client. Whatever is not safe is only named, with
the reason. A fix moves text between files and changes what an agent gets to see, so an agent only asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any

import msgspec

from conductd.agents.bootstrap_read import Guard, Read, read
from conductd.agents.openclaw_gate import place_of
from conductd.agents.provenance import records
from conductd.core.doctor.facts import Kind, Workspace
from conductd.core.doctor.fixes import MOST, REPAIRS, Plan, Unsafe, plans
from conductd.core.doctor.links import HARD_LINK, hard_linked, memory_links
from conductd.core.doctor.names import misspelt
from conductd.core.load.openclaw_versions import NEWEST, Version, parse_version, reading
from conductd.core.provenance import Effect, effect, is_gated, written
from conductd.doctor.places import Known, Wanted, workspace_facts
from conductd.engine.health.overview import Parts
from conductd.engine.people.naming import Naming
from conductd.engine.people.write_set import Write, WriteSets
from conductd.engine.workspaces import Handle
from conductd.errors import ConductdError, NotFound, UsageError
from conductd.faces import Caller
from conductd.model import Frozen
from conductd.views import DidView, FixedView, FixView, NotFixedView, shown
from conductd.views.words import counted

PURPOSE = "doctor"
_DOUBT = "; where OpenClaw keeps its record of who wrote it, and so whether it stays in the prompt, is not known"


class Mended(Frozen, frozen=True):
    """``what``: one clause of what was to be done. ``why``: why it was not; "" when it was. ``undo_command``: takes it
    back; "" where there is nothing to take back."""

    repair: str
    what: str
    why: str = ""
    undo_command: str = ""


class Fixing:
    """See the module. Any thread."""

    def __init__(self, parts: Parts, naming: Naming, write_sets: WriteSets, environ: Any = None) -> None:
        self._, self._naming, self._write_sets = parts, naming, write_sets
        self._environ = dict(os.environ) if environ is None else dict(environ)
        parts.weakening.register(
            "fix", self._confirmed, self._shows, may=lambda caller: caller.may_undo, settled=self._settled
        )

    def fix(self, workspace: str | None, only: Sequence[str], dry_run: bool, caller: Caller) -> FixView:
        """Carry out what is safe; ``only``: these kinds, () all. Raises UsageError, NotFound."""
        wrong = [each for each in only if each not in REPAIRS]
        if wrong:
            raise UsageError(f"there is no fix {wrong[0]}", f"known are: {', '.join(REPAIRS)}")
        handle = self._handle(workspace)
        found = self._found(handle, only)
        due = [each for each in found if isinstance(each, Plan)]
        looked = [self._dry(handle, each, caller) for each in due]
        if dry_run or not due:
            return self._view(handle, found, looked, dry_run=dry_run)
        if not caller.may_undo:
            words = f"mend {counted(len(due), 'fault')} in {shown(handle.root)}: " + "; ".join(e.what for e in due[:3])
            arguments = {"workspace": handle.id, "only": list(only)}
            did = self._.weakening.ask("fix", arguments, caller, words, workspace=handle.id)
            view = self._view(handle, found, looked, dry_run=True)
            return FixView(did.text, view.workspace, view.root, view.fixes, view.left, "", did.request)
        done, undo = self._carry_out(handle, due, looked, caller)
        return self._view(handle, found, done, dry_run=False, undo=undo)

    def one_by_one(self, workspace: str, caller: Caller) -> list[Mended]:
        """Carry out what is certainly safe, with nobody looking on, each fix as an act with an undo of its own. Raises
        UsageError, NotFound."""
        handle = self._handle(workspace)
        return [self._alone(handle, each, caller) for each in self._found(handle, ()) if isinstance(each, Plan)]

    # ------------------------------------------------------------------ what is to be done

    def _handle(self, workspace: str | None) -> Handle:
        wanted = self._naming.workspace(workspace)
        handles = [each for each in self._.workspaces.handles() if wanted in (None, each.id)]
        if not handles:
            raise NotFound("there is no such workspace", "conductd status lists them; conductd protect DIR")
        if len(handles) > 1:
            listed = ", ".join(shown(each.root) for each in handles)
            raise UsageError(f"which of {len(handles)} workspaces? {listed}", "name one with --workspace")
        return handles[0]

    def _found(self, handle: Handle, only: Sequence[str]) -> list[Plan | Unsafe]:
        table = self._.workspaces.config.workspace(handle.root)
        chains = tuple(each.chain() for each in self._.workspaces.config.agents)
        home = os.path.expanduser("~")
        wanted = Wanted(table.agents, table.agent_version) if table is not None else Wanted()
        known = Known(True, profile=handle.profile)
        now = self._.clock.wall_ns()
        facts = workspace_facts(handle.root, self._environ, home, now, known, wanted, chains)
        stamp = datetime.fromtimestamp(now / 1e9, UTC).strftime("%Y-%m-%dT%H-%M-%S-%f")[:-3] + "Z"
        place = place_of(handle.root, self._environ, home)
        gate = partial(_gate, handle.root, place.state_dir, _release(facts))
        found = plans(facts, _contents(facts), stamp, gate)
        is_known = place.state_dir is not None and place.is_sure
        doubt = "" if is_known or not _has_gate(facts) else _DOUBT
        return [_doubted(each, doubt) for each in found if not only or each.repair in only]

    # ------------------------------------------------------------------ doing it

    def _carry_out(
        self, handle: Handle, due: Sequence[Plan], looked: Sequence[FixedView], caller: Caller
    ) -> tuple[list[FixedView], str]:
        """What nothing stands in the way of, as one set, and the command that undoes it; of the others that is
        said."""
        able = [plan for plan, view in zip(due, looked, strict=True) if view.outcome == "planned"]
        if not able:
            return list(looked), ""
        try:
            written = self._write_sets.write(handle.id, _writes(*able), PURPOSE, caller)
        except ConductdError as error:
            return [_refused(plan, error) for plan in due], ""
        files = {each.path_b64: each for each in written.files}
        done = [
            msgspec.structs.replace(view, outcome="applied", files=[files[each.path_b64] for each in view.files])
            if view.outcome == "planned"
            else view
            for view in looked
        ]
        return done, written.undo_command

    def _alone(self, handle: Handle, plan: Plan, caller: Caller) -> Mended:
        if plan.what.endswith(_DOUBT):
            return Mended(plan.repair, plan.what.removesuffix(_DOUBT), _DOUBT.removeprefix("; "))
        try:
            view = self._write_sets.write(handle.id, _writes(plan), PURPOSE, caller)
        except ConductdError as error:
            return Mended(plan.repair, plan.what, error.message)
        return Mended(plan.repair, plan.what, undo_command=view.undo_command if plan.repair != HARD_LINK else "")

    def _dry(self, handle: Handle, plan: Plan, caller: Caller) -> FixedView:
        try:
            view = self._write_sets.write(handle.id, _writes(plan), PURPOSE, caller, dry_run=True)
        except ConductdError as error:
            return _refused(plan, error)
        return FixedView(plan.repair, plan.what, "planned", "", view.files)

    def _confirmed(self, arguments: dict[str, Any], ancestry: tuple[str, ...]) -> DidView:
        person = Caller(ancestry, terminal=True)
        view = self.fix(arguments["workspace"], arguments["only"], False, person)
        return DidView(view.text, [], view.undo_command)

    def _shows(self, arguments: dict[str, Any]) -> list[str]:
        found = self._found(self._handle(arguments["workspace"]), arguments["only"])
        return [each.what for each in found if isinstance(each, Plan)] or ["do nothing: all is as it should be"]

    def _settled(self, arguments: dict[str, Any]) -> str:
        try:
            found = self._found(self._handle(arguments["workspace"]), arguments["only"])
        except ConductdError as error:
            return error.message
        is_due = any(isinstance(each, Plan) for each in found)
        return "" if is_due else "nothing is left to be mended"

    def _view(
        self, handle: Handle, found: Sequence[Plan | Unsafe], done: list[FixedView], *, dry_run: bool, undo: str = ""
    ) -> FixView:
        left = [
            NotFixedView(each.repair, each.what, each.why, [shown(path) for path in each.files])
            for each in found
            if isinstance(each, Unsafe)
        ]
        good = sum(each.outcome in ("applied", "planned") for each in done)
        said = "nothing is to be mended" if not found else "nothing is mended by a program here"
        if done:
            would = "would be mended" if dry_run else verb_is(good) + " mended"
            said = f"{counted(good, 'fault')} {would}"
            said += f", {len(done) - good} refused" if good < len(done) else ""
        # Of a copy of its own nothing is to be brought back: its bytes are the same.
        can_undo = any(each.outcome == "applied" and each.repair != HARD_LINK for each in done)
        return FixView(said, handle.id, shown(handle.root), done, left, undo if can_undo else "")


def verb_is(count: int) -> str:
    return "is" if count == 1 else "are"


def _writes(*those: Plan) -> list[Write]:
    return [
        Write(each.path, each.data, each.was, was_link=each.was_link, break_links=each.break_links)
        for plan in those
        for each in plan.changes
    ]


def _refused(plan: Plan, error: ConductdError) -> FixedView:
    return FixedView(plan.repair, plan.what, "refused", error.message, [])


def _contents(facts: Workspace) -> dict[bytes, bytes]:
    """The bytes of the files that a fix may write: those in question, and those in the workspace that are
    our own behind links. Nothing from outside of it: whoever plants a link does not say what is copied."""
    wanted = {each.path for each in hard_linked(facts)}
    for pair in misspelt(facts):
        wanted |= {pair.name.path, pair.wanted}
    found: dict[bytes, bytes] = {}
    for path in wanted:
        entry = facts.entry(path)
        if entry is not None and entry.kind is Kind.FILE:
            seen = _read(facts, path, follows=False)
            if seen.data is not None and seen.identity == (entry.device, entry.inode):
                found[path] = seen.data
    for link in memory_links(facts):
        if not link.inside:
            continue
        seen = _read(facts, link.path, follows=True)
        # Judged by what was opened: the link, or a directory on its way, may lead elsewhere by now.
        leads = os.path.join(os.path.realpath(facts.root), link.real)
        if seen.data is not None and seen.owner == facts.user and os.fsencode(seen.real) == leads:
            found[link.path] = seen.data
    return found


def _read(facts: Workspace, path: bytes, *, follows: bool) -> Read:
    guard = Guard(os.fsdecode(facts.root), follows=follows, most=MOST)
    return read(os.fsdecode(os.path.join(facts.root, path)), guard)


def _has_gate(facts: Workspace) -> bool:
    """Whether a release of OpenClaw reads the workspace that asks who wrote a file."""
    return any(
        each.name == "openclaw" and reading(parse_version(each.version) or NEWEST).has_provenance
        for each in facts.agents
    )


def _doubted(found: Plan | Unsafe, doubt: str) -> Plan | Unsafe:
    """With what is not known of it: nothing is called safe that may not be."""
    if not doubt or not isinstance(found, Plan) or not any(is_gated(each.path) for each in found.changes):
        return found
    return msgspec.structs.replace(found, what=found.what + doubt)


def _release(facts: Workspace) -> Version | None:
    openclaw = next((each for each in facts.agents if each.name == "openclaw"), None)
    return parse_version(openclaw.version) if openclaw is not None else None


def _gate(root: bytes, state_dir: bytes | None, version: Version | None, path: bytes, data: bytes) -> str:
    """Why OpenClaw would leave the file out of the prompt after this write; no state directory, no record."""
    if state_dir is None:
        return ""
    looked = records(state_dir, root, [path])[path]
    found = effect(path, looked, version, data)
    if found in (Effect.NEUTRAL, Effect.NO_GATE):
        return ""
    return written(found, looked.record) or "what OpenClaw makes of the write is not known"
