"""The two renames the kernel has and the standard library has not."""

from __future__ import annotations

import ctypes
import os
import platform
from collections.abc import Iterator
from pathlib import Path

import pytest

from conductd.repair.exchange import _RENAMEAT2_NUMBER, SystemExchange, _by_number


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    descriptor = os.open(tmp_path, os.O_RDONLY)
    yield descriptor
    os.close(descriptor)


def test_exchange_gives_each_name_the_others_file(tmp_path: Path, folder: int) -> None:
    (tmp_path / "a").write_bytes(b"A")
    (tmp_path / "b").write_bytes(b"B")
    inodes = (tmp_path / "a").stat().st_ino, (tmp_path / "b").stat().st_ino
    SystemExchange().exchange(folder, b"a", b"b")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"B", b"A")
    assert ((tmp_path / "b").stat().st_ino, (tmp_path / "a").stat().st_ino) == inodes


def test_exchange_needs_both(tmp_path: Path, folder: int) -> None:
    (tmp_path / "a").write_bytes(b"A")
    with pytest.raises(FileNotFoundError):
        SystemExchange().exchange(folder, b"a", b"b")
    assert (tmp_path / "a").read_bytes() == b"A"


def test_move_never_replaces(tmp_path: Path, folder: int) -> None:
    (tmp_path / "a").write_bytes(b"A")
    (tmp_path / "b").symlink_to("nowhere")
    with pytest.raises(FileExistsError):
        SystemExchange().move(folder, b"a", b"b")
    SystemExchange().move(folder, b"a", b"c")
    assert (tmp_path / "c").read_bytes() == b"A"
    assert not (tmp_path / "a").exists()


def test_the_call_by_number_is_the_same_call(tmp_path: Path, folder: int) -> None:
    number = _RENAMEAT2_NUMBER.get(platform.machine())
    if number is None or platform.system() != "Linux":
        pytest.skip(f"no number known for {platform.machine()}")
    (tmp_path / "a").write_bytes(b"A")
    (tmp_path / "b").write_bytes(b"B")
    rename = _by_number(ctypes.CDLL(None, use_errno=True), number)
    assert rename(folder, b"a", folder, b"b", 2) == 0
    assert (tmp_path / "a").read_bytes() == b"B"
    assert rename(folder, b"a", folder, b"b", 1) == -1
