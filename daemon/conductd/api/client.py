"""The client of the API: standard library sockets, typed answers.

Called by the CLI, the scenario runner and the server's own "is somebody there?" probe. Never starts
a daemon and never reads its files. Every method raises what the daemon raised (`errors`), and
DaemonNotRunning or NotOurSocket when there is no daemon of ours to ask. Not thread-safe: one
connection, one request at a time; `events` and the long jobs take a connection of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from conductd.api.asking import Requests
from conductd.api.wire import Connection, b64, lines, request, with_query
from conductd.faces import CardWish
from conductd.views import (
    BootcardView,
    DidView,
    EventView,
    ExplainView,
    FileView,
    FixView,
    ForgetCheckView,
    ForgetView,
    GcView,
    HelloView,
    IncidentView,
    JobRunView,
    JobView,
    LeaseView,
    LoadView,
    PendingView,
    PinView,
    ReloadView,
    ReportView,
    RequestView,
    RoleView,
    RotateView,
    SetView,
    StatusView,
    SyncView,
    VerifyView,
    VersionView,
    WorkspaceView,
)

API_VERSION = 1
# The server sends a comment every 15 s: three of them missing mean that it is gone.
STREAM_TIMEOUT_S = 50.0


class Client(Requests):
    """One daemon, by its socket (the wished path; a too long one is mapped as the server maps it)."""

    # ------------------------------------------------------------------ reads

    def hello(self) -> HelloView:
        return self._get("/v1/hello", HelloView)

    def status(self) -> StatusView:
        return self._get("/v1/status", StatusView)

    def workspaces(self) -> list[WorkspaceView]:
        return self._get("/v1/workspaces", list[WorkspaceView])

    def files(self, workspace: str | None = None) -> list[FileView]:
        return self._get("/v1/files", list[FileView], workspace=workspace)

    def loads(self, workspace: str | None = None) -> list[LoadView]:
        return self._get("/v1/load", list[LoadView], workspace=workspace)

    def versions(
        self, path: bytes | None = None, workspace: str | None = None, limit: int = 100, before: int | None = None
    ) -> list[VersionView]:
        return self._get(
            "/v1/versions", list[VersionView], path_b64=b64(path), workspace=workspace, limit=limit, before=before
        )

    def content(self, path: bytes | None, version: str = "", workspace: str | None = None) -> tuple[VersionView, bytes]:
        """The version's description and its bytes, exactly."""
        headers, body = self._send(
            "GET", with_query("/v1/content", path_b64=b64(path), version=version, workspace=workspace)
        )
        return msgspec.json.decode(headers["conductd-version"] or "", type=VersionView), body

    def diff(self, path: bytes, old: str = "", new: str = "", workspace: str | None = None) -> bytes:
        """Unified diff as bytes (files need not be UTF-8)."""
        return self._send("GET", with_query("/v1/diff", path_b64=b64(path), old=old, new=new, workspace=workspace))[1]

    def incidents(self, state: str | None = None) -> list[IncidentView]:
        return self._get("/v1/incidents", list[IncidentView], state=state)

    def explain(self, incident: int) -> ExplainView:
        return self._get(f"/v1/incidents/{incident}", ExplainView)

    def requests(self) -> list[RequestView]:
        return self._get("/v1/requests", list[RequestView])

    def leases(self) -> list[LeaseView]:
        return self._get("/v1/leases", list[LeaseView])

    def roles(self) -> list[RoleView]:
        return self._get("/v1/roles", list[RoleView])

    def explain_file(self, path: bytes, version: str = "", workspace: str | None = None) -> ExplainView:
        return self._get("/v1/explain", ExplainView, path_b64=b64(path), version=version, workspace=workspace)

    def bootcard(self, workspace: str | None, wish: CardWish) -> BootcardView:
        return self._get(
            "/v1/bootcard",
            BootcardView,
            workspace=workspace,
            date=wish.date,
            agent=wish.agent,
            version=wish.version,
            session=wish.session,
            lines=wish.lines or None,
            tokens=wish.tokens or None,
        )

    def pending(self) -> list[PendingView]:
        return self._get("/v1/pending", list[PendingView])

    def log(self, since: int = 0, limit: int = 1000) -> list[EventView]:
        return self._get("/v1/log", list[EventView], since=since, limit=limit)

    def counters(self) -> dict[str, int]:
        return self._get("/v1/counters", dict[str, int])

    def metrics(self) -> str:
        return self._send("GET", "/v1/metrics")[1].decode()

    def openapi(self) -> dict[str, Any]:
        return self._get("/v1/openapi.json", dict[str, Any])

    # ------------------------------------------------------------------ acts

    def sync(self) -> SyncView:
        return self._post("/v1/sync", SyncView)

    def reload(self) -> ReloadView:
        """Waits until the daemon has read its configuration again."""
        return self._patiently("/v1/reload", ReloadView)

    def set_mode(self, root: bytes, mode: str) -> WorkspaceView:
        return self._post("/v1/workspaces", WorkspaceView, root_b64=b64(root), mode=mode)

    def restore(self, path: bytes, version: str, workspace: str | None = None, dry_run: bool = False) -> DidView:
        return self._post(
            "/v1/restore", DidView, path_b64=b64(path), version=version, workspace=workspace, dry_run=dry_run
        )

    def restore_at(
        self, at: str, path: bytes | None = None, exact: bool = False, dry_run: bool = False
    ) -> Iterator[float | SetView]:
        """Progress (0..1) while it works, the result last."""
        asked = {"at": at, "path_b64": b64(path), "exact": exact, "dry_run": dry_run}
        body = msgspec.json.encode({name: value for name, value in asked.items() if value is not None})
        for kind, value in self._job("/v1/restore/at", body):
            yield float(value) if kind == "progress" else msgspec.convert(value, SetView)

    def bring_back(self, incident: int, dry_run: bool = False) -> DidView:
        """What an incident still owes, back in place."""
        return self._post("/v1/restore", DidView, incident=incident, dry_run=dry_run)

    def rotate(self, path: bytes, to: bytes | None = None, percent: int = 0, dry_run: bool = False) -> RotateView:
        """Move sections out of a file that agents do not load whole."""
        asked = {} if to is None else {"to_b64": b64(to)}
        return self._post("/v1/rotate", RotateView, path_b64=b64(path), until_percent=percent, dry_run=dry_run, **asked)

    def undo(self, incident: int | None = None, dry_run: bool = False) -> DidView:
        """Reverse what was written last: for an incident, or (None) of all."""
        return self._post("/v1/undo", DidView, incident=incident, dry_run=dry_run)

    def accept(
        self,
        incident: int | None = None,
        path: bytes | None = None,
        workspace: str | None = None,
        dry_run: bool = False,
    ) -> DidView:
        return self._post(
            "/v1/accept", DidView, incident=incident, path_b64=b64(path), workspace=workspace, dry_run=dry_run
        )

    def forget(
        self,
        *,
        matching: str = "",
        secret: str = "",
        regex: bool = False,
        only_match: bool = False,
        version: str = "",
        path: bytes | None = None,
        workspace: str | None = None,
        now: bool = False,
        in_files: bool = False,
        dry_run: bool = False,
    ) -> ForgetView:
        """Waits as long as reading the whole history takes."""
        return self._patiently(
            "/v1/forget",
            ForgetView,
            matching=matching,
            secret=secret,
            regex=regex,
            only_match=only_match,
            version=version,
            path_b64=b64(path),
            workspace=workspace,
            now=now,
            in_files=in_files,
            dry_run=dry_run,
        )

    def cancel_forget(self, number: int) -> DidView:
        return self._post("/v1/forget/cancel", DidView, forget=number)

    def gc(self, *, dry_run: bool = False) -> GcView:
        """Waits as long as reading and rewriting the whole history takes."""
        return self._patiently("/v1/gc", GcView, dry_run=dry_run)

    def confirm(self, request: int) -> DidView:
        """Do what was asked for. Only for a person at a terminal."""
        return self._post("/v1/confirm", DidView, request=request)

    def refuse(self, request: int) -> RequestView:
        return self._post("/v1/refuse", RequestView, request=request)

    def lease(self, path: bytes, seconds: int = 600, editor: str = "", confirmed: bool = False) -> LeaseView:
        """`path`: a file or directory. `confirmed`: a person said yes to a long one."""
        return self._post(
            "/v1/leases", LeaseView, path_b64=b64(path), seconds=seconds, editor=editor, confirmed=confirmed
        )

    def renew(self, lease: int, seconds: int = 600) -> LeaseView:
        return self._post("/v1/leases/renew", LeaseView, lease=lease, seconds=seconds)

    def end_lease(self, lease: int | None = None, path: bytes | None = None) -> LeaseView:
        return self._post("/v1/leases/end", LeaseView, lease=lease, path_b64=b64(path))

    def pins(self, workspace: str | None = None) -> list[PinView]:
        return self._get("/v1/pins", list[PinView], workspace=workspace)

    def pin(
        self,
        path: bytes,
        *,
        line: int = 0,
        heading: str = "",
        text: str = "",
        marked: bool = False,
        workspace: str | None = None,
        remove: bool = False,
    ) -> DidView:
        """Pin entries of a file, or (`remove`) unpin them: on a line, under a heading, with a text, inside its
        marks; all without any of these."""
        where = "/v1/pins/remove" if remove else "/v1/pins"
        return self._post(
            where,
            DidView,
            path_b64=b64(path),
            line=line,
            heading=heading,
            text=text,
            marked=marked,
            workspace=workspace,
        )

    def learn_role(self, glob: str, role: str, workspace: str | None = None, dry_run: bool = False) -> RoleView:
        """Say what files like these are for."""
        return self._post("/v1/roles", RoleView, glob=glob, role=role, workspace=workspace, dry_run=dry_run)

    def fix(self, workspace: str | None = None, only: Sequence[str] = (), dry_run: bool = False) -> FixView:
        """Mend what doctor finds and can mend safely."""
        return self._post("/v1/doctor/fix", FixView, workspace=workspace, only=list(only), dry_run=dry_run)

    def forget_role(self, glob: str, workspace: str | None = None) -> RoleView:
        return self._post("/v1/roles/forget", RoleView, glob=glob, workspace=workspace)

    def evidence(
        self,
        path: bytes,
        actor: str,
        digest: bytes | None = None,
        content: bytes | None = None,
        session: str = "",
        tool_call: str = "",
        workspace: str | None = None,
    ) -> int:
        """Announce a write; returns the journal sequence of the evidence."""
        answer = self._post(
            "/v1/evidence",
            dict[str, int],
            path_b64=b64(path),
            workspace=workspace,
            actor=actor,
            digest=None if digest is None else digest.hex(),
            content_b64=b64(content),
            session=session,
            tool_call=tool_call,
        )
        return answer["seq"]

    # ------------------------------------------------------------------ streams

    def events(self, since: int | None = None) -> Iterator[EventView | None]:
        """Events as they become durable; None on each sign of life (a comment, about every 15 s).

        Ends when the daemon ends the stream; raises DaemonNotRunning when the connection breaks.
        """
        connection = Connection(self.path, STREAM_TIMEOUT_S)
        try:
            response = request(connection, "GET", with_query("/v1/events", since=since))
            data = b""
            for line in lines(response, self.path):
                if line.startswith(b":"):
                    yield None
                elif line.startswith(b"data: "):
                    data += line[6:]
                elif not line and data:
                    yield msgspec.json.decode(data, type=EventView)
                    data = b""
        finally:
            connection.close()

    def verify(self) -> Iterator[float | VerifyView]:
        """Progress (0..1) while it works, the result last."""
        for kind, value in self._job("/v1/verify"):
            yield float(value) if kind == "progress" else msgspec.convert(value, VerifyView)

    def rebuild_index(self) -> Iterator[float | int]:
        """Progress (0..1), then the number of records as an int."""
        for kind, value in self._job("/v1/index/rebuild"):
            yield float(value) if kind == "progress" else int(value["records"])

    def jobs(self, workspace: str | None = None) -> list[JobView]:
        return self._get("/v1/jobs", list[JobView], workspace=workspace)

    def report(self, workspace: str | None = None, date: str = "") -> ReportView:
        return self._get("/v1/report", ReportView, workspace=workspace, date=date)

    def run_job(
        self, job: str, workspace: str | None = None, date: str = "", *, dry_run: bool = False
    ) -> Iterator[float | JobRunView]:
        """Progress (0..1) while it works, what came of it last."""
        wish = {"job": job, "workspace": workspace, "date": date, "dry_run": dry_run}
        for kind, value in self._job("/v1/jobs/run", msgspec.json.encode(wish)):
            yield float(value) if kind == "progress" else msgspec.convert(value, JobRunView)

    def check_forgotten(self, matching: str = "", secret: str = "") -> Iterator[float | ForgetCheckView]:
        """Progress (0..1) while it works, the result last."""
        body = msgspec.json.encode({"matching": matching, "secret": secret})
        for kind, value in self._job("/v1/forget/check", body):
            yield float(value) if kind == "progress" else msgspec.convert(value, ForgetCheckView)
