"""What can be a secret, and what only looks like one. Pure."""

from __future__ import annotations

import re

from conductd.secrets.words import NOUN_ENDINGS, SAYING_SIGNS, SAYS, SAYS_ENDINGS

LEAST, MOST = 6, 256

_STAND_IN = re.compile(
    r"(?:x{3,}|\*{3,}|•{3,}|\.{3,}|…+|-{3,}|_{3,}|\?{2,}|<[^>]*>|\{\{?[^}]*\}\}?|\$\{?\w+\}?|%\w+%|\[[^\]]*\]|\([^)]*\)"
    r"|your[-_ ]?\w+|my[-_ ]?(?:secret|password|token|key)\w*|change[-_]?me\w*|replace[-_]?me\w*|example|redacted|todo"
    r"|tbd|none|null|nil|n/a|placeholder|dummy|masked|hidden|forgotten|foo|bar|foobar|test|pass|password"
    r"|passwort|secret|token)",
    re.IGNORECASE,
)
_NO_SECRET = re.compile(
    r"(?:"
    r"[a-z][a-z0-9+.-]*://\S*"  # an address, also of a vault (op://)
    r"|~?/\S*|\.{1,2}/\S*|[a-z]:\\\S*"  # a path
    r"|[^@\s]+@[^@\s]+\.[a-z]{2,}"  # a mail address
    r"|[\w-]+(?:\.[\w-]+)*\.(?:md|txt|ya?ml|json|toml|env|pem|key|kdbx|gpg|asc|conf|cfg|ini|py|ts|js|sh|com|org|net|local|lan|io|dev)"
    r"|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+"  # the name of a variable
    r"|v?\d+(?:\.\d+)+(?:[-+]\w+)?"  # a version, an address of a machine
    r"|\d{4}-\d{1,2}-\d{1,2}(?:[T ].*)?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?"
    r"|\d+(?:[.,]\d+)?\s?(?:[kmgt]i?b?|ms|s|min|h|d|%|chars?|characters?|digits?|bits?|bytes?|tokens?|days?|weeks?|zeichen)?"
    r"|\d+(?:-\d+)?[+]?|\d+/\d+|\d+[a-z]{0,3}-[a-z-]+"
    r"|(?:aes|sha|md|base|utf|rsa|ed|ecdsa|argon|bcrypt|scrypt|pbkdf|hs|rs|oauth|totp|2fa|mfa|x|http|tls|ssl|ipv|wpa)[-_]?\d*\w{0,4}"
    r"|1password\S*|keepass\w*|bitwarden\w*|lastpass\w*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"
    r")",
    re.IGNORECASE,
)
_NAME_OF_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]{4,12}")
_DATE = re.compile(r"(?:19|20)\d\d-\d{1,2}(?:-\d{1,2})?")
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_POSSESSIVE = re.compile(r"[^\W\d_]+['’][^\W\d_]{1,2}|[^\W\d_]{1,2}['’][^\W\d_]+")  # Anna's, n'importe
_SAID_OF_IT = re.compile(r"[a-z]{1,8}\d{0,4}(?:-[a-z]+){0,2}-[a-z]{2,}(?:ed|ing|able|ible|based|only)", re.IGNORECASE)
_EXPRESSION = re.compile(
    r"[a-z_][\w.]*[\w]\((?:[\"'\w][^()]*)?\)?;?|[a-z_][\w.]*\[[\"'].*|[a-z_]\w*(?:\.[a-z_]\w*){2,}", re.IGNORECASE
)
_UNITS = re.compile(
    r"[~≈]?\d+(?:[.,]\d+)?[-/]?(?:[kmgt]?(?:hz|i?b|bps|bit|w|wh|v|mp|px|bd)(?:/s)?|mah|rpm|[fqt]ps|dpi|km/h|cm|mm|km|kg|nd|rd|th)",
    re.IGNORECASE,
)
_SURE_SIGNS, _OTHER_SIGNS = frozenset("!$&?^§€"), frozenset("#@*%~")
_REFERENCE = re.compile(
    r"[/\\:=<>()\[\]{}|`]|%[0-9a-f]{2}|\?\.|!\.|&&|[#@]l?\d+$|\$[\d.,]+[km]?$|[a-z]&[a-z](?![a-z])|fritz!"
    r"|^(?-i:(?:[A-Z][a-z]+)+\$(?:[A-Z][a-z]+)+\d?)$"  # a class inside of another
    r"|@[\w-]+\.\w|\.(?:md|py|ts|js|json|txt|ya?ml)\b",
    re.IGNORECASE,
)
_WORDS_AND_DIGIT = re.compile(r"[a-z]+(?:[-_][a-z]+)+\d")
_DATED = re.compile(r"[a-z].*[-_]20\d\d-?\d\d-?\d\d", re.IGNORECASE)
_NAME_PART = re.compile(r"[a-z]{2,}\d?|[a-z]{1,2}\d{1,2}|\d{1,4}", re.IGNORECASE)
_HYPHENATED = re.compile(r"[a-zà-ÿ]+(?:[-_][a-zà-ÿ]+){1,2}", re.IGNORECASE)


