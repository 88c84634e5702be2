"""Reads what Claude Code loads when it starts in a directory: managed, user and project instructions, rules, imports,
and the index of its own memory.

Read-only, never raises. Sources: Claude Code's pages on memory, settings and environment variables; its changelog;
the notes of the mod that reads AGENTS.md from 2.1.277 on.
"""

from __future__ import annotations

import contextlib
import fnmatch
import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from conductd.agents.bootstrap_read import Guard, Read, read, text_of
from conductd.agents.found import ENTRIES, set_value
from conductd.core.load.body import imports
from conductd.core.load.claude import AGENTS_SINCE, Version, index, instructions, is_scoped
from conductd.core.load.counting import text_in
from conductd.core.load.loaded import Load, LoadedFile, Unit, Why
from conductd.core.load.openclaw_versions import Session

FILE_BYTES = 4 * 1024 * 1024
HOPS = 4
MANAGED = "/etc/claude-code/CLAUDE.md"
_GUARD = Guard(most=FILE_BYTES)
_SETTINGS = Guard(most=16 * 1024 * 1024)
_RULES = 1_000  # files below one rules directory
_NAME_MOST = 200


def load(root: str, version: Version, session: Session, env: Mapping[str, str], home: str) -> Load:
    """What is in the context when a session starts in `root`; a memory directory gives its index alone."""
    root = os.path.realpath(root)
    own = _Claude(root, version, env, home)
    if own.is_memory(root):
        own.memory(root)
    else:
        if not _is_on(set_value(env, "CLAUDE_CODE_DISABLE_CLAUDE_MDS")):
            own.instructions()
        if session is Session.SUBAGENT:
            own.notes.append("a subagent gets no auto memory, unless it is a fork")
        elif own.has_memory():
            own.memory(own.memory_directory())
    return Load(
        agent="claude-code",
        version=".".join(map(str, version)),
        session=session.value,
        unit=Unit.BYTES,
        files=tuple(own.files),
        notes=tuple(own.notes),
        left_out=tuple(own.left_out),
    )


