"""What the bytes of a memory file say: decoding, normalising, counting words.

Owns every decision about what is layout and what is content. Never raises, whatever the
bytes. Called by `core.reading.entries` (for the blocks) and `core.judging.judge` (for encoding and line ends).
"""

from __future__ import annotations

import re
import sys
import unicodedata
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise
from operator import add

from conductd.core.reading.metadata import BRACKETS, memory_alone
from conductd.model import Frozen


class Encoding(StrEnum):
    UTF_8 = "utf-8"
    UTF_8_BOM = "utf-8-bom"
    UTF_16_LE = "utf-16-le"
    UTF_16_BE = "utf-16-be"
    LATIN_1 = "latin-1"  # the fallback: every byte string is Latin-1
    BINARY = "binary"


class LineEnd(StrEnum):
    NONE = "none"  # a single line
    LF = "lf"
    CRLF = "crlf"
    CR = "cr"
    MIXED = "mixed"


FORGOTTEN = "[forgotten]"  # stands where `conductd forget` took an entry out; it is no entry itself
_ONLY_FORGOTTEN = re.compile(r"(?:\[forgotten\](?: \| | |$))+")


class Decoded(Frozen, frozen=True):
    """Text without its BOM, lines ended by ``\\n``. Damaged UTF-8 keeps its bad bytes as lone surrogates."""

    text: str
    encoding: Encoding
    line_end: LineEnd


_MULTIBYTE = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_BAD = re.compile("[\udc80-\udcff]")


def decode(data: bytes) -> Decoded:
    """The text of a file, however damaged."""
    text, encoding = _decode(data)
    line_end = _line_end(text)
    if line_end in (LineEnd.CRLF, LineEnd.CR, LineEnd.MIXED):
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return Decoded(text, encoding, line_end)


def _decode(data: bytes) -> tuple[str, Encoding]:
    if data.startswith(b"\xef\xbb\xbf"):
        return data[3:].decode("utf-8", "surrogateescape"), Encoding.UTF_8_BOM
    if data.startswith(b"\xff\xfe"):
        return data[2:].decode("utf-16-le", "replace"), Encoding.UTF_16_LE
    if data.startswith(b"\xfe\xff"):
        return data[2:].decode("utf-16-be", "replace"), Encoding.UTF_16_BE
    nuls = data.count(0)
    if nuls * 10 > len(data):
        return _decode_with_nuls(data, nuls)
    try:
        return data.decode("utf-8"), Encoding.UTF_8
    except UnicodeDecodeError:
        pass
    # A UTF-8 file with a character cut in two (a torn write) must stay UTF-8, or every entry
    # of a Chinese file would look replaced.
    text = data.decode("utf-8", "surrogateescape")
    bad = len(_BAD.findall(text))
    if bad <= 3 * len(_MULTIBYTE.findall(data)):
        return text, Encoding.UTF_8
    return data.decode("latin-1"), Encoding.LATIN_1


def _decode_with_nuls(data: bytes, nuls: int) -> tuple[str, Encoding]:
    """UTF-16 without a BOM (Latin script: every other byte is NUL), or no text at all."""
    for codec, encoding, offset in (
        ("utf-16-le", Encoding.UTF_16_LE, 1),
        ("utf-16-be", Encoding.UTF_16_BE, 0),
    ):
        here = data[offset::2].count(0)
        if here * 10 > nuls * 9 and here * 5 > len(data):
            return data.decode(codec, "replace"), encoding
    return data.decode("latin-1"), Encoding.BINARY


def _line_end(text: str) -> LineEnd:
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    cr = text.count("\r") - crlf
    kinds = [kind for kind, n in ((LineEnd.LF, lf), (LineEnd.CRLF, crlf), (LineEnd.CR, cr)) if n]
    if not kinds:
        return LineEnd.NONE
    return kinds[0] if len(kinds) == 1 else LineEnd.MIXED


# --------------------------------------------------------------------------- words

# Scripts written without spaces: each character is a token. Han, kana, bopomofo, hangul, and the
# South-East Asian scripts, where a whole sentence would else be one word.
_CHARACTER = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff66-\uff9d"
    "\U00020000-\U0003ffff"
)
# Marks that belong to a word but are not \w: Latin, Cyrillic, Hebrew, Arabic and Indic signs, joiners.
_MARKS = (
    "\u0300-\u036f\u0483-\u0489\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u1ab0-\u1aff\u200c\u200d"
)
_TOKEN = re.compile(rf"[{_CHARACTER}]|(?:(?![{_CHARACTER}])[^\W_])(?:(?![{_CHARACTER}])(?:[^\W_]|[{_MARKS}]))*")
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
_IS_CHARACTER = re.compile(f"[{_CHARACTER}]")
_CHARACTERS = re.compile(f"[{_CHARACTER}]+")

