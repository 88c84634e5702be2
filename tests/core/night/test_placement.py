"""Which texts of the night may stand in a workspace."""

from __future__ import annotations

import pytest

from conductd.core.night.placement import Placement, placement
from conductd.model import Mode


@pytest.mark.parametrize(
    ("write_into", "log", "other"),
    [("never", False, False), ("daily-log", True, False), ("all", True, True)],
)
def test_as_the_configuration_says(write_into: str, log: bool, other: bool) -> None:
    assert (not placement(write_into, Mode.PROTECT, Placement.DAILY_LOG, observes=False)) is log
    assert (not placement(write_into, Mode.PROTECT, Placement.OTHER, observes=False)) is other


@pytest.mark.parametrize("write_into", ["never", "daily-log", "all"])
@pytest.mark.parametrize("kind", list(Placement))
def test_who_only_observes_writes_nothing(write_into: str, kind: Placement) -> None:
    assert "observed" in placement(write_into, Mode.OBSERVE, kind, observes=False)
    assert "observed" in placement(write_into, Mode.PROTECT, kind, observes=True)
