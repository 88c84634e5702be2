"""What a file system under a workspace can do, tried on those that this machine can mount in a private namespace."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.watch.capabilities import Capabilities, is_composing, probe
from conductd.watch.mounts import Mount
from conductd.watch.watchset import watch_set

PROBE = """
import os, sys
from conductd.watch.capabilities import probe
from conductd.watch.watchset import watch_set
print(*probe(os.fsencode(sys.argv[1]), watch_set()).words(), sep="\\n")
"""


def found_on(tmp_path: Path, *mounting: str) -> list[str]:
    """What is found of `there` below `tmp_path`, after these shell commands in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("no unshare to make a namespace with")
    own = ["unshare", "-m"] if os.geteuid() == 0 else ["unshare", "-rm"]
    script = " && ".join(
        ["cd " + str(tmp_path), *mounting, f'echo mounted && exec {sys.executable} -c "$0" $PWD/there']
    )
    ran = subprocess.run([*own, "sh", "-ec", script, PROBE], capture_output=True, text=True, timeout=60, check=False)
    mounted, *found = ran.stdout.splitlines() or [""]
    if mounted != "mounted":
        pytest.skip(f"cannot be mounted here: {(ran.stderr.strip().splitlines() or ['?'])[0]}")
    assert ran.returncode == 0, ran.stderr
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
class TestRealMounts:
    def test_a_directory_of_the_machine_that_is_mounted_into_a_container_is_bound(self, tmp_path: Path) -> None:
        (tmp_path / "host").mkdir()
        (tmp_path / "host" / "MEMORY.md").write_text("- a note\n")
        found = found_on(tmp_path, "mkdir there", "mount --bind host there")
        assert "bound" in found
        assert "events" in found

    def test_the_layers_of_a_container_send_events(self, tmp_path: Path) -> None:
        for name in ("low", "up", "work", "there"):
            (tmp_path / name).mkdir()
        (tmp_path / "low" / "MEMORY.md").write_text("- a note\n")
        found = found_on(tmp_path, "mount -t overlay overlay -o lowerdir=low,upperdir=up,workdir=work there")
        assert found[:4] == ["overlay", "events", "ctime", "two cases"]
        assert "bound" not in found

    def test_what_is_mounted_read_only_is(self, tmp_path: Path) -> None:
        found = found_on(tmp_path, "mkdir there", "mount -t tmpfs none there", "mount -o remount,ro there")
        assert found[0] == "tmpfs"
        assert "read-only" in found

    def test_a_directory_that_folds_case(self, tmp_path: Path) -> None:
        found = found_on(
            tmp_path,
            "mkdir there",
            "truncate -s 8M image",
            "mkfs.ext4 -q -O casefold -E encoding=utf8 image",
            "mount -o loop image there",
            "mkdir there/ws",
            "chattr +F there/ws",
            "touch there/ws/MEMORY.md there/ws/Caf\u00e9.md",
            "mount --bind there/ws there",
        )
        assert "one case" in found
        assert "composing" in found


def test_composition_is_told_by_names_that_are_there(tmp_path: Path) -> None:
    assert is_composing(os.fsencode(tmp_path / "nothing")) is None
    (tmp_path / "Caf\u00e9.md").touch()
    expected = (tmp_path / "Cafe\u0301.md").exists()
    assert is_composing(os.fsencode(tmp_path)) is expected
    (tmp_path / os.fsdecode(b"caf\xe9.md")).touch() if sys.platform == "linux" else None
    assert is_composing(os.fsencode(tmp_path)) is expected


def test_two_files_that_differ_in_composition_only_are_two(tmp_path: Path) -> None:
    (tmp_path / "Caf\u00e9.md").write_text("composed")
    try:
        with (tmp_path / "Cafe\u0301.md").open("x") as other:
            other.write("decomposed")
    except FileExistsError:
        pytest.skip("this file system takes them for one")
    assert is_composing(os.fsencode(tmp_path)) is False


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_a_workspace_of_another_user_is_foreign(tmp_path: Path) -> None:
    assert not probe(os.fsencode(tmp_path), watch_set()).foreign
    os.chown(tmp_path, 12345, 12345)
    assert probe(os.fsencode(tmp_path), watch_set()).foreign


@pytest.mark.parametrize(
    ("fs_type", "root", "words"),
    [
        ("9p", b"/", {"9p", "polled", "no ctime"}),  # a WSL drive, a shared folder of a virtual machine
        ("drvfs", b"/", {"drvfs", "polled", "no ctime"}),
        ("fuse.sshfs", b"/", {"polled", "no ctime"}),
        ("btrfs", b"/@home", {"events", "ctime"}),  # a subvolume is no bind mount
        ("ext4", b"/srv/agents/ws", {"events", "bound"}),
        ("vfat", b"/", {"events", "no ctime"}),
    ],
)
def test_a_mount_is_told_by_its_kind_and_its_root(tmp_path: Path, fs_type: str, root: bytes, words: set[str]) -> None:
    there = os.fsencode(tmp_path.resolve())
    found = probe(there, watch_set(), [Mount(b"/", "ext4", "8:1"), Mount(there, fs_type, "0:50", root)])
    assert words <= set(found.words())
    assert ("bound" in found.words()) is ("bound" in words)


def test_what_nobody_tried_is_not_known() -> None:
    assert Capabilities().words()[3:6] == ("case?", "composition?", "xattrs?")
