"""What counts as a new entry, and what only stands in for one.

Owns the new-entry rule: three words (or four characters of a script without spaces) outside
brackets and ids, no heading, and not a phrase that says that nothing is said. Called by
`core.comparing.change`, `core.judging.judge` and `core.merging.merge`.
"""

from __future__ import annotations

from conductd.core.losses.elision import elides, elides_by_marks
from conductd.core.policy import Thresholds
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, once
from conductd.core.reading.text import words, words_outside_brackets

# An entry made of these words alone says nothing, however long it is: "No changes needed",
# "(the rest of the file remains the same)", "NO_REPLY", "Nothing to add to memory".
_EMPTY_TEXT = """
a above add added all and any anything are as at be been before below blank by change changed changes content
contents current date do done dummy earlier empty entries entry everything existing false file files following for
from gone have here heartbeat in is it kept left lorem ipsum memories memory missing modification modifications
modified n na nan need needed needs new nil no none not note notes nothing null of ok okay old omitted on only or
original other placeholder previous remain remains remaining remember removed reply report reported required rest
same save saved section sections see session stay stays still stub sample store stored tbd text that the there these
this to todo true truncated unchanged undefined unmodified up update updated updates was were with write x xx xxx
yet success successful successfully complete completed done acknowledged ack understood sure got eof void finished
object keine keiner keines änderung änderungen nichts leer unverändert wie zuvor bisher der die das datei inhalt
neuer eintrag bleibt gleich fertig erledigt hecho listo terminé feito pronto fatto klaar готово tamam تم aucun
aucune rien vide inchangé sin cambios nada vacío ninguno ninguna لا شيء يوجد تغيير تغييرات فارغ
"""
_EMPTY_WORDS = frozenset(_EMPTY_TEXT.split())
_EMPTY_PHRASES = """
完成 已完成 好的 知道了 明白 了解 了解しました 完了 完了しました 承知しました 완료 완료했습니다 네 알겠습니다 无变化
没有变化 未变化 无更改 没有更改 不变 保持不变 无内容 無變化 沒有變化 略 省略 同上 新条目 空 無 无 変更なし
変更はありません 変化なし 特になし なし 以下同じ 以下省略 前と同じ 新規項目 변경없음 변경사항없음 없음
"""
_SHORT = 3  # words; a longer entry is found in a longer one by `core.comparing.similarity`
_EMPTY_CHARACTERS = frozenset(tuple(words(phrase)) for phrase in _EMPTY_PHRASES.split())


@once
def is_stand_in(entry: Entry) -> bool:
    """The entry says nothing of its own ("(new entry)", "unchanged", "NO_REPLY", "x", "…")."""
    return _says_nothing(entry.words) or (entry.kind is not Kind.FRONT_MATTER and elides(entry.text, entry.words))


@once
def was_stand_in(entry: Entry) -> bool:
    """The same of an entry of the text before: where a bare sentence was somebody's note, its loss counts."""
    return _says_nothing(entry.words) or (entry.kind is not Kind.FRONT_MATTER and elides_by_marks(entry.text))


def is_stand_in_text(text: str) -> bool:
    """The same of a part of an entry, such as the value of a field; nothing at all is no stand-in."""
    tokens = words(text)
    return bool(tokens) and _says_nothing(tokens)


def _says_nothing(tokens: tuple[str, ...]) -> bool:
    if all(part in _EMPTY_WORDS for token in tokens for part in token.split("_") if part):
        return True
    return tokens in _EMPTY_CHARACTERS


@once
def open_label(entry: Entry) -> tuple[str, ...]:
    """The words that wait for more: those before the first colon, when nothing or only a stand-in comes
    after it ("City: TBD", "Pronouns: (optional)"), or the one or two words of a short entry; else none."""
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.HTML):
        return ()
    label, colon, value = entry.text.replace("：", ":").partition(":")
    if colon and (_says_nothing(words(value)) or words_outside_brackets(value) == (0, 0)):
        return words(label)
    return entry.words if entry.weight < _SHORT else ()


def counts_as_new(entry: Entry, limits: Thresholds) -> bool:
    """The entry is worth merging into another version."""
    if entry.kind in (Kind.HEADING, Kind.FRONT_MATTER):
        return False
    latin, characters = _outside_brackets(entry)
    if (
        latin * limits.new_entry_cjk + characters * limits.new_entry_tokens
        < limits.new_entry_tokens * limits.new_entry_cjk
    ):
        return False
    return not is_stand_in(entry)


@once
def _outside_brackets(entry: Entry) -> tuple[int, int]:
    if entry.text.isascii() and not any(opening in entry.text for opening in "[({"):
        return entry.weight, 0
    return words_outside_brackets(entry.text)


def says_something(table: EntryTable) -> bool:
    """Some entry other than a heading is no stand-in."""
    return any(e.kind is not Kind.HEADING and e.words and not is_stand_in(e) for e in table.entries)
