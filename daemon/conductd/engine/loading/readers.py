"""Which agents read a workspace, in which release, for which kind of session. Looks at the disk, writes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from conductd.agents import loading
from conductd.agents.loading import Asked, Loader
from conductd.agents.profiles import Profile
from conductd.config.schema import WorkspaceConfig
from conductd.core.load.loaded import Load
from conductd.core.load.openclaw_versions import Session
from conductd.errors import UsageError


class Reader(NamedTuple):
    """``label``: its name, with the version where it reads in several. ``said``: what was guessed, one sentence each.
    ``is_named``: the configuration names the version. ``guess``: why it is taken for it, where nobody said so."""

    label: str
    loader: Loader
    asked: Asked
    said: tuple[str, ...]
    is_named: bool
    guess: str = ""

    def load(self) -> Load:
        """Raises UsageError for a version that there is not."""
        return self.loader.load(self.asked)


def readers(
    root: str,
    profile: Profile,
    table: WorkspaceConfig | None,
    loaders: Sequence[Loader],
    env: Mapping[str, str],
    home: str,
) -> list[Reader]:
    """Those that the configuration names, else the profile's, else the one that the directory surely is; none."""
    session = Session(table.session) if table is not None else Session.MAIN
    wanted = table.agent_version if table is not None else ""

    def reader(loader: Loader, version: str, *said: str) -> Reader:
        release, is_installed = (version, False) if version else loading.version_of(loader, env)
        if not version and loader.newest:
            how = f"version {release} is installed" if is_installed else f"no version is installed: taken as {release}"
            said = (*said, how)
        return Reader(loader.name, loader, Asked(root, release, session, env, home), said, bool(version))

    if table is not None and table.agents:
        named = (each.partition("@") for each in table.agents)
        known = {each.name: each for each in loaders}
        return _told_apart([reader(known[name], version or wanted) for name, _, version in named if name in known])
    of_profile = next((each for each in loaders if each.name == profile.loader), None)
    if of_profile is not None:
        return [reader(of_profile, wanted)]
    guesses = loading.guessed(root, env, home, loaders)
    if not guesses:
        return []
    loader, by = guesses[0]
    guess = f"taken for {loader.display} by its {by}"
    return [reader(loader, wanted, guess)._replace(guess=guess)]


def _told_apart(found: list[Reader]) -> list[Reader]:
    """Those that read in several versions, each once and with its version."""
    names = [each.loader.name for each in found]
    once = {(each.loader.name, each.asked.version): each for each in found}
    return [
        each._replace(label=f"{name}@{version}") if names.count(name) > 1 else each
        for (name, version), each in once.items()
    ]


def tried(reader: Reader) -> tuple[Load | None, str]:
    """What it loads, or why nobody knows."""
    try:
        return reader.load(), ""
    except UsageError as error:
        return None, error.message
