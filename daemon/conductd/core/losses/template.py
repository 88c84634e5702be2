"""Text that waits to be filled in: empty fields, hints in brackets or italics, "add your notes here".

Owns the recognition of such entries, and of a text made of them: written over real content it has nothing worth
keeping (rule `template`), and giving way to real content it loses nothing. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from conductd.core.judging.finding import Evidence, Finding, figures
from conductd.core.judging.loss import Loss
from conductd.core.losses.elision import elides_by_marks
from conductd.core.losses.standins import is_stand_in_text, says_something, was_stand_in
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, EntryTable, once
from conductd.core.reading.text import words
from conductd.model import Action, EventClass

_LEAST_WAITING = 2
_FEW = 3  # entries of a text that is one hint ("Add your notes here.")
_LONGEST_LABEL = 5  # words
_LONGEST_HINT = 16  # words
_FIRST_WORDS = 3

_BRACKETED = re.compile(
    r"(?:\[[^\[\]()]*\](?!\()|<[^<>/!][^<>]*>|\{\{?[^{}]*\}?\}|（[^（）]*）|\([^()]*\)|【[^【】]*】|［[^［］]*］"
    r"|«[^«»]*»|_{3,}|\.{3,}|…)"
)
_ITALIC = re.compile(r"^(?:_(?!_).*[^_]_|\*(?!\*).*[^*]\*)[.:]?$", re.S)
_COMMENT = re.compile(r"^<!--.*-->$", re.S)
_LABEL = re.compile(r"^(?P<label>[^:：]{1,60})[:：](?P<value>.*)$", re.S)
_OPEN_FIELD = re.compile(
    r"\s*[*_]{0,2}[^\W\d_][\w '’/-]{0,30}[*_]{0,2}\s*[:：][*_]{0,2}\s*"
    r"(?P<value>[\[<{(（【][^\[\]<>{}()（）【】]{0,60}[\])>}）】]|_{2,}|\.{3}|…|TBD|TODO|N/A|\?+|—|-)(?=\s|$|\w)"
)
_LABELS = re.compile(r"(?:[*_]{0,2}[^\W\d_][\w'’/-]*(?: [\w'’/-]+){0,4}[*_]{0,2}\s?[:：][*_]{0,2}\s*){2,}")
# "Task 1", "Example": the place of an item.
_DUMMY = re.compile(
    r"^(?:\[[ xX]?\]\s*)?(?:first |another |sample |example )?(?:task|item|note|entry|example|point|step|topic"
    r"|bullet|fact|rule|project|name"
    r"|aufgabe|punkt|eintrag|beispiel|notiz|tâche|exemple|élément|tarea|ejemplo|elemento|tarefa|exemplo|voce"
    r"|esempio|taak|voorbeeld|задача|пример"
    r"|项目|任务|条目|示例|项|例|タスク|項目|작업|항목|예시|مهمة|مثال|görev|örnek|कार्य|उदाहरण)\s*(?:\d{1,2}"
    r"|[A-C]|one|two|three)?\W*$",
    re.I,
)
_SHORT, _LONG = 3, 10  # words in a bracket: the name of what is asked for
_ASKING_BRACKETS = "[<{［【"
_MARKS = "*_~`|#- "
# Somebody is told what to write where.
_HERE = (
    r"(?:here|(?:below|above|under)(?: this (?:line|heading|section|comment))?|(?:in|to) this (?:file|section"
    r"|space|document)|hier(?: ein(?:tragen|fügen)| notieren| hinzufügen)?|ici"
    r"|ci-dessous|aquí|aqui|qui|здесь|сюда|buraya|यहाँ|यहां|هنا)"
)
_PLACE_FIRST = re.compile(  # "here" and then what to do with it: the other languages put it the other way round
    r"(?:在此(?:处)?|在这里|请在|於此|在這裡|此处).{0,20}(?:添加|填写|写|记录|輸入|输入|新增|填寫)|请填写"
    r"|^(?:添加|填写|记录)(?:您|你)的"
    r"|ここに.{0,20}(?:記入|追加|書|入力|記録|メモ)|記入してください|여기에.{0,20}(?:작성|추가|입력|기록)"
    r"|^\W*hier .{0,40}(?:eintragen|einfügen|schreiben|notieren|hinzufügen|ausfüllen|ergänzen)\W*$"
    r"|^\W*buraya .{0,30}(?:ekleyin|yazın|girin)|^\W*(?:यहाँ|यहां).{0,30}(?:जोड़ें|लिखें|भरें)",
    re.I,
)
_FILL_WORDS = """
add write put fill describe list record enter replace insert document note store customize customise paste your
goes füge trage schreibe schreib ergänze notiere deine deinen ajoutez ajouter écrivez notez remplissez décrivez
vos votre añade añada agrega agregue escribe escriba rellena describe tus adicione escreva preencha descreva
suas aggiungi scrivi compila descrivi inserisci tue voeg schrijf vul noteer добавьте запишите заполните опишите
впишите أضف اكتب املأ سجل
"""
_FILL = frozenset(_FILL_WORDS.split())
_PLACE = frozenset({"hier", "buraya"})
_AT_END = re.compile(rf"\b{_HERE}\W*$|{_HERE}\W*(?:hinzu|ein)\W*$", re.I)
_ASKS = re.compile(
    r"[?？؟]|\b(?:you|your|optional|e\.g\.|for example|tbd|todo|to be (?:filled|added|determined|written)"
    r"|nothing (?:recorded )?yet|none yet|goes here|fill in"
    r"|dein\w*|ihr\w*|z\. ?b\.|noch nichts|votre|vos|par ex|tus?|sus?|su|ejemplo|seus?|suas?|exemplo|tuo|tua"
    r"|esempio|jouw|bijv|ваш\w*|например)\b"
    r"|^\W*(?:add|describe|list|insert|enter|specify|explain|write|name of|what|who|which|how|when|where|why)\b"
    r"|(?:你|您)的|例如|示例|待填|待补充|あなたの|例[:：]|未記入|당신의|예[:：]|مثال|الخاص",
    re.I,
)
_ADDRESSES = re.compile(
    r"\b(?:you|your|you['’](?:re|ll|ve)|this (?:file|section|document|template|is a (?:file|template|place))"
    r"|the (?:agent|assistant)|e\.g\.|for example|optional"
    r"|diese datei|z\. ?b\.|ce fichier|este archivo|este arquivo|questo file|dit bestand|этот файл|например)\b"
    r"|此文件|本文件|このファイル|이 파일|هذا الملف|bu dosya|यह फ़ाइल",
    re.I,
)


@once
def waits(entry: Entry) -> bool:
    """The entry is a place for something that is not there yet."""
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.FRONT_MATTER):
        return False
    text = entry.text.strip()
    if was_stand_in(entry) or elides_by_marks(text) or is_hint(entry) or _is_open_field(entry):
        return True
    if _COMMENT.match(text) or _ITALIC.match(text):
        return _asks(text)
    return _is_empty(text.strip(_MARKS)) or _DUMMY.match(text) is not None


@once
def is_hint(entry: Entry) -> bool:
    """Somebody is told to write something in this place ("Add your notes here")."""
    if entry.weight > _LONGEST_HINT:
        return False
    first = entry.words[:_FIRST_WORDS]
    if _FILL.intersection(first) and _AT_END.search(entry.text):
        return True
    if entry.text.isascii() and not _PLACE.intersection(first):
        return False
    return _PLACE_FIRST.search(entry.text) is not None


@once
def _is_open_field(entry: Entry) -> bool:
    """A label without a value ("Name:", "City: [your city]", "Pronouns: _(optional)_")."""
    if entry.kind in (Kind.HEADING, Kind.CODE, Kind.FRONT_MATTER):
        return False
    text = entry.text.strip().lstrip(_MARKS)
    label = _LABEL.match(text)
    if label is None or len(words(label["label"])) > _LONGEST_LABEL:
        return False
    raw = label["value"].lstrip("* ").strip()
    value = raw.strip(_MARKS)
    if _ITALIC.match(raw) and (_asks(value) or (value.startswith("(") and value.endswith(")"))):
        return True
    return _is_empty(value) or is_stand_in_text(value) or _are_open_fields(text)


def _are_open_fields(text: str) -> bool:
    """Several of them in one paragraph."""
    if _LABELS.fullmatch(text):
        return True
    at = 0
    while at < len(text):
        field = _OPEN_FIELD.match(text, at)
        if field is None or not (_is_empty(field["value"]) or is_stand_in_text(field["value"])):
            return False
        at = field.end()
    return True


def _is_empty(value: str) -> bool:
    """Nothing is said outside brackets, and inside them no more than what is asked for."""
    inside = _BRACKETED.findall(value)
    return not words(_BRACKETED.sub(" ", value)) and all(map(_is_named, inside))


def _is_named(bracket: str) -> bool:
    """It names what is asked for. Nobody writes a value in angles or braces."""
    most = _LONG if bracket[0] in "<{" else _SHORT
    return len(words(bracket)) <= most or _asks(bracket)


def _asks(text: str) -> bool:
    """Somebody is asked for something, and no value is given ("(555) 0134")."""
    if any(character.isdigit() for character in text):
        return False
    return (len(words(text)) <= _SHORT and text[:1] in _ASKING_BRACKETS) or _ASKS.search(text) is not None


def is_template(table: EntryTable) -> bool:
    """Most of the text waits, and the rest only says what it waits for."""
    said = waiting = hints = 0
    for entry in table.entries:
        if entry.kind in (Kind.HEADING, Kind.FRONT_MATTER):
            continue
        said += 1
        if waits(entry):
            waiting += 1
            hints += is_hint(entry) or _is_set_off(entry.text) or _are_open_fields(entry.text)
        elif not _only_explains(entry):
            return False
    if 0 < said <= _FEW and hints == said:
        return True
    return waiting >= _LEAST_WAITING and 2 * waiting >= said


def was_template(before: EntryTable) -> bool:
    """The same of the text before, told by form in any language: where fields are empty or somebody is asked, all that
    is set off (in italics, in a comment) and gives no number is a hint. Of a text that comes that would be too bold."""
    if is_template(before):
        return True
    entries = [entry for entry in before.entries if entry.kind not in (Kind.HEADING, Kind.FRONT_MATTER)]
    waiting = [waits(entry) or _is_aside(entry) or _is_open_row(entry) for entry in entries]
    return any(waiting) and all(
        each or _only_explains(entry) or _is_soft(entry) for each, entry in zip(waiting, entries, strict=True)
    )


def _is_soft(entry: Entry) -> bool:
    """Set off, and no value in it."""
    text = entry.text.strip()
    set_off = _is_set_off(text) or _BRACKETED.fullmatch(text.strip("*_ ")) is not None
    return set_off and not any(character.isdigit() for character in text)


def _is_open_row(entry: Entry) -> bool:
    """Of a table: a label, and nothing beside it."""
    cells = [cell.strip() for cell in entry.text.strip().split("|")]
    filled = sum(map(bool, cells))
    return entry.kind is Kind.ROW and filled == 1 < len(cells) and len(words(entry.text)) <= _LONGEST_LABEL


@once
def _is_aside(entry: Entry) -> bool:
    """In italics, and in brackets inside of them or asking for something: how templates speak."""
    text = entry.text.strip()
    if entry.kind in (Kind.HEADING, Kind.CODE) or not _ITALIC.match(text) or not _is_soft(entry):
        return False
    inside = text.rstrip(".:").strip("*_ ")
    return _asks(inside) or (inside[:1] in "(（［【[" and inside[-1:] in ")）］】]")


def _is_set_off(text: str) -> bool:
    return bool(_COMMENT.match(text) or _ITALIC.match(text))


def _only_explains(entry: Entry) -> bool:
    return not any(character.isdigit() for character in entry.text) and _ADDRESSES.search(entry.text) is not None


def waiting_lines(before: EntryTable, lost: Collection[int]) -> frozenset[int]:
    """Of these first lines, those of what waited to be filled in: whatever takes its place, nothing is lost with it."""
    if was_template(before):
        kinds = (Kind.HEADING, Kind.CODE, Kind.FRONT_MATTER)
        return frozenset(entry.line for entry in before.entries if entry.line in lost and entry.kind not in kinds)
    return frozenset(
        e.line for e in before.entries if e.line in lost and (is_hint(e) or _is_open_field(e) or _is_aside(e))
    )


def template(e: Evidence, loss: Loss) -> Finding | None:
    """A template was written over what stood there."""
    if not loss.destroys or loss.share < e.policy.thresholds.shrink_share:
        return None
    if not says_something(e.last.table) or not is_template(e.last.table) or was_template(e.baseline.table):
        return None
    facts = figures(e, loss.share)
    return Finding(
        EventClass.OVERWRITE, "template", facts, charged_to=e.charges.main.seq, harms=True, softened=Action.REVERT
    )
