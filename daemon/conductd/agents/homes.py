"""The directories that agents keep for themselves below a person's home, as data, and the bounded look at them.

One `Home` an agent: which variables move it, and what in it is memory. A place is found when it exists and holds one of
its marks, so that a program which was only ever started once is no find. Transcripts, caches and copies are never
looked at: of a directory with a hundred thousand files nothing but the named places is read.
Sources: the agents' pages on memory, rules and environment variables.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping
from itertools import islice

from conductd.agents.found import Found, real_directory, set_value, subdirectories
from conductd.model import Frozen


class Place(Frozen, frozen=True):
    """``path`` below the home, parts `*` stand for any directory, "" is the home itself. ``marks``: globs below it of
    which any must fit something, none: it is enough that it exists. ``why`` may name the directory that `*` stood
    for."""

    path: str
    profile: str
    why: str
    marks: tuple[str, ...] = ()


class Home(Frozen, frozen=True):
    """``moved``: variables that name it, each with what is below that; the first that is set counts. ``path``: where it
    is else, below the person's home."""

    path: str
    places: tuple[Place, ...]
    moved: tuple[tuple[str, str], ...] = ()


CLAUDE = Home(
    ".claude",
    (
        Place(
            "", "claude-home", "Claude Code's own instructions and rules",
            ("CLAUDE.md", "rules/*.md", "rules/*/*.md", "agent-memory/*/*.md"),
        ),
        Place("projects/*/memory", "claude-memory", "Claude Code's memory of the project {}"),
    ),
    (("CLAUDE_CONFIG_DIR", ""),),
)  # fmt: skip

CODEX = Home(
    ".codex",
    (
        Place(
            "", "codex-home", "Codex's own instructions and memories",
            ("AGENTS.md", "AGENTS.override.md", "memories/*.md"),
        ),
        Place("memories", "codex-memory", "Codex's memories", ("*.md",)),
    ),
    (("CODEX_HOME", ""),),
)  # fmt: skip

_HERMES = ("memories/*.md", "SOUL.md", "AGENTS.md")
HERMES = Home(
    ".hermes",
    (
        Place("", "hermes", "Hermes' memories and instructions", _HERMES),
        Place("profiles/*", "hermes", "memories of Hermes' profile {}", _HERMES),
        Place("memories", "hermes-memory", "Hermes' memories", ("*.md",)),
        Place("profiles/*/memories", "hermes-memory", "memories of Hermes' profile {}", ("*.md",)),
    ),
    (("HERMES_HOME", ""),),
)

GEMINI = Home(
    ".gemini",
    (
        Place("", "gemini-home", "what Gemini CLI was told to remember", ("GEMINI.md",)),
        Place("tmp/*/memory", "gemini-memory", "Gemini CLI's memory of the project {}", ("*.md",)),
    ),
    (("GEMINI_CLI_HOME", ".gemini"),),
)

OPENCODE = Home(
    ".config/opencode",
    (Place("", "opencode-home", "opencode's own instructions", ("AGENTS.md",)),),
    (("OPENCODE_CONFIG_DIR", ""), ("XDG_CONFIG_HOME", "opencode")),
)

CURSOR = Home(".cursor", (Place("", "cursor-home", "Cursor's own rules", ("rules/*.mdc", "rules/*/*.mdc")),))

WINDSURF = Home(
    ".codeium/windsurf", (Place("memories", "windsurf-memory", "Windsurf's memories and global rules", ("*.md",)),)
)

COPILOT = Home(
    ".copilot",
    (
        Place(
            "", "copilot-home", "GitHub Copilot's own instructions",
            ("copilot-instructions.md", "instructions/*.instructions.md", "instructions/*/*.instructions.md"),
        ),
    ),
    (("COPILOT_HOME", ""),),
)  # fmt: skip

HOMES = (CLAUDE, CODEX, HERMES, GEMINI, OPENCODE, CURSOR, WINDSURF, COPILOT)


def home_of(env: Mapping[str, str], home: str | None = None) -> str:
    """The person's home directory."""
    return set_value(env, "HOME") or set_value(env, "USERPROFILE") or home or os.path.expanduser("~")


def directory_of(home: Home, env: Mapping[str, str], person: str) -> str | None:
    """The real path of an agent's own directory, where there is one."""
    for variable, below in home.moved:
        value = set_value(env, variable)
        if value:
            named = person if value == "~" else os.path.join(person, value.removeprefix("~/"))
            return real_directory(os.path.join(named, below))
    return real_directory(os.path.join(person, home.path))


def find(home: Home, env: Mapping[str, str], person: str) -> Iterator[Found]:
    """What an agent's own directory holds. Links in it are not followed; nothing raises."""
    base = directory_of(home, env, person)
    if base is None:
        return
    for place in home.places:
        for path, name in _fitting(base, place.path):
            if _is_marked(path, place.marks):
                shown = os.fsencode(name).decode("utf-8", "replace")
                yield Found(os.fsencode(path), place.profile, place.why.format(shown))


def unread(env: Mapping[str, str], person: str) -> Iterator[str]:
    """Directories of the agents that are there and cannot be looked into: what they hold is not found."""
    for home in HOMES:
        base = directory_of(home, env, person)
        for place in home.places if base else ():
            above, star, _ = place.path.partition("*")
            path = os.path.join(base or "", above.rstrip("/") if star else "")
            if os.path.isdir(path) and not os.path.islink(path) and not os.access(path, os.R_OK | os.X_OK):
                yield path


def profile_at(real: str, env: Mapping[str, str], person: str) -> str:
    """The profile of the place that a directory (a real path) is, marks or not; "" when it is none."""
    for home in HOMES:
        base = directory_of(home, env, person)
        if base is None or not (real + "/").startswith(base.rstrip("/") + "/"):
            continue
        parts = os.path.relpath(real, base).split("/") if real != base else []
        for place in home.places:
            wanted = place.path.split("/") if place.path else []
            if len(wanted) == len(parts) and all(w in ("*", p) for w, p in zip(wanted, parts, strict=True)):
                return place.profile
    return ""


def _fitting(base: str, path: str) -> Iterator[tuple[str, str]]:
    """Each directory that a place's path means, with the name that `*` stands for."""
    found = [(base, "")]
    for part in path.split("/") if path else []:
        if part == "*":
            found = [(os.path.join(above, name), name) for above, _ in found for name in subdirectories(above)]
        else:
            found = [(os.path.join(above, part), name) for above, name in found]
            found = [(each, name) for each, name in found if os.path.isdir(each) and not os.path.islink(each)]
    yield from found


def _is_marked(path: str, marks: tuple[str, ...]) -> bool:
    if not marks:
        return True
    return any(True for mark in marks for _ in islice(glob.iglob(mark, root_dir=path, include_hidden=True), 1))
