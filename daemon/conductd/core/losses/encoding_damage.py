"""The rules for what encodings do to a text: a conversion loses nothing, a wrong one can be undone or cannot.

Owns the decision and the text that is put back; the undoing is `core.losses.mojibake`. Called through
`core.judging.classify`, by `core.merging.outcome` and `core.merging.offer`.
"""

from __future__ import annotations

from conductd.core.comparing.change import compare
from conductd.core.judging.finding import Evidence, Facts, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.code_page import refitted
from conductd.core.losses.mojibake import Healed, from_legacy, heal
from conductd.core.merging.chunks import encode, end_of_line, text_of
from conductd.core.merging.merge import merge_missing
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import EntryTable, entry_table
from conductd.core.reading.text import decode
from conductd.model import Action, EventClass


def converted(e: Evidence, loss: Loss) -> Finding | None:
    """The text went from an encoding of before UTF-8 to UTF-8, or back: read right, it is the same."""
    if not loss.destroys or _is_utf_8(e.baseline.data) is _is_utf_8(e.last.data):
        return None
    old_is_legacy = not _is_utf_8(e.baseline.data)
    for text in from_legacy(e.baseline.data if old_is_legacy else e.last.data):
        read = entry_table(text.encode("utf-8", "surrogatepass"), e.case.key)
        pair = (read, e.last.table) if old_is_legacy else (e.baseline.table, read)
        change = compare(*pair, e.elsewhere, e.policy.thresholds)
        if change.kept and change.lost_share < e.policy.thresholds.shrink_share:
            facts: Facts = figures(e, change.lost_share) | {"legacy": True}
            return Finding(EventClass.ENCODING_CHANGE, "encoding", facts)
    return None


def damaged(e: Evidence, loss: Loss) -> Finding | None:
    """Lines of the old text stand there as they look in a wrong encoding."""
    if loss.excuse or e.change.kept == e.change.entries_before:
        return None
    healed = heal(decode(e.baseline.data).text, decode(e.last.data).text)
    if healed is None:
        return _other_letters(e, loss)
    weight, entries = _damaged(e.baseline.table, e.last.table, healed)
    if not entries:
        return None
    share = weight / e.baseline.table.weight if e.baseline.table.weight else 0.0
    facts = figures(e, loss.share) | {"damaged": entries, "damaged_share": round(share, 4)}
    charged_to = e.charges.main.seq
    if not healed.destroyed:
        return Finding(
            EventClass.ENCODING_CHANGE, "mojibake", facts, charged_to=charged_to, harms=True, softened=Action.PROPOSE
        )
    limits = e.policy.thresholds
    if share < limits.shrink_share and loss.share < limits.overwrite_share:
        return Finding(
            EventClass.ENCODING_CHANGE,
            "letters-lost",
            facts,
            charged_to=charged_to,
            harms=True,
            softened=Action.PROPOSE,
        )
    action = Action.REVERT if _key(healed.text) == _key(decode(e.baseline.data).text) else Action.MERGE
    return Finding(EventClass.OVERWRITE, "letters-lost", facts, charged_to=charged_to, harms=True, softened=action)


def _other_letters(e: Evidence, loss: Loss) -> Finding | None:
    """Letters that the new encoding does not have became others."""
    if not _is_utf_8(e.baseline.data) or _is_utf_8(e.last.data):
        return None
    found = refitted(decode(e.baseline.data).text, e.last.data)
    if found is None:
        return None
    facts = figures(e, loss.share) | {"damaged": len(found.lines)}
    charged_to = e.charges.main.seq
    return Finding(
        EventClass.ENCODING_CHANGE, "letters-lost", facts, charged_to=charged_to, harms=True, softened=Action.PROPOSE
    )


def mended(old: bytes, now: bytes) -> bytes:
    """``now`` with its letters back, and with the entries of ``old`` that it lacks."""
    healed = heal(decode(old).text, decode(now).text)
    if healed is None:
        other = refitted(decode(old).text, now) if _is_utf_8(old) and not _is_utf_8(now) else None
        if other is None:
            return merge_missing(old, now)
        healed = Healed(other.text, (), other.lines, destroyed=True)
    style = text_of(old)
    text = healed.text.replace("\n", end_of_line(style.lines))
    return merge_missing(old, style.bom + encode(text, style.encoding))


def _is_utf_8(data: bytes) -> bool:
    if b"\x1b$" in data or b"\x1b(" in data:  # ISO 2022 switches alphabets in seven bits
        return False
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return True


def _damaged(before: EntryTable, after: EntryTable, healed: Healed) -> tuple[int, int]:
    """(weight, number) of the old entries that stand there damaged; headings carry no weight."""
    weight = number = 0
    lines = set(healed.lines)
    for entry in before.entries:
        if entry.fingerprint not in after.places and any(n in lines for n in range(entry.line - 1, entry.last_line)):
            weight += 0 if entry.kind is Kind.HEADING else entry.weight
            number += 1
    return weight, number


def _key(text: str) -> list[str]:
    return text.split()
