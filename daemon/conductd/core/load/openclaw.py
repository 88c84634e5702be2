"""OpenClaw's bootstrap: how its files are cut to their limits before they are put into the prompt.

Owns the three ways of cutting and the budget that the files share; which files, in which order and under which
limits is `openclaw_versions`'. Source: `src/agents/pi-embedded-helpers/bootstrap.ts` up to 2026.5,
`src/agents/embedded-agent-helpers/bootstrap.ts` since; behaviour re-stated, vectors in the tests.
All lengths are UTF-16 code units.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from conductd.core.load.javascript import cut, safe_cut, trim_end, units
from conductd.core.load.policy_digest import candidates, digest_of
from conductd.model import Frozen

LEAST_LEFT = 64  # with less of the total left, nothing more is loaded
_LEAST_CONTENT = 16  # the long marker is used when it leaves at least this


class Limits(Frozen, frozen=True):
    """``total`` None: no limit for all files together. ``user``: the most of USER.md, whatever ``file`` says.
    ``head_tail``: the older way of cutting (70 % and 20 % of the limit). ``digest``: AGENTS.md keeps its
    policy lines. ``framed``: a policy line brings the line before it. ``safe``: no cut inside a pair."""

    file: int
    total: int | None
    user: int | None = None
    head_tail: bool = False
    digest: bool = False
    safe: bool = True
    framed: bool = False


class Source(Frozen, frozen=True):
    """One file as it was read. ``text`` None: missing; ``path`` is what the marker of a missing file names."""

    name: str
    path: str
    text: str | None


class Injected(Frozen, frozen=True):
    """What became of one file. ``text`` is what the prompt holds; None: nothing, not even a marker.
    ``kept``: the parts of the trimmed text that were kept, as (start, end) in units; ``limit``: what it was cut
    to, and ``by_total`` that this was what the other files had left; ``quoted``: the 0-based lines that the policy
    digest holds."""

    name: str
    path: str
    raw: int
    text: str | None
    kept: tuple[tuple[int, int], ...] = ()
    limit: int = 0
    by_file: bool = False
    by_total: bool = False
    quoted: tuple[int, ...] = ()

    @property
    def injected(self) -> int:
        return units(self.text) if self.text is not None else 0

    @property
    def truncated(self) -> bool:
        return self.by_file or self.by_total


class _Cut(Frozen, frozen=True):
    text: str
    kept: tuple[tuple[int, int], ...]
    quoted: tuple[int, ...] = ()


def inject(sources: Sequence[Source], limits: Limits) -> list[Injected]:
    """Every source in load order, with what the prompt holds of it."""
    left = limits.total if limits.total is not None else 1 << 53
    found: list[Injected] = []
    stopped = False
    for source in sources:
        raw = units(trim_end(source.text)) if source.text is not None else 0
        if stopped or left <= 0:
            found.append(Injected(source.name, source.path, raw, None, (), 0, by_total=raw > 0))
            continue
        if source.text is None:
            marker = _clamp(f"[MISSING] Expected at: {source.path}", left)
            left -= units(marker)
            found.append(Injected(source.name, source.path, 0, marker))
            continue
        if left < LEAST_LEFT:
            stopped = True
            found.append(Injected(source.name, source.path, raw, None, (), left, by_total=raw > 0))
            continue
        own = own_limit(source.name, limits)
        limit = max(1, min(own, left))
        part = truncate(source.text, source.name, limit, limits)
        text = _clamp(part.text, left)
        by_total = units(text) < units(part.text) or (limit < own and raw > limit)
        left -= units(text)
        kept = _clipped(part.kept, text, part.text)
        found.append(
            Injected(
                source.name,
                source.path,
                raw,
                text or None,
                kept,
                limit,
                by_file=raw > own,
                by_total=by_total,
                quoted=part.quoted,
            )
        )
    return found


def own_limit(name: str, limits: Limits) -> int:
    """The most of a file, whatever the others take."""
    return min(limits.file, limits.user) if limits.user is not None and name.lower() == "user.md" else limits.file


def truncate(text: str, name: str, limit: int, limits: Limits) -> _Cut:
    """One file cut to ``limit``, without regard to the others. The white space at its end never counts."""
    trimmed = trim_end(text)
    length = units(trimmed)
    if length <= limit:
        return _Cut(trimmed, ((0, length),) if length else ())
    if limits.head_tail:
        return _seventy_twenty(trimmed, length, name, limit)
    if limits.digest and name.lower() == "agents.md":
        return _with_digest(trimmed, length, limit, limits)
    return _three_quarters(trimmed, length, name, limit, limits)


def _seventy_twenty(text: str, length: int, name: str, limit: int) -> _Cut:
    head, tail = floor(limit * 0.7), floor(limit * 0.2)
    start = length - tail if tail else 0  # slice(-0) is everything
    parts = [cut(text, 0, head), _marker(name, head, tail, length), cut(text, start, length)]
    return _Cut("\n".join(parts), ((0, head), (start, length)))


def _three_quarters(text: str, length: int, name: str, limit: int, limits: Limits) -> _Cut:
    is_long = limit - units(_marker(name, 0, 0, length)) - 2 >= _LEAST_CONTENT

    def marker_of(head: int, tail: int) -> str:
        return _marker(name, head, tail, length) if is_long else f"[…truncated {head}+{tail}/{length}]"

    def separators(head: int, tail: int) -> int:
        return (head > 0) + (tail > 0) if is_long else 0

    def whole(head: int, tail: int) -> int:
        return head + tail + units(marker_of(head, tail)) + separators(head, tail)

    head = tail = 0
    for _ in range(3):
        room = max(0, limit - units(marker_of(head, tail)) - separators(head, tail))
        following = (floor(room * 0.75), floor(room * 0.25))
        if following == (head, tail):
            break
        head, tail = following
    while whole(head, tail) > limit and (head or tail):
        over = whole(head, tail) - limit
        if tail:
            tail = max(0, tail - over)
        else:
            head = max(0, head - over)
    if not head and not tail and whole(1, 0) <= limit:
        head = 1
    pieces = [_slice(text, 0, head, limits), marker_of(head, tail), _slice(text, length - tail, length, limits)]
    joined = ("\n" if is_long else "").join(piece for piece in pieces if piece)
    if units(joined) > limit:
        joined = safe_cut(joined, 0, limit)
    return _Cut(joined, _ranges((0, head), (length - tail, length)))


def _with_digest(text: str, length: int, limit: int, limits: Limits) -> _Cut:
    head, tail, room = floor(limit * 0.45), floor(limit * 0.15), floor(limit * 0.35)
    those = candidates(text, framed=limits.framed) if room > 0 else []
    digest = digest_of(those, room)

    def render() -> str:
        parts = [
            _slice(text, 0, head, limits),
            "[...truncated, read AGENTS.md for full content...]",
            "[Policy digest from AGENTS.md]" if digest.text else "",
            digest.text,
            f"[...{digest.omitted} more policy lines omitted...]" if digest.omitted else "",
            f"…(truncated AGENTS.md: kept {head}+policy {units(digest.text)}+{tail} chars of {length})…",
            _slice(text, length - tail, length, limits),
        ]
        return "\n".join(part for part in parts if part)

    rendered = render()
    while units(rendered) > limit and (tail > 0 or head > 1 or room > 0):
        over = units(rendered) - limit
        if tail > 0:
            tail = max(0, tail - over)
        elif head > 1:
            head = max(1, head - over)
        else:
            room = max(0, room - over)
            digest = digest_of(those, room)
        rendered = render()
    if units(rendered) > limit:
        rendered = safe_cut(rendered, 0, limit)
    return _Cut(rendered, _ranges((0, head), (length - tail, length)), digest.lines)


def _marker(name: str, head: int, tail: int, length: int) -> str:
    read = f"[...truncated, read {name} for full content...]"
    return f"\n{read}\n…(truncated {name}: kept {head}+{tail} chars of {length})…\n"


def _slice(text: str, start: int, end: int, limits: Limits) -> str:
    if start >= end:
        return ""
    return safe_cut(text, start, end) if limits.safe else cut(text, start, end)


def _clamp(text: str, left: int) -> str:
    """Cut at the end to what is left of the total."""
    if units(text) <= left:
        return text
    return safe_cut(text, 0, left) if left <= 3 else safe_cut(text, 0, left - 1) + "…"


def _ranges(*found: tuple[int, int]) -> tuple[tuple[int, int], ...]:
    return tuple((start, end) for start, end in found if start < end)


def _clipped(kept: tuple[tuple[int, int], ...], text: str, whole: str) -> tuple[tuple[int, int], ...]:
    """What is left of the kept parts when the whole was cut once more at its end: the last part goes first."""
    if text == whole:
        return kept
    gone = units(whole) - units(text) + 1  # the ellipsis took a place
    out = list(kept)
    while out and gone > 0:
        start, end = out.pop()
        if end - start > gone:
            out.append((start, end - gone))
        gone -= end - start
    return tuple(out)
