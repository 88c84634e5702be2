"""Draws docs/picture.svg: what a person sees of a real daemon that puts a destroyed file back.

    .venv/bin/python scripts/picture.py [OUT.svg]

Starts `conductd run` on a workspace in a temporary home, plays the commands below one after the
other in a pseudo-terminal, waits between them for what the daemon does, and draws what the terminal
showed. No output is written by hand; only the temporary home is shown as `~`. Standard library only.
tests/docs/test_picture.py plays it again and compares.
"""

from __future__ import annotations

import html
import json
import os
import pty
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from conductd.agents.demo import create

ROOT = Path(__file__).resolve().parents[1]
PATIENCE_S = 60.0
PROMPT = "~/notes $ "

# What is typed; `{incident}` is the number the daemon gave.
DESTROY = "echo '- (new entry)' > MEMORY.md     # an agent's `write` where an `edit` was meant"
AFTERWARDS = (
    "wc -c MEMORY.md                      # a moment later",
    "conductd log MEMORY.md",
    "conductd explain {incident} | head -n 11",
    "conductd undo",
    "cat MEMORY.md",
    "conductd undo",
)


@dataclass(frozen=True)
class Run:
    """Characters in one look."""

    text: str
    colour: str
    bold: bool = False


Line = tuple[Run, ...]

# ------------------------------------------------------------------ playing


@contextmanager
def daemon(home: Path, workspace: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """A real one, on one workspace; yields its log."""
    log = home / "daemon.log"
    command = [sys.executable, "-m", "conductd", "run", "--workspace", str(workspace)]
    with open(log, "wb") as output:
        process = subprocess.Popen(command, env=dict(environment), cwd=home, stdout=output, stderr=output)
    try:
        wait_for(lambda: b" is ready" in log.read_bytes(), "the daemon is ready", log)
        yield log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_S)


def wait_for(condition: Callable[[], bool], what: str, log: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited in vain until {what}:\n{log.read_text()}")
        time.sleep(0.02)


def in_terminal(command: str, environment: Mapping[str, str], directory: Path) -> str:
    """What the command shows on a terminal, colours included."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        ["bash", "-c", command], env=dict(environment), cwd=directory, stdin=follower, stdout=follower, stderr=follower
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            chunk = os.read(leader, 65536)
        except OSError:  # EIO: the last holder of the terminal has gone
            break
        if not chunk:
            break
        shown += chunk
    os.close(leader)
    if process.wait(PATIENCE_S) != 0:
        raise SystemExit(f"{command} failed:\n{shown.decode()}")
    return shown.decode().replace("\r\n", "\n")


def play() -> list[tuple[str, str]]:
    """Each command of the session with what it showed."""
    with tempfile.TemporaryDirectory(prefix="conductd-picture-") as directory:
        home = Path(directory).resolve()
        notes, programs = home / "notes", home / "bin"
        programs.mkdir()
        (programs / "conductd").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m conductd "$@"\n')
        (programs / "conductd").chmod(0o755)
        create(str(notes), date(2026, 3, 8))
        environment = {
            "HOME": str(home),
            "PATH": f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
            "PYTHONPATH": str(ROOT / "daemon"),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
        }
        memory = notes / "MEMORY.md"
        whole = memory.read_bytes()
        played: list[tuple[str, str]] = []

        def type_in(command: str) -> None:
            shown = in_terminal(command, environment, notes)
            played.append((command, shown.replace(str(home), "~")))

        with daemon(home, notes, environment) as log:
            type_in("wc -c MEMORY.md")
            type_in(DESTROY)
            wait_for(lambda: memory.read_bytes() == whole and incidents(environment), "the file is whole again", log)
            incident = incidents(environment)[0]["id"]
            for command in AFTERWARDS:
                type_in(command.format(incident=incident))
        return played


def incidents(environment: Mapping[str, str]) -> list[dict[str, object]]:
    """Those that are over: their answer is given."""
    command = [sys.executable, "-m", "conductd", "incidents", "--all", "--json"]
    told = subprocess.run(command, env=dict(environment), capture_output=True, check=True).stdout
    return [one for one in json.loads(told) if one["state"] == "resolved"]


# ------------------------------------------------------------------ drawing

_CHARACTER, _LINE, _PADDING, _BAR = 8.4, 20, 20, 36
_FONT = "ui-monospace, SFMono-Regular, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
# On a card of its own with a rim, so that it reads the same on a light and on a dark page.
_CARD, _RIM, _TEXT, _PROMPT, _COMMENT = "#161b22", "#3d444d", "#d1d7e0", "#3fb950", "#9198a1"
_COLOURS = {"31": "#ff7b72", "32": "#3fb950", "33": "#e3b341", "34": "#79c0ff", "2": "#9198a1"}
_SGR = re.compile(r"\x1b\[([0-9;]*)m")


def lines_of(played: Sequence[tuple[str, str]]) -> list[Line]:
    lines: list[Line] = []
    for command, shown in played:
        typed, mark, comment = command.partition("#")
        lines.append((Run(PROMPT, _PROMPT), Run(typed, _TEXT, bold=True), Run(mark + comment, _COMMENT)))
        lines += [painted(line) for line in shown.removesuffix("\n").split("\n") if shown]
        lines.append(())
    return lines[:-1]


def painted(line: str) -> Line:
    """The escape sequences of one line as colours."""
    runs, colour, bold, at = [], _TEXT, False, 0
    for escape in _SGR.finditer(line):
        runs.append(Run(line[at : escape.start()], colour, bold))
        code, at = escape.group(1), escape.end()
        colour, bold = _COLOURS.get(code, _TEXT), code == "1"
    return (*runs, Run(line[at:], colour, bold))


def draw(lines: Sequence[Line]) -> str:
    columns = max(sum(len(run.text) for run in line) for line in lines)
    width = round(columns * _CHARACTER + 2 * _PADDING)
    height = _BAR + len(lines) * _LINE + _PADDING
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="A terminal: a destroyed MEMORY.md is whole again a moment later">',
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="10" fill="{_CARD}" stroke="{_RIM}"/>',
        *(f'<circle cx="{22 + 20 * i}" cy="18" r="6" fill="{_RIM}"/>' for i in range(3)),
        f'<g font-family="{_FONT}" font-size="14" xml:space="preserve">',
    ]
    for number, line in enumerate(lines):
        column, y = 0, _BAR + number * _LINE + 14
        for run in line:
            out += [text(run, column, y)] if run.text.strip() else []
            column += len(run.text)
    return "\n".join([*out, "</g>", "</svg>"]) + "\n"


def text(run: Run, column: int, y: int) -> str:
    """Each run starts in its column and has its length, whatever font there is."""
    start = column + len(run.text) - len(run.text.lstrip())
    shown = run.text.strip()
    weight = ' font-weight="600"' if run.bold else ""
    return (
        f'<text x="{_PADDING + start * _CHARACTER:.1f}" y="{y}" textLength="{len(shown) * _CHARACTER:.1f}" '
        f'lengthAdjust="spacingAndGlyphs" fill="{run.colour}"{weight}>{html.escape(shown, quote=False)}</text>'
    )


def main(arguments: Sequence[str]) -> int:
    out = Path(arguments[0]) if arguments else ROOT / "docs" / "picture.svg"
    out.write_text(draw(lines_of(play())), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