class _Claude:
    """One walk; `files`, `left_out` and `notes` grow as it goes."""

    def __init__(self, root: str, version: Version, env: Mapping[str, str], home: str) -> None:
        self._root, self._version, self._env, self._home = root, version, env, home
        named = set_value(env, "CLAUDE_CONFIG_DIR")
        self._config = os.path.join(home, named.removeprefix("~/")) if named else os.path.join(home, ".claude")
        self._settings = [
            _object(os.path.join(place, name))
            for place, name in (
                (self._config, "settings.json"),
                (os.path.join(root, ".claude"), "settings.json"),
                (os.path.join(root, ".claude"), "settings.local.json"),
            )
        ]
        self._seen: set[str] = set()
        self.files: list[LoadedFile] = []
        self.left_out: list[LoadedFile] = []
        self.notes: list[str] = []

    # ------------------------------------------------------------------ instructions

    def instructions(self) -> None:
        self._take(MANAGED, "managed")
        self._take(os.path.join(self._config, "CLAUDE.md"), "user")
        self._rules(os.path.join(self._config, "rules"), "user")
        has_project = False
        for directory in _down_to(self._root):
            before = len(self.files)
            for name in ("CLAUDE.md", os.path.join(".claude", "CLAUDE.md")):
                self._take(os.path.join(directory, name), "project")
            self._rules(os.path.join(directory, ".claude", "rules"), "project")
            self._take(os.path.join(directory, "CLAUDE.local.md"), "local")
            has_project = has_project or len(self.files) > before
        self._agents(has_project)

    def _agents(self, has_project: bool) -> None:
        mode = self._setting("instructionFiles") or "claude-md-or-agents-md"
        for directory in _down_to(self._root):
            path = os.path.join(directory, "AGENTS.md")
            if not os.path.isfile(path):
                continue
            if self._version < AGENTS_SINCE or mode in ("claude-md", "managed-only"):
                self._leave_out(path, Why.RETIRED, "AGENTS.md is not read")
            elif mode == "claude-md-or-agents-md" and has_project:
                self._leave_out(path, Why.OTHER_FILE, "CLAUDE.md")
            else:
                self._take(path, "project")

    def _rules(self, directory: str, kind: str) -> None:
        for path in _markdown_below(directory):
            self._take(path, kind, is_rule=True)

    def _take(self, path: str, kind: str, hops: int = 0, *, is_rule: bool = False) -> None:
        """A file and what it imports, each file once."""
        got = read(path, _GUARD)
        if got.why is Why.MISSING or got.real in self._seen:
            return
        self._seen.add(got.real)
        shown = self._shown(path)
        if any(_matches(path, pattern) for pattern in self._excludes()) and kind != "managed":
            self._leave_out(path, Why.OTHER_FILE, "claudeMdExcludes")
            return
        if got.data is None:
            self.left_out.append(_refused(shown, path, got))
            return
        text = text_in(got.data, Unit.BYTES)
        if is_rule and is_scoped(text):
            self._leave_out(path, Why.SCOPED)
            return
        self.files.append(instructions(shown, path, text, kind if not hops else "imported", is_rule=is_rule))
        if hops < HOPS:
            for each in imports(text):
                self._import(each, path, kind, hops)

    def _import(self, name: str, by: str, kind: str, hops: int) -> None:
        path = os.path.join(os.path.dirname(by), os.path.expanduser(name) if name.startswith("/") else name)
        if name.startswith("~/"):
            path = os.path.join(self._home, name[2:])
        path = os.path.normpath(path)
        if not os.path.isfile(path):
            return
        is_outside = not os.path.realpath(path).startswith(self._root + "/")
        if kind in ("project", "local") and is_outside and not self._may_import():
            if os.path.realpath(path) not in self._seen:
                self._leave_out(path, Why.OUTSIDE, f"an import of {os.path.basename(by)} that was not approved")
            return
        self._take(path, kind, hops + 1)

    def _may_import(self) -> bool:
        """Whether the person approved imports from outside of this project."""
        projects = _object(os.path.join(self._home, ".claude.json")).get("projects")
        project = projects.get(self._root) if isinstance(projects, dict) else None
        return isinstance(project, dict) and project.get("hasClaudeMdExternalIncludesApproved") is True

    def _excludes(self) -> Iterator[str]:
        for settings in self._settings:
            patterns = settings.get("claudeMdExcludes")
            yield from (each for each in patterns if isinstance(each, str)) if isinstance(patterns, list) else ()

    # ------------------------------------------------------------------ auto memory

    def is_memory(self, directory: str) -> bool:
        """Whether the directory is one that Claude Code keeps its memory in."""
        above, name = os.path.split(directory)
        projects = os.path.dirname(above)
        return name == "memory" and projects == os.path.realpath(os.path.join(self._config, "projects"))

    def has_memory(self) -> bool:
        if _is_on(set_value(self._env, "CLAUDE_CODE_DISABLE_AUTO_MEMORY")):
            return False
        return self._setting("autoMemoryEnabled") is not False

    def memory_directory(self) -> str:
        named = self._setting("autoMemoryDirectory")
        if isinstance(named, str) and named:
            return os.path.join(self._home, named.removeprefix("~/"))
        projects = os.path.join(self._config, "projects")
        given = set_value(self._env, "CLAUDE_CODE_PROJECT_DIR_NAME")
        name = given or re.sub(r"[^A-Za-z0-9]", "-", _repository(self._root))
        if len(name) > _NAME_MOST:  # the rest is a hash that is not published
            start = name[:_NAME_MOST]
            with contextlib.suppress(OSError):
                name = next(iter(sorted(each for each in os.listdir(projects) if each.startswith(start))), name)
        return os.path.join(projects, name, "memory")

    def memory(self, directory: str) -> None:
        path = os.path.join(directory, "MEMORY.md")
        got = read(path)
        if got.why is Why.MISSING:
            return
        if got.data is None:
            self.left_out.append(_refused(self._shown(path), path, got))
            return
        self.files.append(index(self._shown(path), path, text_in(got.data, Unit.BYTES), self._version))

    # ------------------------------------------------------------------ both

    def _shown(self, path: str) -> str:
        return os.path.relpath(path, self._root) if path.startswith(self._root + "/") else path

    def _setting(self, name: str) -> object:
        """The nearest settings win."""
        return next((each[name] for each in reversed(self._settings) if name in each), None)

    def _leave_out(self, path: str, why: Why, note: str = "") -> None:
        shown = self._shown(path)
        data = read(path).data or b""
        self.left_out.append(LoadedFile(shown, path, len(data), why=why, note=note, source=text_of(data)))


def _refused(name: str, path: str, got: Read) -> LoadedFile:
    return LoadedFile(name, path, why=got.why, note="" if got.why is Why.TOO_LARGE else got.detail)


def _down_to(directory: str) -> list[str]:
    """Every directory from the top to this one."""
    found = [directory]
    while (above := os.path.dirname(found[-1])) != found[-1]:
        found.append(above)
    return found[::-1]


def _repository(directory: str) -> str:
    """The root of the repository, of the main one for a worktree; the directory itself outside of any."""
    for above in reversed(_down_to(directory)):
        marker = os.path.join(above, ".git")
        if os.path.isdir(marker):
            return above
        if os.path.isfile(marker):
            line = text_of(read(marker, _SETTINGS).data or b"").strip()
            place = os.path.join(above, line.removeprefix("gitdir:").strip())
            main, worktrees, _ = os.path.realpath(place).rpartition("/.git/worktrees/")
            return main if worktrees else above
    return directory


def _markdown_below(directory: str) -> Iterator[str]:
    count = 0
    for place, directories, files in os.walk(directory, followlinks=True):
        directories.sort()
        if place.count("/") - directory.count("/") > 8:
            directories.clear()
        for name in sorted(files[:ENTRIES]):
            if name.endswith(".md"):
                count += 1
                if count > _RULES:
                    return
                yield os.path.join(place, name)


def _object(path: str) -> dict[str, Any]:
    data = read(path, _SETTINGS).data
    try:
        found = json.loads(data) if data else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_on(value: str) -> bool:
    return value.lower() in ("1", "true", "yes", "on")


def _matches(path: str, pattern: str) -> bool:
    return fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, pattern.replace("**/", "*"))
