"""What a new user meets first: names, modes, and commands that work where they are pasted."""

from __future__ import annotations

import os
import shlex
import subprocess
from pathlib import Path

from conductd.cli.greeting import Place, greeting
from conductd.engine.roots import Chosen
from conductd.model import Mode
from conductd.views import WorkspaceView, b64, shown

HERE = Place("conductd", "/home/x/.local/state/conductd", None, "/home/x")


def space(root: bytes, mode: str = "protect", state: str = "ok", files: int = 3) -> WorkspaceView:
    return WorkspaceView(
        id="0" * 32,
        root=shown(root),
        root_b64=b64(root),
        mode=mode,
        profile="generic",
        state=state,
        watched="events",
        files=files,
        versions=files,
        open_incidents=0,
        last_change_ns=None,
    )


def test_each_workspace_is_named_with_what_is_done_there() -> None:
    roots = [Chosen(b"/home/x/notes", Mode.PROTECT, "generic", "given"), Chosen(b"/srv/m", Mode.OBSERVE, "g", "config")]
    lines = greeting(roots, [space(b"/home/x/notes"), space(b"/srv/m", "observe", files=1)], HERE)
    assert lines[0].endswith("is ready; every version is kept in ~/.local/state/conductd")
    assert "  protecting  ~/notes  3 files  named on the command line" in lines
    assert "  observing   /srv/m   1 file   named in the configuration" in lines


def test_a_workspace_that_another_daemon_protects_is_not_called_protected() -> None:
    roots = [Chosen(b"/w", Mode.PROTECT, "generic", "given")]
    lines = greeting(roots, [space(b"/w", "observe", "locked by process 7 (conductd)")], HERE)
    assert "  observing  /w  3 files  locked by process 7 (conductd)" in lines


def test_what_is_found_comes_with_the_one_command_that_turns_protection_on() -> None:
    roots = [Chosen(b"/home/x/my notes", Mode.OBSERVE, "openclaw", "found")]
    lines = greeting(roots, [space(b"/home/x/my notes", "observe")], HERE)
    assert "  conductd protect '/home/x/my notes'" in lines


def test_what_the_command_line_said_to_observe_is_not_asked_about() -> None:
    roots = [Chosen(b"/w", Mode.OBSERVE, "generic", "given")]
    assert not [line for line in greeting(roots, [space(b"/w", "observe")], HERE) if "protect " in line]


def test_commands_name_a_socket_that_is_not_where_they_look() -> None:
    place = Place("/opt/c d/conductd", "/s", "/s/conductd.sock", "/home/x")
    roots = [Chosen(b"/w", Mode.PROTECT, "generic", "given")]
    status = next(line for line in greeting(roots, [space(b"/w")], place) if " status " in line)
    assert shlex.split(status, comments=True) == ["/opt/c d/conductd", "status", "--socket", "/s/conductd.sock"]


def test_a_path_is_short_only_where_a_shell_reads_it_the_same(tmp_path: Path) -> None:
    home = str(tmp_path)
    place = Place("conductd", "/s", None, home)
    for name in ("notes", "my notes", "it's", "$HOME", "deep/er", "", "~x"):
        path = os.path.join(home, name).rstrip("/")
        said = subprocess.run(
            ["sh", "-c", f"printf %s {place.short(path)}"], env={"HOME": home}, capture_output=True, check=True
        )
        assert os.fsdecode(said.stdout) == path
    assert place.short(f"{home}/notes") == "~/notes"


def test_the_demo_says_what_to_try() -> None:
    root = b"/home/x/.local/state/conductd-demo"
    lines = greeting([Chosen(root, Mode.PROTECT, "generic", "demo")], [space(root)], HERE)
    tries = [line for line in lines if "#" in line]
    assert tries[0].startswith("  echo gone > ~/.local/state/conductd-demo/MEMORY.md")
    assert len({line.index("  #") for line in tries}) == 1
    assert any(line.startswith("  conductd undo ") for line in tries)
