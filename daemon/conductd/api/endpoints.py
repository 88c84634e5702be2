"""From a request to an answer: checks what came, runs the handler in its lane, encodes, refuses.

The only place that knows starlette. Everything a client can do wrong ends here as one JSON error;
everything that goes wrong inside is logged (without content) and told as `internal`.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route as StarletteRoute
from starlette.types import ASGIApp

from conductd.api.lanes import Lane, Lanes
from conductd.api.protocol import error_json
from conductd.api.requests import MAX_SEQUENCE
from conductd.api.route import Call, Raw, Route
from conductd.api.routes import ROUTES
from conductd.api.streams import INTERNAL, JOBS, KEEP_ALIVE_S, STREAMS, EventStream, Job, Places, Wake
from conductd.errors import ConductdError, MethodNotAllowed, NotFound, TooLarge, UsageError
from conductd.faces import Caller, Events, Service
from conductd.views import encoded

logger = logging.getLogger("conductd.api")


@dataclass
class Faces:
    """What every endpoint needs. Made on the server's loop."""

    service: Service
    who: Callable[[int], Caller]
    keep_alive_s: float = KEEP_ALIVE_S
    lanes: Lanes = field(default_factory=Lanes)
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    wakes: set[Wake] = field(default_factory=set)
    streams: Places = field(
        default_factory=lambda: Places(
            STREAMS, f"{STREAMS} event streams are open already", "close one, or read GET /v1/log from time to time"
        )
    )
    jobs: Places = field(
        default_factory=lambda: Places(JOBS, "a long job is running already", "wait until it is done, then try again")
    )

    def stop_streams(self) -> None:
        """On the loop: every stream ends at its next look, which is now."""
        self.stopping.set()
        for wake in self.wakes:
            wake.on_loop()


def application(faces: Faces) -> Starlette:
    app = Starlette(
        routes=[StarletteRoute(r.path, _endpoint(faces, r), methods=[r.method]) for r in ROUTES],
        exception_handlers={HTTPException: _http_exception},
    )
    app.router.redirect_slashes = False
    return app


def _endpoint(faces: Faces, route: Route) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            return await _answer(faces, route, request)
        except ConductdError as error:
            return refusal(error)
        except ClientDisconnect:
            return Response(status_code=499)
        except Exception:
            logger.exception("a request failed", extra={"route": f"{route.method} {route.path}"})
            return refusal(INTERNAL)

    return answer


async def _answer(faces: Faces, route: Route, request: Request) -> Response:
    number: int = request.path_params.get("id", 0)
    if number > MAX_SEQUENCE:
        raise NotFound(f"there is nothing with the number {number}", "conductd incidents --all")
    data = await _body(request, route)
    call = Call(
        query=_query(request, route),
        body=_decoded(data, route),
        number=number,
        peer=request.state.peer,
        service=faces.service,
        who=faces.who,
    )
    if route.stream == "events":
        return _as_response(await _event_stream(faces, request, call.query.since))
    if route.stream == "job":
        faces.jobs.take()
        return _as_response(Job(route.handle(call), faces.lanes, faces.jobs, faces.stopping))
    return await faces.lanes.run(route.lane, lambda: _encoded(route.handle(call)))


def _as_response(stream: ASGIApp) -> Response:
    """starlette calls whatever an endpoint returns as an ASGI application."""
    return stream  # type: ignore[return-value]


async def _event_stream(faces: Faces, request: Request, since: int | None) -> EventStream:
    last = request.headers.get("last-event-id")
    if last is not None:
        if not last.isascii() or not last.isdigit():
            raise UsageError("`Last-Event-ID` is not a sequence number", "send the id of the last event you read")
        since = int(last)
    faces.streams.take()
    try:
        # History is paged from the journal by the stream itself; the subscription is for what is new.
        events: Events = await faces.lanes.run(Lane.STREAM, faces.service.events)
    except BaseException:
        faces.streams.give_back()
        raise
    return EventStream(
        faces.service, events, since, faces.lanes, faces.streams, faces.stopping, faces.wakes, faces.keep_alive_s
    )


async def _body(request: Request, route: Route) -> bytes:
    """The whole body, or TooLarge as soon as it is known to be."""
    limit = route.limit if route.body is not None else 0
    length = request.headers.get("content-length", "0")
    if length.isdigit() and int(length) > limit:
        raise _too_large(limit)
    parts: list[bytes] = []
    size = 0
    async for part in request.stream():
        size += len(part)
        if size > limit:
            raise _too_large(limit)
        parts.append(part)
    return b"".join(parts)


def _too_large(limit: int) -> ConductdError:
    if limit == 0:
        return UsageError("this route takes no body", "put the question into the query string")
    return TooLarge(f"the body is larger than {limit} bytes", "send a digest instead of the content")


def _query(request: Request, route: Route) -> Any:
    pairs = request.query_params.multi_items()
    given = dict(pairs)
    if len(given) != len(pairs):
        raise UsageError("a query parameter is given twice", "give each at most once")
    return _checked(lambda: msgspec.convert(given, route.query, strict=False), "query")


def _decoded(data: bytes, route: Route) -> Any:
    kind = route.body
    if kind is None:
        return None
    return _checked(lambda: msgspec.json.decode(data or b"{}", type=kind), "body")


def _checked(read: Callable[[], Any], where: str) -> Any:
    try:
        return read()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"the {where} is not what this route takes: {error}", "see GET /v1/openapi.json") from error


def _encoded(answer: Any) -> Response:
    if isinstance(answer, Raw):
        return Response(answer.data, media_type=answer.media, headers=dict(answer.headers))
    return Response(encoded(answer), media_type="application/json")


def refusal(error: ConductdError) -> Response:
    return Response(error_json(error), status_code=error.status, media_type="application/json")


async def _http_exception(request: Request, error: Exception) -> Response:
    """What starlette itself refuses: an unknown route, a wrong method."""
    status = getattr(error, "status_code", 500)
    hint = "the routes are listed at GET /v1/openapi.json"
    if status == 405:
        allowed = ", ".join(sorted(r.method for r in ROUTES if r.path == request.url.path))
        response = refusal(MethodNotAllowed(f"{request.url.path} does not take {request.method}", hint))
        response.headers["allow"] = allowed or "GET"
        return response
    if status == 404:
        return refusal(NotFound(f"there is no route {request.url.path}", hint))
    return refusal(INTERNAL)
