"""The ways to a person in a scenario: a desktop that may not be there, and one that goes on when it is not."""

from __future__ import annotations

from typing import Any

from scenarios.language import Scenario, check_of
from support.daemon import Daemon
from support.receiver import Receiver
from support.until import until

FALLBACK = "fallback"


def wants_channels(scenario: Scenario) -> bool:
    """Some check asks through which channel a notice went."""
    checks = map(check_of, scenario["expect"])
    return any(name == "notice" and "through" in argument for name, argument in checks)


def config(receiver: Receiver) -> str:
    return (
        '\n[[channels]]\nname = "desktop"\nurl = "desktop"\n'
        f'\n[[channels]]\nname = "{FALLBACK}"\nurl = "webhook+http://localhost:{receiver.port}/"\n'
    )


def assert_went_through(name: str, receiver: Receiver, daemon: Daemon, notices: list[Any]) -> None:
    """Every alarm came there, and of the channel that nobody is at it is said."""
    assert name == FALLBACK, f"no channel {name}"
    alarms = {notice["seq"] for notice in notices if notice["severity"] == "alarm"}
    assert alarms, "there is no alarm to go through it"
    until(lambda: len(receiver.got) >= len(alarms), "an alarm at the other channel")
    channels = {each["name"]: each for each in daemon.status()["channels"]}
    assert channels["desktop"]["sent"] == 0
    until(lambda: {c["name"]: c for c in daemon.status()["channels"]}["desktop"]["error"], "why it is not shown")


def assert_not_held_up(most_ms: int, notices: list[Any], changes: list[Any]) -> None:
    """By the daemon's clock, from the verdict to the notice."""
    for notice in notices:
        before = [change["at_ns"] for change in changes if change["seq"] < notice["seq"]]
        assert not before or notice["at_ns"] - max(before) <= most_ms * 1_000_000
