"""Every route by a real request: what it answers, and how it refuses."""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conductd import errors
from conductd.api.client import Client
from conductd.views import RequestView, SetView, View
from support.served import Served, serving
from support.service import FakeService

ODD = b"memory/\xff\xfe caf\xc3\xa9.md"


def b64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


@pytest.fixture(scope="module")
def one_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """One server for all requests that change nothing."""
    with serving(FakeService(), tmp_path_factory.mktemp("one")) as running:
        yield running


def test_every_read_gives_what_the_service_knows(served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"one\n")
    service.write(b"MEMORY.md", b"two\n")
    incident = service.lose(b"MEMORY.md", b"stub\n")
    with served.client() as client:
        assert client.hello() == service.hello()
        assert client.status() == service.status()
        assert client.workspaces() == service.workspaces()
        assert client.files() == client.files("w1") == service.files(None)
        assert client.versions() == service.versions(None, None, 100, None)
        assert client.incidents() == client.incidents("open") == [incident]
        assert client.incidents("accepted") == []
        assert client.explain(incident.id) == service.explain(incident.id)
        assert client.pending() == []
        assert client.log() == service.events_made
        assert client.log(since=2, limit=1) == service.events_made[2:3]
        assert client.counters() == service.counters()
        assert client.sync() == service.sync()


def test_history_is_paged_backwards(served: Served, service: FakeService) -> None:
    made = [service.write(b"MEMORY.md", b"%d" % number) for number in range(5)]
    with served.client() as client:
        first = client.versions(b"MEMORY.md", limit=2)
        second = client.versions(b"MEMORY.md", limit=10, before=first[-1].seq)
    assert [*first, *second] == made[::-1]


@pytest.mark.parametrize("content", [b"", b"\x00\xff\r\n\xe9", b"x" * 3_000_000], ids=["empty", "binary", "large"])
def test_content_comes_byte_for_byte_with_its_description(served: Served, service: FakeService, content: bytes) -> None:
    made = service.write(ODD, content)
    with served.client() as client:
        assert client.content(ODD) == (made, content)
        assert made.digest is not None
        assert client.content(None, made.digest[:8]) == (made, content)


def test_content_is_plain_for_other_clients(served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"one\n")
    status, headers, body = served.request("GET", "/v1/content?path=MEMORY.md")
    assert (status, body) == (200, b"one\n")
    assert headers["content-type"] == "application/octet-stream"
    assert json.loads(headers["conductd-version"])["seq"] == 1
    assert "server" not in headers


def test_a_diff_keeps_bytes_that_are_not_utf8(served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"caf\xe9\n")
    service.write(b"MEMORY.md", b"caf\xc3\xa9\n")
    with served.client() as client:
        assert b"-caf\xe9\n+caf\xc3\xa9\n" in client.diff(b"MEMORY.md")
        assert b"+caf\xe9" in client.diff(b"MEMORY.md", "2", "1")


def test_acts_carry_the_callers_ancestry(served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"one\n")
    with served.client() as client:
        assert client.restore(b"MEMORY.md", "1").plans[0].outcome == "applied"
        client.undo()
        assert client.set_mode(b"/ws", "observe").mode == "observe"
    caller = (f"{os.getpid()} caller", "1 init")
    assert service.calls == [("restore", caller), ("undo", caller), ("set_mode", caller)]


def test_a_restore_to_a_time_tells_its_progress_and_what_it_did(served: Served, service: FakeService) -> None:
    with served.client() as client:
        *steps, view = client.restore_at("yesterday 14:00", b"/ws/memory", exact=True)
        assert steps == [0.5]
        assert isinstance(view, SetView)
        assert view.text == "/ws/memory is again as it was yesterday 14:00"
        assert [*client.restore_at("now", dry_run=True)][-1].text.startswith("every workspace")
    assert [name for name, _ in service.calls] == ["restore_at", "restore_at"]
    for body in (b"{}", b'{"at": ""}', b'{"at": "now", "exakt": true}'):
        assert served.request("POST", "/v1/restore/at", body)[0] == 400


def test_a_dry_run_says_so_and_writes_nothing(served: Served, service: FakeService) -> None:
    service.write(b"MEMORY.md", b"one\n")
    with served.client() as client:
        assert client.restore(b"MEMORY.md", "1", dry_run=True).plans[0].outcome == "planned"
    assert len(service.versions_made) == 1


def test_accept_without_the_callers_terminal_is_only_asked_for(
    served: Served, service: FakeService, tmp_path: Path
) -> None:
    with served.client() as client:
        assert client.accept(incident=1).request == 7
    (tmp_path / "b").mkdir()
    with serving(service, tmp_path / "b", terminal=True) as elsewhere, elsewhere.client() as client:
        assert client.accept(incident=1).text == "accepted 1"
        assert client.accept(path=b"MEMORY.md").text == "accepted MEMORY.md"


