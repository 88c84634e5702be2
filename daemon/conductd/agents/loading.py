"""Every agent whose loading can be computed: how it is asked for, told by a directory, and asked.

The way from a directory to `core.load.loaded.Load`. Read-only. Loaders are imported when they are asked: the command
line wants to be quick.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping

from conductd.agents.found import is_at, set_value
from conductd.agents.installed import installed
from conductd.core.load.chains import Chain
from conductd.core.load.known_chains import CHAINS
from conductd.core.load.loaded import Load
from conductd.core.load.openclaw_versions import Session
from conductd.errors import UsageError
from conductd.model import Frozen


class Asked(Frozen, frozen=True):
    """What is asked of a loader: an absolute directory, a release, a kind of session, and whose environment."""

    root: str
    version: str
    session: Session
    env: Mapping[str, str]
    home: str


class Loader(Frozen, frozen=True):
    """``marks``: relative paths of which any says that a directory is this agent's, ``weak`` those that say so when
    nothing else does. ``newest``: the newest release known here. ``program`` and ``packages``: what an installed one is
    found by. ``find``: globs of directories that are its workspaces, absolute or below `~/`."""

    name: str
    display: str
    marks: tuple[str, ...]
    newest: str
    program: str
    packages: tuple[str, ...]
    load: Callable[[Asked], Load]
    weak: tuple[str, ...] = ()
    find: tuple[str, ...] = ()


def _openclaw(asked: Asked) -> Load:
    from conductd.agents.openclaw_bootstrap import load
    from conductd.core.load.openclaw_versions import parse_version

    version = parse_version(asked.version)
    if version is None:
        raise UsageError(f"{asked.version} is no version of OpenClaw", "say it like 2026.9.6")
    return load(asked.root, version, asked.session, asked.env, asked.home)


def _claude(asked: Asked) -> Load:
    from conductd.agents.claude_files import load
    from conductd.core.load.claude import parse_version

    version = parse_version(asked.version)
    if version is None:
        raise UsageError(f"{asked.version} is no version of Claude Code", "say it like 2.1.300")
    return load(asked.root, version, asked.session, asked.env, asked.home)


def _codex(asked: Asked) -> Load:
    from conductd.agents.codex_files import load

    return load(asked.root, asked.version, asked.session, asked.env, asked.home)


def _hermes(asked: Asked) -> Load:
    from conductd.agents.hermes_files import load

    return load(asked.root, asked.version, asked.session, asked.env, asked.home)


def _of_chain(chain: Chain) -> Loader:
    def load_chain(asked: Asked) -> Load:
        from conductd.agents.chain_files import load

        return load(chain, asked.root, asked.version, asked.session, asked.env, asked.home)

    find = (*chain.find, *(step.only for step in chain.steps if step.only))
    strong, weak = ((), chain.marks) if chain.name == "agents-md" else (chain.marks, ())
    return Loader(chain.name, chain.display, strong, "", chain.program, chain.packages, load_chain, weak, find)


*_CHAINS, _AGENTS_MD = map(_of_chain, CHAINS)

# In the order in which a directory is asked: the surest first.
LOADERS: tuple[Loader, ...] = (
    Loader(
        "hermes",
        "Hermes",
        ("memories/MEMORY.md", "memories/USER.md"),
        "",
        "hermes",
        ("hermes-agent",),
        _hermes,
    ),
    Loader(
        "openclaw",
        "OpenClaw",
        ("SOUL.md", "IDENTITY.md", "BOOTSTRAP.md", "HEARTBEAT.md", ".openclaw"),
        "2026.9.6",
        "openclaw",
        ("openclaw",),
        _openclaw,
        weak=("MEMORY.md", "memory.md", "USER.md"),
    ),
    Loader(
        "claude-code",
        "Claude Code",
        ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules"),
        "2.1.300",
        "claude",
        ("@anthropic-ai/claude-code",),
        _claude,
    ),
    *_CHAINS,
    Loader("codex", "Codex", ("AGENTS.override.md", ".codex"), "", "codex", ("@openai/codex",), _codex),
    _AGENTS_MD,
)


def with_further(chains: Iterable[Chain]) -> tuple[Loader, ...]:
    """The loaders known here and those of the configuration, which come first and may take a name's place."""
    further = [_of_chain(each) for each in chains]
    taken = {each.name for each in further}
    return (*further, *(each for each in LOADERS if each.name not in taken))


def named(name: str, loaders: Iterable[Loader] = LOADERS) -> Loader:
    """The loader; raises UsageError for a name that is not known."""
    for each in loaders:
        if each.name == name:
            return each
    raise UsageError(f"no agent is called {name}", f"known are: {', '.join(each.name for each in loaders)}")


def guessed(
    root: str, env: Mapping[str, str], home: str, loaders: Iterable[Loader] = LOADERS
) -> list[tuple[Loader, str]]:
    """The agents that a directory looks like, the surest first, each with what says so."""
    loaders = tuple(loaders)
    place = _by_place(os.path.realpath(root), env, home, loaders)
    found = [place] if place else []
    for marks in ("marks", "weak"):
        for each in loaders:
            mark = next((m for m in getattr(each, marks) if os.path.lexists(os.path.join(root, m))), None)
            if mark is not None and all(each is not known for known, _ in found):
                found.append((each, mark))
    return found


def _by_place(real: str, env: Mapping[str, str], home: str, loaders: tuple[Loader, ...]) -> tuple[Loader, str] | None:
    """The agent whose own directory it lies in, or is one of."""
    for each in loaders:
        if any(is_at(real, pattern, home) for pattern in each.find):
            return each, "place"
    config = set_value(env, "CLAUDE_CONFIG_DIR") or os.path.join(home, ".claude")
    hermes = set_value(env, "HERMES_HOME") or os.path.join(home, ".hermes")
    codex = set_value(env, "CODEX_HOME") or os.path.join(home, ".codex")
    for name, base in (("claude-code", os.path.join(config, "projects")), ("hermes", hermes), ("codex", codex)):
        if (real + "/").startswith(os.path.realpath(base) + "/"):
            return named(name), "place"
    if os.path.basename(real) == "memories" and os.path.isfile(os.path.join(real, "MEMORY.md")):
        return named("hermes"), "place"
    return None


def version_of(loader: Loader, env: Mapping[str, str]) -> tuple[str, bool]:
    """The release to take, and whether it is the one that is installed."""
    found = installed(loader.program, loader.packages, env) if loader.program else None
    return (found, True) if found else (loader.newest, False)
