"""Many clients, many writers, bad clients: the daemon answers, records and repairs all the while."""

from __future__ import annotations

import base64
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from support.api import Api, ApiError
from support.daemon import Daemon

NOTES = "# Memory\n\n" + "".join(f"- rule {number}: never touch account {number * 7}\n" for number in range(60))
CLIENTS = 200
STREAMS = 32


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    workspace = tmp_path / "ws"
    (workspace / "memory").mkdir(parents=True)
    (workspace / "MEMORY.md").write_text(NOTES)
    return workspace


def _open(daemon: Daemon, request: bytes) -> socket.socket:
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(30)
    connection.connect(str(daemon.socket_path))
    connection.sendall(request)
    return connection


def test_two_hundred_clients_and_a_loss_in_their_midst(tmp_path: Path, workspace: Path) -> None:
    file = workspace / "MEMORY.md"
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        gate = threading.Barrier(CLIENTS)

        def ask(number: int) -> int:
            api = Api(daemon.socket_path)
            gate.wait(60)
            for route in ("/v1/status", "/v1/versions", "/v1/log", "/v1/pending"):
                api.get(route)
            return number

        with ThreadPoolExecutor(CLIENTS) as pool:
            asked = [pool.submit(ask, number) for number in range(CLIENTS)]
            file.write_text("# Memory\n")
            daemon.settle()
            assert file.read_text() == NOTES
            assert sorted(one.result(90) for one in asked) == list(range(CLIENTS))
        daemon.assert_no_traceback()


def test_idle_streams_and_clients_that_send_garbage_or_half_a_request(tmp_path: Path, workspace: Path) -> None:
    file = workspace / "MEMORY.md"
    garbage = [
        b"\0\xff\xfe" * 400,
        b"GET",
        b"POST /v1/evidence HTTP/1.1\r\nContent-Length: 900\r\n\r\n{",
        b"\r\n" * 3000,
    ]
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        streams = [_open(daemon, b"GET /v1/events HTTP/1.1\r\nHost: conductd\r\n\r\n") for _ in range(STREAMS)]
        for stream in streams:
            assert stream.recv(12) == b"HTTP/1.1 200"
        with pytest.raises(ApiError) as refused:
            daemon.api.get("/v1/events")
        assert refused.value.hint
        bad = [_open(daemon, one) for one in garbage * 10]

        file.write_text("# Memory\n")
        daemon.settle()
        assert file.read_text() == NOTES
        assert daemon.status()["health"] == "ok"
        for connection in (*streams, *bad):
            connection.close()
        daemon.wait_until(lambda: _streams_again(daemon), "the places of closed streams are free")
        daemon.assert_no_traceback()


def _streams_again(daemon: Daemon) -> bool:
    with _open(daemon, b"GET /v1/events HTTP/1.1\r\nHost: conductd\r\n\r\n") as stream:
        return stream.recv(12) == b"HTTP/1.1 200"


def test_every_final_state_of_a_burst_over_many_files_is_recorded(tmp_path: Path, workspace: Path) -> None:
    files = [workspace / "memory" / f"topic-{number:03}.md" for number in range(100)]
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        for round_ in range(30):
            for number, file in enumerate(files):
                file.write_text(f"# Topic {number}\n\n- round {round_} says something of its own here\n")
        daemon.sync()
        for file in files:
            newest = daemon.versions(file)[0]
            assert daemon.content(file, newest["seq"]) == file.read_bytes()
        daemon.assert_no_traceback()


def test_names_that_are_not_utf_8_are_recorded_and_repaired(tmp_path: Path, workspace: Path) -> None:
    name = os.fsencode(workspace) + b"/memory/caf\xe9-\xff.md"
    text = b"# Cafe\n\n" + b"".join(b"- table %d prefers a quiet window seat\n" % number for number in range(20))
    _put(name, text)
    with Daemon(tmp_path / "d", [workspace]) as daemon:
        _put(name, b"# Memory\n")
        daemon.settle()
        with open(name, "rb") as stream:
            assert stream.read() == text
        path_b64 = base64.b64encode(name).decode()
        assert len(daemon.api.get("/v1/versions", path_b64=path_b64)) == 3
        daemon.assert_no_traceback()


def _put(name: bytes, data: bytes) -> None:
    with open(name, "wb") as stream:
        stream.write(data)
