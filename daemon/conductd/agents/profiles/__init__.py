"""What is known about an agent by name: what the files of its directories are for, who loads them, what is watched.

Data only, one module an agent: `openclaw`, `claude`, `codex`, `hermes`; `chained` makes the rest, and the agents of the
configuration, from what they load. Finding the directories is `agents.discover`'s, loading them `agents.loading`'s.
"""

from __future__ import annotations

from collections.abc import Iterable

from conductd.agents.profiles.chained import HOMES, of_chain
from conductd.agents.profiles.claude import CLAUDE_CODE, CLAUDE_HOME, CLAUDE_MEMORY
from conductd.agents.profiles.codex import CODEX, CODEX_HOME, CODEX_MEMORY
from conductd.agents.profiles.hermes import HERMES, HERMES_MEMORY
from conductd.agents.profiles.openclaw import OPENCLAW
from conductd.agents.profiles.profile import Profile
from conductd.core.load.chains import Chain
from conductd.core.load.known_chains import CHAINS

__all__ = ["CLAUDE_MEMORY", "GENERIC", "OPENCLAW", "PROFILES", "Profile", "known_profiles", "profile_named"]

GENERIC = Profile("generic", "Markdown memory")

PROFILES: dict[str, Profile] = {
    each.name: each
    for each in (
        GENERIC,
        OPENCLAW,
        CLAUDE_CODE,
        CLAUDE_HOME,
        CLAUDE_MEMORY,
        CODEX,
        CODEX_HOME,
        CODEX_MEMORY,
        HERMES,
        HERMES_MEMORY,
        *map(of_chain, CHAINS),
        *HOMES,
    )
}


def known_profiles(chains: Iterable[Chain] = ()) -> dict[str, Profile]:
    """All that are known, and those of the configured agents, which may take a name's place."""
    return {**PROFILES, **{each.name: of_chain(each, PROFILES.get(each.name)) for each in chains}}


def profile_named(name: str, profiles: dict[str, Profile] | None = None) -> Profile:
    """The profile; an unknown name (a journal of a newer release, an agent that was configured once) is read as
    generic."""
    return (PROFILES if profiles is None else profiles).get(name, GENERIC)
