"""Sizes and places in the unit that a loader counts, and back to characters.

Pure. What is no text of its own (half of a pair) is counted as the replacement character that stands for it; a byte
that is no UTF-8, of a text that `text_in` made for a loader that counts bytes, as the one byte that it is.
"""

from __future__ import annotations

import re

from conductd.core.load import javascript
from conductd.core.load.loaded import Unit

_ESCAPED = re.compile("[\udc80-\udcff]")
_HALVES = re.compile("[\ud800-\udfff]")


def text_in(data: bytes, unit: Unit) -> str:
    """As a loader that counts in the unit is asked about it: where bytes count, none becomes more or less than one."""
    return data.decode("utf-8", "surrogateescape" if unit is Unit.BYTES else "replace")


def readable(text: str) -> str:
    """The same characters, with U+FFFD where `text_in` kept a byte."""
    return _ESCAPED.sub("\ufffd", text) if _is_escaped(text) else text


def measure(text: str, unit: Unit) -> int:
    """How much the text is in what a loader counts."""
    if unit is Unit.UTF16:
        return javascript.units(text)
    return len(text) if unit is Unit.CHARACTERS or text.isascii() else len(_bytes(text))


def whole_before(text: str, count: int, unit: Unit) -> int:
    """How many characters are whole within the first `count`."""
    if unit is Unit.CHARACTERS or text.isascii():
        return min(count, len(text))
    if unit is Unit.UTF16:
        return javascript.whole_before(text, count)
    return len(_bytes(text)[:count].decode("utf-8", "ignore"))


def first_from(text: str, count: int, unit: Unit) -> int:
    """The first character that begins at or after the place `count`."""
    whole = whole_before(text, count, unit)
    return whole if measure(text[:whole], unit) >= count or whole == len(text) else whole + 1


def trimmed_end(text: str, unit: Unit) -> str:
    """Without white space at the end, as the language of such a loader has it."""
    return javascript.trim_end(text) if unit is Unit.UTF16 else text.rstrip()


def trimmed_start(text: str, unit: Unit) -> str:
    return text.lstrip(javascript.WHITE_SPACE) if unit is Unit.UTF16 else text.lstrip()


def _bytes(text: str) -> bytes:
    """As many as it is counted as: of one that was kept, any."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return _HALVES.sub("\ufffd", _ESCAPED.sub("\0", text)).encode()


def _is_escaped(text: str) -> bool:
    return not text.isascii() and _ESCAPED.search(text) is not None
