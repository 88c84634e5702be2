"""OpenClaw: state directories, the configuration file, and the workspaces of its agents.

The rules differ by release (2026.1 to 2026.9) and the release is not always known, so every place that some release
would use is looked at and what exists is taken. Sources: OpenClaw's `config/paths`, `agents/workspace`,
`agents/workspace-default-path` and `agents/agent-scope`; its pages on environment variables and the agent workspace.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conductd.agents.found import Found, real_directory, set_value, subdirectories
from conductd.agents.openclaw_include import allowed_roots, included

CONFIG_BYTES = 4 * 1024 * 1024
# The JSON5 parser reads about 130 KB a second; strict JSON of any allowed size is read at once.
JSON5_BYTES = 1024 * 1024
AGENTS = 1_000

_LEGACY_STATE = (".clawdbot", ".moltbot", ".moldbot")
_CONFIG_NAMES = ("openclaw.json", "clawdbot.json", "moltbot.json", "moldbot.json")
# What a workspace has; an ordinary directory that happens to be named like an agent has none of it.
_MARKS = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "MEMORY.md", "memory.md", "memory")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def find(env: Mapping[str, str], home: str) -> Iterator[Found]:
    """Existing workspaces, the likeliest first; the same one may come twice under two names."""
    home = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    named = set_value(env, "OPENCLAW_WORKSPACE_DIR")
    states = [*state_dirs(env, home)]
    if named:
        state = states[0] if states else None
        yield from _found(path_value(named, env, home), "OPENCLAW_WORKSPACE_DIR", state)
    config_path, roots = config_value(env), allowed_roots(env)
    if config_path and not states:  # the configuration of somebody who keeps no state here yet
        yield from _of_config(read_config(path_value(config_path, env, home), roots), None, env, home)
    for number, state in enumerate(states):
        is_named = bool(config_path) and number == 0
        config = read_config(path_value(config_path, env, home), roots) if is_named else config_of(state, roots)
        yield from _of_config(config, state, env, home)
        yield from _defaults(state, env, home)


def config_value(env: Mapping[str, str]) -> str:
    """The configuration file that the environment names, by its present or its first name; "" when none."""
    return set_value(env, "OPENCLAW_CONFIG_PATH") or set_value(env, "CLAWDBOT_CONFIG_PATH")


# ------------------------------------------------------------------ state directories


def state_dirs(env: Mapping[str, str], home: str) -> Iterator[str]:
    """State directories that exist: the one the environment names, else every one a home holds."""
    for variable in ("OPENCLAW_STATE_DIR", "CLAWDBOT_STATE_DIR"):
        value = set_value(env, variable)
        if value:
            state = real_directory(path_value(value, env, home) or "")
            if state:
                yield state
            return
    profile = _profile(env)
    if profile:
        names = (f"{name}-{profile}" for name in (".openclaw", *_LEGACY_STATE))
        state = next((each for name in names if (each := real_directory(os.path.join(home, name)))), None)
        if state:
            yield state
        return
    default = real_directory(os.path.join(home, ".openclaw"))
    if default:
        yield default
    # A daemon is not started with the agent's environment: named profiles are seen by their directories.
    for name in subdirectories(home):
        if name.startswith(".openclaw-") and os.path.isfile(os.path.join(home, name, "openclaw.json")):
            yield os.path.realpath(os.path.join(home, name))
    if not default:
        yield from (state for name in _LEGACY_STATE if (state := real_directory(os.path.join(home, name))))


def _profile(env: Mapping[str, str]) -> str:
    profile = set_value(env, "OPENCLAW_PROFILE") or set_value(env, "CLAWDBOT_PROFILE")
    return profile if profile != "default" and _is_name(profile) else ""


def _defaults(state: str, env: Mapping[str, str], home: str) -> Iterator[Found]:
    """Where the default agent works when the configuration does not say, in every release's words."""
    own = os.path.join(state, "workspace")
    yield from _found(own, "OpenClaw's default workspace", state)
    if not os.path.isdir(own) and (set_value(env, "OPENCLAW_STATE_DIR") or set_value(env, "CLAWDBOT_STATE_DIR")):
        # Until 2026.5 a named state directory did not move the workspace.
        yield from _found(os.path.join(home, ".openclaw", "workspace"), "OpenClaw's default workspace", state)
    profile = _profile(env)
    if profile:
        why = f"OpenClaw's workspace of the profile {profile}"
        yield from _found(os.path.join(state, f"workspace-{profile}"), why, state)
        # Until 2026.3 a named profile's workspace lay in the default state directory.
        yield from _found(os.path.join(home, ".openclaw", f"workspace-{profile}"), why, state)
    if os.path.basename(state).partition("-")[0] in _LEGACY_STATE:
        yield from _found(os.path.join(home, f"clawd-{profile}" if profile else "clawd"), "Clawdbot's workspace", state)


# ------------------------------------------------------------------ the configuration


