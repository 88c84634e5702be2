"""A module of conductd as a process of its own finds conductd, and the standard library before it."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import conductd
from conductd import own_process
from conductd.engine.forgetting.bounded_regex import find


def test_it_finds_this_package_and_hides_no_module_of_python() -> None:
    code = "import secrets, conductd; print(secrets.__file__); print(conductd.__file__)"
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],  # without installed packages: only what it is told of
        env=own_process.environment(),
        cwd="/",
        capture_output=True,
        text=True,
        check=True,
    )
    standard, own = ran.stdout.splitlines()
    assert Path(standard).parent == Path(sysconfig.get_path("stdlib"))
    assert os.path.samefile(own, conductd.__file__)


def test_an_expression_is_tried_in_one() -> None:
    assert find("b+", ["abba", "a"]) == [["bb"], []]
