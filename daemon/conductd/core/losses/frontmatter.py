"""The keys before the text: YAML between `---`, TOML between `+++`.

Owns reading them line by line (never their values), the rule for keys that went or a block that cannot be read any
more while the text below stays, and the text with them back. Pure; called through `core.judging.classify` and by
`core.merging.offer`.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from conductd.core.comparing.change import spans_weight
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.merging.chunks import encode, end_of_line, text_of
from conductd.core.reading.blocks import Kind
from conductd.core.reading.text import decode, words
from conductd.model import EventClass

_MOST_LINES = 2_000
_ENDS = {"---": ("---", "..."), "+++": ("+++",)}
_YAML_KEY = re.compile(r"(?P<key>[^\s#:\-\"'\[{][^:]*|\"[^\"]+\"|'[^']+')\s*:(?P<value>\s.*|$)")
_TOML_KEY = re.compile(r"(?P<key>[A-Za-z0-9_.\"'-]+)\s*=(?P<value>.*)$|(?P<table>\[\[?[^\]]+\]\]?)\s*$")
_GOES_ON = re.compile(r"\s|#|$|-(?:\s|$)|[\]})]")


class Key(NamedTuple):
    """0-based lines, the end excluded. ``value``: what stands on its own line and below."""

    name: str
    first: int
    end: int
    value: str


class FrontMatter(NamedTuple):
    """``first`` and ``last`` are the lines of the marks."""

    first: int
    last: int
    keys: tuple[Key, ...]
    is_valid: bool

    @property
    def names(self) -> frozenset[str]:
        return frozenset(key.name for key in self.keys)


def front_matter(lines: list[str]) -> FrontMatter | None:
    """The block at the very start; None where there is none, or one that is never closed or holds no key."""
    mark = lines[0].rstrip().removeprefix("\ufeff") if lines else ""
    if mark not in _ENDS:
        return None
    last = next((n for n in range(1, min(len(lines), _MOST_LINES)) if lines[n].rstrip() in _ENDS[mark]), None)
    if last is None:
        return None
    pattern = _YAML_KEY if mark == "---" else _TOML_KEY
    found: list[tuple[str, int, str]] = []
    valid = True
    for number in range(1, last):
        line = lines[number]
        match = pattern.match(line)
        if match is None:
            valid = valid and (mark == "+++" or bool(_GOES_ON.match(line))) and not line.startswith("\t")
            continue
        parts = match.groupdict()
        name = (parts.get("table") or parts["key"]).strip().strip("\"'").casefold()
        value = (parts["value"] or "").strip()
        valid = valid and _is_closed(value)
        found.append((name, number, value))
    if not found:
        return None
    ends = [number for _, number, _ in found[1:]] + [last]
    keys = tuple(
        Key(name, number, end, "\n".join([value, *lines[number + 1 : end]]).strip())
        for (name, number, value), end in zip(found, ends, strict=True)
    )
    return FrontMatter(0, last, keys, valid and len({key.name for key in keys}) == len(keys))


def _is_closed(value: str) -> bool:
    """A quote that opens a value ends it; brackets may go on below."""
    if value[:1] not in ('"', "'") or value[:3] in ('"""', "'''"):
        return True
    rest = value[1:].replace("\\" + value[0], "").replace(value[0] * 2, "")
    return value[0] in rest


# --------------------------------------------------------------------------- the rule


def frontmatter_loss(e: Evidence, loss: Loss) -> Finding | None:
    """Keys went, or the block cannot be read any more, while the text below stays."""
    if not e.baseline.data.lstrip(b"\xef\xbb\xbf").startswith((b"---", b"+++")):
        return None
    old_lines = decode(e.baseline.data).text.split("\n")
    before = front_matter(old_lines)
    if before is None or not _body_stays(e, loss, before):
        return None
    new_lines = decode(e.last.data).text.split("\n")
    after = front_matter(new_lines)
    gone = _gone(e, loss, before, after)
    if after is None:
        sign = "invalid" if _is_left(before, old_lines, new_lines) else "gone"
        if not gone and sign == "gone":
            return None
    elif before.is_valid and not after.is_valid:
        sign = "invalid"
    elif gone:
        sign = "keys"
    else:
        return None
    if loss.excuse and not gone:
        return None
    facts = figures(e, loss.share) | {"front_matter": sign, "keys_lost": len(gone)}
    return Finding(EventClass.FRONTMATTER_LOSS, "front-matter", facts, charged_to=e.charges.main.seq, harms=True)


