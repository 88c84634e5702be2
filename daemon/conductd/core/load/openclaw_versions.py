"""Which files OpenClaw loads, in which order and under which limits, by release and kind of session.

Data and the reading of it. A release is its three numbers; what is not known is read as the newest. Sources: OpenClaw's
releases 2026.1.30 to 2026.9.6 (`src/agents/workspace*.ts`, `bootstrap.ts`), issues #69114, #82921, #85283, #111140.
"""

from __future__ import annotations

import re
from enum import StrEnum

from conductd.core.load.openclaw import Limits
from conductd.model import Frozen

Version = tuple[int, int, int]
NEWEST: Version = (2026, 9, 6)


class Session(StrEnum):
    """What the prompt is built for."""

    MAIN = "main"
    GROUP = "group"
    SUBAGENT = "subagent"
    CRON = "cron"
    LIGHT = "light"  # OpenClaw's light context


_NUMBERS = re.compile(r"v?(\d{4})\.(\d{1,2})\.(\d{1,3})(?:$|[-+.].*)")


def parse_version(text: str) -> Version | None:
    """ "2026.4.15", "v2026.9.6-beta.1"; None for anything else."""
    found = _NUMBERS.fullmatch(text.strip())
    return (int(found[1]), int(found[2]), int(found[3])) if found else None


# From this release on: per file, all together. The newest that is not younger than the release asked for counts.
_SIZES: tuple[tuple[Version, int, int | None], ...] = (
    ((2026, 1, 12), 20_000, None),
    ((2026, 2, 14), 20_000, 24_000),
    ((2026, 2, 17), 20_000, 150_000),
    ((2026, 4, 15), 12_000, 60_000),
    ((2026, 6, 11), 20_000, 60_000),
)
_THREE_QUARTERS: Version = (2026, 4, 20)
_DIGEST: Version = (2026, 5, 19)
_SAFE_CUTS: Version = (2026, 7, 2)
_SQLITE: Version = (2026, 8, 1)
_FRAMED: Version = (2026, 9, 1)
# The first releases seen with them; those between it and the one before (2026.1.30, 2026.2.26) were not looked at.
_GUARDED: Version = (2026, 2, 26)
_ONE_MEMORY: Version = (2026, 3, 13)
_EXACT_MEMORY: Version = (2026, 4, 23)
_SETUP_HIDES_BOOTSTRAP: Version = (2026, 5, 28)
_USER_MOST = 4_000
_SUBAGENTS_NARROW: Version = (2026, 5, 22)
_FILTERED: Version = (2026, 2, 1)
_LIGHT_CONTEXT: Version = (2026, 2, 26)

_OLD_ORDER = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md", "HEARTBEAT.md", "BOOTSTRAP.md", "MEMORY.md")
_NEW_ORDER = ("AGENTS.md", "SOUL.md", "IDENTITY.md", "USER.md", "BOOTSTRAP.md", "MEMORY.md")
_PERSONAL = ("AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "USER.md")


def limits(version: Version, file: int | None = None, total: int | None = None) -> Limits:
    """The limits of a release; ``file`` and ``total`` as configured (None, and what is not positive: the default)."""
    per_file, together = next(
        ((each, all_of_them) for since, each, all_of_them in reversed(_SIZES) if version >= since),
        _SIZES[0][1:],
    )
    if file is not None and file > 0:
        per_file = file
    if together is not None and total is not None and total > 0:
        together = total
    return Limits(
        file=per_file,
        total=together,
        user=_USER_MOST if version >= _SQLITE else None,
        head_tail=version < _THREE_QUARTERS,
        digest=version >= _DIGEST,
        safe=version >= _SAFE_CUTS,
        framed=version >= _FRAMED,
    )


def load_order(version: Version, session: Session = Session.MAIN) -> tuple[str, ...]:
    """The names of the files, in the order in which they share the total."""
    order = _NEW_ORDER if version >= _SQLITE else _OLD_ORDER
    wanted = _loaded(version, session)
    return order if wanted is None else tuple(name for name in order if name in wanted)


def _loaded(version: Version, session: Session) -> tuple[str, ...] | None:
    if session is Session.LIGHT:
        return () if version >= _LIGHT_CONTEXT else None
    if session is Session.MAIN:
        return None
    if session is Session.GROUP:
        return tuple(name for name in _NEW_ORDER if name != "MEMORY.md") if version >= _SQLITE else None
    if session is Session.SUBAGENT:
        if version >= _SQLITE:
            return ("AGENTS.md",)
        is_narrow = version < _FILTERED or version >= _SUBAGENTS_NARROW
        return ("AGENTS.md", "TOOLS.md") if is_narrow else _PERSONAL
    return _PERSONAL if version >= _FILTERED else None


def is_silent_when_missing(name: str, version: Version) -> bool:
    """Whether a missing file leaves no marker in the prompt."""
    return name == "MEMORY.md" or (name == "USER.md" and version >= _SQLITE)


class Reading(Frozen, frozen=True):
    """How a release reads its files. ``guarded``: only a regular file inside the root, of at most 2 MiB and one
    hard link. ``follows_links``: a link to such a file is read as well. ``says_unreadable``: what cannot be read is
    named in the prompt, not called missing. ``memories``: how many of MEMORY.md and memory.md are loaded, 0: only
    the exact name MEMORY.md. ``hides_bootstrap``: BOOTSTRAP.md is left out once the setup is complete.
    ``has_provenance``: what somebody untrusted wrote is left out."""

    guarded: bool
    follows_links: bool
    says_unreadable: bool
    memories: int
    hides_bootstrap: bool
    has_provenance: bool


def reading(version: Version) -> Reading:
    is_new = version >= _SQLITE
    memories = 0 if version >= _EXACT_MEMORY else 1 if version >= _ONE_MEMORY else 2
    return Reading(
        guarded=version >= _GUARDED,
        follows_links=not is_new,
        says_unreadable=is_new,
        memories=memories,
        hides_bootstrap=version >= _SETUP_HIDES_BOOTSTRAP,
        has_provenance=is_new,
    )
