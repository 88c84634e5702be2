"""A mark over a real value: "[REDACTED]", "sk-****", "████", "（已隐藏）".

Owns finding which old entry a marked one was, the rule (it is only offered: a person may have meant it), and the
text with the values back. Pure; called through `core.judging.classify` and by `core.merging.offer`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from conductd.core.comparing.change import share, spans_weight
from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.merging.chunks import encode, end_of_line, text_of
from conductd.core.reading.entries import Entry, EntryTable, entry_table
from conductd.core.reading.text import words
from conductd.model import Action, EventClass

_PAIRS_TRIED = 400_000
_LONGEST = 4_000  # characters of an entry

_HIDDEN = (
    r"redacted|removed|hidden|filtered|masked|censored|secret|private|confidential|withheld|scrubbed|sanitized"
    r"|anonymi[sz]ed|omitted"
    r"|entfernt|geschwärzt|verborgen|ausgeblendet|zensiert|anonymisiert|masqué|caviardé|supprimé|censuré|confidentiel"
    r"|oculto|ocultado|censurado|eliminado|confidencial|removido|suprimido|nascosto|oscurato|rimosso|omesso|censurato"
    r"|verborgen|verwijderd|afgeschermd|скрыто|скрыт|удалено|засекречено|gizli|gizlendi|kaldırıldı|sansürlendi"
    r"|छिपाया गया|गोपनीय|हटाया गया"
    r"|محجوب|مخفي|محذوف|سري|已隐藏|已隱藏|已脱敏|已删除|已刪除|隐去|保密|已屏蔽|已遮蔽|伏せ字|非表示|非公開"
    r"|マスク済み?|削除済み|숨김|비공개|삭제됨|가려짐|마스킹"
)
# Capitals in brackets that say how things stand, and hide nothing.
_TAGS = (
    "TODO|DONE|WIP|TBD|FIXME|DRAFT|NOTE|INFO|WARNING|IMPORTANT|URGENT|OPTIONAL|HIGH|MEDIUM|LOW|NEW|OLD|YES|OPEN|CLOSED"
    "|PINNED|PIN|ARCHIVED|DEPRECATED|CANCELLED|CANCELED|UPDATE|UPDATED|FIXED|BUG|IDEA|QUESTION|DECISION|CRITICAL|STALE"
)
_OPEN, _CLOSE = r"[\[(<{（【［〔«「]{1,2}\s*", r"\s*[\])>}）】］〕»」]{1,2}"
MARK = re.compile(
    rf"{_OPEN}(?i:[^\[\](){{}}<>（）【】［］]{{0,24}}?(?:{_HIDDEN})[^\[\](){{}}<>（）【】［］]{{0,24}}?){_CLOSE}"
    rf"|{_OPEN}(?:{_HIDDEN}){_CLOSE}"
    rf"|[\[<{{]{{1,2}}(?!(?:{_TAGS})\b)(?:YOUR_)?[A-Z][A-Z0-9_ -]{{2,40}}[\]>}}]{{1,2}}"
    r"|(?<![\w*])(?:[A-Za-z]{1,8}[-_])?\*{3,}(?![*\w])|[A-Za-z0-9]{0,8}[-_]?\*{4,}[A-Za-z0-9]{0,6}"
    r"|[█▇▓■]{2,}|[●•∙·]{4,}|(?<![\w])[xX]{4,}(?![\w])|(?:[A-Za-z0-9]{2,8}[-_])[xX]{4,}|\bREDACTED\b"
)


_SIGN = re.compile(r"[\[<{](?:YOUR_)?[A-Z]{2}|\*{3}|[█▇▓■]{2}|[●•∙·]{4}|[xX]{4}|REDACTED")
_WORDS = frozenset(re.findall(r"[^\W\d_]+", re.sub(r"\[(\w)\w\]", r"\1", _HIDDEN))) | {"anonymized"}
_PHRASES = re.compile("|".join(phrase for phrase in _HIDDEN.split("|") if not phrase.isascii()))


class Pair(NamedTuple):
    old: Entry
    new: Entry


def redacted(before: EntryTable, after: EntryTable) -> tuple[Pair, ...]:
    """The old entries that stand in the new text with a mark over a part of them, or over all."""
    marked = [
        entry
        for entry in after.entries
        if entry.fingerprint not in before.places and _may_be_marked(entry) and MARK.search(entry.text)
    ]
    if not marked:
        return ()
    gone = [entry for entry in before.entries if entry.fingerprint not in after.places and not MARK.search(entry.text)]
    if len(marked) * len(gone) > _PAIRS_TRIED:
        marked = marked[: max(1, _PAIRS_TRIED // len(gone))]
    found: list[Pair] = []
    for entry in marked:
        parts = [part.strip() for part in MARK.split(entry.text)]
        plain = any(words(part) for part in parts)
        old = next((old for old in gone if (_covers(parts, old.text) if plain else _stood_there(entry, old))), None)
        if old is not None:
            gone.remove(old)
            found.append(Pair(old, entry))
    return tuple(found)


def _may_be_marked(entry: Entry) -> bool:
    """Most entries have neither a sign nor a word of a mark."""
    if len(entry.text) > _LONGEST:
        return False
    return (
        _SIGN.search(entry.text) is not None
        or not _WORDS.isdisjoint(entry.words)
        or (not entry.text.isascii() and _PHRASES.search(entry.text) is not None)
    )


def _covers(parts: Sequence[str], text: str) -> bool:
    """The text is these parts with something between each two."""
    if not text.startswith(parts[0]) or not text.endswith(parts[-1]):
        return False
    at, end = len(parts[0]), len(text) - len(parts[-1])
    for part in parts[1:-1]:
        found = text.find(part, at + 1, end)
        if found < 0:
            return False
        at = found + len(part)
    return at < end and bool(text[at:end].strip())


def _stood_there(new: Entry, old: Entry) -> bool:
    return old.kind is new.kind and old.headings == new.headings and bool(old.words)


def redaction(e: Evidence, loss: Loss) -> Finding | None:
    """Marks over values are most of what is gone."""
    pairs = redacted(e.baseline.table, e.last.table)
    if loss.excuse:
        counted = {span.line for span in loss.spans}
        pairs = tuple(pair for pair in pairs if pair.old.line in counted)
    if not pairs or any(pair.old.line in e.pinned.lines for pair in pairs):
        return None
    covered = {pair.old.line for pair in pairs}
    beside = [span for span in loss.spans if span.line not in covered]
    if share(spans_weight(beside), len(beside), e.baseline.table) >= e.policy.thresholds.shrink_share:
        return None
    facts = figures(e, loss.share) | {"redacted": len(pairs)}
    return Finding(
        EventClass.PLACEHOLDER,
        "redaction",
        facts,
        charged_to=e.charges.main.seq,
        harms=True,
        softened=Action.PROPOSE,
    )


def uncovered(old: bytes, now: bytes) -> bytes:
    """``now`` with the old entries in place of those that have a mark over them."""
    before, after = text_of(old), text_of(now)
    eol = end_of_line(after.lines)
    lines: list[str] = list(after.lines)
    pairs = redacted(entry_table(old, b""), entry_table(now, b""))
    for pair in sorted(pairs, key=lambda pair: -pair.new.line):
        values = [line.rstrip("\r\n") + eol for line in before.lines[pair.old.line - 1 : pair.old.last_line]]
        lines[pair.new.line - 1 : pair.new.last_line] = values
    return after.bom + encode("".join(lines), after.encoding) if pairs else now
