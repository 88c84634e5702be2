"""The other ways to write a text that reads the same: what `forget` has to find as well.

Owns one question: which characters are there to be read. Left out are those that nothing is drawn for (soft hyphens,
zero-width and bidi marks, joiners), Markdown's emphasis, escapes and tags within a word, and differences of width and
of dashes. Pure; called by `core.forget` and `core.forget_pattern`. Only ever used besides the text as it stands.
"""

from __future__ import annotations

import html
import re
import unicodedata

# Default ignorable code points (Unicode, DerivedCoreProperties) as far as they turn up in texts.
UNSEEN = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f"
    "\ufeff\uffa0\U000e0000-\U000e0fff"
)
DASHES = "\\-\u058a\u2010-\u2015\u2043\u2212\ufe58\ufe63\uff0d"
MARKS = "*_`~\\\\"  # of Markdown, within a word

ZERO_WIDTH = re.compile("[\u200b\u2060\ufeff]")  # unseen, and white space to whoever reads entries

_UNSEEN = re.compile(f"[{UNSEEN}]+")
_DASHES = re.compile(f"[{DASHES}]")
_MARKS = re.compile(f"[{MARKS}]+")
_TAG = re.compile(r"<!--[^<>]{0,80}-->|</?[A-Za-z][^<>]{0,80}>")
_ODD = re.compile(f"[^\x00-\x7f]|[&<{MARKS}]")
_SPACE = re.compile(r"\s+")

_IN_BYTES = re.compile(
    rb"[\0\t\n\r\v\f >*_`~\\]|\xc2\xad|\xcd\x8f|\xd8\x9c|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]"
    rb"|\xef\xb8[\x80-\x8f]|\xef\xbb\xbf"
)
_DASHES_IN_BYTES = re.compile(rb"\xe2\x80[\x90-\x95]|\xe2\x88\x92|\xef\xbc\x8d")
_LOWER = bytes(range(256)).lower()


def bare(text: str) -> str:
    """What is there to be read, without regard to case; white space is one space each."""
    if _ODD.search(text) is not None:
        if "&" in text:
            text = html.unescape(text)
        if "<" in text:
            text = _TAG.sub("", text)
        text = _UNSEEN.sub("", text)
        if not text.isascii():
            text = _DASHES.sub("-", unicodedata.normalize("NFKC", text))
        text = _MARKS.sub("", text)
    return _SPACE.sub(" ", text).strip().casefold()


def is_bare_in_bytes(tight: str, data: bytes) -> bool:
    """Whether a text of ASCII (`bare`, without its spaces) stands in bytes of any meaning, also with unseen characters,
    emphasis and other dashes in it, as UTF-8."""
    left = _DASHES_IN_BYTES.sub(b"-", _IN_BYTES.sub(b"", data))
    return tight.encode() in left.translate(_LOWER)
