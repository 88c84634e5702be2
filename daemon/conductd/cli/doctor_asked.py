"""What `conductd doctor` asks before it looks: the daemon, else the journal; the configuration; which workspaces.

Nothing here fails because a daemon is missing, a configuration is broken or a journal damaged: that is what the command
is for.
"""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from conductd import __version__
from conductd.cli import files
from conductd.cli.options import Options
from conductd.core.doctor.facts import Degraded, Running
from conductd.doctor.gather import Asked
from conductd.doctor.places import Known, Wanted
from conductd.errors import ConductdError, ConfigError, DaemonNotRunning

if TYPE_CHECKING:
    from conductd.api.client import Client
    from conductd.config import Config

T = TypeVar("T")
_UNGUARDED = "not guarded now: no daemon runs"
_NAMED = 5  # workspaces in one line


def asked(options: Options, workspace: str | None, agent: str | None, version: str | None) -> Asked:
    """Everything that `conductd.doctor.gather` needs. Raises NotFound for a directory that is named and not there."""
    env = options.environ()
    config, faults = _config(env)
    state_dir = _state_dir(options, config)
    socket = options.socket_path() if config is not None or options.socket or options.state_dir else _socket(state_dir)
    client, running = _ask(socket, state_dir)
    known = _of_daemon(client) if client is not None else _of_journal(state_dir)
    roots = (_named(workspace),) if workspace is not None else _roots(known, config, env)
    wanted = Wanted((agent,) if agent else (), version or "")
    return Asked(running, state_dir, socket, _config_path(env), config, faults, _weak(config), known, roots, wanted)


# ------------------------------------------------------------------ the configuration


def _config_path(env: dict[str, str]) -> str:
    from conductd.config import paths

    return paths.expand(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env), env)


def _config(env: dict[str, str]) -> tuple[Config | None, tuple[str, ...]]:
    from conductd.config.load import load

    path = _config_path(env)
    if os.path.exists(path) and not os.path.isfile(path):
        return None, (f"{path} is no regular file",)  # to read a pipe would wait for ever
    try:
        return load(None, env).with_real_roots(), ()
    except ConfigError as error:
        return None, error.faults or (error.message,)


def _state_dir(options: Options, config: Config | None) -> str:
    from conductd.config import paths
    from conductd.config.last_place import last_place

    env = options.environ()
    if options.state_dir:
        return os.path.abspath(options.state_dir)
    if config is not None:
        return config.state_dir
    said = env.get("CONDUCTD_STATE_DIR") or last_place(_config_path(env), env)
    return os.path.abspath(paths.expand(said or paths.default_state_dir(env), env))


def _socket(state_dir: str) -> bytes:
    return os.fsencode(os.environ.get("CONDUCTD_SOCKET") or os.path.join(state_dir, "conductd.sock"))


def _weak(config: Config | None) -> tuple[tuple[str, str, str], ...] | None:
    """What the configuration protects less than the defaults, by key."""
    if config is None:
        return None
    from conductd.config import Config as Defaults

    if config == Defaults(state_dir=config.state_dir, socket=config.socket):
        return ()
    from conductd.core.protection import differences
    from conductd.engine.people.settings import default_action, settings

    before, after = (settings(each, b"", observe=False) for each in (Defaults(), config))
    found = [each for each in differences(before, after, default_action) if each.weakens]
    weak = [
        (_key(each.key), each.words, "remove the key to protect as by default")
        for each in found
        if not (each.key.startswith("workspaces.") and each.key.endswith(".mode"))
    ]
    weak += _observed(config)
    if config.provenance == "repair":
        weak.append(
            (
                "provenance",
                "respect -> repair: MEMORY.md and USER.md are put back also where OpenClaw then leaves them out of "
                "the prompt",
                "remove the key unless you know that no record of OpenClaw is there",
            )
        )
    return tuple(dict.fromkeys(weak))


