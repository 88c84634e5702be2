"""Which editor `conductd edit` opens, what it is called, and whether it waits; and spans of time."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from conductd.cli.editor import Editor, described, find
from conductd.cli.spans import Span
from conductd.errors import UsageError


def installed(directory: Path, *names: str) -> dict[str, str]:
    for name in names:
        (directory / name).write_text("#!/bin/sh\n")
        (directory / name).chmod(0o755)
    return {"PATH": str(directory)}


def test_visual_wins_over_editor_which_wins_over_what_is_installed(tmp_path: Path) -> None:
    environ = installed(tmp_path, "vim", "nano", "kak")
    assert find(environ).words == ("nano",)
    assert find({**environ, "EDITOR": "vim"}).words == ("vim",)
    assert find({**environ, "EDITOR": "vim", "VISUAL": "kak -n"}) == Editor(("kak", "-n"), "kak")
    assert find({**environ, "EDITOR": " ", "VISUAL": ""}).words == ("nano",)


def test_the_systems_editor_has_the_name_of_the_program_it_is(tmp_path: Path) -> None:
    environ = installed(tmp_path, "vim.basic")
    (tmp_path / "alternative").symlink_to(tmp_path / "vim.basic")
    (tmp_path / "editor").symlink_to(tmp_path / "alternative")
    assert find(environ).words == ("editor",)
    assert described((str(tmp_path / "editor"),)).name == "vim"


def test_a_path_with_a_space_needs_no_quotes(tmp_path: Path) -> None:
    (tmp_path / "my dir").mkdir()
    installed(tmp_path / "my dir", "ed it")
    program = str(tmp_path / "my dir" / "ed it")
    assert find({"PATH": "", "EDITOR": program}).words == (program,)
    assert find({"PATH": "", "EDITOR": f"'{program}' -n"}).words == (program, "-n")


@pytest.mark.parametrize("value", ["nowhere", "'vim", "/nowhere/vim"])
def test_an_editor_that_is_not_there_is_told(tmp_path: Path, value: str) -> None:
    with pytest.raises(UsageError):
        find({**installed(tmp_path, "nano"), "EDITOR": value})
    with pytest.raises(UsageError, match="no editor"):
        find({"PATH": str(tmp_path / "empty")})


@pytest.mark.parametrize(
    ("command", "waits_with"),
    [
        ("vim", None),
        ("nano -w", None),
        ("code", "--wait"),
        ("code --wait", None),
        ("code -n -w", None),
        ("subl -n", "--wait"),
        ("gvim", "-f"),
        ("gvim --nofork", None),
        ("kate", "--block"),
        ("emacsclient -t", None),
        ("emacsclient -n", ""),
        ("xdg-open", ""),
        ("/opt/bin/codium", "--wait"),
    ],
)
def test_a_program_with_a_window_is_told_how_to_wait(command: str, waits_with: str | None) -> None:
    assert described(tuple(command.split())).waits_with == waits_with


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("20m", 1200), ("90s", 90), ("1h30m", 5400), ("2 hours", 7200), ("1 hour 5 minutes", 3900), ("10 min", 600)],
)
def test_a_span_of_time_is_understood(text: str, seconds: int) -> None:
    assert Span().convert(text, None, None) == seconds


@pytest.mark.parametrize("text", ["", "20", "m", "20x", "2 days", "0m", "-5m", "1h x"])
def test_what_is_no_span_of_time_is_refused(text: str) -> None:
    with pytest.raises(click.UsageError):
        Span().convert(text, None, None)
