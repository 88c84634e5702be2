"""Whether the daemon runs, is of our release, and is well. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import Running
from conductd.core.doctor.finding import Check, Seen, fail, warn


def _daemon(running: Running) -> Iterator[Seen]:
    if running.answers:
        if running.observing:
            yield warn("the daemon runs with --observe: it records and tells, and puts nothing back", "conductd run")
    elif running.holder:
        yield fail(
            f"process {running.holder} holds the state directory, but nobody answers on the socket",
            "name its socket with --socket, or restart it",
        )
    else:
        yield fail(running.why_not or "no daemon answers: nothing is recorded and nothing is put back", "conductd run")


def _version(running: Running) -> Iterator[Seen]:
    if (running.version, running.api) == (running.own_version, running.own_api):
        return
    yield warn(
        f"the daemon is version {running.version} (API {running.api}), this command is {running.own_version} "
        f"(API {running.own_api})",
        "restart the daemon",
    )


def _health(running: Running) -> Iterator[Seen]:
    for each in running.degraded or ():
        told = fail if each.reason in _GRAVE else warn
        yield told(f"{each.reason}: {each.message}", each.hint or "conductd status")


_GRAVE = frozenset({"store", "store_damage", "recorder", "judge", "intake", "stood_down"})


CHECKS: tuple[Check[Running], ...] = (
    Check(
        "daemon",
        "whether a daemon answers on the socket",
        "What is written while no daemon runs is seen only at its next start, and only as it stands then.",
        "the daemon runs",
        _daemon,
        ("answers",),
    ),
    Check(
        "daemon_version",
        "whether the daemon and this command are of one release",
        "A daemon of another release may know less, or say it in other words.",
        "the daemon and this command are of one release",
        _version,
        ("version", "api"),
        lambda running: running.answers is not False,
    ),
    Check(
        "daemon_health",
        "what the daemon says is degraded",
        "A degraded daemon sees, keeps or mends less than it promises.",
        "nothing is degraded",
        _health,
        ("degraded",),
    ),
)
