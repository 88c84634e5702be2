"""Entries that differ only in how politely, or in which form of their words, they say the same: "Kunden siezen" and
"Kunden werden gesiezt", "réponds" and "répondez", "答える" and "答えてください".

What is compared is every word that carries something: each must be there, the same or another form of it, with the same
numbers and the same "not". Pure; called by `core.comparing.change` for what similarity did not find.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from conductd.core.comparing.similarity import common_subsequence
from conductd.core.comparing.wording import Fact, carries, core_words, fact
from conductd.core.reading.blocks import Kind
from conductd.core.reading.entries import Entry, once
from conductd.core.reading.text import ids, is_character
from conductd.model import Relocated

_LONGEST = 24  # words, or twice as many characters; of a longer entry similarity tells
_MOST = 1_000  # entries
_TRIED = 64  # for one entry
_POLITE = frozenset(
    """
    please kindly bitte gern gerne sollst sollt sollten solltest musst müsst müßt kannst könnt könnte könnten würde
    würden ihnen ihre ihren ihrem ihrer euch euer eure dir dich dein deine deinen deinem deiner mein meine mich mir uns
    tu te toi vous votre vos ton ta tes svp merci tú usted ustedes le les tu tus por favor lei voi ti vi
    u je jij uw jouw graag alstublieft alsjeblieft ты вы вас вам тебя тебе вами пожалуйста lütfen siz sen
    proszę pan pani
    请 請 您 你 من فضلك رجاء يرجى
    """.split()  # noqa: SIM905 - dozens of literals are no easier to read
)
_APART = "ab|an|auf|aus|bei|durch|ein|fest|her|hin|los|mit|nach|um|unter|über|uber|vor|weg|zu|zurück|zuruck|zusammen"
_PARTICIPLE = re.compile(rf"^((?:{_APART}|af|op|uit|toe|in|door|terug)?)ge(.{{2,}}?)(?:en|et|t|d|n)$")
_WITH_ZU = re.compile(rf"^({_APART})zu(.{{3,}}?)e?n$")
_ENDINGS = (
    "ierten ierte iert ieren testen ten test tet te en est et st t end n "  # German, Dutch
    "ing ied ies ed es s d "  # English
    "eront eraient erait erai era erez issons issez issent ons ez ent ais ait aient er ir re ee ees e es "  # French
    "aremos aria are aran ando iendo ado ada idos ido ida amos emos imos an ar ir as "  # Spanish, Italian, Portuguese
    "ade at ar iniz unuz in un mek mak "  # Swedish, Turkish
    "уйте айте ите йте те ать ять ить еть ться ют ут ят ет ит ешь ишь ал ил али или й ь"  # Russian
)
_VERBS = tuple(_ENDINGS.split())
_PLAIN = ("", "a", "o", "i", "y", "e", "s")  # endings of names as well
_ARABIC = re.compile(r"^[يتنأا]?(.{2,}?)(?:وا|ون|ين|ي)?$")
_JAPANESE_END = re.compile("[\u3041-\u309f]+[。.!！]?$")
_HONORED = re.compile("[おご御](?=[\u4e00-\u9fff])")
_KOREAN_END = re.compile(
    "(?:해\\s?주세요|해\\s?주십시오|하십시오|하세요|합니다|합시다|했습니다|했다|한다|하다|해요|해라|하라|하기|함|해)[.。!]?$"
)
_NOT_JAPANESE = ("ない", "なか", "ません", "ずに", "なく", "禁", "不")


def inflected(missing: Sequence[Entry], fresh: Sequence[Entry]) -> dict[int, Relocated]:
    """Where the missing entries are in other forms of the same words; each new entry once."""
    found: dict[int, Relocated] = {}
    if not missing or not fresh or max(len(missing), len(fresh)) > _MOST:
        return found
    by_size: dict[int, list[Entry]] = {}
    for entry in fresh:
        if _may_be(entry):
            by_size.setdefault(len(_carrying(entry)), []).append(entry)
    for index, entry in enumerate(missing):
        if not _may_be(entry):
            continue
        candidates = by_size.get(len(_carrying(entry)), [])
        fit = next((other for other in islice(candidates, _TRIED) if _says_the_same(entry, other)), None)
        if fit is not None:
            candidates.remove(fit)
            found[index] = Relocated(entry.span, None, fit.line, 1.0)
    return found


def _may_be(entry: Entry) -> bool:
    return entry.kind is not Kind.CODE and 1 < entry.weight <= 2 * _LONGEST


def _says_the_same(old: Entry, new: Entry) -> bool:
    if _fact(old) != _fact(new) or ids(old.text) != ids(new.text):
        return False
    if any(map(is_character, old.words)):
        return bool(_plainly(old)) and _plainly(old) == _plainly(new)
    one, two = list(_carrying(old)), list(_carrying(new))
    if len(one) > _LONGEST or len(one) < 2:
        return False
    same = [word for word in one if word in two]
    if not same or common_subsequence(same, [word for word in two if word in one]) < len(same) - 1:
        return False
    left, right = [w for w in one if w not in same], [w for w in two if w not in same]
    if len(left) > max(1, len(same)):
        return False
    for word in left:
        match = next((other for other in right if _is_form(word, other, old.text, new.text)), None)
        if match is None:
            return False
        right.remove(match)
    return not right


@once
def _fact(entry: Entry) -> Fact:
    return fact(core_words(entry.words))


@once
def _carrying(entry: Entry) -> tuple[str, ...]:
    if any(map(is_character, entry.words)):
        return (_plainly(entry),)
    return tuple(word for word in entry.words if carries(word) and word not in _POLITE)


@once
def _plainly(entry: Entry) -> str:
    """A sentence of a script without spaces without how politely it ends; "" where nothing is left to compare."""
    text = _HONORED.sub("", "".join(entry.words))
    text = text.translate(dict.fromkeys(map(ord, "请請您你")))
    end = _JAPANESE_END.search(text)
    said_no = any(no in text for no in _NOT_JAPANESE)
    text = _KOREAN_END.sub("", text) if end is None else text[: end.start()]
    return f"{text}{'-' * said_no}" if len(text) >= 2 else ""


def _is_form(one: str, two: str, old: str, new: str) -> bool:
    """Both are forms of one word. What is a name in both, perhaps, must differ in more than a vowel at its end."""
    if not _roots(one).keys() & _roots(two).keys():
        return False
    if one.capitalize() not in old or two.capitalize() not in new:
        return True
    pairs = [(_roots(one)[root], _roots(two)[root]) for root in _roots(one).keys() & _roots(two).keys()]
    return any(not {mine, other} <= set(_PLAIN) for mine, other in pairs)


@lru_cache(maxsize=1 << 14)
def _roots(word: str) -> dict[str, str]:
    """What a word may be a form of, each with the ending that it would have then."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    if "\u0600" <= bare[:1] < "\u0700":
        match = _ARABIC.match(bare)
        return {bare: "", **({match[1]: "-"} if match else {})}
    found = {bare: ""}
    for ending in (*_VERBS, "a", "o", "i", "y"):
        if bare.endswith(ending) and len(bare) - len(ending) >= 3:
            found.setdefault(_even(bare[: -len(ending)]), ending)
    for pattern in (_PARTICIPLE, _WITH_ZU):
        if match := pattern.match(bare):
            found[_even(match[1] + match[2])] = "ge"
    found.setdefault(_even(bare), "")
    return found


def _even(root: str) -> str:
    """Without what changes within a verb: "prefiere" and "preferir", "schreiben" and "geschrieben", "preferred"."""
    root = root.replace("ie", "e").replace("ei", "e").replace("ue", "o").replace("aa", "a").replace("ee", "e")
    return root[:-1] if len(root) > 3 and root[-1] == root[-2] else root
