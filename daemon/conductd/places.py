"""Where things are when nobody says otherwise: the state directory and the socket.

Pure: takes options and an environment, returns raw paths. Both the daemon and the CLI ask here, so
that they always agree. Never creates or checks anything.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping

STATE_DIR_VARIABLE = "CONDUCTD_STATE_DIR"
SOCKET_VARIABLE = "CONDUCTD_SOCKET"
CONFIG_VARIABLE = "CONDUCTD_CONFIG"

SOCKET_NAME = b"conductd.sock"


def state_dir(option: str | None, environ: Mapping[str, str], configured: str | None = None) -> bytes:
    """Option, then CONDUCTD_STATE_DIR, then the config's key, then the platform's place. Absolute."""
    chosen = option or environ.get(STATE_DIR_VARIABLE) or configured
    if chosen:
        return _absolute(chosen)
    home = environ.get("HOME") or os.path.expanduser("~")
    if sys.platform == "darwin":
        return os.fsencode(os.path.join(home, "Library", "Application Support", "conductd"))
    base = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(base):  # the XDG base directory specification says to ignore relative values
        base = os.path.join(home, ".local", "state")
    return os.fsencode(os.path.join(base, "conductd"))


def config_file(option: str | None, environ: Mapping[str, str]) -> bytes:
    """Option, then CONDUCTD_CONFIG, then the platform's place. The file need not exist."""
    chosen = option or environ.get(CONFIG_VARIABLE)
    if chosen:
        return _absolute(chosen)
    home = environ.get("HOME") or os.path.expanduser("~")
    base = environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(base):
        base = os.path.join(home, ".config")
    return os.fsencode(os.path.join(base, "conductd", "config.toml"))


def socket(option: str | None, environ: Mapping[str, str], state: bytes, configured: str | None = None) -> bytes:
    """Option, then CONDUCTD_SOCKET, then the config's key, then `conductd.sock` in the state directory.

    May be longer than a socket address allows: see `api.socket_path`.
    """
    chosen = option or environ.get(SOCKET_VARIABLE) or configured
    return _absolute(chosen) if chosen else os.path.join(state, SOCKET_NAME)


def _absolute(path: str) -> bytes:
    return os.path.abspath(os.fsencode(os.path.expanduser(path)))
