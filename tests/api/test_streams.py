"""The event stream and the long jobs: nothing missed, nothing doubled, nobody held up."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conductd import errors
from conductd.api.streams import JOBS, PAGE, STREAMS
from conductd.views import EventView, VerifyView
from support.served import PATIENCE_S, Served, serving, wait_until
from support.service import FakeService


def take(events: Iterator[EventView | None], count: int) -> list[EventView]:
    """The next `count` events, signs of life left out."""
    found: list[EventView] = []
    while len(found) < count:
        event = next(events)
        if event is not None:
            found.append(event)
    return found


def opened(served: Served, since: int | None = None) -> Iterator[EventView | None]:
    """A stream that the server has begun (its first line has come)."""
    events = served.client().events(since)
    assert next(events) is None
    return events


def test_events_come_as_they_happen(served: Served, service: FakeService) -> None:
    service.write(b"a.md", b"before")
    events = opened(served)
    for number in range(3):
        service.write(b"a.md", b"%d" % number)
        assert take(events, 1) == service.events_made[-1:]


def test_a_stream_starts_where_the_client_was(served: Served, service: FakeService) -> None:
    for number in range(5):
        service.write(b"a.md", b"%d" % number)
    assert [e.seq for e in take(opened(served, since=2), 3)] == [3, 4, 5]


def test_history_of_several_pages_joins_the_live_events_without_a_seam(served: Served, service: FakeService) -> None:
    old = PAGE * 2 + 7
    for _ in range(old):
        service.write(b"a.md", b"x")
    events = opened(served, since=0)
    writer = threading.Thread(target=lambda: [service.write(b"a.md", b"y") for _ in range(500)])
    writer.start()
    assert [e.seq for e in take(events, old + 500)] == list(range(1, old + 501))
    writer.join()


def test_events_are_server_sent_events_and_resume_by_last_event_id(served: Served, service: FakeService) -> None:
    service.write(b"a.md", b"1")
    service.write(b"a.md", b"2")
    with served.connect() as connection:
        connection.sendall(b"GET /v1/events HTTP/1.1\r\nhost: x\r\nlast-event-id: 1\r\n\r\n")
        got = b""
        while b"\n\ndata" not in got.replace(b"\r", b"") and b"data: " not in got:
            got += connection.recv(65_536)
    assert b"content-type: text/event-stream" in got
    assert b"id: 2\nevent: version\ndata: {" in got
    assert b"id: 1\n" not in got


def test_a_wrong_last_event_id_is_refused(served: Served) -> None:
    status, _, body = served.request("GET", "/v1/events", headers={"last-event-id": "two"})
    assert (status, json.loads(body)["error"]["code"]) == (400, "usage")


def test_a_quiet_stream_shows_that_it_lives(service: FakeService, tmp_path: Path) -> None:
    with serving(service, tmp_path, keep_alive_s=0.02) as served:
        events = opened(served)
        assert [next(events), next(events), next(events)] == [None] * 3


def test_one_stream_too_many_is_refused_until_another_ends(served: Served, service: FakeService) -> None:
    streams = [opened(served) for _ in range(STREAMS)]
    status, error = served.refused("GET", "/v1/events")
    assert (status, error["code"]) == (503, "busy")
    assert len(service.subscribers) == STREAMS
    streams.pop().close()  # type: ignore[attr-defined]
    wait_until(lambda: len(service.subscribers) < STREAMS, "the place is free")
    streams.append(opened(served))
    service.write(b"a.md", b"x")
    assert all(take(stream, 1)[0].seq == 1 for stream in streams)


def test_a_stream_that_cannot_begin_gives_its_place_back(served: Served, service: FakeService) -> None:
    def broken() -> Any:
        raise errors.StoreUnavailable("no", "later")

    service.events = broken  # type: ignore[method-assign]
    for _ in range(STREAMS + 1):
        assert served.refused("GET", "/v1/events")[0] == 503
    del service.events
    opened(served)


def test_a_reader_that_does_not_read_gets_a_gap_and_holds_nobody_up(tmp_path: Path) -> None:
    service = FakeService(queue=100)
    long_name = b"n" * 4_000
    with serving(service, tmp_path) as served:
        quick = opened(served)
        slow = served.connect()
        slow.sendall(b"GET /v1/events HTTP/1.1\r\nhost: x\r\n\r\n")
        wait_until(lambda: len(service.subscribers) == 2, "both listen")
        for number in range(1, 2_001):
            service.write(long_name, b"x")
            if number % 50 == 0:
                assert take(quick, 50)[-1].seq == number
        with served.client() as client:
            assert client.hello()
        got = b""
        while b"event: gap" not in got:
            part = slow.recv(1_000_000)
            assert part
            got += part
        slow.close()
    gap = got[got.index(b"event: gap") :]
    assert b"id: " not in gap.split(b"\n\n")[0], "a gap must not move the client's place"


def test_the_service_may_publish_after_the_server_has_stopped(service: FakeService, tmp_path: Path) -> None:
    with serving(service, tmp_path) as served:
        opened(served)
        kept = set(service.subscribers)
    service.subscribers |= kept
    service.write(b"a.md", b"x")


def test_stopping_ends_the_streams_at_once(service: FakeService, tmp_path: Path) -> None:
    with serving(service, tmp_path) as served:
        streams = [opened(served) for _ in range(5)]
        began = time.monotonic()
        served.server.stop(PATIENCE_S)
        assert time.monotonic() - began < PATIENCE_S / 2
        assert [list(stream) for stream in streams] == [[]] * 5
        assert not served.server.alive


def test_a_call_that_never_returns_does_not_keep_the_server_from_stopping(service: FakeService, tmp_path: Path) -> None:
    service.write(b"a.md", b"x")
    service.hold = threading.Event()
    with serving(service, tmp_path) as served, served.connect() as connection:
        connection.sendall(b"GET /v1/versions HTTP/1.1\r\nhost: x\r\n\r\n")
        assert service.entered.acquire(timeout=PATIENCE_S)
        served.server.stop(1)
        assert not served.server.alive
        assert not service.hold.is_set()


def test_slow_reads_do_not_hold_up_what_is_quick(served: Served, service: FakeService) -> None:
    service.write(b"a.md", b"x")
    service.hold = threading.Event()
    waiting = [threading.Thread(target=lambda: served.client().versions()) for _ in range(20)]
    for thread in waiting:
        thread.start()
    assert service.entered.acquire(timeout=PATIENCE_S)
    events = opened(served)
    with served.client() as client:
        assert client.hello()
        assert client.counters()
        assert client.pending() == []
        assert client.status()
    service.write(b"a.md", b"y")
    assert take(events, 1)[0].seq == 2
    service.hold.set()
    for thread in waiting:
        thread.join()


# ------------------------------------------------------------------ jobs


def test_a_job_tells_its_progress_and_then_its_result(served: Served, service: FakeService) -> None:
    service.write(b"a.md", b"x")
    with served.client() as client:
        *progress, result = client.verify()
        assert progress == [0.0, 0.25, 0.5, 0.75]
        assert isinstance(result, VerifyView)
        assert result.ok
        assert [*client.rebuild_index()] == [0.0, 0.25, 0.5, 0.75, 1]


def test_a_job_is_lines_of_json(served: Served) -> None:
    _, headers, body = served.request("POST", "/v1/index/rebuild")
    assert headers["content-type"] == "application/x-ndjson"
    lines = [json.loads(line) for line in body.splitlines()]
    assert lines == [{"progress": n / 4} for n in range(4)] + [{"result": {"records": 0}}]


@pytest.mark.parametrize("failure", [errors.StoreDamaged("a bad frame", "see verify"), RuntimeError("inside")])
def test_a_job_that_fails_says_so_on_its_last_line(served: Served, service: FakeService, failure: Exception) -> None:
    service.fail = failure
    code = getattr(failure, "code", "internal")
    with served.client() as client, pytest.raises(errors.ConductdError) as caught:
        list(client.verify())
    assert caught.value.code == code


def test_jobs_are_few_and_a_client_that_leaves_ends_its_own(served: Served, service: FakeService) -> None:
    service.hold, service.steps = threading.Event(), 1_000_000
    running = []
    for _ in range(JOBS):
        connection = served.connect()
        connection.sendall(b"POST /v1/verify HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n")
        running.append(connection)
        assert service.entered.acquire(timeout=PATIENCE_S)
    status, error = served.refused("POST", "/v1/verify")
    assert (status, error["code"]) == (503, "busy")
    for connection in running:
        connection.close()
    service.hold.set()
    service.hold, service.steps = None, 2
    wait_until(lambda: served.request("POST", "/v1/verify")[0] == 200, "the places are free again")
