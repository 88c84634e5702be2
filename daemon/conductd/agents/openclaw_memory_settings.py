"""What OpenClaw's configuration says about the memory of one agent: its workspace, extra paths, media, limits, QMD.

Read-only; garbage says nothing, what cannot be understood is a note. The keys moved in 2026.8.1 from
`agents.defaults.memorySearch` to `memory.search`; those of an agent are added to the general ones. Sources:
OpenClaw's `agents/memory-search.ts`, `memory-host-sdk/src/host/config-utils.ts` and `backend-config.ts`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from math import floor, isfinite
from typing import Any

from conductd.agents.found import set_value
from conductd.agents.openclaw import agent_id, path_value, roster, table
from conductd.agents.openclaw_settings import Located, located
from conductd.core.load.openclaw_versions import Version
from conductd.core.openclaw_memory.collections import Wanted
from conductd.core.openclaw_memory.minimatch import understood
from conductd.core.openclaw_memory.paging import CHARACTERS
from conductd.core.openclaw_memory.rules import NO_MEDIA, Media, Rules, media, rules
from conductd.model import Frozen

_PATHS = 1_000
_BELOW_THE_ROOT: Version = (2026, 7, 1)  # from here on other agents work below the configured default workspace
_NAMED_BY_ENVIRONMENT: Version = (2026, 5, 28)
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class Extra(Frozen, frozen=True):
    """An extra path, absolute. ``pattern`` "": everything below it."""

    path: str
    pattern: str = ""


class MemorySettings(Frozen, frozen=True):
    """``agent``: whose it is, "main" where no configuration names one. ``searches`` False: memory search is off.
    ``most``: of one answer of `memory_get`. ``qmd``: the paths of that backend, with the extra ones; ``qmd_is_on`` that
    it is the one in use, ``qmd_has_own`` that it takes the workspace's own memory as well."""

    workspace: str
    agent: str = "main"
    state_dir: str | None = None
    config: str = ""
    searches: bool = True
    extra: tuple[Extra, ...] = ()
    media: Media = NO_MEDIA
    most: int = CHARACTERS
    qmd: tuple[Wanted, ...] = ()
    qmd_is_on: bool = False
    qmd_has_own: bool = True
    notes: tuple[str, ...] = ()


def memory_settings(
    root: str | None, agent: str | None, version: Version, env: Mapping[str, str], home: str
) -> MemorySettings | None:
    """``root``: the workspace (absolute), None: that of the agent. None when no configuration has the agent."""
    found = located(root or os.path.abspath(home), env, home, agent)
    if found is None:
        return MemorySettings(root, agent or "main") if root is not None and agent in (None, "main") else None
    name, entry = found.owner or ("", {})
    workspace = root or workspace_of(found, version, env, home)
    those = rules(version)
    general, own = _searches(found.config, entry, those)
    notes: list[str] = []
    paths = [*_listed(general.get("extraPaths")), *_listed(own.get("extraPaths"))]
    extra = tuple(dict.fromkeys(_extra(paths[:_PATHS], workspace, those, env, home, notes)))
    found_media = media(table(general.get("multimodal")) | table(own.get("multimodal")))
    enabled = own["enabled"] if own.get("enabled") is not None else general.get("enabled")
    qmd = table(table(found.config.get("memory")).get("qmd"))
    openclaw_home = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    return MemorySettings(
        workspace=workspace,
        agent=agent_id(name or agent or "main"),
        state_dir=found.state_dir,
        config=found.config_path,
        searches=enabled is not False,
        extra=extra,
        media=found_media,
        most=_most(found.config, entry),
        qmd=(
            *_qmd(_listed(qmd.get("paths"))[:_PATHS], workspace, env, openclaw_home),
            *(Wanted(each.path, each.pattern) for each in extra),
        ),
        qmd_is_on=table(found.config.get("memory")).get("backend") == "qmd",
        qmd_has_own=qmd.get("includeDefaultMemory") is not False,
        notes=tuple(notes),
    )


def workspace_of(found: Located, version: Version, env: Mapping[str, str], home: str) -> str:
    """Where the owner works, by the rules of the release."""
    home = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    name, entry = found.owner or ("main", {})
    agents = table(found.config.get("agents"))
    own = path_value(entry.get("workspace"), env, home)
    if own:
        return own
    base = path_value(table(agents.get("defaults")).get("workspace"), env, home)
    entries = list(roster(agents))
    chosen = next((each for each, entry in entries if entry.get("default") is True), entries[0][0] if entries else name)
    if name == chosen:
        if base:
            return base
        named = set_value(env, "OPENCLAW_WORKSPACE_DIR") if version >= _NAMED_BY_ENVIRONMENT else ""
        return path_value(named, env, home) or os.path.join(found.state_dir, "workspace")
    if base and version >= _BELOW_THE_ROOT:
        return os.path.join(base, agent_id(name))
    return os.path.join(found.state_dir, f"workspace-{agent_id(name)}")


def _searches(config: dict[str, Any], entry: dict[str, Any], those: Rules) -> tuple[dict[str, Any], dict[str, Any]]:
    """The tables of the search: the general one and the agent's."""
    if those.new_keys:
        return table(table(config.get("memory")).get("search")), table(table(entry.get("memory")).get("search"))
    defaults = table(table(config.get("agents")).get("defaults"))
    return table(defaults.get("memorySearch")), table(entry.get("memorySearch"))


def _extra(
    paths: list[object], workspace: str, those: Rules, env: Mapping[str, str], home: str, notes: list[str]
) -> Iterator[Extra]:
    for each in paths:
        described = table(each)
        raw = described.get("path") if described else each
        pattern = described.get("pattern")
        pattern = pattern.strip().replace("\\", "/") if isinstance(pattern, str) else ""
        if described and not those.patterns:
            notes.append("an extra path is a table: this release takes only texts")
            continue
        path = _absolute(raw, workspace, env, home)
        if path is None:
            if not isinstance(raw, str) or raw.strip():
                notes.append("an extra path cannot be understood: no text, or a variable in it is not set")
            continue
        if pattern and not understood(pattern):
            notes.append(f"the pattern {pattern[:80]} is not understood: nothing of it is listed")
        yield Extra(path, pattern)


def _qmd(paths: list[object], workspace: str, env: Mapping[str, str], home: str) -> Iterator[Wanted]:
    for each in paths:
        described = table(each)
        path = _absolute(described.get("path"), workspace, env, home)
        if path is not None:
            pattern, name = (described.get(key) for key in ("pattern", "name"))
            yield Wanted(
                path,
                pattern.strip() if isinstance(pattern, str) else "",
                name.strip() if isinstance(name, str) else "",
            )


def _absolute(raw: object, workspace: str, env: Mapping[str, str], home: str) -> str | None:
    """As OpenClaw takes a path of the memory: `~` is the home, a relative one is below the workspace."""
    if not isinstance(raw, str) or not raw.strip() or "\0" in raw:
        return None
    text = raw.strip()
    if any(not env.get(name) for name in _VARIABLE.findall(text)):
        return None
    text = _VARIABLE.sub(lambda match: env[match[1]], text)
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    return os.path.normpath(os.path.join(workspace, text))


def _most(config: dict[str, Any], entry: dict[str, Any]) -> int:
    """`contextLimits.memoryGetMaxChars` of the agent, else of all."""
    defaults = table(table(config.get("agents")).get("defaults"))
    for those in (table(entry.get("contextLimits")), table(defaults.get("contextLimits"))):
        value = those.get("memoryGetMaxChars")
        if isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value):
            return max(1, floor(value))
    return CHARACTERS


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else []
