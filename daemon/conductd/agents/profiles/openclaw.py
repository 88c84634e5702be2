"""OpenClaw's workspace.

Source: its workspace files by release (AGENTS, SOUL, IDENTITY, USER, TOOLS, BOOTSTRAP, HEARTBEAT, MEMORY).
"""

from __future__ import annotations

from conductd.agents.profiles.profile import MEMORY, Profile
from conductd.model import Role

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
    trees=(MEMORY, b"users"),
    loader="openclaw",
    limits="`bootstrapMaxChars` and `bootstrapTotalMaxChars` in openclaw.json, below agents.defaults or an agent's own",
)
