"""Which files are OpenClaw's memory, by release: the names, the kinds of media, what `memory_get` may read.

Pure. Sources: `packages/memory-host-sdk/src/host/internal.ts`, `multimodal.ts`, `src/memory/root-memory-files.ts`,
releases 2026.1.30 to 2026.9.6. Where the release of a change is not known exactly, the table says so.
"""

from __future__ import annotations

from enum import StrEnum

from conductd.core.load.openclaw_versions import Version
from conductd.model import Frozen

MARKDOWN = ".md"
REPAIR_DIRECTORY = ".openclaw-repair"
_ROOT_REPAIR = ".openclaw-repair/root-memory"

_ONE_ROOT: Version = (2026, 4, 23)  # MEMORY.md by its exact name in the directory, memory.md no more
_USER: Version = (2026, 8, 1)
_SEARCH_KEY: Version = (2026, 8, 1)  # memory.search instead of agents.defaults.memorySearch
_DREAMS: Version = (2026, 4, 5)  # the first release with a review file; not tried one by one
_PATTERNS: Version = (2026, 9, 1)
_PAGED: Version = (2026, 4, 15)
_WHOLE_LINES: Version = (2026, 8, 1)  # a final line end is no line of its own; seen between 2026.7 and 2026.9
_SAFE_CUTS: Version = (2026, 7, 2)
_STATUS: Version = (2026, 9, 1)
_QMD_ENDS: Version = (2026, 8, 1)
_QMD_OUTSIDE: Version = (2026, 4, 23)  # named collections outside of the workspace are shared by the agents


class Rules(Frozen, frozen=True):
    """``exact_root``: MEMORY.md is looked for in the list of the directory, and memory.md is none of the memory.
    ``user``, ``dreams``: whether these may be read. ``patterns``: an extra path may be `{path, pattern}`. ``new_keys``:
    where the configuration of the search lies. ``paged``: `memory_get` is limited. The rest is about its answer and
    about QMD."""

    exact_root: bool
    user: bool
    dreams: bool
    patterns: bool
    new_keys: bool
    paged: bool
    whole_lines: bool
    safe_cuts: bool
    says_status: bool
    has_qmd: bool
    shared_collections: bool


def rules(version: Version) -> Rules:
    return Rules(
        exact_root=version >= _ONE_ROOT,
        user=version >= _USER,
        dreams=version >= _DREAMS,
        patterns=version >= _PATTERNS,
        new_keys=version >= _SEARCH_KEY,
        paged=version >= _PAGED,
        whole_lines=version >= _WHOLE_LINES,
        safe_cuts=version >= _SAFE_CUTS,
        says_status=version >= _STATUS,
        has_qmd=version < _QMD_ENDS,
        shared_collections=version >= _QMD_OUTSIDE,
    )


def root_names(those: Rules) -> tuple[str, ...]:
    """The files of the root that are indexed, in order."""
    memory = ("MEMORY.md",) if those.exact_root else ("MEMORY.md", "memory.md")
    return (*memory, "USER.md") if those.user else memory


class Medium(StrEnum):
    """What a file is indexed as."""

    MARKDOWN = "markdown"
    IMAGE = "image"
    AUDIO = "audio"


_ENDINGS = {
    Medium.IMAGE: (".jpg", ".jpeg", ".png", ".webp", ".gif", ".heic", ".heif"),
    Medium.AUDIO: (".mp3", ".wav", ".ogg", ".opus", ".m4a", ".m2a", ".aac", ".flac"),
}
MEDIA_BYTES = 10 * 1024 * 1024


class Media(Frozen, frozen=True):
    """Files other than Markdown, in extra paths only. ``kinds`` empty: none."""

    kinds: tuple[Medium, ...] = ()
    most_bytes: int = MEDIA_BYTES


NO_MEDIA = Media()


def media(raw: object) -> Media:
    """As OpenClaw reads its `multimodal` table; anything else than a table that is enabled: none."""
    if not isinstance(raw, dict) or raw.get("enabled") is not True:
        return NO_MEDIA
    wanted = raw.get("modalities")
    chosen = wanted if isinstance(wanted, list) else ["all"]
    kinds = tuple(kind for kind in (Medium.IMAGE, Medium.AUDIO) if "all" in chosen or kind.value in chosen)
    most = raw.get("maxFileBytes")
    is_number = isinstance(most, int | float) and not isinstance(most, bool) and abs(most) < 1 << 53
    return Media(kinds, max(1, int(most)) if is_number and most is not None else MEDIA_BYTES)


def medium(name: str, those: Media = NO_MEDIA) -> Medium | None:
    """As what a file of this name is indexed; None: not at all. `.md` counts in lower case only."""
    if name.endswith(MARKDOWN):
        return Medium.MARKDOWN
    lower = name.lower()
    return next((kind for kind in those.kinds if lower.endswith(_ENDINGS[kind])), None)


def is_skipped(relative: str, those: Rules) -> bool:
    """Whether a path of the workspace belongs to no memory although an extra path would have it."""
    if not those.exact_root:
        return False
    return relative in ("memory.md", _ROOT_REPAIR) or relative.startswith(_ROOT_REPAIR + "/")


def is_memory_path(relative: str, those: Rules) -> bool:
    """Whether `memory_get` takes a path of the workspace (without `..`) for memory; it must end in `.md` as well."""
    name = relative.strip().lstrip("./").replace("\\", "/")
    if name == "MEMORY.md" or (name == "memory.md" and not those.exact_root):
        return True
    if (name == "USER.md" and those.user) or (name.lower() == "dreams.md" and those.dreams):
        return True
    return name.startswith("memory/")
