"""How the daemon is, in the one line that `systemctl status` shows. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conductd.views.words import counted

if TYPE_CHECKING:
    from conductd.views import StatusView

REASONS = 3


def status_line(status: StatusView) -> str:
    """What is protected, what waits for a person, why it is degraded: names files and counts, nothing else."""
    parts = [f"{counted(len(status.workspaces), 'workspace')}, {counted(status.files, 'file')}"]
    if status.open_incidents:
        parts.append(counted(status.open_incidents, "open incident"))
    if status.requests:
        parts.append(f"{counted(status.requests, 'request')} to confirm")
    if status.degraded:
        named = [each.message for each in status.degraded[:REASONS]]
        more = len(status.degraded) - len(named)
        parts.append("degraded: " + "; ".join(named) + (f"; and {more} more" if more else ""))
    return "; ".join(parts)
