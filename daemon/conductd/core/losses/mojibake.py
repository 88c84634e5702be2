"""Text that went through the wrong encoding: "GrÃ¼ÃŸe", "Gr??e", "Gr�e".

Owns undoing it, line by line and against the old text, so that nothing is guessed: a line counts as damaged only
when taking the damage back gives a line that was there. Pure and deterministic.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from conductd.core.reading.text import normalise

_TWICE = 2
_TRIED = 60  # lines, from all over the text: where none of them can be undone, no more are tried
_SAMPLE = 200  # characters: UTF-8 in units of two is foreign from the start
_LONGEST_LINE = 20_000  # characters

# Encodings in which UTF-8 is commonly read by mistake, most common first.
_READ_AS_NAMES = """
    cp1252 latin-1 cp1250 cp1251 koi8-r cp437 cp850 mac-roman iso8859-15 cp1253 cp1254 cp1255 cp1256
    gb18030 big5 cp932 euc-jp cp949
"""
_READ_AS = tuple(_READ_AS_NAMES.split())
# Encodings of before UTF-8 whose bytes this text may be: those with strict rules first.
_LEGACY_NAMES = """
    iso2022_jp euc_jp cp932 gb18030 euc_kr cp949 big5 cp1252 cp1251 koi8-r cp1256 cp1253 cp1255 cp1250
    cp1254 cp874 cp1258 mac-roman cp437 cp850
