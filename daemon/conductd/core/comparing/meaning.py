"""Whether other words may mean something else: asked of pinned entries, where "nearly the same" will not do.

Owns the words that set how strongly a rule binds, in the languages of the corpus, and the strict comparison.
"Never" that became "usually" is one word of eight, and another rule. Pure; called by `core.losses.pins`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from conductd.core.comparing.function_words import NEGATIVE_CHARACTERS
from conductd.core.comparing.wording import NOT, core_words, fact
from conductd.core.reading.text import is_character

# By what they do to a rule. Words of one row may stand for each other.
_SPACED: dict[str, str] = {
    "must": """must shall required mandatory muss müssen musst zwingend pflicht doit doivent obligatoire debe deben
        obligatorio deve devono devem obrigatório moet moeten verplicht должен должна должны обязательно يجب
        لازم 반드시 zorunda musi muszą חייב""",
    "should": """should ought recommended sollte sollten empfohlen devrait debería deberían dovrebbe deveria zou следует
        желательно ينبغي يفضل""",
    "may": """may can could might optional optionally allowed permitted okay darf dürfen kann können könnte erlaubt
        optional peut peuvent facultatif puede pueden opcional può possono pode podem mag kan можно может
        разрешено يمكن يجوز مسموح מותר""",
    "always": """always forever immer stets jederzeit toujours siempre sempre altijd всегда دائما دائمًا أبدا her zaman
        zawsze תמיד""",
    "mostly": """usually often sometimes mostly generally normally typically occasionally rarely seldom possibly perhaps
        maybe try prefer preferably ideally avoid meistens meist oft manchmal gewöhnlich normalerweise
        gelegentlich selten möglichst vielleicht lieber souvent parfois généralement normalement rarement
        habituellement normalmente generalmente frecuentemente veces raramente spesso talvolta solitamente
        geralmente frequentemente meestal soms vaak обычно часто иногда редко возможно عادة غالبا أحيانا نادرا
        ربما 보통 가끔 genellikle bazen zwykle czasem""",
    "only": """only solely nur ausschließlich seulement uniquement solo sólo solamente únicamente somente
        apenas só soltanto alleen только лишь فقط 만 sadece tylko רק""",
    "except": """except unless exception exceptions excluding otherwise außer ausgenommen ausnahme ausnahmen sauf
        excepté salvo excepto menos tranne eccetto exceto behalve tenzij кроме исключением إلا باستثناء عدا
        hariç oprócz אלא""",
    "if": """if when whenever wenn falls sofern si cuando cuándo quand se quando als indien wanneer если когда إذا
        عندما لو eğer jeśli gdy אם כאשר""",
}
_JOINED: dict[str, str] = {
    "must": "必须 必須 务必 務必 必ず 一定要 必要 なければならない ねばならない 반드시",
    "should": "应该 應該 应当 應當 べき 推荐 推薦 推奨",
    "may": "可以 可能 允许 允許 てもよい ても良い てもいい 可能です 任意",
    "always": "总是 總是 始终 始終 一直 永远 永遠 一律 常に いつも 毎回 每次 절대 항상",
    "mostly": """通常 一般 有时 有時 经常 經常 偶尔 偶爾 尽量 盡量 大多 多半 普段 たまに 時々 ときどき なるべく
        できるだけ ほとんど 보통 가끔""",
    "only": "只有 只能 只在 只可 仅 僅 のみ だけ に限り",
    "except": "除非 除了 除外 以外 例外 を除く を除き",
    "if": "如果 若是 若 假如 の場合 場合は とき たら 만약",
}
# What sets a limit in time to a rule.
_LIMIT_WORDS = """
until till while before after during since bis solange vor nach bevor nachdem während seit jusqu avant après pendant
depuis hasta antes después durante mientras desde fino prima dopo durante finché até depois enquanto tot totdat
voordat nadat tijdens пока до после перед حتى قبل بعد أثناء خلال önce sonra kadar तक बाद पहले
"""
_LIMITS = frozenset(_LIMIT_WORDS.split())
_LIMIT_PHRASES = tuple("直到 之前 以前 之后 之後 以后 以後 期间 期間 まで うちは 후에 전에 까지".split())  # noqa: SIM905 - as in the tables
_OF_WORD = {word: row for row, text in _SPACED.items() for word in text.casefold().split()}
_PHRASES = tuple((phrase, row) for row, text in _JOINED.items() for phrase in text.split())
_FIRM = frozenset({"must", "always"})  # more of it takes nothing from a rule
_TYPO = 4  # letters: a shorter word with another letter is another word


def binding(words: Sequence[str]) -> frozenset[str]:
    """How the words bind: the rows of the tables above that they are in."""
    found = {_OF_WORD[word] for word in words if word in _OF_WORD}
    if any(map(is_character, words)):
        text = "".join(word if is_character(word) else f" {word} " for word in words)
        found |= {row for phrase, row in _PHRASES if phrase in text}
    return frozenset(found)


def limits(words: Sequence[str]) -> frozenset[str]:
    """The words that set a limit in time."""
    found = {word for word in words if word in _LIMITS}
    if any(map(is_character, words)):
        text = "".join(words)
        found |= {phrase for phrase in _LIMIT_PHRASES if phrase in text}
    return frozenset(found)


def same_sense(old: Sequence[str], new: Sequence[str]) -> bool:
    """Where all old words stand among the new ones: these bind as strongly, deny as often, and set no other limit."""
    if old == new:
        return True
    before, after = _negations(core_words(old)), _negations(core_words(new))
    mine, other = binding(old), binding(new)
    return before == after and mine <= other <= mine | _FIRM and limits(new) <= limits(old)


def is_kept(old: Sequence[str], new: Sequence[str]) -> bool:
    """The new words say all that the old ones say, and nothing that turns it round or sets a limit to it. Both are the
    words of an entry; punctuation, case, articles, inflection and typing errors change nothing."""
    if old == new:
        return True
    before, after = core_words(old), core_words(new)
    if binding(old) != binding(new) or _negations(before) != _negations(after):
        return False
    if fact(before).values != fact(after).values:
        return False
    return _in_order(before, after)


def _negations(words: Sequence[str]) -> int:
    counts = Counter(words)
    return counts[NOT] + sum(counts[character] for character in NEGATIVE_CHARACTERS)


def _in_order(old: Sequence[str], new: Sequence[str]) -> bool:
    """Every old word is there, in its order; others may stand between."""
    at = 0
    for word in old:
        while at < len(new) and not _same(word, new[at]):
            at += 1
        if at == len(new):
            return False
        at += 1
    return True


def _same(one: str, two: str) -> bool:
    if one == two:
        return True
    if min(len(one), len(two)) < _TYPO or not (one.isalpha() and two.isalpha()) or abs(len(one) - len(two)) > 1:
        return False
    at = next((n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two)))
    if len(one) == len(two):
        swapped = one[at : at + 2] == two[at : at + 2][::-1] and one[at + 2 :] == two[at + 2 :]
        return swapped or one[at + 1 :] == two[at + 1 :]
    return one[at + 1 :] == two[at:] if len(one) > len(two) else one[at:] == two[at + 1 :]
