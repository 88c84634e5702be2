"""Notes of people who write in two languages at once: switched inside a sentence, and from line to line."""

from __future__ import annotations

from corpus.languages.ar import ARABIC
from corpus.languages.de import GERMAN
from corpus.languages.en import ENGLISH
from corpus.languages.ja import JAPANESE
from corpus.languages.language import TOPICS, Language
from corpus.languages.zh import CHINESE

_SWITCHED: dict[str, tuple[str, ...]] = {
    "people": (
        "{person} 的 mentor 是 {person}，one-on-one 定在 {day} {time}，[don't|do not] move it",
        "{person} ist [on call|Bereitschaft] bis {date}, danach handover an {person}, 细节看 {tool}",
    ),
    "decisions": (
        "{project} 的 staging 环境 [moved|migrated] 到 {host}，port {port}，旧的 deploy key 已经 revoked",
        "Für {project} gilt code freeze ab {date}, hotfixes nur mit [approval|OK] von {person}",
    ),
    "rules": (
        "Never force-push {project} へ、必ず pull request で、review は {person} に[頼む|依頼する]",
        "不要在 production 上直接跑 migration，[先|首先] dry-run，再问 {person}，limit {big} rows",
    ),
    "systems": (
        "{host} の {tool} は port {port}、health check は `/healthz`、timeout {n} 秒に[設定|変更]",
        "Das dashboard von {tool} zeigt {host} erst nach refresh, cache TTL ist {n} Minuten, siehe {code}",
    ),
    "tasks": (
        "TODO: {project} の changelog を[書く|仕上げる]、deadline {date}、reviewer は {person}",
        "把 {code} 这个 ticket 的 root cause 写进 postmortem，[owner|负责人] 是 {person}，due {date}",
    ),
    "tastes": (
        "回复用中文，code comments 用 English，commit message [最多|不超过] {n} 个字",
        "Antworten auf Deutsch, Fachbegriffe auf English lassen, [max|höchstens] {n} bullet points",
    ),
    "lessons": (
        "{tool} の retry が {n} 回で[止まる|諦める]、because the queue on {host} was full, {date}",
        "上次 rollback {project} 花了 {n} 分钟，[because|since] the feature flag was cached on {host}",
    ),
    "household": (
        "Wi-Fi password ändert {person} am {date}, 新的写在 router 背面, [ask|frag] {person}",
        "{food} は {firm} の delivery、{day} {time} ごろ、[leave|put] {n} euros at the door",
    ),
}

MIXED = Language(
    name="mixed",
    spaced=True,
    headings=ENGLISH.headings | {"people": "People 人员", "tasks": "TODO 作業", "rules": "Regeln / rules"},
    summaries=ENGLISH.summaries,
    patterns={
        topic: (
            *_SWITCHED[topic],
            *ENGLISH.patterns[topic][:2],
            GERMAN.patterns[topic][2],
            CHINESE.patterns[topic][3],
            JAPANESE.patterns[topic][4],
            ARABIC.patterns[topic][5],
        )
        for topic in TOPICS
    },
    fresh=(ENGLISH.fresh[0], CHINESE.fresh[1], GERMAN.fresh[2], JAPANESE.fresh[3], ENGLISH.fresh[4], ARABIC.fresh[5]),
    tails=(ENGLISH.tails[0], "（{code}，[checked|verified] {date}）", GERMAN.tails[2], ENGLISH.tails[4]),
    slots={name: (*ENGLISH.slots[name], *CHINESE.slots[name][:2], *JAPANESE.slots[name][:2]) for name in ENGLISH.slots},
    phrases=ENGLISH.phrases._replace(
        title="Memory 记忆",
        elisions=(
            "[其余 unchanged]",
            "... rest of file 同前 ...",
            "<!-- existing notes bleiben -->",
            "(… 残りは unchanged …)",
            "[... same as before ...]",
        ),
        protocol=("unchanged", "无变化 (no change)", "変更なし", "NO_REPLY"),
        says_elision=(
            ENGLISH.phrases.says_elision[4],
            CHINESE.phrases.says_elision[5],
            JAPANESE.phrases.says_elision[3],
        ),
        errors=(*ENGLISH.phrases.errors[:2], *GERMAN.phrases.errors, *CHINESE.phrases.errors),
    ),
)
