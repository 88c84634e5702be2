"""What a proposal's one command writes: the text that stands there, with what a verdict found missing back in it.

Owns the choice of how, by the rule that decided; whatever was written since stays. Pure; called by the engine for
`conductd restore --incident N`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from conductd.core.losses.encoding_damage import mended
from conductd.core.losses.foreign_text import NOTHING_NEW
from conductd.core.losses.frontmatter import restored
from conductd.core.losses.redaction import uncovered
from conductd.core.losses.wrapping import unwrap
from conductd.core.losses.zero_runs import filled
from conductd.core.merging.fill_in import fill_in, holes
from conductd.core.merging.merge import merge_missing, three_way
from conductd.core.reading.entries import entry_table
from conductd.model import Span


def offered(rule: str, old: bytes, now: bytes, lost: Iterable[Span] | None, judged: bytes | None = None) -> bytes:
    """``now`` with what it lost of ``old``. ``judged``: the text that the verdict was about; what is no memory is
    taken back, and what was written since is kept."""
    if rule in _BACK:
        return _BACK[rule](old, now)
    if rule in NOTHING_NEW and judged is not None:
        return three_way(judged, old, now).data
    return merge_missing(old, now, lost)


def _filled(old: bytes, now: bytes) -> bytes:
    found = holes(old, entry_table(old, b""), now, entry_table(now, b""))
    return fill_in(old, now, found).data


def _unwrapped(old: bytes, now: bytes) -> bytes:
    inside = unwrap(now)
    return merge_missing(old, now if inside is None else inside.inside)


_BACK: dict[str, Callable[[bytes, bytes], bytes]] = {
    "elision": _filled,
    "redaction": uncovered,
    "front-matter": restored,
    "mojibake": mended,
    "letters-lost": mended,
    "zero-run": filled,
    "wrapped": _unwrapped,
}
