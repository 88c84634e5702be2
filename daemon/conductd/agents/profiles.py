"""What is known about an agent by name: how it is shown and what its files are for.

Data only. Limits, loaders, transcripts and hooks of an agent get their own modules beside this one.
Sources: OpenClaw's workspace files by release (AGENTS, SOUL, IDENTITY, USER, TOOLS, BOOTSTRAP, HEARTBEAT, MEMORY);
Claude Code's auto-memory (`MEMORY.md` as index, topic files beside it).
"""

from __future__ import annotations

from conductd.model import Frozen, Role


class Profile(Frozen, frozen=True):
    """One agent. ``roles`` are globs (see `core.globs`) asked before the general rules, in this order: what they match
    is protected. ``trees`` are directories watched with all below (``b""`` is the root)."""

    name: str
    display: str
    roles: tuple[tuple[str, Role], ...] = ()
    trees: tuple[bytes, ...] = (b"memory",)


GENERIC = Profile("generic", "Markdown memory")

OPENCLAW = Profile(
    "openclaw",
    "OpenClaw",
    roles=(
        # The agent's own scratch for its next wake-up, made to be replaced.
        ("/HEARTBEAT.md", Role.REPLACEABLE),
        # Written for a brand-new workspace and deleted when setup is complete.
        ("/BOOTSTRAP.md", Role.REPLACEABLE),
        # Machine output of the nightly promotion, rebuilt each time.
        ("memory/dreaming/**/*.md", Role.REPLACEABLE),
        ("memory/.dreams/**/*.md", Role.REPLACEABLE),
        ("/MEMORY.md", Role.CURATED),
        ("/memory.md", Role.CURATED),
        ("/USER.md", Role.CURATED),
        ("users/*/USER.md", Role.CURATED),
        ("/AGENTS.md", Role.INSTRUCTIONS),
        ("/SOUL.md", Role.INSTRUCTIONS),
        ("/IDENTITY.md", Role.INSTRUCTIONS),
        ("/TOOLS.md", Role.INSTRUCTIONS),
    ),
    trees=(b"memory", b"users"),
)

CLAUDE_MEMORY = Profile(
    "claude-memory",
    "Claude Code memory",
    roles=(
        ("/MEMORY.md", Role.CURATED),
        # The root is the memory directory itself: every Markdown file in it is memory.
        ("**/*.md", Role.TOPIC),
    ),
    trees=(b"",),
)

PROFILES: dict[str, Profile] = {each.name: each for each in (GENERIC, OPENCLAW, CLAUDE_MEMORY)}


def profile_named(name: str) -> Profile:
    """The profile; an unknown name (a journal of a newer release) is read as generic."""
    return PROFILES.get(name, GENERIC)
