"""What can be tried of the macOS paths on any system: forms of answers, fallbacks, numbers from the headers."""

from __future__ import annotations

import errno
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from conductd import macos
from conductd.api import peer
from conductd.core.spelling import spelt_alike_path
from conductd.repair.exchange import SystemExchange

ON_MACOS = sys.platform == "darwin"


class Kernel:
    """A socket whose options answer as macOS documents them."""

    def __init__(self, xucred: bytes, pid: bytes | OSError) -> None:
        self._xucred, self._pid = xucred, pid
        self.asked: list[tuple[int, int, int]] = []

    def getsockopt(self, level: int, option: int, size: int, /) -> bytes:
        self.asked.append((level, option, size))
        if option == macos.LOCAL_PEERCRED:
            return self._xucred[:size]
        if isinstance(self._pid, OSError):
            raise self._pid
        return self._pid


def xucred(version: int, uid: int) -> bytes:
    return macos.XUCRED.pack(version, uid, 3, *range(16))


def test_the_peer_is_read_from_a_struct_xucred() -> None:
    assert macos.XUCRED.size == 76, "sys/ucred.h: two words, a short, padding, sixteen groups"
    kernel = Kernel(xucred(0, 501), struct.pack("i", 4242))
    assert macos.peer(kernel) == (4242, 501)
    assert kernel.asked == [(0, 1, 76), (0, 2, 4)]


def test_a_kernel_that_does_not_tell_the_process_tells_the_user() -> None:
    assert macos.peer(Kernel(xucred(0, 501), OSError(errno.EINVAL, "")))[1] == 501


@pytest.mark.parametrize("answer", [b"", b"\0" * 7, xucred(1, 0), xucred(7, 501)])
def test_credentials_of_an_unknown_form_are_nobodys(answer: bytes) -> None:
    with pytest.raises(OSError, match="unknown form"):
        macos.peer(Kernel(answer, struct.pack("i", 1)))


def test_who_is_there_is_asked_in_this_systems_way() -> None:
    one, other = socket.socketpair(socket.AF_UNIX)
    with one, other:
        assert peer.of(one).uid == os.geteuid()


def test_a_full_sync_that_a_file_system_has_not_is_an_fsync(tmp_path: Path) -> None:
    """Other systems know no such call, which is how a file system without it answers."""
    path = tmp_path / "a"
    with path.open("wb") as file:
        file.write(b"kept")
        file.flush()
        macos.full_sync(file.fileno())
    with pytest.raises(OSError, match="Bad file"):
        macos.full_sync(9_999)


def test_names_in_any_case_and_composition_are_one() -> None:
    composed, decomposed = "Caf\u00e9.md".encode(), "cafe\u0301.MD".encode()
    assert spelt_alike_path(composed) == spelt_alike_path(decomposed)
    assert spelt_alike_path(b"MEMORY.md") == spelt_alike_path(b"memory.md") != spelt_alike_path(b"memories.md")
    assert spelt_alike_path(b"caf\xe9.md") != spelt_alike_path(b"caf\xea.md"), "bytes that are no text stay apart"
    assert spelt_alike_path("straße.md".encode()) == spelt_alike_path(b"STRASSE.md")


@pytest.mark.skipif(not ON_MACOS, reason="needs macOS")
def test_two_files_are_swapped(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    (tmp_path / "b").write_text("other")
    directory = os.open(tmp_path, os.O_RDONLY)
    try:
        SystemExchange().exchange(directory, b"a", b"b")
    finally:
        os.close(directory)
    assert (tmp_path / "a").read_text() == "other"


@pytest.mark.skipif(ON_MACOS, reason="there the program is there")
def test_a_boot_session_that_nobody_tells_is_none() -> None:
    assert macos.boot_session() == ""


@pytest.mark.skipif(not ON_MACOS, reason="needs macOS")
def test_the_boot_session_is_the_systems() -> None:
    told = subprocess.run(["sysctl", "-n", "kern.bootsessionuuid"], capture_output=True, text=True, check=True)
    assert macos.boot_session() == told.stdout.strip()
