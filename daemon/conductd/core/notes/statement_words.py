"""The words that tell a decision, a correction, a constraint, or a summary of a session, in the languages they are
known in. Data; docs/jobs.md has some of each."""

from __future__ import annotations

CONSTRAINT = (
    "never", "must", "must not", "mustn't", "do not", "don't", "always", "only after", "not until",
    "until i say", "not without", "forbidden", "not allowed", "required", "no longer", "under no circumstances",
    "ask first", "ask before", "nie", "niemals", "immer", "darf nicht", "dürfen nicht", "nicht ohne",
    "verboten", "muss", "müssen", "zuerst fragen", "erst fragen", "erst wenn", "jamais", "toujours", "ne pas",
    "interdit", "doit", "il faut", "nunca", "siempre", "prohibido", "debe", "no se debe", "no hagas", "sempre",
    "proibido", "deve", "não deve", "mai", "vietato", "non si deve", "nooit", "altijd", "verboden", "moet",
    "mag niet", "nigdy", "zawsze", "nie wolno", "musi", "никогда", "всегда", "нельзя", "запрещено",
    "обязательно", "должен", "должна", "должны", "ніколи", "завжди", "не можна", "заборонено", "asla",
    "her zaman", "yasak", "gerekir", "从不", "绝不", "不要", "不得", "禁止", "必须", "務必", "必須", "永远不",
    "總是", "总是", "しないで", "してはいけない", "してはならない", "必ず", "厳禁", "決して", "절대", "하지 마",
    "반드시", "항상", "금지", "لا تفعل", "ممنوع", "دائما", "يجب", "أبدا", "אסור", "תמיד", "לעולם לא", "חייב",
    "कभी नहीं", "हमेशा", "मत करो", "ज़रूरी",
)  # fmt: skip

DECISION = (
    "decided", "decision", "decisions", "we agreed", "agreed to", "agreed on", "agreed that", "we chose",
    "chose", "going with", "settled on", "will use", "switched to", "entschieden", "entscheidung",
    "beschlossen", "vereinbart", "wir nehmen", "décidé", "décision", "convenu", "choisi", "decidido",
    "decidimos", "decisión", "acordado", "acordamos", "elegimos", "decisão", "combinado", "escolhemos",
    "deciso", "decisione", "concordato", "scelto", "besloten", "beslissing", "besluit", "afgesproken",
    "zdecydowano", "zdecydowaliśmy", "decyzja", "ustalono", "решили", "решение", "решено", "договорились",
    "выбрали", "вирішили", "рішення", "домовились", "karar", "kararlaştırıldı", "anlaştık", "决定", "決定",
    "商定", "选择了", "選擇了", "決めた", "決まった", "合意", "採用", "결정", "합의", "선택했", "قررنا", "قرار",
    "اتفقنا", "החלטנו", "החלטה", "סוכם", "फैसला", "निर्णय", "तय किया",
)  # fmt: skip

CORRECTION = (
    "correction", "corrected", "wrong", "mistake", "mistaken", "instead of", "rather than", "actually",
    "should have been", "not true", "no longer true", "i was wrong", "misunderstood", "korrektur", "korrigiert",
    "falsch", "stattdessen", "sondern", "eigentlich", "missverstanden", "corrigé", "faux", "au lieu de",
    "plutôt que", "en fait", "corrección", "corregido", "equivocado", "en lugar de", "en realidad", "correção",
    "corrigido", "errado", "em vez de", "na verdade", "correzione", "corretto", "sbagliato", "invece di",
    "correctie", "gecorrigeerd", "in plaats van", "eigenlijk", "poprawka", "zamiast", "właściwie",
    "исправление", "исправлено", "неверно", "вместо", "на самом деле", "виправлення", "замість", "düzeltme",
    "yanlış", "yerine", "aslında", "更正", "纠正", "糾正", "而不是", "其实", "訂正", "間違い", "ではなく",
    "実は", "정정", "잘못", "아니라", "사실은", "تصحيح", "بدلا من", "في الواقع", "תיקון", "טעות", "במקום",
    "बल्कि", "सुधार", "के बजाय",
)  # fmt: skip

# Headings under which a session is summed up.
SUMMARY = (
    "summary", "session summary", "session notes", "wrap-up", "wrap up", "wrapup", "recap", "session end",
    "end of session", "end of day", "handoff", "hand-off", "zusammenfassung", "sitzungsende", "tagesabschluss",
    "résumé", "bilan", "synthèse", "resumen", "cierre", "resumo", "fechamento", "riepilogo", "riassunto",
    "sintesi", "samenvatting", "podsumowanie", "итоги", "итог", "резюме", "підсумок", "підсумки", "özet",
    "总结", "總結", "小结", "摘要", "まとめ", "要約", "振り返り", "요약", "정리", "ملخص", "خلاصة", "סיכום",
    "सारांश",
)  # fmt: skip
