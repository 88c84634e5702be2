"""The scenarios' word for what an agent loads, as the product's: an `[[agents]]` table and who reads a workspace.

A limit says its unit in its name (`per_file_utf16`, `total_bytes`, `utf16`, `chars` …); a `chain` names files in load
order; without one the files are those that the named agent is known for, else every Markdown file.
"""

from __future__ import annotations

import re
from typing import Any

UNITS = {
    "utf16": "utf16",
    "units": "utf16",
    "chars": "characters",
    "characters": "characters",
    "codepoints": "characters",
    "bytes": "bytes",
}
_SAME = ("lines", "trim_end", "marker", "marker_counted", "skip_over", "frontmatter", "comments", "imports", "display")
_BACKWARDS = ("leaf-first", "nearest-first", "deepest-first", "last-first", "root-last", "reverse")
_IN_ORDER = ("root-first", "first-first", "listed", "as-listed", "chain")
_OPENCLAW = ["AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md"]
_FILES = {
    "openclaw": [*_OPENCLAW, "*.md"],
    "claude": ["CLAUDE.md", "MEMORY.md", "memory/MEMORY.md", "**/MEMORY.md"],
    "codex": ["AGENTS.md", "*/AGENTS.md", "**/AGENTS.md"],
    "hermes": ["SOUL.md", "AGENTS.md", "memories/MEMORY.md", "memories/USER.md", "MEMORY.md", "USER.md"],
}
_ALL = ["*.md", "**/*.md"]


def is_known(value: dict[str, Any]) -> bool:
    """Only an agent that the product knows is named, with its own limits."""
    return set(value) <= {"name", "agent", "version", "agent_version", "session"}


def known_agent(value: dict[str, Any]) -> str:
    name = str(value.get("agent") or value.get("name"))
    version = value.get("version") or value.get("agent_version")
    return f"{name}@{version}" if version else name


def agent_of(value: dict[str, Any], paths: set[str]) -> dict[str, Any]:
    """The table for one `load`. `paths`: the files of the scenario. Raises KeyError for what it cannot say."""
    table: dict[str, Any] = {"name": re.sub(r"[^a-z0-9-]", "-", str(value.get("name", "reader")).lower())}
    units: set[str] = {UNITS[value["unit"]]} if "unit" in value else set()
    for key, given in value.items():
        if key in ("name", "unit", "chain", "order", "head", "tail", "keep", "files", "session"):
            continue
        if key in _SAME or key in ("per_file", "total"):
            table[key] = given
            continue
        what, _, unit = key.rpartition("_")
        units.add(UNITS[unit])
        table[{"": "per_file", "per_file": "per_file", "file": "per_file", "total": "total"}[what]] = given
    if len(units) > 1:
        raise KeyError(f"two units in one agent: {sorted(units)}")
    table["unit"] = next(iter(units), "characters")
    table |= _kept(value)
    table["steps"] = [{"names": _names(value, paths)}]
    return table


def _kept(value: dict[str, Any]) -> dict[str, Any]:
    keep = value.get("keep", "head-tail" if value.get("head") and value.get("tail") else "head")
    keep = {"head+tail": "head-tail", "head_tail": "head-tail", "both": "head-tail"}.get(keep, keep)
    shares = {key: value[key] for key in ("head", "tail") if key in value} if keep == "head-tail" else {}
    return {"keep": keep, **shares}


def _names(value: dict[str, Any], paths: set[str]) -> list[str]:
    named = list(value.get("chain") or value.get("files") or ())
    order = value.get("order", "listed")
    if isinstance(order, list):
        named = order
    elif order in _BACKWARDS:
        named.reverse()
    elif order not in _IN_ORDER:
        raise KeyError(f"order {order}")
    if named:
        return named
    family = next((names for name, names in _FILES.items() if name in str(value.get("name", ""))), _ALL)
    known = any(path == name or ("*" in name and _fits(path, name)) for path in paths for name in family)
    return family if known or not paths else _ALL


def _fits(path: str, pattern: str) -> bool:
    """As far as the patterns above go."""
    tail = pattern.rpartition("/")[2].lstrip("*")
    return path.endswith(tail) and ("/" in pattern or "/" not in path)
