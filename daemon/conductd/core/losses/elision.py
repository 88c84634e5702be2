"""Does a line stand for text that is not written out?

Owns the grammar of such lines ("[rest unchanged]", "// ... existing code ...", "（其余内容不变）"): what stands
around the words (brackets, comment marks, dots) and what the words do (`core.losses.elision_words`). It says nothing
about whether something is missing there: that is `core.losses.placeholder`'s. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from conductd.core.losses.elision_words import Part, part_of_word, parts_of_run
from conductd.core.reading.text import is_character, normalise, words

_LONGEST = 220  # characters; a longer line says something
_MOST_PARTS = 26
_MOST_PLAIN = 24  # words, or characters
_LOOSE, _TIGHT = 0.5, 0.34  # of the words: those of another meaning ("(deployment rules unchanged)")

_DOTS = r"(?:\.{3,}|[…⋯]+|。{3,}|・{3,}|‥+|(?:\. ){2,}\.)"
_START_DOTS = re.compile(rf"^{_DOTS}[\s,:;—–-]*")
_END_DOTS = re.compile(rf"[\s,:;—–-]*{_DOTS}$")
_END_RULE = re.compile(r"\s*[-=*#—–]{2,}$")
_MARKERS = re.compile(r"^(?:>[ \t]?|[-+*•·][ \t]+|\d{1,9}[.)][ \t]+|#{1,6}[ \t]+|\[[ xX]\][ \t]+|[—–]{1,2}[ \t]*)")
_COMMENT = re.compile(
    r"^(?:<!--+\s*(?P<a>.*?)\s*--+>|/\*+\s*(?P<b>.*?)\s*\*+/|\{#\s*(?P<c>.*?)\s*#\}|<%#?--?(?P<d>.*?)--?%>)$"
)
_COMMENT_START = re.compile(r"^(?://+|--+|;+|%+|#+|'|REM\b)\s*")
_BRACKETS = {
    "[": "]",
    "(": ")",
    "{": "}",
    "<": ">",
    "（": "）",
    "【": "】",
    "［": "］",
    "〔": "〕",
    "「": "」",
    "〈": "〉",
    "《": "》",
    "«": "»",
    "“": "”",
}
_EMPHASIS = "*_~`〜✂"
_PUNCTUATION = ".。．!！,，;；:：、।؛،"
_BREVITY = frozenset(["brevity", "kürze", "brièveté", "brevedad", "brevidade", "brevità", "للاختصار", "اختصارا"])
_POINTER = re.compile(
    r"\b(?:see|as|siehe|voir|ver|vedi|zie) (?:above|below|oben|unten|ci-dessus|arriba|acima|sopra|hierboven)\b", re.I
)
_AS_BEFORE = re.compile(
    r"\b(?:as|like|wie|comme|come|como|как|zoals)(?: (?:it|they|sie|es|c['’]|era|erano|estaba|было))? ?"
    r"(?:before|was|were|is|are|avant|était|étaient|prima|erano|antes|estaba|war|waren|zuvor|vorher|раньше|прежде|было"
    r"|voorheen|eerst)\W*$",
    re.I,
)
_ID = re.compile(r"\b[^\W\d_]{1,8}[-_]?\d+\b")
_BEFORE = " \t>*_~`•·"
_AFTER = " \t*_~`.。．!！,，;；:：、।؛،=-#"
_COMMENT_SIGNS = "/#;%'|<{-+"
_DOT_SIGNS = "….⋯‥。・"
_CLOSING = frozenset(_BRACKETS.values())
_OPENING = re.compile(rf"{_DOTS}|[\[({{<（【［〔「〈《]|//|/\*|<!--|(?<=\s)[-—–]{{1,3}}(?=\s)|(?<=\s)#")
_NUMBERED = re.compile(r"^[\[(][^\[\]()\s]*\d[^\[\]()\s]*[\])]\s*")
_LEAST_SAID = 3  # words of another meaning
_WEAK = frozenset({"continued", "continues", "continue", "etc", "more", "other", "others"})
_CELL = re.compile(r"(?<!\\)\|")


class _Frame(NamedTuple):
    """What is left inside, and what stood around it."""

    text: str
    bracket: bool = False
    start: bool = False
    end: bool = False

    @property
    def dots(self) -> bool:
        return self.start or self.end

    @property
    def is_marked(self) -> bool:
        return self.bracket or self.dots

    @property
    def is_marked_twice(self) -> bool:
        return (self.bracket and self.dots) or (self.start and self.end)


def is_elision(text: str) -> bool:
    """The whole of this line, or of this entry, stands for text that is not written out."""
    return _said(text) is not None


def has_words(text: str) -> bool:
    """An elision that is more than dots: dots alone are also a statement of some languages."""
    said = _said(text)
    return bool(said)


def names_it(text: str) -> bool:
    """An elision that says what it is: neither dots alone nor "etc." or "(continued)", which people write as well."""
    said = _said(text) or ()
    return any(part not in (Part.MORE, Part.FILL) for part in _parts(said)) and not set(said) <= _WEAK


def elides(text: str, tokens: tuple[str, ...]) -> bool:
    """As `is_elision` of an entry's normalised text, whose words are known: most are told at once."""
    if len(text) > _LONGEST:
        return False
    return is_elision(text) if "|" in text or _may_be_framed(text) else _is_plain(tokens)


