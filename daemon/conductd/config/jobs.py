"""``[jobs]`` and ``[workspaces.jobs]``: when the jobs of the night run, and what they may write.

Owns the keys and which of both tables holds for a workspace; what the times mean is `core.night.due`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

import msgspec

from conductd.config.lines import Place

NAMES = ("checkpoint", "continuity", "qc", "report", "recap")  # in the order of the night

_TIME = "([01]?[0-9]|2[0-3]):[0-5][0-9]"
Time = Annotated[str, msgspec.Meta(pattern=f"^(|{_TIME})$", description='a time of day as "23:15", or "" for off')]
Reset = Annotated[str, msgspec.Meta(pattern=f"^{_TIME}$", description='a time of day as "04:00"')]
Weekly = Annotated[
    str,
    msgspec.Meta(
        pattern=f"^(|(Mon|Tue|Wed|Thu|Fri|Sat|Sun) {_TIME})$",
        description='a weekday and a time as "Sun 22:15", or "" for off',
    ),
]
Writes = Literal["never", "daily-log", "all"]
Minutes = Annotated[int, msgspec.Meta(ge=1, le=180)]


class JobsConfig(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[jobs]``. Times are local ones of `timezone`."""

    enabled: bool = True
    timezone: str = ""  # IANA name; "": the system's, read again when it changes
    checkpoint: Time = "03:30"
    continuity: Time = "22:45"
    qc: Time = "23:15"
    report: Time = "23:20"
    recap: Weekly = "Sun 22:15"
    reset: Reset = "04:00"  # the agent's own: what is due before it belongs to the day that ends there
    write_into_workspace: Writes = "daily-log"
    limit_minutes: Minutes = 10  # a run
    qc_fix: bool = False
    quiet_when_clean: bool = False

    def time_of(self, job: str) -> str:
        """When a job runs, as written; "": it is off."""
        return str(getattr(self, job, "")) if self.enabled else ""


class WorkspaceJobs(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``[workspaces.jobs]``: the same for one workspace. None: as ``[jobs]`` says."""

    enabled: bool | None = None
    timezone: str | None = None
    checkpoint: Time | None = None
    continuity: Time | None = None
    qc: Time | None = None
    report: Time | None = None
    recap: Weekly | None = None
    reset: Reset | None = None
    write_into_workspace: Writes | None = None
    limit_minutes: Minutes | None = None
    qc_fix: bool | None = None
    quiet_when_clean: bool | None = None

    def over(self, general: JobsConfig) -> JobsConfig:
        """What holds for the workspace."""
        own = {name: value for name, value in msgspec.structs.asdict(self).items() if value is not None}
        return msgspec.structs.replace(general, **own)


def zone_faults(place: Place, name: str | None) -> Iterator[tuple[Place, str]]:
    """Time zones that there are not."""
    if not name:
        return
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # a directory of zones is no zone
        yield place, f'there is no time zone "{name[:60]}": a name as "Europe/Berlin" is needed'
