"""Codex: a project, its own directory, and the memories in it alone.

Sources: Codex's pages on AGENTS.md and on memories.
"""

from __future__ import annotations

from conductd.agents.profiles.profile import MEMORY, Profile, memory_directory
from conductd.model import Role

_LIMITS = "`project_doc_max_bytes` in config.toml, for the project's files together"
# What the pipeline behind the memories makes anew from the transcripts, and clears away by itself.
_MADE_ANEW = ("raw_memories.md", "phase2_workspace_diff.md", "rollout_summaries/**/*.md", "extensions/**/*.md")

CODEX = Profile(
    "codex",
    "Codex",
    roles=(("/AGENTS.override.md", Role.INSTRUCTIONS), ("/AGENTS.md", Role.INSTRUCTIONS)),
    trees=(MEMORY,),
    loader="codex",
    limits=_LIMITS,
)

CODEX_HOME = Profile(
    "codex-home",
    "Codex's own directory",
    roles=(
        ("/AGENTS.override.md", Role.INSTRUCTIONS),
        ("/AGENTS.md", Role.INSTRUCTIONS),
        *((f"memories/{each}", Role.REPLACEABLE) for each in _MADE_ANEW),
        ("memories/MEMORY.md", Role.CURATED),
        ("memories/memory_summary.md", Role.CURATED),
        ("memories/**/*.md", Role.TOPIC),
    ),
    trees=(b"memories",),
    loader="codex",
    limits=_LIMITS,
    home=True,
)

CODEX_MEMORY = memory_directory(
    "codex-memory",
    "Codex memories",
    "codex",
    _LIMITS,
    *((f"/{each}", Role.REPLACEABLE) for each in _MADE_ANEW),
    ("/memory_summary.md", Role.CURATED),
)
