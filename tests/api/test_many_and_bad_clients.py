"""200 clients at once, 32 idle streams, garbage, and requests that never end."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from conductd.api.streams import STREAMS
from support.served import Served, serving, wait_until
from support.service import FakeService

CLIENTS = 200
HELLO = b"GET /v1/hello HTTP/1.1\r\nhost: x\r\n\r\n"


@pytest.fixture
def hasty(service: FakeService, tmp_path: Path) -> Iterator[Served]:
    """Waits only a fifth of a second for a request to be whole."""
    with serving(service, tmp_path, request_timeout_s=0.2) as running:
        yield running


@pytest.fixture(scope="module")
def one_served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(FakeService(), tmp_path_factory.mktemp("one")) as running:
        yield running


def read_all(connection: socket.socket) -> bytes:
    """Until the server closes (with a reset, when it had not read all that we sent)."""
    got = b""
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(65_536):
            got += part
    return got


def greet(connection: socket.socket) -> None:
    """One whole request and its whole answer (head and body may come apart)."""
    connection.sendall(HELLO)
    got = b""
    while b'"mode"' not in got:
        part = connection.recv(65_536)
        assert part
        got += part
    assert got.startswith(b"HTTP/1.1 200 ")


def test_200_clients_at_once_beside_32_idle_streams(served: Served, service: FakeService) -> None:
    for number in range(50):
        service.write(b"MEMORY.md", b"%d\n" % number)
    streams = [served.client().events() for _ in range(STREAMS)]
    assert [next(stream) for stream in streams] == [None] * STREAMS
    failures: list[BaseException] = []
    together = threading.Barrier(CLIENTS)

    def visit(number: int) -> None:
        try:
            together.wait(30)
            with served.client() as client:
                assert client.hello().api == 1
                assert client.content(b"MEMORY.md", str(number % 50 + 1))[1] == b"%d\n" % (number % 50)
                assert client.status().versions >= 50
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=visit, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    made = service.write(b"MEMORY.md", b"last")
    for stream in streams:
        event = next(stream)
        assert event is not None
        assert event.seq == made.seq


@pytest.mark.parametrize(
    "half",
    [b"", b"G", b"GET /v1/hello HTTP/1.1\r\nhost:", b"POST /v1/undo HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n{"],
    ids=["nothing", "a letter", "half a head", "half a body"],
)
def test_half_a_request_is_ended_after_a_while(hasty: Served, service: FakeService, half: bytes) -> None:
    with hasty.connect() as connection:
        connection.sendall(half)
        assert read_all(connection) == b""
    assert service.calls == []
    assert hasty.request("GET", "/v1/hello")[0] == 200


def test_a_request_that_drips_is_ended_too(hasty: Served) -> None:
    began = time.monotonic()
    with hasty.connect() as connection:
        try:
            for _ in range(1_000):
                connection.sendall(b"x")
                time.sleep(0.01)
        except OSError:
            pass
    assert time.monotonic() - began < 5


@pytest.fixture
def patient(service: FakeService, tmp_path: Path) -> Iterator[Served]:
    """Long enough for a busy machine to send a whole request."""
    with serving(service, tmp_path, request_timeout_s=1.0) as running:
        yield running


def test_an_idle_kept_connection_outlives_the_limit_for_requests(patient: Served) -> None:
    with patient.connect() as connection:
        greet(connection)
        assert not threading.Event().wait(1.3)
        greet(connection)


def test_a_stream_outlives_the_limit_for_requests(patient: Served, service: FakeService) -> None:
    events = patient.client().events()
    assert next(events) is None
    assert not threading.Event().wait(1.3)
    service.write(b"a.md", b"x")
    assert next(events) is not None


def test_requests_sent_all_at_once_are_answered_in_order(served: Served) -> None:
    with served.connect() as connection:
        connection.sendall(HELLO * 2 + HELLO.replace(b"\r\nhost", b"\r\nconnection: close\r\nhost"))
        assert read_all(connection).count(b"HTTP/1.1 200") == 3


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00" * 100,
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET /v1/hello HTTP/1.1\r\n\r\n",
        b"GET /v1/hello HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n",
        b"GET /" + b"a" * 100_000,
        b"GET /v1/hello HTTP/1.1\r\nhost: x\r\nx: " + b"a" * 300_000,
        b"POST /v1/undo HTTP/1.1\r\nhost: x\r\ncontent-length: -1\r\n\r\n",
        b"POST /v1/undo HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_garbage_is_refused_as_json_and_the_server_lives_on(one_served: Served, garbage: bytes) -> None:
    with one_served.connect() as connection:
        with contextlib.suppress(BrokenPipeError):  # refused before all of it was sent
            connection.sendall(garbage)
        answer = read_all(connection)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert b'"code": "usage"' in answer
    assert one_served.request("GET", "/v1/hello")[0] == 200


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=300), st.booleans())
def test_whatever_comes_the_server_lives_on(one_served: Served, noise: bytes, after_a_request: bool) -> None:
    with one_served.connect() as connection:
        connection.sendall((HELLO if after_a_request else b"") + noise)
        connection.shutdown(1)
    assert one_served.request("GET", "/v1/hello")[0] == 200


def test_clients_that_leave_in_mid_request_leave_nothing_behind(served: Served, service: FakeService) -> None:
    service.hold = threading.Event()
    for _ in range(50):
        with served.connect() as connection:
            connection.sendall(HELLO.replace(b"hello", b"versions"))
    service.hold.set()
    wait_until(lambda: not served.server._server.server_state.connections, "all connections are gone")  # type: ignore[union-attr]
    assert served.request("GET", "/v1/hello")[0] == 200


def test_a_connection_too_many_is_told_so(
    service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conductd.api.protocol.Protocol.connection_limit", 3)
    with serving(service, tmp_path) as served:
        kept = [served.connect() for _ in range(3)]
        for connection in kept:
            greet(connection)
        with served.connect() as connection:
            answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 503 ")
        assert b'"busy"' in answer
        kept.pop().close()
        wait_until(lambda: served.request("GET", "/v1/hello")[0] == 200, "there is room again")
        for connection in kept:
            connection.close()
