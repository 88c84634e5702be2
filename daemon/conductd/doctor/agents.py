"""The agents that read a workspace, and of each what it loads, by which names, and its settings. Read-only."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from conductd.agents import loading
from conductd.agents.loading import Asked, Loader
from conductd.agents.openclaw_gate import place_of, standings
from conductd.agents.openclaw_settings import located
from conductd.agents.profiles import known_profiles, profile_named
from conductd.agents.unread import unread_of
from conductd.core.doctor.facts import AgentFacts, Value
from conductd.core.load.chains import Chain, Where
from conductd.core.load.claude import AGENTS_SINCE
from conductd.core.load.claude import parse_version as claude_version
from conductd.core.load.known_chains import CHAINS
from conductd.core.load.loaded import Load
from conductd.core.load.openclaw_versions import Session, Version, load_order, parse_version, reading
from conductd.core.provenance import Standing
from conductd.doctor.flat_settings import values
from conductd.doctor.noted import Noted, noted
from conductd.errors import ConductdError
from conductd.model import Frozen


class Reader(Frozen, frozen=True):
    """One agent that reads a workspace. ``version`` "": the installed one, else the newest known."""

    loader: Loader
    version: str = ""


def readers(
    root: str,
    profile: str,
    wanted: Iterable[str],
    version: str,
    env: Mapping[str, str],
    home: str,
    chains: Iterable[Chain] = (),
) -> list[Reader]:
    """Those named (`name` or `name@version`), else the profile's, else the surest guess. Raises UsageError for a name
    that nobody has."""
    chains = tuple(chains)
    loaders = loading.with_further(chains)
    found = []
    for each in wanted:
        name, _, release = each.partition("@")
        found.append(Reader(loading.named(name, loaders), release or version))
    if found:
        return found
    own = profile_named(profile, known_profiles(chains)).loader
    known = next((each for each in loaders if own and each.name == own), None)
    if known is not None:
        return [Reader(known, version)]
    return [Reader(loader, version) for loader, _ in loading.guessed(root, env, home, loaders)[:1]]


def agent_facts(
    reader: Reader,
    root: str,
    env: Mapping[str, str],
    home: str,
    now_ns: int,
    pins: int | None = None,
    chains: Iterable[Chain] = (),
    session: Session = Session.MAIN,
) -> AgentFacts:
    """Never raises."""
    loader = reader.loader
    release, is_installed = (reader.version, True) if reader.version else loading.version_of(loader, env)
    load: Load | None = None
    problem = ""
    try:
        load = loader.load(Asked(root, release, session, env, home))
    except ConductdError as error:
        problem = error.message
    except (OSError, ValueError, RecursionError) as error:
        problem = type(error).__name__
    found, source = values(loader.name, root, env, home)
    exact, by_listing = exact_names(loader.name, root, release, found, chains)
    own = Noted()
    gate: tuple[Standing, ...] = ()
    if loader.name == "openclaw":
        gate = standings(os.fsencode(root), place_of(os.fsencode(root), env, home), _known(release, is_installed))
        place = located(root, env, home)
        files = [(file.name, file.path) for file in load.files if not file.is_marker] if load is not None else []
        own = noted(root, place.state_dir if place is not None else None, files)
    return AgentFacts(
        loader.name,
        loader.display,
        release,
        is_installed,
        loader.newest,
        load,
        problem,
        exact,
        by_listing,
        found,
        source,
        sandboxes=own.sandboxes,
        attested_ns=own.attested_ns,
        legacy_state=own.legacy_state,
        templates=own.templates,
        now_ns=now_ns,
        pins=pins,
        gate=gate,
        unread=unread_of(loader.name, env, home),
    )


def _known(release: str, is_installed: bool) -> Version | None:
    """The release that runs; None where it is only taken as the newest."""
    return parse_version(release) if is_installed else None


def exact_names(
    agent: str, root: str, release: str, settings: Mapping[str, Value] | None, chains: Iterable[Chain] = ()
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The paths that an agent opens by name, and those of them that the directory must spell so."""
    if agent == "openclaw":
        version = parse_version(release)
        if version is None:
            return ("MEMORY.md", "AGENTS.md", "USER.md", "memory"), ()
        memories = reading(version).memories
        names = (*load_order(version), *(("memory.md",) if memories else ()), "memory")
        return names, () if memories else ("MEMORY.md",)
    if agent == "claude-code":
        if os.path.basename(root) == "memory":
            return ("MEMORY.md",), ()
        claude = claude_version(release)
        names = ("CLAUDE.md", ".claude/CLAUDE.md", "CLAUDE.local.md", ".claude/rules")
        return (*names, "AGENTS.md") if claude is None or claude >= AGENTS_SINCE else names, ()
    if agent == "codex":
        fallbacks = (settings or {}).get("project_doc_fallback_filenames")
        more = tuple(each for each in fallbacks if each and "/" not in each) if isinstance(fallbacks, tuple) else ()
        if os.path.basename(root) == "memories":
            return ("memory_summary.md", "MEMORY.md"), ()
        return tuple(dict.fromkeys(("AGENTS.override.md", "AGENTS.md", *more))), ()
    if agent == "hermes":
        if os.path.basename(root) == "memories":
            return ("MEMORY.md", "USER.md"), ()
        return ("SOUL.md", "AGENTS.md", ".cursorrules", "memories/MEMORY.md", "memories/USER.md"), ()
    chain = next((each for each in (*chains, *CHAINS) if each.name == agent), None)
    return (_of_chain(chain) if chain is not None else ()), ()


def _of_chain(chain: Chain) -> tuple[str, ...]:
    """The names without a glob, and of the others the directories before it."""
    found: dict[str, None] = {}
    for step in chain.steps:
        if step.where in (Where.HOME, Where.SYSTEM):
            continue
        for name in step.names:
            plain = name.split("*")[0]
            found[name if plain == name else plain.rpartition("/")[0]] = None
    return tuple(name for name in found if name)
