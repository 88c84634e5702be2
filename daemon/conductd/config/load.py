"""Reads the configuration file and the environment.

Reads at most 1 MiB, writes nothing. Where nothing says where the state is, it is where it was (`config.last_place`).
"""

from __future__ import annotations

import copy
import os
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from conductd.config import paths
from conductd.config.agents import agent_faults
from conductd.config.check import Fault, faults, flat_actions, not_one_of
from conductd.config.jobs import zone_faults
from conductd.config.last_place import last_place
from conductd.config.lines import Place, key_lines
from conductd.config.schema import LOADED_AGENTS, PROFILES, Config
from conductd.core.notifying.urls import written_fault
from conductd.errors import ConfigError

MAX_BYTES = 1024 * 1024


def load(path: str | None, env: Mapping[str, str]) -> Config:
    """The configuration in force.

    The file is `path`, else `CONDUCTD_CONFIG`, else the default place, where it may be missing.
    `CONDUCTD_STATE_DIR` and `CONDUCTD_SOCKET` win over the file. All paths of the result are absolute.
    Raises `ConfigError` with every fault found.
    """
    source = source_of(path, env)
    return from_text(text_of(path, env), source, env)


def source_of(path: str | None, env: Mapping[str, str]) -> str:
    """The file that `load` reads."""
    return paths.expand(path or env.get("CONDUCTD_CONFIG") or paths.default_config_path(env), env)


def text_of(path: str | None, env: Mapping[str, str]) -> str:
    """What stands in it; "" where the default place has none. Raises `ConfigError` when it cannot be read."""
    return _read(source_of(path, env), required=bool(path or env.get("CONDUCTD_CONFIG")))


def parse(text: str, source: str = "config.toml", env: Mapping[str, str] | None = None) -> Config:
    """The configuration a TOML text says, paths as written. `env`: places are held against it as well.

    Raises `ConfigError` with every fault: what is right is held against the rest also where another key is wrong.
    """
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise _broken(source, (f"not TOML: {error}",)) from None
    if "actions" in raw:
        raw["actions"] = flat_actions(raw["actions"])
    found = [*faults(raw, Config)]
    config = msgspec.convert(raw, Config) if not found else _without(raw, found)
    if config is not None:
        doubtful = {each.place[:1] for each in found}
        further = [*_cross_faults(config), *(_place_faults(config, env) if env is not None else ())]
        # A default in the place of a faulty key contradicts nobody; an agent that is at fault may be named.
        if ("agents",) not in doubtful:
            doubtful.discard(("workspaces",))
        else:
            doubtful.add(("workspaces",))
        found += [each for each in further if each.place[:1] not in doubtful]
    if found or config is None:
        lines = key_lines(text)
        raise _broken(source, tuple(_sentence(fault, lines) for fault in found))
    return config


def _without(raw: dict[str, Any], found: Iterable[Fault]) -> Config | None:
    """What is left without the keys that are at fault; None: nothing can be said of it."""
    left = copy.deepcopy(raw)
    for number, (place, _) in enumerate(found):
        table: Any = left
        try:
            for key in place[:-1]:
                table = table[key]
            if place[-2:-1] == ("workspaces",) and isinstance(table[place[-1]], dict):
                table[place[-1]]["root"] = f"/{number}"  # which is what is missing of it
            elif place[0] == "workspaces" and place[-1] == "root":
                table["root"] = f"/{number}"
            elif isinstance(table, dict):
                del table[place[-1]]
            else:
                left.pop(str(place[0]), None)
        except (LookupError, TypeError):
            continue
    try:
        return msgspec.convert(left, Config)
    except (msgspec.ValidationError, TypeError, ValueError):
        return None


def from_text(text: str, source: str, env: Mapping[str, str]) -> Config:
    """The configuration in force were `text` what stands in the file `source`. Raises ConfigError."""
    return _resolved(parse(text.removeprefix("\ufeff"), source, env), source, env)


def refuse_state_dir_in(state_dir: str, roots: Iterable[str | bytes]) -> None:
    """Raises `ConfigError` when the state directory and a workspace contain one another.

    Recording the record would never end; a workspace is also what agents may write to.
    """
    state = os.path.realpath(state_dir)
    inside = tuple(root for root in map(os.fsdecode, roots) if _contains(os.path.realpath(root), state))
    holding = tuple(root for root in map(os.fsdecode, roots) if _contains(state, os.path.realpath(root)))
    texts = tuple(f"the state directory {state_dir} lies inside the workspace {root}" for root in inside) + tuple(
        f"the workspace {root} lies inside the state directory {state_dir}" for root in holding if root not in inside
    )
    if texts:
        raise ConfigError(texts[0], "choose another directory with --state-dir or the key `state_dir`", texts)


def _contains(outer: str, inner: str) -> bool:
    return os.path.commonpath([outer, inner]) == outer


