"""Hermes: its home (that of a named profile is one more), and the memories in it alone.

Sources: Hermes' pages on memory, context files and profiles.
"""

from __future__ import annotations

from conductd.agents.profiles.profile import Profile, memory_directory
from conductd.model import Role

_LIMITS = "`memory_char_limit`, `user_char_limit` and `context_file_max_chars` in config.yaml"

HERMES = Profile(
    "hermes",
    "Hermes",
    roles=(
        ("memories/MEMORY.md", Role.CURATED),
        ("memories/USER.md", Role.CURATED),
        ("memories/**/*.md", Role.TOPIC),
        ("/SOUL.md", Role.INSTRUCTIONS),
        ("/AGENTS.md", Role.INSTRUCTIONS),
    ),
    trees=(b"memories",),
    loader="hermes",
    limits=_LIMITS,
    apart=("profiles/*",),
    home=True,
)

HERMES_MEMORY = memory_directory("hermes-memory", "Hermes memories", "hermes", _LIMITS, ("/USER.md", Role.CURATED))
