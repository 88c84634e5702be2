"""The socket: private, never over a living daemon, never over somebody else's file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from conductd.api import socket_path
from conductd.api.client import Client
from conductd.api.listener import Listener
from conductd.errors import AlreadyRunning, ConductdError, DaemonNotRunning, NotOurSocket, UsageError
from support.served import serving, wait_until
from support.service import FakeService

NOBODY = 65534
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can play another user")


@contextlib.contextmanager
def listening(path: Path, environ: dict[str, str] | None = None) -> Iterator[Listener]:
    listener = Listener(os.fsencode(path), environ or {})
    try:
        yield listener
    finally:
        listener.close()


def dead_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as old:
        old.bind(os.fsencode(path))


def mode(path: Path) -> int:
    return stat.S_IMODE(path.lstat().st_mode)


def test_the_socket_and_a_directory_made_for_it_are_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "conductd.sock"
    with listening(path):
        assert mode(path) == 0o600
        assert mode(path.parent) == 0o700


def test_closing_removes_the_socket(tmp_path: Path) -> None:
    with listening(tmp_path / "s"):
        pass
    assert not (tmp_path / "s").exists()


def test_a_dead_socket_is_replaced(tmp_path: Path) -> None:
    dead_socket(tmp_path / "s")
    with listening(tmp_path / "s"), socket.socket(socket.AF_UNIX) as probe:
        probe.connect(os.fsencode(tmp_path / "s"))


def test_a_living_daemon_is_named_and_left_alone(tmp_path: Path) -> None:
    with serving(FakeService(), tmp_path) as served:
        with pytest.raises(AlreadyRunning, match=f"process {os.getpid()}"):
            Listener(served.path, {})
        with served.client() as client:
            assert client.hello().pid == os.getpid()


def test_a_listener_that_does_not_answer_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conductd.api.listener.PROBE_TIMEOUT_S", 0.1)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(os.fsencode(tmp_path / "s"))
        other.listen()
        with pytest.raises(AlreadyRunning, match="another program"):
            Listener(os.fsencode(tmp_path / "s"), {})


@pytest.mark.parametrize("what", ["file", "directory", "link"])
def test_what_is_no_socket_is_never_replaced(tmp_path: Path, what: str) -> None:
    path, target = tmp_path / "s", tmp_path / "target"
    dead_socket(target)
    {"file": lambda: path.write_text("mine"), "directory": path.mkdir, "link": lambda: path.symlink_to(target)}[what]()
    before = path.lstat()
    with pytest.raises(UsageError, match="not a socket"):
        Listener(os.fsencode(path), {})
    assert path.lstat().st_ino == before.st_ino


def test_a_directory_that_others_may_write_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    with pytest.raises(NotOurSocket, match="other users may write"):
        Listener(os.fsencode(tmp_path / "open" / "s"), {})


def test_a_sticky_directory_will_do(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    (tmp_path / "tmp").chmod(0o1777)
    with listening(tmp_path / "tmp" / "s"):
        assert mode(tmp_path / "tmp" / "s") == 0o600


def test_a_lock_that_somebody_keeps_does_not_hang_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("conductd.api.listener.LOCK_TIMEOUT_S", 0.05)
    with open(tmp_path / "s.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(AlreadyRunning, match="about to listen"):
            Listener(os.fsencode(tmp_path / "s"), {})


@as_root
def test_a_socket_of_another_user_is_never_replaced(tmp_path: Path) -> None:
    dead_socket(tmp_path / "s")
    os.chown(tmp_path / "s", NOBODY, NOBODY)
    with pytest.raises(NotOurSocket, match=f"user {NOBODY}"):
        Listener(os.fsencode(tmp_path / "s"), {})


@as_root
def test_a_directory_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", NOBODY, NOBODY)
    with pytest.raises(NotOurSocket, match=f"user {NOBODY}"):
        Listener(os.fsencode(tmp_path / "theirs" / "s"), {})


def test_closing_leaves_a_socket_that_somebody_else_put_there(tmp_path: Path) -> None:
    with listening(tmp_path / "s"):
        (tmp_path / "s").unlink()
        dead_socket(tmp_path / "s")
    assert (tmp_path / "s").exists()


def test_of_many_that_start_at_once_one_wins_and_can_be_reached(tmp_path: Path) -> None:
    dead_socket(tmp_path / "s")
    won: list[Listener] = []
    lost: list[ConductdError] = []
    together = threading.Barrier(6)

    def start() -> None:
        together.wait()
        try:
            won.append(Listener(os.fsencode(tmp_path / "s"), {}))
        except AlreadyRunning as error:
            lost.append(error)

    threads = [threading.Thread(target=start) for _ in range(6)]
    for thread in threads:
        thread.start()
    wait_until(lambda: won, "one has won")
    # The winner answers nobody's hello here; closing what they wait for tells them so at once.
    accepting = won[0].socket
    accepting.settimeout(5)
    for _ in range(10):
        with contextlib.suppress(OSError):
            accepting.accept()[0].close()
    for thread in threads:
        thread.join()
    assert (len(won), len(lost)) == (1, 5)
    won[0].close()


# ------------------------------------------------------------------ paths too long for an address


def long_path(tmp_path: Path) -> Path:
    return tmp_path / ("x" * 120) / "conductd.sock"


def test_a_path_too_long_is_served_from_the_runtime_directory(tmp_path: Path) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir(mode=0o700)
    path = long_path(tmp_path)
    with listening(path, {"XDG_RUNTIME_DIR": str(runtime)}) as listener:
        assert os.path.dirname(listener.path) == os.fsencode(runtime / "conductd")
        assert len(listener.path) <= socket_path.LIMIT
        assert mode(runtime / "conductd") == 0o700
        assert path.is_symlink()
    assert not path.is_symlink()
    assert not os.path.lexists(listener.path)


def test_a_client_with_another_environment_finds_it(tmp_path: Path) -> None:
    runtime = tmp_path / "r"
    runtime.mkdir(mode=0o700)
    path = os.fsencode(long_path(tmp_path))
    with listening(long_path(tmp_path), {"XDG_RUNTIME_DIR": str(runtime)}) as listener:
        assert socket_path.find(path, {}) == listener.path
        assert socket_path.find(path, {"XDG_RUNTIME_DIR": "/nowhere"}) == listener.path


@pytest.mark.parametrize("runtime", ["", "relative", "/nowhere/at/all", "/" + "y" * 120])
def test_without_a_runtime_directory_the_place_is_the_users_own_in_tmp(runtime: str) -> None:
    found = socket_path.short(b"/" + b"x" * 200, {"XDG_RUNTIME_DIR": runtime})
    assert os.path.dirname(found) == b"/tmp/conductd-%d" % os.geteuid()


def test_the_longest_path_that_fits_is_used_as_it_is() -> None:
    fits = b"/" + b"x" * (socket_path.LIMIT - 1)
    assert socket_path.find(fits, {}) == fits
    assert socket_path.find(fits + b"x", {}) != fits + b"x"


# ------------------------------------------------------------------ whom the client believes


def test_no_socket_means_no_daemon(tmp_path: Path) -> None:
    with pytest.raises(DaemonNotRunning, match="no socket") as caught:
        Client(os.fsencode(tmp_path / "s")).hello()
    assert "conductd run" in caught.value.hint


def test_a_dead_socket_means_no_daemon(tmp_path: Path) -> None:
    dead_socket(tmp_path / "s")
    with pytest.raises(DaemonNotRunning, match="nobody listens"):
        Client(os.fsencode(tmp_path / "s")).hello()


def test_a_file_is_not_our_socket(tmp_path: Path) -> None:
    (tmp_path / "s").write_text("")
    with pytest.raises(NotOurSocket, match="not a socket"):
        Client(os.fsencode(tmp_path / "s")).hello()


@pytest.fixture
def public() -> Iterator[Path]:
    """A directory that other users can enter (pytest's own are private)."""
    with tempfile.TemporaryDirectory(dir="/tmp") as made:
        os.chmod(made, 0o755)
        yield Path(made)


def as_nobody(act: Callable[[], bytes]) -> tuple[int, int]:
    """Run `act` as another user in a child; returns its pid and a pipe that gives what it returned."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            os.write(writing, act())
        finally:
            os._exit(0)
    os.close(writing)
    return pid, reading


@as_root
def test_a_socket_of_another_user_is_spoken_to_by_root_alone(public: Path) -> None:
    with serving(FakeService(), public) as served:
        owner = NOBODY - 1
        os.chown(served.path, owner, owner)
        os.chmod(served.path, 0o666)

        def ask() -> bytes:
            try:
                served.client().hello()
            except NotOurSocket as error:
                return error.message.encode()
            return b"answered"

        pid, reading = as_nobody(ask)
        os.waitpid(pid, 0)
        assert f"belongs to user {owner}" in os.read(reading, 4096).decode()
        os.close(reading)
        assert ask() == b"answered"


@as_root
def test_a_program_of_another_user_behind_our_socket_is_not_spoken_to(public: Path) -> None:
    path = public / "s"
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.fsencode(path))
        os.chmod(path, 0o600)

        def impostor() -> bytes:
            bound.listen()  # the kernel shows a client who listened, not who bound
            os.write(up, b"!")
            bound.accept()
            return b""

        waiting, up = os.pipe()
        pid, reading = as_nobody(impostor)
        os.read(waiting, 1)
        with pytest.raises(NotOurSocket, match=f"listens on .* belongs to user {NOBODY}"):
            Client(os.fsencode(path)).hello()
        os.waitpid(pid, 0)
        for fd in (reading, waiting, up):
            os.close(fd)


@as_root
def test_another_user_is_refused_whatever_the_files_mode_says(public: Path) -> None:
    with serving(FakeService(), public) as served:
        os.chmod(served.path, 0o666)

        def visit() -> bytes:
            with served.connect() as connection:
                with contextlib.suppress(BrokenPipeError):  # refused before it was asked
                    connection.sendall(b"GET /v1/hello HTTP/1.1\r\nhost: x\r\n\r\n")
                return connection.recv(4096)

        pid, reading = as_nobody(visit)
        answer = os.read(reading, 4096)
        os.waitpid(pid, 0)
        os.close(reading)
    assert b" 403 " in answer.splitlines()[0]
    assert b"not_our_socket" in answer