def elides_by_marks(text: str) -> bool:
    """As `is_elision`, told by what stands around the words: "the rules stay as they are" may be a note of its own."""
    return len(text) <= _LONGEST and "|" not in text and _may_be_framed(text) and is_elision(text)


def _said(text: str) -> tuple[str, ...] | None:
    """The words of an elision, () for bare dots; None: it is none."""
    if len(text) > _LONGEST:
        return None
    text = normalise(text)
    if "|" in text and not text.startswith(("<", "[", "(", "{", "/")):
        return _row(text)
    if not _may_be_framed(text):
        tokens = words(text)
        return tokens if _is_plain(tokens) else None
    if _follows_a_note(text):
        return None
    frame = _unwrapped(text)
    tokens = words(_ID.sub(" 1 ", _POINTER.sub(" ", _AS_BEFORE.sub(" unchanged ", frame.text))))
    if not tokens:
        return () if frame.dots and not frame.text.strip(_PUNCTUATION + _EMPHASIS + " ") else None
    return tokens if _stands_for_text(frame, tokens) else None


def _follows_a_note(text: str) -> bool:
    """A note, and behind it (on the next line, where none was left blank) something that stands for more."""
    text = _NUMBERED.sub("", text).lstrip(_EMPHASIS)
    opening = _OPENING.search(text, 1)
    if opening is None or not text[0].isalnum():
        return False
    head, tail = text[: opening.start()], text[opening.start() :]
    tokens = words(head)
    said = list(_parts(tokens))
    if said.count(None) < _LEAST_SAID or 2 * said.count(None) < len([part for part in said if part is not Part.FILL]):
        return False
    return any(part not in (None, Part.FILL) for part in _parts(words(tail))) and _said(tail) is not None


def _may_be_framed(text: str) -> bool:
    """Something stands around the words, perhaps: most lines are told apart by their ends alone."""
    head, tail = text.lstrip(_BEFORE), text.rstrip(_AFTER)
    if not head or not tail or head[0] in _COMMENT_SIGNS or head[0] in _DOT_SIGNS or tail[-1] in _DOT_SIGNS:
        return True
    if text.rstrip()[-3:] in ("...", "。。。", "・・・", ". ."):
        return True
    return text[0] in "-+" or (head[0] in _BRACKETS and tail[-1] in _CLOSING)


