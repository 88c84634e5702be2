"""Whether a job of the night may write a text into the workspace. Pure."""

from __future__ import annotations

from enum import StrEnum

from conductd.model import Mode


class Placement(StrEnum):
    """What kind of text it is: an addition to the day's log, or a file of its own."""

    DAILY_LOG = "daily-log"
    OTHER = "other"


def placement(write_into: str, mode: Mode, kind: Placement, *, observes: bool) -> str:
    """Why not, one phrase; "" when it may. ``write_into``: "never" | "daily-log" | "all"."""
    if observes or mode is Mode.OBSERVE:
        return "the workspace is only observed"
    if write_into == "all" or (write_into == "daily-log" and kind is Placement.DAILY_LOG):
        return ""
    return f'write_into_workspace is "{write_into}"'
