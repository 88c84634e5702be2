"""Finding out that a file is a mount of its own, in our view or in a container's."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from conductd.repair.mounts import Mount, is_mounted_alone, parse

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="mount tables are read from /proc")


def test_a_mountinfo_line_is_read_with_its_escapes() -> None:
    text = b"36 35 98:0 /mnt\\0401 /mnt\\0122 rw,noatime master:1 - ext3 /dev/root rw\ngarbage\n\n1 2\n"
    assert list(parse(text)) == [Mount(36, b"98:0", b"/mnt 1", b"/mnt\n2")]


def question(folder: Path, name: str, proc: str = "/proc") -> bool:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        return is_mounted_alone(descriptor, os.fsencode(name), proc)
    finally:
        os.close(descriptor)


def test_an_ordinary_file_is_no_mount(tmp_path: Path) -> None:
    (tmp_path / "MEMORY.md").write_bytes(b"")
    assert not question(tmp_path, "MEMORY.md")


def test_without_proc_the_answer_is_no(tmp_path: Path) -> None:
    assert not question(tmp_path, "MEMORY.md", str(tmp_path / "no-proc"))


def container(folder: Path, file: Path, inside: Path) -> subprocess.Popen[str]:
    """A process in a mount namespace of its own, that was given one file of ours."""
    script = 'mount --bind "$1" "$2" && echo ready && read line'
    flags = ["-m"] if os.geteuid() == 0 else ["-r", "-m"]
    return subprocess.Popen(
        ["unshare", *flags, "sh", "-c", script, "sh", str(file), str(inside)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare")
def test_a_file_given_to_a_container_is_found_in_the_containers_table(tmp_path: Path) -> None:
    file, inside = tmp_path / "MEMORY.md", tmp_path / "inside.md"
    file.write_bytes(b"x")
    inside.write_bytes(b"")
    (tmp_path / "other.md").write_bytes(b"x")
    with container(tmp_path, file, inside) as process:
        assert process.stdout is not None
        if process.stdout.readline() != "ready\n":
            pytest.skip("mounts are not allowed here")
        mounted, other = question(tmp_path, "MEMORY.md"), question(tmp_path, "other.md")
        process.communicate("\n")
    assert mounted
    assert not other
    assert not question(tmp_path, "MEMORY.md")
