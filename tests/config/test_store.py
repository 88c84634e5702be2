"""A configuration file is put into place whole, through no link, and over nothing that somebody wrote meanwhile."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from conductd.config.store import put, read
from conductd.errors import ConfigError, Refused


def test_a_new_file_and_its_directories_are_private(tmp_path: Path) -> None:
    path = tmp_path / "a/b/config.toml"
    before = os.umask(0)
    try:
        put(str(path), b"x", None)
    finally:
        os.umask(before)
    assert path.read_bytes() == b"x"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert {stat.S_IMODE(each.stat().st_mode) for each in (path.parent, path.parent.parent)} == {0o700}
    assert os.listdir(path.parent) == ["config.toml"]
    assert path.stat().st_nlink == 1


def test_an_existing_one_is_replaced_and_private_then(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"old")
    path.chmod(0o644)
    put(str(path), b"new", read(str(path)))
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o600)
    assert os.listdir(tmp_path) == ["config.toml"]


def test_what_came_or_changed_meanwhile_stays(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(b"theirs")
    for was in (None, b"old"):
        with pytest.raises(Refused):
            put(str(path), b"ours", was)
    assert path.read_bytes() == b"theirs"
    path.unlink()
    with pytest.raises(Refused):
        put(str(path), b"ours", b"old")
    assert os.listdir(tmp_path) == []


def test_no_link_is_written_through(tmp_path: Path) -> None:
    path, target = tmp_path / "config.toml", tmp_path / "target"
    for made in (False, True):
        if made:
            target.write_bytes(b"old")
        path.symlink_to(target)
        with pytest.raises(ConfigError, match="is a link"):
            read(str(path))
        with pytest.raises(Refused):
            put(str(path), b"ours", None)
        with pytest.raises(ConfigError, match="is a link"):
            put(str(path), b"ours", b"old")
        assert target.exists() is made
        path.unlink()
    assert target.read_bytes() == b"old"


def test_what_is_no_file_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name in ("fifo", "."):
        with pytest.raises(ConfigError, match="no regular file"):
            read(str(tmp_path / name))
    assert read(str(tmp_path / "none")) is None
    with pytest.raises(ConfigError, match="cannot be written"):
        put(str(tmp_path / "fifo/x/config.toml"), b"x", None)
