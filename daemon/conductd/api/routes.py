"""The table of routes: what each takes, answers, and which call of the service it is.

One row is the truth for the router, for the OpenAPI document and for the tests that hold
docs/api.md to it. A handler is a plain function that runs in the lane its row names.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any, cast

import msgspec

from conductd.api import openapi
from conductd.api import requests as ask
from conductd.api.lanes import Lane
from conductd.api.route import EVIDENCE_LIMIT, Call, Raw, Route
from conductd.core import exposition
from conductd.errors import UsageError
from conductd.faces import CardWish, ForgetWish, PinPlace
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


class SequenceView(msgspec.Struct, frozen=True):
    """The journal sequence that was given to what you sent."""

    seq: int


class RebuiltView(msgspec.Struct, frozen=True):
    """How many records the new index holds."""

    records: int


def _versions(call: Call) -> list[VersionView]:
    q: ask.VersionsQuery = call.query
    return call.service.versions(ask.raw(q.path, q.path_b64), q.workspace, q.limit, q.before)


def _content(call: Call) -> Raw:
    q: ask.ContentQuery = call.query
    path = ask.raw(q.path, q.path_b64)
    if path is None and not q.version:
        raise UsageError("`path` or `version` is missing", "name a file, a version, or both")
    view, data = call.service.content(path, q.version, q.workspace)
    # Header values are ASCII: json escapes what is not.
    described = json.dumps(msgspec.to_builtins(view))
    return Raw(data, "application/octet-stream", (("conductd-version", described),))


def _diff(call: Call) -> Raw:
    q: ask.DiffQuery = call.query
    text = call.service.diff(ask.needed(q.path, q.path_b64), q.old, q.new, q.workspace)
    return Raw(text.encode("utf-8", "surrogateescape"), "text/plain; charset=utf-8")


def _pin_place(call: Call) -> PinPlace:
    b: ask.PinBody = call.body
    return PinPlace(ask.needed(b.path, b.path_b64), b.workspace, b.line, b.heading, b.text, b.marked)


def _bootcard(call: Call) -> BootcardView:
    q: ask.BootcardQuery = call.query
    wish = CardWish(q.date, q.agent, q.version, q.session, q.lines or 0, q.tokens or 0)
    return call.service.bootcards.bootcard(q.workspace, wish)


def _set_mode(call: Call) -> WorkspaceView:
    b: ask.ModeBody = call.body
    return call.service.acts.set_mode(ask.needed(b.root, b.root_b64, "root"), b.mode, call.caller())


def _restore(call: Call) -> DidView:
    b: ask.RestoreBody = call.body
    path = ask.raw(b.path, b.path_b64)
    if b.incident is not None and path is None and b.version is None:
        return call.service.acts.bring_back(b.incident, b.dry_run, call.caller())
    if b.incident is not None or path is None or not b.version:
        raise UsageError("give `path` and `version`, or `incident` alone", "see: conductd log, conductd incidents")
    return call.service.acts.restore(path, b.version, b.workspace, b.dry_run, call.caller())


def _rotate(call: Call) -> RotateView:
    b: ask.RotateBody = call.body
    path, to = ask.needed(b.path, b.path_b64), ask.raw(b.to, b.to_b64)
    return call.service.rotators.rotate(path, b.workspace, to, b.until_percent, b.dry_run, call.caller())


def _accept(call: Call) -> DidView:
    b: ask.AcceptBody = call.body
    path = ask.raw(b.path, b.path_b64)
    if (b.incident is None) == (path is None):
        raise UsageError("give either `incident` or `path`", "see: conductd incidents")
    return call.service.acts.accept(b.incident, path, b.workspace, call.caller(), b.dry_run)


def _lease(call: Call) -> LeaseView:
    b: ask.LeaseBody = call.body
    path = ask.needed(b.path, b.path_b64)
    return call.service.leases.lease(path, b.workspace, b.seconds, b.editor, b.confirmed, call.caller())


def _end_lease(call: Call) -> LeaseView:
    b: ask.LeaseEndBody = call.body
    return call.service.leases.end(b.lease, ask.raw(b.path, b.path_b64), b.workspace, call.caller())


def _evidence(call: Call) -> SequenceView:
    b: ask.EvidenceBody = call.body
    digest = None if b.digest is None else bytes.fromhex(b.digest)
    content = b.content.encode() if b.content is not None else None
    if b.content_b64 is not None:
        content = ask.unbase64(b.content_b64, "content_b64")
    if content is not None:
        digest = hashlib.sha256(content).digest()
    path = ask.needed(b.path, b.path_b64)
    return SequenceView(call.service.acts.evidence(path, b.workspace, b.actor, digest, b.session, b.tool_call))


def _forget(call: Call) -> ForgetView:
    b: ask.ForgetBody = call.body
    wish = ForgetWish(
        matching=b.matching,
        secret=b.secret,
        regex=b.regex,
        only_match=b.only_match,
        version=b.version,
        path=ask.raw(b.path, b.path_b64),
        workspace=b.workspace,
        now=b.now,
        in_files=b.in_files,
        dry_run=b.dry_run,
    )
    return call.service.forgetters.forget(wish, call.caller())


def _check_forgotten(call: Call) -> Iterator[dict[str, Any]]:
    b: ask.ForgetCheckBody = call.body
    for step in call.service.forgetters.check(ForgetWish(matching=b.matching, secret=b.secret)):
        yield {"progress": step} if isinstance(step, float) else {"result": step}


def _verify(call: Call) -> Iterator[dict[str, Any]]:
    for step in call.service.verify():
        yield {"progress": step} if isinstance(step, float) else {"result": step}


def _restore_at(call: Call) -> Iterator[dict[str, Any]]:
    b: ask.RestoreAtBody = call.body
    path, caller = ask.raw(b.path, b.path_b64), call.caller()
    for step in call.service.acts.restore_at(b.at, path, b.exact, b.dry_run, caller):
        yield {"progress": step} if isinstance(step, float) else {"result": step}


def _rebuild(call: Call) -> Iterator[dict[str, Any]]:
    for step in call.service.rebuild_index():
        yield {"progress": step} if isinstance(step, float) else {"result": RebuiltView(step)}


def _run_job(call: Call) -> Iterator[dict[str, Any]]:
    b: ask.JobRunBody = call.body
    for step in call.service.jobs.run(b.job, b.workspace, b.date, dry_run=b.dry_run):
        yield {"progress": step} if isinstance(step, float) else {"result": step}


def _explain(call: Call) -> ExplainView:
    return call.service.explain(call.number)


def _explain_file(call: Call) -> ExplainView:
    q: ask.ExplainQuery = call.query
    return call.service.explain_file(ask.needed(q.path, q.path_b64), q.version, q.workspace)


def _log(call: Call) -> list[EventView]:
    q: ask.LogQuery = call.query
    return call.service.log(q.since, q.limit)


def _metrics(call: Call) -> Raw:
    return Raw(call.service.metrics().encode(), exposition.MEDIA)


def _document(_call: Call) -> dict[str, Any]:
    return openapi.document(ROUTES)


ROUTES: tuple[Route, ...] = (
    Route("GET", "/v1/hello", "Versions, pid, state directory", HelloView, Lane.MEMORY, lambda c: c.service.hello()),
    Route(
        "POST", "/v1/sync", "Rescan; answer when all before is recorded, and judged or named with its deadline",
        SyncView, Lane.WAIT, lambda c: c.service.sync(), body=ask.NoBody,
    ),
    Route(
        "POST", "/v1/reload", "Read the configuration again; a broken one changes nothing",
        ReloadView, Lane.WAIT, lambda c: c.service.reload(), body=ask.NoBody,
    ),
    Route("GET", "/v1/status", "One screen of state", StatusView, Lane.QUICK, lambda c: c.service.status()),
    Route(
        "GET", "/v1/workspaces", "Workspaces", list[WorkspaceView], Lane.QUICK, lambda c: c.service.workspaces(),
    ),
    Route(
        "POST", "/v1/workspaces", "Protect or observe a directory, or let it go", WorkspaceView, Lane.WAIT, _set_mode,
        body=ask.ModeBody,
    ),
    Route(
        "GET", "/v1/files", "Protected files", list[FileView], Lane.QUICK,
        lambda c: c.service.files(c.query.workspace), query=ask.FilesQuery,
    ),
    Route(
        "GET", "/v1/load", "What each agent sees of its files", list[LoadView], Lane.SLOW,
        lambda c: c.service.loads(c.query.workspace), query=ask.LoadQuery,
    ),
    Route(
        "GET", "/v1/versions", "History, newest first", list[VersionView], Lane.SLOW, _versions,
        query=ask.VersionsQuery,
    ),
    Route(
        "GET", "/v1/content", "The bytes of one version", bytes, Lane.SLOW, _content, query=ask.ContentQuery,
        media="application/octet-stream",
    ),
    Route("GET", "/v1/diff", "Unified diff", str, Lane.SLOW, _diff, query=ask.DiffQuery, media="text/plain"),
    Route("POST", "/v1/restore", "Write a version back", DidView, Lane.WAIT, _restore, body=ask.RestoreBody),
    Route(
        "POST", "/v1/restore/at", "Everything below a directory as it was at a time", SetView, Lane.JOB, _restore_at,
        body=ask.RestoreAtBody, stream="job", media="application/x-ndjson",
    ),
    Route(
        "POST", "/v1/undo", "Reverse the last restore or repair, of all or of one incident", DidView, Lane.WAIT,
        lambda c: c.service.acts.undo(c.body.incident, c.caller(), c.body.dry_run), body=ask.UndoBody,
    ),
    Route(
        "POST", "/v1/rotate", "Move what agents do not load of a file to a topic file", RotateView, Lane.WAIT, _rotate,
        body=ask.RotateBody,
    ),
    Route(
        "GET", "/v1/incidents", "Incidents", list[IncidentView], Lane.QUICK,
        lambda c: c.service.incidents(c.query.state), query=ask.IncidentsQuery,
    ),
    Route("GET", "/v1/incidents/{id:int}", "Explain one incident", ExplainView, Lane.SLOW, _explain),
    Route(
        "GET", "/v1/explain", "Explain the verdict on a version of a file", ExplainView, Lane.SLOW, _explain_file,
        query=ask.ExplainQuery,
    ),
    Route("POST", "/v1/accept", "This loss was meant", DidView, Lane.WAIT, _accept, body=ask.AcceptBody),
    Route(
        "GET", "/v1/requests", "What was asked for and waits for a person", list[RequestView], Lane.WAIT,
        lambda c: c.service.requests(),
    ),
    Route(
        "POST", "/v1/confirm", "Do what was asked for", DidView, Lane.WAIT,
        lambda c: c.service.acts.confirm(c.body.request, c.caller()), body=ask.RequestBody,
    ),
    Route(
        "POST", "/v1/refuse", "Do not do what was asked for", RequestView, Lane.WAIT,
        lambda c: c.service.acts.refuse(c.body.request, c.caller()), body=ask.RequestBody,
    ),
    Route(
        "POST", "/v1/forget", "Hide at once what is to be forgotten, and erase it later", ForgetView, Lane.WAIT,
        _forget, body=ask.ForgetBody,
    ),
    Route(
        "POST", "/v1/forget/cancel", "Show again what is hidden and not erased yet", DidView, Lane.WAIT,
        lambda c: c.service.forgetters.cancel(c.body.forget, c.caller()), body=ask.ForgetCancelBody,
    ),
    Route(
        "POST", "/v1/forget/check", "Whether anything is left of what was erased, or of a text", ForgetCheckView,
        Lane.JOB, _check_forgotten, body=ask.ForgetCheckBody, stream="job", media="application/x-ndjson",
    ),
    Route(
        "POST", "/v1/gc", "Erase the content of old versions", GcView, Lane.WAIT,
        lambda c: c.service.retainers.gc(c.body.dry_run, c.caller()), body=ask.GcBody,
    ),
    Route("GET", "/v1/leases", "Leases that stand", list[LeaseView], Lane.QUICK, lambda c: c.service.leases.leases()),
    Route(
        "POST", "/v1/leases", "A person is at a file: leave it alone for a while", LeaseView, Lane.WAIT, _lease,
        body=ask.LeaseBody,
    ),
    Route(
        "POST", "/v1/leases/renew", "So long from now", LeaseView, Lane.WAIT,
        lambda c: c.service.leases.renew(c.body.lease, c.body.seconds, c.caller()), body=ask.RenewBody,
    ),
    Route("POST", "/v1/leases/end", "Before its time", LeaseView, Lane.WAIT, _end_lease, body=ask.LeaseEndBody),
    Route(
        "GET", "/v1/bootcard", "What an agent must know at its start, on one page", BootcardView, Lane.SLOW, _bootcard,
        query=ask.BootcardQuery,
    ),
    Route(
        "GET", "/v1/pins", "Pinned entries", list[PinView], Lane.WAIT,
        lambda c: c.service.pins.pins(c.query.workspace), query=ask.PinsQuery,
    ),
    Route(
        "POST", "/v1/pins", "Pin entries", DidView, Lane.WAIT,
        lambda c: c.service.pins.pin(_pin_place(c), c.caller()), body=ask.PinBody,
    ),
    Route(
        "POST", "/v1/pins/remove", "Unpin entries", DidView, Lane.WAIT,
        lambda c: c.service.pins.unpin(_pin_place(c), c.caller()), body=ask.PinBody,
    ),
    Route("GET", "/v1/roles", "Learned roles", list[RoleView], Lane.QUICK, lambda c: c.service.roles.roles()),
    Route(
        "POST", "/v1/roles", "Say what files like these are for", RoleView, Lane.WAIT,
        lambda c: c.service.roles.learn(c.body.glob, c.body.role, c.body.workspace, c.body.dry_run, c.caller()),
        body=ask.RoleBody,
    ),
    Route(
        "POST", "/v1/doctor/fix", "Mend what doctor finds and can mend safely", FixView, Lane.WAIT,
        lambda c: c.service.fixers.fix(c.body.workspace, c.body.only, c.body.dry_run, c.caller()), body=ask.FixBody,
    ),
    Route(
        "POST", "/v1/roles/forget", "Let the profile say it again", RoleView, Lane.WAIT,
        lambda c: c.service.roles.forget(c.body.glob, c.body.workspace, c.caller()), body=ask.RoleForgetBody,
    ),
    Route(
        "GET", "/v1/pending", "What waits, and until when", list[PendingView], Lane.MEMORY,
        lambda c: c.service.pending(),
    ),
    Route(
        "POST", "/v1/evidence", "Announce a write", SequenceView, Lane.QUICK, _evidence, body=ask.EvidenceBody,
        limit=EVIDENCE_LIMIT,
    ),
    Route(
        "GET", "/v1/events", "Server-sent events; id = journal sequence", EventView, Lane.STREAM,
        lambda c: c.query.since, query=ask.EventsQuery, stream="events", media="text/event-stream",
    ),
    Route("GET", "/v1/log", "Events as a list, oldest first", list[EventView], Lane.SLOW, _log, query=ask.LogQuery),
    Route(
        "POST", "/v1/verify", "Check the whole journal", VerifyView, Lane.JOB, _verify, body=ask.NoBody,
        stream="job", media="application/x-ndjson",
    ),
    Route(
        "POST", "/v1/index/rebuild", "Rebuild the index from the journal", RebuiltView, Lane.JOB, _rebuild,
        body=ask.NoBody, stream="job", media="application/x-ndjson",
    ),
    Route(
        "GET", "/v1/jobs", "The jobs of the night: when each runs, and what came of it", list[JobView], Lane.QUICK,
        lambda c: c.service.jobs.jobs(c.query.workspace), query=ask.JobsQuery,
    ),
    Route(
        "GET", "/v1/report", "The report of a day", ReportView, Lane.SLOW,
        lambda c: c.service.jobs.report(c.query.workspace, c.query.date), query=ask.ReportQuery,
    ),
    Route(
        "POST", "/v1/jobs/run", "Run a job of the night now", JobRunView, Lane.JOB, _run_job, body=ask.JobRunBody,
        stream="job", media="application/x-ndjson",
    ),
    Route(
        "GET", "/v1/counters", "Counters, one flat object", dict[str, int], Lane.MEMORY,
        lambda c: c.service.counters(),
    ),
    Route(
        "GET", "/v1/metrics", "Figures in the text format of Prometheus", str, Lane.QUICK, _metrics, media="text/plain",
    ),
    Route("GET", "/v1/openapi.json", "This API as an OpenAPI document", cast("Any", dict), Lane.QUICK, _document),
)  # fmt: skip
