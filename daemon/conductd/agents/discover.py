"""Finds the memory of the agents on this machine. Read-only; garbage finds nothing, it never raises.

Called by `app` when no workspace was named, and by `conductd init` to say what there is. Each agent has its module
(`openclaw`, `claude`) or its table (`homes`); one that is a chain, also a configured one, says itself where to look.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from conductd.agents import claude, homes, openclaw
from conductd.agents.found import ENTRIES, Found, real_directory
from conductd.agents.homes import home_of
from conductd.agents.profiles import Profile, known_profiles, profile_named
from conductd.agents.profiles.profile import covers, is_apart
from conductd.agents.unread import unread_of_all
from conductd.core.load.chains import Chain
from conductd.core.load.known_chains import CHAINS

__all__ = ["Found", "find", "home_of", "left_out", "unread"]

_FOUND = 2_000  # of one configured pattern


def find(env: Mapping[str, str], home: str | None = None, chains: Iterable[Chain] = ()) -> tuple[Found, ...]:
    """Existing memory directories, each once by its real path, the first reason kept. ``chains``: configured agents.

    `home` is used where the environment does not name one (`HOME`, `USERPROFILE`). A home directory or the root of
    the file system is never taken for a workspace, nor a directory whose files another one has already.
    """
    base = home_of(env, home)
    chains = tuple(chains)
    profiles = known_profiles(chains)
    never = {os.fsencode(os.path.realpath(each)) for each in (base, "/")}
    found: dict[bytes, Found] = {}
    for each in _all(env, base, chains):
        if each.root not in never:
            found.setdefault(each.root, each)
    return tuple(each for each in found.values() if not _is_covered(each, found, profiles))


def left_out(env: Mapping[str, str], home: str | None = None, chains: Iterable[Chain] = ()) -> tuple[Found, ...]:
    """What an agent names for its workspace and `find` never takes: the home directory, the root of the file system."""
    base = home_of(env, home)
    never = {os.fsencode(os.path.realpath(each)) for each in (base, "/")}
    found = {each.root: each for each in _all(env, base, tuple(chains)) if each.root in never}
    return tuple(found.values())


def unread(env: Mapping[str, str], home: str | None = None) -> tuple[str, ...]:
    """Paths of agents that are there and could not be read or understood: memory may have been missed."""
    base = home_of(env, home)
    return tuple(dict.fromkeys((*unread_of_all(env, base), *homes.unread(env, base))))


def _all(env: Mapping[str, str], base: str, chains: tuple[Chain, ...]) -> Iterator[Found]:
    for chain in chains:
        yield from _of_chain(chain, base, f"{chain.display}, as configured")
    yield from openclaw.find(env, base)
    yield from claude.find(env, base)
    for home in homes.HOMES:
        if home is not homes.CLAUDE:
            yield from homes.find(home, env, base)
    replaced = {chain.name for chain in chains}
    for chain in CHAINS:
        if chain.name not in replaced:
            yield from _of_chain(chain, base, f"{chain.display}'s workspace")


def _of_chain(chain: Chain, home: str, why: str) -> Iterator[Found]:
    """What the patterns of an agent that is data mean now."""
    for pattern in chain.find:
        path = os.path.join(home, pattern.removeprefix("~/"))
        try:
            for each in islice(glob.iglob(path, include_hidden=False), min(_FOUND, ENTRIES)):
                real = real_directory(each)
                if real is not None:
                    yield Found(os.fsencode(real), chain.name, why)
        except (OSError, ValueError, RecursionError):
            continue


def _is_covered(one: Found, found: Mapping[bytes, Found], profiles: dict[str, Profile]) -> bool:
    """Whether another find watches the directory already: a file has one history."""
    above = os.path.dirname(one.root)
    while above != b"/":
        other = found.get(above)
        if other is not None:
            profile, below = profile_named(other.profile, profiles), one.root[len(above) + 1 :]
            if covers(profile, below) and not is_apart(profile, below):
                return True
        above = os.path.dirname(above)
    return False
