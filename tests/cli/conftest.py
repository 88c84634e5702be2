"""The command line as a person runs it: a process, a real server, a real socket."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from support.served import Served, serving
from support.service import FakeService

Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    made = tmp_path / "ws"
    made.mkdir()
    return made


@pytest.fixture
def service(workspace: Path) -> FakeService:
    return FakeService(root=os.fsencode(workspace))


@pytest.fixture
def served(service: FakeService, tmp_path: Path) -> Iterator[Served]:
    with serving(service, tmp_path, terminal=False) as running:
        yield running


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "HOME": str(tmp_path),
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "CONDUCTD_STATE_DIR": str(tmp_path),
    }


@pytest.fixture
def run(workspace: Path, environ: dict[str, str]) -> Run:
    """`run("log", "MEMORY.md")` in the workspace; arguments may be bytes."""

    def go(*arguments: str | bytes, **extra: str) -> subprocess.CompletedProcess[bytes]:
        command = [sys.executable, "-m", "conductd", *arguments]
        return subprocess.run(
            command, cwd=workspace, env={**environ, **extra}, capture_output=True, stdin=subprocess.DEVNULL, timeout=60
        )

    return go
