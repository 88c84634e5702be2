"""Reads the configuration for a start or a reload; a start with a broken one goes on with the last that was good.

The text of the last good one is kept in the state directory (0600: a channel's URL may hold a token), with the path it
was read from: the file of another path never stands in for it. A first start has none, and ends with every fault.
"""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Mapping
from contextlib import suppress

import structlog

from conductd import whole_file
from conductd.config import Config, paths
from conductd.config.load import from_text, source_of, text_of
from conductd.errors import ConfigError
from conductd.model import Frozen

log = structlog.get_logger("config")

KEPT = "last-good-config.json"
FAULTS_TOLD = 3
_MOST = 8 * 1024 * 1024  # a text of 1 MiB, every character of it escaped


class Read(Frozen, frozen=True):
    """``text``: what stands in the file ``source``, None where the last good one is in force because of ``fault``."""

    config: Config
    source: str
    text: str | None
    fault: ConfigError | None = None


def read(path: str | None, env: Mapping[str, str]) -> Read:
    """The configuration that is written. Raises ConfigError with every fault."""
    source, text = source_of(path, env), text_of(path, env)
    return Read(from_text(text, source, env).with_real_roots(), os.path.abspath(source), text)


def at_start(path: str | None, env: Mapping[str, str], state_dir: str | None) -> Read:
    """The same, or the last good one. `state_dir`: where the command line names one. Raises ConfigError."""
    try:
        return read(path, env)
    except ConfigError as fault:
        source = os.path.abspath(source_of(path, env))
        kept = _kept(state_dir or _said_state_dir(path, env), source)
        if kept is None:
            raise
        try:
            config = from_text(kept, source, env).with_real_roots()
        except ConfigError:  # of another release: what is to be told is what stands in the file
            raise fault from None
        return Read(config, source, None, fault)


def keep(state_dir: str, good: Read) -> None:
    """Remember what a start, or a reload, went well with. Never fails: it is only a spare."""
    if good.text is None:
        return
    path = os.path.join(state_dir, KEPT)
    data = json.dumps({"source": good.source, "text": good.text}).encode()
    try:
        with suppress(FileNotFoundError), open(path, "rb") as there:
            if there.read(_MOST + 1) == data:
                return
        whole_file.put(path, data)
    except OSError as error:
        log.warning("the last good configuration cannot be kept", error=error.strerror)


def told(fault: ConfigError) -> str:
    """One sentence for the status. The log has every fault."""
    faults = fault.faults or (fault.message,)
    more = f"; and {len(faults) - FAULTS_TOLD} more" if len(faults) > FAULTS_TOLD else ""
    return f"{fault.message}, the last good one is in force: " + "; ".join(faults[:FAULTS_TOLD]) + more


def _kept(state_dir: str, source: str) -> str | None:
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        number = os.open(os.path.join(state_dir, KEPT), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(number, "rb") as file:
            found = json.loads(file.read(_MOST))
        if found["source"] == source and isinstance(found["text"], str):
            return found["text"]
    return None


def _said_state_dir(path: str | None, env: Mapping[str, str]) -> str:
    """Where the state is although the file has faults: the environment's word, the file's if it can be made out."""
    named = env.get("CONDUCTD_STATE_DIR") or ""
    if not named:
        with suppress(ConfigError):
            named = _state_dir_in(text_of(path, env))
    return os.path.abspath(paths.expand(named or paths.default_state_dir(env), env))


def _state_dir_in(text: str) -> str:
    for line in text.splitlines():
        if line.lstrip().startswith("["):
            return ""  # tables begin: the key stands before them
        if line.lstrip().startswith("state_dir"):
            with suppress(tomllib.TOMLDecodeError):
                said = tomllib.loads(line).get("state_dir")
                return said if isinstance(said, str) else ""
    return ""
