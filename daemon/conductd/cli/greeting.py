"""What `conductd run` says once it is ready: what it guards, and the next thing to try. Pure."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence

from conductd.engine.roots import Chosen
from conductd.model import Mode


def greeting(roots: Sequence[Chosen], state_dir: str, socket: str, own_place: bool, program: str) -> list[str]:
    """`own_place`: the daemon was given a state directory or socket, so commands must name it too.
    `program`: how the command line is called here (it need not be on the PATH)."""
    at = f" --socket {shlex.quote(socket)}" if own_place else ""
    lines = [f"conductd is ready; history in {state_dir}"]
    for root in roots:
        what = "protecting" if root.mode is Mode.PROTECT else "observing"
        lines.append(f"  {what} {os.fsdecode(root.path)} ({root.profile}, {root.why})")
    observed = [root for root in roots if root.mode is Mode.OBSERVE]
    if observed and all(root.why == "found" for root in observed):
        lines.append("Found workspaces are only observed. To let conductd put back what is destroyed:")
        lines += [f"  {program} protect{at} {shlex.quote(os.fsdecode(root.path))}" for root in observed]
    if any(root.why == "demo" for root in roots):
        lines += _demo(os.fsdecode(roots[0].path), at, program)
    else:
        lines.append(f"In another terminal: {program} status{at}")
    return lines


def _demo(root: str, at: str, program: str) -> list[str]:
    memory = shlex.quote(os.path.join(root, "MEMORY.md"))
    return [
        "No workspace was given or found, so this is a demo. In another terminal try:",
        f"  echo gone > {memory}        # what an agent's `write` does",
        f"  sleep 1; head {memory}      # it is whole again",
        f"  {program} log{at} {memory}",
        f"  {program} incidents{at}",
        f"  {program} undo{at}           # and once more to undo that",
        "Your own notes: make run WORKSPACE=/path/to/workspace",
    ]
