"""What one agent does with one kind of directory: the shape of the data beside this module."""

from __future__ import annotations

from conductd.core.globs import matches
from conductd.model import Frozen, Role

MEMORY = b"memory"


class Profile(Frozen, frozen=True):
    """``roles`` are globs (see `core.globs`) asked before the general rules, in this order: what they match is
    protected. ``trees`` are directories watched with all below (``b""`` is the root), ``directories`` without.

    ``loader``: a name in `agents.loading.LOADERS`, "" for what the directory looks like. ``limits``: where the agent's
    limits are configured, one phrase for people. ``apart``: globs of directories below that are workspaces of their
    own. ``home``: an agent's own directory, where transcripts, caches and copies lie beside the memory: only what is
    watched holds notes, and nothing else there is searched for what was lost.
    """

    name: str
    display: str
    roles: tuple[tuple[str, Role], ...] = ()
    trees: tuple[bytes, ...] = (MEMORY,)
    loader: str = ""
    limits: str = ""
    apart: tuple[str, ...] = ()
    home: bool = False
    directories: tuple[bytes, ...] = ()


def memory_directory(name: str, display: str, loader: str, limits: str, *roles: tuple[str, Role]) -> Profile:
    """A directory that is memory itself: every Markdown file in it is, `MEMORY.md` is the index of the others."""
    table = (*roles, ("/MEMORY.md", Role.CURATED), ("**/*.md", Role.TOPIC))
    return Profile(name, display, table, (b"",), loader, limits)


def covers(profile: Profile, below: bytes) -> bool:
    """Whether files right in a directory below the workspace (relative, not the root) are watched for this profile."""
    inside = any(tree == b"" or below == tree or below.startswith(tree + b"/") for tree in profile.trees)
    return inside or below in profile.directories


def is_apart(profile: Profile, below: bytes) -> bool:
    """Whether a directory below the workspace is, or lies in, a workspace of its own."""
    parts = below.split(b"/")
    places = [b"/".join(parts[:count]) for count in range(1, len(parts) + 1)]
    return any(matches(pattern, place) for pattern in profile.apart for place in places)
