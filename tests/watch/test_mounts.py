"""Mounts: parsing is pure; what this machine mounts is looked at as it is."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from conductd.watch.capabilities import is_case_insensitive, probe
from conductd.watch.mounts import (
    Mount,
    has_trustworthy_ctime,
    mount_of,
    mounts_below,
    parse,
    read_mounts,
    sends_events,
)
from conductd.watch.watchset import watch_set

MOUNTINFO = rb"""22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:25 / /home/u/My\040Notes rw master:2 propagate_from:1 - nfs4 server:/x rw
31 22 0:26 / /mnt rw - fuse.sshfs host: rw
32 31 0:27 / /mnt rw - tmpfs none rw
33 22 8:1 /home/u/ws/MEMORY.md /run/box/MEMORY.md ro - ext4 /dev/sda1 rw
nonsense
40 22 0:40 / /back\134slash rw - 9p drvfs rw
"""


def test_mountinfo_is_parsed_with_its_escapes_and_optional_fields() -> None:
    mounts = parse(MOUNTINFO)
    assert len(mounts) == 6
    assert mounts[1] == Mount(b"/home/u/My Notes", "nfs4", "0:25", b"/", b"server:/x")
    assert mounts[5].point == b"/back\\slash"


@pytest.mark.parametrize(
    ("path", "fs_type"),
    [
        (b"/home/u/My Notes/a.md", "nfs4"),
        (b"/home/u/My Notes2/a.md", "ext4"),
        (b"/mnt/x", "tmpfs"),  # the later mount covers the earlier
        (b"/run/box/MEMORY.md", "ext4"),
        (b"/", "ext4"),
    ],
)
def test_a_path_lies_on_the_longest_and_last_mount(path: bytes, fs_type: str) -> None:
    found = mount_of(path, parse(MOUNTINFO))
    assert found is not None
    assert found.fs_type == fs_type


def test_mounts_below_a_directory_are_found() -> None:
    mounts = parse(MOUNTINFO)
    assert [mount.point for mount in mounts_below(b"/run", mounts)] == [b"/run/box/MEMORY.md"]


@pytest.mark.parametrize("fs_type", ["9p", "nfs", "nfs4", "cifs", "smb3", "virtiofs", "fuse", "fuse.sshfs", "vboxsf"])
def test_file_systems_with_another_side_send_no_events(fs_type: str) -> None:
    assert not sends_events(fs_type)


@pytest.mark.parametrize("fs_type", ["ext4", "btrfs", "xfs", "tmpfs", "overlay", "zfs", "f2fs", "fuseblk"])
def test_local_file_systems_send_events(fs_type: str) -> None:
    assert sends_events(fs_type)


def test_a_ctime_is_trusted_only_where_the_system_keeps_it() -> None:
    assert all(map(has_trustworthy_ctime, ("ext4", "btrfs", "tmpfs", "overlay", "nfs4")))
    assert not any(map(has_trustworthy_ctime, ("vfat", "exfat", "fuseblk", "fuse.sshfs", "9p", "cifs", "virtiofs")))


@pytest.mark.skipif(sys.platform != "linux", reason="mountinfo is Linux's")
def test_this_machine_has_a_root_mount() -> None:
    mounts = read_mounts()
    if not any(mount.point == b"/" for mount in mounts):
        pytest.skip("no mount point is the root of this machine: a chroot, or no /proc")
    assert mount_of(b"/", mounts) is not None


class TestProbe:
    def test_the_file_system_and_what_it_can_do_are_named(self, workspace: Path) -> None:
        root = os.fsencode(workspace.resolve())
        mounts = [Mount(b"/", "ext4", "8:1"), Mount(root, "nfs4", "0:30")]
        found = probe(root, watch_set(), mounts)
        assert (found.fs_type, found.mount_point, found.events) == ("nfs4", root, False)
        assert "nfs4" in found.why_poll

    def test_a_silent_mount_inside_the_watch_set_counts_and_elsewhere_does_not(self, workspace: Path) -> None:
        root = os.fsencode(workspace.resolve())
        local = Mount(b"/", "ext4", "8:1")
        inside = Mount(root + b"/memory/shared", "fuse.sshfs", "0:31")
        one_file = Mount(root + b"/MEMORY.md", "9p", "0:32")
        outside = Mount(root + b"/data/big", "nfs", "0:33")
        assert not probe(root, watch_set(), [local, inside]).events
        assert not probe(root, watch_set(), [local, one_file]).events
        assert probe(root, watch_set(), [local, outside]).events
        assert not probe(root, watch_set(), [local, inside]).trust_ctime

    def test_a_file_that_is_a_mount_of_its_own_sends_no_events(self, workspace: Path) -> None:
        (workspace / "MEMORY.md").write_text("- a note\n")
        (workspace / "notes.bin").write_text("x")
        root = os.fsencode(workspace.resolve())
        local = Mount(b"/", "ext4", "8:1")
        found = probe(root, watch_set(), [local, Mount(root + b"/MEMORY.md", "ext4", "8:1")])
        assert not found.events
        assert "MEMORY.md" in found.why_poll
        assert found.trust_ctime
        assert probe(root, watch_set(), [local, Mount(root + b"/memory", "ext4", "8:1")]).events

    def test_nothing_is_written_to_find_out(self, workspace: Path) -> None:
        (workspace / "MEMORY.md").write_text("x")
        before = workspace.stat().st_mtime_ns, sorted(os.listdir(workspace))
        probe(os.fsencode(workspace), watch_set())
        assert (workspace.stat().st_mtime_ns, sorted(os.listdir(workspace))) == before

    def test_case_is_told_by_names_that_are_there(self, workspace: Path) -> None:
        (workspace / "MEMORY.md").write_text("x")
        expected = (workspace / "memory.MD").exists()
        assert is_case_insensitive(os.fsencode(workspace)) is expected

    def test_without_letters_in_any_name_case_is_unknown(self, workspace: Path) -> None:
        (workspace / "1").mkdir()
        (workspace / "1" / "2").touch()
        assert is_case_insensitive(os.fsencode(workspace / "1")) is None

    def test_a_missing_root_is_probed_where_it_would_be(self, workspace: Path) -> None:
        found = probe(os.fsencode(workspace / "not-there"), watch_set())
        assert found.fs_type == probe(os.fsencode(workspace), watch_set()).fs_type