def _is_plain(tokens: tuple[str, ...]) -> bool:
    """As `_stands_for_text` of an unmarked line, ended by the first word that means something else."""
    if not tokens or len(tokens) > _MOST_PLAIN:
        return False
    if not is_character(tokens[0]) and part_of_word(tokens[0]) in (None, Part.GONE):
        return False
    return _stands_for_text(_Frame(""), tokens)


def _row(text: str) -> tuple[str, ...] | None:
    """A table row: each cell is empty or an elision."""
    cells = [cell.strip() for cell in _CELL.split(text)]
    found: tuple[str, ...] = ()
    any_cell = False
    for cell in filter(None, cells):
        said = _said(cell) if "|" not in cell else None
        if said is None:
            return None
        any_cell = True
        found += said
    return found if any_cell else None


def _unwrapped(text: str) -> _Frame:
    bracket = start = end = False
    for _ in range(24):
        before = text
        text = text.strip()
        if found := _MARKERS.match(text):
            text = text[found.end() :]
        if comment := _COMMENT.match(text):
            text = next((part for part in comment.groups() if part is not None), "")
            bracket = True
        elif (opened := _COMMENT_START.match(text)) and opened.end() < len(text):
            text = text[opened.end() :]
            bracket = True
        if dots := _START_DOTS.match(text):
            start, text = True, text[dots.end() :]
        elif dots := _END_DOTS.search(text):
            end, text = True, text[: dots.start()]
        text = _without_emphasis(_END_RULE.sub("", text))
        if _is_bracketed(text):
            bracket, text = True, text[1:-1]
        elif text and text[-1] in _PUNCTUATION and not _END_DOTS.search(text):
            text = text[:-1]
        if text == before:
            break
    return _Frame(text, bracket, start, end)


def _without_emphasis(text: str) -> str:
    while len(text) > 1 and text[0] in _EMPHASIS and text[-1] == text[0]:
        text = text[1:-1].strip()
    return text


def _is_bracketed(text: str) -> bool:
    """The first bracket is closed by the last character."""
    closing = _BRACKETS.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:
        return False
    depth = 0
    for at, character in enumerate(text):
        depth += (character == text[0]) - (character == closing)
        if depth == 0:
            return at == len(text) - 1
    return False


def _stands_for_text(frame: _Frame, tokens: tuple[str, ...]) -> bool:
    parts = list(_parts(tokens))
    if len(parts) > _MOST_PARTS or (Part.GONE in parts and not _BREVITY.intersection(tokens)):
        return False
    speaking = [part for part in parts if part is not Part.FILL]
    unknown = speaking.count(None)
    foreign = unknown / len(speaking) if speaking else 1.0
    numbers = any(token.isdigit() for token in tokens)
    rest, noun, more = (part in parts for part in (Part.REST, Part.NOUN, Part.MORE))
    if Part.SAME in parts or (Part.NOT in parts and Part.CHANGE in parts):
        if not frame.is_marked:
            return not unknown and (rest or not numbers or (noun and not tokens[0].isdigit()))
        loosely = rest or noun or frame.is_marked_twice
        return foreign <= (_LOOSE if loosely else _TIGHT)
    if rest and noun:
        return foreign <= _TIGHT if frame.bracket or frame.is_marked_twice else frame.start and not unknown
    if (more or numbers) and frame.is_marked:
        counted = (more and (numbers or noun or rest or frame.dots)) or (numbers and noun and frame.dots)
        return counted and foreign <= _TIGHT
    return (rest or noun) and frame.is_marked_twice and not unknown


def _parts(tokens: Iterable[str]) -> Iterable[Part | None]:
    """What each word does. Numbers do nothing; two characters in no phrase are about one word."""
    run: list[str] = []
    for token in (*tokens, ""):
        if token and is_character(token):
            run.append(token)
            continue
        if run:
            found = parts_of_run("".join(run))
            yield from (part for part in found if part is not None)
            yield from [None] * ((found.count(None) + 1) // 2)
            run.clear()
        if token and not token.isdigit():
            yield part_of_word(token)
