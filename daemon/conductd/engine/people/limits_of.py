"""What the agents of a workspace load of one file at most, by their own loaders. Reads the disk, writes nothing."""

from __future__ import annotations

import os
from collections.abc import Mapping

from conductd.agents import loading
from conductd.agents.discover import home_of
from conductd.agents.profiles import profile_named
from conductd.core.load.fixes import most
from conductd.core.load.known_chains import CHAINS
from conductd.core.load.loaded import Cause, Load, LoadedFile, Why
from conductd.core.rotating.rotate import Allowed
from conductd.engine.loading.readers import readers, tried
from conductd.engine.workspaces import Handle, Workspaces
from conductd.errors import NotFound, Refused
from conductd.model import Frozen, Role
from conductd.views import shown
from conductd.views.words import pasted

# The loader never saw its text: how much is too much of it is not known.
_NOT_READ = frozenset({Why.TOO_LARGE, Why.UNREADABLE, Why.NOT_REGULAR, Why.SYMLINK, Why.OUTSIDE, Why.HARD_LINK})


class Limits(Frozen, frozen=True):
    """``loaded``: real paths of all that they load, and ``globs`` that they load by. ``cause``: why something of the
    file is cut, if it is. ``largest``: the file that takes the most of what all together may. ``said``: what was
    guessed."""

    allowed: tuple[Allowed, ...]
    loaded: frozenset[str]
    globs: tuple[str, ...] = ()
    cause: Cause | None = None
    largest: str = ""
    said: tuple[str, ...] = ()
    is_instructions: bool = False


def limits_of(handle: Handle, path: bytes, workspaces: Workspaces, env: Mapping[str, str]) -> Limits:
    """Raises NotFound where no agent loads the file, or none has a limit for it; Refused where that is not known."""
    root = os.fsdecode(handle.root)
    chains = [each.chain() for each in workspaces.config.agents]
    profile = profile_named(handle.profile, workspaces.profiles)
    table = workspaces.config.workspace(handle.root)
    real = os.path.realpath(os.path.join(root, os.fsdecode(path)))
    allowed: list[Allowed] = []
    loaded: set[str] = set()
    said: list[str] = []
    globs: list[str] = []
    cause: Cause | None = None
    largest, is_loaded = "", False
    name = shown(path)
    for reader in readers(root, profile, table, loading.with_further(chains), env, home_of(env)):
        load, why = tried(reader)
        if load is None:
            raise Refused(f"what {reader.loader.display} loads of {name} is not known: {why}", "conductd load")
        said += reader.said
        loaded |= {os.path.realpath(each.path) for each in load.files}
        globs += [g for c in (*chains, *CHAINS) if c.name == reader.loader.name for step in c.steps for g in step.names]
        for each in load.files:
            if os.path.realpath(each.path) != real:
                continue
            is_loaded = True
            if each.why in _NOT_READ:
                why = f"nothing of {name} is loaded by {reader.loader.display}: {each.note or each.why.value}"
                raise Refused(why, f"split it by hand, then: {pasted('conductd', 'load', '--workspace', root)}")
            allowed += _allowed(reader.loader.display, load, each)
            if cause is None and each.causes:
                cause = Cause.PER_FILE if Cause.PER_FILE in each.causes else Cause.TOTAL
                biggest = most(load)
                largest = biggest.name if biggest is not None else ""
    hint = pasted("conductd", "load", "--workspace", root)
    if not is_loaded:
        raise NotFound(f"no agent is known to load {name} by itself: there is no limit to bring it below", hint)
    if not allowed:
        raise NotFound(f"no limit is known for {name}: its agent loads it whole", hint)
    is_instructions = workspaces.role(handle.id, path) is Role.INSTRUCTIONS
    return Limits(tuple(allowed), frozenset(loaded), tuple(globs), cause, largest, tuple(said), is_instructions)


def _allowed(agent: str, load: Load, file: LoadedFile) -> list[Allowed]:
    """A file that all together leave too little room is measured by that room."""
    found = []
    limit = file.limit if Cause.TOTAL in file.causes else file.own_limit or file.limit
    if limit is not None:
        found.append(Allowed(agent, load.unit, limit, file.raw))
    if file.lines_limit is not None:
        found.append(Allowed(agent, None, file.lines_limit, file.lines))
    return found
