"""The settings of an agent as flat keys (`a.b.c`), as far as a check asks for them. Read-only; garbage says None."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from conductd.agents.bootstrap_read import Guard, read, text_of
from conductd.agents.found import set_value
from conductd.agents.openclaw_settings import located
from conductd.core.doctor.facts import Value
from conductd.core.load.loaded import Why

_MOST = Guard(most=16 * 1024 * 1024)
_KEYS = 20_000
_DEEP = 12
_MANAGED = ("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json")
_CLAUDE_VARIABLES = ("CLAUDE_CODE_DISABLE_AUTO_MEMORY", "CLAUDE_CODE_DISABLE_CLAUDE_MDS")
_YAML = re.compile(r"^([ ]*)([A-Za-z_][\w-]*)[ \t]*:(?:[ \t]+(.*?))?[ \t]*(?:#.*)?$")

Values = dict[str, Value] | None


def values(agent: str, root: str, env: Mapping[str, str], home: str) -> tuple[Values, str]:
    """What is set, and where it was read. None: it could not be read, or nobody knows where it would be."""
    if agent == "openclaw":
        return _openclaw(root, env, home)
    if agent == "claude-code":
        return _claude(root, env, home)
    if agent == "codex":
        return _codex(env, home)
    if agent == "hermes":
        return _hermes(root, env, home)
    if agent == "gemini-cli":
        return _gemini(root, home)
    return {}, ""


def _openclaw(root: str, env: Mapping[str, str], home: str) -> tuple[Values, str]:
    found = located(root, env, home)
    if found is None:
        return None, ""
    source = found.config_path or _first(found.state_dir) or ""
    if not found.config and source and (read(source, _MOST).data or b"").strip(b" \t\r\n{}"):
        return None, source
    flat = dict(_flat(found.config))
    if found.owner is not None:
        flat |= {f"agent.{key}": value for key, value in _flat(found.owner[1])}
    return flat, source


def _first(state: str) -> str | None:
    names = ("openclaw.json", "clawdbot.json", "moltbot.json", "moldbot.json")
    return next((path for name in names if os.path.lexists(path := os.path.join(state, name))), None)


def _claude(root: str, env: Mapping[str, str], home: str) -> tuple[Values, str]:
    named = set_value(env, "CLAUDE_CONFIG_DIR")
    base = os.path.join(home, named.removeprefix("~/")) if named else os.path.join(home, ".claude")
    places = [
        os.path.join(base, "settings.json"),
        os.path.join(root, ".claude", "settings.json"),
        os.path.join(root, ".claude", "settings.local.json"),
        *_MANAGED,
    ]
    merged = _json_of(places)
    if merged is not None:
        merged |= {f"env.{name}": set_value(env, name) for name in _CLAUDE_VARIABLES if set_value(env, name)}
    return merged, places[0]


def _gemini(root: str, home: str) -> tuple[Values, str]:
    places = [os.path.join(home, ".gemini", "settings.json"), os.path.join(root, ".gemini", "settings.json")]
    return _json_of(places), places[0]


def _json_of(places: list[str]) -> Values:
    """Of several files, what a later one says wins; one that cannot be read spoils all."""
    merged: dict[str, Value] = {}
    for place in places:
        got = read(place, _MOST)
        if got.why is Why.MISSING:
            continue
        try:
            found = json.loads(got.data) if got.data is not None else None
        except (ValueError, RecursionError):
            return None
        if not isinstance(found, dict):
            return None
        merged |= dict(_flat(found))
    return merged


def _codex(env: Mapping[str, str], home: str) -> tuple[Values, str]:
    source = os.path.join(set_value(env, "CODEX_HOME") or os.path.join(home, ".codex"), "config.toml")
    got = read(source, _MOST)
    if got.why is Why.MISSING:
        return {}, source
    try:
        return (dict(_flat(tomllib.loads(got.data.decode()))) if got.data is not None else None), source
    except (ValueError, RecursionError):
        return None, source


def _hermes(root: str, env: Mapping[str, str], home: str) -> tuple[Values, str]:
    named = set_value(env, "HERMES_HOME")
    base = os.path.join(home, named.removeprefix("~/")) if named else os.path.join(home, ".hermes")
    for place in (root, os.path.dirname(root)):
        if os.path.isfile(os.path.join(place, "memories", "MEMORY.md")):
            base = place
            break
    source = os.path.join(base, "config.yaml")
    got = read(source, _MOST)
    if got.why is Why.MISSING:
        return {}, source
    return (dict(_lines(text_of(got.data))) if got.data is not None else None), source


def _lines(text: str) -> Iterator[tuple[str, Value]]:
    """The plain keys of a YAML text: tables by their indentation, scalars. What else there is says nothing here."""
    above: list[tuple[int, str]] = []
    for line in text.splitlines()[:_KEYS]:
        found = _YAML.fullmatch(line)
        if found is None:
            continue
        depth, key, value = len(found[1]), found[2], found[3]
        above = [each for each in above if each[0] < depth]
        if value is None or value == "":
            above.append((depth, key))
            continue
        yield ".".join([*(name for _, name in above), key]), _scalar(value)


def _scalar(text: str) -> Value:
    plain = text.strip()
    if plain.lower() in ("true", "yes", "on"):
        return True
    if plain.lower() in ("false", "no", "off"):
        return False
    if re.fullmatch(r"-?\d{1,18}", plain):
        return int(plain)
    return plain.strip("\"'")


def _flat(table: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Value]]:
    for count, (key, value) in enumerate(table.items()):
        if count >= _KEYS:
            return
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            if depth < _DEEP:
                yield from _flat(value, f"{name}.", depth + 1)
        elif isinstance(value, list):
            if all(isinstance(each, str) for each in value):
                yield name, tuple(value)
        elif isinstance(value, str | int | float | bool):
            yield name, value
