"""What the text around a value says it is: a public thing, another number, the secret of something. Pure."""

from __future__ import annotations

import re

from conductd.secrets import words

_NEAR_BY = 80  # characters before a value that say what it is

_PUBLIC = re.compile(
    r"public[ _-]?key|pub ?key|öffentliche\w* schlüssel|clés? publique|(?:clave|chave) p[úu]blica|chiave pubblica"
    r"|открыт\w+ ключ|公钥|公鑰|公開鍵|공개 ?키|مفتاح(?: ال)? ?عام|المفتاح العام"
    r"|finger ?print|fingerabdruck|empreinte|huella|impronta|отпечаток|指纹|指紋|フィンガープリント|بصمة"
    r"|check ?sum|prüfsumme|somme de contrôle|digest|integrity|etag"
    r"|(?<![a-z])(?:sha-?\d{1,3}|md5|blake\w{2,3}|hash|commit)"
    r"(?![a-z])|ssh-(?:rsa|dss|ed25519)|ecdsa-sha",
    re.IGNORECASE,
)
_DIGEST = re.compile(r"[0-9a-fA-F]{7,}|(?:sha\d{1,3}|md5)[:-].+|[A-Za-z0-9+/_-]{40,}={0,2}", re.IGNORECASE)
_MADE_TO_BE_SHOWN = re.compile(
    r"AAAA[BCE][0-9A-Za-z]|\$(?:2[abxy]|[1567y]|argon2\w{1,2}|pbkdf2[\w-]*)\$|\{S?SHA"
)  # half a pair, hashes
_HASHED = re.compile(r"(?:sha\d{1,3}|md5)[:-]$", re.IGNORECASE)

_PLACE = re.compile(
    rf"(?<![^\W\d_])(?:{'|'.join(words.PLACES)})(?![^\W\d_])|{'|'.join(words.WIDE_PLACES)}", re.IGNORECASE
)
_NAMED_USER = re.compile(
    r"(?<![a-z])(?:user(?:[ _-]?name)?|login|benutzer(?:name)?|utilisateur|usuario|utente|логин|用户名?|ユーザー名?)"
    r"\s*[:=：]\s*\S{1,60}\s*$",
    re.IGNORECASE,
)
_MOST_WORDS = 10

_PIN_OF_A_BOARD = re.compile(
    r"(?<![a-z])(?:gpio|header|gnd|vcc|pin ?out|connector|stecker|buchse|led|relay|relais|arduino|esp(?:32|8266)|i2c"
    r"|spi|uart|jumper|solder\w*|ground|breakout|breadboard|platine|leiterplatte|3v3|mcu)(?![a-z])",
    re.IGNORECASE,
)
_POST = re.compile(
    r"post(?:al|code|leitzahl| ?code)|(?<![a-z])(?:zip|plz|cep|address|adresse|area|district|city)"
    r"(?![a-z])|邮编|郵便|индекс",
    re.IGNORECASE,
)
_STATUS = re.compile(
    r"(?<![a-z])(?:error|errors|http|https|status|exit|returns?|returned|fehler\w*|erreur|nginx|apache|ошибк\w*)(?![a-z])",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\s*(?:%|€|\$|x\b|[年月日次回位个個文字년]|(?:lines?|times|entries|tries|attempts|users?|digits?|char\w*|bytes?|tokens?|rows?|steps?"
    r"|euros?|days?|hours?|zeilen|zeichen|stellen|mal|stück|versuche|tage|fois|essais|chiffres|veces|dígitos|intentos"
    r"|раз|цифр\w*|символ\w*)\b)",
    re.IGNORECASE,
)
_YEAR = re.compile(r"(?:19|20)\d\d")
_NEXT_WORD = re.compile(r"\s*[-–(:]?\s*(?P<word>[^\W\d_]+)")
_PLACE_NAME = re.compile(r"\s*[(,–-]?\s*[A-Z][a-z]{2,}")
_JOINED_BY = """
    for of to on at in and or if für und oder am im an zum zur bei pour du de la le et para del y en per e для на от и
    voor van och för is ist
"""
_JOINED = frozenset(_JOINED_BY.split())


def line_before(text: str, at: int) -> str:
    """The line up to there, not more than is near."""
    return text[max(text.rfind("\n", 0, at) + 1, at - 2 * _NEAR_BY) : at]


def line_after(text: str, at: int) -> str:
    """The rest of the line."""
    end = text.find("\n", at)
    return text[at : end if end >= 0 else len(text)][: 2 * _NEAR_BY]


def is_public(text: str, start: int, value: str) -> bool:
    """A digest, a fingerprint, the public half of a pair of keys: made to be shown."""
    if _MADE_TO_BE_SHOWN.match(value):
        return True
    if not _DIGEST.fullmatch(value):
        return False
    before = text[max(0, start - _NEAR_BY) : start]
    said = re.split(r"[\n;,|]|\. ", before)[-1]
    return bool(_PUBLIC.search(said) or _HASHED.search(before))


def is_named(text: str, start: int, end: int) -> bool:
    """It is said what the word opens, or who enters with it, and nothing but that is said."""
    before, after = line_before(text, start), line_after(text, end)
    if any(c.isalnum() or c == "?" for c in after):
        return False
    return bool(
        len(before.split()) <= _MOST_WORDS
        and (_PLACE.search(before) or _NAMED_USER.search(re.sub(r"[,;/]?\s*[^\s,;/]+\s*$", "", before)))
    )


def is_other_number(word: str, value: str, linked: bool, text: str, start: int, end: int) -> bool:
    """A year, an answer of a server, a postcode, a pin of a board, a count."""
    before, after = line_before(text, start), line_after(text, end)
    if _COUNTED.match(after):
        return True
    if word.casefold().startswith("pin"):
        if _PIN_OF_A_BOARD.search(before) or _PIN_OF_A_BOARD.search(after):
            return True
        if len(value) == 6 and value[0] != "0" and (_PLACE_NAME.match(after) or _POST.search(before)):
            return True
    found = _NEXT_WORD.match(after)
    goes_on = found is not None and found["word"].casefold() not in _JOINED
    if _YEAR.fullmatch(value):
        return goes_on
    if len(value) == 3 and value.isdecimal() and not after.startswith(("#", "*")):
        # Three digits are what servers and devices answer with.
        return goes_on or bool(_STATUS.search(before) or _STATUS.search(after)) or (not linked and value[0] in "2345")
    return bool(not linked and _STATUS.search(before))