def _of_config(config: dict[str, Any], state: str | None, env: Mapping[str, str], home: str) -> Iterator[Found]:
    agents = table(config.get("agents"))
    root = path_value(table(agents.get("defaults")).get("workspace"), env, home)
    if root:
        yield from _found(root, "OpenClaw's default workspace (agents.defaults.workspace)", state)
    for name, entry in roster(agents):
        own = path_value(entry.get("workspace"), env, home)
        shown = name.encode("utf-8", "replace").decode()
        why = f"workspace of OpenClaw's agent {shown}"
        if own:
            yield from _found(own, why, state)
        if not _is_name(name):
            continue
        if not own and state is not None:
            yield from _found(os.path.join(state, f"workspace-{agent_id(name)}"), why, state)
        # From 2026.7.1 an agent without its own workspace works below the default root; before, such a directory is
        # just one of the default agent's.
        if root and not own:
            below = os.path.join(root, name)
            if any(os.path.lexists(os.path.join(below, mark)) for mark in _MARKS):
                yield from _found(below, why, state)


def roster(agents: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Agents by id: `agents.list[]` until 2026.7, `agents.entries{}` from 2026.8.1."""
    listed = agents.get("list")
    for entry in listed[:AGENTS] if isinstance(listed, list) else []:
        name = table(entry).get("id")
        yield name if isinstance(name, str) else "", table(entry)
    for _, (name, entry) in zip(range(AGENTS), table(agents.get("entries")).items(), strict=False):
        yield str(name), table(entry)


def agent_id(name: str) -> str:
    """As OpenClaw names an agent in paths: in lower case, what is no letter, digit, `_` or `-` a dash; "main" for
    nothing."""
    plain = re.sub(r"[^a-z0-9_-]+", "-", name.strip().lower())
    return (plain if re.fullmatch(r"[a-z0-9][a-z0-9_-]*", plain) else plain.strip("-"))[:64] or "main"


def config_of(state: str, roots: Sequence[str] = ()) -> dict[str, Any]:
    for name in _CONFIG_NAMES:
        config = read_config(os.path.join(state, name), roots)
        if config:
            return config
    return {}


def read_config(path: str | None, roots: Sequence[str] = ()) -> dict[str, Any]:
    """The configuration as plain values, what it includes in place; {} when it is missing, too large, no regular file
    or no JSON5. ``roots``: where included files may lie as well."""
    config = json_object(path) if path else {}
    return included(config, path, json_object, roots) if path and config else config


def json_object(path: str) -> dict[str, Any]:
    """What a file of JSON, also with comments, holds; {} for anything else."""
    return table(_json(path))


def unread_configs(env: Mapping[str, str], home: str) -> Iterator[str]:
    """Configuration files that are there and say nothing that can be understood: what they configure is not found."""
    home = path_value(set_value(env, "OPENCLAW_HOME"), env, home) or os.path.abspath(home)
    named = path_value(config_value(env), env, home)
    states = [*state_dirs(env, home)]
    below = [os.path.join(state, name) for state in (states[1:] if named else states) for name in _CONFIG_NAMES]
    for path in [*([named] if named else []), *below]:
        if os.path.lexists(path) and not isinstance(_json(path), dict):
            yield path


def _json(path: str) -> object:
    """None when it is no JSON of any kind."""
    data = _read(path)
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        pass
    if not data or len(data) > JSON5_BYTES:
        return None
    import json5  # slow to import and to run: only for a file that is no strict JSON

    try:
        return json5.loads(data.decode("utf-8-sig"))
    except Exception:
        # A third-party parser fed with whatever stands there: no error of it is worth more than "unreadable".
        return None


def _read(path: str) -> bytes:
    try:
        # Without O_NONBLOCK a FIFO in the place of the file would hold the start up for ever.
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return b""
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return b""
        with open(descriptor, "rb", closefd=False) as file:
            data = file.read(CONFIG_BYTES + 1)
    except OSError:
        return b""
    finally:
        os.close(descriptor)
    return data if len(data) <= CONFIG_BYTES else b""


# ------------------------------------------------------------------ values of the configuration


def _found(path: str | None, why: str, state: str | None) -> Iterator[Found]:
    root = real_directory(path) if path else None
    if root:
        yield Found(os.fsencode(root), "openclaw", why, os.fsencode(state) if state else None)


def path_value(value: object, env: Mapping[str, str], home: str) -> str | None:
    """A path as OpenClaw reads it: `~` is its home, `${NAME}` the environment. None when it is no absolute path
    then (OpenClaw takes a relative one from a working directory that nobody else knows)."""
    if not isinstance(value, str):
        return None
    text = value.strip()
    names = _VARIABLE.findall(text)
    if any(not env.get(name) for name in names):
        return None
    text = _VARIABLE.sub(lambda match: env[match[1]], text)
    if text == "~" or text.startswith("~/"):
        text = home + text[1:]
    return os.path.normpath(text) if os.path.isabs(text) and "\0" not in text else None


def table(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _is_name(text: str) -> bool:
    """Whether the text may stand as one part of a path."""
    return 0 < len(text) <= 255 and text not in (".", "..") and "/" not in text and "\0" not in text
