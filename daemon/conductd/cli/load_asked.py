"""What `conductd load` is asked about: which directory, which agent, which release; and what its loader says.

The agent is the one named, else the one that the directory looks like. For a file, the directories above it and the
agents that they look like are tried until one of them takes the file up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import NamedTuple

from conductd.agents import loading
from conductd.agents.loading import Asked, Loader
from conductd.agents.profiles import PROFILES
from conductd.cli.load_pins import with_pins
from conductd.cli.options import Options, tell_broken
from conductd.cli.output import harmless
from conductd.core.load.loaded import Load, LoadedFile
from conductd.core.load.openclaw_versions import Session
from conductd.errors import ConfigError, NotFound

_UP = 3  # directories above a file that are asked whose workspace they are

Chosen = tuple[list[LoadedFile], list[LoadedFile]]


class Answer(NamedTuple):
    """``chosen``: the files that are told, those taken up and those left out. ``said``: what was guessed."""

    load: Load
    chosen: Chosen
    root: str
    loader: Loader
    said: list[str]


class _Try(NamedTuple):
    root: str
    loader: Loader
    said: list[str]


def answer(
    options: Options, file: str | None, workspace: str | None, agent: str | None, version: str | None, session: str
) -> Answer:
    """Raises NotFound when nothing says which agent it is, or none takes the file up; UsageError for an agent or a
    version that there is not."""
    loaders = _loaders(options)
    named = loading.named(agent, loaders) if agent is not None else None
    wanted = file if file is not None and not os.path.isdir(file) else None
    root = _directory(file, workspace, wanted)
    if not os.path.isdir(root):
        raise NotFound(f"there is no directory {harmless(root)}", "check --workspace")
    is_tried = False
    for each in _tries(root, _UP if wanted is not None and workspace is None else 0, named, loaders):
        is_tried = True
        load, said = _load(each, options, version, session)
        chosen = _chosen(load, wanted) if wanted is not None else (list(load.files), list(load.left_out))
        if wanted is None or any(chosen):
            return Answer(load, chosen, each.root, each.loader, said)
    if is_tried:
        raise NotFound(
            f"{harmless(wanted or root)} is not among the files that are loaded", "without FILE all of them are shown"
        )
    raise NotFound(
        f"nothing in {harmless(root)} says which agent loads it",
        f"name it: --agent {'|'.join(each.name for each in loaders)}",
    )


def _directory(file: str | None, workspace: str | None, wanted: str | None) -> str:
    if workspace is not None:
        return os.path.abspath(workspace)
    if wanted is not None:
        return os.path.dirname(os.path.abspath(wanted))
    return os.path.abspath(file if file is not None else os.curdir)


def _tries(root: str, up: int, named: Loader | None, loaders: tuple[Loader, ...]) -> Iterator[_Try]:
    """Directories and agents, the likeliest first; the directory itself for an agent that was named."""
    home = os.path.expanduser("~")
    for _ in range(up + 1):
        if named is not None:
            yield _Try(root, named, [])
        else:
            guesses = loading.guessed(root, os.environ, home, loaders)
            for loader, by in guesses:
                others = [each.name for each, _ in guesses if each is not loader]
                more = [f"looks like {_listed(others)} as well: name it with --agent"] if others else []
                yield _Try(root, loader, [f"taken for {loader.display} by its {by}", *more])
        root = os.path.dirname(root)


def _load(asked: _Try, options: Options, version: str | None, session: str) -> tuple[Load, list[str]]:
    said = list(asked.said)
    release, is_installed = (version, False) if version else loading.version_of(asked.loader, os.environ)
    if not version and asked.loader.newest:
        said.append(
            f"version {release} is installed" if is_installed else f"no version is installed: taken as {release}"
        )
    said.append(_limits(asked.loader))
    what = Asked(asked.root, release, Session(session), os.environ, os.path.expanduser("~"))
    return with_pins(asked.loader.load(what), options.socket_path()), said


def _limits(loader: Loader) -> str:
    """What sets the agent's limits, as its profile says."""
    if loader not in loading.LOADERS:
        return "limits are set by its [[agents]] in the configuration"
    at = PROFILES[loader.name].limits
    return f"limits: {at}" if at.startswith("none") else f"limits are set by {at}"


def _chosen(load: Load, file: str) -> Chosen:
    """By its path, links followed, else by the name it is shown with."""
    for same in (os.path.abspath(file), os.path.realpath(file)):
        files = [each for each in load.files if same in (each.path, os.path.realpath(each.path))]
        left_out = [each for each in load.left_out if same in (each.path, os.path.realpath(each.path))]
        if files or left_out:
            return files, left_out
    return [each for each in load.files if each.name == file], [each for each in load.left_out if each.name == file]


def _loaders(options: Options) -> tuple[Loader, ...]:
    """Those known, and those that the configuration describes. A broken one is told and passed over."""
    from conductd.config import paths

    env = options.environ()
    if not os.path.exists(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env)):
        return loading.LOADERS
    from conductd.config.load import load

    try:
        return loading.with_further(each.chain() for each in load(None, env).agents)
    except ConfigError as error:
        tell_broken(error.message, error.faults)
        return loading.LOADERS


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