_BRACKETS = "\\[\\](){}（）【】［］"
_ID = re.compile(
    rf"(?<!\])[\[({{（【［]\s*[#^]?(?=[^\s{_BRACKETS}]*\d|[0-9a-fA-F]{{6,}}\s*[\])}}）】］])[^\s{_BRACKETS}]{{1,64}}\s*[\])}}）】］](?!\()"
    r"|(?:(?<=\s)|^)\^[\w-]+\s*$"
)
_ID_MARKS = re.compile(r"[\s\[\](){}（）【】［］#^]+")
_PLAIN_NUMBER = re.compile(r"[\d\s.:/,T+Z%-]*")
_CHECKBOX = re.compile(r"^\[[ xX-]\]\s")
_PIN_MARK = re.compile(r"<!--\s*/?\s*(?:pin|unpin)\s*-->")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_BRACKETED = re.compile(r"\[[^\[\]]*\]|\([^()]*\)|\{[^{}]*\}|（[^（）]*）|【[^【】]*】|［[^［］]*］")

_SPACE = re.compile(r"[\s\ufeff\u200b\u2060]+")
_SPACE_BETWEEN_CHARACTERS = re.compile(
    rf"(?<=[{_CHARACTER}\u3000-\u303f\uff00-\uffef]) (?=[{_CHARACTER}\u3000-\u303f\uff00-\uffef])"
)


@lru_cache(maxsize=1 << 15)
def is_character(word: str) -> bool:
    """The token is a character of a script written without spaces."""
    return bool(_IS_CHARACTER.match(word))


def normalise(text: str) -> str:
    """One entry's text without its layout: white space (also between CJK characters, where a
    new line is no word boundary), BOM, Unicode composition. The caller strips markers."""
    text = _SPACE.sub(" ", text).strip(" ")
    if text.isascii():
        return text
    text = unicodedata.normalize("NFC", text)
    return _SPACE_BETWEEN_CHARACTERS.sub("", text)


def words(text: str) -> tuple[str, ...]:
    """The word tokens of normalised text: case-folded, ids and marks left out."""
    if "=" in text or "<!--" in text or text.endswith(BRACKETS):
        text = memory_alone(text)
    if "[" in text or "(" in text or not text.isascii() or "{" in text or "^" in text:
        text = _ID.sub(" ", _CHECKBOX.sub("", text))
    if "<!--" in text:
        text = _PIN_MARK.sub(" ", text)
    token = _ASCII_TOKEN if text.isascii() else _TOKEN  # the same tokens, three times as fast
    return tuple(map(sys.intern, token.findall(text.casefold())))


def features(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """What is compared of word tokens: the words, and for scripts without spaces pairs of
    neighbours, because single characters are shared by any two texts."""
    joined = "".join(tokens)
    if joined.isascii():
        return tokens
    if len(joined) == len(tokens) > 1 and _CHARACTERS.fullmatch(joined):
        return tuple(map(add, tokens, tokens[1:]))
    if not _IS_CHARACTER.search(joined):
        return tokens
    out: list[str] = []
    run: list[str] = []
    for token in (*tokens, ""):
        if token and is_character(token):
            run.append(token)
            continue
        out.extend(run if len(run) == 1 else map("".join, pairwise(run)))
        run.clear()
        if token:
            out.append(token)
    return tuple(out)


def is_only_mark(text: str) -> bool:
    """A pin mark alone: it marks entries and is none itself."""
    return not _PIN_MARK.sub("", text).strip()


def is_forgotten(text: str) -> bool:
    """Normalised text of which nothing is left."""
    return text.startswith(FORGOTTEN) and bool(_ONLY_FORGOTTEN.fullmatch(text))


def ids(text: str) -> frozenset[str]:
    """The bracketed ids of an entry that can tell it from another: dates and bare numbers cannot."""
    if text.isascii() and not any(opening in text for opening in "[({^"):
        return frozenset()
    found = (_ID_MARKS.sub("", match) for match in _ID.findall(memory_alone(text)))
    return frozenset(i for i in found if i and not _PLAIN_NUMBER.fullmatch(i))


def words_outside_brackets(text: str) -> tuple[int, int]:
    """(words, CJK characters) outside brackets and ids. The text of a Markdown link counts."""
    text = _LINK.sub(r" \1 ", text)
    for _ in range(3):  # brackets nest
        text, n = _BRACKETED.subn(" ", text)
        if not n:
            break
    tokens = words(text)
    characters = sum(1 for t in tokens if _IS_CHARACTER.match(t))
    return len(tokens) - characters, characters
