"""What agents see, as `GET /v1/load` and `status` show it. Any thread; only the former reads the disk."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from conductd.core.load.finding import Finding
from conductd.engine.fold import loads as fold
from conductd.engine.fold.state import State
from conductd.engine.loading import words
from conductd.engine.loading.looking import Told
from conductd.engine.loading.picture import OK, Picture
from conductd.engine.loading.watch import LoadWatch
from conductd.engine.workspaces import Handle, Workspaces
from conductd.views import LoadFindingView, LoadLineView, LoadView, PendingView, b64, iso, shown


class Showing:
    """See the module."""

    def __init__(self, state: State, workspaces: Workspaces, loads: LoadWatch) -> None:
        self._state, self._workspaces, self._loads = state, workspaces, loads

    def loads(self, workspace: str | None) -> list[LoadView]:
        """One for each agent of each workspace; one that says why where there is none."""
        handles = [each for each in self._workspaces.handles() if workspace in (None, each.id)]
        return [view for handle in handles for view in self._of(handle)]

    def lines(self) -> list[LoadLineView]:
        found = []
        for handle in self._workspaces.handles():
            picture = self._loads.picture(handle.id)
            unknown = [each for each in picture.seen if each.state != OK]
            lines = [f"{each.agent}: {each.state}" for each in unknown]
            several = len(picture.seen) > 1
            for each in picture.seen:
                named = f"{each.agent}: " if several else ""
                lines += [named + words.with_headings(one) for one in each.findings]
            lines += [words.with_headings(one) for one in picture.findings]
            agents = [each.agent for each in picture.seen]
            found.append(LoadLineView(handle.id, shown(handle.root), b64(handle.root), picture.state, agents, lines))
        return found

    def pending(self, now_ns: int) -> list[PendingView]:
        found = []
        for workspace, due_ns in self._loads.pending():
            left = max(0, -(-(due_ns - now_ns) // 1_000_000))
            found.append(PendingView(workspace, "", "", "load", "quiet", left, due_ns))
        return found

    # ------------------------------------------------------------------ one workspace

    def _of(self, handle: Handle) -> Iterator[LoadView]:
        picture = self._loads.picture(handle.id)
        with self._state.lock:
            told = dict(self._state.loads.of(handle.id))
        if not picture.seen:
            yield _nothing(handle, picture, "", picture.state, _findings(picture.findings, told))
            return
        known = {each.agent: each.findings for each in picture.seen}
        for number, each in enumerate(self._loads.looker.told(handle)):
            own = _findings((*known.get(each.agent, ()), *(picture.findings if number == 0 else ())), told)
            yield _view(handle, picture, each, own)


def _view(handle: Handle, picture: Picture, one: Told, findings: list[LoadFindingView]) -> LoadView:
    if one.told is None:
        return _nothing(handle, picture, one.agent, one.state, findings)
    return LoadView(
        **{key: value for key, value in one.told.items() if key in LoadView.__struct_fields__},
        workspace_id=handle.id,
        state=one.state,
        at=iso(picture.at_ns),
        at_ns=picture.at_ns,
        findings=findings,
    )


def _nothing(handle: Handle, picture: Picture, agent: str, state: str, findings: list[LoadFindingView]) -> LoadView:
    at = iso(picture.at_ns) if picture.at_ns else ""
    return LoadView(
        agent,
        "",
        "",
        shown(handle.root),
        "",
        workspace_id=handle.id,
        state=state,
        at=at,
        at_ns=picture.at_ns,
        findings=findings,
    )


def _findings(findings: Sequence[Finding], told: Mapping[str, fold.Told]) -> list[LoadFindingView]:
    return [_finding(each, told.get(each.place)) for each in findings]


def _finding(finding: Finding, told: fold.Told | None) -> LoadFindingView:
    at_ns = told.at_ns if told is not None else 0
    return LoadFindingView(
        event_class=str(finding.event_class),
        path=finding.name or finding.largest,
        text=words.with_headings(finding),
        since=iso(at_ns) if at_ns else "",
        since_ns=at_ns,
        incident=told.incident if told is not None else None,
        facts=msgspec.to_builtins(finding),
    )
