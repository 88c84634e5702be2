"""Claude Code: a project, the person's own directory, and a project's auto-memory.

Sources: Claude Code's pages on memory and on subagents (`memory: user | project | local`).
"""

from __future__ import annotations

from conductd.agents.profiles.profile import MEMORY, Profile, memory_directory
from conductd.model import Role

_LIMITS = "none: an index beyond 200 lines or 25 KB, and an instruction file over 4 MiB, are never loaded whole"
_AGENT_MEMORY = ("agent-memory", "agent-memory-local")

CLAUDE_CODE = Profile(
    "claude-code",
    "Claude Code",
    roles=(
        *((f".claude/{each}/*/MEMORY.md", Role.CURATED) for each in _AGENT_MEMORY),
        *((f".claude/{each}/**/*.md", Role.TOPIC) for each in _AGENT_MEMORY),
        ("/CLAUDE.md", Role.INSTRUCTIONS),
        ("/CLAUDE.local.md", Role.INSTRUCTIONS),
        (".claude/CLAUDE.md", Role.INSTRUCTIONS),
        (".claude/rules/**/*.md", Role.INSTRUCTIONS),
    ),
    trees=(MEMORY, b".claude/rules", *(f".claude/{each}".encode() for each in _AGENT_MEMORY)),
    loader="claude-code",
    limits=_LIMITS,
)

CLAUDE_HOME = Profile(
    "claude-home",
    "Claude Code's own directory",
    roles=(
        ("/CLAUDE.md", Role.INSTRUCTIONS),
        ("rules/**/*.md", Role.INSTRUCTIONS),
        ("agent-memory/*/MEMORY.md", Role.CURATED),
        ("agent-memory/**/*.md", Role.TOPIC),
    ),
    trees=(b"rules", b"agent-memory"),
    loader="claude-code",
    limits=_LIMITS,
    apart=("projects/*/memory",),
    home=True,
)

CLAUDE_MEMORY = memory_directory("claude-memory", "Claude Code memory", "claude-code", _LIMITS)
