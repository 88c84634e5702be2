"""Where things lie unless told otherwise, by platform and environment.

Standard library only; reads the environment it is given, never the process's own, and looks at no disk.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def home(env: Mapping[str, str]) -> str:
    """The home directory: `HOME`, else what the user database says."""
    return env.get("HOME") or os.path.expanduser("~")


def expand(path: str, env: Mapping[str, str]) -> str:
    """`~` and `~/…` resolved against `HOME` of `env`; the result is normalised, links are kept."""
    if path == "~" or path.startswith("~/"):
        path = home(env) + path[1:]
    return os.path.normpath(path)


def default_state_dir(env: Mapping[str, str], platform: str = sys.platform) -> str:
    if platform == "darwin":
        return os.path.join(home(env), "Library", "Application Support", "conductd")
    return os.path.join(_xdg(env, "XDG_STATE_HOME", ".local/state"), "conductd")


def default_config_path(env: Mapping[str, str]) -> str:
    return os.path.join(_xdg(env, "XDG_CONFIG_HOME", ".config"), "conductd", "config.toml")


def default_socket(state_dir: str) -> str:
    """In the state directory; the server moves it to a short private directory where that is too long."""
    return os.path.join(state_dir, "conductd.sock")


def _xdg(env: Mapping[str, str], name: str, fallback: str) -> str:
    # The XDG specification: a relative value is invalid and ignored.
    value = env.get(name, "")
    return value if os.path.isabs(value) else os.path.join(home(env), fallback)
