"""Reads the configuration for a start or a reload; a start with a broken one goes on with the last that was good.

The text of the last good one is kept in the state directory (0600: a channel's URL may hold a token), with the path it
was read from: the file of another path never stands in for it. A first start has none, and ends with every fault.

A file that is gone, or in which no key is left, is a fault where one with keys was in force: so looks a file that is
just being saved, and one that was removed by mistake. Who means it leaves one line in it.
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
from conductd.config.last_place import last_place, remember
from conductd.config.load import from_text, parse, source_of, text_of
from conductd.errors import ConfigError
from conductd.model import Frozen

log = structlog.get_logger("config")

KEPT = "last-good-config.json"
FAULTS_TOLD = 3
MEANT = 'mode = "protect"'  # a line that says what holds anyway
PUT_BACK = f"put it back; to go on with the defaults, leave one line in it: {MEANT}"
_MOST = 8 * 1024 * 1024  # a text of 1 MiB, every character of it escaped


class Read(Frozen, frozen=True):
    """``text``: what is in force. It stood in the file ``source``; without a ``fault`` it stands there still."""

    config: Config
    source: str
    text: str
    fault: ConfigError | None = None


def read(path: str | None, env: Mapping[str, str], before: str = "") -> Read:
    """The configuration that is written. `before`: the text of the one in force, "" where there is none. Raises
    ConfigError with every fault."""
    source = os.path.abspath(source_of(path, env))
    if _says_something(before) and not os.path.lexists(source):
        raise ConfigError(f"there is no configuration file {source} any more", PUT_BACK)
    text = text_of(path, env)
    if _says_something(before) and not _says_something(text):
        what = "nothing but comments" if text.strip() else "nothing"
        raise ConfigError(f"the configuration file {source} has {what} in it any more", PUT_BACK)
    return Read(from_text(text, source, env).with_real_roots(), source, text)


def at_start(path: str | None, env: Mapping[str, str], state_dir: str | None) -> Read:
    """The same, or the last good one. `state_dir`: where the command line names one. Raises ConfigError."""
    source = os.path.abspath(source_of(path, env))
    kept = _kept(state_dir or _said_state_dir(path, env), source)
    try:
        return read(path, env, kept or "")
    except ConfigError as fault:
        if kept is None:
            raise
        try:
            config = from_text(kept, source, env).with_real_roots()
        except ConfigError:  # of another release: what is to be told is what stands in the file
            raise fault from None
        return Read(config, source, kept, fault)


def keep(state_dir: str, good: Read) -> None:
    """Remember what a start, or a reload, went well with. Never fails: it is only a spare."""
    path = os.path.join(state_dir, KEPT)
    data = json.dumps({"source": good.source, "text": good.text}).encode()
    try:
        with suppress(FileNotFoundError), open(path, "rb") as there:
            if there.read(_MOST + 1) == data:
                return
        whole_file.put(path, data)
    except OSError as error:
        log.warning("the last good configuration cannot be kept", error=error.strerror)


def ran_with(state_dir: str, source: str) -> bool:
    """Whether the last daemon there had this configuration file."""
    return _kept(state_dir, os.path.abspath(source)) is not None


def refuse_lost_place(good: Read, state_dir: str | None, env: Mapping[str, str]) -> None:
    """Where nothing says any more where the history is, and it is not where it was, no second one is begun.
    `state_dir`: where the command line names one. Raises ConfigError."""
    place = last_place(good.source, env)
    if not place or _says_place(good, state_dir, env) or os.path.isdir(os.path.join(place, "journal")):
        return
    raise ConfigError(
        f"the history was in {place}, which is not there, and {good.source} says no state_dir any more",
        "mount its disk, or put it back; or say where it is, or is to begin: state_dir = ...",
    )


def keep_place(good: Read, state_dir: str | None, env: Mapping[str, str]) -> None:
    """A place that stands only in the configuration outlives it. Never fails: it is only a spare."""
    if state_dir or env.get("CONDUCTD_STATE_DIR") or not _says_place(good, state_dir, env):
        return
    try:
        remember(good.source, good.config.state_dir, env)
    except OSError as error:
        log.warning("where the history is cannot be remembered", error=error.strerror)


def _says_place(good: Read, state_dir: str | None, env: Mapping[str, str]) -> bool:
    return bool(state_dir or env.get("CONDUCTD_STATE_DIR") or parse(good.text.removeprefix("\ufeff")).state_dir)


def told(fault: ConfigError) -> str:
    """One sentence for the status. The log has every fault."""
    faults = [each for each in fault.faults if each != fault.message]
    more = f"; and {len(faults) - FAULTS_TOLD} more" if len(faults) > FAULTS_TOLD else ""
    named = ": " + "; ".join(faults[:FAULTS_TOLD]) + more if faults else ""
    return f"{fault.message}, the last good one is in force{named}"


def _says_something(text: str) -> bool:
    """Whether there is a key or a table in it."""
    lines = (each.strip() for each in text.removeprefix("\ufeff").splitlines())
    return any(each and not each.startswith("#") for each in lines)


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
    named = named or last_place(source_of(path, env), env)
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
