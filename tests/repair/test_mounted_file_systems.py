"""Real file systems that are full, read-only, or a single mounted file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

DAEMON = Path(__file__).parents[2] / "daemon"


def unshared(*words: object) -> subprocess.CompletedProcess[str]:
    flags = ["-m"] if os.geteuid() == 0 else ["-r", "-m"]
    return subprocess.run(
        ["unshare", *flags, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(DAEMON)},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def may_mount(tmp_path_factory: pytest.TempPathFactory) -> None:
    place = tmp_path_factory.mktemp("probe")
    if sys.platform != "linux" or shutil.which("unshare") is None:
        pytest.skip("needs Linux and unshare")
    if unshared("mount", "-t", "tmpfs", "none", place).returncode != 0:
        pytest.skip("mounts are not allowed here")


@pytest.mark.usefixtures("may_mount")
@pytest.mark.parametrize(
    ("case", "wanted"),
    [
        ("swap", "NoSpace No space left on device"),
        ("in_place", "NoSpace No space left on device; several hard links"),
        ("create", "NoSpace No space left on device"),
        ("read_only", "Refused read-only file system"),
        ("bind", "Applied in_place"),
    ],
)
def test_what_was_there_is_whole_and_nothing_is_left_behind(tmp_path: Path, case: str, wanted: str) -> None:
    done = unshared(sys.executable, Path(__file__).with_name("repair_on_mount.py"), tmp_path, case)
    assert done.stderr == ""
    assert done.stdout.strip() == wanted