def _body_stays(e: Evidence, loss: Loss, before: FrontMatter) -> bool:
    below = [entry for entry in e.baseline.table.entries if entry.line > before.last + 1]
    weight = sum(entry.weight for entry in below)
    gone = spans_weight(span for span in loss.without_excuse.spans if span.line > before.last + 1)
    if not weight:
        return bool(e.last.table.entries)
    return gone < e.policy.thresholds.shrink_share * weight


def _gone(e: Evidence, loss: Loss, before: FrontMatter, after: FrontMatter | None) -> list[Key]:
    """Keys with a value that stand nowhere, also under no other name."""
    names = after.names if after is not None else frozenset[str]()
    values = {key.value for key in after.keys if key.name not in before.names} if after is not None else set[str]()
    is_yaml = any(entry.kind is Kind.FRONT_MATTER for entry in e.baseline.table.entries)
    counted = {span.line for span in loss.spans}
    renamed = _renamed(e, after)
    found = []
    for key in before.keys:
        if key.name in names or not words(key.value) or key.value in values or key.first + 1 in renamed:
            continue
        if after is not None and is_yaml and key.first + 1 not in counted:
            continue  # it moved to another file, or somebody is free to drop it
        if loss.excuse and key.first + 1 not in counted:
            continue
        found.append(key)
    return found


def _renamed(e: Evidence, after: FrontMatter | None) -> set[int]:
    """Lines of the keys that say the same under another name, or in other words."""
    if after is None:
        return set()
    return {place.old.line for place in e.change.reworded if place.line <= after.last + 1}


def _is_left(before: FrontMatter, old_lines: list[str], new_lines: list[str]) -> bool:
    """Its lines are still there, and are no block any more."""
    wanted = {old_lines[key.first].strip() for key in before.keys}
    head = {line.strip() for line in new_lines[: before.last + 6]}
    return len(wanted & head) * 2 > len(wanted)


# --------------------------------------------------------------------------- back again


def restored(old: bytes, now: bytes) -> bytes:
    """``now`` with the keys of ``old`` that it lacks; a block that cannot be read gives way to the old one."""
    before, after = text_of(old), text_of(now)
    old_lines = [line.rstrip("\r\n") for line in before.lines]
    lines = [line.rstrip("\r\n") for line in after.lines]
    block, standing = front_matter(old_lines), front_matter(lines)
    if block is None:
        return now
    if standing is None:
        head, rest = [*old_lines[: block.last + 1]], lines[_remains(lines, old_lines, block) :]
        rest = rest if not rest or not rest[0].strip() or _followed_at_once(old_lines, block) else ["", *rest]
    else:
        lacking = [key for key in block.keys if key.name not in standing.names]
        kept = lines[: standing.last]
        if block.is_valid and not standing.is_valid:
            young = [key for key in standing.keys if key.name not in block.names]
            kept = [*old_lines[: block.last], *(line for key in young for line in lines[key.first : key.end])]
            lacking = []
        head = [*kept, *(line for key in lacking for line in old_lines[key.first : key.end]), lines[standing.last]]
        rest = lines[standing.last + 1 :]
    eol = end_of_line(after.lines)
    text = eol.join([*head, *rest]) + (eol if not after.lines or after.lines[-1][-1:] in ("\r", "\n") else "")
    return after.bom + encode(text, after.encoding)


def _remains(lines: list[str], old_lines: list[str], block: FrontMatter) -> int:
    """How many lines at the start are what is left of the block."""
    known = {line.strip() for line in old_lines[: block.last + 1]}
    at = 0
    for number, line in enumerate(lines[: block.last + 6]):
        if not line.strip():
            continue
        if line.strip() not in known:
            break
        at = number + 1
    return at


def _followed_at_once(old_lines: list[str], block: FrontMatter) -> bool:
    return block.last + 1 < len(old_lines) and bool(old_lines[block.last + 1].strip())
