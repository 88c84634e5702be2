"""The reader against real files of every kind."""

from __future__ import annotations

import hashlib
import mmap
import os
import socket
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from conductd.model import FileState
from conductd.watch.reader import (
    PARENT_IS_LINK,
    PARENT_MISSING,
    PARENT_NOT_DIRECTORY,
    ROOT_MISSING,
    observe,
    parts,
)


def test_a_file_is_read_whole_with_its_digest(workspace: Path, root_fd: int) -> None:
    data = os.urandom(10_240)
    (workspace / "MEMORY.md").write_bytes(data)
    seen = observe(root_fd, b"MEMORY.md")
    assert (seen.state, seen.data, seen.size, seen.torn) == (FileState.FILE, data, 10_240, False)
    assert seen.digest == hashlib.sha256(data).digest()
    assert seen.stat is not None
    assert seen.stat.inode == (workspace / "MEMORY.md").stat().st_ino


def test_an_empty_file_is_a_file(workspace: Path, root_fd: int) -> None:
    (workspace / "MEMORY.md").touch()
    seen = observe(root_fd, b"MEMORY.md")
    assert (seen.state, seen.data) == (FileState.FILE, b"")


def test_a_name_that_is_not_utf8_works(workspace: Path, root_fd: int) -> None:
    name = b"notes-\xff\xfe.md"
    with open(os.path.join(os.fsencode(workspace), name), "wb") as file:
        file.write(b"x")
    assert observe(root_fd, name).data == b"x"


@pytest.mark.parametrize("path", [b"", b"/etc/passwd", b"../x", b"a/../../x", b"./a", b"a//b", b"a/"])
def test_a_path_that_could_lead_out_is_refused(path: bytes, root_fd: int) -> None:
    with pytest.raises(ValueError, match="not a path inside"):
        observe(root_fd, path)
    with pytest.raises(ValueError, match="not a path inside"):
        parts(path)


def test_what_is_not_there_is_absent_and_says_what_is_missing(workspace: Path, root_fd: int) -> None:
    (workspace / "file").touch()
    assert observe(root_fd, b"MEMORY.md").reason == ""
    assert observe(root_fd, b"memory/a.md").reason == PARENT_MISSING
    assert observe(root_fd, b"file/a.md").reason == PARENT_NOT_DIRECTORY
    for path in (b"MEMORY.md", b"memory/a.md", b"file/a.md"):
        assert observe(root_fd, path).state is FileState.ABSENT


def test_a_removed_root_is_told_from_a_removed_file(workspace: Path, root_fd: int) -> None:
    workspace.rmdir()
    assert observe(root_fd, b"MEMORY.md").reason == ROOT_MISSING
    assert observe(root_fd, b"memory/a.md").reason == ROOT_MISSING


