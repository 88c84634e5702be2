"""Paths, writers and wanted actions that many families share."""

from __future__ import annotations

from random import Random

from conductd.core.roles import classify
from conductd.model import Role
from corpus.changes import Wanted, harmful, marks

CURATED = ("MEMORY.md", "USER.md", "memory/MEMORY.md")
TOPIC = ("memory/people.md", "memory/projects/lantern.md", "memory/servers.md", "memory/how-we-work.md")
DAILY = ("memory/2026-05-28.md", "memory/2026-05-27-late.md", "memory/2026/2026-05-28.md")
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md", "SOUL.md", ".claude/rules/style.md")
KEPT = (*CURATED, *TOPIC)
LASTING = (*KEPT, *INSTRUCTIONS)
ANY = (*KEPT, *DAILY, *INSTRUCTIONS)

AGENTS = ("agent:main", "agent:s-4417", "agent:worker-2", "cron:nightly", "unknown", "unknown")
KNOWN = ("agent:main", "agent:s-4417", "agent:worker-2", "cron:nightly", "cron:heartbeat")


def role(path: str) -> Role:
    return classify(path.encode()) or Role.TOPIC


def overwritten(path: str, before: str, after: str | bytes, *, news: str = "", never: tuple[str, ...] = ()) -> Wanted:
    """The wanted decision on an overwrite. ``news``: what of the new text is worth keeping, as text."""
    back = marks(before) - marks(after)
    if role(path) is Role.INSTRUCTIONS:
        return harmful("overwrite", "revert", back=back, never=never)
    if news:
        return harmful("overwrite", "merge", back=back, new=marks(news), never=never)
    return harmful("overwrite", "revert", back=back, never=never)


def writer(random: Random) -> str:
    return random.choice(AGENTS)
