"""What forbids to write a file as part of a set, whoever asks: `rotate`, `doctor --fix`, and the undo of either.

A repair asks less, for it only puts back what was lost. Any thread.
"""

from __future__ import annotations

from conductd.core.provenance import is_gated
from conductd.engine.fold.state import State
from conductd.engine.workspaces import Workspaces
from conductd.errors import Busy, ConductdError, Refused
from conductd.model import Mode
from conductd.views import shown
from conductd.views.words import pasted


def obstacle(state: State, workspaces: Workspaces, workspace: str, path: bytes, wall_ns: int) -> ConductdError | None:
    """None: nothing of the kind. Also for a path that nothing is known of."""
    handle, name = workspaces.handle(workspace), shown(path)
    if handle is None or handle.fd is None:
        return Refused(f"{name} is not written: the workspace is not there", "conductd status")
    if handle.locked_by:
        return Refused(f"the workspace is written by {handle.locked_by}", "ask that daemon")
    if workspaces.mode_at(workspace, path) is Mode.OBSERVE:
        root = shown(handle.root)
        return Refused(f"{name} is only observed: nothing is written there", pasted("conductd", "protect", root))
    with state.lock:
        file = state.track(workspace, path)
        lease = state.decided.lease(workspace, path, wall_ns)
    if file is not None and file.stood_down:
        return Refused(f"{name} is not written: conductd stands down from it", "conductd incidents")
    if lease is not None:
        return Refused(f"{name} is not written: a lease of it stands", "conductd lease --end FILE, or wait for its end")
    git = workspaces.git(workspace)
    if git.index_lock or git.merge_head:
        return Busy("git is at work in the workspace: nothing is written", "finish what git began, then try again")
    return None


def hides(workspaces: Workspaces, workspace: str, path: bytes, digest: bytes | None) -> ConductdError | None:
    """Why OpenClaw would hide the file from its agent after a write of these bytes; None: no record, or accepted."""
    record = workspaces.provenance(workspace, path) if digest is not None and is_gated(path) else None
    if record is None or record.digest == digest or workspaces.config.provenance == "repair":
        return None
    return Refused(
        f"OpenClaw keeps a record of who wrote {shown(path)}: after a write from outside, its agent's next one makes "
        f"the file vanish from the prompt for good",
        'let the agent write it itself; or accept that: provenance = "repair" in the config',
    )