def _observed(config: Config) -> list[tuple[str, str, str]]:
    """The workspaces of which the file says "observe", in one line."""
    from conductd.views.words import counted

    roots = [table.root for table in config.workspaces if table.mode == "observe"]
    if not roots:
        return []
    more = f" and {len(roots) - _NAMED} more" if len(roots) > _NAMED else ""
    said = f'"observe" in {counted(len(roots), "table")} ({", ".join(roots[:_NAMED])}{more}): nothing is put back there'
    better = '`conductd protect DIR` for each that is to be protected, or mode = "protect" in its table'
    return [("workspaces.mode", said, better)]


def _key(key: str) -> str:
    """Workspaces are kept under digests of their names: here one word is enough."""
    first, dot, rest = key.partition(".")
    return f"{first}.{rest.partition('.')[2] or rest}" if first == "workspaces" and dot else key


# ------------------------------------------------------------------ the daemon


def _ask(socket: bytes, state_dir: str) -> tuple[Client | None, Running]:
    from conductd.api.client import API_VERSION, Client

    base = Running(own_version=__version__, own_api=API_VERSION)
    client = Client(socket)
    try:
        hello = client.hello()
        degraded = tuple(Degraded(each.reason, each.message, each.hint) for each in client.status().degraded)
    except DaemonNotRunning:
        from conductd.journal.lock import holder

        return None, _replaced(base, answers=False, holder=holder(os.path.join(state_dir, "lock")) or 0)
    except ConductdError as error:
        return None, _replaced(base, answers=False if error.code == "not_our_socket" else None, why_not=error.message)
    running = _replaced(
        base,
        answers=True,
        version=hello.daemon,
        api=hello.api,
        degraded=degraded,
        observing=hello.mode == "observe",
    )
    return client, running


def _replaced(running: Running, **changed: object) -> Running:
    from msgspec.structs import replace

    return replace(running, **changed)


def _of_daemon(client: Client) -> dict[bytes, Known] | None:
    spaces = _or_none(client.workspaces)
    if spaces is None:
        return None
    pins = _or_none(lambda: client.pins(None))
    return {
        base64.b64decode(each.root_b64): Known(
            True,
            each.mode,
            each.state,
            each.watched,
            each.device,
            each.inode,
            each.profile,
            None if pins is None else sum(pin.workspace == each.id for pin in pins),
            each.id,
        )
        for each in spaces
    }


def _or_none(ask: Callable[[], T]) -> T | None:
    try:
        return ask()
    except ConductdError:
        return None


def _of_journal(state_dir: str) -> dict[bytes, Known] | None:
    """What the journal knows, read beside whoever writes it; None when it cannot be read. Nobody watches now."""
    if not os.path.isdir(os.path.join(state_dir, "journal")):
        return None
    from conductd.cli.offline import open_journal
    from conductd.engine.recording.recovery import open_state

    try:
        with open_journal(state_dir) as journal:
            state = open_state(journal)
    except (ConductdError, OSError):
        return None
    pinned = {each.id: len(each.pins) for each in state.workspaces.values()}
    return {
        each.root: Known(True, str(each.mode), _UNGUARDED, None, each.device, each.inode, each.profile, pinned[each.id])
        for each in state.workspaces.values()
    }


# ------------------------------------------------------------------ which workspaces


def _named(workspace: str) -> bytes:
    path = files.path(workspace)
    real = os.path.realpath(path)
    if not os.path.lexists(path):
        return os.path.abspath(path)
    return real


def _roots(known: dict[bytes, Known] | None, config: Config | None, env: dict[str, str]) -> tuple[bytes, ...]:
    """Those that are watched, else configured, else found; else the current directory, if it looks like one."""
    if known:
        return tuple(sorted(known))
    if config is not None and config.workspaces:
        return tuple(table.root_bytes for table in config.workspaces)
    from conductd.agents import loading
    from conductd.agents.discover import find

    chains = [each.chain() for each in config.agents] if config is not None else []
    found = tuple(each.root for each in find(env, chains=chains))
    if found:
        return found
    here = os.path.realpath(os.getcwdb())
    is_one = loading.guessed(os.fsdecode(here), env, os.path.expanduser("~"), loading.with_further(chains))
    return (here,) if is_one else ()
