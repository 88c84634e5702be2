"""A person's terminal: a controlling one, answered when it asks, and heard to the end."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from support.terminal import run_in_terminal


def _run(source: str, tmp_path: Path, answer: str = "y") -> tuple[int, str]:
    ran = run_in_terminal([sys.executable, "-c", source], os.environ, tmp_path, answer)
    return ran.exit_code, ran.output


def test_the_command_has_a_controlling_terminal(tmp_path: Path) -> None:
    source = "import os, sys; os.close(os.open('/dev/tty', os.O_RDWR)); sys.exit(3 * sys.stdin.isatty())"
    assert _run(source, tmp_path) == (3, "")


def test_every_prompt_is_answered(tmp_path: Path) -> None:
    source = "print('A' * 9000); print([input('sure? [y/N]: '), input('really? ')])"
    code, output = _run(source, tmp_path, "yes")
    assert code == 0
    assert "['yes', 'yes']" in output
    assert output.startswith("A" * 9000)


def test_a_command_that_prints_and_fails_is_heard(tmp_path: Path) -> None:
    code, output = _run("import sys; print('why'); sys.exit(9)", tmp_path)
    assert (code, output) == (9, "why\n")
