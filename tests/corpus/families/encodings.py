"""Destructive: the bytes are damaged, or are no longer here."""

from __future__ import annotations

from random import Random

from corpus.changes import Made, family, harmful, marks, one
from corpus.families.places import ANY, KEPT, LASTING, writer
from corpus.languages import Language
from corpus.notes import fresh, notes

NOT_ASCII = ("de", "zh", "ja", "ar", "mixed")
DAMAGE = "overwrite shrink encoding_change partial_write placeholder"
BACK = "revert merge propose"


def misread(text: str, encoding: str) -> str:
    """UTF-8 bytes read as another encoding, as programs do that never fail: what the encoding leaves
    open is read as Latin-1."""
    found = []
    for byte in text.encode():
        try:
            found.append(bytes([byte]).decode(encoding))
        except UnicodeDecodeError:
            found.append(chr(byte))
    return "".join(found)


def _garbled(language: Language, random: Random, encoding: str, times: int) -> Made:
    path, before = random.choice(LASTING), notes(language, random)
    after = before.text if random.random() < 0.6 else before.plus(fresh(language, random, 1)).text
    for _ in range(times):
        after = misread(after, encoding)
    wanted = harmful(DAMAGE, BACK, back=marks(before.text) - marks(after))
    return one(path, before.text, after, by=writer(random)), wanted


@family(destructive=True, languages=NOT_ASCII)
def mojibake_latin1(language: Language, random: Random) -> Made:
    """UTF-8 read as Latin-1 and written again as UTF-8."""
    return _garbled(language, random, "latin-1", 1)


@family(destructive=True, languages=NOT_ASCII)
def mojibake_cp1252(language: Language, random: Random) -> Made:
    """The same through the Windows code page."""
    return _garbled(language, random, "cp1252", 1)


@family(destructive=True, languages=NOT_ASCII)
def mojibake_twice(language: Language, random: Random) -> Made:
    """Two programs in a row."""
    return _garbled(language, random, random.choice(("latin-1", "cp1252")), 2)


@family(destructive=True, languages=NOT_ASCII)
def question_marks(language: Language, random: Random) -> Made:
    """Everything outside ASCII became `?` or U+FFFD."""
    path, before = random.choice(LASTING), notes(language, random).text
    mark = random.choice(("?", "�", "��"))
    after = "".join(char if char.isascii() else mark for char in before)
    return one(path, before, after, by=writer(random)), harmful(DAMAGE, BACK, back=marks(before) - marks(after))


@family(destructive=True)
def nul_run(language: Language, random: Random) -> Made:
    """A power cut or a sync client left zeroes: everywhere, from the middle on, or in a hole."""
    path, data = random.choice(ANY), notes(language, random, (24, 40)).text.encode()
    size = len(data)
    after = random.choice(
        (
            bytes(size),
            data[: size // 2] + bytes(size - size // 2),
            data[: size // 3] + bytes(size // 3) + data[size // 3 * 2 :],
        )
    )
    return one(path, data, after, by=writer(random)), harmful(DAMAGE, BACK, back=marks(data) - marks(after))


@family(destructive=True)
def dehydrated(language: Language, random: Random) -> Made:
    """A sync client freed the space: nothing, zeroes or a note that it is online is left."""
    path, before = random.choice(KEPT), notes(language, random).text
    said = random.choice(language.phrases.offline)
    after = random.choice((b"", bytes(len(before.encode())), said.encode()))
    by = random.choice(("unknown", "sync:cloud"))
    wanted = harmful("overwrite partial_write placeholder", "revert merge propose", back=marks(before), never=(said,))
    return one(path, before, after, by=by), wanted


@family(destructive=True, languages=("de", "zh", "ja", "mixed"))
def lossy_code_page(language: Language, random: Random) -> Made:
    """Saved in a code page that does not have half of the characters."""
    path, before = random.choice(KEPT), notes(language, random).text
    after = before.encode("cp437", "replace") if random.random() < 0.5 else before.encode("ascii", "ignore")
    return one(path, before, after, by=writer(random)), harmful(DAMAGE, BACK, back=marks(before) - marks(after))
