"""The OpenAPI document and the written pages say what the code does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conductd import errors, views
from conductd.api import openapi, streams
from conductd.api.route import BODY_LIMIT, EVIDENCE_LIMIT, MIB
from conductd.api.routes import ROUTES
from conductd.index.events import EVENT_KINDS, event_view
from conductd.model import (
    Action,
    Cause,
    ChangeRecord,
    DecisionRecord,
    EventClass,
    EventRecord,
    FileState,
    ForgetRecord,
    IncidentRecord,
    Mode,
    NoticeRecord,
    RepairDoneRecord,
    RequestRecord,
    Severity,
    Stored,
    Verdict,
    VersionRecord,
    WorkspaceRecord,
)
from support.served import Served

DOCS = Path(__file__).parents[2] / "docs"
DOCUMENT = openapi.document(ROUTES)


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def error_kinds(root: type[errors.ConductdError] = errors.ConductdError) -> Iterator[type[errors.ConductdError]]:
    """Of the product as a whole. What a part makes of one for itself reaches a client as the one it is made of."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_kinds(child)


def references(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):
            yield node["$ref"]
        for child in node.values():
            yield from references(child)
    elif isinstance(node, list):
        for child in node:
            yield from references(child)


def test_the_document_is_served(served: Served) -> None:
    with served.client() as client:
        assert client.openapi() == json.loads(json.dumps(DOCUMENT))


def test_the_document_has_every_route_and_no_dangling_reference() -> None:
    documented = {(method.upper(), path) for path, methods in DOCUMENT["paths"].items() for method in methods}
    assert documented == {(route.method, route.path.replace("{id:int}", "{id}")) for route in ROUTES}
    schemas = DOCUMENT["components"]["schemas"]
    assert {ref.rpartition("/")[2] for ref in references(DOCUMENT)} <= set(schemas)


def test_the_documents_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for methods in DOCUMENT["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names))
    assert all(re.fullmatch(r"[a-z_]+", name) for name in names)


def test_the_document_describes_every_view() -> None:
    named = {name for name, kind in vars(views).items() if isinstance(kind, type) and issubclass(kind, views.View)}
    assert named - {"View"} <= set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.path}")
def test_every_route_is_on_the_page_with_all_it_takes(route: Any) -> None:
    path = route.path.replace("{id:int}", "{id}")
    rows = [
        line for line in page("api.md").splitlines() if re.match(rf"\| `{route.method} {re.escape(path)}[`?]", line)
    ]
    assert len(rows) == 1, f"{route.method} {path}"
    for kind in filter(None, (route.query, route.body)):
        for field in msgspec.structs.fields(kind):
            assert re.search(rf"\b{field.name.removesuffix('_b64')}\b", rows[0].partition(" | ")[0]), field.name


def test_the_page_names_no_route_that_is_not_there() -> None:
    named = re.findall(r"^\| `(GET|POST) (/v1/[^`?]*)", page("api.md"), re.MULTILINE)
    assert set(named) == {(route.method, route.path.replace("{id:int}", "{id}")) for route in ROUTES}


ACT = (EventClass.OVERWRITE, Severity.ALARM, Action.REVERT)
RECORDS = [
    WorkspaceRecord("w", b"/ws", Mode.PROTECT),
    VersionRecord("w", 1, b"a.md", FileState.FILE, Cause.CHANGE),
    ChangeRecord("w", 1, b"a.md", 2, Verdict(*ACT, "rule")),
    RepairDoneRecord(3, "applied"),
    IncidentRecord("w", None, "open", *ACT),
    DecisionRecord("accept"),
    NoticeRecord(*ACT[:2], "title"),
    EventRecord(*ACT[:2]),
    RequestRecord(None, "open", "accept"),
    ForgetRecord(None, "hidden"),
]


def test_the_page_names_every_kind_of_event_and_its_facts() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (.*) \|$", page("api.md"), re.MULTILINE))
    assert {record.kind for record in RECORDS} == EVENT_KINDS == set(rows) - {"gap"}
    for record in RECORDS:
        view = event_view(Stored(1, 0, 0, record))
        assert view is not None
        assert set(view.data) == set(re.findall(r"`(\w+)`", rows[record.kind])), record.kind


def test_the_page_states_the_limits() -> None:
    text = page("api.md")
    assert BODY_LIMIT == MIB
    assert f"`evidence` {EVIDENCE_LIMIT // MIB} MiB" in text
    assert f"{streams.STREAMS} event streams and {streams.JOBS} long jobs" in text
    assert f"every {streams.KEEP_ALIVE_S:.0f} s of silence" in text
    assert f"for {streams.STALLED_S:.0f} s is disconnected" in text


def test_every_error_is_documented_with_its_numbers() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", page("errors.md"), re.MULTILINE)
    assert {(code, int(code_of), int(status)) for code, code_of, status in rows} == {
        (kind.code, kind.exit_code, kind.status) for kind in error_kinds()
    }
    assert len(rows) == len(set(rows))


def test_codes_tell_errors_apart() -> None:
    kinds = list(error_kinds())
    assert len({kind.code for kind in kinds}) == len(kinds)
