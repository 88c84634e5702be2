"""``[jobs]`` and ``[workspaces.jobs]``: what holds for which workspace, and which times and zones there are."""

from __future__ import annotations

import pytest

from conductd.config.jobs import NAMES, JobsConfig
from conductd.config.load import parse
from conductd.errors import ConfigError


def test_a_workspace_takes_what_it_does_not_say_from_the_general_table() -> None:
    config = parse(
        '[jobs]\nqc = "21:00"\nrecap = ""\n'
        '[[workspaces]]\nroot = "/srv/a"\njobs = { report = "", timezone = "Asia/Kolkata" }\n'
        '[[workspaces]]\nroot = "/srv/b"\n'
    )
    one, other = config.jobs_of(b"/srv/a"), config.jobs_of(b"/srv/b")
    assert (one.qc, one.report, one.timezone, one.checkpoint) == ("21:00", "", "Asia/Kolkata", "03:30")
    assert other == config.jobs == config.jobs_of(b"/srv/found")
    assert (other.report, other.recap) == ("23:20", "")


def test_nothing_is_due_where_they_are_switched_off() -> None:
    assert [JobsConfig().time_of(name) for name in NAMES] == ["03:30", "22:45", "23:15", "23:20", "Sun 22:15"]
    assert not any(JobsConfig(enabled=False).time_of(name) for name in NAMES)
    assert JobsConfig().time_of("another") == ""


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("timezone", zone) for zone in ("Mars/Olympus", "America", "../../etc/passwd", "/etc/localtime")),
        *(("qc", time) for time in ("24:00", "7", "Sun 23:15", "23:15:00")),
        *(("recap", time) for time in ("22:15", "Sunday 22:15", "sun 22:15", "Sun")),
        *(("reset", time) for time in ("", "25:00")),
    ],
)
def test_what_is_no_time_or_zone_is_a_fault(key: str, value: str) -> None:
    for text in (f'jobs.{key} = "{value}"', f'[[workspaces]]\nroot = "/srv/a"\njobs.{key} = "{value}"'):
        with pytest.raises(ConfigError) as caught:
            parse(text)
        (fault,) = caught.value.faults
        assert f"jobs.{key}" in fault
