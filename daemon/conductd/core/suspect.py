"""Additions that look like instructions from outside: text nobody sees, and commands that no note has.

Conservative: documentation that speaks of such text (in code, in quotes, beside a word like *injection*) is silent.
Pure. What is found is named by kind, never quoted.
"""

from __future__ import annotations

import re

from conductd.core.reading.blocks import Kind
from conductd.model import Role

LONGEST = 20_000  # characters of an entry that are looked through

_TAGS = re.compile("[\U000e0020-\U000e007e]{3,}")
_FLAG = re.compile("\U0001f3f4[\U000e0020-\U000e007e]{2,6}\U000e007f")  # England, Scotland, Wales …
_NO_WIDTH = re.compile("[\u200b-\u200f\u2060-\u2064\ufeff\u00ad]{8,}")
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{6,}")
_OVERRIDE = re.compile("[\u202d\u202e]")

_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\s+(?:(?:all|any|every|the|your|my|of|these|those)\s+){0,3}"
    r"(?:previous|prior|above|earlier|preceding|former|system|developer|safety|existing)\s+(?:\w+\s+)?"
    r"(?:instruction|prompt|rule|message|direction|guideline|command|context|policie|policy)\w*"
    r"|\bignorier(?:e|en sie|t)\s+(?:\w+\s+){0,2}(?:vorherigen?|bisherigen?|obigen?"
    r"|früheren?)\s+(?:anweisungen|regeln|befehle|vorgaben)"
    r"|\bignor(?:e|ez|er)\s+(?:toutes\s+)?(?:les\s+)?(?:instructions|consignes|règles)\s+(?:précédentes"
    r"|antérieures|ci-dessus)"
    r"|\bignor(?:a|e|ar)\s+(?:todas\s+)?(?:las\s+)?(?:instrucciones|órdenes|reglas)\s+(?:anteriores|previas)"
    r"|\bignor(?:e|a|ar)\s+(?:todas\s+)?(?:as\s+)?(?:instruções|regras)\s+(?:anteriores|prévias)"
    r"|\bignora\s+(?:tutte\s+)?(?:le\s+)?(?:istruzioni|regole)\s+precedenti"
    r"|(?:игнорируй(?:те)?|забудь(?:те)?)\s+(?:все\s+)?(?:предыдущие|прежние|прошлые)\s+(?:инструкции"
    r"|указания|команды)"
    r"|(?:忽略|无视|忘记|忽視|無視)(?:掉)?(?:所有|全部|之前|以上|先前|此前|上述|前面|的){1,4}(?:指令|指示|提示词?|命令|规则|規則|要求)"
    r"|(?:以前|これまで|上記|前|今まで)の(?:すべての|全ての)?(?:指示|命令|ルール|プロンプト)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)"
    r"|(?:تجاهل|انس|إهمل)\s+(?:جميع\s+|كل\s+)?(?:التعليمات|الأوامر|القواعد)\s+(?:السابقة|أعلاه)"
    r"|(?:이전|위|앞)의?\s*(?:모든\s*)?(?:지시|명령|지침)(?:사항)?(?:을|를)\s*(?:모두\s*)?(?:무시|잊)",
    re.IGNORECASE,
)
_SECRECY = re.compile(
    r"\b(?:do not|don't|never)\s+(?:tell|inform|mention (?:this|it)? ?to|reveal (?:this|it) to|notify"
    r"|alert|ask)\s+(?:the\s+)?(?:user|human|operator|owner)\s+"
    r"(?:about|that|of)\s+(?:this|these|it)\b"
    r"|\bwithout\s+(?:telling|informing|notifying|alerting)\s+(?:the\s+)?(?:user|human|operator|owner)\b"
    r"|\b(?:hide|conceal|keep)\s+this\s+(?:instruction\s+)?(?:secret\s+)?from\s+(?:the\s+)?(?:user|human"
    r"|operator|owner)\b",
    re.IGNORECASE,
)
_CARRIES_OFF = re.compile(
    r"\b(?:send|upload|post|forward|exfiltrate|transmit|leak|email)\s+(?:\w+\s+){0,6}?(?:passwords?"
    r"|credentials?|tokens?|api keys?|secrets?|"
    r"private keys?|ssh keys?|\.env|env(?:ironment)? variables?|memory(?: files?)?|conversation"
    r"|transcripts?|system prompt)\s+(?:\w+\s+){0,4}?to\s+"
    r"(?:[a-z]+://|[\w.+-]+@[\w-]+\.)",
    re.IGNORECASE,
)
_TO_AN_AGENT = re.compile(
    r"\b(?:assistant|ai|agent|model|claude|chatgpt|gpt|codex|llm|copilot"
    r"|gemini)s?\b[^.\n]{0,60}?\b(?:must|should|shall|always|never|execute|run|"
    r"send|ignore|follow|obey|delete|respond|reply)\b",
    re.IGNORECASE,
)
_ORDERS = (_INSTRUCTIONS, _SECRECY, _CARRIES_OFF)
_TALKS_ABOUT_IT = re.compile(
    r"\binjection|\bjailbreak|\battack|\bphishing|\bmalicious|\bexample|\be\.g\.|\bsuch as\b"
    r"|\bphrases? like|\bpatterns? like"
    r"|angriff|beispiel|z\. ?b\.|exemple|ejemplo|注入|攻击|攻擊|例如|攻撃|インジェクション|مثال|هجوم|атак|например",
    re.IGNORECASE,
)
# What is done about such text; these words are common in orders as well ("do not warn the user"), so they must lead.
_DEALS_WITH_IT = re.compile(
    r"\btest(?:s|ed|ing)? (?:for|with|that)"
    r"|\b(?:detect|flag|block|reject|refuse|treat|filter|beware|warn|if (?:a|an|the|any"
    r"|some)\w* .{0,40}(?:says?|asks?|tells?))\w*",
    re.IGNORECASE,
)
# The name of a host is no word of a sentence: "example.com", "https://attack.example/in".
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,15}://\S+|[\w.+-]+@[\w.-]+|\b[\w-]+(?:\.[\w-]+)+\b(?:/\S*)?", re.IGNORECASE
)
_QUOTED = re.compile(r"[\"“„«「『‘`'][^\"“”„«»「」『』‘’`]{4,400}[\"”“»」』’`']")
_IMAGE = re.compile(r"\bdata:image/[^\s)\"']+")
_DATA = re.compile(
    r"\bdata:(?!image/)[\w.+-]+/[\w.+-]+[;,][^\s)\"']{200,}|(?<![\w+/=])[A-Za-z0-9+/]{1200,}={0,2}(?![\w+/=])"
)


