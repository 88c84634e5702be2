"""Living editors and agents near a file, from real processes."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from conductd.watch.editor_programs import Hosts, editor_program
from conductd.watch.editors import (
    Around,
    Editor,
    Tie,
    around,
    has_open,
    is_a_persons,
    is_swap_of,
    names,
    processes,
    swap_owner,
)
from support import editors

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are read from /proc")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    directory = (tmp_path / "ws").resolve()
    (directory / "memory").mkdir(parents=True)
    (directory / "MEMORY.md").write_text("x\n")
    return directory


def look(root: Path) -> Around:
    return around(os.fsencode(root), b"MEMORY.md", processes().known)


@pytest.mark.parametrize(
    ("words", "directory", "tie"),
    [
        (("MEMORY.md",), "", Tie.ARGUMENT),
        (("../MEMORY.md",), "memory", Tie.ARGUMENT),
        (("+12", "./MEMORY.md"), "", Tie.ARGUMENT),
        ((), "", Tie.DIRECTORY),
        (("memory/other.md",), "", Tie.DIRECTORY),
    ],
)
def test_how_an_editor_is_tied_to_a_file(root: Path, words: tuple[str, ...], directory: str, tie: Tie) -> None:
    with editors.running("nano", *words, directory=root / directory) as pid:
        (found,) = look(root).editors
    assert (found.pid, found.editor, found.tie, found.leaves_traces) == (pid, "nano", tie, False)


def test_an_editor_elsewhere_is_none_of_ours(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with editors.running("nano", "MEMORY.md", directory=other):
        assert look(root).editors == ()


def test_a_swap_file_that_is_open_is_the_strongest_tie(root: Path, tmp_path: Path) -> None:
    swaps = tmp_path / "swap"
    swaps.mkdir()
    far = swaps / (str(root / "MEMORY.md").replace("/", "%") + ".swp")
    with (
        editors.running("nvim", directory=tmp_path, holds=[far]) as pid,
        editors.running("nano", "MEMORY.md", directory=root),
    ):
        found = look(root).editors
        assert [(each.editor, each.tie) for each in found] == [("neovim", Tie.SWAP), ("nano", Tie.ARGUMENT)]
        assert has_open(pid, os.fsencode(far))
        assert not names(pid, os.fsencode(root / "MEMORY.md"))


def test_a_pipe_in_the_place_of_a_swap_file_holds_nobody_up(root: Path) -> None:
    swap = root / ".MEMORY.md.swp"
    os.mkfifo(swap)
    fd = os.open(swap, os.O_RDWR)
    try:
        with editors.running("vim", directory=root, holds=[swap]):
            (found,) = look(root).editors
    finally:
        os.close(fd)
    assert (found.tie, found.just_saved) == (Tie.SWAP, False)


def test_a_later_look_adds_and_raises_and_takes_nothing_back() -> None:
    nano, vim = Editor(7, "nano", Hosts.NO, Tie.ARGUMENT), Editor(8, "vim", Hosts.NO, Tie.OPEN, True)
    first = Around((nano,), ((9, "claude"),))
    assert first.joined(Around()) == first
    assert Around().joined(first) == first
    saved = Editor(8, "vim", Hosts.NO, Tie.SWAP, True, True)
    assert Around((vim,)).joined(Around((saved, nano))).editors == (saved, nano)
    assert Around((saved,)).joined(Around((vim,))).editors == (saved,)


def test_a_look_right_after_another_knows_who_came_and_who_went(root: Path) -> None:
    with editors.running("nano", "MEMORY.md", directory=root) as pid:
        before = processes()
        with editors.running("micro", "MEMORY.md", directory=root) as later:
            both = processes(before)
        gone = processes(both)
    near = {each.pid for each in both.known}
    assert {pid, later} <= near
    assert later not in {each.pid for each in gone.known}
    assert pid in {each.pid for each in gone.known}


def test_an_agent_near_the_workspace_is_told_and_what_it_starts_is_no_persons(root: Path, tmp_path: Path) -> None:
    starts = (
        "import os, sys, time\n"
        "pid = os.fork()\n"
        "if pid == 0: os.execv(sys.executable, ['nano', '-IS', '-c', 'import time; time.sleep(900)', 'MEMORY.md'])\n"
        "open(sys.argv[1], 'w').write(str(pid)); time.sleep(900)\n"
    )
    told = tmp_path / "pid"
    with editors.running("claude", told, directory=root, does=starts) as agent:
        child = editors.pid_told_in(told)
        try:
            seen = look(root)
            assert (agent, "claude") in seen.agents
            assert child not in [each.pid for each in seen.editors]
            assert not is_a_persons(child)
            assert swap_owner(child, socket.gethostname()) is None
        finally:
            editors.end(child)


def test_a_process_with_neither_terminal_nor_display_is_nobodys_editor(root: Path) -> None:
    with editors.running("gedit", "MEMORY.md", directory=root, display=":0") as shown:
        assert is_a_persons(shown)
        owner = swap_owner(shown, socket.gethostname())
        assert owner is not None
        assert owner[1].editor == "gedit"
        assert swap_owner(shown, "another.example") is None
    assert swap_owner(shown, socket.gethostname()) is None
    assert not is_a_persons(1)


@pytest.mark.parametrize(
    ("program", "editor", "hosts"),
    [
        ("vim.basic", "vim", Hosts.NO),
        ("vim.gtk3", "vim", Hosts.NO),
        ("nvim", "neovim", Hosts.NO),
        ("emacs-29.1", "emacs", Hosts.NO),
        ("code-insiders", "vscode", Hosts.MAY),
        ("idea64", "jetbrains", Hosts.MAY),
        ("cursor", "cursor", Hosts.DOES),
        ("hx", "helix", Hosts.NO),
    ],
)
def test_programs_by_their_variants(program: str, editor: str, hosts: Hosts) -> None:
    found = editor_program(program)
    assert found is not None
    assert (found.editor, found.hosts) == (editor, hosts)


@pytest.mark.parametrize(
    "program", ["", "bash", "python3 vim.py", "less", "codex", "claude", "cat", "git", "sed", "ed"]
)
def test_other_programs_are_no_editors(program: str) -> None:
    assert editor_program(program) is None


def test_names_of_swap_files() -> None:
    assert is_swap_of(b"/ws/.MEMORY.md.swp", b"/ws/MEMORY.md")
    assert is_swap_of(b"/ws/.MEMORY.md.swo", b"/ws/MEMORY.md")
    assert is_swap_of(b"/home/pat/.local/state/nvim/swap/%ws%MEMORY.md.swp", b"/ws/MEMORY.md")
    assert not is_swap_of(b"/ws/memory/.MEMORY.md.swp", b"/ws/MEMORY.md")
    assert not is_swap_of(b"/ws/MEMORY.md", b"/ws/MEMORY.md")
