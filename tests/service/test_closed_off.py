"""A daemon in a user namespace of its own says so, one in a container does not."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
ASKED = "from conductd.service.closed_off import is_closed_off; print(is_closed_off())"
STARTED = """
import json, pathlib, sys
from support.daemon import Daemon
root = pathlib.Path(sys.argv[1])
with Daemon(root, [root / "ws"]) as daemon:
    print(json.dumps({each["reason"]: each for each in daemon.status()["degraded"]}))
"""
INTO = ("unshare", "--user", "--map-current-user")
CONTAINER = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--mount-proc")


def _why_not() -> str:
    try:
        ran = subprocess.run([*CONTAINER, *INTO, "true"], capture_output=True, text=True, timeout=60, check=False)
    except FileNotFoundError:
        return "unshare is not installed"
    return f"no user namespaces here: {ran.stderr.strip()}" if ran.returncode else ""


needs_namespaces = pytest.mark.skipif(bool(_why_not()), reason=_why_not() or "-")


@needs_namespaces
@pytest.mark.parametrize(
    ("entered", "said"),
    [
        pytest.param((), False, id="as-usual"),
        pytest.param(INTO, True, id="PrivateUsers"),
        pytest.param((*INTO, "--mount"), True, id="ProtectSystem"),
        pytest.param(CONTAINER, False, id="a rootless container"),
        pytest.param((*CONTAINER, *CONTAINER), False, id="one in another"),
        pytest.param((*CONTAINER, *INTO), False, id="a sandbox whose first process is outside"),
        pytest.param(
            (*CONTAINER, "bash", "-c", 'sleep 600 & unshare -Uc "$@"; kill $!', "-"), True, id="in a container"
        ),
    ],
)
def test_only_who_is_shut_out_from_processes_it_sees_is_closed_off(entered: tuple[str, ...], said: bool) -> None:
    ran = subprocess.run(
        [*entered, sys.executable, "-c", ASKED], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.strip() == str(said), ran.stderr


@needs_namespaces
@pytest.mark.parametrize(("entered", "said"), [(INTO, True), (CONTAINER, False)], ids=["PrivateUsers", "a container"])
def test_a_daemon_that_is_closed_off_is_degraded(tmp_path: Path, entered: tuple[str, ...], said: bool) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "MEMORY.md").write_text("# Memory\n")
    ran = subprocess.run(
        [*entered, sys.executable, "-c", STARTED, tmp_path],
        env={**os.environ, "PYTHONPATH": f"{TESTS.parent / 'daemon'}{os.pathsep}{TESTS}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    degraded = json.loads(ran.stdout)
    assert ("closed_off" in degraded) is said
    assert not said or "PrivateUsers" in degraded["closed_off"]["hint"]
