"""What OpenClaw's own configuration and state say about one workspace: whose it is, its limits, whether it is set up.

Read-only; garbage says nothing, it never raises. Sources: OpenClaw's `agents/agent-scope`, `agents/workspace*`,
`bootstrap.ts` (`resolveBootstrapMaxChars`), releases 2026.1.30 to 2026.9.6.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from math import floor, isfinite
from typing import Any, NamedTuple

from msgspec.structs import replace

from conductd.agents.bootstrap_read import Guard, read
from conductd.agents.found import real_directory, set_value
from conductd.agents.openclaw import (
    agent_id,
    config_of,
    config_value,
    path_value,
    read_config,
    roster,
    state_dirs,
    table,
)
from conductd.agents.openclaw_extra import patterns
from conductd.agents.openclaw_include import allowed_roots
from conductd.core.load.openclaw_versions import Version
from conductd.model import Frozen

_PER_AGENT: Version = (2026, 5, 14)  # from here on an agent's own limits count
_STATE_FILES = ("openclaw-workspace-state.json", os.path.join(".openclaw", "workspace-state.json"))
_OWN_PLUGINS = ("", "none", "memory-core")
_SMALL = Guard(most=256 * 1024)


Entry = tuple[str, dict[str, Any]]  # an agent's id and what is configured for it


class Settings(Frozen, frozen=True):
    """``agent``: the id of the agent that works there, "" when none is configured for it. Limits None: the default.
    ``injects`` False: its configuration says that no files are put into the prompt. ``extra``: patterns of files that
    a hook adds. ``memory_plugin``: another one than OpenClaw's own that the memory is left to, "" none."""

    state_dir: str | None = None
    config: str = ""
    agent: str = ""
    file: int | None = None
    total: int | None = None
    injects: bool = True
    extra: tuple[str, ...] = ()
    memory_plugin: str = ""


class Located(NamedTuple):
    """A configuration, and the agent of it that works in a directory (None: it names none for it)."""

    state_dir: str
    config_path: str  # "" for the one in the state directory
    config: dict[str, Any]
    owner: Entry | None


def settings(root: str, version: Version, env: Mapping[str, str], home: str) -> Settings:
    """The settings for a workspace; those of the first configuration found when none names it."""
    found = located(root, env, home)
    if found is None:
        return Settings()
    known = _of(table(found.config.get("agents")), found.owner, found.state_dir, found.config_path, version)
    slot = table(table(found.config.get("plugins")).get("slots")).get("memory")
    plugin = slot.strip() if isinstance(slot, str) and slot.strip() not in _OWN_PLUGINS else ""
    return replace(known, extra=patterns(found.config), memory_plugin=plugin)


def located(root: str, env: Mapping[str, str], home: str, agent: str | None = None) -> Located | None:
    """The configuration that a workspace belongs to, else the usual one. ``agent``: the one that has this agent, which
    is the owner then; None when there is none."""
    real = os.path.realpath(root)
    home = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    first: Located | None = None
    for number, state in enumerate(_states(real, env, home)):
        named = path_value(config_value(env), env, home) if number == 0 else None
        roots = allowed_roots(env)
        config = read_config(named, roots) if named else config_of(state, roots)
        agents = table(config.get("agents"))
        if agent is not None:
            wanted = agent_id(agent)
            entry = next((each for each in roster(agents) if agent_id(each[0]) == wanted), None)
            if entry is None and wanted == "main" and not any(roster(agents)):
                entry = ("main", {})
            if entry is not None:
                return Located(state, named or "", config, entry)
            continue
        found = Located(state, named or "", config, _owner(agents, real, state, env, home))
        if found.owner is not None or real.startswith(state + "/"):
            return found
        if named or not _is_aside(state, env):
            first = first or found
    return first


def _is_aside(state: str, env: Mapping[str, str]) -> bool:
    """Whether it is beside the usual one, of a profile that nobody chose, or put away: it holds for its own only."""
    names = ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR", "OPENCLAW_PROFILE", "CLAWDBOT_PROFILE")
    is_chosen = any(set_value(env, name) for name in names)
    return not is_chosen and "-" in os.path.basename(state)


def _states(real: str, env: Mapping[str, str], home: str) -> Iterator[str]:
    """State directories, the one that the workspace lies in first where it has a configuration."""
    above = os.path.dirname(real)
    seen = set()
    if os.path.isfile(os.path.join(above, "openclaw.json")):
        seen.add(above)
        yield above
    for state in state_dirs(env, home):
        if state not in seen:
            seen.add(state)
            yield state


def _owner(agents: dict[str, Any], real: str, state: str, env: Mapping[str, str], home: str) -> Entry | None:
    """The agent that works in this directory."""
    entries = list(roster(agents))
    base = path_value(table(agents.get("defaults")).get("workspace"), env, home)
    for name, entry in entries:
        own = path_value(entry.get("workspace"), env, home)
        named = agent_id(name)
        below = [os.path.join(base, named)] if base else []
        places = [own] if own else [os.path.join(state, f"workspace-{named}"), *below]
        if name and any(real_directory(place) == real for place in places):
            return name, entry
    if any(real_directory(place) == real for place in (base, os.path.join(state, "workspace")) if place):
        return next(((name, entry) for name, entry in entries if entry.get("default") is True), None) or (
            entries[0] if entries else ("main", {})
        )
    return None


def _of(agents: dict[str, Any], owner: Entry | None, state: str, config: str, version: Version) -> Settings:
    defaults = table(agents.get("defaults"))
    name, entry = owner or ("", {})
    own = entry if version >= _PER_AGENT else {}

    def limit(key: str) -> int | None:
        value = own[key] if own.get(key) is not None else defaults.get(key)
        if not isinstance(value, int | float) or isinstance(value, bool):
            return None
        return floor(value) if isfinite(value) and value > 0 else None

    injection = entry.get("contextInjection") or defaults.get("contextInjection")
    return Settings(
        state_dir=state,
        config=config,
        agent=name,
        file=limit("bootstrapMaxChars"),
        total=limit("bootstrapTotalMaxChars"),
        injects=injection != "never",
    )


def is_set_up(root: str, state_dir: str | None) -> bool:
    """Whether OpenClaw has noted that the setup of this workspace is complete."""
    for name in _STATE_FILES:
        data = read(os.path.join(root, name), _SMALL).data
        try:
            noted = table(json.loads(data)).get("setupCompletedAt") if data else None
        except (ValueError, RecursionError):
            continue
        if isinstance(noted, str) and noted.strip():
            return True
    return state_dir is not None and has_database(state_dir) and _is_noted(_database(state_dir), root)


def has_database(state_dir: str) -> bool:
    """Whether OpenClaw keeps its shared state in a database there (2026.8.1 and later)."""
    return os.path.isfile(_database(state_dir))


def _database(state_dir: str) -> str:
    return os.path.join(state_dir, "state", "openclaw.sqlite")


def _is_noted(database: str, root: str) -> bool:
    import sqlite3  # slow to load

    from conductd.agents.provenance import is_closed_database, opened

    question = "SELECT setup_completed_at FROM workspace_setup_state WHERE workspace_path IN (?, ?)"
    try:
        with opened(database, immutable=is_closed_database(database)) as sql:
            rows = sql.execute(question, (os.path.abspath(root), os.path.realpath(root))).fetchall()
    except (sqlite3.Error, sqlite3.Warning, OSError, ValueError):
        return False
    return any(isinstance(row[0], bytes) and row[0].strip() for row in rows)
