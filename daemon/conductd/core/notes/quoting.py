"""A line of a watched file as it may stand on the card: in one line, harmless, cut where a character ends.

Text of a watched file is data. What could act on whoever reads the card, or break its frame, is made visible instead:
control characters and direction marks, ANSI sequences, fences, HTML (comments, tags), the marks of a chat, images,
`@path` imports. Pure.
"""

from __future__ import annotations

import re
import unicodedata

from conductd.core.tokens import estimate

ELLIPSIS = "…"
_KEPT_FORMAT = "\u200c\u200d"  # joiners that scripts and pictures are written with
_PIN_MARK = re.compile(r"<!--\s*/?\s*(?:pin|unpin)\s*-->")
_FENCE = re.compile(r"`{3,}|~{3,}")
_TAG = re.compile(r"<(?=[!/?A-Za-z|\uff5c<])")  # also the marks that models read their turns by: `<|im_start|>`
_TURN = re.compile(
    r"\[(?=/?(?:INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN|TOOL|TOOLS|AVAILABLE|MODEL|CONTEXT|DOCUMENT|DOC|THINK|BOS|EOS)"
    r"(?:_[A-Z]+)*\])",
    re.IGNORECASE,
)
_COMMENT_END = re.compile(r"--(!?)>")
_IMAGE = re.compile(r"!(?=\[)")
_IMPORT = re.compile(r"(?<![\w.+-])@")  # in an address it imports nothing
_BOLD = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
_SPACE = re.compile(r"\s+")
_SELECTORS = re.compile("(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]")

# Layout at the beginning of a line: quote and list marks, numbering, boxes, the marks of a heading.
_LEADING = re.compile(
    r"^[\s>]*"
    r"(?:(?:[-*+•‣◦·–]|\d{1,9}[.)、]|[（(]?[a-zA-Z0-9][.)])\s+)?"
    r"(?:\[[ xX~/>!?-]\]\s+|[☐☑☒⬜✅✔]\ufe0f?\s*)?"
    r"(?:#{1,6}\s+)?"
)


def harmless(text: str) -> str:
    """One line without anything that acts. The same text gives the same."""
    text = _SPACE.sub(" ", _PIN_MARK.sub(" ", text)).strip()
    text = _SELECTORS.sub("", text)
    if not (text.isascii() and text.isprintable()):
        text = "".join(_shown(each) for each in text)
    text = _FENCE.sub(lambda found: "'" * len(found[0]), text)
    text = _COMMENT_END.sub(r"--\1&gt;", _TAG.sub("&lt;", text))
    text = _TURN.sub("［", text)
    return _IMPORT.sub("＠", _IMAGE.sub("! ", text))


def unbold(text: str) -> str:
    """Without `**` around words: they cost tokens and say nothing."""
    return _BOLD.sub(r"\1", text)


def _shown(character: str) -> str:
    if character.isprintable() or character in _KEPT_FORMAT:
        return character
    if "\ud800" <= character <= "\udfff":  # a byte that was no UTF-8, or half a character
        return "\ufffd"
    return character.encode("unicode_escape").decode("ascii")


def content(line: str) -> str:
    """A line of Markdown without the layout it begins with, and the frame of a table row."""
    text = _LEADING.sub("", _PIN_MARK.sub(" ", line), count=1).strip()
    if text.startswith("|"):
        text = text.strip("|").strip()
    return text


def cut(text: str, tokens: int) -> str:
    """The text, or its beginning and `…`, so that its upper estimate is at most ``tokens``; never within a character
    as it is seen. At least the mark."""
    if estimate(text).high <= tokens:
        return text
    low, high = 1, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate(text[:middle] + ELLIPSIS).high <= tokens:
            low = middle
        else:
            high = middle - 1
    return text[: _boundary(text, low)].rstrip() + ELLIPSIS


def _boundary(text: str, at: int) -> int:
    """The nearest place before, where a character as it is seen ends; a word, where one ended shortly before."""
    while 0 < at < len(text) and _joins(text, at):
        at -= 1
    space = text.rfind(" ", max(1, at - 12), at + 1)
    return space if space > 1 and at < len(text) else at


def _joins(text: str, at: int) -> bool:
    after, before = text[at], text[at - 1]
    if unicodedata.category(after) in ("Mn", "Mc", "Me") or after in _KEPT_FORMAT or before == "\u200d":
        return True
    if "\U0001f3fb" <= after <= "\U0001f3ff":
        return True
    if "\U0001f1e6" <= after <= "\U0001f1ff":  # flags are pairs
        run = 0
        while run < at and "\U0001f1e6" <= text[at - 1 - run] <= "\U0001f1ff":
            run += 1
        return run % 2 == 1
    return False
