"""All facts at once, from what the daemon (or the journal) said and what stands on the machine. Read-only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from conductd.agents import loading
from conductd.agents.discover import find
from conductd.agents.profiles import Profile, known_profiles, profile_named
from conductd.agents.profiles.profile import covers
from conductd.agents.recognised import recognised
from conductd.config import Config
from conductd.core.doctor.facts import (
    Configured,
    ConfiguredChannel,
    ConfiguredRoot,
    Facts,
    Found,
    Protected,
    Running,
    Workspace,
)
from conductd.core.load.chains import Chain
from conductd.core.load.openclaw_versions import Session
from conductd.doctor import machine
from conductd.doctor.places import Known, Wanted, workspace_facts
from conductd.model import Frozen
from conductd.notify.notifier import Route
from conductd.notify.routes import routes
from conductd.notify.sending import check
from conductd.watch.watched import leaves

OWN = 2  # watches that a daemon takes beside those of its workspaces


class Asked(Frozen, frozen=True):
    """What is known before anything is looked at. ``known``: by root, of the workspaces that the daemon, else the
    journal, has; None when neither could be asked. ``config`` None: it has faults. ``roots``: those to look at."""

    running: Running
    state_dir: str
    socket: bytes
    config_path: str
    config: Config | None
    faults: tuple[str, ...]
    weak: tuple[tuple[str, str, str], ...] | None
    known: dict[bytes, Known] | None
    roots: tuple[bytes, ...]
    wanted: Wanted = Wanted()


def gather(asked: Asked, env: Mapping[str, str], home: str, now_ns: int) -> Facts:
    """Raises UsageError for an agent that nobody knows."""
    chains = tuple(each.chain() for each in asked.config.agents) if asked.config is not None else ()
    workspaces = tuple(
        workspace_facts(root, env, home, now_ns, _known(asked, root), _wanted(asked, root), chains)
        for root in asked.roots
    )
    every = {*asked.roots, *(asked.known or {}), *(_configured_roots(asked.config))}
    return Facts(
        asked.running,
        machine.store(asked.state_dir, asked.socket, asked.config_path, sorted(every)),
        machine.clock(asked.state_dir, env, now_ns),
        machine.watches(_needed(workspaces), bool(asked.running.answers)),
        _configured(asked, env, chains),
        _protected(asked, workspaces, env, home, chains),
        workspaces,
    )


def _known(asked: Asked, root: bytes) -> Known:
    if asked.known is None:
        return Known()
    found = asked.known.get(root)
    return found if found is not None else Known(is_known=False)


def _wanted(asked: Asked, root: bytes) -> Wanted:
    table = asked.config.workspace(root) if asked.config is not None else None
    if table is None:
        return asked.wanted
    if asked.wanted.agents:
        return Wanted(asked.wanted.agents, asked.wanted.version, Session(table.session))
    return Wanted(table.agents, asked.wanted.version or table.agent_version, Session(table.session))


def _needed(workspaces: Iterable[Workspace]) -> int | None:
    counts = [each.directories for each in workspaces if each.exists]
    return None if any(each is None for each in counts) else OWN + sum(each or 0 for each in counts)


def _configured(asked: Asked, env: Mapping[str, str], chains: tuple[Chain, ...]) -> Configured:
    config = asked.config
    roots = None
    if config is not None:
        shared = _shared(config, asked.known or {}, env, chains)
        roots = tuple(_root(table.root, asked.known, shared[table.root]) for table in config.workspaces)
    channels = tuple(map(_channel, routes(config, env))) if config is not None else None
    return Configured(asked.config_path, os.path.lexists(asked.config_path), asked.faults, roots, asked.weak, channels)


def _channel(route: Route) -> ConfiguredChannel:
    """Without a network."""
    if route.place is None:
        return ConfiguredChannel(route.channel.name, lacks=route.why)
    return ConfiguredChannel(route.channel.name, unusable=check(route.place))


def _root(root: str, known: Mapping[bytes, Known] | None, shared: tuple[str, ...]) -> ConfiguredRoot:
    is_known = None if known is None else os.fsencode(os.path.realpath(root)) in known
    return ConfiguredRoot(root, os.path.lexists(root), os.path.isdir(root), is_known, shared)


def _shared(
    config: Config, known: Mapping[bytes, Known], env: Mapping[str, str], chains: tuple[Chain, ...]
) -> dict[str, tuple[str, ...]]:
    """For each root those named before it with which it has files in common: one lies where the other watches."""
    profiles = known_profiles(chains)
    places: dict[str, tuple[bytes, Profile, tuple[str, ...]]] = {}
    shared: dict[str, tuple[str, ...]] = {}
    for table in config.workspaces:
        real = os.fsencode(os.path.realpath(table.root))
        name = table.profile or (known[real].profile if real in known else "") or recognised(real, env, chains)
        here = (real, profile_named(name, profiles), table.extra)
        shared.setdefault(
            table.root, tuple(root for root, there in places.items() if _lies_in(here, there) or _lies_in(there, here))
        )
        places[table.root] = here
    return shared


def _lies_in(inner: tuple[bytes, Profile, tuple[str, ...]], outer: tuple[bytes, Profile, tuple[str, ...]]) -> bool:
    """Whether the inner one is where the outer one watches: the same directory by another name, too."""
    root, profile, extra = outer
    if inner[0] == root:
        return True
    below = inner[0].removeprefix(root.rstrip(b"/") + b"/")
    return below != inner[0] and not leaves(profile, extra, below)


def _configured_roots(config: Config | None) -> list[bytes]:
    return [table.root_bytes for table in config.workspaces] if config is not None else []


def _protected(
    asked: Asked, workspaces: Iterable[Workspace], env: Mapping[str, str], home: str, chains: tuple[Chain, ...]
) -> Protected:
    known = asked.known or {}
    profiles = known_profiles(chains)
    places = find(env, home, chains)
    found = tuple(Found(each.root, each.why, _mode(each.root, known, profiles)) for each in places)
    theirs = {each.profile for each in places} | {each.profile for each in known.values()}
    at_home = {profile_named(each, profiles).loader for each in theirs}
    at_home |= {agent.name for each in workspaces for agent in each.agents}
    return Protected(found, asked.known is not None, _homeless(at_home, env, chains))


def _homeless(at_home: set[str], env: Mapping[str, str], chains: tuple[Chain, ...]) -> tuple[str, ...]:
    """Agents that are installed, and of which no workspace is known (``at_home``: of which one is)."""
    missing = []
    for loader in loading.with_further(chains):
        release, is_installed = loading.version_of(loader, env)
        if is_installed and loader.name not in at_home:
            missing.append(f"{loader.display} {release}")
    return tuple(missing)


def _mode(root: bytes, known: Mapping[bytes, Known], profiles: dict[str, Profile]) -> str:
    """The mode of the workspace that is there, or that has its files already; "" where there is none."""
    if root in known:
        return known[root].mode or ""
    above = os.path.dirname(root)
    while above not in (b"/", b""):
        each = known.get(above)
        if each is not None and covers(profile_named(each.profile, profiles), root[len(above) + 1 :]):
            return each.mode or ""
        above = os.path.dirname(above)
    return ""
