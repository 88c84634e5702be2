"""What `conductd load` is asked about: which directory, which agent, which release; and what its loader says.

The agent is the one named, else the one that the configuration names or a daemon recorded, else the one that the
directory looks like. For a file, the directories above it and the
agents that they look like are tried until one of them takes the file up.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from conductd.agents import loading
from conductd.agents.loading import Asked, Loader
from conductd.agents.profiles import GENERIC, PROFILES, known_profiles, profile_named
from conductd.agents.unread import unread_of
from conductd.cli.load_pins import with_pins
from conductd.cli.options import Options, tell_broken
from conductd.cli.output import harmless
from conductd.cli.recorded import recorded
from conductd.core.load.loaded import Load, LoadedFile
from conductd.core.load.openclaw_versions import Session
from conductd.engine.loading.readers import Reader, readers
from conductd.errors import ConfigError, NotFound

if TYPE_CHECKING:
    from conductd.config.schema import Config, WorkspaceConfig

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
    """``version`` and ``session``: what the configuration says; "": nothing."""

    root: str
    loader: Loader
    said: list[str]
    version: str = ""
    session: str = ""


def answer(
    options: Options,
    file: str | None,
    workspace: str | None,
    agent: str | None,
    version: str | None,
    session: str | None,
) -> Answer:
    """Raises NotFound when nothing says which agent it is, or none takes the file up; UsageError for an agent or a
    version that there is not."""
    config = _config(options)
    loaders = loading.LOADERS if config is None else loading.with_further(each.chain() for each in config.agents)
    settled = _Settled(config, options.state_path() if config is None else config.state_dir, loaders)
    named = loading.named(agent, loaders) if agent is not None else None
    wanted = file if file is not None and not os.path.isdir(file) else None
    root = _directory(file, workspace, wanted)
    if not os.path.isdir(root):
        raise NotFound(f"there is no directory {harmless(root)}", "check --workspace")
    is_tried = False
    for each in _tries(root, _UP if wanted is not None and workspace is None else 0, named, loaders, settled):
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


class _Settled:
    """Who reads a directory by the configuration, else by what a daemon recorded of it: as `conductd status` has it."""

    def __init__(self, config: Config | None, state_dir: str, loaders: tuple[Loader, ...]) -> None:
        self._config, self._loaders = config, loaders
        self._recorded = recorded(state_dir)
        chains = [each.chain() for each in config.agents] if config is not None else []
        self._profiles = known_profiles(chains)

    def table(self, root: str) -> WorkspaceConfig | None:
        real = os.path.realpath(root)
        tables = self._config.workspaces if self._config is not None else ()
        return next((each for each in tables if os.path.realpath(each.root) == real), None)

    def readers(self, root: str) -> list[Reader]:
        """None where nothing says more than what the directory looks like."""
        table = self.table(root)
        known, _ = self._recorded.get(os.fsencode(os.path.realpath(root)), ("", None))
        name = (table.profile if table is not None else None) or known
        if not name and not (table is not None and table.agents):
            return []
        profile = profile_named(name or GENERIC.name, self._profiles)
        return readers(root, profile, table, self._loaders, os.environ, os.path.expanduser("~"))


def _tries(root: str, up: int, named: Loader | None, loaders: tuple[Loader, ...], settled: _Settled) -> Iterator[_Try]:
    """Directories and agents, the likeliest first; the directory itself for an agent that was named."""
    home = os.path.expanduser("~")
    for _ in range(up + 1):
        table = settled.table(root)
        version, session = (table.agent_version, table.session) if table is not None else ("", "")
        if named is not None:
            yield _Try(root, named, [], _named_version(table, named) or version, session)
        elif found := settled.readers(root):
            for each in found:
                others = [other.label for other in found if other is not each]
                more = [f"read by {_listed(others)} as well: name it with --agent"] if others else []
                guess = [each.guess] if each.guess else []
                release = each.asked.version if each.is_named else ""
                yield _Try(root, each.loader, [*guess, *more], release, session)
        else:
            guesses = loading.guessed(root, os.environ, home, loaders)
            for number, (loader, by) in enumerate(guesses):
                doubts = _doubts(loader, by, guesses[number + 1 :] if number == 0 else guesses)
                more = [f"looks like {_listed(doubts)} as well: name it with --agent"] if doubts else []
                yield _Try(root, loader, [f"taken for {loader.display} by its {by}", *more], version, session)
        root = os.path.dirname(root)


def _named_version(table: WorkspaceConfig | None, named: Loader) -> str:
    """The release that the configuration names beside the agent (`codex@0.9`)."""
    wanted = (each.partition("@") for each in table.agents) if table is not None else ()
    return next((version for name, _, version in wanted if name == named.name and version), "")


def _doubts(loader: Loader, by: str, others: Sequence[tuple[Loader, str]]) -> list[str]:
    """The agents that the directory looks like no less: a file that many of them read says less than one of its own,
    and nothing in it says more than the agent's own place."""
    if by == "place":
        return []
    is_sure = by in loader.marks
    return [each.name for each, its in others if each is not loader and (not is_sure or its in each.marks)]


def _load(asked: _Try, options: Options, version: str | None, session: str | None) -> tuple[Load, list[str]]:
    said = list(asked.said)
    version = version or asked.version
    release, is_installed = (version, False) if version else loading.version_of(asked.loader, os.environ)
    if not version and asked.loader.newest:
        said.append(
            f"version {release} is installed" if is_installed else f"no version is installed: taken as {release}"
        )
    said.append(_limits(asked.loader))
    said += [
        f"cannot be read or understood, and what it sets is not known: {harmless(path)}"
        for path in unread_of(asked.loader.name, os.environ, os.path.expanduser("~"))
    ]
    what = Asked(asked.root, release, Session(session or asked.session or "main"), os.environ, os.path.expanduser("~"))
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


def _config(options: Options) -> Config | None:
    """The one in force. A broken one is told and passed over."""
    from conductd.config import paths

    env = options.environ()
    if not os.path.exists(env.get("CONDUCTD_CONFIG") or paths.default_config_path(env)):
        return None
    from conductd.config.load import load

    try:
        return load(None, env)
    except ConfigError as error:
        tell_broken(error.message, error.faults)
        return None


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
