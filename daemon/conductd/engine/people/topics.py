"""Which file takes the sections that leave another: protected, no day's note, and loaded by no agent.

Looks at the disk; writes nothing.
"""

from __future__ import annotations

import os

from conductd.agents.profiles import profile_named
from conductd.agents.profiles.profile import covers
from conductd.core.globs import matches
from conductd.core.roles import is_throw_away
from conductd.core.rotating.places import link, topics
from conductd.core.rotating.rotate import takes_sections
from conductd.engine.health.overview import Parts
from conductd.engine.people.limits_of import Limits
from conductd.engine.workspaces import Handle
from conductd.errors import NotFound, Refused, UsageError
from conductd.model import FileState, Role
from conductd.views import shown
from conductd.watch.reader import observe, parts

LARGEST = 512 * 1024  # bytes of a topic that is still appended to

_NOT = {
    Role.DAILY: "it is a day's note by its name",
    Role.CURATED: "agents load it by themselves",
    Role.INSTRUCTIONS: "agents load it by themselves",
    Role.REPLACEABLE: "what stands there may be thrown away",
}


class Topics:
    """See the module."""

    def __init__(self, given: Parts) -> None:
        self._ = given

    def choose(self, handle: Handle, path: bytes, to: bytes | None, limits: Limits) -> tuple[bytes, str, bytes | None]:
        """The path in the workspace, the link to it, and what stands there (None: nothing). Raises UsageError for a
        `to` that will not do, NotFound when no name does."""
        if to is not None:
            return self._named(handle, path, self._inside(handle, to), limits)
        profile = profile_named(handle.profile, self._.workspaces.profiles)
        for name in topics(path, beside=b"" in profile.trees):
            said = link(path, name)
            if said is None or self._unfit(handle, path, name, limits):
                continue
            state, data = self._stands(handle, name)
            if state is FileState.ABSENT or (data is not None and len(data) < LARGEST and takes_sections(data)):
                return name, said, data
        raise NotFound(
            f"no place for what leaves {shown(path)} is protected and not loaded itself",
            "name one: --to FILE; protect it by the key `extra` of [[workspaces]] in the config",
        )

    def _named(self, handle: Handle, path: bytes, name: bytes, limits: Limits) -> tuple[bytes, str, bytes | None]:
        why = self._unfit(handle, path, name, limits)
        said = link(path, name)
        if why or said is None:
            raise UsageError(f"{shown(name)} is no place for it: {why or 'no link can name it'}", "--to memory/NAME.md")
        state, data = self._stands(handle, name)
        if state is FileState.ABSENT:
            return name, said, None
        if data is None:
            raise Refused(f"{shown(name)} is {state}: nothing is added to it", "name another one: --to FILE")
        if not takes_sections(data):
            raise Refused(f"{shown(name)} is no text that a section could be added to", "name another one: --to FILE")
        return name, said, data

    def _inside(self, handle: Handle, to: bytes) -> bytes:
        path = to
        if to.startswith(b"/"):
            real = os.path.join(os.path.realpath(os.path.dirname(to)), os.path.basename(to))
            path = next((p[len(handle.root) + 1 :] for p in (to, real) if p.startswith(handle.root + b"/")), b"")
        try:
            parts(path)
        except ValueError:
            raise UsageError(f"{shown(to)} is not inside the workspace", f"a file below {shown(handle.root)}") from None
        return path

    def _unfit(self, handle: Handle, path: bytes, name: bytes, limits: Limits) -> str:
        """Why it will not do; "" when it will."""
        if name == path:
            return "it is the file itself"
        if not name.lower().endswith(b".md"):
            return "its name does not end in .md, so that nobody would index it"
        role = self._.workspaces.role(handle.id, name)
        if role in _NOT:
            return _NOT[role]
        directory = os.path.dirname(name)
        profile = profile_named(handle.profile, self._.workspaces.profiles)
        is_watched = not directory or covers(profile, directory)
        is_extra = self._.workspaces.config.is_extra(handle.root, name)
        if role is None or is_throw_away(name) or not (is_watched or is_extra):
            return "conductd does not protect it"
        if os.path.realpath(os.path.join(os.fsdecode(handle.root), os.fsdecode(name))) in limits.loaded:
            return "agents load it by themselves"
        if any(matches(pattern, name) for pattern in limits.globs if not pattern.startswith("/")):
            return "agents load it by themselves"
        return ""

    def _stands(self, handle: Handle, name: bytes) -> tuple[FileState, bytes | None]:
        with handle.opened() as root:
            if root is None:
                raise NotFound("the workspace is not there", "conductd status")
            seen = observe(root, name)
            if seen.state is FileState.ABSENT and seen.reason in ("parent_is_link", "parent_not_directory"):
                return FileState.SPECIAL, None
        if seen.state is FileState.FILE and not _is_exact(handle.root, name):
            return FileState.SPECIAL, None  # the same file, for this file system, by another name
        return seen.state, seen.data


def _is_exact(root: bytes, name: bytes) -> bool:
    directory, last = os.path.split(os.path.join(root, name))
    try:
        return last in os.listdir(directory)
    except OSError:
        return False