def test_requests_are_listed_confirmed_and_refused(served: Served, service: FakeService, tmp_path: Path) -> None:
    asked = [
        RequestView(n, "open", "accept", "accept it", "w1", "a.md", b64(b"a.md"), ["7 claude"], "", 0, 1, [])
        for n in (1, 2)
    ]
    service.requests_made = {each.id: each for each in asked}
    with served.client() as client:
        assert client.requests() == asked
        with pytest.raises(errors.Refused):
            client.confirm(1)
        assert client.refuse(1) == asked[0]
        with pytest.raises(errors.NotFound):
            client.refuse(1)
    (tmp_path / "b").mkdir()
    with serving(service, tmp_path / "b", terminal=True) as elsewhere, elsewhere.client() as client:
        assert client.confirm(2).text == "did accept it"


def test_evidence_takes_a_digest_or_the_content(served: Served, service: FakeService) -> None:
    digest = hashlib.sha256(b"caf\xe9").digest()
    with served.client() as client:
        first = client.evidence(b"MEMORY.md", "agent:main", digest=digest, session="s", tool_call="t")
        second = client.evidence(b"MEMORY.md", "agent:main", content=b"caf\xe9")
        assert second > first
        client.evidence(b"MEMORY.md", "agent:main")
    body = json.dumps({"path": "MEMORY.md", "actor": "agent:main", "content": "café"}).encode()
    assert served.request("POST", "/v1/evidence", body)[0] == 200
    assert [call[1][1] for call in service.calls] == [
        digest.hex(), digest.hex(), "", hashlib.sha256("café".encode()).hexdigest(),
    ]  # fmt: skip


def test_evidence_as_large_as_a_protected_file_may_be_is_taken(served: Served, service: FakeService) -> None:
    with served.client() as client:
        client.evidence(b"MEMORY.md", "agent:main", content=b"\xe9" * (16 * 1024 * 1024))
    assert len(service.calls) == 1


def test_nobody_claims_to_be_human(served: Served) -> None:
    with served.client() as client, pytest.raises(errors.Refused):
        client.evidence(b"MEMORY.md", "human:vim")


def test_a_path_can_be_given_in_either_form(served: Served, service: FakeService) -> None:
    service.write(ODD, b"x")
    service.write("日記.md".encode(), b"y")
    assert "+" in b64(ODD)
    for form in (b64(ODD), b64(ODD).replace("+", "%2B"), base64.urlsafe_b64encode(ODD).decode()):
        assert served.request("GET", f"/v1/content?path_b64={form}")[2] == b"x"
    assert served.request("GET", "/v1/content?path=%E6%97%A5%E8%A8%98.md")[2] == b"y"
    body = json.dumps({"path": "日記.md", "version": "2"}, ensure_ascii=False).encode()
    assert served.request("POST", "/v1/restore", body)[0] == 200


@pytest.mark.parametrize(
    ("method", "target", "body", "status", "code"),
    [
        ("GET", "/", None, 404, "not_found"),
        ("GET", "/v1/nothing", None, 404, "not_found"),
        ("GET", "/v1/status/", None, 404, "not_found"),
        ("GET", "/v1/incidents/x", None, 404, "not_found"),
        ("GET", "/v1/incidents/12", None, 404, "not_found"),
        ("GET", f"/v1/incidents/{2**63}", None, 404, "not_found"),
        ("GET", f"/v1/log?since={2**63}", None, 400, "usage"),
        ("GET", f"/v1/events?since={2**63}", None, 400, "usage"),
        ("GET", f"/v1/versions?before={2**63}", None, 400, "usage"),
        ("POST", "/v1/accept", b'{"incident": 9223372036854775808}', 400, "usage"),
        ("POST", "/v1/status", b"{}", 405, "method_not_allowed"),
        ("DELETE", "/v1/workspaces", None, 405, "method_not_allowed"),
        ("GET", "/v1/undo", None, 405, "method_not_allowed"),
        ("GET", "/v1/versions?limit=many", None, 400, "usage"),
        ("GET", "/v1/versions?limit=0", None, 400, "usage"),
        ("GET", "/v1/versions?limit=10001", None, 400, "usage"),
        ("GET", "/v1/versions?limit=1&limit=2", None, 400, "usage"),
        ("GET", "/v1/versions?colour=red", None, 400, "usage"),
        ("GET", "/v1/status?colour=red", None, 400, "usage"),
        ("GET", "/v1/incidents?state=lost", None, 400, "usage"),
        ("GET", "/v1/content", None, 400, "usage"),
        ("GET", "/v1/content?path_b64=%21", None, 400, "usage"),
        ("GET", "/v1/content?path=a%00b", None, 400, "usage"),
        ("GET", "/v1/content?path=", None, 400, "usage"),
        ("GET", "/v1/content?path=none.md", None, 404, "not_found"),
        ("GET", "/v1/diff", None, 400, "usage"),
        ("GET", "/v1/status", b"{}", 400, "usage"),
        ("POST", "/v1/undo", b"{", 400, "usage"),
        ("POST", "/v1/undo", b"\xff", 400, "usage"),
        ("POST", "/v1/undo", b"[]", 400, "usage"),
        ("POST", "/v1/undo", b'{"dry_run": "yes"}', 400, "usage"),
        ("POST", "/v1/undo", b'{"dry_run": true, "force": true}', 400, "usage"),
        ("POST", "/v1/undo", b"[" * 100_000, 400, "usage"),
        ("POST", "/v1/restore", b"{}", 400, "usage"),
        ("POST", "/v1/restore", b'{"version": "1"}', 400, "usage"),
        ("POST", "/v1/restore", b'{"version": 1, "path": "x"}', 400, "usage"),
        ("POST", "/v1/accept", b"{}", 400, "usage"),
        ("POST", "/v1/accept", b'{"incident": 1, "path": "x"}', 400, "usage"),
        ("POST", "/v1/workspaces", b'{"root": "/ws", "mode": "destroy"}', 400, "usage"),
        ("POST", "/v1/evidence", b'{"path": "x", "actor": "agent:a", "digest": "12"}', 400, "usage"),
        ("POST", "/v1/evidence", b'{"path": "x", "actor": ""}', 400, "usage"),
        ("POST", "/v1/undo", b'{"dry_run": "' + b"x" * 1_100_000, 413, "too_large"),
    ],
)
def test_what_is_refused(
    one_served: Served, method: str, target: str, body: bytes | None, status: int, code: str
) -> None:
    got, error = one_served.refused(method, target, body)
    assert (got, error["code"]) == (status, code)


