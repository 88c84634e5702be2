"""Who left its parents behind, from the sessions of a process and its ancestors."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from conductd.watch.orphans import Groups, _program, adopted, kin

Table = dict[int, Groups]


def table(**rows: tuple[int, int, int]) -> Callable[[int], Groups | None]:
    return {int(pid[1:]): Groups(*row) for pid, row in rows.items()}.get


@pytest.mark.parametrize(
    ("chain", "rows", "terminal", "left"),
    [
        ([(9, "conductd"), (8, "bash")], {"p9": (8, 9, 8), "p8": (1, 8, 8), "p1": (0, 1, 1)}, True, None),
        ([(9, "conductd"), (8, "sh"), (7, "cron")], {"p9": (8, 8, 8), "p8": (7, 8, 8), "p7": (1, 7, 7)}, False, None),
        ([(9, "conductd")], {"p9": (1, 8, 8), "p1": (0, 1, 1)}, False, 9),
        ([(9, "conductd"), (5, "systemd")], {"p9": (5, 8, 8), "p5": (1, 5, 5)}, False, 9),
        ([(9, "conductd")], {"p9": (1, 9, 9), "p1": (0, 1, 1)}, True, None),
        ([(9, "conductd"), (5, "systemd")], {"p9": (5, 9, 9), "p5": (1, 5, 5)}, False, 9),
        ([(9, "bash"), (5, "tini")], {"p9": (5, 9, 9), "p5": (0, 5, 5)}, False, 9),
        ([(9, "conductd"), (8, "python backup.py"), (5, "systemd")],
         {"p9": (8, 8, 8), "p8": (5, 8, 8), "p5": (1, 5, 5)}, False, None),
        ([(9, "conductd"), (8, "bash")], {"p9": (8, 9, 0), "p8": (0, 8, 0)}, False, None),
        ([(9, "conductd")], {}, False, None),
    ],
    ids=[
        "at a terminal", "cron", "adopted by init", "adopted by the user's systemd", "at a terminal of its own",
        "a session of its own", "a shell with a session of its own", "a named service", "led from outside", "gone",
    ],
)  # fmt: skip
def test_adopted(
    chain: list[tuple[int, str]], rows: dict[str, tuple[int, int, int]], terminal: bool, left: int | None
) -> None:
    assert adopted(chain, terminal, table(**rows), lambda _: "systemd") == left


@pytest.mark.parametrize(("first", "left"), [("some-init", 9), ("", 9), ("python3.11", None), ("bash", None)])
def test_the_first_process_of_a_container_may_have_started_it(first: str, left: int | None) -> None:
    look = table(p9=(1, 9, 9), p1=(0, 1, 1))
    assert adopted([(9, "conductd")], False, look, lambda _: first) == left


@pytest.mark.skipif(sys.platform != "linux", reason="/proc")
def test_a_program_whose_file_may_not_be_looked_at_is_named_by_what_it_calls_itself() -> None:
    child = subprocess.Popen(["sh", "-c", "exit"])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and its file is gone from /proc
    try:
        assert _program(child.pid) == "sh"
        assert _program(os.getpid()) == os.path.basename(os.readlink("/proc/self/exe"))
    finally:
        child.wait()
    assert _program(child.pid) == ""


def test_a_child_is_of_the_session_of_its_siblings() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert os.getpid() in kin(child.pid)