def suspicions(text: str, kind: Kind, role: Role, *, by_person: bool, quoted: bool) -> frozenset[str]:
    """What is suspect about an entry that was added: empty as a rule. ``quoted``: it stands in a block quote."""
    text = text[:LONGEST]
    found = set()
    if _is_hidden(text):
        found.add("invisible characters")
    if by_person:
        return frozenset(found)
    if kind is Kind.HTML and text.lstrip().startswith("<!--"):
        if (_commands(text) or _TO_AN_AGENT.search(text)) and not _is_about_it(text):
            found.add("instructions in a comment")
    elif kind is not Kind.CODE and not quoted and _commands(_QUOTED.sub(" ", text)) and not _is_about_it(text):
        found.add("instructions")
    if role in (Role.CURATED, Role.INSTRUCTIONS) and kind is not Kind.CODE and _DATA.search(_IMAGE.sub(" ", text)):
        found.add("encoded data")
    return frozenset(found)


def _is_hidden(text: str) -> bool:
    if text.isascii():
        return False
    return bool(
        _TAGS.search(_FLAG.sub("", text)) or _NO_WIDTH.search(text) or _SELECTORS.search(text) or _OVERRIDE.search(text)
    )


def _is_about_it(text: str) -> bool:
    """A note about such text, and no order: it names the thing, or says before the order what is done about it."""
    if _TALKS_ABOUT_IT.search(_ADDRESS.sub(" ", text)):
        return True
    order = min((found.start() for search in _ORDERS if (found := search.search(text))), default=len(text))
    return _DEALS_WITH_IT.search(_ADDRESS.sub(" ", text[:order])) is not None


def _commands(text: str) -> bool:
    return any(search.search(text) for search in _ORDERS)
