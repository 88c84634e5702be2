"""conductd's own configuration, and what it leaves unprotected. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from conductd.core.doctor.facts import Configured, Protected
from conductd.core.doctor.finding import Check, Seen, fail, ok, unknown, warn
from conductd.views.words import pasted


def _faults(config: Configured) -> Iterator[Seen]:
    if not config.exists and not config.faults:
        yield ok("there is no configuration file: the defaults hold")
    for each in config.faults or ():
        yield fail(
            f"{config.path}: {each}", "correct it; conductd's documentation of the configuration lists every key"
        )


def _roots(config: Configured) -> Iterator[Seen]:
    seen: set[str] = set()
    for each in config.roots or ():
        if not each.exists:
            yield fail(f"the workspace {each.root} of the configuration is not there", "correct its root, or make it")
        elif not each.is_directory:
            yield fail(f"the workspace {each.root} of the configuration is no directory", "name the directory itself")
        elif each.known is False:
            yield warn(f"the workspace {each.root} of the configuration is not watched", "restart the daemon")
        if each.root in seen:
            yield fail(f"the workspace {each.root} is configured twice", "keep one of the two tables")
        for other in each.shared if each.root not in seen else ():
            yield fail(
                f"the workspaces {each.root} and {other} have files in common: each has two histories",
                "keep the outer one, with `extra` for what it lacks, or narrow its `extra`",
            )
        seen.add(each.root)


def _weak(config: Configured) -> Iterator[Seen]:
    for key, said, better in config.weak or ():
        yield warn(f"{key}: {said}", better)


def _channels(config: Configured) -> Iterator[Seen]:
    for each in config.channels or ():
        if each.unusable:
            yield fail(
                f"the channel {each.name} cannot be used: {each.unusable}",
                "correct its url; conductd help --page notify",
            )
        elif each.lacks:
            yield unknown(f"whether the channel {each.name} can be used is not known here: {each.lacks}", _TEST)
    if config.channels == ():
        yield ok("no channel is configured: notices reach nobody who does not ask")


_TEST = "set it here as the service has it, then: conductd notify test"


def _unprotected(protected: Protected) -> Iterator[Seen]:
    for each in protected.found or ():
        where = each.root.decode("utf-8", "replace")
        if not protected.known:
            yield unknown(f"whether {where} ({each.why}) is protected is not known: no daemon answers", "conductd run")
        elif not each.mode:
            yield warn(f"{where} is not watched: {each.why}", _protect(where))
        elif each.mode != "protect":
            yield warn(f"{where} is only observed: {each.why}", _protect(where))
    for name in protected.homeless:
        yield unknown(
            f"{name} is installed, and no memory of it was found here", "name its directory: conductd protect DIR"
        )
    if protected.found == () and not protected.homeless:
        yield ok("no agent's memory was found on this machine")


def _protect(where: str) -> str:
    return pasted("conductd", "protect", where)


CHECKS: tuple[Check[Configured], ...] = (
    Check(
        "config",
        "whether the configuration file can be read and holds no fault",
        "With a fault a daemon does not start, and every command falls back to defaults.",
        "the configuration has no fault",
        _faults,
        ("faults",),
    ),
    Check(
        "config_workspaces",
        "the workspaces that the configuration names: missing, twice, with files in common, not watched",
        "A workspace that is named wrongly is not guarded.",
        "every configured workspace is there",
        _roots,
        ("roots",),
    ),
    Check(
        "config_weak",
        "keys of the configuration that protect less than the defaults",
        "An agent can write the configuration, too: a weak setting may be nobody's wish.",
        "the configuration protects no less than the defaults",
        _weak,
        ("weak",),
    ),
    Check(
        "channels",
        "channels for notices whose URL leads to no service",
        "A notice that cannot be sent reaches nobody.",
        "every channel leads to a service that is known; conductd notify test tries them",
        _channels,
        ("channels",),
    ),
)

PROTECTED: tuple[Check[Protected], ...] = (
    Check(
        "unprotected",
        "memory of agents on this machine that is not watched, or only observed; installed agents without any",
        "What is not protected is not put back when it is destroyed.",
        "every memory that was found is protected",
        _unprotected,
        ("found",),
    ),
)
