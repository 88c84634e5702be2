"""Who made a pseudo-terminal."""

from __future__ import annotations

import fcntl
import os
import pty

import pytest

from conductd.watch.ancestry import look_up
from conductd.watch.terminal_holder import holders, pty_number


@pytest.mark.parametrize(
    ("device", "number"),
    [(136 << 8, 0), ((136 << 8) + 7, 7), (137 << 8, 256), (143 << 8 | 255, 2_047), (4 << 8 | 1, None), (0, None)],
)
def test_the_number_of_a_pseudo_terminal(device: int, number: int | None) -> None:
    assert pty_number(device) == number


def test_whoever_made_the_terminal_of_a_process_holds_it() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("cat", ["cat"])
    try:
        os.write(terminal, b"x\n")
        echoed = b""
        while echoed.count(b"x") < 2:  # the terminal's echo, then cat's own: it is running
            echoed += os.read(terminal, 10)
        child = look_up(pid)
        assert child is not None
        assert holders(pid, child.terminal_device) == [os.getpid()]
    finally:
        os.close(terminal)
        os.waitpid(pid, 0)


def test_a_holder_that_closes_other_files_meanwhile_is_found_all_the_same() -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp("cat", ["cat"])
    # The listing of this process has a file of its own that is closed again when it is looked at, before the terminal.
    high = fcntl.fcntl(terminal, fcntl.F_DUPFD, 200)
    os.close(terminal)
    try:
        os.write(high, b"x\n")
        echoed = b""
        while echoed.count(b"x") < 2:
            echoed += os.read(high, 10)
        child = look_up(pid)
        assert child is not None
        assert holders(pid, child.terminal_device) == [os.getpid()]
    finally:
        os.close(high)
        os.waitpid(pid, 0)


def test_a_process_without_a_terminal_has_none() -> None:
    assert holders(os.getpid(), 0) == []
