"""Which profile a directory gets that nobody named one for: by where it lies, else by what stands in it.

Read-only, never raises. Asked once, when a workspace is first recorded: what is recorded keeps its profile.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from conductd.agents import homes, loading
from conductd.agents.discover import Found, find, home_of
from conductd.agents.profiles import GENERIC, known_profiles
from conductd.core.load.chains import Chain


def recognised(
    root: bytes, env: Mapping[str, str], chains: Iterable[Chain] = (), found: Iterable[Found] | None = None
) -> str:
    """The name of a profile. What several agents have (MEMORY.md, memory/) says nothing: "generic".

    ``chains``: the configured agents. ``found``: what discovery finds, where it was asked already.
    """
    chains = tuple(chains)
    home = home_of(env)
    real = os.path.realpath(root)
    found = find(env, home, chains) if found is None else found
    known = next((each.profile for each in found if each.root == real), "")
    if known:
        return known
    place = os.fsdecode(real)
    if place in (os.path.realpath(home), "/"):  # the directories of the agents in it are no marks of it
        return GENERIC.name
    return homes.profile_at(place, env, home) or _by_marks(place, env, home, chains)


def _by_marks(place: str, env: Mapping[str, str], home: str, chains: tuple[Chain, ...]) -> str:
    loaders = loading.with_further(chains)
    for loader, mark in loading.guessed(place, env, home, loaders):
        if loader.name == "hermes" and os.path.basename(place) == "memories":
            return "hermes-memory"
        if mark in loader.weak and loader.name != "agents-md":
            return GENERIC.name
        if loader.name in known_profiles(chains):
            return loader.name
    return GENERIC.name
