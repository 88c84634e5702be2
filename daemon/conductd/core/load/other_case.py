"""Files that an agent would load if their names were spelt as it spells them: claude.md, Agents.MD.

Pure. OpenClaw's own loader tells of its names itself; this is for the agents that simply open theirs. Called by
`engine.loading`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from conductd.core.load.chains import Chain, Where
from conductd.core.load.loaded import LoadedFile, Why
from conductd.core.spelling import spelt_alike

# Names that are looked for in the directory itself.
_NAMES = {
    "claude-code": ("CLAUDE.md", "CLAUDE.local.md"),
    "codex": ("AGENTS.md", "AGENTS.override.md"),
    "hermes": ("SOUL.md", "AGENTS.md"),
}


def looked_for(agent: str, chains: Iterable[Chain]) -> frozenset[str]:
    """The names that the agent opens in the directory. ``chains``: all that are known, the first of a name counts."""
    chain = next((each for each in chains if each.name == agent), None)
    if chain is None:
        return frozenset(_NAMES.get(agent, ()))
    steps = [each for each in chain.steps if each.where in (Where.ROOT, Where.DOWN, Where.UP)]
    return frozenset(name for each in steps for name in each.names if "/" not in name and "*" not in name)


def other_case(wanted: Collection[str], there: Collection[str], taken: Collection[str]) -> tuple[LoadedFile, ...]:
    """``there``: names in the directory, exactly. ``taken``: those that are loaded or told of already."""
    spelt = {spelt_alike(each): each for each in wanted}
    found = []
    for name in sorted(there):
        meant = spelt.get(spelt_alike(name))
        # Where the meant one is loaded all the same, the file system does not tell case apart.
        if meant is not None and name != meant and meant not in there and not {meant, name} & set(taken):
            found.append(LoadedFile(name, name, why=Why.OTHER_NAME, note=meant))
    return tuple(found)
