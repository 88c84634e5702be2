"""What a person asks to forget, as a test of texts: a piece of text, compared like entries are.

Without regard to case, layout, Unicode composition and where a line was broken. Pure; knows
nothing of regular expressions, which a process of its own looks for (`engine.forgetting.bounded_regex`).
"""

from __future__ import annotations

import re
import unicodedata

from conductd.core.forget import Piece, fold
from conductd.core.forget_forms import DASHES, MARKS, UNSEEN, bare, is_bare_in_bytes
from conductd.core.reading import text as text_

LEAST = 3  # characters; less would forget half of everything
LEAST_CJK = 2
MOST = 10_000

_LAYOUT = re.compile(r"[\s>\ufeff\u200b\u2060]+")

_LOWER = bytes(range(256)).lower()


class Pattern:
    """Raises ValueError, with the reason, for a text that is too short or too long to look for."""

    def __init__(self, text: str) -> None:
        self.folded = fold(text)
        self._tight = _tight(text)
        characters = len(self._tight)
        least = LEAST_CJK if any(map(text_.is_character, self._tight)) else LEAST
        if characters < least:
            raise ValueError(f"it has {characters} characters: at least {least} are needed")
        if len(text) > MOST:
            raise ValueError(f"it has {len(text)} characters: at most {MOST} are looked for")
        self._bare = bare(text)
        self._bare_tight = self._bare.replace(" ", "")
        if len(self._bare_tight) < least:  # it consists of marks
            self._bare = self._bare_tight = ""
        self._spaced = re.compile(_flexible(text), re.IGNORECASE)

    def may_be_in(self, text: str) -> bool:
        """False: no entry of this text holds it. Quick."""
        if self._tight in _tight(text):
            return True
        return bool(self._bare) and self._bare_tight in _LAYOUT.sub("", bare(text))

    def is_in(self, piece: Piece) -> bool:
        if self.folded in piece.entry.text.casefold() or self.folded in piece.joined.casefold():
            return True
        return bool(self._bare) and (self._bare in bare(piece.entry.text) or self._bare in bare(piece.joined))

    def is_in_bytes(self, data: bytes) -> bool:
        """Whether it stands in bytes of any meaning: as UTF-8, UTF-16 or Latin-1, at any offset."""
        if self._tight.isascii():  # one pass over all of them: UTF-16 has a NUL beside each character
            if self._tight.encode() in data.translate(_LOWER, b"\0\t\n\r\v\f >"):
                return True
            return bool(self._bare) and is_bare_in_bytes(self._bare_tight, data)
        for codec, start in (("utf-8", 0), ("utf-16-le", 0), ("utf-16-le", 1), ("utf-16-be", 0), ("utf-16-be", 1)):
            if self._tight in _tight(data[start:].decode(codec, "ignore")):
                return True
        return self._tight in _tight(data.decode("latin-1"))

    def found_in(self, text: str) -> list[str]:
        """Every stretch of a raw text that it matches, as it stands there, also over line breaks."""
        return [found[0] for found in self._spaced.finditer(text)]


def _tight(text: str) -> str:
    text = _LAYOUT.sub("", text)
    return (text if text.isascii() else unicodedata.normalize("NFC", text)).casefold()


def _flexible(text: str) -> str:
    """A regular expression for the text in either composition, with any layout where it has a space and a
    line break (with what begins the next line) anywhere. Bounded: a file may be all white space."""
    broken = r"(?:[ \t]{0,40}(?:\r\n|\r|\n)[\s>]{0,80})?"
    gap = r"[\s>\ufeff\u200b\u2060]{1,200}"
    between = f"(?:[{UNSEEN}{MARKS}]{{1,8}}|{broken})?"
    forms = []
    for form in ("NFC", "NFD"):
        words = unicodedata.normalize(form, text_.normalise(text)).split(" ")
        forms.append(gap.join(between.join(map(_letter, word)) for word in words))
    return "|".join(dict.fromkeys(forms))


def _letter(letter: str) -> str:
    return f"[{DASHES}]" if re.fullmatch(f"[{DASHES}]", letter) else re.escape(letter)
