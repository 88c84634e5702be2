"""Agents whose loading is a chain of files with limits: as data.

One `Chain` an agent: where to look, for which names, what of them is loaded at the start, how much of each. Pure; those
that are known are `core.load.known_chains`. Read by `agents.chain_files`.
"""

from __future__ import annotations

import re
from enum import StrEnum

from conductd.core.load.limits import Limits
from conductd.core.load.loaded import Unit
from conductd.model import Frozen, Role


class Where(StrEnum):
    """The directories that a step looks into, in order."""

    HOME = "home"  # paths below the person's home
    SYSTEM = "system"  # paths below the root of the file system
    ROOT = "root"  # the directory itself
    DOWN = "down"  # every directory from the repository's root (outside of one: only this) down to this one
    UP = "up"  # the same, from this one up
    FROM_HOME = "from-home"  # every directory from the person's home down to this one; outside of it as `DOWN`


class When(StrEnum):
    """Which of the files found are loaded at the start, by their front matter."""

    ALWAYS = "always"
    CURSOR = "alwaysApply"  # `alwaysApply: true`
    WINDSURF = "trigger"  # `trigger: always_on`
    COPILOT = "applyTo"  # `applyTo: "**"`
    CLINE = "paths"  # no `paths`


class Setting(Frozen, frozen=True):
    """Where names are configured: ``key`` (dotted; a text or a list) of the first of ``files`` that has it, of all of
    them with ``all``, or ``variable`` (a JSON list). The files are JSON, with comments; below `~/`, or in this
    directory and those above it up to the repository's root. ``below``: the directory that they are names in."""

    files: tuple[str, ...] = ()
    key: str = ""
    variable: str = ""
    below: str = ""
    all: bool = False


class Moved(Frozen, frozen=True):
    """``variable`` names the directory that stands in the place of ``path`` below the home, with ``below`` in it;
    ``beside``: where a file is not there, the usual place counts."""

    path: str
    variable: str
    below: str = ""
    beside: bool = False


class Step(Frozen, frozen=True):
    """``names``: relative paths, `*` and `**` as in globs. ``first``: of these names only the first that a directory
    has; ``once``: only the first file of all. ``limits`` None: the chain's. ``setting``: what may name others in their
    place. ``note``: what is said of each of these files. ``only``: the directories that the step counts in, a glob,
    absolute or below `~/`."""

    where: Where
    names: tuple[str, ...]
    first: bool = False
    once: bool = False
    when: When = When.ALWAYS
    limits: Limits | None = None
    setting: Setting | None = None
    note: str = ""
    only: str = ""


class Chain(Frozen, frozen=True):
    """One agent. ``marks``: paths of which any says that a directory is its. ``program`` and ``packages``: what an
    installed one is found by. ``total``: what all files may take together, in ``unit``, in load order; 0: no limit.
    ``roles``, ``trees``: what is protected, as in `agents.profiles`. ``find``: directories that are its workspaces,
    absolute or below `~/`, with globs. ``moved``: directories below the home that a variable moves, the first that
    is set counts. ``configured``: where its limits are, in words."""

    name: str
    display: str
    marks: tuple[str, ...]
    steps: tuple[Step, ...]
    program: str = ""
    packages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    unit: Unit = Unit.CHARACTERS
    limits: Limits = Limits()
    total: int = 0
    roles: tuple[tuple[str, Role], ...] = ()
    trees: tuple[str, ...] = ()
    find: tuple[str, ...] = ()
    moved: tuple[Moved, ...] = ()
    configured: str = ""


_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


def applies(when: When, text: str) -> bool:
    """Whether a file is loaded at the start, by its front matter."""
    if when is When.ALWAYS:
        return True
    found = _FRONT.match(text)
    front = found[1] if found else ""
    if when is When.CLINE:
        return re.search(r"^paths[ \t]*:", front, re.MULTILINE) is None
    value = re.search(rf"^{when.value}[ \t]*:[ \t]*(.*?)[ \t]*$", front, re.MULTILINE)
    said = value[1].strip("\"'") if value else ""
    if when is When.CURSOR:
        return said == "true"
    if when is When.WINDSURF:
        return said == "always_on" or not found
    return "**" in [each.strip() for each in said.split(",")] or "**/*" in said.split(",")
