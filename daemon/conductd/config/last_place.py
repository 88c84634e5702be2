"""Where the state was that a configuration put elsewhere: remembered beside the default place.

A configuration file that is gone, or that no longer says `state_dir`, must not begin a second, empty history: the one
there is stays where it is. Kept by the path of the configuration file, so that another file's never stands in for it.
Written by a start and forgotten by a purge; read wherever a configuration is placed.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress

from conductd import whole_file
from conductd.config import paths

NAME = "state-places.json"
_MOST = 1 << 20


def last_place(source: str, env: Mapping[str, str]) -> str:
    """Of the configuration file `source`; "": it was the default, or it is not known."""
    return _known(env).get(os.path.abspath(source), "")


def remember(source: str, state_dir: str, env: Mapping[str, str]) -> None:
    """It names this state directory. Raises OSError."""
    known, source = _known(env), os.path.abspath(source)
    default = os.path.abspath(paths.default_state_dir(env))
    wanted = {**known, source: state_dir}
    if state_dir == default:
        del wanted[source]
    if wanted == known:
        return
    os.makedirs(default, mode=0o700, exist_ok=True)
    whole_file.put(_file(env), json.dumps(wanted).encode())


def forget(state_dir: str, env: Mapping[str, str]) -> None:
    """What was there is purged. Raises OSError."""
    known = _known(env)
    left = {source: place for source, place in known.items() if place != state_dir}
    if left == known:
        return
    if left:
        whole_file.put(_file(env), json.dumps(left).encode())
        return
    os.unlink(_file(env))
    with suppress(OSError):
        os.rmdir(os.path.dirname(_file(env)))  # made for it, where nothing else is in it


def _known(env: Mapping[str, str]) -> dict[str, str]:
    with suppress(OSError, ValueError, RecursionError):
        number = os.open(_file(env), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(number, "rb") as file:
            found = json.loads(file.read(_MOST))
        if isinstance(found, dict):
            return {str(source): place for source, place in found.items() if isinstance(place, str) and place}
    return {}


def _file(env: Mapping[str, str]) -> str:
    return os.path.join(os.path.abspath(paths.default_state_dir(env)), NAME)
