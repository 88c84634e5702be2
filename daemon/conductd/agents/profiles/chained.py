"""Profiles of agents that are data: what a `core.load.chains.Chain` loads is what is protected.

The chains known here and those of the configuration are treated alike; the own directories of the former are written
out below.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from conductd.agents.profiles.profile import MEMORY, Profile, memory_directory
from conductd.core.globs import glob_place
from conductd.core.load.chains import Chain, Where
from conductd.core.load.known_chains import CHAINS
from conductd.core.roles import is_passing
from conductd.model import Role

_ELSEWHERE = (Where.HOME, Where.SYSTEM)
_NOTES = (".md", ".mdc", ".markdown", ".txt")
_NONE = "none is documented"
_LIMITS = {each.name: each.configured for each in CHAINS}
_CONFIGURED = "`per_file`, `total` and `lines` of its [[agents]] in conductd's own configuration"


def of_chain(chain: Chain, base: Profile | None = None) -> Profile:
    """The profile of a workspace of this agent. ``base``: the one whose place it takes; what the chain does not say
    of roles and trees is as there."""
    loaded = tuple(_loaded(chain))
    roles = chain.roles or (base.roles if base else ())
    trees = dict.fromkeys([*map(_tree, chain.trees), *(base.trees if base and not chain.trees else (MEMORY,))])
    return Profile(
        chain.name,
        chain.display,
        roles=(*roles, *((f"/{name}", Role.INSTRUCTIONS) for name in loaded), *_in_trees(chain)),
        trees=(*trees, *(place for place in _places(loaded, trees=True) if place not in trees)),
        loader=chain.name,
        limits=chain.configured or _CONFIGURED,
        apart=base.apart if base else (),
        home=base.home if base else False,
        directories=_places(loaded, trees=False),
    )


def _loaded(chain: Chain) -> Iterator[str]:
    """The names that are looked for in the workspace itself."""
    here = (step for step in chain.steps if step.where not in _ELSEWHERE and not step.only)
    names = (name.removeprefix("./") for step in here for name in step.names)
    yield from (name for name in dict.fromkeys(names) if not is_passing(name.encode("utf-8", "surrogateescape")))


def _in_trees(chain: Chain) -> Iterator[tuple[str, Role]]:
    """What a configured tree holds is protected, whatever it is called, as long as it is text."""
    for tree in chain.trees:
        folder = _tree(tree).decode("utf-8", "surrogateescape")
        for ending in _NOTES:
            yield f"{folder}/**/*{ending}" if folder else f"**/*{ending}", Role.TOPIC


def _tree(path: str) -> bytes:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    return "/".join(parts).encode("utf-8", "surrogateescape")


def _places(patterns: Iterable[str], *, trees: bool) -> tuple[bytes, ...]:
    """The directories that hold what the globs can mean: those that count with all below, or the others. The root is
    watched in any case."""
    found = (glob_place(each) for each in patterns)
    return tuple(dict.fromkeys(place for place, is_tree in found if place and is_tree is trees))


def _home(name: str, display: str, chain: str, *roles: tuple[str, Role], **more: tuple[str, ...]) -> Profile:
    trees = _places([glob for glob, _ in roles], trees=True)
    return Profile(name, display, roles, trees, chain, _LIMITS[chain], more.get("apart", ()), home=True)


HOMES = (
    # What Gemini is told to remember it writes into this file itself.
    _home(
        "gemini-home", "Gemini CLI's own directory", "gemini-cli", ("/GEMINI.md", Role.CURATED),
        apart=("tmp/*/memory",),
    ),
    memory_directory("gemini-memory", "Gemini CLI memory", "gemini-cli", _NONE, ("/GEMINI.md", Role.CURATED)),
    _home("opencode-home", "opencode's own directory", "opencode", ("/AGENTS.md", Role.INSTRUCTIONS)),
    _home("cursor-home", "Cursor's own directory", "cursor", ("rules/**/*.mdc", Role.INSTRUCTIONS)),
    memory_directory(
        "windsurf-memory", "Windsurf memories", "windsurf", _LIMITS["windsurf"],
        ("/global_rules.md", Role.INSTRUCTIONS),
    ),
    _home(
        "copilot-home", "GitHub Copilot's own directory", "copilot",
        ("/copilot-instructions.md", Role.INSTRUCTIONS),
        ("instructions/**/*.instructions.md", Role.INSTRUCTIONS),
    ),
)  # fmt: skip
