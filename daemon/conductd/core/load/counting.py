"""Sizes and places in the unit that a loader counts, and back to characters.

Pure. What is no text of its own (half of a pair) is counted as the replacement character that stands for it.
"""

from __future__ import annotations

from conductd.core.load import javascript
from conductd.core.load.loaded import Unit


def measure(text: str, unit: Unit) -> int:
    """How much the text is in what a loader counts."""
    if unit is Unit.UTF16:
        return javascript.units(text)
    return len(text) if unit is Unit.CHARACTERS or text.isascii() else len(text.encode("utf-8", "surrogatepass"))


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
    return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text).encode()
