"""What can be a secret, and what only looks like one. Pure."""

from __future__ import annotations

import re

from conductd.secrets.words import SAYS, SAYS_ENDINGS

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
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[a-zà-ÿ]+(?:[-_][a-zà-ÿ]+){1,2}", re.IGNORECASE)


def is_strong(value: str) -> bool:
    """It looks like a secret wherever it stands: a mixture that no word, name or figure is."""
    if not LEAST <= len(value) <= MOST or is_stand_in(value) or _is_something_else(value):
        return False
    if _PLAIN_WORD.fullmatch(value) or _HYPHENATED.fullmatch(value):
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


def is_word(value: str) -> bool:
    """A plain word that is said to be the secret: not one that says something about it."""
    folded = value.casefold()
    return (
        LEAST <= len(value) <= 40
        and bool(_PLAIN_WORD.fullmatch(value))
        and folded not in SAYS
        and not folded.endswith(SAYS_ENDINGS)
        and not is_stand_in(value)
        and not _is_something_else(value)
    )


def is_code(value: str) -> bool:
    """Digits as they are typed into a door."""
    digits = re.sub(r"[\s#*-]|[A-Fa-f]$", "", value)
    return digits.isdecimal() and 3 <= len(digits) <= 12 and len(set(digits)) > 1


def is_stand_in(value: str) -> bool:
    return bool(_STAND_IN.fullmatch(value.strip()))


def _is_something_else(value: str) -> bool:
    found = _NO_SECRET.fullmatch(value)
    # A variable is written in capitals; the rest of the shapes in any.
    return found is not None and not (
        "_" in value and not _NAME_OF_VARIABLE.fullmatch(value) and "/" not in value and "." not in value
    )