def _read(source: str, *, required: bool) -> str:
    try:
        # A pipe would keep the reader waiting for a writer that never comes.
        with os.fdopen(os.open(source, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode) and source != os.devnull:
                raise _broken(source, ("it is no regular file",))
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        if required:
            raise ConfigError(
                f"there is no configuration file {source}",
                "leave out --config and CONDUCTD_CONFIG to run with the defaults, or copy config.example.toml there",
                (f"{source} does not exist",),
            ) from None
        return ""
    except OSError as error:
        raise ConfigError(
            f"the configuration file {source} cannot be read: {error.strerror}",
            "make it readable for the user that runs conductd",
            (f"{source}: {error.strerror}",),
        ) from None
    if len(data) > MAX_BYTES:
        raise _broken(source, (f"larger than {MAX_BYTES} bytes",))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _broken(source, (f"line {line}: not UTF-8",)) from None


def _resolved(config: Config, source: str, env: Mapping[str, str]) -> Config:
    said = env.get("CONDUCTD_STATE_DIR") or config.state_dir
    state_dir = said or last_place(source, env) or paths.default_state_dir(env)
    state_dir = os.path.abspath(paths.expand(state_dir, env))
    socket = env.get("CONDUCTD_SOCKET") or config.socket or paths.default_socket(state_dir)
    socket = os.path.abspath(paths.expand(socket, env))
    workspaces = tuple(
        msgspec.structs.replace(each, root=paths.expand(each.root, env), bootcard=_expanded(each.bootcard, env))
        for each in config.workspaces
    )
    bootcard = msgspec.structs.replace(config.bootcard, directory=_expanded(config.bootcard.directory, env))
    placed = msgspec.structs.replace(config, workspaces=workspaces, bootcard=bootcard)
    found = tuple(_sentence(each, {}) for each in _place_faults(config, env))
    if found:
        raise _broken(source, found)
    refuse_state_dir_in(state_dir, {each.root for each in workspaces})
    return msgspec.structs.replace(placed, state_dir=state_dir, socket=socket)


def _place_faults(config: Config, env: Mapping[str, str]) -> Iterator[Fault]:
    seen: set[str] = set()
    for number, each in enumerate(config.workspaces):
        root, card = paths.expand(each.root, env), _expanded(each.bootcard, env)
        if not os.path.isabs(root):
            yield Fault(("workspaces", number, "root"), f"must be an absolute path or start with ~/, is {root}")
        if root in seen:
            yield Fault(("workspaces", number, "root"), f"{root} is named twice")
        seen.add(root)
        if card and not os.path.isabs(card):
            yield Fault(("workspaces", number, "bootcard"), f"must be an absolute path or start with ~/, is {card}")
    directory = _expanded(config.bootcard.directory, env)
    if directory and not os.path.isabs(directory):
        yield Fault(("bootcard", "directory"), f"must be an absolute path or start with ~/, is {directory}")


def _expanded(path: str, env: Mapping[str, str]) -> str:
    return paths.expand(path, env) if path else ""


def _cross_faults(config: Config) -> Iterator[Fault]:
    limits = config.thresholds
    if limits.shrink_share >= limits.overwrite_share:
        yield Fault(("thresholds", "shrink_share"), "must be smaller than thresholds.overwrite_share")
    if config.heartbeat.fail_url and not config.heartbeat.url:
        yield Fault(("heartbeat", "fail_url"), "is of no use without heartbeat.url")
    yield from _channel_faults(config)
    if not config.fights.backoff_minutes:
        yield Fault(("fights", "backoff_minutes"), "must name at least one wait")
    yield from (Fault(place, text) for place, text in agent_faults(config.agents))
    yield from (Fault(*each) for each in zone_faults(("jobs", "timezone"), config.jobs.timezone))
    for number, table in enumerate(config.workspaces):
        zone = table.jobs.timezone if table.jobs is not None else None
        yield from (Fault(*each) for each in zone_faults(("workspaces", number, "jobs", "timezone"), zone))
    readers = (*LOADED_AGENTS, *(each.name for each in config.agents if each.name not in LOADED_AGENTS))
    for number, table in enumerate(config.workspaces):
        for at, reader in enumerate(table.agents):
            if reader.partition("@")[0] not in readers:
                yield Fault(("workspaces", number, "agents", at), not_one_of(reader.partition("@")[0], readers))
    known = (*PROFILES, *(agent.name for agent in config.agents if agent.name not in PROFILES))
    for number, each in enumerate(config.workspaces):
        if each.profile is not None and each.profile not in known:
            yield Fault(("workspaces", number, "profile"), not_one_of(each.profile, known))


def _channel_faults(config: Config) -> Iterator[Fault]:
    """What is wrong whatever the variables of the environment hold."""
    names = [each.name for each in config.channels]
    for number, channel in enumerate(config.channels):
        if channel.name in names[:number]:
            yield Fault(("channels", number, "name"), f"two channels are called {channel.name}")
        found = written_fault(channel.url)
        if found:
            yield Fault(("channels", number, "url"), f"the URL of the channel {channel.name} {found}")


def _sentence(fault: Fault, lines: Mapping[Place, int]) -> str:
    dotted = ""
    for part in fault.place:
        dotted += f"[{part}]" if isinstance(part, int) else f".{part}" if dotted else str(part)
    line = _line(fault.place, lines)
    return (f"line {line}: " if line else "") + (f"{dotted}: " if dotted else "") + fault.text


def _line(place: Place, lines: Mapping[Place, int]) -> int | None:
    """The line of the key, else of the nearest table around it."""
    if len(place) == 2 and place[0] == "actions":
        nested = lines.get(("actions", *str(place[1]).split(".")))
        if nested:
            return nested
    while place and place not in lines:
        place = place[:-1]
    return lines.get(place)


def _broken(source: str, found: tuple[str, ...]) -> ConfigError:
    count = "a fault" if len(found) == 1 else f"{len(found)} faults"
    return ConfigError(f"the configuration {source} has {count}", "correct it; every key: conductd help config", found)
