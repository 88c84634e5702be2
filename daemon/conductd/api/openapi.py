"""The OpenAPI document, made from the table of routes and the msgspec types. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from conductd import __version__
from conductd.api.route import Route

_REF = "#/components/schemas/{name}"


class ErrorFields(msgspec.Struct, frozen=True):
    """`code` is a stable word (docs/errors.md), `message` one sentence, `hint` the next step."""

    code: str
    message: str
    hint: str


class ErrorView(msgspec.Struct, frozen=True):
    """What every refusal looks like."""

    error: ErrorFields


def document(routes: Sequence[Route]) -> dict[str, Any]:
    """OpenAPI 3.1, complete: every route, its query, body, answer and refusal."""
    types: list[Any] = [ErrorView]
    for route in routes:
        types += [kind for kind in (route.query, route.body, _schema_type(route)) if kind is not None]
    schemas, components = msgspec.json.schema_components(types, schema_hook=_any, ref_template=_REF)
    by_type = dict(zip(map(str, types), schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        path = route.path.replace("{id:int}", "{id}")
        paths.setdefault(path, {})[route.method.lower()] = _operation(route, by_type, components)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "conductd",
            "version": __version__,
            "description": "HTTP over a Unix socket that only its owner may speak to.",
        },
        "servers": [{"url": "http://conductd", "description": "curl --unix-socket SOCKET http://conductd/v1/…"}],
        "paths": paths,
        "components": {"schemas": components},
    }


def _operation(route: Route, by_type: dict[str, Any], components: dict[str, Any]) -> dict[str, Any]:
    parameters = _parameters(components.get(route.query.__name__, {}))
    if "{id" in route.path:
        parameters.insert(0, {"name": "id", "in": "path", "required": True, "schema": {"type": "integer"}})
    answer = _schema_type(route)
    content: dict[str, Any] = {} if answer is None else {"schema": by_type[str(answer)]}
    if answer is None:
        content = {"schema": {"type": "object" if route.media == "application/json" else "string"}}
    failure = {"application/json": {"schema": by_type[str(ErrorView)]}}
    operation: dict[str, Any] = {
        "operationId": _operation_id(route),
        "summary": route.summary,
        "responses": {
            "200": {"description": "Done", "content": {route.media: content}},
            "default": {"description": "Refused", "content": failure},
        },
    }
    if parameters:
        operation["parameters"] = parameters
    if route.body is not None:
        body = {"application/json": {"schema": by_type[str(route.body)]}}
        operation["requestBody"] = {"content": body, "required": bool(_required(route.body, components))}
    return operation


def _schema_type(route: Route) -> Any:
    """The answer's type, None where the answer is text, bytes or this very document."""
    return None if route.answer in (bytes, str, dict) else route.answer


def _parameters(schema: dict[str, Any]) -> list[dict[str, Any]]:
    needed = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in needed, "schema": property_}
        for name, property_ in schema.get("properties", {}).items()
    ]


def _required(body: type, components: dict[str, Any]) -> list[str]:
    return list(components.get(body.__name__, {}).get("required", []))


def _operation_id(route: Route) -> str:
    """`GET /v1/incidents/{id}` → `get_incidents_id`."""
    words = route.path.removeprefix("/v1/").replace("{id:int}", "id").replace(".json", "").split("/")
    return "_".join([route.method.lower(), *words])


def _any(kind: type) -> dict[str, Any]:
    """Kind-specific facts (`object`) may be any JSON."""
    if kind is object:
        return {"description": "any JSON value"}
    raise NotImplementedError
