"""The figures that the README and the events page give are the defaults."""

from __future__ import annotations

import pytest

from conductd.config import Config
from conductd.core.policy import Fights, Thresholds, Waits
from conductd.repair.late import LATE_LOOKS_MS

from .pages import read

README = read("README.md")
EVENTS = read("docs/events.md")
LIMITS, WAITS, FIGHTS = Thresholds(), Waits(), Fights()


def percent(share: float) -> str:
    return f"{share:.0%}".replace("%", " %")


def listed(numbers: list[int], last: str) -> str:
    return f"{', '.join(map(str, numbers[:-1]))}{last}{numbers[-1]}"


@pytest.mark.parametrize(
    "said",
    [
        f"At least {percent(LIMITS.overwrite_share)} of it is gone",
        f"{percent(LIMITS.shrink_share)} or more lost, or a whole section",
        f"A cut has {WAITS.cut_ms // 1000} s to be pasted",
        f"after {listed([ms // 1000 for ms in LATE_LOOKS_MS], ' and ')} s",
        f"more than {LATE_LOOKS_MS[-1] // 1000} s after it",
        f"for {listed(list(FIGHTS.backoff_minutes), ', then ')} minutes",
        f"after {FIGHTS.per_day} a day the daemon stands down",
        f"are looked at every {Config().poll_ms // 1000} s",
    ],
)
def test_the_readme_gives_the_default_figures(said: str) -> None:
    assert said in README


def test_the_readme_says_how_long_a_deletion_waits_and_when_it_is_meant() -> None:
    assert (WAITS.save_ms, LIMITS.deleted_again_ms) == (2000, 24 * 3_600_000)
    assert "Put back, two seconds later" in README
    assert "Deleted again within a day" in README


def test_the_events_page_gives_the_default_figures() -> None:
    assert f"at least {percent(LIMITS.overwrite_share)} lost" in EVENTS
    assert f"{percent(LIMITS.shrink_share)} or more lost" in EVENTS
