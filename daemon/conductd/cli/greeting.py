"""What `conductd run` says once it is ready: what it guards, and the next thing to try. Pure."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from conductd import __version__
from conductd.cli.table import width
from conductd.engine.roots import Chosen
from conductd.model import Mode
from conductd.views import WorkspaceView, b64
from conductd.views.words import counted

_WHY = {
    "given": "named on the command line",
    "config": "named in the configuration",
    "found": "found",
    "decided": "as you decided earlier",
    "demo": "a demo",
}
_ROOM = 60


@dataclass(frozen=True)
class Place:
    """How to reach this daemon from another terminal.

    `program`: how the command line is called (it need not be on the PATH). `socket`: named in every command,
    None when it is where commands look by themselves. `home`: written as `~`.
    """

    program: str
    state_dir: str
    socket: str | None
    home: str

    def command(self, name: str) -> str:
        at = f" --socket {self.short(self.socket)}" if self.socket else ""
        return f"{self.short(self.program)} {name}{at}"

    def short(self, path: str) -> str:
        """A path for a shell, with `~` where that is the same."""
        inside = path.removeprefix(self.home.rstrip("/") + "/")
        if inside != path and shlex.quote(inside) == inside:
            return f"~/{inside}"
        return shlex.quote(path)


def greeting(roots: Sequence[Chosen], spaces: Sequence[WorkspaceView], place: Place) -> list[str]:
    """`spaces` are the workspaces of `roots` as the daemon sees them now."""
    lines = [f"conductd {__version__} is ready; every version is kept in {place.short(place.state_dir)}", ""]
    seen = {space.root_b64: space for space in spaces}
    rows = [_row(root, seen.get(b64(root.path)), place) for root in roots]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        padded = [cell + " " * (space - width(cell)) for cell, space in zip(row, widths, strict=True)]
        lines.append("  " + "  ".join(padded).rstrip())
    if any(root.why == "demo" for root in roots):
        return [*lines, *_demo(os.fsdecode(roots[0].path), place)]
    locked = {space.root_b64 for space in spaces if space.state.startswith("locked")}  # another daemon guards it
    found = [root for root in roots if root.mode is Mode.OBSERVE and root.why == "found"]
    found = [root for root in found if b64(root.path) not in locked]
    if found:
        lines += ["", "What is found is only observed: recorded, judged and told. To put back what is destroyed there:"]
        lines += [f"  {place.command('protect')} {place.short(os.fsdecode(root.path))}" for root in found]
        lines += ["The CLAUDE.md or AGENTS.md of a project is guarded once you protect its directory in the same way."]
    return [
        *lines,
        "",
        "In another terminal:",
        f"  {place.command('status')}     # is everything recorded and well?",
        f"  {place.command('watch')}      # follow what happens",
        f"  {place.command('incidents')}  # what was lost, put back or proposed",
        "Ctrl-C ends it; what changes meanwhile is found at the next start.",
    ]


def _row(root: Chosen, space: WorkspaceView | None, place: Place) -> tuple[str, str, str, str]:
    where = place.short(os.fsdecode(root.path))
    if space is None:
        return str(root.mode), where, "", _WHY[root.why]
    mode = "protecting" if space.mode == "protect" else "observing"
    # Another daemon's lock, or a root that is not there, is more to know than where the name came from.
    why = _WHY[root.why] if space.state == "ok" else space.state
    return mode, where, counted(space.files, "file"), why


def _demo(root: str, place: Place) -> list[str]:
    memory = place.short(os.path.join(root, "MEMORY.md"))
    tries = [
        (f"echo gone > {memory}", "what an agent's `write` does"),
        (f"sleep 1; head {memory}", "it is whole again"),
        (f"{place.command('log')} {memory}", "every version, and what was done"),
        (place.command("incidents --all"), "what was lost"),
        (place.command("undo"), "undo the repair; once more undoes that"),
    ]
    widest = max(len(command) for command, _ in tries)
    # Aligned while that leaves room for the words on a common terminal.
    room = widest if widest <= _ROOM else 0
    return [
        "",
        "No workspace was named or found, so this is a demo. In another terminal try:",
        *(f"  {command:<{room}}  # {why}" for command, why in tries),
        f"Your own notes: {place.short(place.program)} run --workspace DIR",
    ]