def test_a_link_is_named_and_never_followed(workspace: Path, root_fd: int, tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("secret")
    (workspace / "out.md").symlink_to(secret)
    (workspace / "AGENTS.md").write_text("inside")
    (workspace / "in.md").symlink_to("AGENTS.md")
    (workspace / "dangling.md").symlink_to("nowhere")
    for name, target in ((b"out.md", os.fsencode(secret)), (b"in.md", b"AGENTS.md"), (b"dangling.md", b"nowhere")):
        seen = observe(root_fd, name)
        assert (seen.state, seen.link_target, seen.data) == (FileState.SYMLINK, target, None)


def test_a_linked_parent_is_never_followed(workspace: Path, root_fd: int, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "a.md").write_text("secret")
    (workspace / "memory").symlink_to(tmp_path / "outside")
    seen = observe(root_fd, b"memory/a.md")
    assert (seen.state, seen.reason, seen.data) == (FileState.ABSENT, PARENT_IS_LINK, None)


def test_a_link_deeper_in_the_path_is_never_followed(workspace: Path, root_fd: int, tmp_path: Path) -> None:
    (tmp_path / "outside" / "b").mkdir(parents=True)
    (tmp_path / "outside" / "b" / "a.md").write_text("secret")
    (workspace / "memory").mkdir()
    (workspace / "memory" / "x").symlink_to(tmp_path / "outside")
    assert observe(root_fd, b"memory/x/b/a.md").reason == PARENT_IS_LINK


def test_a_fifo_is_not_opened(workspace: Path, root_fd: int) -> None:
    os.mkfifo(workspace / "MEMORY.md")
    opened = threading.Event()

    def write() -> None:
        fd = os.open(workspace / "MEMORY.md", os.O_WRONLY)
        opened.set()
        os.close(fd)

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    for _ in range(200):  # a writer that waits for a reader would be let go by an open
        assert observe(root_fd, b"MEMORY.md").reason == "fifo"
    assert not opened.is_set()
    release = os.open(workspace / "MEMORY.md", os.O_RDONLY)
    writer.join(5)
    os.close(release)


def test_a_socket_and_a_directory_are_special(workspace: Path, root_fd: int) -> None:
    (workspace / "dir.md").mkdir()
    assert observe(root_fd, b"dir.md").reason == "directory"
    here = os.getcwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(workspace)  # socket paths are short
        try:
            listener.bind("sock.md")
        finally:
            os.chdir(here)
        assert (observe(root_fd, b"sock.md").state, observe(root_fd, b"sock.md").reason) == (
            FileState.SPECIAL,
            "socket",
        )


@pytest.mark.skipif(os.geteuid() != 0, reason="making a device node needs root")
def test_a_device_is_not_opened(workspace: Path, root_fd: int) -> None:
    try:
        os.mknod(workspace / "MEMORY.md", stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero: no end
    except PermissionError:
        pytest.skip("this environment allows no device nodes")
    seen = observe(root_fd, b"MEMORY.md")
    assert (seen.state, seen.reason) == (FileState.SPECIAL, "device")


def test_over_the_limit_there_is_a_digest_and_no_body(workspace: Path, root_fd: int) -> None:
    data = os.urandom(3_000_000)
    (workspace / "big.md").write_bytes(data)
    seen = observe(root_fd, b"big.md", limit=2_999_999)
    assert (seen.state, seen.data, seen.size) == (FileState.OVERSIZE, None, 3_000_000)
    assert seen.digest == hashlib.sha256(data).digest()
    assert observe(root_fd, b"big.md", limit=3_000_000).state is FileState.FILE


def test_the_default_limit_is_16_mib(workspace: Path, root_fd: int) -> None:
    with open(workspace / "big.md", "wb") as file:
        file.truncate(16 * 1024 * 1024 + 1)
    assert observe(root_fd, b"big.md").state is FileState.OVERSIZE
    os.truncate(workspace / "big.md", 16 * 1024 * 1024)
    assert observe(root_fd, b"big.md").state is FileState.FILE


def test_a_huge_sparse_file_does_not_hold_the_recorder_up(workspace: Path, root_fd: int) -> None:
    with open(workspace / "huge.md", "wb") as file:
        file.truncate(1 << 40)
    seen = observe(root_fd, b"huge.md")
    assert (seen.state, seen.digest, seen.size, seen.reason) == (FileState.OVERSIZE, None, 1 << 40, "no_digest")


def test_hard_links_are_read_and_counted(workspace: Path, root_fd: int) -> None:
    (workspace / "a.md").write_text("one")
    os.link(workspace / "a.md", workspace / "b.md")
    seen = observe(root_fd, b"b.md")
    assert seen.data == b"one"
    assert seen.stat is not None
    assert seen.stat.nlink == 2


def test_a_file_that_never_rests_is_torn_or_whole_never_mixed(workspace: Path, root_fd: int) -> None:
    path = workspace / "MEMORY.md"
    path.write_bytes(b"a" * 200_000)
    stop = threading.Event()

    def rewrite() -> None:
        size = 200_000
        while not stop.is_set():
            size -= 1  # no two states of one size: time stamps alone may be too coarse to tell them apart
            path.write_bytes((b"a", b"b")[size % 2] * size)

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        # A state between truncate and write is a state; what must not pass as whole is a mixture.
        for _ in range(300):
            seen = observe(root_fd, b"MEMORY.md")
            assert seen.data is not None
            assert seen.torn or len(set(seen.data)) <= 1
    finally:
        stop.set()
        writer.join()


def test_a_growing_file_is_torn(workspace: Path, root_fd: int) -> None:
    path = workspace / "log.md"
    path.write_bytes(b"x" * 8_000_000)
    stop = threading.Event()

    def grow() -> None:
        with open(path, "ab", buffering=0) as file:
            while not stop.is_set():
                file.write(b"y" * 100)

    writer = threading.Thread(target=grow)
    writer.start()
    try:
        deadline = time.monotonic() + 10
        while not observe(root_fd, b"log.md", attempts=2).torn:
            assert time.monotonic() < deadline
    finally:
        stop.set()
        writer.join()
    assert not observe(root_fd, b"log.md").torn


def test_mmap_writes_are_seen_in_the_content(workspace: Path, root_fd: int) -> None:
    (workspace / "m.md").write_bytes(b"a" * 4096)
    with open(workspace / "m.md", "r+b") as file, mmap.mmap(file.fileno(), 4096) as memory:
        memory[:4] = b"bbbb"
        memory.flush()
        seen = observe(root_fd, b"m.md")
    assert seen.data is not None
    assert seen.data[:5] == b"bbbba"


def test_a_leased_file_is_busy_and_to_be_looked_at_again(workspace: Path, root_fd: int) -> None:
    fcntl = pytest.importorskip("fcntl")
    if not hasattr(fcntl, "F_SETLEASE"):
        pytest.skip("leases are Linux's")
    path = workspace / "MEMORY.md"
    path.write_text("x")
    # In another process, which then ignores the signal that asks it to give the lease back.
    code = (
        "import fcntl,os,signal,sys\n"
        "signal.signal(signal.SIGIO, signal.SIG_IGN)\n"
        "fd=os.open(sys.argv[1], os.O_RDWR)\n"
        "fcntl.fcntl(fd, fcntl.F_SETLEASE, fcntl.F_WRLCK)\n"
        "print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        if holder.stdout.readline() != "held\n":
            pytest.skip("this file system gives no leases")
        seen = observe(root_fd, b"MEMORY.md")
        holder.communicate("")
    assert (seen.state, seen.reason, seen.torn) == (FileState.UNREADABLE, "busy", True)
    assert observe(root_fd, b"MEMORY.md").data == b"x"


AS_NOBODY = """
import os, sys
from conductd.watch.reader import observe  # before: another user may not be able to read the interpreter's files
if os.geteuid() == 0:
    os.setgroups([]); os.setgid(65534); os.setuid(65534)
fd = os.open(sys.argv[1], os.O_RDONLY)
for path in (b"secret.md", b"closed/a.md", b"open/a.md"):
    seen = observe(fd, path)
    print(seen.state, seen.reason, seen.data)
"""


def test_unreadable_is_unreadable_never_empty(workspace: Path, tmp_path: Path) -> None:
    (workspace / "secret.md").write_text("x")
    for name in ("closed", "open"):
        (workspace / name).mkdir()
        (workspace / name / "a.md").write_text("x")
    for directory in (workspace, *workspace.parents):  # so that another user can get there
        if directory.stat().st_uid == os.geteuid() and str(directory) != "/":
            directory.chmod(directory.stat().st_mode | 0o055)
    (workspace / "secret.md").chmod(0)
    (workspace / "closed").chmod(0)
    (workspace / "open").chmod(0o311)  # may be entered, not listed
    (workspace / "open" / "a.md").chmod(0o644)
    run = subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(workspace)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONDONTWRITEBYTECODE": "1"},
        check=False,
    )
    (workspace / "closed").chmod(0o755)
    assert run.stdout.splitlines() == ["unreadable EACCES None", "unreadable EACCES None", "file  b'x'"], run.stderr