def test_a_wrong_method_names_the_right_one(served: Served) -> None:
    assert served.request("DELETE", "/v1/workspaces")[1]["allow"] == "GET, POST"


def test_a_body_that_grows_too_large_is_refused_without_its_length(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(b"POST /v1/undo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n")
        chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
        try:
            for _ in range(20):
                connection.sendall(chunk)
        except BrokenPipeError:
            pass
        assert b" 413 " in connection.recv(100)


def test_the_client_is_told_that_its_body_is_too_large(served: Served) -> None:
    with served.client() as client:
        with pytest.raises(errors.TooLarge):
            client.evidence(b"MEMORY.md", "agent:main", content=b"\xe9" * (30 * 1024 * 1024))
        assert client.hello()


@pytest.mark.parametrize("kind", [kind for kind in vars(errors).values() if isinstance(kind, type)])
def test_every_error_reaches_the_client_as_itself(one_served: Served, kind: type[errors.ConductdError]) -> None:
    one_served.service.fail = kind("it did not work", "do that")
    with one_served.client() as client, pytest.raises(kind) as caught:
        client.versions()
    assert type(caught.value) is kind
    assert (caught.value.message, caught.value.hint) == ("it did not work", "do that")
    assert one_served.refused("GET", "/v1/versions")[0] == kind.status


def test_a_failure_inside_is_logged_and_its_words_are_not_sent(
    served: Served, service: FakeService, caplog: pytest.LogCaptureFixture
) -> None:
    service.fail = RuntimeError("the blue box")
    with caplog.at_level(logging.ERROR):
        status, error = served.refused("GET", "/v1/versions")
    assert (status, error["code"]) == (500, "internal")
    assert "blue" not in json.dumps(error)
    assert any(record.exc_info for record in caplog.records)
    service.fail = None
    assert served.request("GET", "/v1/versions")[0] == 200


def test_a_kept_connection_that_the_daemon_closed_is_made_again(service: FakeService, tmp_path: Path) -> None:
    with serving(service, tmp_path) as served:
        client = served.client()
        client.hello()
    with serving(service, tmp_path):
        assert client.hello()
        client.close()


def test_a_connection_is_used_again(served: Served) -> None:
    with served.client() as client:
        client.hello()
        kept = client._connection
        client.status()
        assert client._connection is kept


@pytest.mark.parametrize(
    "read",
    [
        lambda c: c.hello(), lambda c: c.status(), lambda c: c.workspaces(), lambda c: c.files(),
        lambda c: c.versions(), lambda c: c.incidents(), lambda c: c.explain(2), lambda c: c.log(), lambda c: c.sync(),
        lambda c: c.undo(),
    ],
)  # fmt: skip
def test_every_answer_has_every_field(served: Served, service: FakeService, read: Callable[[Client], Any]) -> None:
    service.write(b"MEMORY.md", b"one\n")
    service.lose(b"MEMORY.md", b"stub\n")
    with served.client() as client:
        answer = read(client)
        first = answer[0] if isinstance(answer, list) else answer
        assert isinstance(first, View)
        raw = msgspec.to_builtins(first)
    assert set(raw) == {field.name for field in msgspec.structs.fields(type(first))}