def is_strong(value: str) -> bool:
    """It looks like a secret wherever it stands: a mixture that no word, name or figure is."""
    if not LEAST <= len(value) <= MOST or is_stand_in(value) or _is_something_else(value):
        return False
    if any(shape.fullmatch(value) for shape in (_PLAIN_WORD, _HYPHENATED, _POSSESSIVE, _SAID_OF_IT, _UNITS)):
        return False
    if _EXPRESSION.fullmatch(value):
        return False
    kinds = sum(
        (
            any(c.islower() for c in value),
            any(c.isupper() for c in value),
            any(c.isdigit() for c in value),
            any(not c.isalnum() for c in value),
        )
    )
    return (
        kinds >= 2 and (any(c.isdigit() for c in value) or kinds >= 3 or value.count("-") >= 3) and len(set(value)) > 3
    )


def is_unmistakable(value: str) -> bool:
    """A long mixture: it needs no "is" before it."""
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value) and any(c.isdigit() for c in value)
    return len(value) >= 16 and mixed and is_strong(value)


def says_something(value: str) -> bool:
    """A word about a secret: required, admin-defined."""
    return value.casefold() in SAYS or bool(_SAID_OF_IT.fullmatch(value))


def _sounds_like_it(value: str) -> bool:
    """An ending of words that describe. A name or a German noun has only some: Hausnummer, Schmetterling."""
    return value.casefold().endswith(NOUN_ENDINGS) or (value[0].islower() and value.endswith(SAYS_ENDINGS))


def is_mixture(value: str) -> bool:
    """Nothing but a secret is put together like this: a sign inside of letters and digits, or digits all over."""
    if not 7 <= len(value) <= 64 or not is_strong(value) or _REFERENCE.search(value):
        return False
    digits = re.findall(r"\d+", value)
    lower, upper = any(c.islower() for c in value), any(c.isupper() for c in value)
    if not digits or not (lower or upper):
        return False
    inside = set(value[1:-1])
    if inside & _SURE_SIGNS or len(inside & _OTHER_SIGNS) >= 2:
        return True
    all_over = max(map(len, re.findall(r"[^\W\d_]+", value))) < 4
    return lower and upper and len(digits) >= 2 and all_over and len(value) >= 8 and "-" not in value


def is_name(value: str) -> bool:
    """Put together of words and small numbers, as names of things are: session_start_2026."""
    if _DATED.fullmatch(value):
        return True
    parts = [part for part in re.split(r"[_.:@#-]", value) if part]
    return (
        len(parts) >= 2
        and all(_NAME_PART.fullmatch(part) for part in parts)
        and sum(part.isalpha() for part in parts) >= 2
        and any(part.isalpha() and len(part) >= 4 for part in parts)
        and all(part.islower() or part.isupper() or part.istitle() for part in parts if part.isalpha())
    )


def is_typed(value: str) -> bool:
    """Strong, and no name of a thing with its number: iPhone15, node01, PR1234."""
    return is_mixture(value) or (
        is_strong(value)
        and sum(c.isdigit() for c in value) >= 4
        and any(c.islower() for c in value)
        and not _REFERENCE.search(value)
    )


def is_entered(value: str) -> bool:
    """Strong, and no words of a text with a number behind: role-based2."""
    return is_strong(value) and not _WORDS_AND_DIGIT.fullmatch(value)


def has_capital_inside(value: str) -> bool:
    """SommerRegen: not written like a word."""
    return bool(re.search(r"[^\W\d_]*[a-zà-ÿа-я][A-ZÀ-ÞА-Я]", value)) and len(value) >= 8


def is_chinese_phrase(value: str) -> bool:
    """Four signs or more that say nothing about a secret."""
    return bool(_CHINESE.fullmatch(value)) and not set(value) & SAYING_SIGNS


def is_word(value: str) -> bool:
    """A plain word that is said to be the secret: not one that says something about it."""
    least = LEAST if value.isascii() or any("À" <= c <= "ӿ" for c in value) else 4
    return (
        least <= len(value) <= 40
        and bool(_PLAIN_WORD.fullmatch(value))
        and not says_something(value)
        and not _sounds_like_it(value)
        and not is_stand_in(value)
        and not _is_something_else(value)
    )


def is_code(value: str) -> bool:
    """Digits as they are typed into a door."""
    if _DATE.fullmatch(value):
        return False
    digits = re.sub(r"[\s#*-]|[A-Fa-f]$|(?<=\d)[ABab](?=\d)", "", value)
    return digits.isdecimal() and 3 <= len(digits) <= 12 and len(set(digits)) > 1


def is_stand_in(value: str) -> bool:
    return bool(_STAND_IN.fullmatch(value.strip()))


def _is_something_else(value: str) -> bool:
    found = _NO_SECRET.fullmatch(value)
    # A variable is written in capitals; the rest of the shapes in any.
    return found is not None and not (
        "_" in value and not _NAME_OF_VARIABLE.fullmatch(value) and "/" not in value and "." not in value
    )
