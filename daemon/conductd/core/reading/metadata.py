"""What memory programs write beside an entry for themselves: scores, counters, times of use, where it came from.

Owns which words of a text are such bookkeeping and no memory: they weigh nothing, whoever drops or renews them.
Pure; called by `core.reading.text`. The forms: OpenClaw's promotions (`[score=0.84 recalls=0 avg=0.62
source=…]` and their marker comments), and what other programs write in the same manner.
"""

from __future__ import annotations

import re

# Keys that make a group of pairs bookkeeping: with a number, with a date, or with whatever value.
_COUNTS = r"""
(?:relevance|similarity|quality|avg|average|final|decay|usage|search)?[ _-]?scores? | avg | average
| recalls? | recalled | hits | access(?:es)? | uses | usage | retrievals | reinforcements? | strength | decay | salience
| (?:recall|hit|access|use|usage|retrieval)[ _-]?count | half[ _-]?life | abrufe | treffer | درجة
| 得分 | 分数 | 評分 | 评分 | 召回(?:次数)? | 命中(?:次数)? | 访问次数 | 使用次数
| スコア | 参照回数 | 使用回数 | 점수 | 사용[ ]?횟수
"""
_TIMES = r"""
last[ _-]?(?:use|access|update|(?:used|accessed|seen|recalled|retrieved|updated|modified|reviewed|confirmed|verified))
(?:[ _-]?(?:at|on))?
| (?:used|accessed|recalled|updated|created|modified|added|learned|saved|recorded|stored|promoted|imported|synced)
(?:[ _-]?(?:at|on))?
| zuletzt[ _-]?(?:genutzt|benutzt|verwendet|aktualisiert|geändert|gesehen|abgerufen) | aktualisiert | erstellt
| dernière[ _-]?(?:utilisation|consultation|modification) | mis[ _-]?à[ _-]?jour | créé
| último[ _-]?(?:uso|acceso) | actualizado | creado
| последнее[ _-]?(?:использование|обращение|изменение) | обновлено | создано
| آخر[ _-]?(?:استخدام|تحديث|وصول)
| (?:最后|最近|上次)(?:使用|访问|更新) | (?:更新|创建)(?:时间|于)
| 最終(?:使用|参照|更新) | 更新日 | 作成日 | 마지막[ ]?사용 | mtime | ctime
"""
_MARKS = "confidence | conf | embedding | vector | checksum | sha(?:1|256)? | md5 | 置信度 | 信頼度"
# Keys that may stand beside these.
_BESIDE = r"""
max | min | source | src | from | origin | ref | id | uid | uuid | key | hash | rev | ver | version | session | rank
| weight | count | n | ttl | type | tags? | ts | time | timestamp | date | importance
| quelle | fuente | источник | المصدر | 来源 | 來源 | 出典 | 출처
"""
_NUMBER = r"[+-]?\d+(?:[.,]\d+)?(?:\s?%|/\d+)?"
_DATE = r"""(?:\d{4}[-/.]\d\d?[-/.]\d\d?|\d\d?[./]\d\d?[./]\d{2,4}|\d{4}年\d\d?月\d\d?日|\d{9,13})
(?:[T\ ]\d\d?:\d\d(?::\d\d(?:\.\d+)?)?(?:\ ?(?:Z|UTC|[+-]\d\d:?\d\d))?)?"""
_WORD = r"""(?:"[^"]*"|[^\s,;|·)\]}）】<>]+)"""
_TIE = r"\s*[=:：]\s*"
_BETWEEN = r"(?:\s*[,;|·、，]\s*|\s+)"
_SURE = rf"(?:(?:{_COUNTS}){_TIE}{_NUMBER}|(?:{_TIMES})(?:{_TIE}|\s+){_DATE}|(?:{_MARKS}){_TIE}{_WORD})"
_PAIR = rf"(?:{_SURE}|(?:{_BESIDE}){_TIE}{_WORD})"
_PAIRS = rf"(?:(?:{_BESIDE}){_TIE}{_WORD}{_BETWEEN})*{_SURE}(?:{_BETWEEN}{_PAIR})*"
_FLAGS = re.VERBOSE | re.IGNORECASE

_GROUP = re.compile(rf"\s*[\[({{（【]\s*{_PAIRS}\s*[\])}}）】][\s.;。]*$", _FLAGS)
_BARE = re.compile(rf"(?:\s+[\w.-]+={_WORD})+$", _FLAGS)
_ALONE = re.compile(_PAIRS, _FLAGS)
_COMMENT = re.compile(
    rf"<!--\s*(?:[\w.-]+-[\w.-]+:[^\s<>]*\d[^\s<>]*|\w[\w.-]*(?::[\w./-]+){{2,}}|{_PAIRS})\s*-->", _FLAGS
)
BRACKETS = tuple("])}）】")
_GROUPS = 4  # one behind the other
_LONGEST = 400  # characters of the end of an entry that are looked at


def memory_alone(text: str) -> str:
    """Normalised text of an entry without the bookkeeping at its end, and without comments that hold nothing else."""
    if "<!--" in text:
        text = _COMMENT.sub(" ", text).strip()
    for _ in range(_GROUPS):
        if not text.endswith(BRACKETS) and "=" not in text[-_LONGEST:]:
            break
        start = max(0, len(text) - _LONGEST)
        if (found := _found(text[start:])) is None:
            break
        text = text[: start + found]
    return text


def _found(end: str) -> int | None:
    """Where the bookkeeping begins."""
    if end.rstrip(" .;。").endswith(BRACKETS):
        group = _GROUP.search(end)
        return None if group is None else group.start()
    bare = _BARE.search(end)
    return bare.start() if bare is not None and _ALONE.fullmatch(bare[0].strip()) else None
