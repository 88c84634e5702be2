"""A state directory that is read-only: at a start, while the daemon runs, and for the commands that only read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from service.on_read_only_state import CASES, SKIPPED

TESTS = Path(__file__).parents[1]


@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare to make a namespace with")
@pytest.mark.parametrize("case", CASES)
def test_a_read_only_state_directory(tmp_path: Path, case: str) -> None:
    own = ["-m"] if os.geteuid() == 0 else ["-rm"]
    program = Path(__file__).with_name("on_read_only_state.py")
    ran = subprocess.run(
        ["unshare", *own, sys.executable, program, tmp_path, case],
        env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'daemon'}{os.pathsep}{TESTS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == SKIPPED:
        pytest.skip(f"cannot be mounted here: {ran.stdout.strip()}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
