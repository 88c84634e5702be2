"""Agents whose loading is a chain of files with limits: as data.

One `Chain` an agent: where to look, for which names, what of them is loaded at the start, how much of each. Pure.
Sources: the pages of Gemini CLI, opencode, Cursor, Windsurf, GitHub Copilot and VS Code on instruction files and
memory; the AGENTS.md standard. Read by `agents.chain_files`.
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


class When(StrEnum):
    """Which of the files found are loaded at the start, by their front matter."""

    ALWAYS = "always"
    CURSOR = "alwaysApply"  # `alwaysApply: true`
    WINDSURF = "trigger"  # `trigger: always_on`
    COPILOT = "applyTo"  # `applyTo: "**"`


class Step(Frozen, frozen=True):
    """``names``: relative paths, `*` and `**` as in globs. ``first``: of these names only the first that a directory
    has; ``once``: only the first file of all. ``limits`` None: the chain's."""

    where: Where
    names: tuple[str, ...]
    first: bool = False
    once: bool = False
    when: When = When.ALWAYS
    limits: Limits | None = None


class Chain(Frozen, frozen=True):
    """One agent. ``marks``: paths of which any says that a directory is its. ``program`` and ``packages``: what an
    installed one is found by. ``total``: what all files may take together, in ``unit``, in load order; 0: no limit.
    ``roles``, ``trees``: what is protected, as in `agents.profiles`. ``find``: directories that are its workspaces,
    absolute or below `~/`, with globs."""

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


CHAINS: tuple[Chain, ...] = (
    Chain(
        "gemini-cli",
        "Gemini CLI",
        ("GEMINI.md", ".gemini"),
        (
            Step(Where.HOME, (".gemini/GEMINI.md",)),
            Step(Where.DOWN, ("GEMINI.md",)),
        ),
        program="gemini",
        packages=("@google/gemini-cli",),
        notes=("no limit is known; `@file` imports, and files of directories below, are not looked at",),
    ),
    Chain(
        "opencode",
        "opencode",
        ("opencode.json", "opencode.jsonc", ".opencode"),
        (
            Step(Where.UP, ("AGENTS.md", "CLAUDE.md"), first=True, once=True),
            Step(Where.HOME, (".config/opencode/AGENTS.md", ".claude/CLAUDE.md"), first=True, once=True),
        ),
        program="opencode",
        packages=("opencode-ai",),
        notes=("no limit is documented; what `instructions` in opencode.json names is not looked at",),
    ),
    Chain(
        "cursor",
        "Cursor",
        (".cursor/rules", ".cursorrules"),
        (
            Step(Where.ROOT, (".cursor/rules/**/*.mdc",), when=When.CURSOR),
            Step(Where.ROOT, (".cursorrules",)),
            Step(Where.ROOT, ("AGENTS.md",)),
            Step(Where.ROOT, ("CLAUDE.md",)),
            Step(Where.HOME, (".cursor/rules/**/*.mdc",), when=When.CURSOR),
        ),
        notes=("under 500 lines a rule are advised, no limit is documented; team and account rules are not files",),
    ),
    Chain(
        "windsurf",
        "Windsurf",
        (".windsurf/rules", ".devin/rules", ".windsurfrules"),
        (
            Step(Where.HOME, (".codeium/windsurf/memories/global_rules.md",), limits=Limits(6_000)),
            Step(Where.DOWN, (".devin/rules/*.md",), when=When.WINDSURF, limits=Limits(12_000)),
            Step(Where.DOWN, (".windsurf/rules/*.md",), when=When.WINDSURF, limits=Limits(12_000)),
            Step(Where.ROOT, (".windsurfrules",), limits=Limits(12_000)),
            Step(Where.ROOT, ("AGENTS.md",), limits=Limits(12_000)),
        ),
        notes=("memories made by Cascade are retrieved when they seem to fit, and are not counted here",),
    ),
    Chain(
        "copilot",
        "GitHub Copilot",
        (".github/copilot-instructions.md", ".github/instructions"),
        (
            Step(Where.HOME, (".copilot/copilot-instructions.md",)),
            Step(Where.ROOT, (".github/copilot-instructions.md",)),
            Step(Where.ROOT, (".github/instructions/**/*.instructions.md",), when=When.COPILOT),
            Step(Where.HOME, (".copilot/instructions/*.instructions.md",), when=When.COPILOT),
            Step(Where.ROOT, ("AGENTS.md",)),
            Step(Where.ROOT, ("CLAUDE.md",)),
            Step(Where.ROOT, ("GEMINI.md",)),
        ),
        program="copilot",
        packages=("@github/copilot",),
        notes=("no limit is documented; a code review was once said to read the first 4,000 characters of a file",),
    ),
    Chain(
        "agents-md",
        "AGENTS.md",
        ("AGENTS.md",),
        (Step(Where.DOWN, ("AGENTS.md",)),),
        notes=("the standard has no limit; Codex takes 32,768 bytes of all of them together: --agent codex",),
    ),
)

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n(.*?)(?:\r?\n)---[ \t]*(?:\r?\n|\Z)", re.DOTALL)


def applies(when: When, text: str) -> bool:
    """Whether a file is loaded at the start, by its front matter."""
    if when is When.ALWAYS:
        return True
    found = _FRONT.match(text)
    front = found[1] if found else ""
    value = re.search(rf"^{when.value}[ \t]*:[ \t]*(.*?)[ \t]*$", front, re.MULTILINE)
    said = value[1].strip("\"'") if value else ""
    if when is When.CURSOR:
        return said == "true"
    if when is When.WINDSURF:
        return said == "always_on" or not found
    return "**" in [each.strip() for each in said.split(",")] or "**/*" in said.split(",")
