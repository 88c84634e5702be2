"""Which files of an agent's own configuration are there and say nothing that can be understood. Read-only.

What such a file sets is not known: its limits, its names and its workspaces are taken as if it were not there, and that
is said. Called by discovery (`conductd init`), by `conductd load` and by the doctor.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from conductd.agents.bootstrap_read import read
from conductd.agents.found import set_value
from conductd.agents.openclaw import config_value, json_object, path_value, state_dirs, unread_configs
from conductd.agents.openclaw_include import KEY

_FILES = 64
_VARIABLE = re.compile(r"(?<!\$)\$\{([A-Z_][A-Z0-9_]*)\}")
_TOP_LEVEL = re.compile(r"""(?:---|\.\.\.|[#%\]}]|-(?:\s|$)|(?:"[^"]*"|'[^']*'|[^\s:#\[{][^#]*?)\s*:(?:\s|$))""")


def unread_of(agent: str, env: Mapping[str, str], home: str) -> tuple[str, ...]:
    """Paths, each with what is wrong where the file itself can be read. ``agent``: a loader's name."""
    if agent == "openclaw":
        return tuple(dict.fromkeys((*unread_configs(env, home), *_parts(env, home))))
    return tuple(path for path, is_whole in _files(agent, env, home) if os.path.lexists(path) and not is_whole(path))


def unread_of_all(env: Mapping[str, str], home: str) -> tuple[str, ...]:
    agents = ("openclaw", "claude-code", "codex", "hermes", "gemini-cli", "opencode")
    return tuple(dict.fromkeys(path for agent in agents for path in unread_of(agent, env, home)))


def _files(agent: str, env: Mapping[str, str], home: str) -> list[tuple[str, Callable[[str], bool]]]:
    def base(name: str, *usual: str) -> str:
        return set_value(env, name) or os.path.join(home, *usual)

    match agent:
        case "claude-code":
            return [(os.path.join(base("CLAUDE_CONFIG_DIR", ".claude"), "settings.json"), _is_json)]
        case "codex":
            return [(os.path.join(base("CODEX_HOME", ".codex"), "config.toml"), _is_toml)]
        case "hermes":
            return [(os.path.join(base("HERMES_HOME", ".hermes"), "config.yaml"), _is_yaml)]
        case "gemini-cli":
            return [(os.path.join(home, ".gemini", "settings.json"), _is_json)]
        case "opencode":
            above = os.path.join(base("XDG_CONFIG_HOME", ".config"), "opencode")
            return [(os.path.join(above, name), _is_json) for name in ("opencode.json", "opencode.jsonc")]
    return []


def _text(path: str) -> str | None:
    try:
        data = read(path).data
        return None if data is None else data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _is_json(path: str) -> bool:
    text = _text(path)
    return text is not None and (not text.strip() or bool(json_object(path)) or re.sub(r"\s", "", text) == "{}")


def _is_toml(path: str) -> bool:
    try:
        text = _text(path)
        return text is not None and tomllib.loads(text) is not None
    except (tomllib.TOMLDecodeError, RecursionError):
        return False


def _is_yaml(path: str) -> bool:
    """Only what no reader of YAML takes: indented by tabs, or a line of the top that is no key."""
    text = _text(path)
    lines = text.splitlines() if text is not None else ["\t"]
    is_block = any(re.search(r"[|>][+-]?\d?\s*$", line) for line in lines)
    return not any(
        line.startswith("\t") or (line[:1].strip() and not is_block and not _TOP_LEVEL.match(line)) for line in lines
    )


# ------------------------------------------------------------------ OpenClaw: what its file includes and names


def _parts(env: Mapping[str, str], home: str) -> Iterator[str]:
    person = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    named = path_value(config_value(env), env, person)
    for path in [named] if named else [os.path.join(each, "openclaw.json") for each in state_dirs(env, person)]:
        yield from _part(path, env, set(), json_object(path))


def _part(path: str, env: Mapping[str, str], seen: set[str], config: dict[str, Any]) -> Iterator[str]:
    seen.add(os.path.realpath(path))
    known = {*env, *_own_variables(path, config)}
    unset = {name for text in _texts(config.get("agents")) for name in _VARIABLE.findall(text) if name not in known}
    yield from (f"{path} (${{{name}}} is not set)" for name in sorted(unset))
    for name in _includes(config):
        there = os.path.normpath(os.path.join(os.path.dirname(path), name)) if "\0" not in name else name
        if os.path.realpath(there) in seen or len(seen) > _FILES:
            continue
        if "\0" in name or not os.path.isfile(there):
            yield f"{there} (included by {path})"
        elif not _is_json(there):
            seen.add(os.path.realpath(there))
            yield there
        else:
            yield from _part(there, dict.fromkeys(known, ""), seen, json_object(there))


def _own_variables(path: str, config: dict[str, Any]) -> Iterator[str]:
    own = config.get("env")
    for table in (own, own.get("vars") if isinstance(own, dict) else None):
        yield from table if isinstance(table, dict) else ()
    yield from re.findall(r"^(?:export\s+)?(\w+)=", _text(os.path.join(os.path.dirname(path), ".env")) or "", re.M)


def _includes(value: Any) -> Iterator[str]:
    for each in _values(value):
        names = each.get(KEY) if isinstance(each, dict) else None
        yield from (name for name in (names if isinstance(names, list) else [names]) if isinstance(name, str))


def _texts(value: Any) -> Iterator[str]:
    return (each for each in _values(value) if isinstance(each, str))


def _values(value: Any) -> Iterator[Any]:
    waiting = [value]
    while waiting:
        each = waiting.pop()
        yield each
        waiting += each.values() if isinstance(each, dict) else each if isinstance(each, list) else []