"""
LEGACY = tuple(_LEGACY_NAMES.split())

_DAMAGE = "\ufffd?\u25a1\udc80-\udcff"  # what stands where a letter was
_MARK = re.compile(f"[{_DAMAGE}]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_ANY = re.compile(r"(?:[^\x00-\x7f]|\?)+")
_ESCAPED = re.compile("[\udc80-\udcff]")
_LEAST_LEFT = 4  # letters of a line whose others were dropped


class Healed(NamedTuple):
    """``text`` is the new text with the damage taken back. ``damaged``: its 0-based lines that were. ``lines``: of
    the old text, those that stood there damaged. ``destroyed``: letters are gone that only the old text has."""

    text: str
    damaged: tuple[int, ...]
    lines: tuple[int, ...]
    destroyed: bool


def heal(old: str, now: str) -> Healed | None:
    """The new text with its damaged lines as they were; None when no line shows damage."""
    if old.isascii() and now.isascii() and "\0" not in now:
        return None  # nothing to damage, and no sign of it
    before = old.split("\n")
    known: dict[str, int] = {}
    for number, line in enumerate(before):
        if line.strip():
            known.setdefault(_key(line), number)
    text = _unwidened(now, known)
    after = (text if text is not None else now).split("\n")
    suspects = [n for n, line in enumerate(after) if _is_suspect(line, known)]
    if not suspects and text is None:
        return None
    result, lines = list(after), dict[int, int]()
    codecs: Counter[str] = Counter()
    rest: list[int] = []
    hopeful = any(_undone(after[number], known) for number in suspects[:: 1 + len(suspects) // _TRIED])
    for number in suspects:
        undone = _undone(after[number], known) if hopeful else None
        if undone is None:
            rest.append(number)
            continue
        codecs[undone.codec] += 1
        result[number], lines[number] = undone.text, known[_key(undone.text)]
    destroyed = _put_back(rest, before, known, set(lines.values()), result, lines)
    if codecs:
        _undo_the_rest(rest, codecs.most_common(1)[0][0], result, lines)
    if text is not None:
        return Healed("\n".join(result), tuple(range(len(result))), tuple(sorted(known.values())), destroyed)
    if not lines:
        return None
    return Healed(
        "\n".join(result), tuple(sorted(lines)), tuple(sorted(n for n in lines.values() if n >= 0)), destroyed
    )


def _key(line: str) -> str:
    return normalise(line)


def _is_suspect(line: str, known: Mapping[str, int]) -> bool:
    return len(line) <= _LONGEST_LINE and bool(line.strip()) and _key(line) not in known


# --------------------------------------------------------------------------- what can be undone


class _Undone(NamedTuple):
    text: str
    codec: str


def _undone(line: str, known: Mapping[str, int]) -> _Undone | None:
    """The line as it was before it was read in another encoding, once or twice."""
    if line.isascii():
        return None
    if _ESCAPED.search(line):  # bytes of another encoding in a UTF-8 file
        for codec in LEGACY:
            again = _decoded(line.encode("utf-8", "surrogateescape"), codec)
            if again is not None and _key(again) in known:
                return _Undone(again, "utf-8")
    for codec in _READ_AS:
        text = line
        for _ in range(_TWICE):
            again = read_right(text, codec)
            if again is None or again == text:
                break
            if _key(again) in known:
                return _Undone(again, codec)
            text = again
    return None


def read_right(text: str, codec: str) -> str | None:
    """What the bytes say in UTF-8 that this text is in ``codec``."""
    data = _bytes(text, codec)
    return None if data is None else _decoded(data, "utf-8")


def _decoded(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _bytes(text: str, codec: str) -> bytes | None:
    try:
        return text.encode(codec)
    except UnicodeEncodeError:
        pass
    if not codec.startswith("cp125"):
        return None
    # Bytes that the code page leaves open pass as C1 controls in most programs.
    found = bytearray()
    for character in text:
        try:
            found += character.encode(codec)
        except UnicodeEncodeError:
            if not 0x80 <= ord(character) <= 0x9F:
                return None
            found.append(ord(character))
    return bytes(found)


def _undo_the_rest(rest: Iterable[int], codec: str, result: list[str], lines: dict[int, int]) -> None:
    """New lines that were damaged along with the old ones."""
    for number in rest:
        again = read_right(result[number], codec)
        if again is not None and again != result[number]:
            result[number] = again
            lines[number] = -1


def _unwidened(now: str, known: Mapping[str, int]) -> str | None:
    """The whole text where UTF-16 was read as 8-bit text ("#\\0 \\0M\\0") or UTF-8 as UTF-16 ("⌣䴠浥")."""
    for codec, data in _other_width(now):
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        text = text.rstrip("\0").replace("\r\n", "\n")
        lines = [line for line in text.split("\n") if line.strip()]
        if lines and sum(_key(line) in known for line in lines) * 2 > len(lines):
            return text
    return None


def _other_width(now: str) -> Iterator[tuple[str, bytes]]:
    if now.startswith(("ÿþ", "þÿ")) or "\0" in now:
        raw = _bytes(now, "cp1252") or b""
        yield "utf-16-le", _even(raw.removeprefix(b"\xff\xfe"))
        yield "utf-16-be", _even(raw.removeprefix(b"\xfe\xff"))
    elif not now[:_SAMPLE].isascii():
        yield "utf-8", now.encode("utf-16-le", "surrogatepass")
        yield "utf-8", now.encode("utf-16-be", "surrogatepass")


def _even(data: bytes) -> bytes:
    return data[: len(data) - len(data) % 2]


# --------------------------------------------------------------------------- what only the old text has


def _put_back(
    rest: list[int],
    before: Sequence[str],
    known: Mapping[str, int],
    used: set[int],
    result: list[str],
    lines: dict[int, int],
) -> bool:
    """Lines in which letters were replaced or dropped: as they stood in the old text. Those found leave ``rest``."""
    if not rest:
        return False
    waiting: dict[str, list[int]] = {}
    for number in known.values():
        if number not in used and not before[number].isascii():
            waiting.setdefault(_shape(before[number]), []).append(number)
            if (left := _without_letters(before[number])) is not None:
                waiting.setdefault(left, []).append(number)
    found = False
    for number in list(rest):
        line = result[number]
        replaced = _MARK.search(line) is not None
        near = waiting.get(_shape(line) if replaced else _plain(line), ())
        fits = [n for n in near if n not in used and (not replaced or _may_be(before[n], line))]
        if fits:
            used.add(fits[0])
            result[number], lines[number] = _like(before[fits[0]], line), fits[0]
            rest.remove(number)
            found = True
    return found


def _plain(line: str) -> str:
    """The line with its spaces as they are: a mark is no character that needs none."""
    return unicodedata.normalize("NFC", " ".join(line.split()))


def _without_letters(line: str) -> str | None:
    """The line after its letters beyond ASCII were dropped; None when none stood inside its words, or little is
    left. Whole words that went are another text: a second language was left out."""
    key = _plain(line)
    if not any(_is_inside(key, *part.span()) for part in _FOREIGN.finditer(key)):
        return None
    left = _FOREIGN.sub("", key)
    return _plain(left) if sum(map(str.isalnum, left)) >= _LEAST_LEFT else None


def _is_inside(line: str, start: int, end: int) -> bool:
    """Letters of the alphabet of ASCII that stand beside such letters."""
    first, last = (unicodedata.name(character, "").startswith("LATIN ") for character in (line[start], line[end - 1]))
    return (first and line[:start][-1:].isalpha()) or (last and line[end : end + 1].isalpha())


def _shape(line: str) -> str:
    """The line with every stretch of what can be lost as one mark."""
    return _ANY.sub("\0", _plain(line))


def _may_be(old: str, new: str) -> bool:
    """As many marks as letters, or bytes, stood there; a stretch that became one mark too."""
    gone, marks = _FOREIGN.findall(_plain(old)), _ANY.findall(_plain(new))
    letters = sum(map(len, gone))
    if sum(1 for part in marks for character in part if not _MARK.match(character)) >= letters:
        return False  # they are all there
    octets = sum(len(part.encode("utf-8", "surrogatepass")) for part in gone)
    shown = sum(len(part) for part in marks)
    return shown in (letters, octets) or (shown >= len(gone) and any(part.isalnum() for part in _ANY.split(new)))


def _like(old: str, new: str) -> str:
    """The old line, indented as the new one is."""
    return new[: len(new) - len(new.lstrip())] + old.lstrip()


def from_legacy(data: bytes) -> Iterator[str]:
    """What bytes that are no UTF-8 may say, by encodings of before; strict ones first."""
    for codec in LEGACY:
        text = _decoded(data, codec)
        if text is not None:
            yield text
