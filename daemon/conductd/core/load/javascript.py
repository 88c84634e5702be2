"""Strings as JavaScript counts and cuts them: in UTF-16 code units.

A character outside the Basic Multilingual Plane counts 2. A cut may fall between its halves: `cut` then leaves a
lone surrogate, as `String.prototype.slice` does; `safe_cut` leaves the half out. Source: ECMA-262, "The String
Type", "WhiteSpace", "LineTerminator".
"""

from __future__ import annotations

WHITE_SPACE = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(map(chr, range(0x2000, 0x200B)))
"""What `trim` removes and `\\s` matches."""


def units(text: str) -> int:
    """`text.length`."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def trim_end(text: str) -> str:
    return text.rstrip(WHITE_SPACE)


def trim(text: str) -> str:
    return text.strip(WHITE_SPACE)


def cut(text: str, start: int, end: int) -> str:
    """`text.slice(start, end)` for 0 <= start <= end; halves of a pair are left as they are."""
    if text.isascii():
        return text[start:end]
    encoded = text.encode("utf-16-le", "surrogatepass")
    return encoded[2 * start : 2 * end].decode("utf-16-le", "surrogatepass")


def safe_cut(text: str, start: int, end: int) -> str:
    """As `cut`, without the half of a pair at either end."""
    part = cut(text, start, end)
    if start > 0 and part and "\udc00" <= part[0] <= "\udfff" and "\ud800" <= _unit(text, start - 1) <= "\udbff":
        part = part[1:]
    if part and "\ud800" <= part[-1] <= "\udbff" and end < units(text) and "\udc00" <= _unit(text, end) <= "\udfff":
        part = part[:-1]
    return part


def place(text: str, unit: int) -> int:
    """How many characters begin before the unit: where, as an index, the first begins that is whole from it on."""
    return unit if text.isascii() else len(_before(text, unit, "replace"))


def whole_before(text: str, unit: int) -> int:
    """How many characters are whole before the unit."""
    return unit if text.isascii() else len(_before(text, unit, "ignore"))


def _before(text: str, unit: int, errors: str) -> str:
    # Halves that the text itself has are no cut: made whole characters of one unit first.
    plain = "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return plain.encode("utf-16-le")[: 2 * unit].decode("utf-16-le", errors)


def _unit(text: str, place: int) -> str:
    return cut(text, place, place + 1)
